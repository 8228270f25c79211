//! Sums of products: convolutions and matrix products are rows of the input times rows of weights.
//!
//! Sums are bounded before they start: where no order of additions can leave the accumulator's type, they run in
//! the fastest loop; elsewhere every single addition is checked, as the specification asks.

use crate::dtype::Dtype;
use crate::rule::{Problem, Run};
use crate::value::Data;

/// Elements of an operand minus its zero point, as 16 bits; a zero point is one of `i8`.
pub(crate) fn centred(data: &Data, zero: i64) -> Result<Vec<i16>, Problem> {
    match data {
        Data::I8(v) => Ok(v.iter().map(|&x| i16::from(x) - zero as i16).collect()),
        Data::I16(v) => Ok(v.clone()),
        Data::I32(_) | Data::I64(_) => Err(Problem::invalid("operands of 8 or 16 bits are multiplied")),
    }
}

fn largest(v: &[i16]) -> i64 {
    v.iter().map(|x| i64::from(*x).abs()).max().unwrap_or(0)
}

/// How sums of `k` products can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In 32 bits.
    Narrow,
    /// In 64 bits, in parts of so many that fit 32.
    Wide(usize),
    /// Each addition checked.
    Checked,
}

/// Sums of products for one operator.
#[derive(Debug)]
pub(crate) struct Gemm {
    way: Way,
    dtype: Dtype,
}

impl Gemm {
    /// For rows of `k` out of `x` and `w`, and sums of type `dtype`.
    pub(crate) fn new(x: &[i16], w: &[i16], k: usize, dtype: Dtype) -> Gemm {
        let product = largest(x).saturating_mul(largest(w)).max(1);
        let bound = product.saturating_mul(k as i64);
        let way = if bound > dtype.range().1 {
            Way::Checked
        } else if bound <= i64::from(i32::MAX) {
            Way::Narrow
        } else {
            Way::Wide((i64::from(i32::MAX) / product).max(1) as usize)
        };
        Gemm { way, dtype }
    }

    /// The sum of products; `None` if it leaves the type on the way.
    fn dot(&self, x: &[i16], w: &[i16]) -> Option<i64> {
        let narrow = |x: &[i16], w: &[i16]| -> i64 {
            let sum: i32 = x.iter().zip(w).map(|(x, w)| i32::from(*x) * i32::from(*w)).sum();
            i64::from(sum)
        };
        match self.way {
            Way::Narrow => Some(narrow(x, w)),
            Way::Wide(part) => Some(x.chunks(part).zip(w.chunks(part)).map(|(x, w)| narrow(x, w)).sum()),
            Way::Checked => {
                let (low, high) = self.dtype.range();
                x.iter().zip(w).try_fold(0i64, |sum, (x, w)| {
                    let sum = sum + i64::from(*x) * i64::from(*w);
                    (low..=high).contains(&sum).then_some(sum)
                })
            }
        }
    }

    /// Every row of `x` with every row of `w`, plus a bias of each row of `w` (or one of all): `out` gets them
    /// row by row of `x`.
    pub(crate) fn rows(
        &self,
        x: &[i16],
        w: &[i16],
        k: usize,
        bias: &[i64],
        out: &mut Vec<i64>,
    ) -> Result<(), Problem> {
        let (low, high) = self.dtype.range();
        let columns = w.len().checked_div(k).unwrap_or(0);
        let first = out.len();
        out.resize(first + x.len().checked_div(k).unwrap_or(0) * columns, 0);
        let sums = &mut out[first..];
        for (o, w) in w.chunks_exact(k.max(1)).enumerate() {
            let bias = match bias {
                [] => 0,
                [one] => *one,
                many => many[o],
            };
            for (x, sums) in x.chunks_exact(k.max(1)).zip(sums.chunks_exact_mut(columns)) {
                let sum = self.dot(x, w).map(|sum| sum + bias).filter(|sum| (low..=high).contains(sum));
                sums[o] =
                    sum.ok_or_else(|| Problem::unpredictable(format!("a sum leaves {}", self.dtype)))?;
            }
        }
        Ok(())
    }
}

/// A convolution over up to three dimensions, `[n, d, y, x, c]` by `[o, d, y, x, c]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) stride: [i64; 3],
    /// Before the first element of each dimension.
    pub(crate) pad: [i64; 3],
    pub(crate) dilation: [i64; 3],
    /// Whether output positions are spread by the stride instead of input positions (a transposed convolution).
    pub(crate) transposed: bool,
}

impl Window {
    /// Operands: input, weight, bias, zero point of the input, zero point of the weight.
    pub(crate) fn run(
        &self,
        run: &Run<'_, '_>,
        dims: [usize; 5],
        kernel: [usize; 5],
        out_dims: [usize; 5],
    ) -> Result<Vec<i64>, Problem> {
        let x = centred(run.data(0), run.scalar(3))?;
        let w = centred(run.data(1), run.scalar(4))?;
        let bias = run.ins[2].ints();
        let [_, id, ih, iw, c] = dims;
        let [_, kd, kh, kw, _] = kernel;
        let [_, od, oh, ow, oc] = out_dims;
        let k = kd * kh * kw * c;
        let gemm = Gemm::new(&x, &w, k, run.out_dtype());
        let mut out = Vec::with_capacity(out_dims.iter().product());
        let simple = kd * kh * kw == 1
            && !self.transposed
            && self.stride == [1; 3]
            && self.pad == [0; 3]
            && [id, ih, iw] == [od, oh, ow];
        // As many rows as stay in a small cache together.
        let batch = (16384 / k.max(1)).clamp(1, 64);
        if simple {
            for x in x.chunks(batch * k.max(1)) {
                gemm.rows(x, &w, k, &bias, &mut out)?;
            }
            return Ok(out);
        }
        let mut rows = Vec::with_capacity(batch * k);
        for image in x.chunks_exact((id * ih * iw * c).max(1)) {
            for d in 0..od {
                for y in 0..oh {
                    for x in 0..ow {
                        self.gather(image, [id, ih, iw], c, [kd, kh, kw], [d, y, x], &mut rows);
                        if rows.len() >= batch * k {
                            gemm.rows(&rows, &w, k, &bias, &mut out)?;
                            rows.clear();
                        }
                    }
                }
            }
        }
        gemm.rows(&rows, &w, k, &bias, &mut out)?;
        debug_assert_eq!(out.len(), out_dims.iter().product::<usize>(), "{oc} channels");
        Ok(out)
    }

    /// Where an output position and a kernel position meet the input, if they do.
    fn source(&self, axis: usize, out: usize, k: usize, size: usize) -> Option<usize> {
        let at = if self.transposed {
            let spread = out as i64 - self.pad[axis] - k as i64;
            if spread % self.stride[axis] != 0 {
                return None;
            }
            spread / self.stride[axis]
        } else {
            out as i64 * self.stride[axis] - self.pad[axis] + k as i64 * self.dilation[axis]
        };
        usize::try_from(at).ok().filter(|at| *at < size)
    }

    /// Appends the input under the kernel; 0 outside of it.
    fn gather(
        &self,
        image: &[i16],
        size: [usize; 3],
        c: usize,
        kernel: [usize; 3],
        at: [usize; 3],
        rows: &mut Vec<i16>,
    ) {
        for kd in 0..kernel[0] {
            let d = self.source(0, at[0], kd, size[0]);
            for ky in 0..kernel[1] {
                let y = self.source(1, at[1], ky, size[1]);
                let (Some(d), Some(y)) = (d, y) else {
                    rows.resize(rows.len() + kernel[2] * c, 0);
                    continue;
                };
                for kx in 0..kernel[2] {
                    match self.source(2, at[2], kx, size[2]) {
                        Some(x) => {
                            let first = ((d * size[1] + y) * size[2] + x) * c;
                            rows.extend_from_slice(&image[first..first + c]);
                        }
                        None => rows.resize(rows.len() + c, 0),
                    }
                }
            }
        }
    }
}
