//! TRANSPOSE_CONV2D as ordinary convolutions.
//!
//! With a stride of s, outputs whose row is the same modulo s see the same rows of the filter, each at the next
//! row of the input: a phase. Each pair of a row's and a column's phase is a convolution with a stride of one that
//! writes every s-th row and column. Nothing is multiplied with the zeros between spread elements.

use super::super::{Cx, MOST};
use super::convs::{Operands, Zeros};
use super::movement::frame;
use crate::ir::{Input, Kernel, Kind, Output, View};
use tombolo_tosa::ops::transpose_conv2d::TransposeConv2d;
use tombolo_tosa::{Data, Operation};

/// A phase of one dimension.
struct Phase {
    /// The first output.
    first: usize,
    /// How many outputs.
    count: usize,
    /// The filter's elements in the order of the inputs that they meet.
    taps: Vec<usize>,
    /// The input that the first tap of the first output meets.
    start: i64,
    /// Outputs that meet any input: from, to.
    meet: [usize; 2],
}

fn phases(input: usize, kernel: usize, out: usize, stride: usize, pad: i64) -> Vec<Phase> {
    let phase = |first: usize| {
        let count = (out - first).div_ceil(stride);
        // The least tap that meets an input at all.
        let least = (first as i64 - pad).rem_euclid(stride as i64) as usize;
        let mut taps: Vec<usize> = (least..kernel).step_by(stride).collect();
        taps.reverse();
        let start = (first as i64 - pad - least as i64) / stride as i64 + 1 - taps.len() as i64;
        // A tap at place t of output j meets the input `start + j + t`.
        let low = (1 - start - taps.len() as i64).clamp(0, count as i64) as usize;
        let high = (input as i64 - start).clamp(low as i64, count as i64) as usize;
        let meet = if taps.is_empty() { [0, 0] } else { [low, high] };
        Phase { first, count, taps, start, meet }
    };
    (0..stride.min(out)).map(phase).collect()
}

pub(super) fn transpose_conv2d(
    cx: &mut Cx<'_, '_>,
    op: &Operation,
    attrs: &TransposeConv2d,
) -> Result<(), String> {
    let all = Operands::of(cx, op)?;
    all.must_be_constant(cx)?;
    let to = cx.result(op)?;
    let ((n, ifm), (on, ofm)) = (all.from.nhwc()?, to.nhwc()?);
    let &[oc, kh, kw, c] = &all.weights.dims[..] else { return Err("weights have four dimensions".into()) };
    if (n, oc, c) != (on, ofm[2], ifm[2]) {
        return Err(format!("weights {:?} do not make {:?}", all.weights.dims, to.dims));
    }
    let stride = attrs.stride.map(|s| usize::try_from(s).ok().filter(|&s| s > 0));
    let [Some(sy), Some(sx)] = stride else {
        return Err(format!("strides must be positive, and are {:?}", attrs.stride));
    };
    let count = sy.min(ofm[0]).checked_mul(sx.min(ofm[1])).and_then(|phases| phases.checked_mul(n));
    if count.is_none_or(|count| count > MOST) {
        return Err(format!("strides {:?} would need more than {MOST} operations", attrs.stride));
    }
    let rows = phases(ifm[0], kh, ofm[0], sy, attrs.out_pad[0].into());
    let columns = phases(ifm[1], kw, ofm[1], sx, attrs.out_pad[2].into());
    let values = cx.bytes(all.weights.tensor)?;
    let name = cx.program.tensor(all.weights.tensor).name.clone();
    let mut zeros = Zeros::default();
    for row in &rows {
        for column in &columns {
            let taps = [row.taps.len(), column.taps.len()];
            let mut weights = None;
            for i in 0..n {
                let target = to.batch(i, ofm);
                let target = View {
                    offset: target.offset + (row.first * ofm[1] + column.first) * oc,
                    shape: [row.count, column.count, oc],
                    strides: [sy * ofm[1] * oc, sx * oc, 1],
                    ..target
                };
                let [y, x] = [row, column].map(|p| p.meet);
                for [y, x] in frame([row.count, column.count], [y, x]) {
                    zeros.bias_only(cx, &all, all.from.batch(i, ifm), target.part([y, x]))?;
                }
                if y[0] >= y[1] || x[0] >= x[1] {
                    continue;
                }
                let weights = match weights {
                    Some(weights) => weights,
                    None => {
                        let mut chosen = Vec::with_capacity(cx.weights(&[oc, taps[0], taps[1], c])?);
                        for o in 0..oc {
                            for ky in &row.taps {
                                for kx in &column.taps {
                                    chosen.extend_from_slice(&values[((o * kh + ky) * kw + kx) * c..][..c]);
                                }
                            }
                        }
                        let name = format!("{name} of phase {} {}", row.first, column.first);
                        *weights.insert(cx.constant(name, cx.elem(all.weights.tensor), Data::I8(chosen)))
                    }
                };
                let mut source = all.from.batch(i, ifm);
                let mut pad = [0; 2];
                for (axis, (phase, from)) in [(row, y[0]), (column, x[0])].into_iter().enumerate() {
                    let first = phase.start + from as i64;
                    pad[axis] = usize::try_from(-first).unwrap_or(0);
                    let skipped = usize::try_from(first).unwrap_or(0);
                    source.offset += skipped * source.strides[axis];
                    source.shape[axis] -= skipped;
                }
                let kernel = Kernel { size: taps, stride: [1, 1], dilation: [1, 1], pad };
                let kind = Kind::Conv {
                    kernel,
                    weights,
                    weight_zero_point: all.weight_zero_point,
                    bias: all.bias.tensor,
                };
                let input = Input::new(source, all.zero_point, true);
                cx.push(kind, vec![input], Output::plain(target.part([y, x])))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of an output and a filter element that meets an input, as TOSA says it.
    #[test]
    fn phases_meet_what_the_operator_does() {
        for (input, kernel, stride, pad) in
            [(3, 3, 2, 0), (4, 2, 3, -1), (2, 5, 2, 3), (1, 1, 4, 2), (5, 4, 1, -3), (3, 7, 3, -6)]
        {
            let out = usize::try_from((input as i64 - 1) * stride as i64 + kernel as i64 + 2 * pad).unwrap();
            let mut expected = Vec::new();
            for o in 0..out {
                for k in 0..kernel {
                    let at = o as i64 - pad - k as i64;
                    if at % stride as i64 == 0 && (0..input as i64).contains(&(at / stride as i64)) {
                        expected.push((o, k, at / stride as i64));
                    }
                }
            }
            let mut found = Vec::new();
            for phase in phases(input, kernel, out, stride, pad) {
                for j in 0..phase.count {
                    let mut any = false;
                    for (t, &k) in phase.taps.iter().enumerate() {
                        let at = phase.start + j as i64 + t as i64;
                        if (0..input as i64).contains(&at) {
                            found.push((phase.first + j * stride, k, at));
                            any = true;
                        }
                    }
                    assert_eq!(
                        any,
                        (phase.meet[0]..phase.meet[1]).contains(&j),
                        "{input} {kernel} {stride} {pad}"
                    );
                }
            }
            found.sort_unstable();
            assert_eq!(found, expected, "{input} {kernel} {stride} {pad}");
        }
    }
}
