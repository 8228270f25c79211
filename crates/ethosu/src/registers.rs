//! The list of registers of the three generations.
//!
//! A row is the documentation, the variant of [`Register`](crate::regs::Register), the module of
//! [`fields`](crate::regs::fields), the name (Arm's), the access, the byte offset on U55, U65 and
//! U85 (`-`: not there), how often it stands there and at what distance, the value after reset where
//! it is known, and the fields (bits from 32 on are those of the register behind). The registers
//! that mirror SET commands are not listed: see
//! [`Opcode::mirror_offset`](crate::cmd::Opcode::mirror_offset). `tests/vendor_tables.rs` compares
//! the rows with Arm's headers.

/// Applies a macro to the list of registers. See the module's own documentation for a row.
#[macro_export]
macro_rules! for_each_register {
    ($apply:ident) => { $apply! {
        /// Version of product and architecture.
        Id id "ID" RO at [0x000 0x000 0x000] times [1 1 1] by 4 reset [- - 0x20007001] {
            VERSION_STATUS: "version_status" [3:0] ALL UINT;
            VERSION_MINOR: "version_minor" [7:4] ALL UINT;
            VERSION_MAJOR: "version_major" [11:8] ALL UINT;
            PRODUCT_MAJOR: "product_major" [15:12] ALL UINT;
            ARCH_PATCH_REV: "arch_patch_rev" [19:16] ALL UINT;
            ARCH_MINOR_REV: "arch_minor_rev" [27:20] ALL UINT;
            ARCH_MAJOR_REV: "arch_major_rev" [31:28] ALL UINT;
        }
        /// What the NPU does and what went wrong. Readable during reset, when all else reads 0.
        Status status "STATUS" RO at [0x004 0x004 0x004] times [1 1 1] by 4 reset [8 8 8] {
            STATE: "state" [0:0] ALL ENUM(state);
            IRQ_RAISED: "irq_raised" [1:1] ALL UINT;
            BUS_STATUS: "bus_status" [2:2] ALL UINT;
            RESET_STATUS: "reset_status" [3:3] ALL UINT;
            CMD_PARSE_ERROR: "cmd_parse_error" [4:4] ALL UINT;
            CMD_END_REACHED: "cmd_end_reached" [5:5] ALL UINT;
            PMU_IRQ_RAISED: "pmu_irq_raised" [6:6] ALL UINT;
            WD_FAULT: "wd_fault" [7:7] U55_U65 UINT;
            ECC_FAULT: "ecc_fault" [8:8] ALL UINT;
            BRANCH_FAULT: "branch_fault" [9:9] U85 UINT;
            FAULTING_INTERFACE_U55_U65: "faulting_interface" [11:11] U55_U65 ENUM(dma_fault_src);
            FAULTING_INTERFACE_U85: "faulting_interface" [11:11] U85 ENUM(dma_fault_src_u85);
            FAULTING_CHANNEL: "faulting_channel" [15:12] ALL ENUM(pmu_axi_channel);
            IRQ_HISTORY_MASK: "irq_history_mask" [31:16] ALL HEX;
        }
        /// Starts, stops and acknowledges; bits are written as 1 to act.
        Cmd cmd "CMD" RW at [0x008 0x008 0x008] times [1 1 1] by 4 reset [0xc 0xc 0xc] {
            TRANSITION_TO_RUNNING_STATE: "transition_to_running_state" [0:0] ALL UINT;
            CLEAR_IRQ: "clear_irq" [1:1] ALL UINT;
            CLOCK_Q_ENABLE: "clock_q_enable" [2:2] ALL UINT;
            POWER_Q_ENABLE: "power_q_enable" [3:3] ALL UINT;
            STOP_REQUEST: "stop_request" [4:4] ALL UINT;
            CLEAR_IRQ_HISTORY: "clear_irq_history" [31:16] ALL HEX;
        }
        /// Writing starts a soft reset into the privilege and security given.
        Reset reset "RESET" RW at [0x00c 0x00c 0x00c] times [1 1 1] by 4 reset [- - -] {
            PENDING_CPL: "pending_CPL" [0:0] ALL ENUM(privilege_level);
            PENDING_CSL: "pending_CSL" [1:1] ALL ENUM(security_level);
        }
        /// Address of the command stream, low word.
        Qbase qbase "QBASE" RW at [0x010 0x010 0x010] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Address of the command stream, high word (not used by U55).
        QbaseHi qbase_hi "QBASE_HI" RW at [0x014 0x014 0x014] times [1 1 1] by 4 reset [- - -] {}
        /// Byte offset of the current command in the stream.
        Qread qread "QREAD" RO at [0x018 0x018 0x018] times [1 1 1] by 4 reset [- - -] {}
        /// Memory attribute for fetching commands.
        Qconfig qconfig "QCONFIG" RW at [0x01c 0x01c 0x01c] times [1 1 1] by 4 reset [- - -] {
            CMD_REGION0: "cmd_region0" [1:0] ALL UINT;
        }
        /// Bytes of the command stream.
        Qsize qsize "QSIZE" RW at [0x020 0x020 0x020] times [1 1 1] by 4 reset [- - -] {}
        /// Privilege and security in force.
        Prot prot "PROT" RO at [0x024 0x024 0x024] times [1 1 1] by 4 reset [- - -] {
            ACTIVE_CPL: "active_CPL" [0:0] ALL ENUM(privilege_level);
            ACTIVE_CSL: "active_CSL" [1:1] ALL ENUM(security_level);
        }
        /// What the NPU is made of.
        Config config "CONFIG" RO at [0x028 0x028 0x028] times [1 1 1] by 4 reset [- - -] {
            MACS_PER_CC: "macs_per_cc" [3:0] ALL UINT;
            CMD_STREAM_VERSION: "cmd_stream_version" [7:4] ALL UINT;
            NUM_AXI_SRAM: "num_axi_sram" [9:8] U85 UINT;
            SHRAM_SIZE: "shram_size" [15:8] U55_U65 UINT;
            NUM_AXI_EXT: "num_axi_ext" [10:10] U85 UINT;
            NUM_WD: "num_wd" [13:12] U85 UINT;
            FUNCTIONAL_SAFETY: "functional_safety" [26:26] U55_U65 ENUM(functional_safety);
            CUSTOM_DMA: "custom_dma" [27:27] ALL ENUM(custom_dma);
            PRODUCT: "product" [31:28] ALL UINT;
        }
        /// Driver lock word.
        Lock lock "LOCK" RW at [0x02c 0x02c -] times [1 1 0] by 4 reset [- - -] {}
        /// Result flag that a branch tests.
        CondStatus cond_status "COND_STATUS" RO at [- - 0x030] times [0 0 1] by 4 reset [- - -] {
            RESULT_FLAG: "result_flag" [0:0] U85 UINT;
        }
        /// Ramp of the MAC array.
        PowerCtrl power_ctrl "POWER_CTRL" RW at [- - 0x038] times [0 0 1] by 4 reset [- - -] {
            MAC_STEP_CYCLES: "mac_step_cycles" [5:0] U85 UINT;
        }
        /// Memory attribute of every region, two bits each.
        Regioncfg regioncfg "REGIONCFG" RW at [0x03c 0x03c 0x03c] times [1 1 1] by 4 reset [- - -] {
            REGION0_U55_U65: "region0" [1:0] U55_U65 ENUM(mem_attr);
            REGION0_U85: "region0" [1:0] U85 UINT;
            REGION1_U55_U65: "region1" [3:2] U55_U65 ENUM(mem_attr);
            REGION1_U85: "region1" [3:2] U85 UINT;
            REGION2_U55_U65: "region2" [5:4] U55_U65 ENUM(mem_attr);
            REGION2_U85: "region2" [5:4] U85 UINT;
            REGION3_U55_U65: "region3" [7:6] U55_U65 ENUM(mem_attr);
            REGION3_U85: "region3" [7:6] U85 UINT;
            REGION4_U55_U65: "region4" [9:8] U55_U65 ENUM(mem_attr);
            REGION4_U85: "region4" [9:8] U85 UINT;
            REGION5_U55_U65: "region5" [11:10] U55_U65 ENUM(mem_attr);
            REGION5_U85: "region5" [11:10] U85 UINT;
            REGION6_U55_U65: "region6" [13:12] U55_U65 ENUM(mem_attr);
            REGION6_U85: "region6" [13:12] U85 UINT;
            REGION7_U55_U65: "region7" [15:14] U55_U65 ENUM(mem_attr);
            REGION7_U85: "region7" [15:14] U85 UINT;
        }
        /// Limits of AXI0, counter 0.
        AxiLimit0 axi_limit0 "AXI_LIMIT0" RW at [0x040 0x040 -] times [1 1 0] by 4 reset [- - -] {
            MAX_BEATS: "max_beats" [1:0] U55_U65 ENUM(max_beats);
            MEMTYPE: "memtype" [7:4] U55_U65 ENUM(axi_mem_encoding);
            MAX_OUTSTANDING_READ_M1_U55: "max_outstanding_read_m1" [20:16] U55 UINT;
            MAX_OUTSTANDING_READ_M1_U65: "max_outstanding_read_m1" [21:16] U65 UINT;
            MAX_OUTSTANDING_WRITE_M1_U55: "max_outstanding_write_m1" [27:24] U55 UINT;
            MAX_OUTSTANDING_WRITE_M1_U65: "max_outstanding_write_m1" [28:24] U65 UINT;
        }
        /// Memory attributes that QCONFIG and REGIONCFG name.
        MemAttr mem_attr "MEM_ATTR" RW at [- - 0x040] times [0 0 4] by 4 reset [- - -] {
            MEM_DOMAIN: "mem_domain" [1:0] U85 ENUM(axi_mem_domain);
            AXI_PORT: "axi_port" [2:2] U85 ENUM(axi_port);
            MEMTYPE: "memtype" [7:4] U85 ENUM(axi_mem_encoding);
        }
        /// Limits of AXI0, counter 1.
        AxiLimit1 axi_limit1 "AXI_LIMIT1" RW at [0x044 0x044 -] times [1 1 0] by 4 reset [- - -] {
            MAX_BEATS: "max_beats" [1:0] U55_U65 ENUM(max_beats);
            MEMTYPE: "memtype" [7:4] U55_U65 ENUM(axi_mem_encoding);
            MAX_OUTSTANDING_READ_M1_U55: "max_outstanding_read_m1" [20:16] U55 UINT;
            MAX_OUTSTANDING_READ_M1_U65: "max_outstanding_read_m1" [21:16] U65 UINT;
            MAX_OUTSTANDING_WRITE_M1_U55: "max_outstanding_write_m1" [27:24] U55 UINT;
            MAX_OUTSTANDING_WRITE_M1_U65: "max_outstanding_write_m1" [28:24] U65 UINT;
        }
        /// Limits of AXI1, counter 2.
        AxiLimit2 axi_limit2 "AXI_LIMIT2" RW at [0x048 0x048 -] times [1 1 0] by 4 reset [- - -] {
            MAX_BEATS: "max_beats" [1:0] U55_U65 ENUM(max_beats);
            MEMTYPE: "memtype" [7:4] U55_U65 ENUM(axi_mem_encoding);
            MAX_OUTSTANDING_READ_M1_U55: "max_outstanding_read_m1" [20:16] U55 UINT;
            MAX_OUTSTANDING_READ_M1_U65: "max_outstanding_read_m1" [21:16] U65 UINT;
            MAX_OUTSTANDING_WRITE_M1_U55: "max_outstanding_write_m1" [27:24] U55 UINT;
            MAX_OUTSTANDING_WRITE_M1_U65: "max_outstanding_write_m1" [28:24] U65 UINT;
        }
        /// Limits of AXI1, counter 3.
        AxiLimit3 axi_limit3 "AXI_LIMIT3" RW at [0x04c 0x04c -] times [1 1 0] by 4 reset [- - -] {
            MAX_BEATS: "max_beats" [1:0] U55_U65 ENUM(max_beats);
            MEMTYPE: "memtype" [7:4] U55_U65 ENUM(axi_mem_encoding);
            MAX_OUTSTANDING_READ_M1_U55: "max_outstanding_read_m1" [20:16] U55 UINT;
            MAX_OUTSTANDING_READ_M1_U65: "max_outstanding_read_m1" [21:16] U65 UINT;
            MAX_OUTSTANDING_WRITE_M1_U55: "max_outstanding_write_m1" [27:24] U55 UINT;
            MAX_OUTSTANDING_WRITE_M1_U65: "max_outstanding_write_m1" [28:24] U65 UINT;
        }
        /// Limits of the SRAM ports.
        AxiSram axi_sram "AXI_SRAM" RW at [- - 0x050] times [0 0 1] by 4 reset [- - -] {
            MAX_OUTSTANDING_READ_M1: "max_outstanding_read_m1" [5:0] U85 UINT;
            MAX_OUTSTANDING_WRITE_M1: "max_outstanding_write_m1" [12:8] U85 UINT;
            MAX_BEATS: "max_beats" [17:16] U85 ENUM(max_beats);
        }
        /// Limits of the EXT ports.
        AxiExt axi_ext "AXI_EXT" RW at [- - 0x054] times [0 0 1] by 4 reset [- - -] {
            MAX_OUTSTANDING_READ_M1: "max_outstanding_read_m1" [5:0] U85 UINT;
            MAX_OUTSTANDING_WRITE_M1: "max_outstanding_write_m1" [12:8] U85 UINT;
            MAX_BEATS: "max_beats" [17:16] U85 ENUM(max_beats);
        }
        /// Most that the SRAM ports can do.
        CfgSramCap cfg_sram_cap "CFG_SRAM_CAP" RO at [- - 0x060] times [0 0 1] by 4 reset [- - -] {
            MAX_OUTSTANDING_READ_M1: "max_outstanding_read_m1" [5:0] U85 UINT;
            MAX_OUTSTANDING_WRITE_M1: "max_outstanding_write_m1" [12:8] U85 UINT;
            MAX_BEATS: "max_beats" [17:16] U85 ENUM(max_beats);
        }
        /// Most that the EXT ports can do.
        CfgExtCap cfg_ext_cap "CFG_EXT_CAP" RO at [- - 0x064] times [0 0 1] by 4 reset [- - -] {
            MAX_OUTSTANDING_READ_M1: "max_outstanding_read_m1" [5:0] U85 UINT;
            MAX_OUTSTANDING_WRITE_M1: "max_outstanding_write_m1" [12:8] U85 UINT;
            MAX_BEATS: "max_beats" [17:16] U85 ENUM(max_beats);
        }
        /// Address hash of the SRAM ports.
        CfgSramHash0 cfg_sram_hash0 "CFG_SRAM_HASH0" RO at [- - 0x068] times [0 0 1] by 4 reset [- - -] {
            ZERO: "zero" [5:0] U85 UINT;
            HASH_LO: "hash_LO" [31:6] U85 UINT;
            HASH_HI: "hash_HI" [39:32] U85 UINT;
        }
        /// Address hash of the SRAM ports, high word.
        CfgSramHash0Hi cfg_sram_hash0_hi "CFG_SRAM_HASH0_HI" RO at [- - 0x06c] times [0 0 1] by 4 reset [- - -] {}
        /// Second address hash of the SRAM ports.
        CfgSramHash1 cfg_sram_hash1 "CFG_SRAM_HASH1" RO at [- - 0x070] times [0 0 1] by 4 reset [- - -] {
            ZERO: "zero" [5:0] U85 UINT;
            HASH_LO: "hash_LO" [31:6] U85 UINT;
            HASH_HI: "hash_HI" [39:32] U85 UINT;
        }
        /// Second address hash of the SRAM ports, high word.
        CfgSramHash1Hi cfg_sram_hash1_hi "CFG_SRAM_HASH1_HI" RO at [- - 0x074] times [0 0 1] by 4 reset [- - -] {}
        /// Address hash of the EXT ports.
        CfgExtHash0 cfg_ext_hash0 "CFG_EXT_HASH0" RO at [- - 0x078] times [0 0 1] by 4 reset [- - -] {
            ZERO: "zero" [5:0] U85 UINT;
            HASH_LO: "hash_LO" [31:6] U85 UINT;
            HASH_HI: "hash_HI" [39:32] U85 UINT;
        }
        /// Address hash of the EXT ports, high word.
        CfgExtHash0Hi cfg_ext_hash0_hi "CFG_EXT_HASH0_HI" RO at [- - 0x07c] times [0 0 1] by 4 reset [- - -] {}
        /// Base address of a region: low word, then high word.
        Basep basep "BASEP" RW at [0x080 0x080 0x080] times [8 8 8] by 8 reset [- - -] {}
        /// Weight decoder, for debugging.
        WdStatus wd_status "WD_STATUS" RO at [0x100 0x100 0x1100] times [1 1 1] by 4 reset [- - -] {
            CTRL_IDLE_U85: "ctrl_idle" [0:0] U85 UINT;
            CORE_SLICE_STATE: "core_slice_state" [1:0] U55_U65 ENUM(wd_core_slice_state);
            CORE_IDLE: "core_idle" [2:2] U55_U65 UINT;
            ACTIVE_CORE: "active_core" [3:2] U85 ENUM(wd_active_core);
            CTRL_STATE: "ctrl_state" [4:3] U55_U65 ENUM(wd_ctrl_state);
            SC0_IDLE: "sc0_idle" [4:4] U85 UINT;
            CTRL_IDLE_U55_U65: "ctrl_idle" [5:5] U55_U65 UINT;
            SC1_IDLE: "sc1_idle" [5:5] U85 UINT;
            SC2_IDLE: "sc2_idle" [6:6] U85 UINT;
            WRITE_BUF_INDEX0: "write_buf_index0" [8:6] U55_U65 UINT;
            SC3_IDLE: "sc3_idle" [7:7] U85 UINT;
            FC_IDLE: "fc_idle" [8:8] U85 UINT;
            WRITE_BUF_VALID0: "write_buf_valid0" [9:9] U55_U65 UINT;
            TC_IDLE: "tc_idle" [9:9] U85 UINT;
            WRITE_BUF_IDLE0: "write_buf_idle0" [10:10] U55_U65 UINT;
            WRITE_BUF_INDEX1: "write_buf_index1" [13:11] U55_U65 UINT;
            WRITE_BUF_VALID1: "write_buf_valid1" [14:14] U55_U65 UINT;
            WRITE_BUF_IDLE1: "write_buf_idle1" [15:15] U55_U65 UINT;
            WBUF0_VALID: "wbuf0_valid" [16:16] U85 UINT;
            EVENTS: "events" [27:16] U55_U65 UINT;
            WBUF0_IDLE: "wbuf0_idle" [17:17] U85 UINT;
            WBUF1_VALID: "wbuf1_valid" [18:18] U85 UINT;
            WBUF1_IDLE: "wbuf1_idle" [19:19] U85 UINT;
            WBUF2_VALID: "wbuf2_valid" [20:20] U85 UINT;
            WBUF2_IDLE: "wbuf2_idle" [21:21] U85 UINT;
            WBUF3_VALID: "wbuf3_valid" [22:22] U85 UINT;
            WBUF3_IDLE: "wbuf3_idle" [23:23] U85 UINT;
            STALLED_BY_WS_SC0: "stalled_by_ws_sc0" [24:24] U85 UINT;
            STALLED_BY_WS_SC1: "stalled_by_ws_sc1" [25:25] U85 UINT;
            STALLED_BY_WS_SC2: "stalled_by_ws_sc2" [26:26] U85 UINT;
            STALLED_BY_WS_SC3: "stalled_by_ws_sc3" [27:27] U85 UINT;
            STALLED_BY_WS_FC: "stalled_by_ws_fc" [28:28] U85 UINT;
            STALLED_BY_WS_TC: "stalled_by_ws_tc" [29:29] U85 UINT;
            STALLED_BY_WD_BUF: "stalled_by_wd_buf" [30:30] U85 UINT;
        }
        /// MAC unit, for debugging.
        MacStatus mac_status "MAC_STATUS" RO at [0x104 0x104 0x1104] times [1 1 1] by 4 reset [- - -] {
            BLOCK_CFG_VALID: "block_cfg_valid" [0:0] U55_U65 UINT;
            MAC_ACTIVE: "mac_active" [0:0] U85 UINT;
            TRAV_EN: "trav_en" [1:1] U55_U65 UINT;
            WAIT_FOR_IB: "wait_for_ib" [2:2] U55_U65 UINT;
            WAIT_FOR_ACC_BUF: "wait_for_acc_buf" [3:3] U55_U65 UINT;
            MAC_DPU_ACTIVE: "mac_dpu_active" [3:3] U85 UINT;
            WAIT_FOR_WEIGHTS: "wait_for_weights" [4:4] U55_U65 UINT;
            MAC_STALLED_BY_W_OR_ACC: "mac_stalled_by_w_or_acc" [4:4] U85 UINT;
            STALL_STRIPE: "stall_stripe" [5:5] U55_U65 UINT;
            MAC_STALLED_BY_W: "mac_stalled_by_w" [5:5] U85 UINT;
            DW_SEL: "dw_sel" [6:6] U55_U65 UINT;
            MAC_STALLED_BY_ACC: "mac_stalled_by_acc" [6:6] U85 UINT;
            WAIT_FOR_DW0_READY: "wait_for_dw0_ready" [7:7] U55_U65 UINT;
            MAC_STALLED_BY_IB: "mac_stalled_by_ib" [7:7] U85 UINT;
            WAIT_FOR_DW1_READY: "wait_for_dw1_ready" [8:8] U55_U65 UINT;
            ACC_BUF_SEL_AI: "acc_buf_sel_ai" [9:9] U55_U65 UINT;
            WAIT_FOR_ACC0_READY: "wait_for_acc0_ready" [10:10] U55_U65 UINT;
            WAIT_FOR_ACC1_READY: "wait_for_acc1_ready" [11:11] U55_U65 UINT;
            ACC_BUF_SEL_AA: "acc_buf_sel_aa" [12:12] U55_U65 UINT;
            ACC0_VALID: "acc0_valid" [13:13] U55_U65 UINT;
            ACC1_VALID: "acc1_valid" [14:14] U55_U65 UINT;
            EVENTS: "events" [26:16] U55_U65 UINT;
        }
        /// Output unit, for debugging.
        AoStatus ao_status "AO_STATUS" RO at [0x108 0x108 0x1108] times [1 1 1] by 4 reset [- - -] {
            CMD_SBW_VALID: "cmd_sbw_valid" [0:0] U55_U65 UINT;
            AO_ACTIVE: "ao_active" [0:0] U85 UINT;
            CMD_ACT_VALID: "cmd_act_valid" [1:1] U55_U65 UINT;
            CMD_CTL_VALID: "cmd_ctl_valid" [2:2] U55_U65 UINT;
            CMD_SCL_VALID: "cmd_scl_valid" [3:3] U55_U65 UINT;
            AO_STALLED_BY_BS_OR_OB: "ao_stalled_by_bs_or_ob" [3:3] U85 UINT;
            CMD_SBR_VALID: "cmd_sbr_valid" [4:4] U55_U65 UINT;
            AO_STALLED_BY_BS: "ao_stalled_by_bs" [4:4] U85 UINT;
            CMD_OFM_VALID: "cmd_ofm_valid" [5:5] U55_U65 UINT;
            AO_STALLED_BY_OB: "ao_stalled_by_ob" [5:5] U85 UINT;
            BLK_CMD_READY: "blk_cmd_ready" [6:6] U55_U65 UINT;
            AO_STALLED_BY_AB_OR_CB: "ao_stalled_by_ab_or_cb" [6:6] U85 UINT;
            BLK_CMD_VALID: "blk_cmd_valid" [7:7] U55_U65 UINT;
            AO_STALLED_BY_AB: "ao_stalled_by_ab" [7:7] U85 UINT;
            AO_STALLED_BY_CB: "ao_stalled_by_cb" [8:8] U85 UINT;
            EVENTS: "events" [23:16] U55_U65 UINT;
        }
        /// DMA unit, for debugging.
        DmaStatus0 dma_status0 "DMA_STATUS0" RO at [0x110 0x110 0x1110] times [1 1 1] by 4 reset [- - -] {
            CMD_IDLE: "cmd_idle" [0:0] U55_U65 UINT;
            CMD_CH_IDLE: "cmd_ch_idle" [0:0] U85 UINT;
            IFM_IDLE: "ifm_idle" [1:1] U55_U65 UINT;
            IFM0_CH_IDLE: "ifm0_ch_idle" [1:1] U85 UINT;
            WGT_IDLE_C0: "wgt_idle_c0" [2:2] U55_U65 UINT;
            IFM1_CH_IDLE: "ifm1_ch_idle" [2:2] U85 UINT;
            BAS_IDLE_C0: "bas_idle_c0" [3:3] U55_U65 UINT;
            WGT_CH_IDLE: "wgt_ch_idle" [3:3] U85 UINT;
            M2M_IDLE: "m2m_idle" [4:4] U55_U65 UINT;
            BAS_CH_IDLE: "bas_ch_idle" [4:4] U85 UINT;
            OFM_IDLE: "ofm_idle" [5:5] U55_U65 UINT;
            M2M_CH_IDLE: "m2m_ch_idle" [5:5] U85 UINT;
            HALT_REQ: "halt_req" [6:6] U55_U65 UINT;
            OFM_CH_IDLE: "ofm_ch_idle" [6:6] U85 UINT;
            HALT_ACK: "halt_ack" [7:7] U55_U65 UINT;
            AXI_HALT_REQ: "axi_halt_req" [7:7] U85 UINT;
            PAUSE_REQ: "pause_req" [8:8] U55_U65 UINT;
            AXI_HALT_ACK: "axi_halt_ack" [8:8] U85 UINT;
            PAUSE_ACK: "pause_ack" [9:9] U55_U65 UINT;
            AXI_PAUSE_REQ: "axi_pause_req" [9:9] U85 UINT;
            IB0_AI_VALID_C0: "ib0_ai_valid_c0" [10:10] U55_U65 UINT;
            AXI_PAUSE_ACK: "axi_pause_ack" [10:10] U85 UINT;
            IB0_AI_READY_C0: "ib0_ai_ready_c0" [11:11] U55_U65 UINT;
            CMD_ABORT_ACK: "cmd_abort_ack" [11:11] U85 UINT;
            IB1_AI_VALID_C0: "ib1_ai_valid_c0" [12:12] U55_U65 UINT;
            CMD_ABORT_REQ: "cmd_abort_req" [12:12] U85 UINT;
            IB1_AI_READY_C0: "ib1_ai_ready_c0" [13:13] U55_U65 UINT;
            IFM_MAC_IF_STALL: "ifm_mac_if_stall" [13:13] U85 UINT;
            IB0_AO_VALID_C0: "ib0_ao_valid_c0" [14:14] U55_U65 UINT;
            IFM_TC_IF_STALL: "ifm_tc_if_stall" [14:14] U85 UINT;
            IB0_AO_READY_C0: "ib0_ao_ready_c0" [15:15] U55_U65 UINT;
            IFM_AO_IF_STALL: "ifm_ao_if_stall" [15:15] U85 UINT;
            IB1_AO_VALID_C0: "ib1_ao_valid_c0" [16:16] U55_U65 UINT;
            OFM_IF_STALL: "ofm_if_stall" [16:16] U85 UINT;
            IB1_AO_READY_C0: "ib1_ao_ready_c0" [17:17] U55_U65 UINT;
            CMD_IF_STALL: "cmd_if_stall" [17:17] U85 UINT;
            OB0_VALID_C0: "ob0_valid_c0" [18:18] U55_U65 UINT;
            WD_SC0_IF_STALL: "wd_sc0_if_stall" [18:18] U85 UINT;
            OB0_READY_C0: "ob0_ready_c0" [19:19] U55_U65 UINT;
            WD_SC1_IF_STALL: "wd_sc1_if_stall" [19:19] U85 UINT;
            OB1_VALID_C0: "ob1_valid_c0" [20:20] U55_U65 UINT;
            WD_SC2_IF_STALL: "wd_sc2_if_stall" [20:20] U85 UINT;
            OB1_READY_C0: "ob1_ready_c0" [21:21] U55_U65 UINT;
            WD_SC3_IF_STALL: "wd_sc3_if_stall" [21:21] U85 UINT;
            CMD_VALID: "cmd_valid" [22:22] U55_U65 UINT;
            WD_FC_IF_STALL: "wd_fc_if_stall" [22:22] U85 UINT;
            CMD_READY: "cmd_ready" [23:23] U55_U65 UINT;
            BS_IF_STALL: "bs_if_stall" [23:23] U85 UINT;
            WD_BITSTREAM_VALID_C0: "wd_bitstream_valid_c0" [24:24] U55_U65 UINT;
            LUTCFG_IF_STALL: "lutcfg_if_stall" [24:24] U85 UINT;
            WD_BITSTREAM_READY_C0: "wd_bitstream_ready_c0" [25:25] U55_U65 UINT;
            BS_BITSTREAM_VALID_C0: "bs_bitstream_valid_c0" [26:26] U55_U65 UINT;
            BS_BITSTREAM_READY_C0: "bs_bitstream_ready_c0" [27:27] U55_U65 UINT;
            AXI0_AR_STALLED: "axi0_ar_stalled" [28:28] U55_U65 UINT;
            AXI0_RD_LIMIT_STALL: "axi0_rd_limit_stall" [29:29] U55_U65 UINT;
            AXI0_AW_STALLED: "axi0_aw_stalled" [30:30] U55_U65 UINT;
            AXI0_W_STALLED: "axi0_w_stalled" [31:31] U55_U65 UINT;
        }
        /// DMA unit, second word, for debugging.
        DmaStatus1 dma_status1 "DMA_STATUS1" RO at [0x114 0x114 0x1114] times [1 1 1] by 4 reset [- - -] {
            AXI0_WR_LIMIT_STALL: "axi0_wr_limit_stall" [0:0] U55_U65 UINT;
            AXI_SRAM0_AR_STALLED: "axi_sram0_ar_stalled" [0:0] U85 UINT;
            AXI1_AR_STALLED: "axi1_ar_stalled" [1:1] U55_U65 UINT;
            AXI_SRAM0_RD_LIMIT_STALL: "axi_sram0_rd_limit_stall" [1:1] U85 UINT;
            AXI1_RD_LIMIT_STALL: "axi1_rd_limit_stall" [2:2] U55_U65 UINT;
            AXI_SRAM0_AW_STALLED: "axi_sram0_aw_stalled" [2:2] U85 UINT;
            AXI1_WR_STALLED: "axi1_wr_stalled" [3:3] U55_U65 UINT;
            AXI_SRAM0_W_STALLED: "axi_sram0_w_stalled" [3:3] U85 UINT;
            AXI1_W_STALLED: "axi1_w_stalled" [4:4] U55_U65 UINT;
            AXI_SRAM0_WR_LIMIT_STALL: "axi_sram0_wr_limit_stall" [4:4] U85 UINT;
            AXI1_WR_LIMIT_STALL: "axi1_wr_limit_stall" [5:5] U55_U65 UINT;
            AXI_SRAM1_AR_STALLED: "axi_sram1_ar_stalled" [5:5] U85 UINT;
            WGT_IDLE_C1: "wgt_idle_c1" [6:6] U55_U65 UINT;
            AXI_SRAM1_RD_LIMIT_STALL: "axi_sram1_rd_limit_stall" [6:6] U85 UINT;
            BAS_IDLE_C1: "bas_idle_c1" [7:7] U55_U65 UINT;
            AXI_SRAM1_AW_STALLED: "axi_sram1_aw_stalled" [7:7] U85 UINT;
            IB0_AI_VALID_C1: "ib0_ai_valid_c1" [8:8] U55_U65 UINT;
            AXI_SRAM1_W_STALLED: "axi_sram1_w_stalled" [8:8] U85 UINT;
            IB0_AI_READY_C1: "ib0_ai_ready_c1" [9:9] U55_U65 UINT;
            AXI_SRAM1_WR_LIMIT_STALL: "axi_sram1_wr_limit_stall" [9:9] U85 UINT;
            IB1_AI_VALID_C1: "ib1_ai_valid_c1" [10:10] U55_U65 UINT;
            AXI_SRAM2_AR_STALLED: "axi_sram2_ar_stalled" [10:10] U85 UINT;
            IB1_AI_READY_C1: "ib1_ai_ready_c1" [11:11] U55_U65 UINT;
            AXI_SRAM2_RD_LIMIT_STALL: "axi_sram2_rd_limit_stall" [11:11] U85 UINT;
            IB0_AO_VALID_C1: "ib0_ao_valid_c1" [12:12] U55_U65 UINT;
            AXI_SRAM2_AW_STALLED: "axi_sram2_aw_stalled" [12:12] U85 UINT;
            IB0_AO_READY_C1: "ib0_ao_ready_c1" [13:13] U55_U65 UINT;
            AXI_SRAM2_W_STALLED: "axi_sram2_w_stalled" [13:13] U85 UINT;
            IB1_AO_VALID_C1: "ib1_ao_valid_c1" [14:14] U55_U65 UINT;
            AXI_SRAM2_WR_LIMIT_STALL: "axi_sram2_wr_limit_stall" [14:14] U85 UINT;
            IB1_AO_READY_C1: "ib1_ao_ready_c1" [15:15] U55_U65 UINT;
            AXI_SRAM3_AR_STALLED: "axi_sram3_ar_stalled" [15:15] U85 UINT;
            OB0_VALID_C1: "ob0_valid_c1" [16:16] U55_U65 UINT;
            AXI_SRAM3_RD_LIMIT_STALL: "axi_sram3_rd_limit_stall" [16:16] U85 UINT;
            OB0_READY_C1: "ob0_ready_c1" [17:17] U55_U65 UINT;
            AXI_SRAM3_AW_STALLED: "axi_sram3_aw_stalled" [17:17] U85 UINT;
            OB1_VALID_C1: "ob1_valid_c1" [18:18] U55_U65 UINT;
            AXI_SRAM3_W_STALLED: "axi_sram3_w_stalled" [18:18] U85 UINT;
            OB1_READY_C1: "ob1_ready_c1" [19:19] U55_U65 UINT;
            AXI_SRAM3_WR_LIMIT_STALL: "axi_sram3_wr_limit_stall" [19:19] U85 UINT;
            WD_BITSTREAM_VALID_C1: "wd_bitstream_valid_c1" [20:20] U55_U65 UINT;
            AXI_EXT0_AR_STALLED: "axi_ext0_ar_stalled" [20:20] U85 UINT;
            WD_BITSTREAM_READY_C1: "wd_bitstream_ready_c1" [21:21] U55_U65 UINT;
            AXI_EXT0_RD_LIMIT_STALL: "axi_ext0_rd_limit_stall" [21:21] U85 UINT;
            BS_BITSTREAM_VALID_C1: "bs_bitstream_valid_c1" [22:22] U55_U65 UINT;
            AXI_EXT0_AW_STALLED: "axi_ext0_aw_stalled" [22:22] U85 UINT;
            BS_BITSTREAM_READY_C1: "bs_bitstream_ready_c1" [23:23] U55_U65 UINT;
            AXI_EXT0_W_STALLED: "axi_ext0_w_stalled" [23:23] U85 UINT;
            AXI_EXT0_WR_LIMIT_STALL: "axi_ext0_wr_limit_stall" [24:24] U85 UINT;
            AXI_EXT1_AR_STALLED: "axi_ext1_ar_stalled" [25:25] U85 UINT;
            AXI_EXT1_RD_LIMIT_STALL: "axi_ext1_rd_limit_stall" [26:26] U85 UINT;
            AXI_EXT1_AW_STALLED: "axi_ext1_aw_stalled" [27:27] U85 UINT;
            AXI_EXT1_W_STALLED: "axi_ext1_w_stalled" [28:28] U85 UINT;
            AXI_EXT1_WR_LIMIT_STALL: "axi_ext1_wr_limit_stall" [29:29] U85 UINT;
        }
        /// Keeps clocks on.
        Clkforce clkforce "CLKFORCE" RW at [0x140 0x140 0x140] times [1 1 1] by 4 reset [- - -] {
            TOP_LEVEL_CLK: "top_level_clk" [0:0] ALL UINT;
            CC_CLK: "cc_clk" [1:1] ALL UINT;
            DMA_CLK: "dma_clk" [2:2] ALL UINT;
            MAC_CLK: "mac_clk" [3:3] ALL UINT;
            AO_CLK: "ao_clk" [4:4] ALL UINT;
            WD_CLK: "wd_clk" [5:5] ALL UINT;
        }
        /// Address of the window on internal memory.
        DebugAddress debug_address "DEBUG_ADDRESS" RW at [0x144 0x144 0x144] times [1 1 1] by 4 reset [- - -] {
            ADDR: "addr" [27:0] U85 UINT;
            RAM_ID: "ram_id" [31:28] U85 ENUM(ram_id);
        }
        /// Debug control.
        DebugMisc debug_misc "DEBUG_MISC" RW at [0x148 0x148 0x148] times [1 1 1] by 4 reset [- - -] {}
        /// Core that debug registers show.
        Debugcore debugcore "DEBUGCORE" RW at [- 0x14c -] times [0 1 0] by 4 reset [- - -] {}
        /// Debug block.
        DebugBlock debug_block "DEBUG_BLOCK" RW at [0x150 0x150 -] times [1 1 0] by 4 reset [- - -] {}
        /// Switches optimizations off.
        FeatureDisable feature_disable "FEATURE_DISABLE" RW at [- - 0x154] times [0 0 1] by 4 reset [- - -] {
            IB_REUSE_KD_DISABLE: "ib_reuse_kd_disable" [0:0] U85 UINT;
            IB_REUSE_IFM_DEPTH_DISABLE: "ib_reuse_ifm_depth_disable" [1:1] U85 UINT;
        }
        /// Control of the performance monitor.
        Pmcr pmcr "PMCR" RW at [0x180 0x180 0x1180] times [1 1 1] by 4 reset [0x2000 0x2000 0x4000] {
            CNT_EN: "cnt_en" [0:0] ALL UINT;
            EVENT_CNT_RST: "event_cnt_rst" [1:1] ALL UINT;
            CYCLE_CNT_RST: "cycle_cnt_rst" [2:2] ALL UINT;
            MASK_EN: "mask_en" [3:3] ALL UINT;
            NUM_EVENT_CNT: "num_event_cnt" [15:11] ALL UINT;
        }
        /// Switches counters on.
        Pmcntenset pmcntenset "PMCNTENSET" RW at [0x184 0x184 0x1184] times [1 1 1] by 4 reset [- - -] {
            EVENT_CNT_U55_U65: "EVENT_CNT" [3:0] U55_U65 HEX;
            EVENT_CNT_U85: "EVENT_CNT" [7:0] U85 HEX;
            CYCLE_CNT: "CYCLE_CNT" [31:31] ALL UINT;
        }
        /// Switches counters off.
        Pmcntenclr pmcntenclr "PMCNTENCLR" RW at [0x188 0x188 0x1188] times [1 1 1] by 4 reset [- - -] {
            EVENT_CNT_U55_U65: "EVENT_CNT" [3:0] U55_U65 HEX;
            EVENT_CNT_U85: "EVENT_CNT" [7:0] U85 HEX;
            CYCLE_CNT: "CYCLE_CNT" [31:31] ALL UINT;
        }
        /// Sets overflow flags.
        Pmovsset pmovsset "PMOVSSET" RW at [0x18c 0x18c 0x118c] times [1 1 1] by 4 reset [- - -] {
            EVENT_CNT_OVF_U55_U65: "EVENT_CNT_OVF" [3:0] U55_U65 HEX;
            EVENT_CNT_OVF_U85: "EVENT_CNT_OVF" [7:0] U85 HEX;
            CYCLE_CNT_OVF: "CYCLE_CNT_OVF" [31:31] ALL UINT;
        }
        /// Clears overflow flags.
        Pmovsclr pmovsclr "PMOVSCLR" RW at [0x190 0x190 0x1190] times [1 1 1] by 4 reset [- - -] {
            EVENT_CNT_OVF_U55_U65: "EVENT_CNT_OVF" [3:0] U55_U65 HEX;
            EVENT_CNT_OVF_U85: "EVENT_CNT_OVF" [7:0] U85 HEX;
            CYCLE_CNT_OVF: "CYCLE_CNT_OVF" [31:31] ALL UINT;
        }
        /// Switches overflow interrupts on.
        Pmintset pmintset "PMINTSET" RW at [0x194 0x194 0x1194] times [1 1 1] by 4 reset [- - -] {
            EVENT_CNT_INT_U55_U65: "EVENT_CNT_INT" [3:0] U55_U65 HEX;
            EVENT_CNT_INT_U85: "EVENT_CNT_INT" [7:0] U85 HEX;
            CYCLE_CNT_INT: "CYCLE_CNT_INT" [31:31] ALL UINT;
        }
        /// Switches overflow interrupts off.
        Pmintclr pmintclr "PMINTCLR" RW at [0x198 0x198 0x1198] times [1 1 1] by 4 reset [- - -] {
            EVENT_CNT_INT_U55_U65: "EVENT_CNT_INT" [3:0] U55_U65 HEX;
            EVENT_CNT_INT_U85: "EVENT_CNT_INT" [7:0] U85 HEX;
            CYCLE_CNT_INT: "CYCLE_CNT_INT" [31:31] ALL UINT;
        }
        /// Cycle counter, low word.
        Pmccntr pmccntr "PMCCNTR" RW at [0x1a0 0x1a0 0x11a0] times [1 1 1] by 4 reset [- - -] {
            CYCLE_CNT_LO: "CYCLE_CNT_LO" [31:0] ALL UINT;
            CYCLE_CNT_HI: "CYCLE_CNT_HI" [47:32] ALL UINT;
        }
        /// Cycle counter, high 16 bits.
        PmccntrHi pmccntr_hi "PMCCNTR_HI" RW at [0x1a4 0x1a4 0x11a4] times [1 1 1] by 4 reset [- - -] {}
        /// Events that start and stop the cycle counter.
        PmccntrCfg pmccntr_cfg "PMCCNTR_CFG" RW at [0x1a8 0x1a8 0x11a8] times [1 1 1] by 4 reset [- - -] {
            CYCLE_CNT_CFG_START: "CYCLE_CNT_CFG_START" [9:0] ALL UINT;
            S0: "S0" [12:12] U85 ENUM(pmu_port_disable);
            S1: "S1" [13:13] U85 ENUM(pmu_port_disable);
            S2: "S2" [14:14] U85 ENUM(pmu_port_disable);
            S3: "S3" [15:15] U85 ENUM(pmu_port_disable);
            CYCLE_CNT_CFG_STOP: "CYCLE_CNT_CFG_STOP" [25:16] ALL UINT;
            E0: "E0" [28:28] U85 ENUM(pmu_port_disable);
            E1: "E1" [29:29] U85 ENUM(pmu_port_disable);
            E2: "E2" [30:30] U85 ENUM(pmu_port_disable);
            E3: "E3" [31:31] U85 ENUM(pmu_port_disable);
        }
        /// AXI channel that AXI events watch.
        PmcaxiChan pmcaxi_chan "PMCAXI_CHAN" RW at [0x1ac 0x1ac 0x11ac] times [1 1 1] by 4 reset [- - -] {
            CH_SEL: "CH_SEL" [3:0] ALL ENUM(pmu_axi_channel);
            AXI_SEL: "AXI_SEL" [8:8] U85 UINT;
            AXI_CNT_SEL: "AXI_CNT_SEL" [9:8] U55_U65 UINT;
            BW_CH_SEL_EN: "BW_CH_SEL_EN" [10:10] ALL UINT;
        }
        /// Internal state, for debugging.
        KernelX kernel_x "KERNEL_X" RO at [0x200 0x200 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        KernelY kernel_y "KERNEL_Y" RO at [0x204 0x204 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        KernelWM1 kernel_w_m1 "KERNEL_W_M1" RO at [0x208 0x208 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        KernelHM1 kernel_h_m1 "KERNEL_H_M1" RO at [0x20c 0x20c -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        OfmCblkWidthM1 ofm_cblk_width_m1 "OFM_CBLK_WIDTH_M1" RO at [0x210 0x210 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        OfmCblkHeightM1 ofm_cblk_height_m1 "OFM_CBLK_HEIGHT_M1" RO at [0x214 0x214 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        OfmCblkDepthM1 ofm_cblk_depth_m1 "OFM_CBLK_DEPTH_M1" RO at [0x218 0x218 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        IfmCblkDepthM1 ifm_cblk_depth_m1 "IFM_CBLK_DEPTH_M1" RO at [0x21c 0x21c -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        OfmX ofm_x "OFM_X" RO at [0x220 0x220 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        OfmY ofm_y "OFM_Y" RO at [0x224 0x224 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        OfmZ ofm_z "OFM_Z" RO at [0x228 0x228 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        IfmZ ifm_z "IFM_Z" RO at [0x22c 0x22c -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        PadTop pad_top "PAD_TOP" RO at [0x230 0x230 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        PadLeft pad_left "PAD_LEFT" RO at [0x234 0x234 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        IfmCblkWidth ifm_cblk_width "IFM_CBLK_WIDTH" RO at [0x238 0x238 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        IfmCblkHeight ifm_cblk_height "IFM_CBLK_HEIGHT" RO at [0x23c 0x23c -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaIfmSrc dma_ifm_src "DMA_IFM_SRC" RO at [0x240 0x240 0x240] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaIfmSrcHi dma_ifm_src_hi "DMA_IFM_SRC_HI" RO at [0x244 0x244 0x244] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaIfmDst dma_ifm_dst "DMA_IFM_DST" RO at [0x248 0x248 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaOfmSrc dma_ofm_src "DMA_OFM_SRC" RO at [0x24c 0x24c -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaOfmDst dma_ofm_dst "DMA_OFM_DST" RO at [0x250 0x250 0x250] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaOfmDstHi dma_ofm_dst_hi "DMA_OFM_DST_HI" RO at [0x254 0x254 0x254] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaWeightSrc dma_weight_src "DMA_WEIGHT_SRC" RO at [0x258 0x258 0x258] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaWeightSrcHi dma_weight_src_hi "DMA_WEIGHT_SRC_HI" RO at [0x25c 0x25c 0x25c] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaCmdSrc dma_cmd_src "DMA_CMD_SRC" RO at [0x260 0x260 0x260] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaCmdSrcHi dma_cmd_src_hi "DMA_CMD_SRC_HI" RO at [0x264 0x264 0x264] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaCmdSize dma_cmd_size "DMA_CMD_SIZE" RO at [0x268 0x268 0x268] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaM2mSrc dma_m2m_src "DMA_M2M_SRC" RO at [0x26c 0x26c 0x26c] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaM2mSrcHi dma_m2m_src_hi "DMA_M2M_SRC_HI" RO at [0x270 0x270 0x270] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaM2mDst dma_m2m_dst "DMA_M2M_DST" RO at [0x274 0x274 0x274] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaM2mDstHi dma_m2m_dst_hi "DMA_M2M_DST_HI" RO at [0x278 0x278 0x278] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        CurrentQread current_qread "CURRENT_QREAD" RO at [0x27c 0x27c 0x27c] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaScaleSrc dma_scale_src "DMA_SCALE_SRC" RO at [0x280 0x280 0x280] times [1 1 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U65_U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U65_U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaScaleSrcHi dma_scale_src_hi "DMA_SCALE_SRC_HI" RO at [0x284 0x284 0x284] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaWeight1Src dma_weight1_src "DMA_WEIGHT1_SRC" RO at [- - 0x288] times [0 0 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaWeight1SrcHi dma_weight1_src_hi "DMA_WEIGHT1_SRC_HI" RO at [- - 0x28c] times [0 0 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaWeight2Src dma_weight2_src "DMA_WEIGHT2_SRC" RO at [- - 0x290] times [0 0 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaWeight2SrcHi dma_weight2_src_hi "DMA_WEIGHT2_SRC_HI" RO at [- - 0x294] times [0 0 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        DmaWeight3Src dma_weight3_src "DMA_WEIGHT3_SRC" RO at [- - 0x298] times [0 0 1] by 4 reset [- - -] {
            OFFSET_LO: "offset_LO" [31:0] U85 ADDRESS_LOW;
            OFFSET_HI: "offset_HI" [39:32] U85 ADDRESS_HIGH;
        }
        /// Internal state, for debugging.
        DmaWeight3SrcHi dma_weight3_src_hi "DMA_WEIGHT3_SRC_HI" RO at [- - 0x29c] times [0 0 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        CurrentBlock current_block "CURRENT_BLOCK" RO at [0x2b4 0x2b4 -] times [1 1 0] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        CurrentOp current_op "CURRENT_OP" RO at [0x2b8 0x2b8 0x2b8] times [1 1 1] by 4 reset [- - -] {}
        /// Internal state, for debugging.
        CurrentCmd current_cmd "CURRENT_CMD" RO at [0x2bc 0x2bc 0x2bc] times [1 1 1] by 4 reset [- - -] {}
        /// Event counters.
        Pmevcntr pmevcntr "PMEVCNTR" RW at [0x300 0x300 0x1300] times [4 4 8] by 4 reset [- - -] {}
        /// Event that each counter counts.
        Pmevtyper pmevtyper "PMEVTYPER" RW at [0x380 0x380 0x1380] times [4 4 8] by 4 reset [- - -] {
            EV_TYPE: "EV_TYPE" [9:0] ALL UINT;
            D0: "D0" [12:12] U85 ENUM(pmu_port_disable);
            D1: "D1" [13:13] U85 ENUM(pmu_port_disable);
            D2: "D2" [14:14] U85 ENUM(pmu_port_disable);
            D3: "D3" [15:15] U85 ENUM(pmu_port_disable);
        }
        /// Window on internal memory.
        InternalMemory internal_memory "INTERNAL_MEMORY" RW at [- - 0x400] times [0 0 256] by 4 reset [- - -] {}
        /// Window on the SHRAM.
        SharedBuffer shared_buffer "SHARED_BUFFER" RW at [0x400 0x400 -] times [256 256 0] by 4 reset [- - -] {}
        /// Revision of the design.
        Revision revision "REVISION" RO at [0xfc0 0xfc0 0xfc0] times [1 1 1] by 4 reset [- - -] {}
        /// Peripheral identification, byte 4.
        Pid4 pid4 "PID4" RO at [0xfd0 0xfd0 0xfd0] times [1 1 1] by 4 reset [- - 4] {}
        /// Peripheral identification, byte 5.
        Pid5 pid5 "PID5" RO at [0xfd4 0xfd4 0xfd4] times [1 1 1] by 4 reset [- - -] {}
        /// Peripheral identification, byte 6.
        Pid6 pid6 "PID6" RO at [0xfd8 0xfd8 0xfd8] times [1 1 1] by 4 reset [- - -] {}
        /// Peripheral identification, byte 7.
        Pid7 pid7 "PID7" RO at [0xfdc 0xfdc 0xfdc] times [1 1 1] by 4 reset [- - -] {}
        /// Peripheral identification, byte 0.
        Pid0 pid0 "PID0" RO at [0xfe0 0xfe0 0xfe0] times [1 1 1] by 4 reset [- - 130] {}
        /// Peripheral identification, byte 1.
        Pid1 pid1 "PID1" RO at [0xfe4 0xfe4 0xfe4] times [1 1 1] by 4 reset [- - 181] {}
        /// Peripheral identification, byte 2.
        Pid2 pid2 "PID2" RO at [0xfe8 0xfe8 0xfe8] times [1 1 1] by 4 reset [- - 11] {}
        /// Peripheral identification, byte 3.
        Pid3 pid3 "PID3" RO at [0xfec 0xfec 0xfec] times [1 1 1] by 4 reset [- - 0] {}
        /// Component identification, byte 0.
        Cid0 cid0 "CID0" RO at [0xff0 0xff0 0xff0] times [1 1 1] by 4 reset [- - 13] {}
        /// Component identification, byte 1.
        Cid1 cid1 "CID1" RO at [0xff4 0xff4 0xff4] times [1 1 1] by 4 reset [- - 240] {}
        /// Component identification, byte 2.
        Cid2 cid2 "CID2" RO at [0xff8 0xff8 0xff8] times [1 1 1] by 4 reset [- - 5] {}
        /// Component identification, byte 3.
        Cid3 cid3 "CID3" RO at [0xffc 0xffc 0xffc] times [1 1 1] by 4 reset [- - 177] {}
        /// Look-up table that combines events.
        Pmclut pmclut "PMCLUT" RW at [- - 0x11b0] times [0 0 1] by 4 reset [- - -] {
            PCM_LUT_EN_0: "PCM_LUT_EN_0" [0:0] U85 UINT;
            PMC_LUT_0: "PMC_LUT_0" [31:16] U85 UINT;
        }
    } };
}
