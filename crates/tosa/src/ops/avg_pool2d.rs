//! AVG_POOL2D: averages of windows; padding does not count.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::Pool;
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::spec::Level;
use crate::value::Value;

attributes! {
    /// Attributes.
    AvgPool2d {
        /// Height and width of a window.
        kernel: [i32; 2],
        /// Steps down and to the right.
        stride: [i32; 2],
        /// Top, bottom, left, right.
        pad: [i32; 4],
        /// Of sums: `i32`.
        acc_type: Dtype,
    }
}

impl AvgPool2d {
    fn pool(&self) -> Pool {
        Pool { kernel: self.kernel, stride: self.stride, pad: self.pad }
    }
}

impl Operator for AvgPool2d {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), constant("input_zp"), constant("output_zp")],
            &["output"],
            types![I8 I8 I8 -> I8: INT; I16 I16 I16 -> I16: INT16],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        ensure!(self.acc_type == Dtype::I32, "acc_type is {}; sums of integers are i32", self.acc_type);
        cx.zero_point(1)?;
        cx.zero_point(2)?;
        self.pool().infer(cx)
    }

    fn level(&self, _cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        self.pool().level(level)
    }

    fn work(&self, _cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        self.pool().work(outs)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        self.pool().average(run)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::eval;

    #[test]
    fn padding_does_not_count() {
        let body =
            "tensor x: i8[1, 2, 2, 1] tensor z: i8[1] = (0) tensor y: i8[1, 2, 2, 1] inputs x outputs y
             z = CONST()
             y = AVG_POOL2D(x, z, z) {kernel = [2, 2], stride = [1, 1], pad = [1, 0, 0, 1], acc_type = i32}";
        // Windows of 2, 1, 4 and 2 elements.
        assert_eq!(eval(body, &[&[1, 4, -7, 10]]).unwrap(), [3, 4, 2, 7]);
    }
}
