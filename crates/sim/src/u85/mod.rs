//! Ethos-U85: decoding of its registers and its data path.
//!
//! | module | does |
//! |---|---|
//! | `input` | IFM and IFM2: in memory, in a chain buffer, or a scalar |
//! | `output` | scale, zero point, clip, table; then memory (transposed, reversed) or a chain buffer |
//! | `acc` | what accumulators start from and whether they are kept |
//! | `conv` | convolution, depthwise convolution, matrix product |
//! | `pool`, `elementwise`, `resize` | the operations of these names |
//! | `dma` | copies with strides, gather, scatter |
//!
//! An operation decodes its registers, checks all maps, accounts for the work, loads its inputs
//! whole, computes row by row into `Scratch::ofm`, and writes that at the end: inputs and output
//! may overlap.

mod acc;
mod conv;
mod dma;
mod elementwise;
mod input;
mod output;
mod pool;
mod resize;

use tombolo_ethosu::cmd::{Command, Opcode, fields};
use tombolo_ethosu::{Accelerator, Field, enums};

use crate::conv::{ConvScratch, Padded, Weights};
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::npu::Flow;
use crate::op::{Elem, Shape, Stream};
use crate::state::State;
use crate::weights::stream::Decoder;
use acc::Kept;
use output::ChannelScale;

/// Slots of the chain buffer.
const CHAIN_SLOTS: usize = 6;

/// Work that a branch taken is counted as, so that a loop of nothing else ends within seconds.
const BRANCH_WORK: u64 = 1 << 14;

/// What an Ethos-U85 keeps between operations, beside registers and tables.
#[derive(Debug)]
pub(crate) struct Core {
    accelerator: Accelerator,
    kept: Option<Kept>,
    chain: [Option<Chained>; CHAIN_SLOTS],
    /// COND_STATUS.result_flag, unless unpredictable.
    result: Option<bool>,
    scratch: Scratch,
}

/// A whole output in the chain buffer. (Hardware has a block of it at a time, and works on the
/// chained operations block by block.)
#[derive(Debug)]
struct Chained {
    shape: Shape,
    elem: Elem,
    bytes: Vec<u8>,
}

/// Memory to work in.
#[derive(Debug, Default)]
struct Scratch {
    ifm: Vec<u8>,
    ifm2: Vec<u8>,
    ofm: Vec<u8>,
    transposed: Vec<u8>,
    stream: Vec<u8>,
    decoder: Decoder,
    /// Weights as they come out of the decoder.
    decoded: Vec<i16>,
    weights: Weights,
    /// IFM2 as the weights of a matrix product.
    weights_ifm2: Vec<i32>,
    scales: Vec<ChannelScale>,
    narrow: Padded<i16>,
    narrow_conv: ConvScratch<i16>,
    wide: Padded<i32>,
    wide_conv: ConvScratch<i32>,
    values: [Vec<i64>; 2],
}

impl Core {
    pub(crate) fn new(accelerator: Accelerator) -> Core {
        Core {
            accelerator,
            kept: None,
            chain: [const { None }; CHAIN_SLOTS],
            result: None,
            scratch: Scratch::default(),
        }
    }

    pub(crate) fn reset(&mut self) {
        self.kept = None;
        self.chain = [const { None }; CHAIN_SLOTS];
        self.result = None;
    }

    /// COND_STATUS.
    pub(crate) fn cond_status(&self) -> u32 {
        self.result.unwrap_or(false).into()
    }

    pub(crate) fn execute(
        &mut self,
        command: Command,
        state: &State,
        memory: &mut Memory<'_>,
    ) -> Result<Flow, Cause> {
        let unit = Unit { accelerator: self.accelerator, state };
        match command.opcode {
            Opcode::Branch => return self.branch(command, memory),
            Opcode::DmaStart => {
                unit.dma(memory, &mut self.scratch.stream)?;
                return Ok(Flow::Next);
            }
            _ => {}
        }
        // Every operation overwrites accumulators and the flag; only an operation that says so
        // takes over what was there.
        let kept = self.kept.take();
        self.result = None;
        match command.opcode {
            Opcode::Conv if fields::conv::WEIGHTS_IFM2.get(command) != 0 => self.matmul(&unit, kept, memory),
            Opcode::Conv => self.convolution(&unit, false, kept, memory),
            Opcode::Depthwise => self.convolution(&unit, true, kept, memory),
            Opcode::Pool => {
                let mode = unit.mode(command, &fields::pool::POOLING_MODE)?;
                self.pool(&unit, mode, kept, memory)
            }
            Opcode::Elementwise => {
                let mode = unit.mode(command, &fields::elementwise::ELEMENTWISE_MODE)?;
                self.elementwise(&unit, mode, memory)
            }
            Opcode::Resize => {
                let mode = unit.mode(command, &fields::resize::RESIZE_MODE)?;
                self.resize(&unit, mode, memory)
            }
            other => Err(Cause::not_modelled(other.name())),
        }?;
        Ok(Flow::Next)
    }

    fn branch(&mut self, command: Command, memory: &mut Memory<'_>) -> Result<Flow, Cause> {
        let taken = match fields::branch::BRANCH_COND.get(command) {
            enums::branch_cond::ALWAYS => true,
            _ => self.result.ok_or_else(|| {
                Cause::not_modelled(
                    "a branch on the result flag: it is defined only behind an operation with an output of one element",
                )
            })?,
        };
        if !taken {
            return Ok(Flow::Next);
        }
        let target = fields::branch::BRANCH_TARGET.get(command);
        if !target.is_multiple_of(4) {
            return Err(Cause::Branch(format!("the branch target {target:#x} is no multiple of 4").into()));
        }
        memory.work(BRANCH_WORK)?;
        Ok(Flow::Jump(target))
    }
}

/// An operation that is being carried out.
struct Unit<'a> {
    accelerator: Accelerator,
    state: &'a State,
}

impl Unit<'_> {
    /// The mode of an operation, which this generation must know.
    fn mode(&self, command: Command, field: &Field) -> Result<u32, Cause> {
        let mode = field.get(command);
        if field.value_name(self.accelerator.generation(), mode).is_none() {
            return Err(Cause::invalid(format!(
                "{} {mode} is not defined on {}",
                field.name,
                self.accelerator.generation()
            )));
        }
        Ok(mode)
    }

    /// Reads bias, scale and shift of all channels.
    fn channel_scales(
        &self,
        depth: u32,
        accumulator_bits: u32,
        memory: &mut Memory<'_>,
        raw: &mut Vec<u8>,
        scales: &mut Vec<ChannelScale>,
    ) -> Result<(), Cause> {
        let stream = decode::stream(self.state, Opcode::ScaleRegion, Opcode::ScaleBase, Opcode::ScaleLength)?;
        let need = u64::from(depth) * ChannelScale::RECORD as u64;
        if stream.length < need {
            return Err(Cause::invalid(format!(
                "SCALE_LENGTH is {}, but {depth} channels take {need} bytes",
                stream.length
            )));
        }
        memory.load_stream(Channel::ScaleBias, &Stream { length: need, ..stream }, raw)?;
        let read = if accumulator_bits == 32 { ChannelScale::read32 } else { ChannelScale::read48 };
        scales.clear();
        scales.extend(raw.chunks_exact(ChannelScale::RECORD).map(read));
        Ok(())
    }
}
