//! CONCAT: tensors behind each other along an axis.

use crate::attr::attributes;
use crate::ops::common::{around, axis_of};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::spec::Level;
use crate::value::{Data, Value};

attributes! {
    /// Attributes.
    Concat {
        /// The dimension that grows.
        axis: i32,
    }
}

impl Operator for Concat {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1")],
            &["output"],
            types![Bool -> Bool: INT; I8 -> I8: INT; I16 -> I16: INT16; I32 -> I32: INT; I64 -> I64: INT64],
        )
        .variadic();
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let mut out = cx.dims(0)?.to_vec();
        let axis = axis_of(self.axis, &out)?;
        for i in 1..cx.ins.len() {
            let dims = cx.dims(i)?;
            let fits = dims.len() == out.len()
                && dims.iter().zip(&out).enumerate().all(|(d, (a, b))| d == axis || a == b);
            if !fits {
                let text = format!("{dims:?} does not join {out:?}: only dimension {axis} may differ");
                return Err(Problem::invalid(text).input(i));
            }
            out[axis] = out[axis].checked_add(dims[axis]).ok_or_else(|| Problem::invalid("is too long"))?;
        }
        Ok(vec![out])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        if cx.ins.len() > level.max_tensor_list_size {
            let text =
                format!("joins {} tensors; the level allows {}", cx.ins.len(), level.max_tensor_list_size);
            return Err(Problem::level(text));
        }
        Ok(())
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let out_dims = run.out_dims();
        let axis = axis_of(self.axis, out_dims)?;
        let outer = around(out_dims, axis).0;
        macro_rules! join {
            ($variant:ident) => {{
                let mut parts = Vec::with_capacity(run.ins.len());
                for (i, value) in run.ins.iter().enumerate() {
                    let Data::$variant(v) = value.data() else {
                        return Err(Problem::invalid("operands of different types").input(i));
                    };
                    let row: usize = value.dims()[axis..].iter().product();
                    parts.push(v.chunks_exact(row.max(1)));
                }
                let mut out = Vec::with_capacity(out_dims.iter().product());
                for _ in 0..outer {
                    for part in &mut parts {
                        out.extend_from_slice(part.next().unwrap_or(&[]));
                    }
                }
                Data::$variant(out)
            }};
        }
        run.done(match run.data(0) {
            Data::I8(_) => join!(I8),
            Data::I16(_) => join!(I16),
            Data::I32(_) => join!(I32),
            Data::I64(_) => join!(I64),
        })
    }
}
