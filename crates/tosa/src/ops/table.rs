//! TABLE: a table's entry for 8 bits; for 16, the line between the two entries around the value.

use crate::attr::attributes;
use crate::dtype::Dtype;
use crate::ops::common::same;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, input, types};
use crate::value::{Data, Value};

attributes! {
    /// No attributes.
    Table {}
}

impl Operator for Table {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), constant("table")],
            &["output"],
            types![I8 I8 -> I8: INT; I16 I16 -> I32: INT16],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let entries = if cx.dtype(0) == Dtype::I8 { 256 } else { 513 };
        cx.shape_is(1, &[entries])?;
        same(cx)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let data = match (run.data(0), run.data(1)) {
            (Data::I8(v), Data::I8(table)) => {
                Data::I8(v.iter().map(|&x| table[(i16::from(x) + 128) as usize]).collect())
            }
            (Data::I16(v), Data::I16(table)) => {
                let slope_fits = |x: &i16| {
                    let at = ((i32::from(*x) + 32768) >> 7) as usize;
                    let base = i32::from(table[at]);
                    let slope = i32::from(table[at + 1]) - base;
                    i16::try_from(slope).ok().map(|_| (base << 7) + slope * (i32::from(*x) & 127))
                };
                let found: Option<Vec<i32>> = v.iter().map(slope_fits).collect();
                Data::I32(found.ok_or_else(|| {
                    Problem::unpredictable("two neighbours of the table differ by more than 16 bits").input(1)
                })?)
            }
            _ => return Err(Problem::invalid("operands of different types")),
        };
        run.done(data)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{eval, refused};

    const BODY: &str =
        "tensor x: i16[3] tensor t: i16[513] tensor y: i32[3] inputs x, t outputs y y = TABLE(x, t)";

    #[test]
    fn between_two_entries() {
        let ramp: Vec<i64> = (0..513).map(|i| i - 256).collect();
        // A line: the value itself.
        assert_eq!(eval(BODY, &[&[-32768, 5, 32767], &ramp]).unwrap(), [-32768, 5, 32767]);
        let mut step = vec![-20000; 513];
        step[512] = 20000;
        assert!(refused(BODY, &[&[0, 0, 32767], &step]).contains("more than 16 bits"));
    }
}
