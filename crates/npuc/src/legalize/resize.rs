//! Images at other points.

use super::{Cx, Step, derived};
use crate::ir::{Elem, Factor, Input, Kernel, Kind, Op, Output, ResizeAxis, ResizeMode, Scaling, View};
use crate::rules;
use tombolo_tosa::Data;

/// Outputs of one axis that come from the input in the same way: every so many, a step of the input each.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    /// The first output, the distance to the next, how many.
    out: [usize; 3],
    /// The first input, the distance to the next.
    from: [usize; 2],
    /// Of the input and of its successors.
    weights: Vec<i64>,
}

impl Cx<'_> {
    /// U85 has an operation. For U55 and U65 the outputs are sorted by where they are between the elements of
    /// the input; each sort is a copy or a depthwise convolution with constant weights, that writes every so many
    /// rows and columns.
    pub(super) fn resize(&mut self, op: &Op) -> Result<Step, String> {
        let Kind::Resize { mode, axes } = op.kind else { return Ok(Step::Legal) };
        if let Some(step) = self.dense(op)? {
            return Ok(step);
        }
        if !rules::one_pass(self.program, op, self.generation) {
            // The scale becomes an operation of its own.
            let (elem, shape) = (self.elem(&op.output.view), op.output.view.shape);
            let elem = if mode == ResizeMode::Nearest { elem } else { Elem::I32 };
            let between = self.temporary(op, elem, shape)?;
            let first = derived(op, op.kind.clone(), op.inputs.clone(), Output::plain(between));
            let second = vec![Input::new(between, 0, true)];
            return Ok(Step::Into(vec![first, derived(op, Kind::Identity, second, op.output.clone())]));
        }
        let (ifm, ofm) = (op.inputs[0].view.shape, op.output.view.shape);
        if self.u85() {
            let fits = |a: &ResizeAxis| {
                (1..=2048).contains(&a.numerator) && a.denominator > 0 && (-2048..2048).contains(&a.offset)
            };
            if axes.iter().all(fits) && self.elem(&op.inputs[0].view).bits() <= 16 {
                return Ok(Step::Legal);
            }
        }
        let narrow = self.elem(&op.inputs[0].view).bits() <= 16;
        if !self.u85() && mode == ResizeMode::Nearest && narrow && doubles(&axes, ifm, ofm) {
            return Ok(Step::Legal);
        }
        let stretches = |a: usize| stretches(mode, axes[a], ifm[a], ofm[a]);
        let (rows, columns) = (stretches(0)?, stretches(1)?);
        let mut parts = Vec::new();
        for row in &rows {
            for column in &columns {
                parts.push(match mode {
                    ResizeMode::Nearest => copied(op, row, column),
                    ResizeMode::Bilinear => self.weighted(op, row, column)?,
                });
            }
        }
        Ok(Step::Into(parts))
    }

    /// A depthwise convolution with the products of the weights of both axes.
    fn weighted(&mut self, op: &Op, row: &Stretch, column: &Stretch) -> Result<Op, String> {
        let depth = op.output.view.shape[2];
        let mut weights = Vec::new();
        for y in &row.weights {
            for x in &column.weights {
                let weight = y * x;
                if weight > 255 {
                    return Err(format!(
                        "a bilinear resize with weights of {weight}: the hardware multiplies by up to 255"
                    ));
                }
                weights.extend(std::iter::repeat_n(weight, depth));
            }
        }
        let size = [row.weights.len(), column.weights.len()];
        // Weights are signed bytes and a zero point: 0 to 255 as -128 to 127.
        let bytes = weights.iter().map(|&w| (w - 128) as i8).collect();
        let weights = self.constant(op, "weights", Data::I8(bytes));
        let bias = self.constant(op, "no bias", Data::I32(vec![0]));
        let mut views = [op.inputs[0].view, op.output.view];
        for (axis, stretch) in [row, column].into_iter().enumerate() {
            let [first, distance, count] = stretch.out;
            let to = &mut views[1];
            to.offset += first * to.strides[axis];
            to.strides[axis] *= distance;
            to.shape[axis] = count;
            let from = &mut views[0];
            from.offset += stretch.from[0] * from.strides[axis];
            from.shape[axis] = (count - 1) * stretch.from[1] + stretch.weights.len();
        }
        let stride = [row.from[1].max(1), column.from[1].max(1)];
        let kernel = Kernel { size, stride, dilation: [1, 1], pad: [0, 0] };
        let kind = Kind::Depthwise { kernel, weights, weight_zero_point: -128, bias };
        let input = Input { view: views[0], ..op.inputs[0] };
        Ok(derived(op, kind, vec![input], Output { view: views[1], ..op.output.clone() }))
    }
}

fn copied(op: &Op, row: &Stretch, column: &Stretch) -> Op {
    let mut copy = derived(op, Kind::Identity, op.inputs.clone(), op.output.clone());
    for (axis, stretch) in [row, column].into_iter().enumerate() {
        let [first, distance, count] = stretch.out;
        let place = |view: &mut View, first: usize, distance: usize| {
            view.offset += first * view.strides[axis];
            view.strides[axis] *= distance;
            view.shape[axis] = count;
        };
        place(&mut copy.inputs[0].view, stretch.from[0], stretch.from[1]);
        place(&mut copy.output.view, first, distance);
    }
    copy
}

/// The stretches of an axis. What is beyond the border is as the border.
fn stretches(mode: ResizeMode, axis: ResizeAxis, ifm: usize, ofm: usize) -> Result<Vec<Stretch>, String> {
    let ResizeAxis { numerator: n, denominator: d, offset } = axis;
    if n < 1 || d < 1 || ofm > 1 << 16 {
        return Err(format!("a resize by {n} / {d} to {ofm} elements"));
    }
    let (n, d, offset, last) = (i64::from(n), i64::from(d), i64::from(offset), ifm as i64 - 1);
    // Input and weights of an output.
    let source = |out: usize| {
        let at = out as i64 * d + offset;
        let (i, f) = (at.div_euclid(n), at.rem_euclid(n));
        let (low, high) = (i.clamp(0, last), (i + 1).clamp(0, last));
        match mode {
            ResizeMode::Nearest => (if 2 * f >= n { high } else { low } as usize, vec![1]),
            ResizeMode::Bilinear if low == high => (low as usize, vec![n]),
            ResizeMode::Bilinear if f == 0 => (low as usize, vec![n]),
            ResizeMode::Bilinear => (low as usize, vec![n - f, f]),
        }
    };
    let period = (n / gcd(n, d)) as usize;
    let mut all = Vec::new();
    for phase in 0..period.min(ofm) {
        let mut current: Option<Stretch> = None;
        for out in (phase..ofm).step_by(period) {
            let (from, weights) = source(out);
            if let Some(stretch) = &mut current {
                let count = stretch.out[2];
                let step = from.wrapping_sub(stretch.from[0]);
                // The second tells the distance.
                let goes_on = stretch.weights == weights
                    && if count == 1 { step > 0 && step < ifm } else { step == stretch.from[1] * count };
                if goes_on {
                    if count == 1 {
                        stretch.from[1] = step;
                    }
                    stretch.out[2] += 1;
                    continue;
                }
            }
            all.extend(current.replace(Stretch { out: [out, period, 1], from: [from, 1], weights }));
        }
        all.extend(current);
    }
    Ok(all)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether each element appears twice in both directions: a way of reading that U55 and U65 have.
pub(crate) fn doubles(axes: &[ResizeAxis; 2], ifm: [usize; 3], ofm: [usize; 3]) -> bool {
    (0..2).all(|a| {
        let ResizeAxis { numerator: n, denominator: d, offset } = axes[a];
        let (n, d, offset) = (i64::from(n), i64::from(d), i64::from(offset));
        n > 0
            && ofm[a] == 2 * ifm[a]
            && (0..ofm[a] as i64).all(|out| {
                let at = out * d + offset;
                let (i, f) = (at.div_euclid(n), at.rem_euclid(n));
                let next = i + i64::from(2 * f >= n);
                next.clamp(0, ifm[a] as i64 - 1) == out / 2
            })
    })
}

/// What U85's accumulators are shifted by before the output stage.
pub(crate) const PRESENTED: u8 = 16;

/// The scale of a resize, if it only shifts.
pub(crate) fn shift_only(scaling: &Scaling) -> Option<u8> {
    match scaling {
        Scaling::Global(f) if f.is_one() => Some(0),
        Scaling::Global(Factor { multiplier, shift }) if *multiplier > 0 => {
            let zeros = multiplier.trailing_zeros() as u8;
            let left = shift.checked_sub(zeros)?;
            (multiplier >> zeros == 1 && left < 48 - PRESENTED).then_some(left)
        }
        _ => None,
    }
}
