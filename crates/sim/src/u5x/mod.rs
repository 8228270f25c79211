//! Ethos-U55 and U65: decoding of their registers and their data path.

mod conv;
mod dma;
mod elementwise;
mod output;
mod pool;

use tombolo_ethosu::cmd::{Command, Opcode, fields};
use tombolo_ethosu::{Accelerator, enums};

use crate::conv::{ConvScratch, Padded, Weights};
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;
use crate::npu::Flow;
use crate::op::Stream;
use crate::state::State;
use crate::weights::stream::Decoder;
use output::{ChannelScale, ChannelScales, SCALE_RECORD};

/// What an Ethos-U55 or U65 keeps between operations: no state of the hardware (that is all in
/// registers and SHRAM), only memory to work in.
#[derive(Debug)]
pub(crate) struct Core {
    accelerator: Accelerator,
    scratch: Scratch,
}

#[derive(Debug, Default)]
struct Scratch {
    ifm: Vec<u8>,
    ifm2: Vec<u8>,
    ofm: Vec<u8>,
    stream: Vec<u8>,
    decoder: Decoder,
    /// Weights as they come out of the decoder.
    decoded: Vec<i16>,
    weights: Weights,
    scales: ChannelScales,
    narrow: Padded<i16>,
    narrow_conv: ConvScratch<i16>,
    wide: Padded<i32>,
    wide_conv: ConvScratch<i32>,
    values: [Vec<i64>; 3],
}

impl Core {
    pub(crate) fn new(accelerator: Accelerator) -> Core {
        Core { accelerator, scratch: Scratch::default() }
    }

    pub(crate) fn reset(&mut self) {}

    pub(crate) fn execute(
        &mut self,
        command: Command,
        state: &State,
        memory: &mut Memory<'_>,
    ) -> Result<Flow, Cause> {
        let unit = Unit { accelerator: self.accelerator, state };
        let scratch = &mut self.scratch;
        match command.opcode {
            Opcode::Conv => unit.convolution(false, memory, scratch),
            Opcode::Depthwise => unit.convolution(true, memory, scratch),
            Opcode::Pool => unit.pool(unit.mode(command, &fields::pool::POOLING_MODE)?, memory, scratch),
            Opcode::Elementwise => {
                unit.elementwise(unit.mode(command, &fields::elementwise::ELEMENTWISE_MODE)?, memory, scratch)
            }
            Opcode::DmaStart => unit.dma(memory, &mut scratch.stream),
            other => Err(Cause::not_modelled(other.name())),
        }?;
        Ok(Flow::Next)
    }
}

/// An operation that is being carried out.
struct Unit<'a> {
    accelerator: Accelerator,
    state: &'a State,
}

impl Unit<'_> {
    /// The mode of an operation, which this generation must know.
    fn mode(&self, command: Command, field: &tombolo_ethosu::Field) -> Result<u32, Cause> {
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

    /// Where table 0 is in the SHRAM.
    fn lut_base(&self) -> usize {
        self.accelerator.lut_base() as usize
    }

    /// Cores that share the output channels of this operation.
    fn cores(&self) -> Result<u32, Cause> {
        let parallel = self.state.find(Opcode::ParallelMode).is_some_and(|command| {
            fields::parallel_mode::PARALLEL_MODE.get(command) == enums::parallel_mode::DUAL_CORE_DEPTH
        });
        match (parallel, self.accelerator.cores()) {
            (false, _) => Ok(1),
            (true, 2) => Ok(2),
            (true, _) => {
                Err(Cause::invalid(format!("PARALLEL_MODE asks for two cores, {} has one", self.accelerator)))
            }
        }
    }

    /// Reads bias, scale and shift of all channels.
    fn channel_scales(
        &self,
        depth: u32,
        memory: &mut Memory<'_>,
        raw: &mut Vec<u8>,
        scales: &mut ChannelScales,
    ) -> Result<(), Cause> {
        let cores = self.cores()?;
        scales.channels.clear();
        scales.channels.resize(depth as usize, ChannelScale::default());
        for core in 0..cores {
            // Core c has the channels c, c + cores, ...
            let mine = depth.saturating_sub(core).div_ceil(cores);
            if mine == 0 {
                continue;
            }
            let (base, length) = match core {
                0 => (Opcode::ScaleBase, Opcode::ScaleLength),
                _ => (Opcode::Scale1Base, Opcode::Scale1Length),
            };
            let stream = decode::stream(self.state, Opcode::ScaleRegion, base, length)?;
            let need = u64::from(mine) * SCALE_RECORD as u64;
            if stream.length < need {
                return Err(Cause::invalid(format!(
                    "{} is {}, but {mine} channels take {need} bytes",
                    length.name(),
                    stream.length
                )));
            }
            let stream = Stream { length: need, ..stream };
            memory.load_stream(Channel::ScaleBias, &stream, raw)?;
            for (channel, record) in scales
                .channels
                .iter_mut()
                .skip(core as usize)
                .step_by(cores as usize)
                .zip(raw.chunks_exact(SCALE_RECORD))
            {
                *channel = ChannelScale::read(record);
            }
        }
        Ok(())
    }
}
