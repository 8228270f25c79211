//! Legal operations as the hardware takes them: which operation, with which registers, on which bytes.
//!
//! One operation becomes one. What [`crate::legalize`] left is possible on the generation, so an error here is a
//! fault of this compiler, or of a program that was never made legal. The block configuration and the weights are
//! not part of it; they follow.

mod maps;

use crate::hw::{
    AccInput, Config, KernelOp, Kind, Lut, LutKind, OfmScale, Operand, OperandScales, Pool, ResizeMode,
    Round, Transpose, Upscale, Window,
};
use crate::ir::{self, Elem, Factor, Input, Op, Program, Scaling, TensorId};
use crate::legalize::{argmax, copies, elementwise, resize, windows};
use crate::rules;
pub use maps::{Place, Places};
use maps::{bytes_map, map, repeated};
use tombolo_ethosu::Generation;

/// What an operation becomes. Weights, scales, the table's slot and the blocks are still missing.
///
/// # Errors
/// What is not possible.
pub fn select(
    program: &Program,
    op: &Op,
    places: &Places<'_>,
    generation: Generation,
) -> Result<KernelOp, String> {
    let cx = Cx { program, places, generation };
    let mut hw = match &op.kind {
        ir::Kind::Identity => cx.identity(op),
        ir::Kind::Conv { kernel, .. } => cx.windowed(op, Kind::Conv, kernel),
        ir::Kind::Depthwise { kernel, .. } => cx.windowed(op, Kind::Depthwise, kernel),
        ir::Kind::Pool(how, kernel) => {
            let how = match how {
                ir::Pool::Max => Pool::Max,
                ir::Pool::Average => Pool::Average,
            };
            cx.windowed(op, Kind::Pool(how), kernel)
        }
        ir::Kind::Reduce(ir::Reduce::Sum) => cx.one(op, Kind::Pool(Pool::ReduceSum), &op.inputs[0]),
        ir::Kind::Reduce(ir::Reduce::ArgMax) => cx.argmax(op),
        ir::Kind::Elementwise(how) => cx.elementwise(op, *how),
        ir::Kind::MatMul => cx.matmul(op),
        ir::Kind::Resize { mode, axes } => cx.resize(op, *mode, axes),
        ir::Kind::Reduce(_) | ir::Kind::Gather | ir::Kind::Scatter => {
            Err(format!("{} is no operation of the hardware", op.kind.name()))
        }
    }?;
    hw.lut = op.output.lut.map(|_| Lut { slot: 0, kind: LutKind::I8 });
    Ok(hw)
}

struct Cx<'a> {
    program: &'a Program,
    places: &'a Places<'a>,
    generation: Generation,
}

impl Cx<'_> {
    fn u85(&self) -> bool {
        self.generation == Generation::U85
    }

    fn elem(&self, id: TensorId) -> Elem {
        self.program.tensor(id).elem
    }

    /// An operation of one input, with the output stage.
    fn one(&self, op: &Op, kind: Kind, input: &Input) -> Result<KernelOp, String> {
        let out = &op.output;
        let elem = self.elem(out.view.tensor);
        let factor = match &out.scaling {
            scaling if scaling.is_one() => Some(Factor::ONE),
            Scaling::Global(factor) => Some(*factor),
            Scaling::PerChannel(_) => None,
        };
        // 32 bits are not clamped; a clamp to their whole range is none.
        let clamp = match elem {
            Elem::I8 | Elem::I16 => Some(out.clamp.unwrap_or(elem.range(out.signed))),
            Elem::I32 | Elem::I48 => None,
        };
        let whole = Elem::I32.range(out.signed);
        if elem == Elem::I32 && out.clamp.is_some_and(|(low, high)| low > whole.0 || high < whole.1) {
            return Err("a clamp of 32 bits is no part of the output stage".into());
        }
        Ok(KernelOp {
            kind,
            ifm: map(self.program, self.places, &input.view, input.signed, input.zero_point)?,
            ifm2: None,
            swapped: false,
            ofm: map(self.program, self.places, &out.view, out.signed, out.zero_point)?,
            window: Window::ONE,
            upscale: Upscale::None,
            parameters: None,
            operand_scales: OperandScales::None,
            ofm_scale: factor.map_or(OfmScale::PerChannel, OfmScale::Global),
            round: rules::round(out.rounding),
            clamp,
            lut: None,
            acc_input: AccInput::Reset,
            acc_keep: false,
            transpose: Transpose::Hwc,
            block: Config::UNSET,
        })
    }

    fn windowed(&self, op: &Op, kind: Kind, kernel: &ir::Kernel) -> Result<KernelOp, String> {
        let mut input = op.inputs[0];
        let ofm = op.output.view.shape;
        let pad = kernel.padding(input.view.shape, ofm);
        // There is no register for rows and columns of the input: they are what the windows reach.
        for axis in 0..2 {
            let reach =
                (ofm[axis] - 1) * kernel.stride[axis] + (kernel.size[axis] - 1) * kernel.dilation[axis] + 1;
            let inner = reach.checked_sub(pad[axis] + pad[axis + 2]).filter(|&n| n > 0);
            input.view.shape[axis] = inner.ok_or("windows of padding only")?;
        }
        let mut hw = self.one(op, kind, &input)?;
        hw.window = Window { size: kernel.size, stride: kernel.stride, dilation: kernel.dilation, pad };
        match kind {
            Kind::Conv | Kind::Depthwise => hw.ofm_scale = OfmScale::PerChannel,
            // U85 divides; the others only where padding makes the number of elements differ.
            Kind::Pool(Pool::Average) if !self.u85() && pad == [0; 4] => {
                let factor = windows::average(kernel.size[0] * kernel.size[1])?;
                hw.ofm_scale = OfmScale::Global(factor);
                hw.round = Round::Natural;
            }
            _ => {}
        }
        Ok(hw)
    }

    fn identity(&self, op: &Op) -> Result<KernelOp, String> {
        let input = &op.inputs[0];
        let from = self.elem(input.view.tensor);
        if !self.u85() {
            if from == Elem::I32 {
                // Twice as many of 16 bits.
                let mut hw = self.one(op, Kind::Pool(Pool::Average), input)?;
                hw.ifm = bytes_map(&hw.ifm);
                hw.ofm = bytes_map(&hw.ofm);
                hw.clamp = Some(Elem::I16.range(true));
                return Ok(hw);
            }
            return self.one(op, Kind::Pool(Pool::Average), input);
        }
        let axes = copies::stored(op).ok_or("an order that can't be stored")?;
        let mut stored = op.clone();
        stored.output.view = crate::legalize::permuted(&op.output.view, axes);
        let mut hw = if from == Elem::I32 {
            let mut hw = self.one(&stored, Kind::Pool(Pool::None), input)?;
            hw.ifm2 = Some(Operand::Map(hw.ifm.clone()));
            // Not read.
            hw.ifm.bits = 8;
            hw.ifm.zero_point = 0;
            hw.ifm.signed = true;
            hw.acc_input = AccInput::Ifm2;
            hw
        } else {
            self.one(&stored, Kind::Pool(Pool::Sum), input)?
        };
        hw.transpose = match axes {
            [0, 1, 2] => Transpose::Hwc,
            [1, 0, 2] => Transpose::Whc,
            [0, 2, 1] => Transpose::Hcw,
            [1, 2, 0] => Transpose::Wch,
            [2, 0, 1] => Transpose::Chw,
            _ => Transpose::Cwh,
        };
        Ok(hw)
    }

    fn argmax(&self, op: &Op) -> Result<KernelOp, String> {
        let (from, to) = argmax::columns(op).ok_or("an order of axes that can't be searched")?;
        let mut turned = op.clone();
        turned.inputs[0].view = from;
        turned.output.view = to;
        let mut hw = self.one(&turned, Kind::Pool(Pool::ArgMaxX), &turned.inputs[0])?;
        hw.window.size = [1, from.shape[1]];
        // Place and value share the accumulator; the place is in its upper half.
        hw.ofm_scale = OfmScale::Global(Factor { multiplier: 1, shift: 16 });
        hw.round = Round::Truncate;
        Ok(hw)
    }

    fn matmul(&self, op: &Op) -> Result<KernelOp, String> {
        let [a, b] = &op.inputs[..] else { return Err("a product has two inputs".into()) };
        let mut hw = self.one(op, Kind::MatMul, a)?;
        hw.ifm2 = Some(Operand::Map(map(self.program, self.places, &b.view, b.signed, b.zero_point)?));
        Ok(hw)
    }

    fn resize(&self, op: &Op, mode: ir::ResizeMode, axes: &[ir::ResizeAxis; 2]) -> Result<KernelOp, String> {
        if !self.u85() {
            // Each element twice is a way of reading.
            let mut hw = self.one(op, Kind::Pool(Pool::Average), &op.inputs[0])?;
            hw.upscale = Upscale::Nearest;
            return Ok(hw);
        }
        let mode = match mode {
            ir::ResizeMode::Nearest => ResizeMode::Nearest,
            ir::ResizeMode::Bilinear => ResizeMode::Bilinear,
        };
        let axes = axes.map(|a| [a.numerator, a.denominator, a.offset]);
        let mut hw = self.one(op, Kind::Resize { mode, axes }, &op.inputs[0])?;
        let shift = resize::shift_only(&op.output.scaling).ok_or("the scale of a resize only shifts")?;
        hw.ofm_scale = OfmScale::Global(Factor { multiplier: 1, shift: shift + resize::PRESENTED });
        Ok(hw)
    }

    fn elementwise(&self, op: &Op, how: ir::Elementwise) -> Result<KernelOp, String> {
        use crate::hw::Elementwise as H;
        use ir::Elementwise as E;
        let kind = match how {
            E::Add => H::Add,
            E::Sub => H::Sub,
            E::Mul => H::Mul,
            E::Max => H::Max,
            E::Min => H::Min,
            E::Abs => H::Abs,
            E::Clz => H::Clz,
            E::And => H::And,
            E::Or => H::Or,
            E::Xor => H::Xor,
            E::Not => H::Not,
            E::Shl => H::Shl,
            E::Asr { .. } => H::Shr,
            E::Lsr => H::Lsr,
            E::Div => H::Div,
            E::CmpEq => H::CmpEq,
            E::CmpGe => H::CmpGe,
            E::CmpGt => H::CmpGt,
        };
        let [first, rest @ ..] = &op.inputs[..] else { return Err("no input".into()) };
        // The first operand is as large as the output (U55, U65), and never a register.
        let swap = elementwise::swaps(self.program, op, self.generation);
        let (ifm, ifm2) = match rest {
            [second] if swap => (second, Some(first)),
            [second] => (first, Some(second)),
            _ => (first, None),
        };
        let mut hw = self.one(op, Kind::Elementwise(kind), ifm)?;
        if self.u85() {
            hw.ifm = repeated(hw.ifm, &ifm.view);
        }
        hw.swapped = swap && !self.u85();
        if let Some(input) = ifm2 {
            hw.ifm2 = Some(match elementwise::scalar(self.program, input, self.generation) {
                Some(value) => Operand::Scalar {
                    value,
                    zero_point: input.zero_point,
                    bits: self.elem(input.view.tensor).bits() as u8,
                    signed: input.signed,
                },
                None => {
                    let map = map(self.program, self.places, &input.view, input.signed, input.zero_point)?;
                    Operand::Map(repeated(map, &input.view))
                }
            });
        }
        let scales = rules::scales(self.program, op, self.generation);
        if how.scales() {
            let (operands, factor) = scales.ok_or("scales that one pass does not take")?;
            hw.operand_scales = match operands {
                // They belong to places, not to the order of the operation.
                OperandScales::Each { a, b, round } if swap => OperandScales::Each { a: b, b: a, round },
                other => other,
            };
            hw.ofm_scale = OfmScale::Global(factor);
        }
        if let E::Asr { round } = how {
            hw.round = if round { Round::Natural } else { Round::Truncate };
        }
        Ok(hw)
    }
}
