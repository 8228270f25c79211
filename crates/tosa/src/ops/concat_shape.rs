//! CONCAT_SHAPE: shapes behind each other.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, ensure, input, types};
use crate::spec::Level;
use crate::value::{Data, Value};

attributes! {
    /// No attributes.
    ConcatShape {}
}

impl Operator for ConcatShape {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![Shape -> Shape: SHAPE]).variadic();
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let mut length = 0;
        for i in 0..cx.ins.len() {
            let [own] = cx.rank::<1>(i)?;
            ensure!(own >= 1, "shape {i} of the list is empty");
            length += own;
        }
        Ok(vec![vec![length]])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        if cx.ins.len() > level.max_tensor_list_size {
            let text =
                format!("joins {} shapes; the level allows {}", cx.ins.len(), level.max_tensor_list_size);
            return Err(Problem::level(text));
        }
        Ok(())
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        run.done(Data::I64(run.ins.iter().flat_map(|v| v.ints()).collect()))
    }
}
