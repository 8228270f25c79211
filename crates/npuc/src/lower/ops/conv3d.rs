//! CONV3D as one convolution of two dimensions for each output plane.
//!
//! What the filter meets along the depth becomes channels: the input is copied once so that the planes stand
//! behind each other in each pixel, and a plane of the output reads those that it needs. Sums are never stored
//! half done.

use super::super::{Cx, Strided, dense};
use super::convs::{Operands, Zeros, kernel, zero_weight};
use crate::ir::{Kind, TensorId, View};
use std::collections::BTreeMap;
use tombolo_tosa::ops::conv3d::Conv3d;
use tombolo_tosa::{Data, Operation};

pub(super) fn conv3d(cx: &mut Cx<'_, '_>, op: &Operation, attrs: &Conv3d) -> Result<(), String> {
    let all = Operands::of(cx, op)?;
    all.must_be_constant(cx)?;
    let to = cx.result(op)?;
    let (&[n, d, h, w, c], &[on, od, oh, ow, oc]) = (&all.from.dims[..], &to.dims[..]) else {
        return Err("volumes have five dimensions".into());
    };
    let &[wo, kd, kh, kw, wc] = &all.weights.dims[..] else {
        return Err("weights have five dimensions".into());
    };
    if (n, oc, c) != (on, wo, wc) {
        return Err(format!("weights {:?} do not make {:?}", all.weights.dims, to.dims));
    }
    let [pad_depth, _, top, bottom, left, right] = attrs.pad;
    let [sd, sy, sx] = attrs.stride;
    let [dd, dy, dx] = attrs.dilation;
    let kernel = kernel([kh, kw], [sy, sx], [dy, dx], [top, bottom, left, right])?;
    let planes = match kd {
        // Each plane stands as it is.
        1 => Strided { tensor: all.from.tensor, offset: 0, strides: dense(&all.from.dims) },
        _ => {
            let channels = d.checked_mul(c).ok_or("too many channels")?;
            let behind =
                cx.between(&all.from, "plane by plane", cx.elem(all.from.tensor), &[n, h, w, channels])?;
            // As batches, depth, rows, columns, channels.
            let [batch, row, column, _] = dense(&behind.dims)[..] else { return Err("no volume".into()) };
            let target =
                Strided { tensor: behind.tensor, offset: 0, strides: vec![batch, row, column, c, 1] };
            let [batch, plane, row, column, _] = dense(&all.from.dims)[..] else {
                return Err("no volume".into());
            };
            let source =
                Strided { tensor: all.from.tensor, offset: 0, strides: vec![batch, row, column, plane, 1] };
            cx.copy(&[n, h, w, d, c], source, &target)?;
            Strided { strides: vec![target.strides[0], c, target.strides[1], target.strides[2], 1], ..target }
        }
    };
    let filter =
        Filter { weights: all.weights.tensor, dims: [oc, kd, kh, kw, c], zero: all.weight_zero_point };
    let (mut made, mut zeros) = (BTreeMap::new(), Zeros::default());
    for i in 0..n {
        for plane in 0..od {
            let first = plane as i64 * i64::from(sd) - i64::from(pad_depth);
            let at =
                |tap: usize| usize::try_from(first + tap as i64 * i64::from(dd)).ok().filter(|&at| at < d);
            let met: Vec<usize> = (0..kd).filter(|&tap| at(tap).is_some()).collect();
            let target = View {
                tensor: to.tensor,
                offset: (i * od + plane) * oh * ow * oc,
                shape: [oh, ow, oc],
                strides: [ow * oc, oc, 1],
            };
            let source = View {
                tensor: planes.tensor,
                offset: planes.offset + i * planes.strides[0],
                shape: [h, w, c],
                strides: [planes.strides[2], planes.strides[3], 1],
            };
            let (Some(&low), Some(&high)) = (met.first(), met.last()) else {
                zeros.bias_only(cx, &all, source, target)?;
                continue;
            };
            // Between the taps of a dilated filter stand planes that it does not see.
            let step = usize::try_from(dd).map_err(|_| "a negative dilation")?;
            let weights = filter.part(cx, &mut made, [low, high, step])?;
            let source = View {
                offset: source.offset + at(low).unwrap_or(0) * planes.strides[1],
                shape: [h, w, ((high - low) * step + 1) * c],
                ..source
            };
            let bias = all.bias.tensor;
            let kind = Kind::Conv { kernel, weights, weight_zero_point: all.weight_zero_point, bias };
            zeros.convolve(cx, &all, &kind, source, target)?;
        }
    }
    Ok(())
}

/// Weights of output channels × depth × rows × columns × channels.
struct Filter {
    weights: TensorId,
    dims: [usize; 5],
    zero: i64,
}

impl Filter {
    /// Weights for the planes from a first to a last tap with a distance; each made once.
    fn part(
        &self,
        cx: &mut Cx<'_, '_>,
        made: &mut BTreeMap<[usize; 3], TensorId>,
        taps: [usize; 3],
    ) -> Result<TensorId, String> {
        if let Some(&weights) = made.get(&taps) {
            return Ok(weights);
        }
        let [oc, kd, kh, kw, c] = self.dims;
        let [low, high, step] = taps;
        let values = cx.bytes(self.weights)?;
        let planes = (high - low).checked_mul(step).ok_or("too many planes")? + 1;
        let mut part = vec![zero_weight(self.zero)?; cx.weights(&[oc, kh, kw, planes, c])?];
        for o in 0..oc {
            for tap in low..=high {
                for pixel in 0..kh * kw {
                    let from = ((o * kd + tap) * kh * kw + pixel) * c;
                    let to = ((o * kh * kw + pixel) * planes + (tap - low) * step) * c;
                    part[to..to + c].copy_from_slice(&values[from..from + c]);
                }
            }
        }
        let name = format!("{} planes {low} to {high}", cx.program.tensor(self.weights).name);
        let weights = cx.constant(name, cx.elem(self.weights), Data::I8(part));
        made.insert(taps, weights);
        Ok(weights)
    }
}
