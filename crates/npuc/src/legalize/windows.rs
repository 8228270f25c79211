//! Convolutions and poolings whose window the hardware does not have.

use super::{Cx, MOST, Step, derived, part};
use crate::ir::{Elem, Elementwise, Factor, Input, Kernel, Kind, Op, Output, Pool, Scaling, View};
use crate::rules::is_nhwc;
use tombolo_tosa::Data;

/// Steps that the hardware has.
const STRIDE: usize = 3;
/// Distances of taps that it has.
const DILATION: usize = 2;
/// Taps of a convolution in one direction, and of a pooling.
const CONV: usize = 64;
const POOL: usize = 256;
/// Padding that a register holds, at the top and left.
const PAD: usize = 127;

impl Cx<'_> {
    pub(super) fn windowed(&mut self, op: &Op) -> Result<Step, String> {
        let Some(kernel) = window(op) else { return Ok(Step::Legal) };
        let (ifm, ofm) = (op.inputs[0].view.shape, op.output.view.shape);
        if let Some(size) = kernel.size.into_iter().find(|&s| s > MOST) {
            return Err(format!("a kernel of {size} taps in one direction"));
        }
        if let Some(step) = self.dense(op)? {
            return Ok(step);
        }
        // A step that is never made is one.
        let single = [0, 1].map(|a| if ofm[a] == 1 { 1 } else { kernel.stride[a] });
        let apart = [0, 1].map(|a| if kernel.size[a] == 1 { 1 } else { kernel.dilation[a] });
        if (single, apart) != (kernel.stride, kernel.dilation) {
            return Ok(Step::Into(vec![with(op, Kernel { stride: single, dilation: apart, ..kernel })]));
        }
        if let Some(cut) = taps_in_reach(op, &kernel) {
            return self.cut(op, &kernel, cut);
        }
        if let Some(axis) = (0..2).find(|&a| kernel.dilation[a] > DILATION) {
            return self.spread(op, &kernel, axis);
        }
        if let Some(axis) = (0..2).find(|&a| kernel.stride[a] > STRIDE) {
            if axis == 1
                && let Some(folded) = folded(op, &kernel)
            {
                return Ok(Step::Into(vec![folded]));
            }
            let count = ofm[axis];
            return (0..count).map(|i| lines(op, axis, i, 1)).collect::<Result<_, _>>().map(Step::Into);
        }
        if let Some(axis) = (0..2).find(|&a| ofm[a] > MOST || ifm[a] > MOST) {
            let rows =
                (MOST / kernel.stride[axis]).saturating_sub(kernel.size[axis] * kernel.dilation[axis]).max(1);
            let starts = (0..ofm[axis]).step_by(rows);
            let parts = starts.map(|i| lines(op, axis, i, rows.min(ofm[axis] - i)));
            let parts: Vec<Op> = parts.collect::<Result<_, _>>()?;
            if parts.len() > 1 {
                return Ok(Step::Into(parts));
            }
        }
        let most = if matches!(op.kind, Kind::Pool(..)) { POOL } else { CONV };
        let padded = kernel.padding(ifm, ofm).iter().any(|&p| p > 0);
        let most = match op.kind {
            Kind::Pool(Pool::Average, _) if padded => 8,
            _ => most,
        };
        if let Some(axis) = (0..2).find(|&a| kernel.size[a] > most) {
            return self.pieces(op, &kernel, axis, most);
        }
        if let Some(axis) = (0..2).find(|&a| kernel.pad[a] > PAD) {
            return Err(format!(
                "padding of {} is more than the {PAD} that the hardware has",
                kernel.pad[axis]
            ));
        }
        if ifm[2] > MOST || ofm[2] > MOST {
            return Err(format!(
                "{} channels are more than the {MOST} that the hardware has",
                ifm[2].max(ofm[2])
            ));
        }
        if matches!(op.kind, Kind::Conv { .. } | Kind::Depthwise { .. })
            && !crate::rules::one_pass(self.program, op, self.generation)
        {
            return Err(self.no_pass(op));
        }
        Ok(Step::Legal)
    }

    fn no_pass(&self, op: &Op) -> String {
        let (from, to) = (self.elem(&op.inputs[0].view), self.elem(&op.output.view));
        match to {
            Elem::I48 => "sums of 48 bits are not stored; a RESCALE must follow them".into(),
            _ if from == Elem::I16 => "the scale behind 16-bit inputs has more than 15 bits".into(),
            _ => format!("a {} of {from} to {to} is not possible", op.kind.name()),
        }
    }

    /// Channels as neighbours: what isn't is copied.
    pub(super) fn dense(&mut self, op: &Op) -> Result<Option<Step>, String> {
        if !is_nhwc(&op.inputs[0].view) {
            let (first, rest) = self.written_out(op, 0)?;
            return Ok(Some(Step::Into(vec![first, rest])));
        }
        if !is_nhwc(&op.output.view) {
            let elem = self.elem(&op.output.view);
            let between = self.temporary(op, elem, op.output.view.shape)?;
            return Ok(Some(Step::Into(super::matmul::copied_out(op, between))));
        }
        Ok(None)
    }

    /// Without the taps that no window uses.
    fn cut(&mut self, op: &Op, kernel: &Kernel, [rows, columns]: [[usize; 2]; 2]) -> Result<Step, String> {
        let size = [rows[1] - rows[0], columns[1] - columns[0]];
        let pad =
            [kernel.pad[0] - rows[0] * kernel.dilation[0], kernel.pad[1] - columns[0] * kernel.dilation[1]];
        let mut cut = with(op, Kernel { size, pad, ..*kernel });
        self.take_weights(op, &mut cut, kernel.size, [rows, columns])?;
        Ok(Step::Into(vec![cut]))
    }

    /// Gives an operation the weights of some of the rows and columns of the kernel.
    fn take_weights(
        &mut self,
        op: &Op,
        to: &mut Op,
        size: [usize; 2],
        [rows, columns]: [[usize; 2]; 2],
    ) -> Result<(), String> {
        let (Kind::Conv { weights, .. } | Kind::Depthwise { weights, .. }) = op.kind else { return Ok(()) };
        let data = self.program.tensor(weights).data.as_ref().ok_or("weights must be constant")?;
        let inner = match op.kind {
            Kind::Conv { .. } => op.inputs[0].view.shape[2],
            _ => op.output.view.shape[2],
        };
        let values = crate::ir::eval::numbers(data);
        let mut taken = Vec::new();
        for outer in values.chunks_exact(size[0] * size[1] * inner) {
            for row in rows[0]..rows[1] {
                taken.extend_from_slice(
                    &outer[(row * size[1] + columns[0]) * inner..(row * size[1] + columns[1]) * inner],
                );
            }
        }
        let taken = self.narrow(op, "weights", &taken)?;
        match &mut to.kind {
            Kind::Conv { weights, .. } | Kind::Depthwise { weights, .. } => *weights = taken,
            _ => {}
        }
        Ok(())
    }

    fn narrow(&mut self, op: &Op, what: &str, values: &[i64]) -> Result<crate::ir::TensorId, String> {
        let narrow: Option<Vec<i8>> = values.iter().map(|&v| i8::try_from(v).ok()).collect();
        Ok(match narrow {
            Some(narrow) => self.constant(op, what, Data::I8(narrow)),
            None => {
                let values = values.iter().map(|&v| i16::try_from(v)).collect::<Result<_, _>>();
                self.constant(op, what, Data::I16(values.map_err(|_| "weights of more than 16 bits")?))
            }
        })
    }

    /// Taps far apart: every so many rows are a convolution of their own.
    fn spread(&mut self, op: &Op, kernel: &Kernel, axis: usize) -> Result<Step, String> {
        let (distance, stride) = (kernel.dilation[axis], kernel.stride[axis]);
        let (ifm, ofm) = (op.inputs[0].view, op.output.view);
        if stride != 1 {
            // Rows one by one have no stride; more of them than are worth another way are rare.
            let count = ofm.shape[axis];
            if count > 1 {
                return (0..count).map(|i| lines(op, axis, i, 1)).collect::<Result<_, _>>().map(Step::Into);
            }
        }
        let every = |view: &View, start: usize| {
            let mut view = *view;
            view.offset += start * view.strides[axis];
            view.shape[axis] = (view.shape[axis] - start).div_ceil(distance);
            view.strides[axis] *= distance;
            view
        };
        let mut parts = Vec::new();
        for phase in 0..distance.min(ofm.shape[axis]) {
            let to = every(&ofm, phase);
            // Tap k of output phase + distance * q reads phase + distance * (q + k) - pad.
            let pad = kernel.pad[axis];
            let first = (phase + pad.next_multiple_of(distance) - pad) % distance;
            let before = (pad + first).saturating_sub(phase) / distance;
            if first >= ifm.shape[axis] {
                return Err("a window of padding only".into());
            }
            let from = every(&ifm, first);
            let mut inner = *kernel;
            inner.dilation[axis] = 1;
            inner.pad[axis] = before;
            let mut piece = with(op, inner);
            piece.inputs[0].view = from;
            piece.output.view = to;
            parts.push(piece);
        }
        Ok(Step::Into(parts))
    }

    /// A window too large, in pieces whose results are added or compared.
    fn pieces(&mut self, op: &Op, kernel: &Kernel, axis: usize, most: usize) -> Result<Step, String> {
        let ofm = op.output.view;
        let size = kernel.size[axis];
        let elem = self.elem(&op.inputs[0].view);
        let halves = [[0, most], [most, size]];
        let mut views = Vec::new();
        let mut parts = Vec::new();
        let maximum = matches!(op.kind, Kind::Pool(Pool::Max, _));
        let kind = self.as_sum(op)?;
        if elem == Elem::I16 && !maximum {
            return Err(format!(
                "a kernel of {size} taps with 16-bit inputs: parts of its sums have 48 bits"
            ));
        }
        for (n, taps) in halves.into_iter().enumerate() {
            let mut part_op = derived(op, kind.clone(), op.inputs.clone(), Output::plain(ofm));
            let shift = taps[0] * kernel.dilation[axis];
            let mut inner = *kernel;
            inner.size[axis] = taps[1] - taps[0];
            if shift > kernel.pad[axis] {
                let skip = shift - kernel.pad[axis];
                let view = part_op.inputs[0].view;
                if skip >= view.shape[axis] {
                    return Err("a window of padding only".into());
                }
                part_op.inputs[0].view = part(&view, axis, skip, view.shape[axis] - skip);
                inner.pad[axis] = 0;
            } else {
                inner.pad[axis] -= shift;
            }
            let mut range = [[0, kernel.size[0]], [0, kernel.size[1]]];
            range[axis] = taps;
            let whole = Op { kind: kind.clone(), ..op.clone() };
            part_op = with(&part_op, inner);
            self.take_weights(&whole, &mut part_op, kernel.size, range)?;
            if n > 0 && !maximum {
                let none = self.constant(op, "no bias", Data::I32(vec![0]));
                match &mut part_op.kind {
                    Kind::Conv { bias, .. } | Kind::Depthwise { bias, .. } => *bias = none,
                    _ => {}
                }
            }
            let to = self.temporary(op, if maximum { elem } else { Elem::I32 }, ofm.shape)?;
            part_op.output = Output { signed: !maximum || op.inputs[0].signed, ..Output::plain(to) };
            if maximum {
                part_op.inputs[0].zero_point = 0;
            }
            views.push(to);
            parts.push(part_op);
        }
        let how = if maximum { Elementwise::Max } else { Elementwise::Add };
        let (zero_point, signed) =
            if maximum { (op.inputs[0].zero_point, op.inputs[0].signed) } else { (0, true) };
        let inputs = views.into_iter().map(|view| Input::new(view, zero_point, signed)).collect();
        let mut output = op.output.clone();
        if matches!(op.kind, Kind::Pool(Pool::Average, _)) {
            output.scaling = Scaling::Global(average(kernel.size[0] * kernel.size[1])?);
        }
        parts.push(derived(op, Kind::Elementwise(how), inputs, output));
        Ok(Step::Into(parts))
    }

    /// A pooling that sums, as a convolution that does; others as they are.
    fn as_sum(&mut self, op: &Op) -> Result<Kind, String> {
        let Kind::Pool(Pool::Average, kernel) = op.kind else { return Ok(op.kind.clone()) };
        if kernel.padding(op.inputs[0].view.shape, op.output.view.shape).iter().any(|&p| p > 0) {
            return Err(format!(
                "an average over {:?} elements with padding: the hardware has up to 8 x 8",
                kernel.size
            ));
        }
        let taps = kernel.size[0] * kernel.size[1];
        let weights = self.constant(op, "ones", Data::I8(vec![1; taps * op.output.view.shape[2]]));
        let bias = self.constant(op, "no bias", Data::I32(vec![0]));
        Ok(Kind::Depthwise { kernel, weights, weight_zero_point: 0, bias })
    }
}

/// The factor of an average, as TOSA has it.
pub(crate) fn average(count: usize) -> Result<Factor, String> {
    let n = i64::try_from(count).map_err(|_| "an average of too many elements")?;
    let k = 64 - (n - 1).leading_zeros();
    let multiplier = ((1i64 << 30) + 1).checked_shl(k).filter(|_| k < 32).map(|m| m / n);
    let multiplier = multiplier.and_then(|m| i32::try_from(m).ok());
    Ok(Factor { multiplier: multiplier.ok_or("an average of too many elements")?, shift: (30 + k) as u8 })
}

fn window(op: &Op) -> Option<Kernel> {
    match op.kind {
        Kind::Conv { kernel, .. } | Kind::Depthwise { kernel, .. } | Kind::Pool(_, kernel) => Some(kernel),
        _ => None,
    }
}

fn with(op: &Op, new: Kernel) -> Op {
    let mut op = op.clone();
    match &mut op.kind {
        Kind::Conv { kernel, .. } | Kind::Depthwise { kernel, .. } | Kind::Pool(_, kernel) => *kernel = new,
        _ => {}
    }
    op
}

/// Rows and columns of taps that some window has on an element, if they are not all. A pooling counts its
/// elements, and its windows must not be cut.
fn taps_in_reach(op: &Op, kernel: &Kernel) -> Option<[[usize; 2]; 2]> {
    let (ifm, ofm) = (op.inputs[0].view.shape, op.output.view.shape);
    let range = [0, 1].map(|a| {
        let hit = |tap: usize| {
            let (at, pad) = (tap * kernel.dilation[a], kernel.pad[a]);
            // The first window in which this tap is behind the padding.
            let first = pad.saturating_sub(at).div_ceil(kernel.stride[a]);
            first < ofm[a] && first * kernel.stride[a] + at - pad < ifm[a]
        };
        // Only at the ends: between them a tap may be idle.
        let first = (0..kernel.size[a]).find(|&t| hit(t)).unwrap_or(0);
        // What is before must be padding of all windows, so that it comes off the padding.
        let first = first.min(kernel.pad[a] / kernel.dilation[a]);
        let last = (0..kernel.size[a]).rev().find(|&t| hit(t)).map_or(first + 1, |t| t + 1);
        [first, last.max(first + 1)]
    });
    let whole = [[0, kernel.size[0]], [0, kernel.size[1]]];
    (range != whole).then_some(range)
}

/// Some of the rows (or columns) of an output.
pub(crate) fn lines(op: &Op, axis: usize, start: usize, count: usize) -> Result<Op, String> {
    let Some(kernel) = window(op) else { return Err("no window".into()) };
    let ifm = op.inputs[0].view;
    let top = start * kernel.stride[axis];
    let reach = (count - 1) * kernel.stride[axis] + (kernel.size[axis] - 1) * kernel.dilation[axis] + 1;
    let first = top.saturating_sub(kernel.pad[axis]);
    let end = (top + reach).saturating_sub(kernel.pad[axis]).min(ifm.shape[axis]);
    if end <= first {
        return Err("a window of padding only".into());
    }
    let mut inner = kernel;
    inner.pad[axis] = kernel.pad[axis].saturating_sub(top);
    let mut piece = with(op, inner);
    piece.inputs[0].view = part(&ifm, axis, first, end - first);
    piece.output.view = part(&op.output.view, axis, start, count);
    Ok(piece)
}

/// Columns folded into channels, where the window steps over as many columns as it has: weights are then in the
/// same order.
fn folded(op: &Op, kernel: &Kernel) -> Option<Op> {
    let Kind::Conv { .. } = op.kind else { return None };
    let view = op.inputs[0].view;
    let [h, _, c] = view.shape;
    let steps = kernel.stride[1];
    let columns = op.output.view.shape[1];
    let neighbours = view.strides[1] == c && (view.strides[2] == 1 || c == 1);
    let fits = neighbours
        && kernel.size[1] == steps
        && kernel.dilation[1] == 1
        && kernel.pad[1] == 0
        && view.shape[1] >= columns * steps
        && steps * c <= MOST;
    if !fits {
        return None;
    }
    let mut folded = with(op, Kernel { size: [kernel.size[0], 1], stride: [kernel.stride[0], 1], ..*kernel });
    folded.inputs[0].view =
        View { shape: [h, columns, steps * c], strides: [view.strides[0], steps * c, 1], ..view };
    Some(folded)
}

impl Kernel {
    /// Padding at the top, left, bottom and right that the windows of this output reach into.
    pub fn padding(&self, ifm: [usize; 3], ofm: [usize; 3]) -> [usize; 4] {
        let end = |a: usize| {
            ((ofm[a] - 1) * self.stride[a] + (self.size[a] - 1) * self.dilation[a] + 1)
                .saturating_sub(self.pad[a] + ifm[a])
        };
        [self.pad[0], self.pad[1], end(0), end(1)]
    }
}
