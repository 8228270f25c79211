//! The list of commands of the three generations: encoding only.
//!
//! A row is the documentation, the variant of [`Opcode`](crate::cmd::Opcode), the module of
//! [`fields`](crate::cmd::fields), the name (Arm's without `NPU_OP_`/`NPU_SET_`), the kind, the
//! ten-bit code, the generations, and the fields. A field is a constant, its name, its bits in the
//! command taken as one 64-bit number (first word low), the generations, and how to show it. What
//! a command *does* stands in the simulator and in the compiler, so that a wrong row cannot pass
//! its own test; the rows themselves are compared with Arm's headers in `tests/vendor_tables.rs`.

/// Applies a macro to the list of commands. See the module's own documentation for a row.
#[macro_export]
macro_rules! for_each_command {
    ($apply:ident) => { $apply! {
        /// Ends the stream: raises the interrupt, and the mask is OR-ed into `STATUS.irq_history_mask`.
        Stop stop "STOP" Op0 0x000 ALL {
            MASK: "mask" [31:16] ALL HEX;
        }
        /// Raises the interrupt and goes on; the mask is OR-ed into `STATUS.irq_history_mask`.
        Irq irq "IRQ" Op0 0x001 ALL {
            MASK: "mask" [31:16] ALL HEX;
        }
        /// Starts a convolution. On U85 the weights may come from the second input (matrix product).
        Conv conv "CONV" Op0 0x002 ALL {
            WEIGHTS_IFM2: "weights_ifm2" [16:16] U85 UINT;
        }
        /// Starts a depthwise convolution: channel `c` of the output sees channel `c` of the input only.
        Depthwise depthwise "DEPTHWISE" Op0 0x003 ALL {}
        /// Starts a pooling operation.
        Pool pool "POOL" Op0 0x005 ALL {
            POOLING_MODE: "pooling_mode" [18:16] ALL ENUM(pooling_mode);
        }
        /// Starts an elementwise operation of one or two inputs.
        Elementwise elementwise "ELEMENTWISE" Op0 0x006 ALL {
            ELEMENTWISE_MODE: "elementwise_mode" [21:16] ALL ENUM(elementwise_mode);
        }
        /// Starts a resize; scale, offset and steps stand in the RESIZE registers.
        Resize resize "RESIZE" Op0 0x007 U85 {
            RESIZE_MODE: "resize_mode" [17:16] U85 ENUM(resize_mode);
        }
        /// Starts the memory-to-memory copy that the DMA0 registers describe.
        DmaStart dma_start "DMA_START" Op0 0x010 ALL {}
        /// Waits until at most `k` copies are outstanding.
        DmaWait dma_wait "DMA_WAIT" Op0 0x011 ALL {
            K_U85: "k" [17:16] U85 UINT;
            K_U55_U65: "k" [19:16] U55_U65 UINT;
        }
        /// Waits until at most `n` kernel operations are outstanding.
        KernelWait kernel_wait "KERNEL_WAIT" Op0 0x012 ALL {
            N_U85: "n" [16:16] U85 UINT;
            N_U55_U65: "n" [17:16] U55_U65 UINT;
        }
        /// Switches event counting on or off while `PMCR.mask_en` is set.
        PmuMask pmu_mask "PMU_MASK" Op0 0x013 ALL {
            ENABLE: "enable" [16:16] ALL UINT;
        }
        /// Rows of zero point above the input.
        IfmPadTop ifm_pad_top "IFM_PAD_TOP" Set0 0x100 ALL {
            PAD: "pad" [22:16] ALL UINT;
        }
        /// Columns of zero point left of the input.
        IfmPadLeft ifm_pad_left "IFM_PAD_LEFT" Set0 0x101 ALL {
            PAD: "pad" [22:16] ALL UINT;
        }
        /// Columns of zero point right of the input, at most 128.
        IfmPadRight ifm_pad_right "IFM_PAD_RIGHT" Set0 0x102 ALL {
            PAD: "pad" [23:16] ALL UINT;
        }
        /// Rows of zero point below the input, at most 128.
        IfmPadBottom ifm_pad_bottom "IFM_PAD_BOTTOM" Set0 0x103 ALL {
            PAD: "pad" [23:16] ALL UINT;
        }
        /// Channels of the input, less one.
        IfmDepthM1 ifm_depth_m1 "IFM_DEPTH_M1" Set0 0x104 ALL {
            DEPTH_M1: "depth_m1" [31:16] ALL UINT;
        }
        /// Element type and layout of the input; on U55 and U65 also how ADD and SUB scale their
        /// operands and round, on U85 where the input is stored.
        IfmPrecision ifm_precision "IFM_PRECISION" Set0 0x105 ALL {
            ACTIVATION_TYPE: "activation_type" [16:16] ALL ENUM(activation_type);
            ACTIVATION_PRECISION: "activation_precision" [19:18] ALL ENUM(activation_precision);
            ACTIVATION_FORMAT: "activation_format" [23:22] ALL ENUM(activation_format);
            SCALE_MODE: "scale_mode" [25:24] U55_U65 ENUM(ifm_scale_mode);
            ROUND_MODE: "round_mode" [31:30] U55_U65 ENUM(round_mode);
            ACTIVATION_STORAGE: "activation_storage" [31:30] U85 ENUM(activation_storage);
        }
        /// Doubling of the input on the way in.
        IfmUpscale ifm_upscale "IFM_UPSCALE" Set0 0x107 ALL {
            MODE: "mode" [17:16] ALL ENUM(ifm_upscale_mode);
        }
        /// Dimensions in which the first input is repeated, or that it is `OP_SCALAR`.
        IfmBroadcast ifm_broadcast "IFM_BROADCAST" Set0 0x108 U85 {
            BROADCAST_MODE: "broadcast_mode" [19:16] U85 ENUM(broadcast_mode_u85);
        }
        /// Zero point taken off every element of the input.
        IfmZeroPoint ifm_zero_point "IFM_ZERO_POINT" Set0 0x109 ALL {
            ZERO_POINT: "zero_point" [31:16] ALL INT;
        }
        /// Columns in tiles 0 and 2 of the input, less one.
        IfmWidth0M1 ifm_width0_m1 "IFM_WIDTH0_M1" Set0 0x10a ALL {
            WIDTH_M1: "width_m1" [31:16] ALL UINT;
        }
        /// Rows in tile 0 of the input, less one.
        IfmHeight0M1 ifm_height0_m1 "IFM_HEIGHT0_M1" Set0 0x10b ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// Rows in tile 1 of the input, less one.
        IfmHeight1M1 ifm_height1_m1 "IFM_HEIGHT1_M1" Set0 0x10c ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// First SHRAM bank behind the input buffers (1 KiB banks, even).
        IfmIbEnd ifm_ib_end "IFM_IB_END" Set0 0x10d U55_U65 {
            IB_END: "ib_end" [21:16] U55_U65 UINT;
        }
        /// Region that the base addresses of the input count from (U85, chained: the chain buffer).
        IfmRegion ifm_region "IFM_REGION" Set0 0x10f ALL {
            REGION: "region" [18:16] ALL REGION;
            CUSTOM_DMA_CS: "custom_dma_cs" [31:31] U55 ENUM(custom_dma_cs);
        }
        /// Columns of the output, less one.
        OfmWidthM1 ofm_width_m1 "OFM_WIDTH_M1" Set0 0x111 ALL {
            WIDTH_M1: "width_m1" [31:16] ALL UINT;
        }
        /// Rows of the output, less one.
        OfmHeightM1 ofm_height_m1 "OFM_HEIGHT_M1" Set0 0x112 ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// Channels of the output, less one.
        OfmDepthM1 ofm_depth_m1 "OFM_DEPTH_M1" Set0 0x113 ALL {
            DEPTH_M1: "depth_m1" [31:16] ALL UINT;
        }
        /// Element type and layout of the output, and whether its scale is one for all channels;
        /// on U55 and U65 the rounding, on U85 reversal, transposition and storage on the way out.
        OfmPrecision ofm_precision "OFM_PRECISION" Set0 0x114 ALL {
            ACTIVATION_TYPE: "activation_type" [16:16] ALL ENUM(activation_type);
            ACTIVATION_PRECISION: "activation_precision" [18:17] ALL ENUM(activation_precision);
            ACTIVATION_FORMAT: "activation_format" [23:22] ALL ENUM(activation_format);
            SCALE_MODE: "scale_mode" [24:24] ALL ENUM(ofm_scale_mode);
            ACTIVATION_REVERSE: "activation_reverse" [26:25] U85 ENUM(activation_reverse);
            ACTIVATION_TRANSPOSE: "activation_transpose" [29:27] U85 ENUM(activation_transpose);
            ROUND_MODE: "round_mode" [31:30] U55_U65 ENUM(round_mode);
            ACTIVATION_STORAGE: "activation_storage" [31:30] U85 ENUM(activation_storage);
        }
        /// Columns of an output block, less one.
        OfmBlkWidthM1 ofm_blk_width_m1 "OFM_BLK_WIDTH_M1" Set0 0x115 ALL {
            WIDTH_M1_U55_U65: "width_m1" [21:16] U55_U65 UINT;
            WIDTH_M1_U85: "width_m1" [22:16] U85 UINT;
        }
        /// Rows of an output block, less one.
        OfmBlkHeightM1 ofm_blk_height_m1 "OFM_BLK_HEIGHT_M1" Set0 0x116 ALL {
            HEIGHT_M1_U55_U65: "height_m1" [20:16] U55_U65 UINT;
            HEIGHT_M1_U85: "height_m1" [22:16] U85 UINT;
        }
        /// Channels of an output block, less one; the order of weights depends on it.
        OfmBlkDepthM1 ofm_blk_depth_m1 "OFM_BLK_DEPTH_M1" Set0 0x117 ALL {
            DEPTH_M1_U55_U65: "depth_m1" [22:16] U55_U65 UINT;
            DEPTH_M1_U85: "depth_m1" [25:16] U85 UINT;
        }
        /// Zero point added to every element of the output.
        OfmZeroPoint ofm_zero_point "OFM_ZERO_POINT" Set0 0x118 ALL {
            ZERO_POINT: "zero_point" [31:16] ALL INT;
        }
        /// Columns in tiles 0 and 2 of the output, less one.
        OfmWidth0M1 ofm_width0_m1 "OFM_WIDTH0_M1" Set0 0x11a ALL {
            WIDTH_M1: "width_m1" [31:16] ALL UINT;
        }
        /// Rows in tile 0 of the output, less one.
        OfmHeight0M1 ofm_height0_m1 "OFM_HEIGHT0_M1" Set0 0x11b ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// Rows in tile 1 of the output, less one.
        OfmHeight1M1 ofm_height1_m1 "OFM_HEIGHT1_M1" Set0 0x11c ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// Region that the base addresses of the output count from (U85, chained: the chain buffer).
        OfmRegion ofm_region "OFM_REGION" Set0 0x11f ALL {
            REGION: "region" [18:16] ALL REGION;
            CUSTOM_DMA_CS: "custom_dma_cs" [31:31] U55 ENUM(custom_dma_cs);
        }
        /// Columns of the kernel with its dilation, less one.
        KernelWidthM1 kernel_width_m1 "KERNEL_WIDTH_M1" Set0 0x120 ALL {
            WIDTH_M1: "width_m1" [31:16] ALL UINT;
        }
        /// Rows of the kernel with its dilation, less one.
        KernelHeightM1 kernel_height_m1 "KERNEL_HEIGHT_M1" Set0 0x121 ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// Strides (two bits each, less one), dilations, order of weights and decomposition.
        KernelStride kernel_stride "KERNEL_STRIDE" Set0 0x122 ALL {
            STRIDE_X_LSB: "stride_x_lsb" [16:16] ALL UINT;
            STRIDE_Y_LSB: "stride_y_lsb" [17:17] ALL UINT;
            WEIGHT_ORDER: "weight_order" [18:18] ALL ENUM(weight_order);
            DILATION_X: "dilation_x" [19:19] ALL ENUM(kernel_dilation);
            DILATION_Y: "dilation_y" [20:20] ALL ENUM(kernel_dilation);
            DECOMPOSITION: "decomposition" [21:21] ALL ENUM(kernel_decomposition);
            STRIDE_X_MSB: "stride_x_msb" [22:22] ALL UINT;
            STRIDE_Y_MSB: "stride_y_msb" [25:25] ALL UINT;
        }
        /// How the two cores of a U65-512 share the work.
        ParallelMode parallel_mode "PARALLEL_MODE" Set0 0x123 U65 {
            PARALLEL_MODE: "parallel_mode" [16:16] U65 ENUM(parallel_mode);
        }
        /// Width of the accumulators; on U85 also what they start from, whether they are written out,
        /// and the microblock.
        AccFormat acc_format "ACC_FORMAT" Set0 0x124 ALL {
            ACC_FORMAT: "acc_format" [17:16] ALL ENUM(acc_format);
            ACC_INPUT: "acc_input" [21:20] U85 ENUM(acc_input);
            ACC_OUTPUT: "acc_output" [22:22] U85 ENUM(acc_output);
            MICROBLOCK: "microblock" [26:24] U85 ENUM(microblock);
        }
        /// Function applied to the output: none, a built-in curve or a table.
        Activation activation "ACTIVATION" Set0 0x125 ALL {
            ACTIVATION_FUNCTION_U55_U65: "activation_function" [20:16] U55_U65 ENUM(activation_function);
            ACTIVATION_FUNCTION_U85: "activation_function" [20:16] U85 ENUM(activation_function_u85);
            TABLE: "table" [23:21] U85 UINT;
            ACTIVATION_CLIP_RANGE_U85: "activation_clip_range" [28:28] U85 ENUM(activation_clip_range_u85);
            ACTIVATION_CLIP_RANGE_U55_U65: "activation_clip_range" [30:28] U55_U65 ENUM(activation_clip_range);
        }
        /// Lowest value of the output, in its type and with its zero point.
        ActivationMin activation_min "ACTIVATION_MIN" Set0 0x126 ALL {
            CLIP_BOUNDARY: "clip_boundary" [31:16] ALL INT;
        }
        /// Highest value of the output, in its type and with its zero point.
        ActivationMax activation_max "ACTIVATION_MAX" Set0 0x127 ALL {
            CLIP_BOUNDARY: "clip_boundary" [31:16] ALL INT;
        }
        /// Region of the weight streams.
        WeightRegion weight_region "WEIGHT_REGION" Set0 0x128 ALL {
            REGION: "region" [18:16] ALL REGION;
            CUSTOM_DMA_CS: "custom_dma_cs" [31:31] U55 ENUM(custom_dma_cs);
        }
        /// Region of the scale and bias streams.
        ScaleRegion scale_region "SCALE_REGION" Set0 0x129 ALL {
            REGION: "region" [18:16] ALL REGION;
            CUSTOM_DMA_CS: "custom_dma_cs" [31:31] U55 ENUM(custom_dma_cs);
        }
        /// Numerator of the horizontal scale, less one.
        ResizeXScaleNM1 resize_x_scale_n_m1 "RESIZE_X_SCALE_N_M1" Set0 0x12a U85 {
            RESIZE_X_SCALE_N_M1: "resize_x_scale_n_m1" [26:16] U85 UINT;
        }
        /// Numerator of the vertical scale, less one.
        ResizeYScaleNM1 resize_y_scale_n_m1 "RESIZE_Y_SCALE_N_M1" Set0 0x12b U85 {
            RESIZE_Y_SCALE_N_M1: "resize_y_scale_n_m1" [26:16] U85 UINT;
        }
        /// Start of the first column, in units of 1/numerator, signed.
        ResizeXOffset resize_x_offset "RESIZE_X_OFFSET" Set0 0x12c U85 {
            RESIZE_X_OFFSET: "resize_x_offset" [27:16] U85 INT;
        }
        /// First SHRAM bank of the accumulators (1 KiB banks, even).
        AbStart ab_start "AB_START" Set0 0x12d U55_U65 {
            AB_START: "ab_start" [21:16] U55_U65 UINT;
        }
        /// Start of the first row, in units of 1/numerator, signed.
        ResizeYOffset resize_y_offset "RESIZE_Y_OFFSET" Set0 0x12d U85 {
            RESIZE_Y_OFFSET: "resize_y_offset" [27:16] U85 INT;
        }
        /// Coding of the weight stream, and whether two of four weights are left out.
        WeightFormat weight_format "WEIGHT_FORMAT" Set0 0x12e U85 {
            WEIGHT_FORMAT: "weight_format" [16:16] U85 ENUM(weight_format);
            WEIGHT_SPARSITY: "weight_sparsity" [20:20] U85 ENUM(weight_sparsity);
        }
        /// Blocks of the previous operation that may still be unfinished when a block of this one starts.
        Blockdep blockdep "BLOCKDEP" Set0 0x12f ALL {
            BLOCKDEP_U55_U65: "blockdep" [17:16] U55_U65 UINT;
            BLOCKDEP_U85: "blockdep" [18:16] U85 UINT;
        }
        /// Where a copy reads: the region, internal memory, 1D to 3D, gather.
        Dma0SrcRegion dma0_src_region "DMA0_SRC_REGION" Set0 0x130 ALL {
            REGION: "region" [18:16] ALL REGION;
            REGION_MODE: "region_mode" [24:24] ALL ENUM(dma_region_mode);
            STRIDE_MODE: "stride_mode" [26:25] ALL ENUM(dma_stride_mode);
            IDX_MODE: "idx_mode" [27:27] U85 ENUM(dma_idx_mode);
            CUSTOM_DMA_CS: "custom_dma_cs" [31:31] U55 ENUM(custom_dma_cs);
        }
        /// Where a copy writes: the region, or the cores whose internal memory takes it; U85: scatter.
        Dma0DstRegion dma0_dst_region "DMA0_DST_REGION" Set0 0x131 ALL {
            REGION: "region" [18:16] ALL REGION;
            REGION_MODE: "region_mode" [24:24] ALL ENUM(dma_region_mode);
            STRIDE_MODE: "stride_mode" [26:25] U55_U65 ENUM(dma_stride_mode);
            IDX_MODE: "idx_mode" [27:27] U85 ENUM(dma_idx_mode);
            CUSTOM_DMA_CS: "custom_dma_cs" [31:31] U55 ENUM(custom_dma_cs);
        }
        /// Rows of a 2D or 3D copy; elements of a gather or scatter.
        Dma0Size0 dma0_size0 "DMA0_SIZE0" Set0 0x132 ALL {
            SIZE: "size" [31:16] ALL UINT;
        }
        /// Planes of a 3D copy.
        Dma0Size1 dma0_size1 "DMA0_SIZE1" Set0 0x133 ALL {
            SIZE: "size" [31:16] ALL UINT;
        }
        /// Region of the indices of a gather or scatter.
        Dma0IdxRegion dma0_idx_region "DMA0_IDX_REGION" Set0 0x134 U85 {
            REGION: "region" [18:16] U85 REGION;
        }
        /// How the second input is repeated; on U55 and U65 also the order of the operands and whether
        /// it is `IFM2_SCALAR`, on U85 whether it is `OP_SCALAR`.
        Ifm2Broadcast ifm2_broadcast "IFM2_BROADCAST" Set0 0x180 ALL {
            BROADCAST_H: "broadcast_h" [16:16] U55_U65 ENUM(broadcast_mode);
            BROADCAST_MODE: "broadcast_mode" [19:16] U85 ENUM(broadcast_mode_u85);
            BROADCAST_W: "broadcast_w" [17:17] U55_U65 ENUM(broadcast_mode);
            BROADCAST_C: "broadcast_c" [18:18] U55_U65 ENUM(broadcast_mode);
            OPERAND_ORDER: "operand_order" [22:22] U55_U65 ENUM(ifm2_operand_order);
            BROADCAST_CONSTANT: "broadcast_constant" [23:23] U55_U65 UINT;
        }
        /// Second input of an elementwise operation with a constant, in the type of the input.
        Ifm2Scalar ifm2_scalar "IFM2_SCALAR" Set0 0x181 U55_U65 {
            SCALAR: "scalar" [31:16] U55_U65 INT;
        }
        /// Element type and layout of the second input.
        Ifm2Precision ifm2_precision "IFM2_PRECISION" Set0 0x185 ALL {
            ACTIVATION_TYPE: "activation_type" [16:16] ALL ENUM(activation_type);
            ACTIVATION_PRECISION: "activation_precision" [19:18] ALL ENUM(activation_precision);
            ACTIVATION_FORMAT: "activation_format" [23:22] ALL ENUM(activation_format);
            ACTIVATION_STORAGE: "activation_storage" [31:30] U85 ENUM(activation_storage);
        }
        /// Zero point taken off every element of the second input.
        Ifm2ZeroPoint ifm2_zero_point "IFM2_ZERO_POINT" Set0 0x189 ALL {
            ZERO_POINT: "zero_point" [31:16] ALL INT;
        }
        /// Columns in tiles 0 and 2 of the second input, less one.
        Ifm2Width0M1 ifm2_width0_m1 "IFM2_WIDTH0_M1" Set0 0x18a ALL {
            WIDTH_M1: "width_m1" [31:16] ALL UINT;
        }
        /// Rows in tile 0 of the second input, less one.
        Ifm2Height0M1 ifm2_height0_m1 "IFM2_HEIGHT0_M1" Set0 0x18b ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// Rows in tile 1 of the second input, less one.
        Ifm2Height1M1 ifm2_height1_m1 "IFM2_HEIGHT1_M1" Set0 0x18c ALL {
            HEIGHT_M1: "height_m1" [31:16] ALL UINT;
        }
        /// First SHRAM bank of the buffers of the second input (1 KiB banks, even).
        Ifm2IbStart ifm2_ib_start "IFM2_IB_START" Set0 0x18d U55_U65 {
            IB_START: "ib_start" [21:16] U55_U65 UINT;
        }
        /// Region that the base addresses of the second input count from (U85, chained: the chain buffer).
        Ifm2Region ifm2_region "IFM2_REGION" Set0 0x18f ALL {
            REGION: "region" [18:16] ALL REGION;
        }
        /// Byte offset of tile 0 of the input in its region.
        IfmBase0 ifm_base0 "IFM_BASE0" Set1 0x000 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 1 of the input in its region.
        IfmBase1 ifm_base1 "IFM_BASE1" Set1 0x001 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 2 of the input in its region.
        IfmBase2 ifm_base2 "IFM_BASE2" Set1 0x002 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 3 of the input in its region.
        IfmBase3 ifm_base3 "IFM_BASE3" Set1 0x003 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one column of the input to the next, signed; not used for NHCWB16.
        IfmStrideX ifm_stride_x "IFM_STRIDE_X" Set1 0x004 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one row of the input to the next, signed.
        IfmStrideY ifm_stride_y "IFM_STRIDE_Y" Set1 0x005 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one brick of 16 channels of the input to the next, signed; not used for NHWC on U55.
        IfmStrideC ifm_stride_c "IFM_STRIDE_C" Set1 0x006 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 0 of the output in its region.
        OfmBase0 ofm_base0 "OFM_BASE0" Set1 0x010 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 1 of the output in its region.
        OfmBase1 ofm_base1 "OFM_BASE1" Set1 0x011 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 2 of the output in its region.
        OfmBase2 ofm_base2 "OFM_BASE2" Set1 0x012 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 3 of the output in its region.
        OfmBase3 ofm_base3 "OFM_BASE3" Set1 0x013 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one column of the output to the next, signed; not used for NHCWB16.
        OfmStrideX ofm_stride_x "OFM_STRIDE_X" Set1 0x014 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one row of the output to the next, signed.
        OfmStrideY ofm_stride_y "OFM_STRIDE_Y" Set1 0x015 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one brick of 16 channels of the output to the next, signed; not used for NHWC on U55.
        OfmStrideC ofm_stride_c "OFM_STRIDE_C" Set1 0x016 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of the weight stream (of core or decoder 0) in its region.
        WeightBase weight_base "WEIGHT_BASE" Set1 0x020 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes of the weight stream (of core or decoder 0).
        WeightLength weight_length "WEIGHT_LENGTH" Set1 0x021 ALL {
            LENGTH: "length" [63:32] ALL UINT;
        }
        /// Byte offset of the scale and bias stream (of core 0) in its region.
        ScaleBase scale_base "SCALE_BASE" Set1 0x022 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes of the scale and bias stream (of core 0).
        ScaleLength scale_length "SCALE_LENGTH" Set1 0x023 ALL {
            LENGTH: "length" [51:32] ALL UINT;
        }
        /// Scale and right shift of the output when one serves all channels; on U85 also the rounding.
        OfmScale ofm_scale "OFM_SCALE" Set1 0x024 ALL {
            SHIFT: "shift" [21:16] ALL UINT;
            DBL_RND: "dbl_rnd" [26:22] U85 UINT;
            ROUND_MODE: "round_mode" [31:29] U85 ENUM(round_mode_ofm);
            SCALE_U85: "scale" [62:32] U85 UINT;
            SCALE_U55_U65: "scale" [63:32] U55_U65 UINT;
        }
        /// Scale, shift and rounding of the first input of an elementwise operation.
        IfmScale ifm_scale "IFM_SCALE" Set1 0x025 U85 {
            SHIFT: "shift" [21:16] U85 UINT;
            DBL_RND: "dbl_rnd" [26:22] U85 UINT;
            ROUND_MODE: "round_mode" [29:29] U85 ENUM(round_mode_ifm);
            SCALE: "scale" [62:32] U85 UINT;
        }
        /// Scale and shift of operand A of ADD and SUB; 16 bits of scale and no shift in mode OPA_OPB_16.
        OpaScale opa_scale "OPA_SCALE" Set1 0x025 U55_U65 {
            SHIFT: "shift" [21:16] U55_U65 UINT;
            SCALE: "scale" [63:32] U55_U65 UINT;
        }
        /// Scale, shift and rounding of the second input of an elementwise operation.
        Ifm2Scale ifm2_scale "IFM2_SCALE" Set1 0x026 U85 {
            SHIFT: "shift" [21:16] U85 UINT;
            DBL_RND: "dbl_rnd" [26:22] U85 UINT;
            ROUND_MODE: "round_mode" [29:29] U85 ENUM(round_mode_ifm);
            SCALE: "scale" [62:32] U85 UINT;
        }
        /// Scale of operand B of ADD and SUB in mode OPA_OPB_16.
        OpbScale opb_scale "OPB_SCALE" Set1 0x026 U55_U65 {
            SCALE: "scale" [47:32] U55_U65 UINT;
        }
        /// The input that a broadcast mode says is a scalar.
        OpScalar op_scalar "OP_SCALAR" Set1 0x027 U85 {
            SCALAR: "scalar" [63:32] U85 INT;
        }
        /// Byte offset that a copy reads from.
        Dma0Src dma0_src "DMA0_SRC" Set1 0x030 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset that a copy writes to.
        Dma0Dst dma0_dst "DMA0_DST" Set1 0x031 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes of a copy, or of one row of a 2D or 3D copy.
        Dma0Len dma0_len "DMA0_LEN" Set1 0x032 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes left out behind each row on the written side of a 2D or 3D copy, signed.
        Dma0Skip0 dma0_skip0 "DMA0_SKIP0" Set1 0x033 U65 {
            ADDR_HI: "addr_hi" [23:16] U65 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U65 ADDRESS_LOW;
        }
        /// Bytes from one row to the next on the read side, signed.
        Dma0SrcStride0 dma0_src_stride0 "DMA0_SRC_STRIDE0" Set1 0x033 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Bytes left out behind each plane on the written side of a 3D copy, signed.
        Dma0Skip1 dma0_skip1 "DMA0_SKIP1" Set1 0x034 U65 {
            ADDR_HI: "addr_hi" [23:16] U65 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U65 ADDRESS_LOW;
        }
        /// Bytes from one plane to the next on the read side, signed.
        Dma0SrcStride1 dma0_src_stride1 "DMA0_SRC_STRIDE1" Set1 0x034 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Bytes from one row to the next on the written side, signed.
        Dma0DstStride0 dma0_dst_stride0 "DMA0_DST_STRIDE0" Set1 0x035 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Bytes from one plane to the next on the written side, signed.
        Dma0DstStride1 dma0_dst_stride1 "DMA0_DST_STRIDE1" Set1 0x036 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Byte offset of the int32 indices of a gather or scatter.
        Dma0Idx dma0_idx "DMA0_IDX" Set1 0x037 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Largest index allowed.
        Dma0IdxMax dma0_idx_max "DMA0_IDX_MAX" Set1 0x038 U85 {
            IDX_MAX: "idx_max" [62:32] U85 UINT;
        }
        /// Bytes left out between the index rows of two planes, signed.
        Dma0IdxSkip1 dma0_idx_skip1 "DMA0_IDX_SKIP1" Set1 0x039 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Byte offset of tile 0 of the second input in its region.
        Ifm2Base0 ifm2_base0 "IFM2_BASE0" Set1 0x080 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 1 of the second input in its region.
        Ifm2Base1 ifm2_base1 "IFM2_BASE1" Set1 0x081 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 2 of the second input in its region.
        Ifm2Base2 ifm2_base2 "IFM2_BASE2" Set1 0x082 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of tile 3 of the second input in its region.
        Ifm2Base3 ifm2_base3 "IFM2_BASE3" Set1 0x083 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one column of the second input to the next, signed; not used for NHCWB16.
        Ifm2StrideX ifm2_stride_x "IFM2_STRIDE_X" Set1 0x084 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one row of the second input to the next, signed.
        Ifm2StrideY ifm2_stride_y "IFM2_STRIDE_Y" Set1 0x085 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Bytes from one brick of 16 channels of the second input to the next, signed; not used for NHWC on U55.
        Ifm2StrideC ifm2_stride_c "IFM2_STRIDE_C" Set1 0x086 ALL {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] ALL ADDRESS_LOW;
        }
        /// Byte offset of the weight stream of core or decoder 1 in its region.
        Weight1Base weight1_base "WEIGHT1_BASE" Set1 0x090 U65_U85 {
            ADDR_HI: "addr_hi" [23:16] U65_U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U65_U85 ADDRESS_LOW;
        }
        /// Bytes of the weight stream of core or decoder 1; 0 leaves it idle.
        Weight1Length weight1_length "WEIGHT1_LENGTH" Set1 0x091 U65_U85 {
            LENGTH: "length" [63:32] U65_U85 UINT;
        }
        /// Byte offset of the scale and bias stream of core 1 in its region.
        Scale1Base scale1_base "SCALE1_BASE" Set1 0x092 U65 {
            ADDR_HI: "addr_hi" [23:16] U65 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U65 ADDRESS_LOW;
        }
        /// Byte offset of the weight stream of decoder 2 in its region.
        Weight2Base weight2_base "WEIGHT2_BASE" Set1 0x092 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Bytes of the scale and bias stream of core 1; 0 leaves it idle.
        Scale1Length scale1_length "SCALE1_LENGTH" Set1 0x093 U65 {
            LENGTH: "length" [51:32] U65 UINT;
        }
        /// Bytes of the weight stream of decoder 2; 0 leaves it idle.
        Weight2Length weight2_length "WEIGHT2_LENGTH" Set1 0x093 U85 {
            LENGTH: "length" [63:32] U85 UINT;
        }
        /// Byte offset of the weight stream of decoder 3 in its region.
        Weight3Base weight3_base "WEIGHT3_BASE" Set1 0x094 U85 {
            ADDR_HI: "addr_hi" [23:16] U85 ADDRESS_HIGH;
            ADDR_LO: "addr_lo" [63:32] U85 ADDRESS_LOW;
        }
        /// Bytes of the weight stream of decoder 3; 0 leaves it idle.
        Weight3Length weight3_length "WEIGHT3_LENGTH" Set1 0x095 U85 {
            LENGTH: "length" [63:32] U85 UINT;
        }
        /// Step of one column and of one block, as quotient and remainder by the numerator.
        ResizeXStep resize_x_step "RESIZE_X_STEP" Set1 0x096 U85 {
            ONE_STEP_INT: "one_step_int" [19:16] U85 UINT;
            BLK_STEP_INT: "blk_step_int" [30:20] U85 UINT;
            ONE_STEP_MOD: "one_step_mod" [42:32] U85 UINT;
            BLK_STEP_MOD: "blk_step_mod" [58:48] U85 UINT;
        }
        /// Step of one row and of one block, as quotient and remainder by the numerator.
        ResizeYStep resize_y_step "RESIZE_Y_STEP" Set1 0x097 U85 {
            ONE_STEP_INT: "one_step_int" [19:16] U85 UINT;
            BLK_STEP_INT: "blk_step_int" [30:20] U85 UINT;
            ONE_STEP_MOD: "one_step_mod" [42:32] U85 UINT;
            BLK_STEP_MOD: "blk_step_mod" [58:48] U85 UINT;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined0 user_defined0 "USER_DEFINED0" Set1 0x0a0 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined1 user_defined1 "USER_DEFINED1" Set1 0x0a1 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined2 user_defined2 "USER_DEFINED2" Set1 0x0a2 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined3 user_defined3 "USER_DEFINED3" Set1 0x0a3 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined4 user_defined4 "USER_DEFINED4" Set1 0x0a4 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined5 user_defined5 "USER_DEFINED5" Set1 0x0a5 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined6 user_defined6 "USER_DEFINED6" Set1 0x0a6 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Register for a DMA unit of the chip maker.
        UserDefined7 user_defined7 "USER_DEFINED7" Set1 0x0a7 U55 {
            USER_REG: "user_reg" [63:32] U55 HEX;
        }
        /// Goes on at the given byte of the stream, always or if the result flag is set.
        Branch branch "BRANCH" Op1 0x100 U85 {
            BRANCH_COND: "branch_cond" [16:16] U85 ENUM(branch_cond);
            BRANCH_TARGET: "branch_target" [63:32] U85 HEX;
        }
    } };
}
