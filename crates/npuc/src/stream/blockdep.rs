//! BLOCKDEP: how far an operation may run ahead of the one before.
//!
//! With BLOCKDEP `n`, block `i` may be read while the last `n - i` blocks of the operation before are not written
//! yet (facts 1.3). The bytes of these blocks are compared. Where blocks can't be told apart, an input counts as
//! read whole by the first.

use super::bytes::{Bytes, Span, area};
use super::common::{dilated, ofm_shape};
use super::hazards::{Touched, meet};
use crate::hw::{FeatureMap, KernelOp, Kind, Operand, Pool, Transpose, Upscale};

/// What the operation before left behind.
#[derive(Debug)]
pub(super) struct Before {
    touched: Touched,
    ofm: FeatureMap,
    block: [usize; 3],
    /// Blocks lie where their indices say.
    plain: bool,
    /// It used a table.
    pub(super) table: bool,
}

impl Before {
    pub(super) fn new(op: &KernelOp, touched: Touched) -> Before {
        let plain = op.transpose == Transpose::Hwc && op.ofm.strides.iter().all(|stride| *stride >= 0);
        Before { touched, ofm: op.ofm.clone(), block: op.block.ofm, plain, table: op.lut.is_some() }
    }

    /// The bytes of the block `back` before the last.
    fn job(&self, back: usize) -> Option<Bytes> {
        let index = count(self.ofm.shape, self.block).checked_sub(back)?.checked_sub(1)?;
        let [rows, columns, channels] = place(self.ofm.shape, self.block, index)?;
        Some(area(&self.ofm, rows, columns, channels))
    }
}

/// The greatest BLOCKDEP up to `most` that is safe. `ifm` is what the operation reaches of its input.
pub(super) fn blockdep(
    before: &Before,
    op: &KernelOp,
    touched: &Touched,
    ifm: [usize; 3],
    most: usize,
) -> usize {
    if !meet(&before.touched.writes, &touched.reads) {
        return most;
    }
    if !before.plain {
        return 0;
    }
    let inputs: Vec<Input<'_>> =
        Input::all(op, ifm).into_iter().filter(|input| input.map.region == before.ofm.region).collect();
    // As Vela does: not more than there are blocks.
    let most = most
        .min(count(before.ofm.shape, before.block))
        .min(inputs.iter().map(Input::jobs).min().unwrap_or(usize::MAX));
    let last: Vec<Option<Bytes>> = (0..most).map(|back| before.job(back)).collect();
    let first: Vec<Vec<Bytes>> =
        (0..most).map(|ahead| inputs.iter().filter_map(|input| input.job(ahead)).collect()).collect();
    // The first with a block ahead and a block back that meet, and that many blocks between them.
    (0..most)
        .find(|both| {
            first.iter().take(both + 1).zip(last.iter().take(both + 1).rev()).any(|(reads, written)| {
                written.as_ref().is_some_and(|written| reads.iter().any(|read| read.meets(written)))
            })
        })
        .unwrap_or(most)
}

/// How many blocks cover the shape.
fn count(shape: [usize; 3], block: [usize; 3]) -> usize {
    shape.iter().zip(block).fold(1usize, |n, (size, block)| n.saturating_mul(size.div_ceil(block.max(1))))
}

/// Rows, columns and channels of block `index`; depth goes fastest, then width, then height.
fn place(shape: [usize; 3], block: [usize; 3], index: usize) -> Option<[Span; 3]> {
    let [_, columns, channels] = [0, 1, 2].map(|i| shape[i].div_ceil(block[i].max(1)).max(1));
    if index >= count(shape, block) {
        return None;
    }
    let at = [index / channels / columns, index / channels % columns, index % channels];
    Some([0, 1, 2].map(|i| {
        let start = at[i].saturating_mul(block[i].max(1));
        (start, start.saturating_add(block[i].max(1)).min(shape[i]))
    }))
}

/// An input in memory, and how the blocks of the output come to read it.
#[derive(Debug)]
struct Input<'a> {
    op: &'a KernelOp,
    map: &'a FeatureMap,
    shape: [usize; 3],
    /// The output before it is transposed.
    ofm: [usize; 3],
    /// By blocks; else it counts as read whole by the first.
    blocks: bool,
    /// Pieces of the depth that each block of the output is made of one after the other.
    pieces: usize,
}

impl<'a> Input<'a> {
    fn all(op: &'a KernelOp, ifm: [usize; 3]) -> Vec<Input<'a>> {
        let mut all = Vec::new();
        let ofm = ofm_shape(op);
        let deep = matches!(op.kind, Kind::Conv | Kind::MatMul | Kind::Pool(Pool::ReduceSum));
        let elementwise = matches!(op.kind, Kind::Elementwise(_));
        // Mode NONE reads the second operand only.
        if op.kind != Kind::Pool(Pool::None) {
            let blocks = match op.kind {
                Kind::Resize { .. } => false,
                Kind::Elementwise(_) => op.ifm.shape == ofm,
                _ => true,
            };
            let pieces = if deep { ifm[2].div_ceil(op.block.ifm[2].max(1)).max(1) } else { 1 };
            all.push(Input { op, map: &op.ifm, shape: ifm, ofm, blocks, pieces });
        }
        if let Some(Operand::Map(map)) = &op.ifm2 {
            let blocks = elementwise && map.shape == ofm;
            all.push(Input { op, map, shape: map.shape, ofm, blocks, pieces: 1 });
        }
        all
    }

    /// How many reads there are.
    fn jobs(&self) -> usize {
        count(self.ofm, self.op.block.ofm).saturating_mul(self.pieces)
    }

    /// The bytes that read `ahead` takes, counted from the first.
    fn job(&self, ahead: usize) -> Option<Bytes> {
        let [height, width, depth] = self.shape;
        if !self.blocks {
            return (ahead == 0).then(|| area(self.map, (0, height), (0, width), (0, depth)));
        }
        let (block, piece) = (ahead / self.pieces, ahead % self.pieces);
        let [rows, columns, channels] = place(self.ofm, self.op.block.ofm, block)?;
        if matches!(self.op.kind, Kind::Elementwise(_)) {
            return Some(area(self.map, rows, columns, channels));
        }
        let window = &self.op.window;
        let dilated = dilated(window).ok()?;
        let scale = if self.op.upscale == Upscale::None { 1 } else { 2 };
        let reach = |(start, end): Span, axis: usize, limit: usize| -> Span {
            let (stride, pad) = (window.stride[axis], window.pad[axis]);
            let first = start.saturating_mul(stride).saturating_sub(pad) / scale;
            let last = end.saturating_sub(1).saturating_mul(stride).saturating_add(dilated[axis]);
            let last = last.saturating_sub(pad).div_ceil(scale);
            (first.min(limit), last.min(limit))
        };
        let channels = match self.pieces {
            // Depthwise operations and poolings have the channels of the output.
            1 if !matches!(self.op.kind, Kind::Conv | Kind::MatMul | Kind::Pool(Pool::ReduceSum)) => channels,
            1 => (0, depth),
            _ => {
                let step = self.op.block.ifm[2].max(1);
                let start = piece.saturating_mul(step);
                (start.min(depth), start.saturating_add(step).min(depth))
            }
        };
        Some(area(self.map, reach(rows, 0, height), reach(columns, 1, width), channels))
    }
}
