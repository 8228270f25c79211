//! ASSERT_EQUAL_SHAPE: refuses a graph whose shapes differ.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::value::Value;

attributes! {
    /// Attributes.
    AssertEqualShape {
        /// Whether a 1 is equal to anything.
        allow_broadcast: bool,
    }
}

impl Operator for AssertEqualShape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input1"), input("input2")], &[], types![Shape Shape -> : SHAPE]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let (a, b) = (cx.ints(0)?, cx.ints(1)?);
        let equal = a.len() == b.len()
            && a.iter().zip(&b).all(|(a, b)| a == b || (self.allow_broadcast && (*a == 1 || *b == 1)));
        ensure!(equal, "{a:?} and {b:?} differ");
        Ok(Vec::new())
    }

    fn run(&self, _run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        // The rule is the whole operator.
        Ok(Vec::new())
    }
}
