//! MAX_POOL2D_ADAPTIVE: MAX_POOL2D whose windows are operands.

use crate::attr::attributes;
use crate::dtype::NanMode;
use crate::ops::common::{Pool, narrow_ints};
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, input, types};
use crate::spec::Level;
use crate::value::Value;

attributes! {
    /// Attributes.
    MaxPool2dAdaptive {
        /// For NaN; integers have none.
        nan_mode: NanMode,
    }
}

fn pool(cx: &Cx<'_>) -> Result<Pool, Problem> {
    Ok(Pool { kernel: narrow_ints(cx, 1)?, stride: narrow_ints(cx, 2)?, pad: narrow_ints(cx, 3)? })
}

impl Operator for MaxPool2dAdaptive {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), constant("kernel"), constant("stride"), constant("pad")],
            &["output"],
            types![I8 Shape Shape Shape -> I8: V11; I16 Shape Shape Shape -> I16: V11_INT16],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        pool(cx)?.infer(cx)
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        pool(cx)?.level(level)
    }

    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        pool(cx).map_or(u64::MAX, |p| p.work(outs))
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let numbers = |i: usize| run.ins[i].ints().into_iter().map(|n| n as i32).collect::<Vec<_>>();
        let fixed = |_| Problem::invalid("a window of other dimensions");
        Pool {
            kernel: numbers(1).try_into().map_err(fixed)?,
            stride: numbers(2).try_into().map_err(fixed)?,
            pad: numbers(3).try_into().map_err(fixed)?,
        }
        .max(run)
    }
}
