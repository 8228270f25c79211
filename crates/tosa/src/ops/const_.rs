//! CONST: a value that stands in the graph. The interpreter reads it from the tensor.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Signature, types};

attributes! {
    /// No attributes.
    Const {}
}

impl Operator for Const {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[],
            &["output"],
            types![-> Bool: INT; -> I4: INT4; -> I8: INT; -> I16: INT; -> I32: INT; -> I48: INT16; -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        match cx.outs.first().and_then(|o| o.dims) {
            Some(dims) => Ok(vec![dims.to_vec()]),
            None => Err(Problem::invalid("the shape of a constant must be known").output(0)),
        }
    }
}
