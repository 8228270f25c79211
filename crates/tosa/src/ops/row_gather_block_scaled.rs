//! ROW_GATHER_BLOCK_SCALED: ROW_GATHER of values with or without scales; computed for integers, which have none.

use crate::attr::attributes;
use crate::dtype::BlockSize;
use crate::ops::gather::rows;
use crate::ops::row_gather::shape;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// Attributes.
    RowGatherBlockScaled {
        /// Values that share a scale.
        block_size: BlockSize,
    }
}

impl Operator for RowGatherBlockScaled {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("values"), input("indices"), constant("row_count")],
            &["output"],
            types![Bool I32 I32 -> Bool: V11; Bool I64 I32 -> Bool: INT64; I8 I32 I32 -> I8: V11; I16 I32 I32 -> I16: V11; I32 I32 I32 -> I32: V11;
                I8 I64 I32 -> I8: INT64; I16 I64 I32 -> I16: INT64; I32 I64 I32 -> I32: INT64;
                I64 I64 I32 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        ensure!(
            self.block_size == BlockSize::One,
            "block_size is {}; without scales it is 1",
            self.block_size
        );
        shape(cx, 1)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let d = run.dims(0);
        let (indices, count) = (run.ins[1].ints(), run.scalar(2) as usize);
        run.done(each_data!(run.data(0), v => rows(v, [d[0], d[1], d[2]], &indices, count)?))
    }
}
