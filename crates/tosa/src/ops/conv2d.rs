//! CONV2D: sums of products of a window and every filter.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::{at_most, wide};
use crate::ops::convs::{TYPES, operands, product, size};
use crate::ops::gemm::Window;
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input};
use crate::spec::Level;
use crate::value::{Value, pack};

attributes! {
    /// Attributes.
    Conv2d {
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

impl Operator for Conv2d {
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
        let [top, bottom, left, right] = self.pad;
        let oh = size(h, kh, self.stride[0], self.dilation[0], [top, bottom], "y")?;
        let ow = size(w, kw, self.stride[1], self.dilation[1], [left, right], "x")?;
        Ok(vec![vec![n, oh, ow, oc]])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        let [_, kh, kw, _] = cx.rank::<4>(1)?;
        let [dy, dx] = wide(self.dilation);
        let reach = [dy.saturating_mul(kh as i64), dx.saturating_mul(kw as i64)];
        at_most("the kernel with its dilation", &reach, level.max_kernel)?;
        at_most("the padding", &wide(self.pad), level.max_kernel)?;
        at_most("the stride", &wide(self.stride), level.max_stride)
    }

    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        let [_, kh, kw, c] = cx.rank::<4>(1).unwrap_or([usize::MAX; 4]);
        product(&outs[0]).saturating_mul(product(&[kh, kw, c]))
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let four = |d: &[usize]| [d[0], 1, d[1], d[2], d[3]];
        let [sy, sx] = wide(self.stride);
        let [dy, dx] = wide(self.dilation);
        let window = Window {
            stride: [1, sy, sx],
            pad: [0, self.pad[0].into(), self.pad[2].into()],
            dilation: [1, dy, dx],
            transposed: false,
        };
        let sums = window.run(run, four(run.dims(0)), four(run.dims(1)), four(run.out_dims()))?;
        run.done(pack(run.out_dtype(), sums.into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    fn body(pad: &str, stride: &str, y: &str) -> String {
        format!(
            "tensor x: i8[1, 3, 3, 1] tensor w: i8[1, 2, 2, 1] tensor b: i32[1] = (100) tensor zx: i8[1] = (1)
             tensor zw: i8[1] = (-1) tensor y: i32[{y}] inputs x, w outputs y
             b = CONST() zx = CONST() zw = CONST()
             y = CONV2D(x, w, b, zx, zw) {{pad = {pad}, stride = {stride}, dilation = [1, 1], local_bound = false,
                 acc_type = i32}}"
        )
    }

    const X: &[i64] = &[1, 2, 3, 4, 5, 6, 7, 8, 9];

    #[test]
    fn padding_is_the_zero_point() {
        // Around the zero points: 0 to 8, and 1 to 4.
        let values: [&[i64]; 2] = [X, &[0, 1, 2, 3]];
        assert_eq!(
            eval(&body("[0, 0, 0, 0]", "[1, 1]", "1, 2, 2, 1"), &values).unwrap(),
            [127, 137, 157, 167]
        );
        assert_eq!(
            eval(&body("[1, 0, 1, 0]", "[2, 2]", "1, 2, 2, 1"), &values).unwrap(),
            [100, 111, 130, 167]
        );
    }

    #[test]
    fn strides_must_divide() {
        let error = refused(&body("[0, 0, 0, 0]", "[2, 2]", "1, 1, 1, 1"), &[X, &[0; 4]]);
        assert!(error.contains("stride 2 does not divide the 1 steps along y"), "{error}");
    }
}
