//! DEPTHWISE_CONV2D: each channel with filters of its own.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::{at_most, wide};
use crate::ops::convs::{TYPES, operands, product, size};
use crate::ops::gemm::centred;
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input};
use crate::spec::Level;
use crate::value::{Value, pack};

attributes! {
    /// Attributes.
    DepthwiseConv2d {
        /// Top, bottom, left, right.
        pad: [i32; 4],
        /// Steps down and to the right.
        stride: [i32; 2],
        /// Distance of a filter's rows and columns.
        dilation: [i32; 2],
        /// A promise about floating point only.
        local_bound: bool,
        /// Of sums: `i32`, or `i48` for `i16`.
        acc_type: Dtype,
    }
}

impl Operator for DepthwiseConv2d {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), input("weight"), input("bias"), constant("input_zp"), constant("weight_zp")],
            &["output"],
            TYPES,
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, h, w, c] = cx.rank::<4>(0)?;
        let [kh, kw, kc, m] = cx.rank::<4>(1)?;
        ensure!(c == kc, "the input has {c} channels and the filters {kc}; they must have the same");
        let Some(oc) = c.checked_mul(m) else { return Err(Problem::invalid("too many output channels")) };
        operands(cx, self.acc_type, oc)?;
        let [top, bottom, left, right] = self.pad;
        let oh = size(h, kh, self.stride[0], self.dilation[0], [top, bottom], "y")?;
        let ow = size(w, kw, self.stride[1], self.dilation[1], [left, right], "x")?;
        Ok(vec![vec![n, oh, ow, oc]])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        let [kh, kw, _, _] = cx.rank::<4>(1)?;
        let [dy, dx] = wide(self.dilation);
        let reach = [dy.saturating_mul(kh as i64), dx.saturating_mul(kw as i64)];
        at_most("the kernel with its dilation", &reach, level.max_kernel)?;
        at_most("the padding", &wide(self.pad), level.max_kernel)?;
        at_most("the stride", &wide(self.stride), level.max_stride)
    }

    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        let [kh, kw, _, _] = cx.rank::<4>(1).unwrap_or([usize::MAX; 4]);
        product(&outs[0]).saturating_mul(product(&[kh, kw]))
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let x = centred(run.data(0), run.scalar(3))?;
        let w = centred(run.data(1), run.scalar(4))?;
        let bias = run.ins[2].ints();
        let (dims, kernel, out_dims) = (run.dims(0), run.dims(1), run.out_dims());
        let (h, width, c) = (dims[1], dims[2], dims[3]);
        let (kh, kw, m) = (kernel[0], kernel[1], kernel[3]);
        let oc = c * m;
        let (low, high) = run.out_dtype().range();
        // In 32 bits where no sum can leave them.
        let largest = |v: &[i16]| v.iter().map(|x| i64::from(*x).abs()).max().unwrap_or(0);
        let taps = (kh as i64).saturating_mul(kw as i64);
        let bound = largest(&x).saturating_mul(largest(&w)).saturating_mul(taps);
        let narrow = bound <= i64::from(i32::MAX);
        let checked = bound > high;
        let leaves = || Problem::unpredictable(format!("a sum leaves {}", run.out_dtype()));
        let mut out = Vec::with_capacity(out_dims.iter().product());
        let mut sums = vec![0i32; oc];
        let mut wide_sums = vec![0i64; oc];
        let [sy, sx] = wide(self.stride);
        let [dy, dx] = wide(self.dilation);
        let (top, left) = (i64::from(self.pad[0]), i64::from(self.pad[2]));
        let at = |o: usize, stride: i64, pad: i64, k: usize, dilation: i64, size: usize| {
            usize::try_from(o as i64 * stride - pad + k as i64 * dilation).ok().filter(|at| *at < size)
        };
        for image in x.chunks_exact((h * width * c).max(1)) {
            for oy in 0..out_dims[1] {
                for ox in 0..out_dims[2] {
                    sums.fill(0);
                    wide_sums.fill(0);
                    for ky in 0..kh {
                        let Some(y) = at(oy, sy, top, ky, dy, h) else { continue };
                        for kx in 0..kw {
                            let Some(x) = at(ox, sx, left, kx, dx, width) else { continue };
                            let pixel = &image[(y * width + x) * c..][..c];
                            let filter = &w[(ky * kw + kx) * oc..][..oc];
                            if narrow && m == 1 {
                                for ((s, x), w) in sums.iter_mut().zip(pixel).zip(filter) {
                                    *s += i32::from(*x) * i32::from(*w);
                                }
                            } else if narrow {
                                for ((s, x), w) in
                                    sums.chunks_exact_mut(m).zip(pixel).zip(filter.chunks_exact(m))
                                {
                                    for (s, w) in s.iter_mut().zip(w) {
                                        *s += i32::from(*x) * i32::from(*w);
                                    }
                                }
                            } else {
                                for ((s, x), w) in
                                    wide_sums.chunks_exact_mut(m).zip(pixel).zip(filter.chunks_exact(m))
                                {
                                    for (s, w) in s.iter_mut().zip(w) {
                                        *s += i64::from(*x) * i64::from(*w);
                                    }
                                }
                                if checked && !wide_sums.iter().all(|s| (low..=high).contains(s)) {
                                    return Err(leaves());
                                }
                            }
                        }
                    }
                    for o in 0..oc {
                        let sum = if narrow { i64::from(sums[o]) } else { wide_sums[o] };
                        let sum = sum + if bias.len() == 1 { bias[0] } else { bias[o] };
                        if !(low..=high).contains(&sum) {
                            return Err(leaves());
                        }
                        out.push(sum);
                    }
                }
            }
        }
        run.done(pack(run.out_dtype(), out.into_iter()))
    }
}
