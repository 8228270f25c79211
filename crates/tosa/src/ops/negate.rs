//! NEGATE: the opposite, around zero points.

use crate::attr::attributes;
use crate::ops::common::same;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, input, types};
use crate::value::{Value, pack};

attributes! {
    /// No attributes.
    Negate {}
}

impl Operator for Negate {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), constant("input1_zp"), constant("output_zp")],
            &["output"],
            types![I8 I8 I8 -> I8: INT; I16 I16 I16 -> I16: INT; I32 I32 I32 -> I32: INT; I64 I64 I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        cx.zero_point(1)?;
        cx.zero_point(2)?;
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let (zp_in, zp_out) = (run.scalar(1), run.scalar(2));
        let (low, high) = run.out_dtype().range();
        // 8 and 16 bits are computed in 32; 32 and 64 bits in their own type, where the least has no opposite.
        let acc = if run.out_dtype().bits() == 64 { i64::MAX } else { i32::MAX.into() };
        let out: Option<Vec<i64>> = run.ins[0]
            .ints()
            .into_iter()
            .map(|x| {
                let value = x.checked_sub(zp_in)?.checked_neg()?.checked_add(zp_out)?;
                (-acc - 1..=acc).contains(&value).then(|| value.clamp(low, high))
            })
            .collect();
        let out =
            out.ok_or_else(|| Problem::unpredictable("the opposite of the least number leaves its type"))?;
        run.done(pack(run.out_dtype(), out.into_iter()))
    }
}
