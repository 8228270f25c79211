//! CAST: elements of another type; what does not fit loses its upper bits.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::same;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::{Data, Value, pack};

attributes! {
    /// No attributes.
    Cast {}
}

impl Operator for Cast {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input")],
            &["output"],
            types![Bool -> I8: INT; Bool -> I16: INT; Bool -> I32: INT; Bool -> I64: INT64;
                I8 -> Bool: INT; I8 -> I16: INT; I8 -> I32: INT;
                I16 -> Bool: INT; I16 -> I8: INT; I16 -> I32: INT;
                I32 -> Bool: INT; I32 -> I8: INT; I32 -> I16: INT; I32 -> I64: INT64;
                I64 -> Bool: INT64; I64 -> I32: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let ints = run.ins[0].ints().into_iter();
        run.done(match run.out_dtype() {
            Dtype::Bool => Data::I8(ints.map(|n| i8::from(n != 0)).collect()),
            dtype => pack(dtype, ints),
        })
    }
}
