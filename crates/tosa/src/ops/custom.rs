//! CUSTOM: an operator that TOSA does not define. Read, written and printed; nothing is known of its shapes.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Signature, Typing};
use crate::spec::{Extensions, Level};

attributes! {
    /// Attributes.
    Custom {
        /// Which operator.
        operator_name: String,
        /// Who defines it.
        domain_name: String,
        /// Whatever it needs.
        implementation_attrs: Vec<u8>,
    }
}

impl Operator for Custom {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature {
            inputs: &[],
            outputs: &[],
            variadic: true,
            types: Typing::Any,
            needs: Extensions::NONE,
        };
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        cx.outs.iter().map(|o| o.dims.map(<[usize]>::to_vec).ok_or_else(Problem::unknown)).collect()
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        let most = cx.ins.len().max(cx.outs.len());
        if most > level.max_tensor_list_size {
            return Err(Problem::level(format!(
                "has {most} operands; the level allows {}",
                level.max_tensor_list_size
            )));
        }
        Ok(())
    }
}
