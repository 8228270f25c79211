//! VARIABLE: a tensor that keeps its value from run to run. Read, written and printed, not computed: the reference
//! model does not know it either, so there is nothing to compare with.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Signature, Typing};
use crate::spec::Extensions;

attributes! {
    /// No attributes; the name of the variable stands in the tensor.
    Variable {}
}

impl Operator for Variable {
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

#[cfg(test)]
mod tests {
    #[test]
    fn is_told_to_be_missing() {
        let body = "variable v: i8[1] named state = (3) inputs v outputs v v = VARIABLE()";
        let body = body.replace("inputs v ", "");
        let error = crate::testing::refused(&body, &[]);
        assert_eq!(
            error,
            "unsupported: operator 0 VARIABLE in 'main': not supported by the interpreter yet: VARIABLE"
        );
    }
}
