//! MAX_POOL2D: the greatest element of windows; padding does not count.

use crate::attr::attributes;
use crate::dtype::NanMode;
use crate::ops::common::Pool;
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::spec::Level;
use crate::value::Value;

attributes! {
    /// Attributes.
    MaxPool2d {
        /// Height and width of a window.
        kernel: [i32; 2],
        /// Steps down and to the right.
        stride: [i32; 2],
        /// Top, bottom, left, right.
        pad: [i32; 4],
        /// For NaN; integers have none.
        nan_mode: NanMode,
    }
}

impl MaxPool2d {
    fn pool(&self) -> Pool {
        Pool { kernel: self.kernel, stride: self.stride, pad: self.pad }
    }
}

impl Operator for MaxPool2d {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature =
            Signature::new(&[input("input")], &["output"], types![I8 -> I8: INT; I16 -> I16: INT16]);
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        self.pool().infer(cx)
    }

    fn level(&self, _cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        self.pool().level(level)
    }

    fn work(&self, _cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        self.pool().work(outs)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        self.pool().max(run)
    }
}
