//! Events that the performance monitor counts.
//!
//! The numbers are those of the hardware, as they go into `PMEVTYPER` and `PMCCNTR_CFG`; Arm's
//! core driver numbers the same events differently in its own interface.

use core::fmt;

use crate::{Generation, Generations};

/// Applies a macro to the list of events: documentation, variant, name, number, generations.
#[macro_export]
macro_rules! for_each_pmu_event {
    ($apply:ident) => {
        $apply! {
            /// Nothing.
            NoEvent "NO_EVENT" 0x000 ALL;
            /// Every cycle.
            Cycle "CYCLE" 0x011 ALL;
            /// Cycles in which the NPU is idle.
            NpuIdle "NPU_IDLE" 0x020 ALL;
            /// Cycles in which the control unit waits for blocks of the previous operation (BLOCKDEP).
            CcStalledOnBlockdep "CC_STALLED_ON_BLOCKDEP" 0x021 ALL;
            /// Cycles in which the control unit waits to lay out the SHRAM anew.
            CcStalledOnShramReconfig "CC_STALLED_ON_SHRAM_RECONFIG" 0x022 U55_U65;
            /// Cycles in which the NPU is active.
            NpuActive "NPU_ACTIVE" 0x023 ALL;
            /// Cycles in which the MAC unit is active.
            MacActive "MAC_ACTIVE" 0x030 ALL;
            /// Cycles in which the MAC unit works on 8-bit input.
            MacActive8bit "MAC_ACTIVE_8BIT" 0x031 U55_U65;
            /// Cycles in which the MAC unit works on 16-bit input.
            MacActive16bit "MAC_ACTIVE_16BIT" 0x032 U55_U65;
            /// Cycles in which the dot product units are active.
            MacDpuActive "MAC_DPU_ACTIVE" 0x033 ALL;
            /// Cycles in which the MAC unit waits for weights and accumulators.
            MacStalledByWdAcc "MAC_STALLED_BY_WD_ACC" 0x034 U55_U65;
            /// Cycles in which the MAC unit waits for weights or accumulators.
            MacStalledByWOrAcc "MAC_STALLED_BY_W_OR_ACC" 0x034 U85;
            /// Cycles in which the MAC unit waits for weights.
            MacStalledByW "MAC_STALLED_BY_W" 0x035 U85;
            /// Cycles in which the MAC unit waits for weights.
            MacStalledByWd "MAC_STALLED_BY_WD" 0x035 U55_U65;
            /// Cycles in which the MAC unit waits for accumulators.
            MacStalledByAcc "MAC_STALLED_BY_ACC" 0x036 ALL;
            /// Cycles in which the MAC unit waits for the input buffer.
            MacStalledByIb "MAC_STALLED_BY_IB" 0x037 ALL;
            /// Cycles in which the MAC unit works on 32-bit input.
            MacActive32bit "MAC_ACTIVE_32BIT" 0x038 U55_U65;
            /// Cycles in which the MAC unit waits for weights, within the unit.
            MacStalledByIntW "MAC_STALLED_BY_INT_W" 0x039 U55_U65;
            /// Cycles in which the MAC unit waits for accumulators, within the unit.
            MacStalledByIntAcc "MAC_STALLED_BY_INT_ACC" 0x03a U55_U65;
            /// Cycles in which the output unit is active.
            AoActive "AO_ACTIVE" 0x040 ALL;
            /// Cycles in which the output unit works on 8-bit data.
            AoActive8bit "AO_ACTIVE_8BIT" 0x041 U55_U65;
            /// Cycles in which the output unit works on 16-bit data.
            AoActive16bit "AO_ACTIVE_16BIT" 0x042 U55_U65;
            /// Cycles in which the output unit waits for scales or the output buffer.
            AoStalledByBsOrOb "AO_STALLED_BY_BS_OR_OB" 0x043 U85;
            /// Cycles in which the output unit waits for the output processor and the output buffer.
            AoStalledByOfmpOb "AO_STALLED_BY_OFMP_OB" 0x043 U55_U65;
            /// Cycles in which the output unit waits for scales and biases.
            AoStalledByBs "AO_STALLED_BY_BS" 0x044 U85;
            /// Cycles in which the output unit waits for the output processor.
            AoStalledByOfmp "AO_STALLED_BY_OFMP" 0x044 U55_U65;
            /// Cycles in which the output unit waits for the output buffer.
            AoStalledByOb "AO_STALLED_BY_OB" 0x045 ALL;
            /// Cycles in which the output unit waits for accumulators or the chain buffer.
            AoStalledByAbOrCb "AO_STALLED_BY_AB_OR_CB" 0x046 U85;
            /// Cycles in which the output unit waits for accumulators and the input buffer.
            AoStalledByAccIb "AO_STALLED_BY_ACC_IB" 0x046 U55_U65;
            /// Cycles in which the output unit waits for accumulators.
            AoStalledByAb "AO_STALLED_BY_AB" 0x047 U85;
            /// Cycles in which the output unit waits for accumulators.
            AoStalledByAcc "AO_STALLED_BY_ACC" 0x047 U55_U65;
            /// Cycles in which the output unit waits for the chain buffer.
            AoStalledByCb "AO_STALLED_BY_CB" 0x048 U85;
            /// Cycles in which the output unit waits for the input buffer.
            AoStalledByIb "AO_STALLED_BY_IB" 0x048 U55_U65;
            /// Cycles in which the weight decoder is active.
            WdActive "WD_ACTIVE" 0x050 ALL;
            /// Cycles in which the weight decoder is stalled.
            WdStalled "WD_STALLED" 0x051 ALL;
            /// Cycles in which the weight decoder waits for the weight stream.
            WdStalledByWs "WD_STALLED_BY_WS" 0x052 U55_U65;
            /// Cycles in which the weight decoder waits for its own buffer.
            WdStalledByWdBuf "WD_STALLED_BY_WD_BUF" 0x053 ALL;
            /// Cycles in which the weight stream is parsed.
            WdParseActive "WD_PARSE_ACTIVE" 0x054 U55_U65;
            /// Cycles in which the weight decoder waits for the weight stream of the fast decoder.
            WdStalledByWsFc "WD_STALLED_BY_WS_FC" 0x054 U85;
            /// Cycles in which parsing is stalled.
            WdParseStalled "WD_PARSE_STALLED" 0x055 U55_U65;
            /// Cycles in which the weight decoder waits for the weight stream of the tensor decoder.
            WdStalledByWsTc "WD_STALLED_BY_WS_TC" 0x055 U85;
            /// Cycles in which parsing waits for input.
            WdParseStalledIn "WD_PARSE_STALLED_IN" 0x056 U55_U65;
            /// Cycles in which parsing waits for its output to be taken.
            WdParseStalledOut "WD_PARSE_STALLED_OUT" 0x057 U55_U65;
            /// Words of weight stream taken.
            WdTransWs "WD_TRANS_WS" 0x058 U55_U65;
            /// Weight blocks given out.
            WdTransWb "WD_TRANS_WB" 0x059 U55_U65;
            /// Weight blocks given out.
            WdTransWblk "WD_TRANS_WBLK" 0x059 U85;
            /// Weights given out on port 0.
            WdTransDw0 "WD_TRANS_DW0" 0x05a U55_U65;
            /// Words of weight stream taken by the fast decoder.
            WdTransWsFc "WD_TRANS_WS_FC" 0x05a U85;
            /// Weights given out on port 1.
            WdTransDw1 "WD_TRANS_DW1" 0x05b U55_U65;
            /// Words of weight stream taken by the tensor decoder.
            WdTransWsTc "WD_TRANS_WS_TC" 0x05b U85;
            /// Cycles in which the weight decoder waits for the weight stream of decoder 0.
            WdStalledByWsSc0 "WD_STALLED_BY_WS_SC0" 0x060 U85;
            /// Cycles in which the weight decoder waits for the weight stream of decoder 1.
            WdStalledByWsSc1 "WD_STALLED_BY_WS_SC1" 0x061 U85;
            /// Cycles in which the weight decoder waits for the weight stream of decoder 2.
            WdStalledByWsSc2 "WD_STALLED_BY_WS_SC2" 0x062 U85;
            /// Cycles in which the weight decoder waits for the weight stream of decoder 3.
            WdStalledByWsSc3 "WD_STALLED_BY_WS_SC3" 0x063 U85;
            /// Cycles in which decoder 0 parses.
            WdParseActiveSc0 "WD_PARSE_ACTIVE_SC0" 0x064 U85;
            /// Cycles in which decoder 1 parses.
            WdParseActiveSc1 "WD_PARSE_ACTIVE_SC1" 0x065 U85;
            /// Cycles in which decoder 2 parses.
            WdParseActiveSc2 "WD_PARSE_ACTIVE_SC2" 0x066 U85;
            /// Cycles in which decoder 3 parses.
            WdParseActiveSc3 "WD_PARSE_ACTIVE_SC3" 0x067 U85;
            /// Cycles in which parsing of decoder 0 is stalled.
            WdParseStallSc0 "WD_PARSE_STALL_SC0" 0x068 U85;
            /// Cycles in which parsing of decoder 1 is stalled.
            WdParseStallSc1 "WD_PARSE_STALL_SC1" 0x069 U85;
            /// Cycles in which parsing of decoder 2 is stalled.
            WdParseStallSc2 "WD_PARSE_STALL_SC2" 0x06a U85;
            /// Cycles in which parsing of decoder 3 is stalled.
            WdParseStallSc3 "WD_PARSE_STALL_SC3" 0x06b U85;
            /// Cycles in which decoder 0 waits for input.
            WdParseStallInSc0 "WD_PARSE_STALL_IN_SC0" 0x06c U85;
            /// Cycles in which decoder 1 waits for input.
            WdParseStallInSc1 "WD_PARSE_STALL_IN_SC1" 0x06d U85;
            /// Cycles in which decoder 2 waits for input.
            WdParseStallInSc2 "WD_PARSE_STALL_IN_SC2" 0x06e U85;
            /// Cycles in which decoder 3 waits for input.
            WdParseStallInSc3 "WD_PARSE_STALL_IN_SC3" 0x06f U85;
            /// Cycles in which decoder 0 waits for its output to be taken.
            WdParseStallOutSc0 "WD_PARSE_STALL_OUT_SC0" 0x070 U85;
            /// Cycles in which decoder 1 waits for its output to be taken.
            WdParseStallOutSc1 "WD_PARSE_STALL_OUT_SC1" 0x071 U85;
            /// Cycles in which decoder 2 waits for its output to be taken.
            WdParseStallOutSc2 "WD_PARSE_STALL_OUT_SC2" 0x072 U85;
            /// Cycles in which decoder 3 waits for its output to be taken.
            WdParseStallOutSc3 "WD_PARSE_STALL_OUT_SC3" 0x073 U85;
            /// Words of weight stream taken by decoder 0.
            WdTransWsSc0 "WD_TRANS_WS_SC0" 0x074 U85;
            /// Words of weight stream taken by decoder 1.
            WdTransWsSc1 "WD_TRANS_WS_SC1" 0x075 U85;
            /// Words of weight stream taken by decoder 2.
            WdTransWsSc2 "WD_TRANS_WS_SC2" 0x076 U85;
            /// Words of weight stream taken by decoder 3.
            WdTransWsSc3 "WD_TRANS_WS_SC3" 0x077 U85;
            /// Weight blocks given out on port 0.
            WdTransWb0 "WD_TRANS_WB0" 0x078 U85;
            /// Weight blocks given out on port 1.
            WdTransWb1 "WD_TRANS_WB1" 0x079 U85;
            /// Weight blocks given out on port 2.
            WdTransWb2 "WD_TRANS_WB2" 0x07a U85;
            /// Weight blocks given out on port 3.
            WdTransWb3 "WD_TRANS_WB3" 0x07b U85;
            /// Read transactions accepted, AXI0.
            Axi0RdTransAccepted "AXI0_RD_TRANS_ACCEPTED" 0x080 U55_U65;
            /// Read transactions accepted, all SRAM ports.
            SramRdTransAccepted "SRAM_RD_TRANS_ACCEPTED" 0x080 U85;
            /// Read transactions completed, AXI0.
            Axi0RdTransCompleted "AXI0_RD_TRANS_COMPLETED" 0x081 U55_U65;
            /// Read transactions completed, all SRAM ports.
            SramRdTransCompleted "SRAM_RD_TRANS_COMPLETED" 0x081 U85;
            /// Data beats read, AXI0.
            Axi0RdDataBeatReceived "AXI0_RD_DATA_BEAT_RECEIVED" 0x082 U55_U65;
            /// Data beats read, all SRAM ports.
            SramRdDataBeatReceived "SRAM_RD_DATA_BEAT_RECEIVED" 0x082 U85;
            /// Cycles in which a read request waits, AXI0.
            Axi0RdTranReqStalled "AXI0_RD_TRAN_REQ_STALLED" 0x083 U55_U65;
            /// Cycles in which a read request waits, all SRAM ports.
            SramRdTranReqStalled "SRAM_RD_TRAN_REQ_STALLED" 0x083 U85;
            /// Write transactions accepted, AXI0.
            Axi0WrTransAccepted "AXI0_WR_TRANS_ACCEPTED" 0x084 U55_U65;
            /// Write transactions accepted, all SRAM ports.
            SramWrTransAccepted "SRAM_WR_TRANS_ACCEPTED" 0x084 U85;
            /// Write transactions completed, as the NPU sees it, AXI0.
            Axi0WrTransCompletedM "AXI0_WR_TRANS_COMPLETED_M" 0x085 U55_U65;
            /// Write transactions completed, as the NPU sees it, all SRAM ports.
            SramWrTransCompletedM "SRAM_WR_TRANS_COMPLETED_M" 0x085 U85;
            /// Write transactions completed, as the memory sees it, AXI0.
            Axi0WrTransCompletedS "AXI0_WR_TRANS_COMPLETED_S" 0x086 U55_U65;
            /// Write transactions completed, as the memory sees it, all SRAM ports.
            SramWrTransCompletedS "SRAM_WR_TRANS_COMPLETED_S" 0x086 U85;
            /// Data beats written, AXI0.
            Axi0WrDataBeatWritten "AXI0_WR_DATA_BEAT_WRITTEN" 0x087 U55_U65;
            /// Data beats written, all SRAM ports.
            SramWrDataBeatWritten "SRAM_WR_DATA_BEAT_WRITTEN" 0x087 U85;
            /// Cycles in which a write request waits, AXI0.
            Axi0WrTranReqStalled "AXI0_WR_TRAN_REQ_STALLED" 0x088 U55_U65;
            /// Cycles in which a write request waits, all SRAM ports.
            SramWrTranReqStalled "SRAM_WR_TRAN_REQ_STALLED" 0x088 U85;
            /// Cycles in which a write beat waits, AXI0.
            Axi0WrDataBeatStalled "AXI0_WR_DATA_BEAT_STALLED" 0x089 U55_U65;
            /// Cycles in which a write beat waits, all SRAM ports.
            SramWrDataBeatStalled "SRAM_WR_DATA_BEAT_STALLED" 0x089 U85;
            /// Cycles in which the port is enabled, AXI0.
            Axi0EnabledCycles "AXI0_ENABLED_CYCLES" 0x08c U55_U65;
            /// Cycles in which the port is enabled, all SRAM ports.
            SramEnabledCycles "SRAM_ENABLED_CYCLES" 0x08c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, AXI0.
            Axi0RdStallLimit "AXI0_RD_STALL_LIMIT" 0x08e U55_U65;
            /// Cycles in which reads wait for the limit of outstanding transactions, all SRAM ports.
            SramRdStallLimit "SRAM_RD_STALL_LIMIT" 0x08e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, AXI0.
            Axi0WrStallLimit "AXI0_WR_STALL_LIMIT" 0x08f U55_U65;
            /// Cycles in which writes wait for the limit of outstanding transactions, all SRAM ports.
            SramWrStallLimit "SRAM_WR_STALL_LIMIT" 0x08f U85;
            /// Transactions of any latency.
            AxiLatencyAny "AXI_LATENCY_ANY" 0x0a0 ALL;
            /// Transactions that took 32 cycles or longer.
            AxiLatency32 "AXI_LATENCY_32" 0x0a1 ALL;
            /// Transactions that took 64 cycles or longer.
            AxiLatency64 "AXI_LATENCY_64" 0x0a2 ALL;
            /// Transactions that took 128 cycles or longer.
            AxiLatency128 "AXI_LATENCY_128" 0x0a3 ALL;
            /// Transactions that took 256 cycles or longer.
            AxiLatency256 "AXI_LATENCY_256" 0x0a4 ALL;
            /// Transactions that took 512 cycles or longer.
            AxiLatency512 "AXI_LATENCY_512" 0x0a5 ALL;
            /// Transactions that took 1024 cycles or longer.
            AxiLatency1024 "AXI_LATENCY_1024" 0x0a6 ALL;
            /// ECC events in the DMA unit.
            EccDma "ECC_DMA" 0x0b0 ALL;
            /// ECC events in the input buffer.
            EccMacIb "ECC_MAC_IB" 0x0b1 U85;
            /// ECC events in SHRAM of core 0.
            EccSb0 "ECC_SB0" 0x0b1 U55_U65;
            /// ECC events in the accumulators.
            EccMacAb "ECC_MAC_AB" 0x0b2 U85;
            /// ECC events in the chain buffer.
            EccAoCb "ECC_AO_CB" 0x0b3 U85;
            /// ECC events in the output buffer.
            EccAoOb "ECC_AO_OB" 0x0b4 U85;
            /// ECC events in the look-up tables.
            EccAoLut "ECC_AO_LUT" 0x0b5 U85;
            /// Read transactions accepted, AXI1.
            Axi1RdTransAccepted "AXI1_RD_TRANS_ACCEPTED" 0x180 U55_U65;
            /// Read transactions accepted, all EXT ports.
            ExtRdTransAccepted "EXT_RD_TRANS_ACCEPTED" 0x180 U85;
            /// Read transactions completed, AXI1.
            Axi1RdTransCompleted "AXI1_RD_TRANS_COMPLETED" 0x181 U55_U65;
            /// Read transactions completed, all EXT ports.
            ExtRdTransCompleted "EXT_RD_TRANS_COMPLETED" 0x181 U85;
            /// Data beats read, AXI1.
            Axi1RdDataBeatReceived "AXI1_RD_DATA_BEAT_RECEIVED" 0x182 U55_U65;
            /// Data beats read, all EXT ports.
            ExtRdDataBeatReceived "EXT_RD_DATA_BEAT_RECEIVED" 0x182 U85;
            /// Cycles in which a read request waits, AXI1.
            Axi1RdTranReqStalled "AXI1_RD_TRAN_REQ_STALLED" 0x183 U55_U65;
            /// Cycles in which a read request waits, all EXT ports.
            ExtRdTranReqStalled "EXT_RD_TRAN_REQ_STALLED" 0x183 U85;
            /// Write transactions accepted, AXI1.
            Axi1WrTransAccepted "AXI1_WR_TRANS_ACCEPTED" 0x184 U55_U65;
            /// Write transactions accepted, all EXT ports.
            ExtWrTransAccepted "EXT_WR_TRANS_ACCEPTED" 0x184 U85;
            /// Write transactions completed, as the NPU sees it, AXI1.
            Axi1WrTransCompletedM "AXI1_WR_TRANS_COMPLETED_M" 0x185 U55_U65;
            /// Write transactions completed, as the NPU sees it, all EXT ports.
            ExtWrTransCompletedM "EXT_WR_TRANS_COMPLETED_M" 0x185 U85;
            /// Write transactions completed, as the memory sees it, AXI1.
            Axi1WrTransCompletedS "AXI1_WR_TRANS_COMPLETED_S" 0x186 U55_U65;
            /// Write transactions completed, as the memory sees it, all EXT ports.
            ExtWrTransCompletedS "EXT_WR_TRANS_COMPLETED_S" 0x186 U85;
            /// Data beats written, AXI1.
            Axi1WrDataBeatWritten "AXI1_WR_DATA_BEAT_WRITTEN" 0x187 U55_U65;
            /// Data beats written, all EXT ports.
            ExtWrDataBeatWritten "EXT_WR_DATA_BEAT_WRITTEN" 0x187 U85;
            /// Cycles in which a write request waits, AXI1.
            Axi1WrTranReqStalled "AXI1_WR_TRAN_REQ_STALLED" 0x188 U55_U65;
            /// Cycles in which a write request waits, all EXT ports.
            ExtWrTranReqStalled "EXT_WR_TRAN_REQ_STALLED" 0x188 U85;
            /// Cycles in which a write beat waits, AXI1.
            Axi1WrDataBeatStalled "AXI1_WR_DATA_BEAT_STALLED" 0x189 U55_U65;
            /// Cycles in which a write beat waits, all EXT ports.
            ExtWrDataBeatStalled "EXT_WR_DATA_BEAT_STALLED" 0x189 U85;
            /// Cycles in which the port is enabled, AXI1.
            Axi1EnabledCycles "AXI1_ENABLED_CYCLES" 0x18c U55_U65;
            /// Cycles in which the port is enabled, all EXT ports.
            ExtEnabledCycles "EXT_ENABLED_CYCLES" 0x18c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, AXI1.
            Axi1RdStallLimit "AXI1_RD_STALL_LIMIT" 0x18e U55_U65;
            /// Cycles in which reads wait for the limit of outstanding transactions, all EXT ports.
            ExtRdStallLimit "EXT_RD_STALL_LIMIT" 0x18e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, AXI1.
            Axi1WrStallLimit "AXI1_WR_STALL_LIMIT" 0x18f U55_U65;
            /// Cycles in which writes wait for the limit of outstanding transactions, all EXT ports.
            ExtWrStallLimit "EXT_WR_STALL_LIMIT" 0x18f U85;
            /// ECC events in SHRAM of core 1.
            EccSb1 "ECC_SB1" 0x1b1 U55_U65;
            /// Read transactions accepted, port SRAM0.
            Sram0RdTransAccepted "SRAM0_RD_TRANS_ACCEPTED" 0x200 U85;
            /// Read transactions completed, port SRAM0.
            Sram0RdTransCompleted "SRAM0_RD_TRANS_COMPLETED" 0x201 U85;
            /// Data beats read, port SRAM0.
            Sram0RdDataBeatReceived "SRAM0_RD_DATA_BEAT_RECEIVED" 0x202 U85;
            /// Cycles in which a read request waits, port SRAM0.
            Sram0RdTranReqStalled "SRAM0_RD_TRAN_REQ_STALLED" 0x203 U85;
            /// Write transactions accepted, port SRAM0.
            Sram0WrTransAccepted "SRAM0_WR_TRANS_ACCEPTED" 0x204 U85;
            /// Write transactions completed, as the NPU sees it, port SRAM0.
            Sram0WrTransCompletedM "SRAM0_WR_TRANS_COMPLETED_M" 0x205 U85;
            /// Write transactions completed, as the memory sees it, port SRAM0.
            Sram0WrTransCompletedS "SRAM0_WR_TRANS_COMPLETED_S" 0x206 U85;
            /// Data beats written, port SRAM0.
            Sram0WrDataBeatWritten "SRAM0_WR_DATA_BEAT_WRITTEN" 0x207 U85;
            /// Cycles in which a write request waits, port SRAM0.
            Sram0WrTranReqStalled "SRAM0_WR_TRAN_REQ_STALLED" 0x208 U85;
            /// Cycles in which a write beat waits, port SRAM0.
            Sram0WrDataBeatStalled "SRAM0_WR_DATA_BEAT_STALLED" 0x209 U85;
            /// Cycles in which the port is enabled, port SRAM0.
            Sram0EnabledCycles "SRAM0_ENABLED_CYCLES" 0x20c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, port SRAM0.
            Sram0RdStallLimit "SRAM0_RD_STALL_LIMIT" 0x20e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, port SRAM0.
            Sram0WrStallLimit "SRAM0_WR_STALL_LIMIT" 0x20f U85;
            /// Read transactions accepted, port SRAM1.
            Sram1RdTransAccepted "SRAM1_RD_TRANS_ACCEPTED" 0x210 U85;
            /// Read transactions completed, port SRAM1.
            Sram1RdTransCompleted "SRAM1_RD_TRANS_COMPLETED" 0x211 U85;
            /// Data beats read, port SRAM1.
            Sram1RdDataBeatReceived "SRAM1_RD_DATA_BEAT_RECEIVED" 0x212 U85;
            /// Cycles in which a read request waits, port SRAM1.
            Sram1RdTranReqStalled "SRAM1_RD_TRAN_REQ_STALLED" 0x213 U85;
            /// Write transactions accepted, port SRAM1.
            Sram1WrTransAccepted "SRAM1_WR_TRANS_ACCEPTED" 0x214 U85;
            /// Write transactions completed, as the NPU sees it, port SRAM1.
            Sram1WrTransCompletedM "SRAM1_WR_TRANS_COMPLETED_M" 0x215 U85;
            /// Write transactions completed, as the memory sees it, port SRAM1.
            Sram1WrTransCompletedS "SRAM1_WR_TRANS_COMPLETED_S" 0x216 U85;
            /// Data beats written, port SRAM1.
            Sram1WrDataBeatWritten "SRAM1_WR_DATA_BEAT_WRITTEN" 0x217 U85;
            /// Cycles in which a write request waits, port SRAM1.
            Sram1WrTranReqStalled "SRAM1_WR_TRAN_REQ_STALLED" 0x218 U85;
            /// Cycles in which a write beat waits, port SRAM1.
            Sram1WrDataBeatStalled "SRAM1_WR_DATA_BEAT_STALLED" 0x219 U85;
            /// Cycles in which the port is enabled, port SRAM1.
            Sram1EnabledCycles "SRAM1_ENABLED_CYCLES" 0x21c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, port SRAM1.
            Sram1RdStallLimit "SRAM1_RD_STALL_LIMIT" 0x21e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, port SRAM1.
            Sram1WrStallLimit "SRAM1_WR_STALL_LIMIT" 0x21f U85;
            /// Read transactions accepted, port SRAM2.
            Sram2RdTransAccepted "SRAM2_RD_TRANS_ACCEPTED" 0x220 U85;
            /// Read transactions completed, port SRAM2.
            Sram2RdTransCompleted "SRAM2_RD_TRANS_COMPLETED" 0x221 U85;
            /// Data beats read, port SRAM2.
            Sram2RdDataBeatReceived "SRAM2_RD_DATA_BEAT_RECEIVED" 0x222 U85;
            /// Cycles in which a read request waits, port SRAM2.
            Sram2RdTranReqStalled "SRAM2_RD_TRAN_REQ_STALLED" 0x223 U85;
            /// Write transactions accepted, port SRAM2.
            Sram2WrTransAccepted "SRAM2_WR_TRANS_ACCEPTED" 0x224 U85;
            /// Write transactions completed, as the NPU sees it, port SRAM2.
            Sram2WrTransCompletedM "SRAM2_WR_TRANS_COMPLETED_M" 0x225 U85;
            /// Write transactions completed, as the memory sees it, port SRAM2.
            Sram2WrTransCompletedS "SRAM2_WR_TRANS_COMPLETED_S" 0x226 U85;
            /// Data beats written, port SRAM2.
            Sram2WrDataBeatWritten "SRAM2_WR_DATA_BEAT_WRITTEN" 0x227 U85;
            /// Cycles in which a write request waits, port SRAM2.
            Sram2WrTranReqStalled "SRAM2_WR_TRAN_REQ_STALLED" 0x228 U85;
            /// Cycles in which a write beat waits, port SRAM2.
            Sram2WrDataBeatStalled "SRAM2_WR_DATA_BEAT_STALLED" 0x229 U85;
            /// Cycles in which the port is enabled, port SRAM2.
            Sram2EnabledCycles "SRAM2_ENABLED_CYCLES" 0x22c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, port SRAM2.
            Sram2RdStallLimit "SRAM2_RD_STALL_LIMIT" 0x22e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, port SRAM2.
            Sram2WrStallLimit "SRAM2_WR_STALL_LIMIT" 0x22f U85;
            /// Read transactions accepted, port SRAM3.
            Sram3RdTransAccepted "SRAM3_RD_TRANS_ACCEPTED" 0x230 U85;
            /// Read transactions completed, port SRAM3.
            Sram3RdTransCompleted "SRAM3_RD_TRANS_COMPLETED" 0x231 U85;
            /// Data beats read, port SRAM3.
            Sram3RdDataBeatReceived "SRAM3_RD_DATA_BEAT_RECEIVED" 0x232 U85;
            /// Cycles in which a read request waits, port SRAM3.
            Sram3RdTranReqStalled "SRAM3_RD_TRAN_REQ_STALLED" 0x233 U85;
            /// Write transactions accepted, port SRAM3.
            Sram3WrTransAccepted "SRAM3_WR_TRANS_ACCEPTED" 0x234 U85;
            /// Write transactions completed, as the NPU sees it, port SRAM3.
            Sram3WrTransCompletedM "SRAM3_WR_TRANS_COMPLETED_M" 0x235 U85;
            /// Write transactions completed, as the memory sees it, port SRAM3.
            Sram3WrTransCompletedS "SRAM3_WR_TRANS_COMPLETED_S" 0x236 U85;
            /// Data beats written, port SRAM3.
            Sram3WrDataBeatWritten "SRAM3_WR_DATA_BEAT_WRITTEN" 0x237 U85;
            /// Cycles in which a write request waits, port SRAM3.
            Sram3WrTranReqStalled "SRAM3_WR_TRAN_REQ_STALLED" 0x238 U85;
            /// Cycles in which a write beat waits, port SRAM3.
            Sram3WrDataBeatStalled "SRAM3_WR_DATA_BEAT_STALLED" 0x239 U85;
            /// Cycles in which the port is enabled, port SRAM3.
            Sram3EnabledCycles "SRAM3_ENABLED_CYCLES" 0x23c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, port SRAM3.
            Sram3RdStallLimit "SRAM3_RD_STALL_LIMIT" 0x23e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, port SRAM3.
            Sram3WrStallLimit "SRAM3_WR_STALL_LIMIT" 0x23f U85;
            /// Read transactions accepted, port EXT0.
            Ext0RdTransAccepted "EXT0_RD_TRANS_ACCEPTED" 0x280 U85;
            /// Read transactions completed, port EXT0.
            Ext0RdTransCompleted "EXT0_RD_TRANS_COMPLETED" 0x281 U85;
            /// Data beats read, port EXT0.
            Ext0RdDataBeatReceived "EXT0_RD_DATA_BEAT_RECEIVED" 0x282 U85;
            /// Cycles in which a read request waits, port EXT0.
            Ext0RdTranReqStalled "EXT0_RD_TRAN_REQ_STALLED" 0x283 U85;
            /// Write transactions accepted, port EXT0.
            Ext0WrTransAccepted "EXT0_WR_TRANS_ACCEPTED" 0x284 U85;
            /// Write transactions completed, as the NPU sees it, port EXT0.
            Ext0WrTransCompletedM "EXT0_WR_TRANS_COMPLETED_M" 0x285 U85;
            /// Write transactions completed, as the memory sees it, port EXT0.
            Ext0WrTransCompletedS "EXT0_WR_TRANS_COMPLETED_S" 0x286 U85;
            /// Data beats written, port EXT0.
            Ext0WrDataBeatWritten "EXT0_WR_DATA_BEAT_WRITTEN" 0x287 U85;
            /// Cycles in which a write request waits, port EXT0.
            Ext0WrTranReqStalled "EXT0_WR_TRAN_REQ_STALLED" 0x288 U85;
            /// Cycles in which a write beat waits, port EXT0.
            Ext0WrDataBeatStalled "EXT0_WR_DATA_BEAT_STALLED" 0x289 U85;
            /// Cycles in which the port is enabled, port EXT0.
            Ext0EnabledCycles "EXT0_ENABLED_CYCLES" 0x28c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, port EXT0.
            Ext0RdStallLimit "EXT0_RD_STALL_LIMIT" 0x28e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, port EXT0.
            Ext0WrStallLimit "EXT0_WR_STALL_LIMIT" 0x28f U85;
            /// Read transactions accepted, port EXT1.
            Ext1RdTransAccepted "EXT1_RD_TRANS_ACCEPTED" 0x290 U85;
            /// Read transactions completed, port EXT1.
            Ext1RdTransCompleted "EXT1_RD_TRANS_COMPLETED" 0x291 U85;
            /// Data beats read, port EXT1.
            Ext1RdDataBeatReceived "EXT1_RD_DATA_BEAT_RECEIVED" 0x292 U85;
            /// Cycles in which a read request waits, port EXT1.
            Ext1RdTranReqStalled "EXT1_RD_TRAN_REQ_STALLED" 0x293 U85;
            /// Write transactions accepted, port EXT1.
            Ext1WrTransAccepted "EXT1_WR_TRANS_ACCEPTED" 0x294 U85;
            /// Write transactions completed, as the NPU sees it, port EXT1.
            Ext1WrTransCompletedM "EXT1_WR_TRANS_COMPLETED_M" 0x295 U85;
            /// Write transactions completed, as the memory sees it, port EXT1.
            Ext1WrTransCompletedS "EXT1_WR_TRANS_COMPLETED_S" 0x296 U85;
            /// Data beats written, port EXT1.
            Ext1WrDataBeatWritten "EXT1_WR_DATA_BEAT_WRITTEN" 0x297 U85;
            /// Cycles in which a write request waits, port EXT1.
            Ext1WrTranReqStalled "EXT1_WR_TRAN_REQ_STALLED" 0x298 U85;
            /// Cycles in which a write beat waits, port EXT1.
            Ext1WrDataBeatStalled "EXT1_WR_DATA_BEAT_STALLED" 0x299 U85;
            /// Cycles in which the port is enabled, port EXT1.
            Ext1EnabledCycles "EXT1_ENABLED_CYCLES" 0x29c U85;
            /// Cycles in which reads wait for the limit of outstanding transactions, port EXT1.
            Ext1RdStallLimit "EXT1_RD_STALL_LIMIT" 0x29e U85;
            /// Cycles in which writes wait for the limit of outstanding transactions, port EXT1.
            Ext1WrStallLimit "EXT1_WR_STALL_LIMIT" 0x29f U85;
        }
    };
}

macro_rules! define_events {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $id:literal $gens:ident;)+) => {
        /// An event of any generation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Event { $($(#[doc = $doc])+ $variant),+ }

        impl Event {
            /// Every event, by number.
            pub const ALL: &'static [Event] = &[$(Event::$variant),+];

            /// Arm's name.
            pub const fn name(self) -> &'static str {
                match self { $(Event::$variant => $name),+ }
            }

            /// The number in the hardware.
            pub const fn id(self) -> u32 {
                match self { $(Event::$variant => $id),+ }
            }

            /// What is counted.
            pub const fn doc(self) -> &'static str {
                match self { $(Event::$variant => concat!($($doc),+).trim_ascii()),+ }
            }

            /// Generations that count it.
            pub const fn generations(self) -> Generations {
                match self { $(Event::$variant => Generations::$gens),+ }
            }

            /// The event with that number on `generation`.
            pub const fn from_id(generation: Generation, id: u32) -> Option<Event> {
                match id {
                    $($id if Generations::$gens.contains(generation) => Some(Event::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
for_each_pmu_event!(define_events);

impl Event {
    /// The event of that name (in any case) on `generation`.
    pub fn from_name(generation: Generation, name: &str) -> Option<Event> {
        Event::ALL
            .iter()
            .copied()
            .find(|e| e.generations().contains(generation) && name.eq_ignore_ascii_case(e.name()))
    }

    /// The events of `generation`, by number.
    pub fn of(generation: Generation) -> impl Iterator<Item = Event> {
        Event::ALL.iter().copied().filter(move |e| e.generations().contains(generation))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Event counters of `generation`.
pub const fn counters(generation: Generation) -> usize {
    match generation {
        Generation::U55 | Generation::U65 => 4,
        Generation::U85 => 8,
    }
}
