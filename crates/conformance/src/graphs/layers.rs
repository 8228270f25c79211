//! What graphs are made of: each layer takes activations and makes one.

use super::build::{Activation, Builder};
use tombolo_tosa::ops::{
    abs::Abs, add::Add, argmax::ArgMax, arithmetic_right_shift::ArithmeticRightShift, avg_pool2d::AvgPool2d,
    bitwise_and::BitwiseAnd, bitwise_not::BitwiseNot, bitwise_or::BitwiseOr, bitwise_xor::BitwiseXor,
    cast::Cast, clamp::Clamp, clz::Clz, concat::Concat, conv2d::Conv2d, conv3d::Conv3d,
    depthwise_conv2d::DepthwiseConv2d, equal::Equal, gather::Gather, greater::Greater,
    greater_equal::GreaterEqual, identity::Identity, intdiv::IntDiv, logical_and::LogicalAnd,
    logical_left_shift::LogicalLeftShift, logical_not::LogicalNot, logical_or::LogicalOr,
    logical_right_shift::LogicalRightShift, logical_xor::LogicalXor, matmul::MatMul, max_pool2d::MaxPool2d,
    maximum::Maximum, minimum::Minimum, mul::Mul, negate::Negate, pad::Pad, reduce_all::ReduceAll,
    reduce_any::ReduceAny, reduce_max::ReduceMax, reduce_min::ReduceMin, reduce_sum::ReduceSum,
    reshape::Reshape, resize::Resize, reverse::Reverse, scatter::Scatter, select::Select, slice::Slice,
    sub::Sub, table::Table, tile::Tile, transpose::Transpose, transpose_conv2d::TransposeConv2d,
};
use tombolo_tosa::{Dtype, NanMode, Op, ResizeMode, TensorId};

const NAN_MODE: NanMode = NanMode::Propagate;

type Layer = fn(&mut Builder) -> Option<()>;

/// Layers, and how often they come.
const LAYERS: &[(usize, Layer)] = &[
    (8, conv2d),
    (5, depthwise),
    (2, transpose_conv),
    (1, conv3d),
    (4, pool),
    (8, arithmetic),
    (3, table),
    (2, clamp),
    (3, reshape),
    (3, transpose),
    (3, slice),
    (3, pad),
    (3, concat),
    (1, tile),
    (1, reverse),
    (1, identity),
    (4, matmul),
    (3, reduce),
    (1, argmax),
    (3, resize),
    (2, unary),
    (2, bits),
    (1, shift),
    (1, divide),
    (3, choose),
    (1, cast),
    (2, gather),
    (1, scatter),
];

/// Adds layers.
pub(super) fn grow(b: &mut Builder) {
    let total: usize = LAYERS.iter().map(|(often, _)| often).sum();
    let wanted = b.random.size(1, b.options.layers.max(1));
    let mut made = 0;
    // Each try may fail; there are enough of them.
    for _ in 0..wanted * 8 {
        if made == wanted {
            break;
        }
        let mut at = b.random.size(0, total - 1);
        let mark = b.mark();
        let layer = LAYERS.iter().find(|(often, _)| match at.checked_sub(*often) {
            Some(rest) => {
                at = rest;
                false
            }
            None => true,
        });
        let Some((_, layer)) = layer else { continue };
        if layer(b).is_none() || b.breaks(mark) {
            b.back(mark);
        } else {
            made += 1;
        }
    }
}

/// One of the activations, more often a late one.
fn any(b: &mut Builder) -> Option<Activation> {
    let count = b.activations.len();
    let first = if b.random.one_of(3) { 0 } else { count.saturating_sub(2) };
    let i = b.random.size(first, count.checked_sub(1)?);
    b.activations.get(i).copied()
}

/// One of four dimensions.
fn image(b: &mut Builder) -> Option<(Activation, [usize; 4])> {
    let x = any(b)?;
    Some((x, b.dims(x.id).try_into().ok()?))
}

fn done(b: &mut Builder, made: Activation) -> Option<()> {
    b.activations.push(made);
    Some(())
}

/// As `x`, with its quantization.
fn like(b: &mut Builder, x: Activation, id: TensorId) -> Option<()> {
    done(b, Activation { id, ..x })
}

/// The type of sums of products.
fn sums(dtype: Dtype) -> Dtype {
    if dtype == Dtype::I16 { Dtype::I48 } else { Dtype::I32 }
}

/// Plain numbers become an activation of the type that others have.
fn quantize(b: &mut Builder, id: TensorId, to: Dtype) -> Option<()> {
    quantize_by(b, id, to, false)
}

/// As [`quantize`], often with a factor for each channel: what follows a convolution.
fn quantize_channels(b: &mut Builder, id: TensorId, to: Dtype) -> Option<()> {
    let per_channel = !b.random.one_of(3);
    quantize_by(b, id, to, per_channel)
}

fn quantize_by(b: &mut Builder, id: TensorId, to: Dtype, per_channel: bool) -> Option<()> {
    let peak = match to {
        Dtype::I8 => b.random.range(60, 170),
        _ => b.random.range(3000, 40_000),
    };
    let made = b.rescale_by(Activation { id, zero_point: 0 }, to, peak, per_channel)?;
    done(b, made)
}

/// An activation as plain numbers of 32 bits, of about so many bits.
fn widen(b: &mut Builder, x: Activation, bits: u32) -> Option<TensorId> {
    Some(b.rescale(x, Dtype::I32, 1 << bits)?.id)
}

/// Padding, kernel and stride of a dimension, so that windows fit exactly.
struct Axis {
    kernel: usize,
    stride: i32,
    dilation: i32,
    pad: [i32; 2],
}

fn axis(b: &mut Builder, size: usize, most: usize, dilated: bool) -> Option<Axis> {
    let random = &mut b.random;
    let kernel = random.size(1, most);
    let stride = if random.one_of(3) { random.size(1, 3) } else { 1 };
    let dilation = if dilated && random.one_of(4) { random.size(1, 3) } else { 1 };
    let reach = (kernel - 1) * dilation;
    let before = if random.one_of(2) { random.size(0, reach) } else { 0 };
    let mut behind = if random.one_of(2) { random.size(0, reach) } else { 0 };
    let span = |behind: usize| (size + before + behind).checked_sub(reach + 1);
    while span(behind).is_none_or(|span| span % stride != 0) {
        behind += 1;
        if behind > reach {
            return None;
        }
    }
    let pad = [before as i32, behind as i32];
    Some(Axis { kernel, stride: stride as i32, dilation: dilation as i32, pad })
}

/// Weights, perhaps of an earlier layer, with their zero point.
fn weights(b: &mut Builder, x: Activation, dims: &[usize]) -> Option<(TensorId, i64)> {
    let fitting: Vec<TensorId> = b.weights.iter().copied().filter(|&id| b.dims(id) == dims).collect();
    if let (Some(id), true) = (b.random.pick(&fitting), b.random.one_of(2)) {
        return Some((id, 0));
    }
    let four = b.dtype(x.id) == Dtype::I8 && b.random.one_of(8);
    let (dtype, most) = if four { (Dtype::I4, 7) } else { (Dtype::I8, b.random.range(20, 127)) };
    let id = b.noise(dtype, dims, most)?;
    if !four {
        b.weights.push(id);
    }
    Some((id, if !four && b.random.one_of(8) { b.random.range(-9, 9) } else { 0 }))
}

/// The operands of a convolution.
fn operands(b: &mut Builder, x: Activation, dims: &[usize], channels: usize) -> Option<[TensorId; 5]> {
    let (w, weight_zero_point) = weights(b, x, dims)?;
    let (xt, wt) = (b.dtype(x.id), b.dtype(w));
    let biases = if b.random.one_of(5) { 1 } else { channels };
    let most = if xt == Dtype::I16 { 1 << 20 } else { 5000 };
    let bias = b.noise(sums(xt), &[biases], most)?;
    Some([x.id, w, bias, b.number(xt, x.zero_point)?, b.number(wt, weight_zero_point)?])
}

fn conv2d(b: &mut Builder) -> Option<()> {
    let (x, [_, h, w, c]) = image(b)?;
    let (y, z) = (axis(b, h, 4, true)?, axis(b, w, 4, true)?);
    let oc = b.random.size(1, 20);
    let mut inputs = operands(b, x, &[oc, y.kernel, z.kernel, c], oc)?;
    let dtype = b.dtype(x.id);
    if dtype == Dtype::I8 && b.random.one_of(12) {
        // Weights that are computed.
        let dims = b.dims(inputs[1]);
        let count: usize = dims.iter().product();
        let size = b.dims(x.id).iter().product::<usize>();
        if b.dtype(inputs[1]) == Dtype::I8 && count <= size {
            let start = b.shape(&[0])?;
            let length = b.shape(&[count as i64])?;
            let shape = b.shape(&dims.iter().map(|&d| d as i64).collect::<Vec<i64>>())?;
            let all = b.shape(&[size as i64])?;
            let line = b.apply(Op::Reshape(Reshape {}), &[x.id, all], dtype)?;
            let part = b.apply(Op::Slice(Slice {}), &[line, start, length], dtype)?;
            inputs[1] = b.apply(Op::Reshape(Reshape {}), &[part, shape], dtype)?;
        }
    }
    let acc_type = sums(dtype);
    let op = Op::Conv2d(Conv2d {
        pad: [y.pad[0], y.pad[1], z.pad[0], z.pad[1]],
        stride: [y.stride, z.stride],
        dilation: [y.dilation, z.dilation],
        local_bound: false,
        acc_type,
    });
    let made = b.apply(op, &inputs, acc_type)?;
    quantize_channels(b, made, dtype)
}

fn depthwise(b: &mut Builder) -> Option<()> {
    let (x, [_, h, w, c]) = image(b)?;
    let (y, z) = (axis(b, h, 4, true)?, axis(b, w, 4, true)?);
    let m = if b.random.one_of(3) { b.random.size(1, 3) } else { 1 };
    let inputs = operands(b, x, &[y.kernel, z.kernel, c, m], c * m)?;
    let dtype = b.dtype(x.id);
    let acc_type = sums(dtype);
    let op = Op::DepthwiseConv2d(DepthwiseConv2d {
        pad: [y.pad[0], y.pad[1], z.pad[0], z.pad[1]],
        stride: [y.stride, z.stride],
        dilation: [y.dilation, z.dilation],
        local_bound: false,
        acc_type,
    });
    let made = b.apply(op, &inputs, acc_type)?;
    quantize_channels(b, made, dtype)
}

fn transpose_conv(b: &mut Builder) -> Option<()> {
    let (x, [_, _, _, c]) = image(b)?;
    let (kh, kw, oc) = (b.random.size(1, 4), b.random.size(1, 4), b.random.size(1, 12));
    let inputs = operands(b, x, &[oc, kh, kw, c], oc)?;
    let mut pad = |kernel: usize| b.random.range(1 - kernel as i64, 1) as i32;
    let out_pad = [pad(kh), pad(kh), pad(kw), pad(kw)];
    let stride = [b.random.size(1, 3) as i32, b.random.size(1, 3) as i32];
    let dtype = b.dtype(x.id);
    let acc_type = sums(dtype);
    let op = Op::TransposeConv2d(TransposeConv2d { out_pad, stride, local_bound: false, acc_type });
    let made = b.apply(op, &inputs, acc_type)?;
    quantize_channels(b, made, dtype)
}

/// Rows become planes.
fn conv3d(b: &mut Builder) -> Option<()> {
    let (x, [n, h, w, c]) = image(b)?;
    let depth = (2..=h).find(|d| h % d == 0)?;
    let dtype = b.dtype(x.id);
    let shape = b.shape(&[n, depth, h / depth, w, c].map(|d| d as i64))?;
    let volume = Activation { id: b.apply(Op::Reshape(Reshape {}), &[x.id, shape], dtype)?, ..x };
    let (d, y, z) = (axis(b, depth, 3, true)?, axis(b, h / depth, 3, false)?, axis(b, w, 3, false)?);
    let oc = b.random.size(1, 8);
    let inputs = operands(b, volume, &[oc, d.kernel, y.kernel, z.kernel, c], oc)?;
    let op = Op::Conv3d(Conv3d {
        pad: [d.pad[0], d.pad[1], y.pad[0], y.pad[1], z.pad[0], z.pad[1]],
        stride: [d.stride, y.stride, z.stride],
        dilation: [d.dilation, y.dilation, z.dilation],
        local_bound: false,
        acc_type: sums(dtype),
    });
    let made = b.apply(op, &inputs, sums(dtype))?;
    let [n, d, h, w, c] = b.dims(made).try_into().ok()?;
    let shape = b.shape(&[n, d * h, w, c].map(|d| d as i64))?;
    let flat = b.apply(Op::Reshape(Reshape {}), &[made, shape], sums(dtype))?;
    quantize_channels(b, flat, dtype)
}

fn pool(b: &mut Builder) -> Option<()> {
    let (x, [_, h, w, _]) = image(b)?;
    let (y, z) = (axis(b, h, 4, false)?, axis(b, w, 4, false)?);
    let dtype = b.dtype(x.id);
    let (kernel, stride) = ([y.kernel as i32, z.kernel as i32], [y.stride, z.stride]);
    let pad = [y.pad[0], y.pad[1], z.pad[0], z.pad[1]];
    if b.random.one_of(2) {
        let op = Op::MaxPool2d(MaxPool2d { kernel, stride, pad, nan_mode: NAN_MODE });
        let made = b.apply(op, &[x.id], dtype)?;
        return like(b, x, made);
    }
    let zero_point = if dtype == Dtype::I8 { x.zero_point + b.random.range(-3, 3) } else { 0 };
    let inputs = [x.id, b.number(dtype, x.zero_point)?, b.number(dtype, zero_point)?];
    let op = Op::AvgPool2d(AvgPool2d { kernel, stride, pad, acc_type: Dtype::I32 });
    let id = b.apply(op, &inputs, dtype)?;
    done(b, Activation { id, zero_point })
}

/// Something that broadcasts with `x`: another activation, itself, or a constant.
fn partner(b: &mut Builder, x: Activation) -> Option<Activation> {
    let dims = b.dims(x.id);
    let fits = |other: &[usize]| {
        other.len() == dims.len() && other.iter().zip(&dims).all(|(a, b)| a == b || *a == 1 || *b == 1)
    };
    let fitting: Vec<Activation> = b.activations.iter().copied().filter(|a| fits(&b.dims(a.id))).collect();
    if !b.random.one_of(4) {
        return b.random.pick(&fitting);
    }
    let keep = b.random.next();
    let dims: Vec<usize> =
        dims.iter().enumerate().map(|(i, &d)| if keep >> i & 1 == 1 { d } else { 1 }).collect();
    let dtype = b.dtype(x.id);
    let most = if dtype == Dtype::I8 { 120 } else { 30_000 };
    Some(Activation { id: b.noise(dtype, &dims, most)?, zero_point: 0 })
}

/// As quantized arithmetic comes from PyTorch: both operands to 32 bits, and the result back.
fn arithmetic(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let y = partner(b, x)?;
    let dtype = b.dtype(x.id);
    if b.dtype(y.id) != dtype {
        return None;
    }
    let how = b.random.size(0, 6);
    if how >= 5 && dtype == Dtype::I8 && x.zero_point == 0 && y.zero_point == 0 {
        let shift = b.number(Dtype::I8, 0)?;
        let made = b.apply(Op::Mul(Mul {}), &[x.id, y.id, shift], Dtype::I32)?;
        return quantize(b, made, dtype);
    }
    let bits = if how >= 4 { 14 } else { b.random.range(9, 26) as u32 };
    let (p, q) = (widen(b, x, bits)?, widen(b, y, bits)?);
    let made = match how {
        0 => b.apply(Op::Add(Add {}), &[p, q], Dtype::I32)?,
        1 => b.apply(Op::Sub(Sub {}), &[p, q], Dtype::I32)?,
        2 => b.apply(Op::Maximum(Maximum { nan_mode: NAN_MODE }), &[p, q], Dtype::I32)?,
        3 => b.apply(Op::Minimum(Minimum { nan_mode: NAN_MODE }), &[p, q], Dtype::I32)?,
        _ => {
            let shift = if b.random.one_of(3) { b.random.range(1, 14) } else { 0 };
            let shift = b.number(Dtype::I8, shift)?;
            b.apply(Op::Mul(Mul {}), &[p, q, shift], Dtype::I32)?
        }
    };
    quantize(b, made, dtype)
}

fn table(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    match b.dtype(x.id) {
        Dtype::I8 => {
            let entries = b.noise(Dtype::I8, &[256], 127)?;
            let made = b.apply(Op::Table(Table {}), &[x.id, entries], Dtype::I8)?;
            let zero_point = b.random.range(-10, 10);
            done(b, Activation { id: made, zero_point })
        }
        Dtype::I16 => {
            // A curve: neighbours are near.
            let slope = b.random.range(5, 60);
            let mut at = -slope * 256;
            let curve: Vec<i64> = (0..513)
                .map(|_| {
                    at += slope + b.random.bell(slope * 2);
                    at.clamp(-32768, 32767)
                })
                .collect();
            let entries = b.constant(Dtype::I16, &[513], &curve)?;
            let made = b.apply(Op::Table(Table {}), &[x.id, entries], Dtype::I32)?;
            quantize(b, made, Dtype::I16)
        }
        _ => None,
    }
}

fn clamp(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    let (low, high) = match dtype {
        Dtype::I8 => (b.random.range(-128, 20), b.random.range(21, 127)),
        Dtype::I16 => (b.random.range(-32768, 0), b.random.range(1, 32767)),
        _ => return None,
    };
    let size = if dtype == Dtype::I8 { 1 } else { 2 };
    let bytes = |n: i64| n.to_le_bytes()[..size].to_vec();
    let op = Op::Clamp(Clamp { min_val: bytes(low), max_val: bytes(high), nan_mode: NAN_MODE });
    let made = b.apply(op, &[x.id], dtype)?;
    like(b, x, made)
}

fn reshape(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let mut left = b.dims(x.id).iter().product::<usize>();
    let rank = if b.random.one_of(4) { b.random.size(1, 6) } else { 4 };
    let mut dims = vec![1i64; rank];
    for dim in dims.iter_mut().skip(1) {
        let divisors: Vec<usize> = (1..=left.min(24)).filter(|d| left % d == 0).collect();
        let size = b.random.pick(&divisors)?;
        *dim = size as i64;
        left /= size;
    }
    *dims.last_mut()? *= left as i64;
    let (shape, dtype) = (b.shape(&dims)?, b.dtype(x.id));
    let made = b.apply(Op::Reshape(Reshape {}), &[x.id, shape], dtype)?;
    like(b, x, made)
}

fn transpose(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let mut perms: Vec<i32> = (0..b.dims(x.id).len() as i32).collect();
    // A new axis in front would be batches: those stay small.
    for i in (1..perms.len()).rev() {
        let j = b.random.size(if i > 1 { 1 } else { 0 }, i);
        perms.swap(i, j);
    }
    let dtype = b.dtype(x.id);
    let made = b.apply(Op::Transpose(Transpose { perms }), &[x.id], dtype)?;
    like(b, x, made)
}

fn slice(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let (mut start, mut size) = (Vec::new(), Vec::new());
    for d in b.dims(x.id) {
        let first = if b.random.one_of(2) { b.random.size(0, d - 1) } else { 0 };
        let count = if b.random.one_of(2) { b.random.size(1, d - first) } else { d - first };
        start.push(first as i64);
        size.push(count as i64);
    }
    let (dtype, start, size) = (b.dtype(x.id), b.shape(&start)?, b.shape(&size)?);
    let made = b.apply(Op::Slice(Slice {}), &[x.id, start, size], dtype)?;
    like(b, x, made)
}

fn pad(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let rank = b.dims(x.id).len();
    let mut padding = vec![0; 2 * rank];
    for n in padding.iter_mut().skip(if b.random.one_of(6) { 0 } else { 2 }) {
        *n = if b.random.one_of(2) { b.random.range(0, 2) } else { 0 };
    }
    let (dtype, padding) = (b.dtype(x.id), b.shape(&padding)?);
    let value = b.number(dtype, x.zero_point)?;
    let made = b.apply(Op::Pad(Pad {}), &[x.id, padding, value], dtype)?;
    like(b, x, made)
}

fn concat(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let (dims, dtype) = (b.dims(x.id), b.dtype(x.id));
    let axis = b.random.size(0, dims.len().checked_sub(1)?);
    let fits = |other: &[usize]| {
        other.len() == dims.len() && (0..dims.len()).all(|i| i == axis || other[i] == dims[i])
    };
    let fitting: Vec<TensorId> =
        b.activations.iter().map(|a| a.id).filter(|&id| fits(&b.dims(id)) && b.dtype(id) == dtype).collect();
    let mut inputs = vec![x.id];
    for _ in 0..b.random.size(1, 3) {
        inputs.push(b.random.pick(&fitting)?);
    }
    let made = b.apply(Op::Concat(Concat { axis: axis as i32 }), &inputs, dtype)?;
    like(b, x, made)
}

fn tile(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let rank = b.dims(x.id).len();
    let multiples: Vec<i64> = (0..rank).map(|_| if b.random.one_of(3) { 2 } else { 1 }).collect();
    let (dtype, multiples) = (b.dtype(x.id), b.shape(&multiples)?);
    let made = b.apply(Op::Tile(Tile {}), &[x.id, multiples], dtype)?;
    like(b, x, made)
}

fn reverse(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let axis = b.random.size(0, b.dims(x.id).len().checked_sub(1)?) as i32;
    let dtype = b.dtype(x.id);
    let made = b.apply(Op::Reverse(Reverse { axis }), &[x.id], dtype)?;
    like(b, x, made)
}

fn identity(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    let made = b.apply(Op::Identity(Identity {}), &[x.id], dtype)?;
    like(b, x, made)
}

/// An activation as batches of matrices.
fn matrices(b: &mut Builder, x: Activation) -> Option<TensorId> {
    let dims = b.dims(x.id);
    let [front @ .., h, w] = &dims[..] else { return None };
    let shape = b.shape(&[front.iter().product::<usize>() as i64, *h as i64, *w as i64])?;
    let dtype = b.dtype(x.id);
    b.apply(Op::Reshape(Reshape {}), &[x.id, shape], dtype)
}

/// A product with the transposed other one (or itself), or with a constant.
fn matmul(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    let a = matrices(b, x)?;
    let dims = b.dims(a);
    let [n, h, c] = dims[..] else { return None };
    let (other, zero_point) = match b.random.size(0, 2) {
        0 => {
            let w = b.random.size(1, 16);
            let most = if dtype == Dtype::I8 { 100 } else { 20_000 };
            (b.noise(dtype, &[n, c, w], most)?, 0)
        }
        _ => {
            let y = partner(b, x)?;
            let y = if b.dims(y.id) == b.dims(x.id) && b.dtype(y.id) == dtype { y } else { x };
            let m = matrices(b, y)?;
            (b.apply(Op::Transpose(Transpose { perms: vec![0, 2, 1] }), &[m], dtype)?, y.zero_point)
        }
    };
    let inputs = [a, other, b.number(dtype, x.zero_point)?, b.number(dtype, zero_point)?];
    let made = b.apply(Op::MatMul(MatMul {}), &inputs, sums(dtype))?;
    let w = *b.dims(made).last()?;
    quantize(b, made, dtype)?;
    let made = b.activations.pop()?;
    let shape = b.shape(&[1, n, h, w].map(|d| d as i64))?;
    let id = b.apply(Op::Reshape(Reshape {}), &[made.id, shape], dtype)?;
    like(b, made, id)
}

fn reduce(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let axis = b.random.size(0, b.dims(x.id).len().checked_sub(1)?) as i32;
    let dtype = b.dtype(x.id);
    match b.random.size(0, 3) {
        0 => {
            let made = b.apply(Op::ReduceMax(ReduceMax { axis, nan_mode: NAN_MODE }), &[x.id], dtype)?;
            like(b, x, made)
        }
        1 => {
            let made = b.apply(Op::ReduceMin(ReduceMin { axis, nan_mode: NAN_MODE }), &[x.id], dtype)?;
            like(b, x, made)
        }
        _ => {
            let wide = widen(b, x, 20)?;
            let made = b.apply(Op::ReduceSum(ReduceSum { axis }), &[wide], Dtype::I32)?;
            quantize(b, made, dtype)
        }
    }
}

/// An output of plain numbers, as a classifier has it.
fn argmax(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let axis = b.random.size(0, b.dims(x.id).len().checked_sub(1)?) as i32;
    b.apply(Op::ArgMax(ArgMax { axis, nan_mode: NAN_MODE }), &[x.id], Dtype::I32)?;
    Some(())
}

fn resize(b: &mut Builder) -> Option<()> {
    let (x, [_, h, w, _]) = image(b)?;
    let mut one = |size: usize| {
        let d = b.random.range(1, 3);
        let n = if b.random.one_of(2) { b.random.range(1, 4) * d } else { b.random.range(1, 7) };
        let offset = if b.random.one_of(2) { 0 } else { b.random.range(1 - n, n - 1) };
        // As long as the last step still stands on the input.
        let span = (size as i64 - 1) * n - offset;
        let border = (0..d).find(|border| span + border >= 0 && (span + border) % d == 0);
        border.filter(|&border| border < n).map(|border| (n, d, offset, border))
    };
    let ((yn, yd, yo, yb), (xn, xd, xo, xb)) = (one(h)?, one(w)?);
    let dtype = b.dtype(x.id);
    let inputs = [x.id, b.shape(&[yn, yd, xn, xd])?, b.shape(&[yo, xo])?, b.shape(&[yb, xb])?];
    if b.random.one_of(2) {
        let made = b.apply(Op::Resize(Resize { mode: ResizeMode::Nearest }), &inputs, dtype)?;
        return like(b, x, made);
    }
    let made = b.apply(Op::Resize(Resize { mode: ResizeMode::Bilinear }), &inputs, sums(dtype))?;
    let times = (yn * xn) as u64;
    if times.is_power_of_two() && !b.random.one_of(4) {
        // The mean: only a shift.
        let made = Activation { id: made, zero_point: 0 };
        let made = b.shift_right(made, dtype, times.trailing_zeros().into())?;
        return done(b, made);
    }
    quantize(b, made, dtype)
}

fn unary(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    match b.random.size(0, 3) {
        0 | 1 => {
            let zero_point = if dtype == Dtype::I8 { b.random.range(-20, 20) } else { 0 };
            let inputs = [x.id, b.number(dtype, x.zero_point)?, b.number(dtype, zero_point)?];
            let id = b.apply(Op::Negate(Negate {}), &inputs, dtype)?;
            done(b, Activation { id, zero_point })
        }
        2 => {
            let wide = widen(b, x, 20)?;
            let made = b.apply(Op::Abs(Abs {}), &[wide], Dtype::I32)?;
            quantize(b, made, dtype)
        }
        _ => {
            let wide = widen(b, x, 28)?;
            let made = b.apply(Op::Clz(Clz {}), &[wide], Dtype::I32)?;
            quantize(b, made, dtype)
        }
    }
}

fn bits(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let y = partner(b, x)?;
    let dtype = b.dtype(x.id);
    let inputs = [x.id, y.id];
    let made = match b.random.size(0, 3) {
        0 => b.apply(Op::BitwiseAnd(BitwiseAnd {}), &inputs, dtype)?,
        1 => b.apply(Op::BitwiseOr(BitwiseOr {}), &inputs, dtype)?,
        2 => b.apply(Op::BitwiseXor(BitwiseXor {}), &inputs, dtype)?,
        _ => b.apply(Op::BitwiseNot(BitwiseNot {}), &inputs[..1], dtype)?,
    };
    like(b, x, made)
}

fn shift(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    let wide = b.random.one_of(2);
    let (value, kind, most) = if wide { (widen(b, x, 24)?, Dtype::I32, 31) } else { (x.id, dtype, 7) };
    // One for all, or one for each channel.
    let mut dims = vec![1; b.dims(value).len()];
    if b.random.one_of(2) {
        *dims.last_mut()? = *b.dims(value).last()?;
    }
    let amounts: Vec<i64> = (0..dims.iter().product()).map(|_| b.random.range(0, most)).collect();
    let amounts = b.constant(kind, &dims, &amounts)?;
    let round = b.random.one_of(2);
    let made = match b.random.size(0, 2) {
        0 => b.apply(Op::LogicalLeftShift(LogicalLeftShift {}), &[value, amounts], kind)?,
        1 => b.apply(Op::LogicalRightShift(LogicalRightShift {}), &[value, amounts], kind)?,
        _ => b.apply(Op::ArithmeticRightShift(ArithmeticRightShift { round }), &[value, amounts], kind)?,
    };
    if wide { quantize(b, made, dtype) } else { like(b, x, made) }
}

fn divide(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let wide = widen(b, x, 24)?;
    let dims = b.dims(wide);
    let mut by = vec![1; dims.len()];
    *by.last_mut()? = *dims.last()?;
    let divisors: Vec<i64> = (0..by.iter().product())
        .map(|_| match b.random.bell(3000) {
            0 => 7,
            n => n,
        })
        .collect();
    let divisors = b.constant(Dtype::I32, &by, &divisors)?;
    let made = b.apply(Op::IntDiv(IntDiv {}), &[wide, divisors], Dtype::I32)?;
    let dtype = b.dtype(x.id);
    quantize(b, made, dtype)
}

/// Comparisons, perhaps joined, choose between two operands, or are an output themselves.
fn choose(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let y = partner(b, x)?;
    let (p, q) = (widen(b, x, 7)?, widen(b, y, 7)?);
    let compare = |b: &mut Builder, inputs: &[TensorId]| match b.random.size(0, 2) {
        0 => b.apply(Op::Equal(Equal {}), inputs, Dtype::Bool),
        1 => b.apply(Op::Greater(Greater {}), inputs, Dtype::Bool),
        _ => b.apply(Op::GreaterEqual(GreaterEqual {}), inputs, Dtype::Bool),
    };
    let mut truth = compare(b, &[p, q])?;
    if b.random.one_of(2) {
        let inputs = [truth, compare(b, &[q, p])?];
        truth = match b.random.size(0, 3) {
            0 => b.apply(Op::LogicalAnd(LogicalAnd {}), &inputs, Dtype::Bool)?,
            1 => b.apply(Op::LogicalOr(LogicalOr {}), &inputs, Dtype::Bool)?,
            2 => b.apply(Op::LogicalXor(LogicalXor {}), &inputs, Dtype::Bool)?,
            _ => b.apply(Op::LogicalNot(LogicalNot {}), &inputs[..1], Dtype::Bool)?,
        };
    }
    if b.random.one_of(3) {
        let axis = b.random.size(0, b.dims(truth).len().checked_sub(1)?) as i32;
        truth = match b.random.one_of(2) {
            true => b.apply(Op::ReduceAll(ReduceAll { axis }), &[truth], Dtype::Bool)?,
            false => b.apply(Op::ReduceAny(ReduceAny { axis }), &[truth], Dtype::Bool)?,
        };
    }
    let dtype = b.dtype(x.id);
    match b.random.size(0, 4) {
        0 => Some(()),
        1 => {
            let number = b.apply(Op::Cast(Cast {}), &[truth], dtype)?;
            done(b, Activation { id: number, zero_point: 0 })
        }
        2 => {
            let made = b.apply(Op::Select(Select {}), &[truth, p, q], Dtype::I32)?;
            quantize(b, made, dtype)
        }
        _ => {
            let made = b.apply(Op::Select(Select {}), &[truth, x.id, y.id], dtype)?;
            like(b, x, made)
        }
    }
}

fn cast(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    match b.random.size(0, 3) {
        0 => {
            let made = b.apply(Op::Cast(Cast {}), &[x.id], Dtype::Bool)?;
            let made = b.apply(Op::Cast(Cast {}), &[made], dtype)?;
            done(b, Activation { id: made, zero_point: 0 })
        }
        1 => {
            let wide = widen(b, x, 26)?;
            let made = b.apply(Op::Cast(Cast {}), &[wide], dtype)?;
            done(b, Activation { id: made, zero_point: 0 })
        }
        2 => {
            let made = b.apply(Op::Cast(Cast {}), &[x.id], Dtype::I32)?;
            quantize(b, made, dtype)
        }
        _ => {
            let other = if dtype == Dtype::I8 { Dtype::I16 } else { Dtype::I8 };
            let made = b.apply(Op::Cast(Cast {}), &[x.id], other)?;
            done(b, Activation { id: made, zero_point: 0 })
        }
    }
}

/// Indices of rows: a constant, or computed.
fn indices(b: &mut Builder, x: Activation, n: usize, rows: usize, distinct: bool) -> Option<TensorId> {
    if !distinct && b.random.one_of(2) {
        // Where the greatest of each row stands is less than the rows, if those are as many as the columns.
        let m = matrices(b, x)?;
        let found = b.apply(Op::ArgMax(ArgMax { axis: 1, nan_mode: NAN_MODE }), &[m], Dtype::I32)?;
        return (b.dims(found)[0] == n).then_some(found);
    }
    let count = if distinct { b.random.size(1, rows) } else { b.random.size(1, 12) };
    let mut ints = Vec::new();
    for _ in 0..n {
        let mut all: Vec<i64> = (0..rows as i64).collect();
        for i in (1..all.len()).rev() {
            let j = b.random.size(0, i);
            all.swap(i, j);
        }
        ints.extend((0..count).map(|i| if distinct { all[i] } else { b.random.range(0, rows as i64 - 1) }));
    }
    let known = b.constant(Dtype::I32, &[n, count], &ints)?;
    if b.random.one_of(2) {
        return Some(known);
    }
    // The same numbers, but computed.
    let zero = b.constant(Dtype::I32, &[1, 1], &[0])?;
    b.apply(Op::Add(Add {}), &[known, zero], Dtype::I32)
}

fn gather(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    let m = matrices(b, x)?;
    let [n, rows, _] = b.dims(m).try_into().ok()?;
    let indices = indices(b, x, n, rows, false)?;
    let made = b.apply(Op::Gather(Gather {}), &[m, indices], dtype)?;
    let [n, h, w] = b.dims(made).try_into().ok()?;
    let shape = b.shape(&[1, n, h, w].map(|d| d as i64))?;
    let id = b.apply(Op::Reshape(Reshape {}), &[made, shape], dtype)?;
    like(b, x, id)
}

fn scatter(b: &mut Builder) -> Option<()> {
    let x = any(b)?;
    let dtype = b.dtype(x.id);
    let m = matrices(b, x)?;
    let [n, rows, c] = b.dims(m).try_into().ok()?;
    let indices = indices(b, x, n, rows, true)?;
    let count = *b.dims(indices).last()?;
    let start = b.shape(&[0, (rows - count) as i64, 0])?;
    let size = b.shape(&[n, count, c].map(|d| d as i64))?;
    let new = b.apply(Op::Slice(Slice {}), &[m, start, size], dtype)?;
    let made = b.apply(Op::Scatter(Scatter {}), &[m, indices, new], dtype)?;
    let shape = b.shape(&[1, n, rows, c].map(|d| d as i64))?;
    let id = b.apply(Op::Reshape(Reshape {}), &[made, shape], dtype)?;
    like(b, x, id)
}
