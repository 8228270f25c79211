//! SLICE_SHAPE: some numbers of a shape.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::value::{Data, Value};

attributes! {
    /// No attributes.
    SliceShape {}
}

impl Operator for SliceShape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), input("start"), input("size")],
            &["output"],
            types![Shape I32 I32 -> Shape: SHAPE],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [length] = cx.rank::<1>(0)?;
        let ([start], [size]) = (cx.some_ints(1)?, cx.some_ints(2)?);
        ensure!(
            start >= 0 && size >= 1 && start + size <= length as i64,
            "{size} numbers from {start} on are not within the {length} of the shape"
        );
        Ok(vec![vec![size as usize]])
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let (start, size) = (run.scalar(1) as usize, run.scalar(2) as usize);
        run.done(Data::I64(run.ins[0].ints()[start..start + size].to_vec()))
    }
}
