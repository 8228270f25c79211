//! The NPU's operations before they are scheduled: what is computed, not where and when.
//!
//! # Semantics
//! A [`Program`] is a list of [`Op`]s over [`Tensor`]s, which are dense lists of elements. An operation reads and
//! writes [`View`]s: boxes of height, width and depth with an offset and three strides in elements, so that a
//! slice, a concatenation, a broadcast and most transpositions are no work of their own.
//!
//! What an operation does follows the order of the data path: inputs minus their zero points, the operation
//! with accumulators that are wide enough, bias, scale with rounding, plus zero point, clamp, table, store. An
//! operation that came straight from TOSA uses a part of it; [`crate::fuse`] merges them.
//!
//! [`eval`] gives that meaning to a program, so that each layer above the command stream can be proven alone.

mod compute;
pub mod eval;

use std::fmt;
use tombolo_tosa::{Data, Rounding};

/// A tensor of a program: its place in [`Program::tensors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub u32);

impl TensorId {
    /// The place in [`Program::tensors`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Elem {
    /// Eight bits with sign.
    I8,
    /// Sixteen bits with sign.
    I16,
    /// 32 bits with sign.
    I32,
    /// The sums of 16-bit convolutions. No memory holds it: such a tensor must be fused away.
    I48,
}

impl Elem {
    /// Bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            Elem::I8 => 8,
            Elem::I16 => 16,
            Elem::I32 => 32,
            Elem::I48 => 48,
        }
    }

    /// The least and the greatest value, with or without a sign bit.
    pub fn range(self, signed: bool) -> (i64, i64) {
        let bits = self.bits();
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i{}", self.bits())
    }
}

/// Elements in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// As in the graph; made up for tensors that only the compiler knows.
    pub name: String,
    /// Of its elements.
    pub elem: Elem,
    /// How many.
    pub elements: usize,
    /// Of a constant.
    pub data: Option<Data>,
}

/// A box of elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// Of which tensor.
    pub tensor: TensorId,
    /// The first element's place.
    pub offset: usize,
    /// Height, width, depth.
    pub shape: [usize; 3],
    /// Distance in elements of rows, columns and channels; 0 repeats.
    pub strides: [usize; 3],
}

impl View {
    /// A dense box at the start of a tensor.
    pub fn dense(tensor: TensorId, shape: [usize; 3]) -> View {
        let [_, w, c] = shape;
        View { tensor, offset: 0, shape, strides: [w.saturating_mul(c), c, 1] }
    }

    /// Rows and columns, from and to.
    pub(crate) fn part(&self, [y, x]: [[usize; 2]; 2]) -> View {
        View {
            offset: self.offset + y[0] * self.strides[0] + x[0] * self.strides[1],
            shape: [y[1] - y[0], x[1] - x[0], self.shape[2]],
            ..*self
        }
    }

    /// How many elements; `None` if that is no number.
    pub fn elements(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
    }

    /// One more than the place of its last element; `None` if that is no number.
    pub fn end(&self) -> Option<usize> {
        let mut last = self.offset;
        for (size, stride) in self.shape.iter().zip(self.strides) {
            last = last.checked_add(size.checked_sub(1)?.checked_mul(stride)?)?;
        }
        last.checked_add(1)
    }

    /// Whether it is all of a tensor of so many elements, in order.
    pub fn is_whole(&self, elements: usize) -> bool {
        let [h, w, c] = self.shape;
        let ok = |size: usize, stride: usize, dense: usize| size == 1 || stride == dense;
        self.elements() == Some(elements)
            && self.offset == 0
            && ok(h, self.strides[0], w * c)
            && ok(w, self.strides[1], c)
            && ok(c, self.strides[2], 1)
    }

    pub(crate) fn at(&self, y: usize, x: usize, c: usize) -> usize {
        self.offset + y * self.strides[0] + x * self.strides[1] + c * self.strides[2]
    }
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// Which elements.
    pub view: View,
    /// Subtracted from each.
    pub zero_point: i64,
    /// Whether the bits are a number with a sign.
    pub signed: bool,
    /// Each is scaled by this, after the zero point. What scales of inputs an operation can have depends on the
    /// generation; none comes from the lowering, [`crate::fuse`] makes them.
    pub scaling: Option<(Factor, Rounding)>,
}

impl Input {
    /// Elements less their zero point.
    pub fn new(view: View, zero_point: i64, signed: bool) -> Input {
        Input { view, zero_point, signed, scaling: None }
    }
}

/// A fixed-point factor: multiplied by `multiplier`, shifted right by `shift`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// Not negative.
    pub multiplier: i32,
    /// 0 to 63.
    pub shift: u8,
}

impl Factor {
    /// Nothing changes.
    pub const ONE: Factor = Factor { multiplier: 1, shift: 0 };

    /// Whether nothing changes, however it is written: `1 << 30` shifted right by 30 as well.
    pub fn is_one(self) -> bool {
        1i64.checked_shl(self.shift.into()) == Some(self.multiplier.into())
    }
}

/// How sums become output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scaling {
    /// The same for all.
    Global(Factor),
    /// One for each channel of the output.
    PerChannel(Vec<Factor>),
}

impl Scaling {
    /// Whether nothing changes.
    pub fn is_one(&self) -> bool {
        match self {
            Scaling::Global(factor) => factor.is_one(),
            Scaling::PerChannel(factors) => factors.iter().all(|f| f.is_one()),
        }
    }
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Which elements.
    pub view: View,
    /// Whether the bits are a number with a sign.
    pub signed: bool,
    /// Applied to sums.
    pub scaling: Scaling,
    /// How the shift of the scaling rounds.
    pub rounding: Rounding,
    /// Added after the scaling.
    pub zero_point: i64,
    /// Least and greatest value, zero point included. `None`: a value out of the element's range is an error of
    /// the graph.
    pub clamp: Option<(i64, i64)>,
    /// A constant that the value after the clamp is looked up in. 256 elements: by the value plus 128. 513
    /// elements: values of 16 bits, on the lines between neighbours, times 128, as TOSA's TABLE does; the slope
    /// must be one of 16 bits.
    pub lut: Option<TensorId>,
}

impl Output {
    /// Sums as they are.
    pub fn plain(view: View) -> Output {
        Output {
            view,
            signed: true,
            scaling: Scaling::Global(Factor::ONE),
            rounding: Rounding::Single,
            zero_point: 0,
            clamp: None,
            lut: None,
        }
    }

    /// Whether sums go out as they are.
    pub fn is_plain(&self) -> bool {
        self.signed
            && self.scaling.is_one()
            && self.zero_point == 0
            && self.clamp.is_none()
            && self.lut.is_none()
    }
}

/// A window that moves over the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    /// Height and width in taps.
    pub size: [usize; 2],
    /// Steps down and to the right.
    pub stride: [usize; 2],
    /// Distance of taps.
    pub dilation: [usize; 2],
    /// Rows above and columns to the left of the input that the window starts at.
    pub pad: [usize; 2],
}

/// What a pooling makes of its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// The greatest.
    Max,
    /// The sum over the number of elements that are no padding, rounded as TOSA's AVG_POOL2D does.
    Average,
}

/// Which way a reduction over the depth goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduce {
    /// The sum.
    Sum,
    /// The greatest.
    Max,
    /// The least.
    Min,
    /// The place of the greatest; of several, the first.
    ArgMax,
}

/// An operation on each element of one or two inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elementwise {
    /// The sum.
    Add,
    /// The first minus the second.
    Sub,
    /// The product.
    Mul,
    /// The greater.
    Max,
    /// The lesser.
    Min,
    /// Without its sign; one input.
    Abs,
    /// How many of 32 bits are zero before the first one; one input.
    Clz,
    /// Both, bit by bit.
    And,
    /// Either, bit by bit.
    Or,
    /// One of both, bit by bit.
    Xor,
    /// The other bits; one input.
    Not,
    /// The first shifted left by the second; bits beyond those of the first input's elements are lost.
    Shl,
    /// The first shifted right by the second, as a number with a sign.
    Asr {
        /// To the nearest, ties up; else down.
        round: bool,
    },
    /// The bits of the first input's elements shifted right by the second; zeros come in.
    Lsr,
    /// The quotient, rounded towards 0.
    Div,
    /// 1 if they are equal, else 0.
    CmpEq,
    /// 1 if the first is not less, else 0.
    CmpGe,
    /// 1 if the first is greater, else 0.
    CmpGt,
}

impl Elementwise {
    /// Whether it has one input.
    pub fn unary(self) -> bool {
        matches!(self, Elementwise::Abs | Elementwise::Clz | Elementwise::Not)
    }

    /// Whether its result is a quantity, that the output stage may scale; others are bits, counts or truth.
    pub fn scales(self) -> bool {
        use Elementwise::{Abs, Add, Max, Min, Mul, Sub};
        matches!(self, Add | Sub | Mul | Max | Min | Abs)
    }
}

/// How an image is seen at other points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResizeMode {
    /// The nearest element, the next one if two are.
    Nearest,
    /// The four around it, each times how far the point is from the one on the other side: sums are as many times
    /// the mean as the product of the numerators.
    Bilinear,
}

/// Where a resized row or column is in the input: at `(out * denominator + offset) / numerator`. What is
/// beyond the border is as the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResizeAxis {
    /// Steps between two elements of the input: 1 to 2048.
    pub numerator: i32,
    /// Steps between two elements of the output: at least 1.
    pub denominator: i32,
    /// Of the first element of the output, in steps.
    pub offset: i32,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Nothing but what the output stage does.
    Identity,
    /// Sums over a window and all channels. Weights are a constant of output channels × rows × columns × input
    /// channels, the bias one of output channels or of one element for all.
    Conv {
        /// The window.
        kernel: Kernel,
        /// The constant.
        weights: TensorId,
        /// Subtracted from each weight.
        weight_zero_point: i64,
        /// The constant.
        bias: TensorId,
    },
    /// Sums over a window of one channel each. Weights are a constant of rows × columns × channels.
    Depthwise {
        /// The window.
        kernel: Kernel,
        /// The constant.
        weights: TensorId,
        /// Subtracted from each weight.
        weight_zero_point: i64,
        /// The constant.
        bias: TensorId,
    },
    /// Over a window of one channel each.
    Pool(Pool, Kernel),
    /// Over all channels into one.
    Reduce(Reduce),
    /// On each element.
    Elementwise(Elementwise),
    /// Sums of products of each pixel of the first input with each column of the second, which has one row and
    /// as many columns as the output has channels.
    MatMul,
    /// An image at other points: each channel by itself.
    Resize {
        /// Which elements.
        mode: ResizeMode,
        /// Of rows and of columns.
        axes: [ResizeAxis; 2],
    },
    /// Columns of the first input that the second names: all three have one row, the second one channel. A column
    /// that does not exist is an error of the graph.
    Gather,
    /// The first input, with those of its columns that the second input names replaced by the third's: all have
    /// one row, the second one channel. A column that does not exist, or is named twice, is an error of the graph.
    Scatter,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Op {
    /// What is done.
    pub kind: Kind,
    /// What it reads: one to three.
    pub inputs: Vec<Input>,
    /// What it writes.
    pub output: Output,
    /// The operators of the graph that it does, by their places.
    pub origin: Vec<usize>,
}

impl Op {
    /// The tensors of its feature maps that it reads. Weights, biases and tables are constants beside.
    pub fn reads(&self) -> impl Iterator<Item = TensorId> + '_ {
        self.inputs.iter().map(|input| input.view.tensor)
    }
}

/// Operations in the order in which they run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The arena of [`TensorId`].
    pub tensors: Vec<Tensor>,
    /// What must be given.
    pub inputs: Vec<TensorId>,
    /// What is returned.
    pub outputs: Vec<TensorId>,
    /// In order.
    pub ops: Vec<Op>,
}

impl Program {
    /// A tensor. Panics for an id of another program.
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.index()]
    }

    /// Adds a tensor.
    pub fn add(&mut self, tensor: Tensor) -> TensorId {
        // Each has at least a name on the heap: there can't be 2^32.
        let id = TensorId(u32::try_from(self.tensors.len()).unwrap_or(u32::MAX));
        self.tensors.push(tensor);
        id
    }

    /// Checks what the layers rely on: ids and views are inside of what they refer to, shapes agree, constants
    /// are not written.
    ///
    /// # Errors
    /// The operation and the rule.
    pub fn verify(&self) -> Result<(), String> {
        self.ops.iter().enumerate().try_for_each(|(i, op)| {
            self.verify_op(op).map_err(|text| format!("operation {i} ({}): {text}", op.kind.name()))
        })
    }

    fn verify_op(&self, op: &Op) -> Result<(), String> {
        let inside = |what: &str, view: &View| {
            let tensor = self.tensors.get(view.tensor.index()).ok_or(format!("{what} is no tensor"))?;
            match view.end() {
                Some(end) if end <= tensor.elements => Ok(()),
                _ => {
                    Err(format!("{what} leaves '{}' of {} elements: {view:?}", tensor.name, tensor.elements))
                }
            }
        };
        let constant = |what: &str, id: TensorId, elements: &[usize]| {
            let data = self.tensors.get(id.index()).and_then(|t| t.data.as_ref());
            let data = data.ok_or(format!("{what} must be a constant"))?;
            let found = data.len();
            elements
                .contains(&found)
                .then_some(())
                .ok_or(format!("{what} has {found} elements, not {elements:?}"))
        };
        let same = |a: [usize; 3], b: [usize; 3], what: &str| {
            (a == b).then_some(()).ok_or(format!("{what} has the shape {a:?}, not {b:?}"))
        };
        let wanted = match op.kind {
            Kind::Elementwise(e) if !e.unary() => 2,
            Kind::MatMul | Kind::Gather => 2,
            Kind::Scatter => 3,
            _ => 1,
        };
        if op.inputs.len() != wanted {
            return Err(format!("has {} inputs, not {wanted}", op.inputs.len()));
        }
        op.inputs.iter().try_for_each(|input| inside("an input", &input.view))?;
        inside("the output", &op.output.view)?;
        if self.tensor(op.output.view.tensor).data.is_some() {
            return Err("writes a constant".into());
        }
        let (ifm, ofm) = (op.inputs[0].view.shape, op.output.view.shape);
        let product = |a: &[usize]| a.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).unwrap_or(usize::MAX);
        match &op.kind {
            Kind::Identity => same(ifm, ofm, "the input")?,
            Kind::Elementwise(_) => {
                op.inputs.iter().try_for_each(|input| same(input.view.shape, ofm, "an input"))?;
            }
            Kind::Reduce(_) => same([ifm[0], ifm[1], 1], ofm, "the reduced input")?,
            Kind::MatMul => {
                same(op.inputs[1].view.shape, [1, ofm[2], ifm[2]], "the second input")?;
                same([ifm[0], ifm[1], ofm[2]], ofm, "the product")?;
            }
            Kind::Resize { axes, .. } => {
                same([ofm[0], ofm[1], ifm[2]], ofm, "the resized input")?;
                let good = |a: &ResizeAxis| (1..=2048).contains(&a.numerator) && a.denominator >= 1;
                axes.iter().all(good).then_some(()).ok_or(format!("scales can't be {axes:?}"))?;
            }
            Kind::Gather => {
                same(op.inputs[1].view.shape, [1, ofm[1], 1], "the second input")?;
                same([1, ofm[1], ifm[2]], ofm, "the gathered input")?;
                same([1, ifm[1], ifm[2]], ifm, "the input")?;
            }
            Kind::Scatter => {
                same([1, ofm[1], ofm[2]], ifm, "the input")?;
                let columns = op.inputs[1].view.shape[1];
                same(op.inputs[1].view.shape, [1, columns, 1], "the second input")?;
                same(op.inputs[2].view.shape, [1, columns, ofm[2]], "the third input")?;
                same(ifm, ofm, "the output")?;
            }
            Kind::Pool(_, kernel) => {
                kernel.verify(ifm, ofm)?;
                same([ofm[0], ofm[1], ifm[2]], ofm, "the pooled input")?;
            }
            Kind::Conv { kernel, weights, bias, .. } => {
                kernel.verify(ifm, ofm)?;
                constant("weights", *weights, &[product(&[ofm[2], kernel.size[0], kernel.size[1], ifm[2]])])?;
                constant("bias", *bias, &[1, ofm[2]])?;
            }
            Kind::Depthwise { kernel, weights, bias, .. } => {
                kernel.verify(ifm, ofm)?;
                same([ofm[0], ofm[1], ifm[2]], ofm, "the convolved input")?;
                constant("weights", *weights, &[product(&[kernel.size[0], kernel.size[1], ofm[2]])])?;
                constant("bias", *bias, &[1, ofm[2]])?;
            }
        }
        if let Scaling::PerChannel(factors) = &op.output.scaling
            && factors.len() != ofm[2]
        {
            return Err(format!("{} factors for {} channels", factors.len(), ofm[2]));
        }
        op.output.lut.map_or(Ok(()), |lut| constant("the table", lut, &[256, 513]))
    }
}

impl Kernel {
    /// Whether its last window still touches the input or its padding at the end.
    fn verify(&self, ifm: [usize; 3], ofm: [usize; 3]) -> Result<(), String> {
        if self.size.contains(&0) || self.stride.contains(&0) || self.dilation.contains(&0) {
            return Err(format!("a size, stride or dilation of 0: {self:?}"));
        }
        for axis in 0..2 {
            let start = (ofm[axis] - 1).checked_mul(self.stride[axis]);
            let reach = (self.size[axis] - 1).checked_mul(self.dilation[axis]);
            let (Some(start), Some(_)) = (start, reach) else {
                return Err(format!("a window that reaches too far: {self:?}"));
            };
            if start >= ifm[axis].saturating_add(self.pad[axis]) {
                return Err(format!("the last window starts behind the input: {self:?}"));
            }
        }
        Ok(())
    }
}

impl Kind {
    /// In the field's words.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Identity => "identity",
            Kind::Conv { .. } => "conv",
            Kind::Depthwise { .. } => "depthwise",
            Kind::Pool(Pool::Max, _) => "max_pool",
            Kind::Pool(Pool::Average, _) => "average_pool",
            Kind::Reduce(Reduce::Sum) => "reduce_sum",
            Kind::Reduce(Reduce::Max) => "reduce_max",
            Kind::Reduce(Reduce::Min) => "reduce_min",
            Kind::Reduce(Reduce::ArgMax) => "argmax",
            Kind::MatMul => "matmul",
            Kind::Resize { mode: ResizeMode::Nearest, .. } => "resize_nearest",
            Kind::Resize { mode: ResizeMode::Bilinear, .. } => "resize_bilinear",
            Kind::Gather => "gather",
            Kind::Scatter => "scatter",
            Kind::Elementwise(how) => how.name(),
        }
    }
}

impl Elementwise {
    /// In the field's words.
    pub fn name(self) -> &'static str {
        match self {
            Elementwise::Add => "add",
            Elementwise::Sub => "sub",
            Elementwise::Mul => "mul",
            Elementwise::Max => "max",
            Elementwise::Min => "min",
            Elementwise::Abs => "abs",
            Elementwise::Clz => "clz",
            Elementwise::And => "and",
            Elementwise::Or => "or",
            Elementwise::Xor => "xor",
            Elementwise::Not => "not",
            Elementwise::Shl => "shl",
            Elementwise::Asr { round: false } => "asr",
            Elementwise::Asr { round: true } => "asr_rounded",
            Elementwise::Lsr => "lsr",
            Elementwise::Div => "div",
            Elementwise::CmpEq => "cmp_eq",
            Elementwise::CmpGe => "cmp_ge",
            Elementwise::CmpGt => "cmp_gt",
        }
    }
}

/// The stage's dump: an operation per line.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, op) in self.ops.iter().enumerate() {
            write!(f, "{i}: {} = {}(", self.show(&op.output.view), op.kind.name())?;
            for (n, input) in op.inputs.iter().enumerate() {
                let separator = if n == 0 { "" } else { ", " };
                write!(f, "{separator}{}", self.show(&input.view))?;
                if input.zero_point != 0 {
                    write!(f, " - {}", input.zero_point)?;
                }
                if !input.signed {
                    write!(f, " unsigned")?;
                }
                if let Some((Factor { multiplier, shift }, rounding)) = input.scaling {
                    write!(f, " * {multiplier} >> {shift} {rounding}")?;
                }
            }
            write!(f, ")")?;
            if let Kind::Conv { kernel, .. } | Kind::Depthwise { kernel, .. } | Kind::Pool(_, kernel) =
                &op.kind
            {
                let Kernel { size, stride, dilation, pad } = kernel;
                write!(f, " kernel {size:?} stride {stride:?} dilation {dilation:?} pad {pad:?}")?;
            }
            if let Kind::Resize { axes, .. } = &op.kind {
                for (axis, what) in axes.iter().zip(["rows", "columns"]) {
                    let ResizeAxis { numerator, denominator, offset } = axis;
                    write!(f, " {what} (x * {denominator} + {offset}) / {numerator}")?;
                }
            }
            let out = &op.output;
            match &out.scaling {
                Scaling::Global(Factor::ONE) => {}
                Scaling::Global(Factor { multiplier, shift }) => {
                    write!(f, " * {multiplier} >> {shift} {}", out.rounding)?;
                }
                Scaling::PerChannel(_) => write!(f, " * per channel {}", out.rounding)?,
            }
            if out.zero_point != 0 {
                write!(f, " + {}", out.zero_point)?;
            }
            if let Some((low, high)) = out.clamp {
                write!(f, " clamp {low}..={high}")?;
            }
            if !out.signed {
                write!(f, " unsigned")?;
            }
            if let Some(lut) = out.lut {
                write!(f, " table '{}'", self.tensor(lut).name)?;
            }
            writeln!(f, " @ {:?}", op.origin)?;
        }
        Ok(())
    }
}

impl Program {
    fn show(&self, view: &View) -> String {
        let tensor = self.tensor(view.tensor);
        let place = if view.is_whole(tensor.elements) {
            String::new()
        } else {
            format!(" from {} by {:?}", view.offset, view.strides)
        };
        format!("'{}' {}{:?}{place}", tensor.name, tensor.elem, view.shape)
    }
}
