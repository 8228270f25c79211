//! SLICE: a box out of a tensor.

use crate::attr::attributes;
use crate::ops::common::{strided, strides};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// No attributes.
    Slice {}
}

impl Operator for Slice {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), constant("start"), constant("size")],
            &["output"],
            types![Bool Shape Shape -> Bool: INT; I8 Shape Shape -> I8: INT; I16 Shape Shape -> I16: INT;
                I32 Shape Shape -> I32: INT; I64 Shape Shape -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let dims = cx.dims(0)?;
        let (start, size) = (cx.ints(1)?, cx.ints(2)?);
        ensure!(
            start.len() == dims.len() && size.len() == dims.len(),
            "start {start:?} and size {size:?} need a number for each of {dims:?}"
        );
        let mut out = Vec::with_capacity(dims.len());
        for ((start, size), dim) in start.iter().zip(&size).zip(dims) {
            let end = start.checked_add(*size).and_then(|end| usize::try_from(end).ok());
            ensure!(
                *start >= 0 && *size >= 1 && end.is_some_and(|end| end <= *dim),
                "{size} elements from {start} on are not within the {dim} of {dims:?}"
            );
            out.push(*size as usize);
        }
        Ok(vec![out])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let strides = strides(run.dims(0));
        let start = run.ins[1].ints().iter().zip(&strides).map(|(n, s)| *n as isize * s).sum();
        run.done(each_data!(run.data(0), v => strided(v, start, &strides, run.out_dims())))
    }
}
