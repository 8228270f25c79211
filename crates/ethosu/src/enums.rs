//! Values that the fields of commands and registers take, by name.
//!
//! One list, [`for_each_enum!`](crate::for_each_enum): a row is the name of the module here, the
//! name in Arm's headers, and each value with the generations that know it. From it come one
//! module of constants per enumeration (`enums::pooling_mode::MAX`) and the look-up of a name.

use crate::{Generation, Generations};

/// Applies a macro to every enumeration. See the module's own documentation for a row.
#[macro_export]
macro_rules! for_each_enum {
    ($apply:ident) => {
        $apply! {
            /// Width of the accumulators.
            acc_format "acc_format" {
                I32 = 0 ALL;
                I40 = 1 U55_U65;
                I48 = 1 U85;
                F16 = 2 U55_U65;
            }
            /// What the accumulators start from.
            acc_input "acc_input" {
                RESET = 0 U85;
                KEEP = 1 U85;
                IFM2 = 2 U85;
            }
            /// Whether the accumulators go to the output stage.
            acc_output "acc_output" {
                ENABLE = 0 U85;
                DISABLE = 1 U85;
            }
            /// Clip of the output before a table look-up, U55 and U65.
            activation_clip_range "activation_clip_range" {
                OFM_PRECISION = 0 U55_U65;
                FORCE_UINT8 = 2 U55_U65;
                FORCE_INT8 = 3 U55_U65;
                FORCE_INT16 = 5 U55_U65;
            }
            /// Clip of the output, U85.
            activation_clip_range_u85 "activation_clip_range" {
                B16 = 0 U85;
                NONE = 1 U85;
            }
            /// Layout of a feature map: by channel, or in bricks of 16 channels.
            activation_format "activation_format" {
                NHWC = 0 ALL;
                NHCWB16 = 1 ALL;
            }
            /// Function applied to the output, U55 and U65.
            activation_function "activation_function" {
                RELU = 0 U55_U65;
                TANH = 3 U55_U65;
                SIGMOID = 4 U55_U65;
                TABLE_0 = 16 U55_U65;
                TABLE_1 = 17 U55_U65;
                TABLE_2 = 18 U55_U65;
                TABLE_3 = 19 U55_U65;
                TABLE_4 = 20 U55_U65;
                TABLE_5 = 21 U55_U65;
                TABLE_6 = 22 U55_U65;
                TABLE_7 = 23 U55_U65;
            }
            /// Function applied to the output, U85.
            activation_function_u85 "activation_function" {
                LUT_NONE = 0 U85;
                LUT_U8_U8 = 1 U85;
                LUT_S8_S8 = 4 U85;
                LUT_S8_S16 = 5 U85;
                LUT_S8_S32 = 7 U85;
                LUT_S16_S16 = 8 U85;
                LUT_S16_S32 = 9 U85;
                LUT_TANH = 10 U85;
                LUT_SIGMOID = 11 U85;
            }
            /// Size of an element.
            activation_precision "activation_precision" {
                B8 = 0 ALL;
                B16 = 1 ALL;
                B32 = 2 ALL;
                B64 = 3 ALL;
            }
            /// Axis that is written backwards.
            activation_reverse "activation_reverse" {
                NONE = 0 U85;
                H = 1 U85;
                W = 2 U85;
                C = 3 U85;
            }
            /// How a feature map is stored, U85.
            activation_storage "activation_storage" {
                TILE2X2 = 0 U85;
                TILE3X1 = 1 U85;
                CHAINED = 2 U85;
                NONE = 3 U85;
            }
            /// Order of the axes of the output as written, U85.
            activation_transpose "activation_transpose" {
                HWC = 0 U85;
                WHC = 1 U85;
                HCW = 2 U85;
                WCH = 3 U85;
                CHW = 6 U85;
                CWH = 7 U85;
            }
            /// Signedness of an element.
            activation_type "activation_type" {
                UNSIGNED = 0 ALL;
                SIGNED = 1 ALL;
            }
            /// Sharing domain of a memory attribute, U85.
            axi_mem_domain "axi_mem_domain" {
                NON_SHARABLE = 0 U85;
                INNER_SHARABLE = 1 U85;
                OUTER_SHARABLE = 2 U85;
                SYSTEM = 3 U85;
            }
            /// Memory type that accesses are marked with.
            axi_mem_encoding "axi_mem_encoding" {
                DEVICE_NON_BUFFERABLE = 0 ALL;
                DEVICE_BUFFERABLE = 1 ALL;
                NORMAL_NON_CACHEABLE_NON_BUFFERABLE = 2 ALL;
                NORMAL_NON_CACHEABLE_BUFFERABLE = 3 ALL;
                WRITE_THROUGH_NO_ALLOCATE = 4 ALL;
                WRITE_THROUGH_READ_ALLOCATE = 5 ALL;
                WRITE_THROUGH_WRITE_ALLOCATE = 6 ALL;
                WRITE_THROUGH_READ_AND_WRITE_ALLOCATE = 7 ALL;
                WRITE_BACK_NO_ALLOCATE = 8 ALL;
                WRITE_BACK_READ_ALLOCATE = 9 ALL;
                WRITE_BACK_WRITE_ALLOCATE = 10 ALL;
                WRITE_BACK_READ_AND_WRITE_ALLOCATE = 11 ALL;
            }
            /// Port of a memory attribute, U85.
            axi_port "axi_port" {
                SRAM = 0 U85;
                EXT = 1 U85;
            }
            /// Condition of a branch, U85.
            branch_cond "branch_cond" {
                ALWAYS = 0 U85;
                RF_TRUE = 1 U85;
            }
            /// Broadcast of one axis, U55 and U65.
            broadcast_mode "broadcast_mode" {
                DISABLE = 0 U55_U65;
                ENABLE = 1 U55_U65;
            }
            /// Axes in which an input is repeated, U85.
            broadcast_mode_u85 "broadcast_mode" {
                NONE = 0 U85;
                H = 1 U85;
                W = 2 U85;
                HW = 3 U85;
                C = 4 U85;
                CH = 5 U85;
                CW = 6 U85;
                CWH = 7 U85;
                SCALAR = 8 U85;
            }
            /// Whether the chip maker added a DMA unit.
            custom_dma "custom_dma" {
                NOT_IMPLEMENTED = 0 ALL;
                IMPLEMENTED = 1 ALL;
            }
            /// Whether accesses go to the added DMA unit, U55.
            custom_dma_cs "custom_dma_cs" {
                DISABLE = 0 U55;
                ENABLE = 1 U55;
            }
            /// AXI interface of a bus fault, U55 and U65.
            dma_fault_src "dma_fault_src" {
                AXI_M0 = 0 U55_U65;
                AXI_M1 = 1 U55_U65;
            }
            /// AXI interface of a bus fault, U85.
            dma_fault_src_u85 "dma_fault_src" {
                SRAM = 0 U85;
                EXT = 1 U85;
            }
            /// Whether a copy is indexed, U85.
            dma_idx_mode "dma_idx_mode" {
                DISABLED = 0 U85;
                ENABLED = 1 U85;
            }
            /// Whether a copy uses a region or internal memory.
            dma_region_mode "dma_region_mode" {
                EXTERNAL = 0 ALL;
                INTERNAL = 1 ALL;
            }
            /// Dimensions of a copy.
            dma_stride_mode "dma_stride_mode" {
                D1 = 0 ALL;
                D2 = 1 U65_U85;
                D3 = 2 U65_U85;
            }
            /// Elementwise operation.
            elementwise_mode "elementwise_mode" {
                MUL = 0 ALL;
                ADD = 1 ALL;
                SUB = 2 ALL;
                MIN = 3 ALL;
                MAX = 4 ALL;
                LRELU = 5 ALL;
                ABS = 6 ALL;
                CLZ = 7 ALL;
                SHR = 8 ALL;
                SHL = 9 ALL;
                LSR = 10 U85;
                DIV = 11 U85;
                CMP_EQ = 16 U85;
                CMP_NE = 17 U85;
                CMP_GE = 18 U85;
                CMP_GT = 19 U85;
                AND = 33 U85;
                OR = 34 U85;
                XOR = 35 U85;
                NOT = 36 U85;
                AND_NOT = 42 U85;
            }
            /// Whether functional safety is built in.
            functional_safety "functional_safety" {
                NOT_IMPLEMENTED = 0 U55_U65;
                IMPLEMENTED = 1 U55_U65;
            }
            /// Which operand the second input is.
            ifm2_operand_order "ifm2_operand_order" {
                ORDER_B = 0 U55_U65;
                ORDER_A = 1 U55_U65;
            }
            /// How ADD and SUB scale their operands, U55 and U65.
            ifm_scale_mode "ifm_scale_mode" {
                OPA_OPB_16 = 0 U55_U65;
                OPA_32 = 1 U55_U65;
                OPB_32 = 2 U55_U65;
            }
            /// Doubling of the input.
            ifm_upscale_mode "ifm_upscale_mode" {
                NONE = 0 ALL;
                NEAREST = 1 ALL;
                ZEROS = 2 ALL;
            }
            /// Size of the pieces a kernel is cut into.
            kernel_decomposition "kernel_decomposition" {
                D8X8 = 0 ALL;
                D4X4 = 1 ALL;
            }
            /// Dilation of the kernel.
            kernel_dilation "kernel_dilation" {
                NONE = 0 ALL;
                X2 = 1 ALL;
            }
            /// Longest burst.
            max_beats "max_beats" {
                B64 = 0 ALL;
                B128 = 1 ALL;
                B256 = 2 ALL;
            }
            /// AXI port and counter of a region, U55 and U65.
            mem_attr "mem_attr" {
                AXI0_OUTSTANDING_COUNTER0 = 0 U55_U65;
                AXI0_OUTSTANDING_COUNTER1 = 1 U55_U65;
                AXI1_OUTSTANDING_COUNTER2 = 2 U55_U65;
                AXI1_OUTSTANDING_COUNTER3 = 3 U55_U65;
            }
            /// Microblock of the output, height by width, U85.
            microblock "microblock" {
                U1X1 = 0 U85;
                U1X2 = 1 U85;
                U1X4 = 2 U85;
                U2X2 = 3 U85;
                U2X4 = 4 U85;
                U4X4 = 5 U85;
            }
            /// Whether the scale is per channel or one for all.
            ofm_scale_mode "ofm_scale_mode" {
                PER_CHANNEL = 0 ALL;
                GLOBAL = 1 ALL;
            }
            /// Work of the two cores of a U65-512.
            parallel_mode "parallel_mode" {
                SINGLE_CORE = 0 U65;
                DUAL_CORE_DEPTH = 1 U65;
            }
            /// Channel that AXI events count.
            pmu_axi_channel "pmu_axi_channel" {
                RD_CMD = 0 ALL;
                RD_IFM = 1 ALL;
                RD_WEIGHTS = 2 ALL;
                RD_SCALE_BIAS = 3 ALL;
                RD_MEM2MEM = 4 ALL;
                RD_IFM_STREAM = 5 U85;
                RD_MEM2MEM_IDX = 6 U85;
                WR_OFM = 8 ALL;
                WR_MEM2MEM = 9 ALL;
            }
            /// Whether a port is left out of AXI events, U85.
            pmu_port_disable "pmu_port_disable" {
                ENABLE = 0 U85;
                DISABLE = 1 U85;
            }
            /// Pooling operation.
            pooling_mode "pooling_mode" {
                MAX = 0 ALL;
                AVERAGE = 1 ALL;
                REDUCE_SUM = 2 ALL;
                SUM = 3 U85;
                NONE = 4 U85;
                MIN = 5 U85;
                ARGMAX_X = 6 U85;
                ARGMAX_Y = 7 U85;
            }
            /// Privilege of the NPU.
            privilege_level "privilege_level" {
                USER = 0 ALL;
                PRIVILEGED = 1 ALL;
            }
            /// Internal memory, U85.
            ram_id "ram_id" {
                LUT = 0 U85;
                IB = 1 U85;
                AB = 2 U85;
                CB = 3 U85;
                OB = 4 U85;
            }
            /// Interpolation of a resize, U85.
            resize_mode "resize_mode" {
                BILINEAR = 0 U85;
                REPLICATE = 1 U85;
                NEAREST = 2 U85;
            }
            /// Rounding, U55 and U65.
            round_mode "round_mode" {
                DBL = 0 U55_U65;
                TRUNCATE = 1 U55_U65;
                NATURAL = 2 U55_U65;
            }
            /// Rounding of an input, U85.
            round_mode_ifm "round_mode_ifm" {
                DOUBLE_SYMMETRIC = 0 U85;
                NATURAL = 1 U85;
            }
            /// Rounding of the output, U85.
            round_mode_ofm "round_mode_ofm" {
                DOUBLE_SYMMETRIC = 0 U85;
                NATURAL = 1 U85;
                DOUBLE_ASYMMETRIC = 2 U85;
                SYMMETRIC = 3 U85;
                TRUNCATE_TO_ZERO = 4 U85;
                TRUNCATE_TO_LOWER = 5 U85;
            }
            /// Security of the NPU.
            security_level "security_level" {
                SECURE = 0 ALL;
                NON_SECURE = 1 ALL;
            }
            /// Whether the NPU runs.
            state "state" {
                STOPPED = 0 ALL;
                RUNNING = 1 ALL;
            }
            /// Weight decoder at work, U85.
            wd_active_core "wd_active_core" {
                NONE = 0 U85;
                STANDARD = 1 U85;
                FAST = 2 U85;
                TENSOR = 3 U85;
            }
            /// State of a weight decoder.
            wd_core_slice_state "wd_core_slice_state" {
                HEADER = 0 U55_U65;
                PALETTE = 1 U55_U65;
                WEIGHTS = 2 U55_U65;
            }
            /// State of the weight decoder control.
            wd_ctrl_state "wd_ctrl_state" {
                IDLE = 0 U55_U65;
                DRAIN = 1 U55_U65;
                OFD_INIT = 2 U55_U65;
                OFD_RUN = 3 U55_U65;
            }
            /// Coding of weights, U85.
            weight_format "weight_format" {
                SWD = 0 U85;
                FWD = 1 U85;
            }
            /// Order of weights.
            weight_order "weight_order" {
                DEPTH_FIRST = 0 ALL;
                PART_KERNEL_FIRST = 1 ALL;
            }
            /// Sparsity of weights, U85.
            weight_sparsity "weight_sparsity" {
                NONE = 0 U85;
                SPARSE_2_4 = 1 U85;
            }
        }
    };
}

/// One value of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Name as in Arm's headers.
    pub name: &'static str,
    /// The number in the field.
    pub value: u32,
    /// Generations that know the value.
    pub generations: Generations,
}

/// An enumeration of field values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnumDef {
    /// Name of the module of constants.
    pub name: &'static str,
    /// Name in Arm's headers; two of ours share one where U85 renumbered.
    pub vendor_name: &'static str,
    /// What the enumeration says.
    pub doc: &'static str,
    /// Its values, rising.
    pub variants: &'static [Variant],
}

impl EnumDef {
    /// The name of `value` on `generation`, or `None` if it is reserved there.
    pub fn name_of(&self, generation: Generation, value: u32) -> Option<&'static str> {
        self.variants.iter().find(|v| v.value == value && v.generations.contains(generation)).map(|v| v.name)
    }
}

macro_rules! define_enums {
    ($($(#[doc = $doc:literal])+ $module:ident $vendor:literal { $($variant:ident = $value:literal $gens:ident;)+ })+) => {
        $(
            $(#[doc = $doc])+
            pub mod $module {
                $(
                    #[doc = concat!("`", stringify!($variant), "` = ", stringify!($value), ".")]
                    pub const $variant: u32 = $value;
                )+
                /// The enumeration as data.
                pub static DEF: super::EnumDef = super::EnumDef {
                    name: stringify!($module),
                    vendor_name: $vendor,
                    doc: concat!($($doc),+),
                    variants: &[$(super::Variant {
                        name: stringify!($variant),
                        value: $value,
                        generations: crate::Generations::$gens,
                    }),+],
                };
            }
        )+
        /// Every enumeration, in the order of the list.
        pub static ALL: &[&EnumDef] = &[$(&$module::DEF),+];
    };
}
for_each_enum!(define_enums);
