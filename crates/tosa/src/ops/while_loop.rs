//! WHILE_LOOP: a region again and again, as long as another says so.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::graph::RegionId;
use crate::ops::regions::{list, matches};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, Typing, ensure};
use crate::spec::{Extensions, Level};
use crate::value::{Value, count};
use std::rc::Rc;

attributes! {
    /// Attributes.
    WhileLoop {
        /// Tells from the values whether to go on.
        cond_graph: RegionId,
        /// Makes the next values.
        body_graph: RegionId,
    }
}

impl Operator for WhileLoop {
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
        let (condition, body) = (cx.body(self.cond_graph)?, cx.body(self.body_graph)?);
        matches(condition, &condition.inputs, cx.ins, "inputs")?;
        matches(body, &body.inputs, cx.ins, "inputs")?;
        matches(body, &body.outputs, cx.ins, "outputs")?;
        ensure!(
            cx.ins.len() == cx.outs.len() && cx.ins.iter().zip(cx.outs).all(|(i, o)| i.dtype == o.dtype),
            "inputs and outputs must have the same number and types"
        );
        let [told] = condition.outputs.as_slice() else {
            return Err(Problem::invalid(format!("the condition '{}' must have one output", condition.name)));
        };
        let told = condition.tensor(*told);
        ensure!(
            told.dtype == Dtype::Bool && told.dims().is_none_or(|d| count(&d) == Some(1)),
            "the condition '{}' must return one bool and returns {}",
            condition.name,
            told.type_name()
        );
        (0..cx.ins.len()).map(|i| Ok(cx.dims(i)?.to_vec())).collect()
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        list(cx, level)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let mut values: Vec<Rc<Value>> = run.ins.iter().map(|v| Rc::new((*v).clone())).collect();
        loop {
            let told = run.machine.call(self.cond_graph, values.clone())?;
            if told.first().is_none_or(|t| t.ints().first() == Some(&0)) {
                break;
            }
            values = run.machine.call(self.body_graph, values)?;
            // Also where the regions do nothing.
            run.machine.spend(1000)?;
        }
        Ok(values.into_iter().map(|v| Rc::try_unwrap(v).unwrap_or_else(|v| (*v).clone())).collect())
    }
}
