//! What a program computes, in the plainest way: the reference that the layers are tested against.
//!
//! It is written for being right. Every sum is 64 bits with overflow checked; what the hardware does beyond its
//! accumulators is no part of the meaning of a program, so a program that gets there is refused.

use super::compute::{LEAVES, elementwise, interpolated, mac, pool, reduce, resize};
use super::{Elem, Factor, Input, Kernel, Kind, Op, Output, Program, Scaling, TensorId};
use tombolo_tosa::{Data, Rounding};

/// Runs a program. Inputs and outputs are elements in the order of [`Program::inputs`] and
/// [`Program::outputs`].
///
/// # Errors
/// If [`Program::verify`] refuses it, it needs too much memory or time, an input has the wrong length, something is
/// read that was never written, or a number leaves its type.
pub fn run(program: &Program, inputs: &[Vec<i64>]) -> Result<Vec<Vec<i64>>, String> {
    program.verify()?;
    if inputs.len() != program.inputs.len() {
        return Err(format!("{} inputs given, {} needed", inputs.len(), program.inputs.len()));
    }
    limit(program)?;
    let mut values: Vec<Option<Vec<i64>>> =
        program.tensors.iter().map(|t| t.data.as_ref().map(numbers)).collect();
    for (id, input) in program.inputs.iter().zip(inputs) {
        let tensor = program.tensor(*id);
        if input.len() != tensor.elements {
            return Err(format!("'{}' needs {} elements, not {}", tensor.name, tensor.elements, input.len()));
        }
        values[id.index()] = Some(input.clone());
    }
    for (i, op) in program.ops.iter().enumerate() {
        step(program, &mut values, op)
            .map_err(|text| format!("operation {i} ({}): {text}", op.kind.name()))?;
    }
    let output = |id: &TensorId| {
        values[id.index()].clone().ok_or(format!("'{}' was never written", program.tensor(*id).name))
    };
    program.outputs.iter().map(output).collect()
}

/// As many elements as all tensors may have.
const ELEMENTS: usize = 1 << 28;
/// As many elements as may be read.
const STEPS: usize = 1 << 36;

/// Refuses what takes too much memory or time.
fn limit(program: &Program) -> Result<(), String> {
    let sum = |sizes: &mut dyn Iterator<Item = usize>| sizes.fold(0usize, usize::saturating_add);
    let elements = sum(&mut program.tensors.iter().map(|t| t.elements));
    if elements > ELEMENTS {
        return Err(format!("{elements} elements are more than the {ELEMENTS} that are possible here"));
    }
    let steps = |op: &Op| {
        let depth = op.inputs[0].view.shape[2];
        let each = match &op.kind {
            Kind::Conv { kernel, .. } => kernel.taps().saturating_mul(depth),
            Kind::Depthwise { kernel, .. } | Kind::Pool(_, kernel) => kernel.taps(),
            Kind::Reduce(_) | Kind::MatMul => depth,
            _ => 4,
        };
        op.output.view.elements().unwrap_or(usize::MAX).saturating_mul(each.max(1))
    };
    let steps = sum(&mut program.ops.iter().map(steps));
    match steps > STEPS {
        true => Err(format!("{steps} steps are more than the {STEPS} that are possible here")),
        false => Ok(()),
    }
}

/// The elements of a constant.
pub fn numbers(data: &Data) -> Vec<i64> {
    match data {
        Data::I8(v) => v.iter().map(|&n| n.into()).collect(),
        Data::I16(v) => v.iter().map(|&n| n.into()).collect(),
        Data::I32(v) => v.iter().map(|&n| n.into()).collect(),
        Data::I64(v) => v.clone(),
    }
}

/// An input with its zero point taken off.
struct Source<'a> {
    values: &'a [i64],
    input: &'a Input,
    mask: Option<i64>,
}

impl Source<'_> {
    fn get(&self, y: usize, x: usize, c: usize) -> i64 {
        let raw = self.values[self.input.view.at(y, x, c)];
        let value = self.mask.map_or(raw, |mask| raw & mask) - self.input.zero_point;
        // 32 bits times 31: no overflow.
        self.input.scaling.map_or(value, |(f, rounding)| scaled(value, f, rounding).unwrap_or(i64::MAX))
    }
}

fn step(program: &Program, values: &mut [Option<Vec<i64>>], op: &Op) -> Result<(), String> {
    let mut sources = Vec::new();
    for input in &op.inputs {
        let tensor = program.tensor(input.view.tensor);
        let values = values[input.view.tensor.index()].as_deref();
        let values = values.ok_or(format!("'{}' was never written", tensor.name))?;
        let mask = (!input.signed && tensor.elem != Elem::I48).then(|| (1i64 << tensor.elem.bits()) - 1);
        sources.push(Source { values, input, mask });
    }
    let parameters = |id: TensorId| values[id.index()].as_deref().unwrap_or_default();
    let (ifm, ofm) = (op.inputs[0].view.shape, op.output.view.shape);
    let columns = match op.kind {
        Kind::Gather | Kind::Scatter => columns(op, &sources[1])?,
        _ => Vec::new(),
    };
    let column = |x: usize| columns.get(x).copied().unwrap_or(usize::MAX);
    let bits = program.tensor(op.inputs[0].view.tensor).elem.bits();
    let mut results = Vec::new();
    for y in 0..ofm[0] {
        for x in 0..ofm[1] {
            for c in 0..ofm[2] {
                let acc = match &op.kind {
                    Kind::Identity => sources[0].get(y, x, c),
                    Kind::Elementwise(op) => {
                        let second = if op.unary() { 0 } else { sources[1].get(y, x, c) };
                        elementwise(*op, bits, sources[0].get(y, x, c), second)?
                    }
                    Kind::MatMul => (0..ifm[2])
                        .try_fold(0, |sum, i| mac(sum, sources[0].get(y, x, i), sources[1].get(0, c, i)))?,
                    Kind::Resize { mode, axes } => {
                        resize(*mode, axes, [y, x], [ifm[0], ifm[1]], |y, x| sources[0].get(y, x, c))?
                    }
                    Kind::Gather => sources[0].get(0, column(x), c),
                    Kind::Scatter => match column(x) {
                        usize::MAX => sources[0].get(0, x, c),
                        from => sources[2].get(0, from, c),
                    },
                    Kind::Reduce(how) => reduce(*how, (0..ifm[2]).map(|c| sources[0].get(y, x, c)))?,
                    Kind::Pool(how, kernel) => {
                        let window = taps(kernel, ifm, y, x);
                        pool(*how, window.map(|(_, y, x)| sources[0].get(y, x, c)))?
                    }
                    Kind::Conv { kernel, weights, weight_zero_point, bias } => {
                        let (weights, bias) = (parameters(*weights), parameters(*bias));
                        let mut sum = bias[c % bias.len()];
                        for (tap, y, x) in taps(kernel, ifm, y, x) {
                            let row = &weights[(c * kernel.taps() + tap) * ifm[2]..][..ifm[2]];
                            for (i, weight) in row.iter().enumerate() {
                                sum = mac(sum, sources[0].get(y, x, i), weight - weight_zero_point)?;
                            }
                        }
                        sum
                    }
                    Kind::Depthwise { kernel, weights, weight_zero_point, bias } => {
                        let (weights, bias) = (parameters(*weights), parameters(*bias));
                        let mut sum = bias[c % bias.len()];
                        for (tap, y, x) in taps(kernel, ifm, y, x) {
                            let weight = weights[tap * ofm[2] + c] - weight_zero_point;
                            sum = mac(sum, sources[0].get(y, x, c), weight)?;
                        }
                        sum
                    }
                };
                let table = op.output.lut.map(parameters);
                let elem = program.tensor(op.output.view.tensor).elem;
                results.push((op.output.view.at(y, x, c), finish(&op.output, elem, table, acc, c)?));
            }
        }
    }
    let tensor = program.tensor(op.output.view.tensor);
    let target = values[op.output.view.tensor.index()].get_or_insert_with(|| vec![0; tensor.elements]);
    results.into_iter().for_each(|(at, value)| target[at] = value);
    Ok(())
}

/// For each column of a gather's output the one of the input; for each of a scatter's that of the third input, or
/// the greatest number.
fn columns(op: &Op, indices: &Source<'_>) -> Result<Vec<usize>, String> {
    let ifm = op.inputs[0].view.shape;
    let count = op.inputs[1].view.shape[1];
    let index = |i: usize| {
        let index = indices.get(0, i, 0);
        let found = usize::try_from(index).ok().filter(|&n| n < ifm[1]);
        found.ok_or(format!("index {index} leaves the {} rows", ifm[1]))
    };
    let named = (0..count).map(index).collect::<Result<Vec<usize>, String>>()?;
    if op.kind == Kind::Gather {
        return Ok(named);
    }
    let mut from = vec![usize::MAX; ifm[1]];
    for (i, at) in named.into_iter().enumerate() {
        if std::mem::replace(&mut from[at], i) != usize::MAX {
            return Err(format!("index {at} stands there twice"));
        }
    }
    Ok(from)
}

impl Kernel {
    fn taps(&self) -> usize {
        self.size[0].saturating_mul(self.size[1])
    }
}

/// The taps of a window that are no padding: which tap, row, column.
fn taps(kernel: &Kernel, ifm: [usize; 3], y: usize, x: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let Kernel { size, stride, dilation, pad } = *kernel;
    (0..size[0] * size[1]).filter_map(move |tap| {
        let at = |axis: usize, out: usize, k: usize| {
            (out * stride[axis] + k * dilation[axis]).checked_sub(pad[axis]).filter(|&i| i < ifm[axis])
        };
        Some((tap, at(0, y, tap / size[1])?, at(1, x, tap % size[1])?))
    })
}

/// The output stage.
fn finish(out: &Output, elem: Elem, table: Option<&[i64]>, acc: i64, c: usize) -> Result<i64, String> {
    let factor = match &out.scaling {
        Scaling::Global(factor) => *factor,
        Scaling::PerChannel(factors) => factors[c],
    };
    let mut value =
        scaled(acc, factor, out.rounding).and_then(|v| v.checked_add(out.zero_point)).ok_or(LEAVES)?;
    if let Some((low, high)) = out.clamp {
        value = value.max(low).min(high);
    }
    if let Some(table) = table {
        value = match table.len() {
            513 => interpolated(table, value)?,
            _ => {
                let at = usize::try_from(value.saturating_add(128)).ok().filter(|&at| at < table.len());
                table[at.ok_or("a value leaves its table")?]
            }
        };
    }
    let (low, high) = elem.range(out.signed);
    if !(low..=high).contains(&value) {
        return Err(format!("{value} leaves {elem}"));
    }
    // Memory holds bits; tensors here hold them as numbers with a sign.
    let (_, most) = elem.range(true);
    Ok(if value > most { value - (high + 1) } else { value })
}

/// A value times a factor. [`Rounding::Double`] rounds twice where the shift is over 31, as TOSA does.
fn scaled(value: i64, factor: Factor, rounding: Rounding) -> Option<i64> {
    let product = i128::from(value) * i128::from(factor.multiplier);
    if factor.shift == 0 {
        return i64::try_from(product).ok();
    }
    let half = 1i128 << (factor.shift - 1);
    let round = match rounding {
        Rounding::Double if factor.shift > 31 => half + if value >= 0 { 1 << 30 } else { -(1 << 30) },
        _ => half,
    };
    i64::try_from((product + round) >> factor.shift).ok()
}
