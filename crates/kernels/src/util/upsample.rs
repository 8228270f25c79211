//! Sizes and scales of upsampling.

use crate::util::window::{Images, size};
use tombolo_runtime::{KernelContext, KernelError, Tensor, TensorMut};

/// The arguments of an upsampling, and its output.
pub(crate) struct Upsample<'c> {
    pub(crate) input: Tensor<'c>,
    pub(crate) from: Images,
    pub(crate) out: TensorMut<'c>,
    pub(crate) to: Images,
    /// Factors by which the program says that the output is larger, down and right.
    pub(crate) factors: [Option<f64>; 2],
}

/// Where the sizes of the output come from.
pub(crate) enum Sizes {
    /// The output sizes at argument 1 or else the list of factors at `factors` (`vec` overloads).
    Either { factors: usize },
    /// The output sizes at argument 1; at `factors` and after it two optional numbers.
    Given { factors: usize },
}

impl<'c> Upsample<'c> {
    /// Argument 0 and the output at `position`.
    pub(crate) fn load(
        ctx: &KernelContext<'c, '_>,
        sizes: Sizes,
        position: usize,
    ) -> Result<Self, KernelError> {
        let input = ctx.tensor(0)?;
        if input.rank() != 4 {
            return Err(KernelError::Invalid("the input of an upsampling has four dimensions"));
        }
        let from = Images::of(&input.shape(), &input.strides(), 0)?;
        let [batch, channels, height, width] = from.sizes;
        let wanted = ctx.ints(1)?;
        let factors = match sizes {
            Sizes::Given { factors } => [ctx.opt_double(factors)?, ctx.opt_double(factors + 1)?],
            Sizes::Either { factors } => {
                let list = ctx.doubles(factors)?;
                [list.get(0), list.get(1)]
            }
        };
        let output = |axis: usize, input: usize| -> Result<usize, KernelError> {
            match (wanted.get(axis), factors.get(axis)) {
                (Some(wanted), _) => size(wanted),
                (None, Some(&Some(factor))) => size((input as f64 * factor) as i64),
                _ => Err(KernelError::Invalid("an upsampling has neither output sizes nor factors")),
            }
        };
        let (down, right) = (output(0, height)?, output(1, width)?);
        if (height == 0 || width == 0) && down > 0 && right > 0 {
            return Err(KernelError::Invalid("an upsampling of nothing"));
        }
        let shape = [batch as u32, channels as u32, down as u32, right as u32];
        let out = ctx.out_sized(position, &shape)?;
        let to = Images::of(&out.shape(), &out.strides(), 0)?;
        Ok(Upsample { input, from, out, to, factors })
    }

    /// Input and output sizes of a spatial axis, 0 or 1, and its factor.
    pub(crate) fn axis(&self, axis: usize) -> (usize, usize, Option<f64>) {
        let ([_, _, height, width], [_, _, down, right]) = (self.from.sizes, self.to.sizes);
        let [vertical, horizontal] = self.factors;
        if axis == 0 { (height, down, vertical) } else { (width, right, horizontal) }
    }
}

/// The distance in the input of neighbours in the output, as torch computes it: from the factor if
/// there is one, in `float32`.
pub(crate) fn scale((input, output, factor): (usize, usize, Option<f64>)) -> f32 {
    match factor {
        Some(factor) if factor > 0.0 => (1.0 / factor) as f32,
        _ => input as f32 / output as f32,
    }
}
