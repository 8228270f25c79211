//! PAD: a constant around a tensor.

use crate::attr::attributes;
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, input, types};
use crate::value::{Data, Value, count};

attributes! {
    /// No attributes.
    Pad {}
}

impl Operator for Pad {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), constant("padding"), constant("pad_const")],
            &["output"],
            types![Bool Shape Bool -> Bool: INT; I8 Shape I8 -> I8: INT; I16 Shape I16 -> I16: INT;
                I32 Shape I32 -> I32: INT; I64 Shape I64 -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let dims = cx.dims(0)?;
        cx.shape_is(2, &[1])?;
        let padding = cx.ints(1)?;
        if padding.len() != 2 * dims.len() {
            let text = format!("has {} numbers; two for each of {dims:?} are needed", padding.len());
            return Err(Problem::invalid(text).input(1));
        }
        let padded = dims.iter().zip(padding.chunks_exact(2)).map(|(d, p)| {
            let [before, after] = [usize::try_from(p[0]).ok()?, usize::try_from(p[1]).ok()?];
            d.checked_add(before)?.checked_add(after)
        });
        let padded: Option<Vec<usize>> = padded.collect();
        match padded {
            Some(out) => Ok(vec![out]),
            None => {
                Err(Problem::invalid(format!("{padding:?} has a number that is negative or too large"))
                    .input(1))
            }
        }
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        fn kernel<T: Copy>(from: &[T], dims: &[usize], before: &[usize], out: &[usize], value: T) -> Vec<T> {
            let mut made = vec![value; count(out).unwrap_or(0)];
            let row = dims.last().copied().unwrap_or(1).max(1);
            for (i, source) in from.chunks_exact(row).enumerate() {
                // Where this row starts in the output, from the innermost of the outer dimensions on.
                let mut left = i;
                let (mut at, mut stride) = (before.last().copied().unwrap_or(0), 1);
                for axis in (0..dims.len().saturating_sub(1)).rev() {
                    stride *= out[axis + 1];
                    at += (left % dims[axis] + before[axis]) * stride;
                    left /= dims[axis];
                }
                made[at..at + row].copy_from_slice(source);
            }
            made
        }
        let before: Vec<usize> = run.ins[1].ints().chunks_exact(2).map(|p| p[0] as usize).collect();
        let (dims, out, value) = (run.dims(0), run.out_dims(), run.scalar(2));
        run.done(match run.data(0) {
            Data::I8(v) => Data::I8(kernel(v, dims, &before, out, value as i8)),
            Data::I16(v) => Data::I16(kernel(v, dims, &before, out, value as i16)),
            Data::I32(v) => Data::I32(kernel(v, dims, &before, out, value as i32)),
            Data::I64(v) => Data::I64(kernel(v, dims, &before, out, value)),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::eval;

    #[test]
    fn around() {
        let body = "tensor x: i8[1, 2] shape p: [4] = (1, 0, 0, 2) tensor c: i8[1] = (9) tensor y: i8[2, 4]
             inputs x outputs y p = CONST_SHAPE() c = CONST() y = PAD(x, p, c)";
        assert_eq!(eval(body, &[&[1, 2]]).unwrap(), [9, 9, 9, 9, 1, 2, 9, 9]);
    }
}
