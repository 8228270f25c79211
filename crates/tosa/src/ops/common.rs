//! Shared by several operators: broadcasting, copies with strides, reductions, windows.

use crate::dtype::Dtype;
use crate::rule::{Cx, Dims, Inferred, Problem, Run, ensure};
use crate::value::{Data, Value, count};

/// The shape of one operand is the shape of the result.
pub(crate) fn same(cx: &Cx<'_>) -> Inferred {
    Ok(vec![cx.dims(0)?.to_vec()])
}

/// The shape that the first `n` operands broadcast to: each dimension is the same in all, or 1.
pub(crate) fn broadcast(cx: &Cx<'_>, n: usize) -> Inferred {
    let mut out = cx.dims(0)?.to_vec();
    for i in 1..n {
        let dims = cx.dims(i)?;
        if dims.len() != out.len() {
            let text = format!(
                "{dims:?} does not broadcast with {out:?}: as many dimensions are needed; reshape it"
            );
            return Err(Problem::invalid(text).input(i));
        }
        for (o, d) in out.iter_mut().zip(dims) {
            if *o == 1 {
                *o = *d;
            } else if *d != 1 && *d != *o {
                let text = format!(
                    "{dims:?} does not broadcast with {:?}: dimensions must be the same or 1",
                    cx.dims(0)?
                );
                return Err(Problem::invalid(text).input(i));
            }
        }
    }
    Ok(vec![out])
}

/// Elements to the next one in each dimension of a dense tensor.
pub(crate) fn strides(dims: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; dims.len()];
    for i in (1..dims.len()).rev() {
        strides[i - 1] = strides[i] * dims[i] as isize;
    }
    strides
}

/// Strides of an operand that is broadcast to `out`.
fn broadcast_strides(dims: &[usize], out: &[usize]) -> Vec<isize> {
    let mut found = strides(dims);
    for ((s, d), o) in found.iter_mut().zip(dims).zip(out) {
        if *d == 1 && *o != 1 {
            *s = 0;
        }
    }
    found
}

/// Calls `row` with the offset of each of `N` operands at the start of every innermost row of `dims`.
fn rows<const N: usize>(
    dims: &[usize],
    strides: [&[isize]; N],
    start: [isize; N],
    mut row: impl FnMut([isize; N]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let outer = &dims[..dims.len().saturating_sub(1)];
    if dims.contains(&0) {
        return Ok(());
    }
    let mut at = vec![0usize; outer.len()];
    let mut offset = start;
    loop {
        row(offset)?;
        let mut axis = outer.len();
        loop {
            if axis == 0 {
                return Ok(());
            }
            axis -= 1;
            at[axis] += 1;
            for (o, s) in offset.iter_mut().zip(strides) {
                *o += s[axis];
            }
            if at[axis] < outer[axis] {
                break;
            }
            at[axis] = 0;
            for (o, s) in offset.iter_mut().zip(strides) {
                *o -= s[axis] * outer[axis] as isize;
            }
        }
    }
}

/// `f` of every pair of elements, broadcast; `None` from it is `why` it is unpredictable.
pub(crate) fn zip<A: Copy, B: Copy, R>(
    (a, a_dims): (&[A], &[usize]),
    (b, b_dims): (&[B], &[usize]),
    dims: &[usize],
    why: &str,
    f: impl Fn(A, B) -> Option<R>,
) -> Result<Vec<R>, Problem> {
    let fail = || Problem::unpredictable(why);
    let mut out = Vec::with_capacity(count(dims).unwrap_or(0));
    if a_dims == dims && b_dims == dims {
        for (a, b) in a.iter().zip(b) {
            out.push(f(*a, *b).ok_or_else(fail)?);
        }
        return Ok(out);
    }
    let (sa, sb) = (broadcast_strides(a_dims, dims), broadcast_strides(b_dims, dims));
    let n = dims.last().copied().unwrap_or(1);
    let (ia, ib) = (sa.last().copied().unwrap_or(0), sb.last().copied().unwrap_or(0));
    rows(dims, [&sa, &sb], [0, 0], |[oa, ob]| {
        let (a, b) = (&a[oa as usize..], &b[ob as usize..]);
        match (ia, ib) {
            (0, 0) => {
                for _ in 0..n {
                    out.push(f(a[0], b[0]).ok_or_else(fail)?);
                }
            }
            (0, _) => {
                for b in &b[..n] {
                    out.push(f(a[0], *b).ok_or_else(fail)?);
                }
            }
            (_, 0) => {
                for a in &a[..n] {
                    out.push(f(*a, b[0]).ok_or_else(fail)?);
                }
            }
            _ => {
                for (a, b) in a[..n].iter().zip(&b[..n]) {
                    out.push(f(*a, *b).ok_or_else(fail)?);
                }
            }
        }
        Ok(())
    })?;
    Ok(out)
}

/// Elements at `start` plus a stride for each dimension of the result.
pub(crate) fn strided<T: Copy>(from: &[T], start: isize, strides: &[isize], dims: &[usize]) -> Vec<T> {
    let mut out = Vec::with_capacity(count(dims).unwrap_or(0));
    let n = dims.last().copied().unwrap_or(1);
    let step = strides.last().copied().unwrap_or(0);
    // Cannot fail: the closure never does.
    let _ = rows(dims, [strides], [start], |[at]| {
        if step == 1 {
            out.extend_from_slice(&from[at as usize..][..n]);
        } else {
            out.extend((0..n as isize).map(|i| from[(at + i * step) as usize]));
        }
        Ok(())
    });
    out
}

/// The two operands and the result, natively in the type that both have.
macro_rules! binary {
    ($run:expr, $why:expr, |$a:ident, $b:ident| $f:expr) => {{
        use $crate::value::Data;
        let (x, y, out) = ($run.dims(0), $run.dims(1), $run.out_dims());
        let data = match ($run.data(0), $run.data(1)) {
            (Data::I8(a), Data::I8(b)) => {
                Data::I8($crate::ops::common::zip((a, x), (b, y), out, $why, |$a: i8, $b: i8| $f)?)
            }
            (Data::I16(a), Data::I16(b)) => {
                Data::I16($crate::ops::common::zip((a, x), (b, y), out, $why, |$a: i16, $b: i16| $f)?)
            }
            (Data::I32(a), Data::I32(b)) => {
                Data::I32($crate::ops::common::zip((a, x), (b, y), out, $why, |$a: i32, $b: i32| $f)?)
            }
            (Data::I64(a), Data::I64(b)) => {
                Data::I64($crate::ops::common::zip((a, x), (b, y), out, $why, |$a: i64, $b: i64| $f)?)
            }
            _ => return Err($crate::rule::Problem::invalid("operands of different types")),
        };
        $run.done(data)
    }};
}
pub(crate) use binary;

/// As [`binary`] with booleans as the result.
macro_rules! compare {
    ($run:expr, |$a:ident, $b:ident| $f:expr) => {{
        use $crate::value::Data;
        let (x, y, out) = ($run.dims(0), $run.dims(1), $run.out_dims());
        let data = match ($run.data(0), $run.data(1)) {
            (Data::I32(a), Data::I32(b)) => {
                $crate::ops::common::zip((a, x), (b, y), out, "", |$a: i32, $b: i32| Some(i8::from($f)))?
            }
            (Data::I64(a), Data::I64(b)) => {
                $crate::ops::common::zip((a, x), (b, y), out, "", |$a: i64, $b: i64| Some(i8::from($f)))?
            }
            _ => return Err($crate::rule::Problem::invalid("operands of different types")),
        };
        $run.done(Data::I8(data))
    }};
}
pub(crate) use compare;

/// A function of every element, in its own type; `None` is `why` it is unpredictable.
macro_rules! unary {
    ($run:expr, $why:expr, |$a:ident| $f:expr) => {{
        use $crate::rule::Problem;
        let data = $crate::value::each_data!($run.data(0), v => {
            let mapped: Option<Vec<_>> = v.iter().map(|&$a| $f).collect();
            mapped.ok_or_else(|| Problem::unpredictable($why))?
        });
        $run.done(data)
    }};
}
pub(crate) use unary;

/// The rules of a reduction: the axis exists, and becomes 1.
pub(crate) fn reduced(cx: &Cx<'_>, axis: i32) -> Inferred {
    let mut dims = cx.dims(0)?.to_vec();
    let axis = axis_of(axis, &dims)?;
    dims[axis] = 1;
    Ok(vec![dims])
}

/// An axis of these dimensions.
pub(crate) fn axis_of(axis: i32, dims: &[usize]) -> Result<usize, Problem> {
    match usize::try_from(axis) {
        Ok(axis) if axis < dims.len() => Ok(axis),
        _ => Err(Problem::invalid(format!("axis {axis} is none of the {} of {dims:?}", dims.len())).input(0)),
    }
}

/// Elements before, along and behind an axis.
pub(crate) fn around(dims: &[usize], axis: usize) -> (usize, usize, usize) {
    (dims[..axis].iter().product(), dims[axis], dims[axis + 1..].iter().product())
}

/// Folds elements along an axis, from the first to the last.
pub(crate) fn fold<T: Copy>(
    from: &[T],
    dims: &[usize],
    axis: i32,
    why: &str,
    f: impl Fn(T, T) -> Option<T>,
) -> Result<Vec<T>, Problem> {
    let (outer, n, inner) = around(dims, axis_of(axis, dims)?);
    let mut out = Vec::with_capacity(outer * inner);
    for block in from.chunks_exact((n * inner).max(1)) {
        let first = out.len();
        out.extend_from_slice(&block[..inner]);
        for row in block[inner..].chunks_exact(inner.max(1)) {
            for (acc, x) in out[first..].iter_mut().zip(row) {
                *acc = f(*acc, *x).ok_or_else(|| Problem::unpredictable(why))?;
            }
        }
    }
    Ok(out)
}

/// A reduction in the operand's own type.
macro_rules! reduce {
    ($run:expr, $axis:expr, $why:expr, |$a:ident, $b:ident| $f:expr) => {{
        let dims = $run.dims(0);
        let data = $crate::value::each_data!($run.data(0), v => $crate::ops::common::fold(v, dims, $axis, $why, |$a, $b| $f)?);
        $run.done(data)
    }};
}
pub(crate) use reduce;

/// The exact quotient plus one: how often a window fits.
pub(crate) fn windows(span: i64, stride: i64, what: &str) -> Result<usize, Problem> {
    ensure!(stride >= 1, "the stride along {what} is {stride} and must be at least 1");
    ensure!(span >= 0, "the window is larger than the padded input along {what}");
    ensure!(
        span % stride == 0,
        "the stride {stride} does not divide the {span} steps along {what}; change the padding at the end by {}",
        span % stride
    );
    usize::try_from(span / stride + 1).map_err(|_| Problem::invalid("too many windows"))
}

/// Numbers of a list as `i64`.
pub(crate) fn wide<const N: usize>(ints: [i32; N]) -> [i64; N] {
    ints.map(i64::from)
}

/// Numbers of an input as `i32`, for operators that also have them as attributes.
pub(crate) fn narrow_ints<const N: usize>(cx: &Cx<'_>, i: usize) -> Result<[i32; N], Problem> {
    let ints: [i64; N] = cx.some_ints(i)?;
    let mut out = [0i32; N];
    for (o, n) in out.iter_mut().zip(ints) {
        *o = i32::try_from(n).map_err(|_| Problem::invalid(format!("{n} is out of range")).input(i))?;
    }
    Ok(out)
}

/// Limits a level sets to each of these numbers.
pub(crate) fn at_most(what: &str, ints: &[i64], limit: i64) -> Result<(), Problem> {
    match ints.iter().find(|n| **n > limit) {
        Some(n) => Err(Problem::level(format!("{what} is {n}; the level allows {limit}"))),
        None => Ok(()),
    }
}

/// 32-bit multiplier and shift of a division by `n`.
fn reciprocal(n: u32) -> (i64, u32) {
    let k = 32 - (n - 1).leading_zeros();
    ((((1i64 << 30) + 1) << k) / i64::from(n), 30 + k)
}

/// `value * multiplier >> shift`, rounded; `None` where the specification leaves the result open.
pub(crate) fn scale_32(value: i64, multiplier: i64, shift: u32, double: bool) -> Option<i64> {
    if multiplier < 0 || !(2..=62).contains(&shift) {
        return None;
    }
    let bound = 1i64 << (shift - 1);
    if value < -bound || value >= bound {
        return None;
    }
    let mut round = bound;
    if double && shift > 31 {
        round += if value >= 0 { 1 << 30 } else { -(1 << 30) };
    }
    // 32 bits by 31: fits.
    Some((value * multiplier + round) >> shift)
}

/// As [`scale_32`] for 48-bit values and 16-bit multipliers.
pub(crate) fn scale_16(value: i64, multiplier: i64, shift: u32) -> Option<i64> {
    if !(0..=32767).contains(&multiplier) || !(2..=62).contains(&shift) {
        return None;
    }
    let result = value.checked_mul(multiplier)?.checked_add(1i64 << (shift - 1))? >> shift;
    i32::try_from(result).ok().map(i64::from)
}

/// A window over two dimensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pool {
    pub(crate) kernel: [i32; 2],
    pub(crate) stride: [i32; 2],
    /// Top, bottom, left, right.
    pub(crate) pad: [i32; 4],
}

impl Pool {
    pub(crate) fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, h, w, c] = cx.rank::<4>(0)?;
        let [top, bottom, left, right] = wide(self.pad);
        let ([ky, kx], [sy, sx]) = (wide(self.kernel), wide(self.stride));
        ensure!(ky >= 1 && kx >= 1, "the kernel {:?} must be at least 1", self.kernel);
        ensure!(self.pad.iter().all(|p| *p >= 0), "the padding {:?} must not be negative", self.pad);
        ensure!(
            top < ky && bottom < ky && left < kx && right < kx,
            "the padding {:?} must be smaller than the kernel {:?}",
            self.pad,
            self.kernel
        );
        let oh = windows(h as i64 + top + bottom - ky, sy, "y")?;
        let ow = windows(w as i64 + left + right - kx, sx, "x")?;
        Ok(vec![vec![n, oh, ow, c]])
    }

    pub(crate) fn level(&self, level: &crate::spec::Level) -> Result<(), Problem> {
        at_most("the kernel", &wide(self.kernel), level.max_kernel)?;
        at_most("the stride", &wide(self.stride), level.max_stride)?;
        at_most("the padding", &wide(self.pad), level.max_kernel)
    }

    pub(crate) fn work(&self, outs: &[Dims]) -> u64 {
        let window = self.kernel.iter().fold(1u64, |n, k| n.saturating_mul((*k).max(1) as u64));
        outs.first().and_then(|d| count(d)).map_or(u64::MAX, |n| (n as u64).saturating_mul(window))
    }

    /// Calls `start`, then `add` with the channels of each pixel of the window, then `finish` with their number.
    fn each<T: Copy>(
        &self,
        from: &[T],
        dims: &[usize],
        out: &[usize],
        mut visit: impl FnMut(Step<'_, T>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let (h, w, c) = (dims[1], dims[2], dims[3]);
        let range = |o: usize, stride: i32, pad: i32, kernel: i32, size: usize| {
            let first = o as i64 * i64::from(stride) - i64::from(pad);
            let last = (first + i64::from(kernel)).clamp(0, size as i64) as usize;
            (first.clamp(0, size as i64) as usize, last)
        };
        for image in from.chunks_exact((h * w * c).max(1)) {
            for oy in 0..out[1] {
                let (y0, y1) = range(oy, self.stride[0], self.pad[0], self.kernel[0], h);
                for ox in 0..out[2] {
                    let (x0, x1) = range(ox, self.stride[1], self.pad[2], self.kernel[1], w);
                    visit(Step::Start)?;
                    for y in y0..y1 {
                        for pixel in image[(y * w + x0) * c..(y * w + x1) * c].chunks_exact(c) {
                            visit(Step::Pixel(pixel))?;
                        }
                    }
                    visit(Step::Done(y1.saturating_sub(y0) * x1.saturating_sub(x0)))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn max(&self, run: &Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        fn kernel<T: Copy + Ord>(
            pool: &Pool,
            from: &[T],
            low: T,
            run: &Run<'_, '_>,
        ) -> Result<Vec<T>, Problem> {
            let c = run.dims(0)[3];
            let mut out = Vec::with_capacity(count(run.out_dims()).unwrap_or(0));
            pool.each(from, run.dims(0), run.out_dims(), |step| {
                match step {
                    Step::Start => out.resize(out.len() + c, low),
                    Step::Pixel(pixel) => {
                        let first = out.len() - c;
                        for (acc, x) in out[first..].iter_mut().zip(pixel) {
                            *acc = (*acc).max(*x);
                        }
                    }
                    Step::Done(_) => {}
                }
                Ok(())
            })?;
            Ok(out)
        }
        let data = match run.data(0) {
            Data::I8(v) => Data::I8(kernel(self, v, i8::MIN, run)?),
            Data::I16(v) => Data::I16(kernel(self, v, i16::MIN, run)?),
            Data::I32(v) => Data::I32(kernel(self, v, i32::MIN, run)?),
            Data::I64(v) => Data::I64(kernel(self, v, i64::MIN, run)?),
        };
        run.done(data)
    }

    /// The average; zero points are operands 1 and 2.
    pub(crate) fn average(&self, run: &Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let (zp_in, zp_out) = (run.scalar(1), run.scalar(2));
        let (low, high) = run.out_dtype().range();
        let dims = run.dims(0);
        let c = dims[3];
        let mut acc = vec![0i64; c];
        let mut out: Vec<i64> = Vec::with_capacity(count(run.out_dims()).unwrap_or(0));
        let overflow = || Problem::unpredictable("a sum leaves 32 bits");
        let fits = |n: i64| i32::try_from(n).is_ok();
        // Partial sums cannot leave 32 bits in windows of up to 2^15 elements of 16 bits.
        let small = i64::from(self.kernel[0]).saturating_mul(i64::from(self.kernel[1])) <= 1 << 15;
        let mut step = |step: Step<'_, i64>| {
            match step {
                Step::Start => acc.fill(0),
                Step::Pixel(pixel) => {
                    for (acc, x) in acc.iter_mut().zip(pixel) {
                        *acc += x - zp_in;
                    }
                    if !small && !acc.iter().all(|n| fits(*n)) {
                        return Err(overflow());
                    }
                }
                Step::Done(n) => {
                    let n = u32::try_from(n).ok().filter(|n| *n > 0);
                    let (multiplier, shift) =
                        reciprocal(n.ok_or_else(|| Problem::unpredictable("a window has no element"))?);
                    for acc in &acc {
                        if !fits(*acc) {
                            return Err(overflow());
                        }
                        let scaled = scale_32(*acc, multiplier, shift, false)
                            .ok_or_else(|| Problem::unpredictable("a sum is too large for its scale"))?;
                        out.push((scaled + zp_out).clamp(low, high));
                    }
                }
            }
            Ok(())
        };
        match run.data(0) {
            Data::I8(v) => {
                let mut row = vec![0i64; c];
                self.each(v, dims, run.out_dims(), |s| match s {
                    Step::Pixel(pixel) => {
                        row.iter_mut().zip(pixel).for_each(|(r, x)| *r = i64::from(*x));
                        step(Step::Pixel(&row))
                    }
                    Step::Start => step(Step::Start),
                    Step::Done(n) => step(Step::Done(n)),
                })?;
            }
            Data::I16(v) => {
                let mut row = vec![0i64; c];
                self.each(v, dims, run.out_dims(), |s| match s {
                    Step::Pixel(pixel) => {
                        row.iter_mut().zip(pixel).for_each(|(r, x)| *r = i64::from(*x));
                        step(Step::Pixel(&row))
                    }
                    Step::Start => step(Step::Start),
                    Step::Done(n) => step(Step::Done(n)),
                })?;
            }
            Data::I32(_) | Data::I64(_) => return Err(Problem::invalid("an average of a wide type")),
        }
        run.done(crate::value::pack(run.out_dtype(), out.into_iter()))
    }
}

enum Step<'s, T> {
    Start,
    Pixel(&'s [T]),
    Done(usize),
}

/// Whether a type can be shifted by so much.
pub(crate) fn shift_fits(dtype: Dtype, shift: impl Into<i64>) -> bool {
    (0..dtype.bits() as i64).contains(&shift.into())
}
