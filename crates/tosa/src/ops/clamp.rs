//! CLAMP: elements below a minimum or above a maximum become that.

use crate::attr::attributes;
use crate::dtype::{Dtype, NanMode};
use crate::ops::common::same;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::value::{Data, Value};

attributes! {
    /// Attributes.
    Clamp {
        /// The least value, as the bytes of one element.
        min_val: Vec<u8>,
        /// The greatest value, as the bytes of one element.
        max_val: Vec<u8>,
        /// For NaN; integers have none.
        nan_mode: NanMode,
    }
}

impl Clamp {
    /// Minimum and maximum as numbers of a type.
    pub fn bounds(&self, dtype: Dtype) -> Option<(i64, i64)> {
        let number = |bytes: &[u8]| Some(Value::from_bytes(dtype, vec![1], bytes).ok()?.ints()[0]);
        Some((number(&self.min_val)?, number(&self.max_val)?))
    }
}

impl Operator for Clamp {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![I8 -> I8: INT; I16 -> I16: INT16]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let Some((min, max)) = self.bounds(cx.dtype(0)) else {
            return Err(Problem::invalid(format!(
                "min_val and max_val must be an element of {} each",
                cx.dtype(0)
            )));
        };
        ensure!(min <= max, "min_val {min} is greater than max_val {max}");
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let (min, max) = self.bounds(run.out_dtype()).ok_or_else(|| Problem::invalid("no bounds"))?;
        run.done(match run.data(0) {
            Data::I8(v) => Data::I8(v.iter().map(|&x| x.clamp(min as i8, max as i8)).collect()),
            Data::I16(v) => Data::I16(v.iter().map(|&x| x.clamp(min as i16, max as i16)).collect()),
            Data::I32(_) | Data::I64(_) => return Err(Problem::invalid("a wide type")),
        })
    }
}
