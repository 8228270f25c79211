//! VARIABLE_READ: a tensor that keeps its value from run to run. Read, written and printed, not computed: the reference
//! model does not know it either, so there is nothing to compare with.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Signature, Typing};
use crate::spec::Extensions;

attributes! {
    /// No attributes; the name of the variable stands in the tensor.
    VariableRead {}
}

impl Operator for VariableRead {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature {
            inputs: &[],
            outputs: &[],
            variadic: true,
            types: Typing::Any,
            needs: Extensions::VARIABLE,
        };
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        cx.outs.iter().map(|o| o.dims.map(<[usize]>::to_vec).ok_or_else(Problem::unknown)).collect()
    }
}
