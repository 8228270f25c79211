//! The graph that grows, with the values of its tensors.

use super::{GraphCase, Options};
use std::borrow::Cow;
use tombolo_tosa::ops::const_::Const;
use tombolo_tosa::ops::const_shape::ConstShape;
use tombolo_tosa::ops::rescale::Rescale;
use tombolo_tosa::{
    Block, Dtype, Graph, Limits, Op, Operation, Region, Rounding, Tensor, TensorId, Value, Version, run,
};

/// Numbers from a seed (splitmix64).
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both possible.
    pub(super) fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1).max(1) as u64) as i64
    }

    /// As [`Random::range`], for sizes.
    pub(super) fn size(&mut self, low: usize, high: usize) -> usize {
        self.range(low as i64, high as i64) as usize
    }

    /// True once of `n` times.
    pub(super) fn one_of(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    /// Around 0, up to `most`; most are small.
    pub(super) fn bell(&mut self, most: i64) -> i64 {
        (0..3).map(|_| self.range(-most, most)).sum::<i64>() / 3
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        let i = self.size(0, from.len().checked_sub(1)?);
        from.get(i).copied()
    }
}

/// A quantized tensor, or one of plain numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Activation {
    pub(super) id: TensorId,
    pub(super) zero_point: i64,
}

/// What can be taken back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    tensors: usize,
    operators: usize,
    activations: usize,
}

#[derive(Debug)]
pub(super) struct Builder {
    pub(super) random: Random,
    pub(super) options: Options,
    pub(super) activations: Vec<Activation>,
    /// Weights that may be shared.
    pub(super) weights: Vec<TensorId>,
    block: Block<'static>,
    /// One for each tensor.
    values: Vec<Value>,
}

impl Builder {
    /// With its inputs.
    pub(super) fn new(seed: u64, options: &Options) -> Builder {
        let name = "main".to_owned();
        let (tensors, inputs, outputs, operators) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut builder = Builder {
            random: Random(seed),
            options: options.clone(),
            activations: Vec::new(),
            weights: Vec::new(),
            block: Block { name, tensors, inputs, outputs, operators },
            values: Vec::new(),
        };
        let random = &mut builder.random;
        let dtype = if random.range(0, 9) < options.tenths_of_i16 as i64 { Dtype::I16 } else { Dtype::I8 };
        let count = random.size(1, 3);
        let mut dims = Vec::new();
        for _ in 0..count {
            let random = &mut builder.random;
            // Often the same shape again, for operators with two operands.
            if dims.is_empty() || random.one_of(3) {
                let batches = if random.one_of(6) { 2 } else { 1 };
                dims = vec![batches, random.size(1, 12), random.size(1, 12), random.size(1, 20)];
            }
            let (zero_point, most) = match dtype {
                Dtype::I8 => (random.range(-20, 20), 107),
                _ => (0, 30_000),
            };
            let ints: Vec<i64> = (0..dims.iter().product()).map(|_| zero_point + random.bell(most)).collect();
            let Some(value) = Value::from_ints(dtype, dims.clone(), &ints).ok() else { continue };
            let id = builder.tensor("input", value, false);
            builder.block.inputs.push(id);
            builder.activations.push(Activation { id, zero_point });
        }
        builder
    }

    fn tensor(&mut self, name: &str, value: Value, constant: bool) -> TensorId {
        let shape = value.dims().iter().map(|&d| d as i32).collect();
        let name = format!("{}_{}", name.to_lowercase(), self.block.tensors.len());
        let mut tensor = Tensor::new(name, value.dtype(), shape);
        tensor.data = constant.then(|| Cow::Owned(value.to_bytes()));
        self.values.push(value);
        self.block.add_tensor(tensor)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            tensors: self.block.tensors.len(),
            operators: self.block.operators.len(),
            activations: self.activations.len(),
        }
    }

    /// Whether anything since then must not be there.
    pub(super) fn breaks(&self, mark: Mark) -> bool {
        let new = &self.block.operators[mark.operators..];
        new.iter().any(|o| self.options.avoid.iter().any(|name| name == o.op.name()))
    }

    /// Takes back everything since then.
    pub(super) fn back(&mut self, mark: Mark) {
        self.block.tensors.truncate(mark.tensors);
        self.values.truncate(mark.tensors);
        self.block.operators.truncate(mark.operators);
        self.activations.truncate(mark.activations);
        self.weights.retain(|id| id.index() < mark.tensors);
    }

    pub(super) fn value(&self, id: TensorId) -> &Value {
        &self.values[id.index()]
    }

    pub(super) fn dims(&self, id: TensorId) -> Vec<usize> {
        self.value(id).dims().to_vec()
    }

    pub(super) fn dtype(&self, id: TensorId) -> Dtype {
        self.value(id).dtype()
    }

    /// A constant. None if the numbers are not of its type.
    pub(super) fn constant(&mut self, dtype: Dtype, dims: &[usize], ints: &[i64]) -> Option<TensorId> {
        let value = Value::from_ints(dtype, dims.to_vec(), ints).ok()?;
        let op = if dtype == Dtype::Shape { Op::ConstShape(ConstShape {}) } else { Op::Const(Const {}) };
        let id = self.tensor("const", value, true);
        self.block.operators.push(Operation { op, inputs: Vec::new(), outputs: vec![id], location: None });
        Some(id)
    }

    /// A constant of one number.
    pub(super) fn number(&mut self, dtype: Dtype, n: i64) -> Option<TensorId> {
        self.constant(dtype, &[1], &[n])
    }

    /// A constant shape.
    pub(super) fn shape(&mut self, ints: &[i64]) -> Option<TensorId> {
        self.constant(Dtype::Shape, &[ints.len()], ints)
    }

    /// A constant of random numbers.
    pub(super) fn noise(&mut self, dtype: Dtype, dims: &[usize], most: i64) -> Option<TensorId> {
        let count: usize = dims.iter().product();
        if count > 4 * self.options.elements {
            return None;
        }
        let ints: Vec<i64> = (0..count).map(|_| self.random.bell(most)).collect();
        self.constant(dtype, dims, &ints)
    }

    /// Adds an operator, and computes it. None if that is not possible.
    pub(super) fn apply(&mut self, op: Op, inputs: &[TensorId], dtype: Dtype) -> Option<TensorId> {
        let plain = |i: usize, id: &TensorId| {
            let shape = self.value(*id).dims().iter().map(|&d| d as i32).collect();
            Tensor::new(format!("{i}"), self.value(*id).dtype(), shape)
        };
        let mut tensors: Vec<Tensor<'static>> =
            inputs.iter().enumerate().map(|(i, id)| plain(i, id)).collect();
        let ids: Vec<TensorId> = (0..inputs.len() as u32).map(TensorId).collect();
        let out = TensorId(inputs.len() as u32);
        tensors.push(Tensor { shape: None, ..Tensor::new("out", dtype, Vec::new()) });
        let operation = Operation { op, inputs: ids.clone(), outputs: vec![out], location: None };
        let block = Block {
            name: "one".into(),
            tensors,
            inputs: ids,
            outputs: vec![out],
            operators: vec![operation.clone()],
        };
        let alone = of_block(block);
        let values = inputs.iter().map(|id| self.value(*id).clone()).collect();
        let limits = Limits { memory: 1 << 26, work: self.options.work };
        let value = run(&alone, values, &limits).ok()?.pop()?;
        if value.ints().len() > self.options.elements {
            return None;
        }
        let id = self.tensor(operation.op.name(), value, false);
        let location = self.random.one_of(4).then(|| format!("line {}", self.block.operators.len()));
        let operation = Operation { inputs: inputs.to_vec(), outputs: vec![id], location, ..operation };
        self.block.operators.push(operation);
        Some(id)
    }

    /// Another quantization: the greatest number becomes about `peak`, as far as the factor allows.
    pub(super) fn rescale(&mut self, from: Activation, to: Dtype, peak: i64) -> Option<Activation> {
        self.rescale_by(from, to, peak, false)
    }

    /// As [`Builder::rescale`], perhaps with a factor for each channel.
    pub(super) fn rescale_by(
        &mut self,
        from: Activation,
        to: Dtype,
        peak: i64,
        per_channel: bool,
    ) -> Option<Activation> {
        let value = self.value(from.id).clone();
        let most = value.ints().iter().map(|n| (n - from.zero_point).abs()).max()?.max(1);
        let scale32 = value.dtype() != Dtype::I48 && !self.random.one_of(8);
        let channels = if per_channel { *value.dims().last()? } else { 1 };
        let zero_point = if to == Dtype::I8 { self.random.range(-30, 30) } else { 0 };
        // The multiplier has its highest bit set, as far as the shift allows.
        let bits = if scale32 { 30 } else { 14 };
        let (mut multipliers, mut shifts) = (Vec::new(), Vec::new());
        for _ in 0..channels {
            let peak = if per_channel { self.random.range(peak / 2, peak + peak / 4) } else { peak }.max(1);
            let mut shift = 62;
            while shift > 2 && (i128::from(peak) << shift) / i128::from(most) >= 2i128 << bits {
                shift -= 1;
            }
            let multiplier = (i128::from(peak) << shift) / i128::from(most);
            multipliers.push(i64::try_from(multiplier).ok()?.min((2 << bits) - 1));
            shifts.push(shift);
        }
        self.factors(from, to, zero_point, scale32, (&multipliers, &shifts))
    }

    /// Divided by a power of two.
    pub(super) fn shift_right(&mut self, from: Activation, to: Dtype, shift: i64) -> Option<Activation> {
        let scale32 = self.dtype(from.id) != Dtype::I48;
        let bits = if scale32 { 30 } else { 14 };
        let zero_point = if to == Dtype::I8 { from.zero_point } else { 0 };
        self.factors(from, to, zero_point, scale32, (&[1 << bits], &[bits + shift]))
    }

    fn factors(
        &mut self,
        from: Activation,
        to: Dtype,
        zero_point: i64,
        scale32: bool,
        (multipliers, shifts): (&[i64], &[i64]),
    ) -> Option<Activation> {
        let channels = multipliers.len();
        let dtype = if scale32 { Dtype::I32 } else { Dtype::I16 };
        let inputs = [
            from.id,
            self.constant(dtype, &[channels], multipliers)?,
            self.constant(Dtype::I8, &[channels], shifts)?,
            self.number(self.dtype(from.id), from.zero_point)?,
            self.number(to, zero_point)?,
        ];
        let double = scale32 && self.random.one_of(4);
        let op = Op::Rescale(Rescale {
            scale32,
            rounding_mode: if double { Rounding::Double } else { Rounding::Single },
            per_channel: channels > 1,
            input_unsigned: false,
            output_unsigned: false,
        });
        Some(Activation { id: self.apply(op, &inputs, to)?, zero_point })
    }

    /// The graph with all that nobody reads as its outputs.
    pub(super) fn finish(mut self, seed: u64) -> GraphCase {
        let mut read = vec![false; self.block.tensors.len()];
        self.block.operators.iter().flat_map(|o| &o.inputs).for_each(|id| read[id.index()] = true);
        for operation in &self.block.operators {
            for id in &operation.outputs {
                let tensor = self.block.tensor(*id);
                // Sums of 48 bits are never stored.
                let storable = tensor.data.is_none() && tensor.dtype != Dtype::I48;
                if storable && (!read[id.index()] || self.random.one_of(30)) {
                    self.block.outputs.push(*id);
                }
            }
        }
        let value = |id: &TensorId| self.values[id.index()].clone();
        let inputs = self.block.inputs.iter().map(value).collect();
        let outputs = self.block.outputs.iter().map(value).collect();
        GraphCase { seed, graph: of_block(self.block), inputs, outputs }
    }
}

fn of_block(block: Block<'static>) -> Graph<'static> {
    let regions = vec![Region { name: "main".into(), blocks: vec![block] }];
    Graph { version: Version::V1_0, software: None, compatibility: None, regions }
}
