//! Whole streams back to weights in a plain order: for tests of encoders.

use tombolo_ethosu::{Accelerator, Generation};

use super::stream::Decoder;
use super::u5x::Run;
use super::{WeightError, u5x, u85, u85_fwd};

/// What a stream's order depends on.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    /// Output channels, kernel height and width, input channels (1 for depthwise).
    pub shape: [u32; 4],
    /// Whether each channel is by itself.
    pub depthwise: bool,
    /// Part of the kernel first.
    pub part_kernel: bool,
    /// Rows and columns.
    pub stride: [u32; 2],
    /// Rows and columns.
    pub dilation: [u32; 2],
    /// Bits of an input element.
    pub ifm_bits: u32,
    /// Output channels of a block.
    pub ofm_block: u32,
    /// Output channels of a microblock.
    pub ofm_ublock: u32,
    /// U85's fast format.
    pub fast: bool,
    /// 2:4 sparse.
    pub sparse: bool,
}

/// The weights in `streams`, one for each core or decoder: output channels × height × width × input channels,
/// depthwise height × width × channels.
pub fn decode(job: &Job, accelerator: Accelerator, streams: &[&[u8]]) -> Result<Vec<i16>, WeightError> {
    let [oc, kernel_h, kernel_w, ic] = job.shape;
    let mut dense = vec![0; (oc * kernel_h * kernel_w * ic) as usize];
    let mut place = |run: Run, channel: u32, values: &[i16]| {
        let tap = run.ky * kernel_w + run.kx;
        let at = match job.depthwise {
            true => tap * oc + channel,
            false => (channel * kernel_h * kernel_w + tap) * ic + run.ic,
        } as usize;
        let take = run.take as usize;
        if let (true, Some(to), Some(from)) = (take > 0, dense.get_mut(at..at + take), values.get(..take)) {
            to.copy_from_slice(from);
        }
    };
    let decoder = &mut Decoder::new();
    let mut values = Vec::new();
    if accelerator.generation() == Generation::U85 {
        let order = u85::Order {
            ofm_depth: oc,
            ifm_depth: ic,
            kernel_h,
            kernel_w,
            stride_y: job.stride[0],
            stride_x: job.stride[1],
            dilation_y: job.dilation[0],
            dilation_x: job.dilation[1],
            ofm_block: job.ofm_block,
            ofm_ublock: job.ofm_ublock,
            traversal: match (job.depthwise, job.part_kernel) {
                (true, _) => u85::Traversal::Depthwise,
                (_, true) => u85::Traversal::PartKernel,
                _ => u85::Traversal::DepthFirst,
            },
            ifm_bits: job.ifm_bits,
            sparse: job.sparse,
            macs: accelerator.macs(),
            decoders: accelerator.spec().weight_decoders,
        };
        let need = order.count() as usize;
        let all = need * order.decoders as usize;
        if job.fast {
            u85_fwd::decode(streams.first().unwrap_or(&[].as_slice()), all, &mut values)?;
        }
        let (block, turn) = match order.interleave() as usize {
            block if job.fast => (block, block * order.decoders as usize),
            _ => (need, all),
        };
        for d in 0..order.decoders {
            if !job.fast {
                decoder.decode(streams.get(d as usize).unwrap_or(&[].as_slice()), need, &mut values)?;
            }
            let mut position = 0;
            order.visit(d, |run| {
                let at = position / block * turn + d as usize * block + position % block;
                let length = (run.take + run.skip) as usize;
                position += length;
                place(run, run.oc, values.get(at..at + length).unwrap_or(&[]));
            });
        }
        return Ok(dense);
    }
    let cores = accelerator.cores();
    for core in 0..cores.min(oc) {
        let order = u5x::Order {
            ofm_depth: (oc - core).div_ceil(cores),
            ifm_depth: ic,
            kernel_h,
            kernel_w,
            dilation_y: job.dilation[0],
            dilation_x: job.dilation[1],
            ofm_block: job.ofm_block.saturating_sub(core).div_ceil(cores),
            ofm_ublock: job.ofm_ublock,
            depthwise: job.depthwise,
            part_kernel: job.part_kernel,
            ifm_bits: job.ifm_bits,
        };
        let mut need = 0;
        order.visit(|run| need += (run.take + run.skip) as usize);
        values.clear();
        decoder.decode(streams.get(core as usize).unwrap_or(&[].as_slice()), need, &mut values)?;
        let mut at = 0;
        order.visit(|run| {
            let length = (run.take + run.skip) as usize;
            place(run, run.oc * cores + core, values.get(at..at + length).unwrap_or(&[]));
            at += length;
        });
    }
    Ok(dense)
}
