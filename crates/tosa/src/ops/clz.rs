//! CLZ: how many zeros stand before the first one.

use crate::attr::attributes;
use crate::ops::common::{same, unary};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::Value;

attributes! {
    /// No attributes.
    Clz {}
}

impl Operator for Clz {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input1")], &["output"], types![I32 -> I32: INT; I64 -> I64: INT64]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        unary!(run, "", |a| Some(zeros(a)))
    }
}

trait Zeros {
    fn zeros(self) -> Self;
}

macro_rules! impl_zeros {
    ($($t:ty)*) => { $(
        impl Zeros for $t {
            fn zeros(self) -> $t {
                self.leading_zeros() as $t
            }
        }
    )* };
}
impl_zeros!(i8 i16 i32 i64);

fn zeros<T: Zeros>(a: T) -> T {
    a.zeros()
}
