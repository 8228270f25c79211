//! TILE: a tensor again and again along each dimension.

use crate::attr::attributes;
use crate::ops::common::{strided, strides};
use crate::rule::{Cx, Inferred, Operator, Problem, Run, Signature, constant, input, types};
use crate::value::{Value, each_data};

attributes! {
    /// No attributes.
    Tile {}
}

impl Operator for Tile {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input1"), constant("multiples")],
            &["output"],
            types![Bool Shape -> Bool: INT; I8 Shape -> I8: INT; I16 Shape -> I16: INT; I32 Shape -> I32: INT;
                I64 Shape -> I64: INT64],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let dims = cx.dims(0)?;
        let multiples = cx.ints(1)?;
        let tiled: Option<Vec<usize>> = (multiples.len() == dims.len())
            .then(|| {
                dims.iter().zip(&multiples).map(|(d, m)| d.checked_mul(usize::try_from(*m).ok()?)).collect()
            })
            .flatten();
        match tiled {
            Some(out) => Ok(vec![out]),
            None => {
                let text = format!("{multiples:?} must have a number for each of {dims:?}, 1 or more");
                Err(Problem::invalid(text).input(1))
            }
        }
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        // Every dimension twice: how often, with a stride of 0, and itself.
        let own = strides(run.dims(0));
        let mut dims = Vec::with_capacity(2 * own.len());
        let mut strides = Vec::with_capacity(2 * own.len());
        for ((dim, out), stride) in run.dims(0).iter().zip(run.out_dims()).zip(own) {
            dims.extend([out / dim, *dim]);
            strides.extend([0, stride]);
        }
        run.done(each_data!(run.data(0), v => strided(v, 0, &strides, &dims)))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::eval;

    #[test]
    fn repeats() {
        let body = "tensor x: i8[2, 1] shape m: [2] = (2, 3) tensor y: i8[4, 3] inputs x outputs y
             m = CONST_SHAPE() y = TILE(x, m)";
        assert_eq!(eval(body, &[&[1, 2]]).unwrap(), [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2]);
    }
}
