//! ADD: the sum of two tensors. A sum that leaves the type is unpredictable.

use crate::attr::attributes;
use crate::ops::common::{binary, broadcast};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Add {}
}

impl Operator for Add {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2")],
            &["output"],
            types![I32 I32 -> I32: INT; I64 I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 2)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        binary!(run, "a sum leaves its type", |a, b| a.checked_add(b))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    const BODY: &str =
        "tensor a: i32[2, 2] tensor b: i32[1, 2] tensor y: i32[2, 2] inputs a, b outputs y y = ADD(a, b)";

    #[test]
    fn broadcasts() {
        assert_eq!(eval(BODY, &[&[1, 2, 3, 4], &[10, 20]]).unwrap(), [11, 22, 13, 24]);
    }

    #[test]
    fn a_sum_that_leaves_the_type_is_unpredictable() {
        let error = refused(BODY, &[&[1, i32::MAX.into(), 3, 4], &[10, 1]]);
        assert_eq!(error, "unpredictable: operator 0 ADD in 'main': a sum leaves its type");
    }

    #[test]
    fn ranks_must_agree() {
        let body =
            "tensor a: i32[2, 2] tensor b: i32[2] tensor y: i32[2, 2] inputs a, b outputs y y = ADD(a, b)";
        assert!(refused(body, &[&[1, 2, 3, 4], &[1, 2]]).contains("reshape it"));
    }
}
