//! Convolutions whose weights or biases are computed: no weight stream can be made of them.
//!
//! A CONV2D becomes a product of matrices, of what each window sees and the weights; a DEPTHWISE_CONV2D a product
//! and an addition for each tap. The bias is added afterwards, to sums of 32 bits; those of 48 can't be stored.

use super::super::{Cx, Place, Strided, dense};
use super::convs::Operands;
use super::movement::padded;
use crate::ir::{Elem, Elementwise, Input, Kernel, Kind, Output, View};
use tombolo_tosa::Operation;

/// The input with its padding, for windows that are not to leave it; the start of each tap's elements and the
/// strides of its rows and columns in it.
struct Windows {
    source: Place,
    kernel: Kernel,
}

impl Windows {
    fn of(cx: &mut Cx<'_, '_>, all: &Operands, kernel: &Kernel, ofm: [usize; 3]) -> Result<Windows, String> {
        let (n, ifm) = all.from.nhwc()?;
        let mut padding = [[0; 2]; 4];
        let mut dims = vec![n, 0, 0, ifm[2]];
        for axis in 0..2 {
            let last = (ofm[axis] - 1).checked_mul(kernel.stride[axis]);
            let reach = (kernel.size[axis] - 1).checked_mul(kernel.dilation[axis]);
            let end = last.zip(reach).and_then(|(last, reach)| last.checked_add(reach)?.checked_add(1));
            let end =
                end.ok_or("a window that reaches too far")?.max(ifm[axis].saturating_add(kernel.pad[axis]));
            dims[axis + 1] = end;
            padding[axis + 1] = [kernel.pad[axis], end - ifm[axis] - kernel.pad[axis]];
        }
        let mut windows = Windows { source: all.from.clone(), kernel: *kernel };
        if dims != windows.source.dims {
            windows.source = cx.between(&all.from, "padded", cx.elem(all.from.tensor), &dims)?;
            padded(cx, &all.from, padding.as_flattened(), all.zero_point, &windows.source)?;
        }
        Ok(windows)
    }

    /// What a tap sees, in the dimensions of the output.
    fn tap(&self, ky: usize, kx: usize) -> Strided {
        let strides = dense(&self.source.dims);
        let Kernel { stride, dilation, .. } = self.kernel;
        Strided {
            tensor: self.source.tensor,
            offset: ky * dilation[0] * strides[1] + kx * dilation[1] * strides[2],
            strides: vec![strides[0], stride[0] * strides[1], stride[1] * strides[2], 1],
        }
    }
}

fn check(cx: &Cx<'_, '_>, all: &Operands, to: &Place) -> Result<(), String> {
    if cx.elem(to.tensor) != Elem::I32 {
        return Err("with computed weights or bias, sums must be i32, and are i48".into());
    }
    if cx.elem(all.weights.tensor) != cx.elem(all.from.tensor) {
        return Err("computed weights must have the type of the input".into());
    }
    Ok(())
}

/// The bias for all outputs.
fn bias(all: &Operands, to: &Place) -> Result<Strided, String> {
    let channels = to.dims.last().copied().unwrap_or(1);
    let stride = match all.bias.dims[..] {
        [n] if n == channels => 1,
        [1] => 0,
        _ => return Err(format!("a bias of the shape {:?} for {channels} channels", all.bias.dims)),
    };
    Ok(Strided { tensor: all.bias.tensor, offset: 0, strides: vec![0, 0, 0, stride] })
}

pub(super) fn conv2d(
    cx: &mut Cx<'_, '_>,
    op: &Operation,
    all: &Operands,
    kernel: &Kernel,
) -> Result<(), String> {
    let to = cx.result(op)?;
    check(cx, all, &to)?;
    let ((n, [_, _, c]), (on, [oh, ow, oc])) = (all.from.nhwc()?, to.nhwc()?);
    let [kh, kw] = kernel.size;
    if all.weights.dims != [oc, kh, kw, c] || n != on {
        return Err(format!("weights {:?} do not make {:?}", all.weights.dims, to.dims));
    }
    let windows = Windows::of(cx, all, kernel, [oh, ow, oc])?;
    let seen = kh.checked_mul(kw).and_then(|taps| taps.checked_mul(c)).ok_or("too many weights")?;
    // Each window's elements in the order of the weights; a window of one element has them already.
    let rows = if kh * kw == 1 {
        windows.tap(0, 0)
    } else {
        let patches = cx.between(&all.from, "windows", cx.elem(all.from.tensor), &[n, oh, ow, seen])?;
        for tap in 0..kh * kw {
            let target = Strided { offset: tap * c, ..patches.strided() };
            cx.copy(&[n, oh, ow, c], windows.tap(tap / kw, tap % kw), &target)?;
        }
        patches.strided()
    };
    let sums = cx.between(&to, "sums", Elem::I32, &to.dims)?;
    for i in 0..n {
        let first = View {
            tensor: rows.tensor,
            offset: rows.offset + i * rows.strides[0],
            shape: [oh, ow, seen],
            strides: [rows.strides[1], rows.strides[2], 1],
        };
        let second = View { shape: [1, oc, seen], ..View::dense(all.weights.tensor, [1, oc, seen]) };
        let inputs =
            vec![Input::new(first, all.zero_point, true), Input::new(second, all.weight_zero_point, true)];
        cx.push(Kind::MatMul, inputs, Output::plain(sums.batch(i, [oh, ow, oc])))?;
    }
    let inputs = [(sums.strided(), 0, true), (bias(all, &to)?, 0, true)];
    cx.each(&Kind::Elementwise(Elementwise::Add), &to.dims, &inputs, &to.strided(), Output::plain)
}

pub(super) fn depthwise(
    cx: &mut Cx<'_, '_>,
    op: &Operation,
    all: &Operands,
    kernel: &Kernel,
) -> Result<(), String> {
    let to = cx.result(op)?;
    check(cx, all, &to)?;
    let ((n, [_, _, c]), (on, [oh, ow, oc])) = (all.from.nhwc()?, to.nhwc()?);
    let [kh, kw] = kernel.size;
    let m = all.weights.dims.last().copied().unwrap_or(1);
    if all.weights.dims != [kh, kw, c, m] || n != on || c.checked_mul(m) != Some(oc) {
        return Err(format!("weights {:?} do not make {:?}", all.weights.dims, to.dims));
    }
    let windows = Windows::of(cx, all, kernel, [oh, ow, oc])?;
    // Channels and multiples are dimensions of their own.
    let dims = [n, oh, ow, c, m];
    let split = |s: &Strided| {
        let [a, b, d, last] = s.strides[..] else { return Err("no image".to_owned()) };
        Ok(Strided { strides: vec![a, b, d, last * m, last], ..s.clone() })
    };
    let mut sums = split(&bias(all, &to)?)?;
    for tap in 0..kh * kw {
        let mut seen = windows.tap(tap / kw, tap % kw);
        seen.strides.push(0);
        let weights = Strided { tensor: all.weights.tensor, offset: tap * oc, strides: vec![0, 0, 0, m, 1] };
        let product = split(&cx.between(&to, "product", Elem::I32, &to.dims)?.strided())?;
        let inputs = [(seen, all.zero_point, true), (weights, all.weight_zero_point, true)];
        cx.each(&Kind::Elementwise(Elementwise::Mul), &dims, &inputs, &product, Output::plain)?;
        let sum = match tap + 1 == kh * kw {
            true => split(&to.strided())?,
            false => split(&cx.between(&to, "sum", Elem::I32, &to.dims)?.strided())?,
        };
        let inputs = [(sums, 0, true), (product, 0, true)];
        cx.each(&Kind::Elementwise(Elementwise::Add), &dims, &inputs, &sum, Output::plain)?;
        sums = sum;
    }
    Ok(())
}
