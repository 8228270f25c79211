//! RESIZE: an image at other sample points, the nearest sample or a mix of four.

use crate::attr::attributes;
use crate::dtype::{Dtype, ResizeMode};
use crate::ops::convs::product;
use crate::rule::{Cx, Dims, Inferred, Operator, Problem, Run, Signature, constant, ensure, input, types};
use crate::spec::Level;
use crate::value::{Data, Value, pack};

attributes! {
    /// Attributes.
    Resize {
        /// How a value is found.
        mode: ResizeMode,
    }
}

/// Scale as a fraction, offset and border of one dimension.
#[derive(Debug, Clone, Copy)]
struct Axis {
    n: i64,
    d: i64,
    offset: i64,
    border: i64,
}

fn axes([yn, yd, xn, xd]: [i64; 4], offset: [i64; 2], border: [i64; 2]) -> [Axis; 2] {
    [
        Axis { n: yn, d: yd, offset: offset[0], border: border[0] },
        Axis { n: xn, d: xd, offset: offset[1], border: border[1] },
    ]
}

impl Axis {
    fn size(self, input: usize, what: &str) -> Result<usize, Problem> {
        let Axis { n, d, offset, border } = self;
        ensure!(input < 16384, "the input has {input} elements along {what}; fewer than 16384 are possible");
        ensure!(
            (1..=1 << 11).contains(&n) && d >= 1,
            "the scale {n}/{d} along {what} must be positive, its numerator 2048 at most"
        );
        ensure!(d < 16 * n, "the scale {n}/{d} along {what} must be greater than 1/16");
        ensure!(
            (-n..16 * n).contains(&offset),
            "the offset {offset} along {what} must be within {}..{}",
            -n,
            16 * n
        );
        ensure!(
            (-16 * n..n).contains(&border),
            "the border {border} along {what} must be within {}..{n}",
            -16 * n
        );
        let span = (input as i64 - 1) * n - offset + border;
        ensure!(
            span >= 0 && span % d == 0,
            "{span} steps along {what} are not a multiple of {d}; change the border"
        );
        let out = span / d + 1;
        ensure!(out < 16384, "the output has {out} elements along {what}; fewer than 16384 are possible");
        Ok(out as usize)
    }

    /// The two samples around an output position, and how far it is from the first.
    fn samples(self, out: usize, input: usize) -> (usize, usize, i64) {
        let at = out as i64 * self.d + self.offset;
        let i = at.div_euclid(self.n);
        let last = input as i64 - 1;
        (i.clamp(0, last) as usize, (i + 1).clamp(0, last) as usize, at - i * self.n)
    }
}

impl Operator for Resize {
    fn signature(&self) -> &'static Signature {
        const SIGNATURE: Signature = Signature::new(
            &[input("input"), constant("scale"), constant("offset"), constant("border")],
            &["output"],
            types![I8 Shape Shape Shape -> I32: INT; I8 Shape Shape Shape -> I8: INT;
                I16 Shape Shape Shape -> I48: INT16; I16 Shape Shape Shape -> I16: INT16],
        );
        &SIGNATURE
    }

    fn infer(&self, cx: &Cx<'_>) -> Inferred {
        let [n, h, w, c] = cx.rank::<4>(0)?;
        let same = cx.outs.first().is_some_and(|o| o.dtype == cx.dtype(0));
        match self.mode {
            ResizeMode::Unknown => {
                return Err(Problem::invalid("the mode is not told; nearest and bilinear exist"));
            }
            ResizeMode::Nearest => ensure!(same, "the nearest of {} must stay {}", cx.dtype(0), cx.dtype(0)),
            ResizeMode::Bilinear => {
                let wider = if cx.dtype(0) == Dtype::I8 { Dtype::I32 } else { Dtype::I48 };
                ensure!(!same, "bilinear of {} must become {wider}", cx.dtype(0));
            }
        }
        let [y, x] = axes(cx.some_ints(1)?, cx.some_ints(2)?, cx.some_ints(3)?);
        Ok(vec![vec![n, y.size(h, "y")?, x.size(w, "x")?, c]])
    }

    fn level(&self, cx: &Cx<'_>, level: &Level) -> Result<(), Problem> {
        let [yn, yd, xn, xd] = cx.some_ints(1)?;
        let max = level.max_scale;
        if yn > max.saturating_mul(yd) || xn > max.saturating_mul(xd) {
            return Err(Problem::level(format!(
                "enlarges by {yn}/{yd} and {xn}/{xd}; the level allows {max}"
            )));
        }
        Ok(())
    }

    fn work(&self, _cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        product(&outs[0]).saturating_mul(8)
    }

    fn run(&self, run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        let fixed = |i: usize| run.ins[i].ints();
        let wrong = |_| Problem::invalid("scale, offset and border have 4, 2 and 2 numbers");
        let [ay, ax] = axes(
            fixed(1).try_into().map_err(wrong)?,
            fixed(2).try_into().map_err(wrong)?,
            fixed(3).try_into().map_err(wrong)?,
        );
        fn kernel<T: Copy + Into<i64>>(
            mode: ResizeMode,
            from: &[T],
            dims: &[usize],
            out_dims: &[usize],
            [ay, ax]: [Axis; 2],
        ) -> Vec<i64> {
            let (h, w, c) = (dims[1], dims[2], dims[3]);
            let mut out = Vec::with_capacity(out_dims.iter().product());
            for image in from.chunks_exact((h * w * c).max(1)) {
                let pixel = |y: usize, x: usize| &image[(y * w + x) * c..][..c];
                for oy in 0..out_dims[1] {
                    let (y0, y1, dy) = ay.samples(oy, h);
                    for ox in 0..out_dims[2] {
                        let (x0, x1, dx) = ax.samples(ox, w);
                        if mode == ResizeMode::Nearest {
                            let y = if 2 * dy >= ay.n { y1 } else { y0 };
                            let x = if 2 * dx >= ax.n { x1 } else { x0 };
                            out.extend(pixel(y, x).iter().map(|&v| v.into()));
                        } else {
                            let (ey, ex) = (ay.n - dy, ax.n - dx);
                            let corners = [pixel(y0, x0), pixel(y0, x1), pixel(y1, x0), pixel(y1, x1)];
                            out.extend((0..c).map(|i| {
                                let [a, b, c, d]: [i64; 4] = corners.map(|p| p[i].into());
                                a * ey * ex + b * ey * dx + c * dy * ex + d * dy * dx
                            }));
                        }
                    }
                }
            }
            out
        }
        let (dims, out_dims) = (run.dims(0), run.out_dims());
        let out = match run.data(0) {
            Data::I8(v) => kernel(self.mode, v, dims, out_dims, [ay, ax]),
            Data::I16(v) => kernel(self.mode, v, dims, out_dims, [ay, ax]),
            Data::I32(_) | Data::I64(_) => return Err(Problem::invalid("a wide type")),
        };
        run.done(pack(run.out_dtype(), out.into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::eval;

    #[test]
    fn mixes_and_picks() {
        let body = |mode: &str, to: &str| {
            format!(
                "tensor x: i8[1, 1, 2, 1] shape s: [4] = (1, 1, 2, 1) shape z: [2] = (0, 0) tensor y: {to}[1, 1, 3, 1]
                 inputs x outputs y s = CONST_SHAPE() z = CONST_SHAPE() y = RESIZE(x, s, z, z) {{mode = {mode}}}"
            )
        };
        assert_eq!(eval(&body("bilinear", "i32"), &[&[10, 20]]).unwrap(), [20, 30, 40]);
        assert_eq!(eval(&body("nearest", "i8"), &[&[10, 20]]).unwrap(), [10, 20, 20]);
    }
}
