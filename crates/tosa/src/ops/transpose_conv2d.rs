//! TRANSPOSE_CONV2D: every input element spreads a filter over the output.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::{at_most, wide};
use crate::ops::convs::{TYPES, operands, product};
use crate::ops::gemm::Window;
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input};
use crate::spec::Level;
use crate::value::{Value, pack};

attributes! {
    /// Attributes.
    TransposeConv2d {
        /// Top, bottom, left, right of the output; may be negative.
        out_pad: [i32; 4],
        /// Distance of spread elements down and to the right.
        stride: [i32; 2],
        /// A promise about floating point only.
        local_bound: bool,
        /// Of sums: `i32`, or `i48` for `i16`.
        acc_type: Dtype,
    }
}

impl Operator for TransposeConv2d {
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
        let [oc, kh, kw, ic] = cx.rank::<4>(1)?;
        ensure!(c == ic, "the input has {c} channels and the filters {ic}; they must have the same");
        operands(cx, self.acc_type, oc)?;
        let size = |input: usize, kernel: usize, stride: i32, pad: [i32; 2], what: &str| {
            ensure!(stride >= 1, "the stride along {what} is {stride} and must be at least 1");
            let kernel = kernel as i64;
            ensure!(
                pad.iter().all(|p| i64::from(*p) > -kernel),
                "out_pad {pad:?} along {what} must be greater than -{kernel}, the kernel"
            );
            let out = (input as i64 - 1)
                .saturating_mul(stride.into())
                .saturating_add(i64::from(pad[0]) + i64::from(pad[1]))
                .saturating_add(kernel);
            ensure!(
                (1..=i64::from(i32::MAX)).contains(&out),
                "the output would have {out} elements along {what}"
            );
            Ok(out as usize)
        };
        let [top, bottom, left, right] = self.out_pad;
        let oh = size(h, kh, self.stride[0], [top, bottom], "y")?;
        let ow = size(w, kw, self.stride[1], [left, right], "x")?;
        Ok(vec![vec![n, oh, ow, oc]])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        let [_, kh, kw, _] = cx.rank::<4>(1)?;
        at_most("the kernel", &[kh as i64, kw as i64], level.max_kernel)?;
        at_most("the padding", &wide(self.out_pad), level.max_kernel)?;
        at_most("the stride", &wide(self.stride), level.max_stride)
    }

    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        let [_, kh, kw, c] = cx.rank::<4>(1).unwrap_or([usize::MAX; 4]);
        product(&outs[0]).saturating_mul(product(&[kh, kw, c]))
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let four = |d: &[usize]| [d[0], 1, d[1], d[2], d[3]];
        let [sy, sx] = wide(self.stride);
        let window = Window {
            stride: [1, sy, sx],
            pad: [0, self.out_pad[0].into(), self.out_pad[2].into()],
            dilation: [1; 3],
            transposed: true,
        };
        let sums = window.run(run, four(run.dims(0)), four(run.dims(1)), four(run.out_dims()))?;
        run.done(pack(run.out_dtype(), sums.into_iter()))
    }
}
