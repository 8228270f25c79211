//! SELECT: of two tensors, element by element as a condition tells.

use crate::attr::attributes;
use crate::ops::common::{broadcast, zip};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, input, types};
use crate::value::{Data, Value};

attributes! {
    /// No attributes.
    Select {}
}

impl Operator for Select {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), input("input2"), input("input3")],
            &["output"],
            types![Bool Bool Bool -> Bool: INT; Bool I8 I8 -> I8: INT; Bool I16 I16 -> I16: INT;
                Bool I32 I32 -> I32: INT; Bool I64 I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        broadcast(cx, 3)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        fn kernel<T: Copy>(run: &Run<'_, '_>, condition: &[i8], a: &[T], b: &[T]) -> Result<Vec<T>, Problem> {
            let (c, x, y, out) = (run.dims(0), run.dims(1), run.dims(2), run.out_dims());
            let chosen = zip((condition, c), (a, x), out, "", |c, a| Some((c != 0).then_some(a)))?;
            zip((&chosen, out), (b, y), out, "", |a, b| Some(a.unwrap_or(b)))
        }
        let Data::I8(condition) = run.data(0) else { return Err(Problem::invalid("no booleans").input(0)) };
        let data = match (run.data(1), run.data(2)) {
            (Data::I8(a), Data::I8(b)) => Data::I8(kernel(run, condition, a, b)?),
            (Data::I16(a), Data::I16(b)) => Data::I16(kernel(run, condition, a, b)?),
            (Data::I32(a), Data::I32(b)) => Data::I32(kernel(run, condition, a, b)?),
            (Data::I64(a), Data::I64(b)) => Data::I64(kernel(run, condition, a, b)?),
            _ => return Err(Problem::invalid("operands of different types")),
        };
        run.done(data)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::eval;

    #[test]
    fn three_operands_broadcast() {
        let body = "tensor c: bool[1, 2] tensor a: i32[2, 1] tensor b: i32[1, 1] tensor y: i32[2, 2]
             inputs c, a, b outputs y y = SELECT(c, a, b)";
        assert_eq!(eval(body, &[&[1, 0], &[5, 6], &[9]]).unwrap(), [5, 9, 6, 9]);
    }
}
