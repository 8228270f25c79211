//! CONV3D: sums of products of a window in three dimensions and every filter.

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
    Conv3d {
        /// Before and behind each of depth, height and width.
        pad: [i32; 6],
        /// Steps in depth, height and width.
        stride: [i32; 3],
        /// Distance of a filter's elements.
        dilation: [i32; 3],
        /// A promise about floating point only.
        local_bound: bool,
        /// Of sums: `i32`, or `i48` for `i16`.
        acc_type: Dtype,
    }
}

impl Operator for Conv3d {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), input("weight"), input("bias"), constant("input_zp"), constant("weight_zp")],
            &["output"],
            TYPES,
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, d, h, w, c] = cx.rank::<5>(0)?;
        let [oc, kd, kh, kw, ic] = cx.rank::<5>(1)?;
        ensure!(c == ic, "the input has {c} channels and the filters {ic}; they must have the same");
        operands(cx, self.acc_type, oc)?;
        let [front, back, top, bottom, left, right] = self.pad;
        let od = size(d, kd, self.stride[0], self.dilation[0], [front, back], "depth")?;
        let oh = size(h, kh, self.stride[1], self.dilation[1], [top, bottom], "y")?;
        let ow = size(w, kw, self.stride[2], self.dilation[2], [left, right], "x")?;
        Ok(vec![vec![n, od, oh, ow, oc]])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        let [_, kd, kh, kw, _] = cx.rank::<5>(1)?;
        let mut reach = wide(self.dilation);
        for (r, k) in reach.iter_mut().zip([kd, kh, kw]) {
            *r = r.saturating_mul(k as i64);
        }
        at_most("the kernel with its dilation", &reach, level.max_kernel)?;
        at_most("the padding", &wide(self.pad), level.max_kernel)?;
        at_most("the stride", &wide(self.stride), level.max_stride)
    }

    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        let [_, kd, kh, kw, c] = cx.rank::<5>(1).unwrap_or([usize::MAX; 5]);
        product(&outs[0]).saturating_mul(product(&[kd, kh, kw, c]))
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let five = |d: &[usize]| [d[0], d[1], d[2], d[3], d[4]];
        let window = Window {
            stride: wide(self.stride),
            pad: [self.pad[0].into(), self.pad[2].into(), self.pad[4].into()],
            dilation: wide(self.dilation),
            transposed: false,
        };
        let sums = window.run(run, five(run.dims(0)), five(run.dims(1)), five(run.out_dims()))?;
        run.done(pack(run.out_dtype(), sums.into_iter()))
    }
}
