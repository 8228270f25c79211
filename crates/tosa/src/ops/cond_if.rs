//! COND_IF: one of two regions, as a condition tells.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::graph::RegionId;
use crate::ops::regions::{list, matches, shapes};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, Typing, ensure};
use crate::spec::{Extensions, Level};
use crate::value::{Value, count};
use std::rc::Rc;

attributes! {
    /// Attributes.
    CondIf {
        /// What runs if the condition is true.
        then_graph: RegionId,
        /// What runs if it is not.
        else_graph: RegionId,
    }
}

impl Operator for CondIf {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature {
            inputs: &[],
            outputs: &[],
            variadic: true,
            types: Typing::Any,
            needs: Extensions::CONTROL_FLOW,
        };
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        ensure!(cx.dtype(0) == Dtype::Bool, "the first input is the condition, of type bool");
        ensure!(count(cx.dims(0)?) == Some(1), "the condition must have one element");
        let (then, otherwise) = (cx.body(self.then_graph)?, cx.body(self.else_graph)?);
        for body in [then, otherwise] {
            matches(body, &body.inputs, &cx.ins[1..], "inputs")?;
            matches(body, &body.outputs, cx.outs, "outputs")?;
        }
        let declared: Option<Vec<_>> = cx.outs.iter().map(|o| o.dims.map(<[usize]>::to_vec)).collect();
        match declared {
            Some(dims) => Ok(dims),
            None => shapes(then),
        }
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        list(cx, level)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let region = if run.scalar(0) != 0 { self.then_graph } else { self.else_graph };
        let inputs = run.ins[1..].iter().map(|v| Rc::new((*v).clone())).collect();
        let outputs = run.machine.call(region, inputs)?;
        Ok(outputs.into_iter().map(|v| Rc::try_unwrap(v).unwrap_or_else(|v| (*v).clone())).collect())
    }
}
