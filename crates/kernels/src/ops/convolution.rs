//! `aten::convolution`: one or two spatial dimensions, groups, transposed or not, `float32`.
//!
//! A transposed convolution is computed as a gather: output `o` takes input `i` through tap `k`
//! where `o = i * stride - padding + k * dilation`. So both kinds are one loop nest in which a tap
//! reads input `(o * scale + start + k * step) / divide`, if that is a whole number inside the image.

use crate::util::args::Done;
use crate::util::tile::{COLUMNS, Columns, NOWHERE, Places, ROWS, Rows, Tile, accumulate};
use crate::util::window::{Images, divide, per_axis, shape_like, size};
use core::num::NonZeroUsize;
use tombolo_runtime::{DtypeSet, KernelContext, KernelDef, KernelError};

/// `convolution.out(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation,
/// bool transposed, int[] output_padding, int groups, *, Tensor(a!) out)`
pub const OUT: KernelDef = KernelDef::new("aten::convolution.out", 10, &[9], DtypeSet::FLOAT, run);

/// One spatial dimension.
#[derive(Clone, Copy)]
struct Axis {
    input: usize,
    output: usize,
    kernel: usize,
    scale: usize,
    /// May be negative, wrapped around; so may `step`.
    start: usize,
    step: usize,
    divide: NonZeroUsize,
}

impl Axis {
    const UNIT: Axis =
        Axis { input: 1, output: 1, kernel: 1, scale: 1, start: 0, step: 1, divide: NonZeroUsize::MIN };

    fn new(
        ctx: &KernelContext<'_, '_>,
        axis: usize,
        input: usize,
        kernel: usize,
    ) -> Result<Axis, KernelError> {
        let stride = per_axis(ctx.ints(3)?, axis, 1)?;
        let padding = per_axis(ctx.ints(4)?, axis, 0)?;
        let dilation = per_axis(ctx.ints(5)?, axis, 1)?;
        let reach = size(dilation.saturating_mul(kernel.saturating_sub(1) as i64))? as i64;
        // In 64 bits: each operand is below 2^31.
        if ctx.bool(6)? {
            let extra = per_axis(ctx.ints(7)?, axis, 0)?;
            if extra >= stride.max(dilation) {
                return Err(KernelError::Invalid("output padding must be smaller than stride or dilation"));
            }
            let spread = size((input as i64 - 1).max(0) * stride)? as i64;
            size(spread + reach + extra + 1)?;
            let output = size(spread - 2 * padding + reach + extra + 1)?;
            let divide = NonZeroUsize::new(stride as usize).unwrap_or(NonZeroUsize::MIN);
            let (start, step) = (padding as usize, (dilation as usize).wrapping_neg());
            return Ok(Axis { input, output, kernel, scale: 1, start, step, divide });
        }
        let room = size(input as i64 + 2 * padding)? as i64 - reach - 1;
        if room < 0 {
            return Err(KernelError::Invalid("the kernel is larger than the padded input"));
        }
        let output = size(i64::from(divide(room, stride)) + 1)?;
        let start = (padding as usize).wrapping_neg();
        let (scale, step) = (stride as usize, dilation as usize);
        Ok(Axis { input, output, kernel, scale, start, step, divide: NonZeroUsize::MIN })
    }

    /// What tap `k` of output `o` reads, before the division.
    fn numerator(&self, o: usize, k: usize) -> usize {
        o.wrapping_mul(self.scale).wrapping_add(self.start).wrapping_add(k.wrapping_mul(self.step))
    }

    /// The input that tap `k` of output `o` reads, if there is one.
    fn source(&self, o: usize, k: usize) -> Option<usize> {
        let n = self.numerator(o, k);
        // A negative numerator is above every size.
        if n > isize::MAX as usize {
            return None;
        }
        let i = if self.divide == NonZeroUsize::MIN {
            n
        } else if n % self.divide == 0 {
            n / self.divide
        } else {
            return None;
        };
        (i < self.input).then_some(i)
    }

    /// Where the columns from output `o` on find the inputs that tap `k` reads, `stride` apart.
    fn places(&self, o: usize, wanted: usize, k: usize, stride: usize, base: usize) -> Places {
        if self.divide == NonZeroUsize::MIN {
            let first = self.numerator(o, k);
            let last = self.numerator(o.wrapping_add(wanted.saturating_sub(1)), k);
            if first <= last && last < self.input {
                let across = stride.wrapping_mul(self.scale);
                return Places::strided(base.wrapping_add(first.wrapping_mul(stride)), across);
            }
        }
        let mut places = [NOWHERE; COLUMNS];
        for (i, place) in places.iter_mut().enumerate().take(wanted) {
            if let Some(x) = self.source(o.wrapping_add(i), k) {
                *place = base.wrapping_add(x.wrapping_mul(stride));
            }
        }
        Places::Each(places)
    }
}

/// Everything that the loops need: strides in elements, in the order of the sizes.
struct Plan<'t> {
    input: &'t [f32],
    weight: &'t [f32],
    bias: Option<&'t [f32]>,
    batch: usize,
    groups: usize,
    /// Input and output channels of one group.
    channels: [usize; 2],
    rows: Axis,
    columns: Axis,
    from: [usize; 4],
    to: [usize; 4],
    /// From an output channel, an input channel, a row and a column of the weight to the next.
    taps: [usize; 4],
    /// From a group of the weight to the next.
    group: usize,
}

fn run(ctx: &KernelContext<'_, '_>) -> Done {
    let (input, weight, bias) = (ctx.tensor(0)?, ctx.tensor(1)?, ctx.opt_tensor(2)?);
    let transposed = ctx.bool(6)?;
    let groups = ctx.int(8)?;
    let rank = input.rank();
    // With one spatial dimension there is one row.
    let x = Images::of(&input.shape(), &input.strides(), 2)?;
    let w = Images::of(&weight.shape(), &weight.strides(), 2)?;
    let misfit = KernelError::Invalid("the weight does not fit the input and the number of groups");
    let ([batch, channels, height, width], [first, second, kernel_h, kernel_w]) = (x.sizes, w.sizes);
    let groups = usize::try_from(groups).ok().and_then(NonZeroUsize::new).ok_or(misfit)?;
    let (per_group, outputs, expected) = if transposed {
        (channels / groups, second.saturating_mul(groups.get()), first)
    } else {
        (channels / groups, first, second.saturating_mul(groups.get()))
    };
    if kernel_h == 0 || kernel_w == 0 {
        return Err(KernelError::Invalid("a kernel of size 0"));
    }
    if weight.rank() != rank || expected != channels || channels % groups != 0 || outputs % groups != 0 {
        return Err(misfit);
    }
    let columns = Axis::new(ctx, if rank == 4 { 1 } else { 0 }, width, kernel_w)?;
    let rows = if rank == 4 { Axis::new(ctx, 0, height, kernel_h)? } else { Axis::UNIT };
    let bias = match &bias {
        Some(bias) if bias.count() != outputs => {
            return Err(KernelError::Invalid("the bias has not one element per output channel"));
        }
        Some(bias) => Some(bias.as_slice::<f32>()?),
        None => None,
    };

    let shape = shape_like(rank, 2, [batch, outputs, rows.output, columns.output])?;
    let mut out = ctx.out_sized(9, &shape)?;
    let to = Images::of(&out.shape(), &out.strides(), 2)?.strides;
    let [w0, w1, w2, w3] = w.strides;
    let of_group = outputs / groups;
    let mut plan = Plan {
        input: input.as_slice()?,
        weight: weight.as_slice()?,
        bias,
        batch,
        groups: groups.get(),
        channels: [per_group, of_group],
        rows,
        columns,
        from: x.strides,
        to,
        taps: if transposed { [w1, w0, w2, w3] } else { [w0, w1, w2, w3] },
        group: w0.wrapping_mul(if transposed { per_group } else { of_group }),
    };
    plan.flatten();
    let out = out.as_mut_slice::<f32>()?;
    if per_group == 0 {
        // Nothing is summed, and an empty weight may claim a kernel of any size.
        (plan.rows.kernel, plan.columns.kernel) = (0, 0);
    }
    if !out.is_empty() {
        plan.run(out);
    }
    Ok(())
}

impl Plan<'_> {
    /// Makes all rows one where every output reads just the input at its own place: a row of 7
    /// pixels would leave most of its last tile unused.
    fn flatten(&mut self) {
        let pointwise = |a: &Axis| a.kernel == 1 && a.scale == 1 && a.start == 0 && a.input == a.output;
        let width = self.columns.input;
        let dense = |[_, _, row, column]: [usize; 4]| row == column.wrapping_mul(width);
        if pointwise(&self.rows)
            && pointwise(&self.columns)
            && self.columns.divide == NonZeroUsize::MIN
            && self.rows.divide == NonZeroUsize::MIN
            && dense(self.from)
            && dense(self.to)
        {
            let pixels = width.saturating_mul(self.rows.input);
            (self.columns.input, self.columns.output) = (pixels, pixels);
            (self.rows.input, self.rows.output) = (1, 1);
        }
    }

    fn run(&self, out: &mut [f32]) {
        for n in 0..self.batch {
            for g in 0..self.groups {
                for y in 0..self.rows.output {
                    let mut x = 0;
                    while x < self.columns.output {
                        self.pixels(out, [n, g, y, x]);
                        x += COLUMNS;
                    }
                }
            }
        }
    }

    /// All output channels of a group for the columns from `x` on. The inputs stay in the cache meanwhile.
    fn pixels(&self, out: &mut [f32], at: [usize; 4]) {
        let [_, channels] = self.channels;
        let mut c = 0;
        while c + ROWS <= channels {
            self.block::<ROWS>(out, at, c);
            c += ROWS;
        }
        while c < channels {
            self.block::<1>(out, at, c);
            c += 1;
        }
    }

    #[inline(never)]
    fn block<const R: usize>(&self, out: &mut [f32], [n, g, y, x]: [usize; 4], c: usize) {
        let [inputs, outputs] = self.channels;
        let wanted = self.columns.output.saturating_sub(x).min(COLUMNS);
        let channel = g.wrapping_mul(outputs).wrapping_add(c);
        let mut tile: Tile<R> = [[0.0; COLUMNS]; R];
        if let Some(bias) = self.bias.and_then(|bias| bias.get(channel..)) {
            for (sums, &bias) in tile.iter_mut().zip(bias) {
                *sums = [bias; COLUMNS];
            }
        }
        let [fn_, fc, fy, fx] = self.from;
        let [tc, ti, ty, tx] = self.taps;
        let image = n.wrapping_mul(fn_).wrapping_add(g.wrapping_mul(inputs).wrapping_mul(fc));
        let taps = g.wrapping_mul(self.group).wrapping_add(c.wrapping_mul(tc));
        for ky in 0..self.rows.kernel {
            let Some(iy) = self.rows.source(y, ky) else { continue };
            let base = image.wrapping_add(iy.wrapping_mul(fy));
            for kx in 0..self.columns.kernel {
                let places = self.columns.places(x, wanted, kx, fx, base);
                let at = taps.wrapping_add(ky.wrapping_mul(ty)).wrapping_add(kx.wrapping_mul(tx));
                let rows = Rows { data: self.weight, at, across: tc, along: ti };
                accumulate(&mut tile, rows, Columns { data: self.input, places, along: fc }, inputs);
            }
        }
        let [on, oc, oy, ox] = self.to;
        let start = n.wrapping_mul(on).wrapping_add(y.wrapping_mul(oy)).wrapping_add(x.wrapping_mul(ox));
        for (r, sums) in tile.iter().enumerate() {
            let mut place = start.wrapping_add(channel.wrapping_add(r).wrapping_mul(oc));
            for sum in sums.iter().take(wanted) {
                if let Some(slot) = out.get_mut(place) {
                    *slot = *sum;
                }
                place = place.wrapping_add(ox);
            }
        }
    }
}

crate::util::fixtures::like_torch!("convolution": OUT);
