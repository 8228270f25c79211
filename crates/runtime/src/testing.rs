//! One call of one kernel without a program: for tests of kernels. Feature `testing`; needs `alloc`.
//!
//! A [`Call`] lists the arguments of a kernel in the order of its schema, outputs last, and then
//! runs it with the checks that a method has: number of arguments, element types, overlap.
//!
//! * Outputs are filled with [`POISON`] before the run, so that elements that a kernel forgets show.
//! * The temporary arena has exactly the size that the table entry computes.
//! * Outputs that the program would repeat as return values are appended, as a program has them.
//!
//! ```
//! use tombolo_runtime::testing::{Call, TestTensor};
//! use tombolo_runtime::{Dtype, DtypeSet, KernelContext, KernelDef, KernelError};
//!
//! fn double(context: &KernelContext<'_, '_>) -> Result<(), KernelError> {
//!     let input = context.tensor(0)?;
//!     let mut out = context.out_sized(1, &input.shape())?;
//!     for (o, x) in out.as_mut_slice::<f32>()?.iter_mut().zip(input.as_slice::<f32>()?) {
//!         *o = 2.0 * x;
//!     }
//!     Ok(())
//! }
//! const DOUBLE: KernelDef = KernelDef::new("my::double.out", 2, &[1], DtypeSet::FLOAT, double);
//!
//! let mut call = Call::new()
//!     .tensor(TestTensor::new(Dtype::Float, &[3], &[1f32, 2.0, 3.0]))
//!     .tensor(TestTensor::empty(Dtype::Float, &[3]));
//! call.run(&DOUBLE).unwrap();
//! assert_eq!(call.elements::<f32>(1), [2.0, 4.0, 6.0]);
//! ```

use crate::arena::Arena;
use crate::kernel::{CallSpec, KernelContext, KernelDef, KernelError};
use crate::memory::{Element, Frame, Lent, Writes, cast, cast_mut, clip, locate, shape_of, view};
use crate::value::{Data, Sizes, TensorMeta, Value};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;
use tombolo_pte::{BoolList, Dtype, F64List, I32List, I64List};

/// What every byte of an output holds before the run.
pub const POISON: u8 = 0xcd;

/// Zeroed bytes that start at a multiple of 16.
#[derive(Clone)]
struct Aligned {
    raw: Vec<u8>,
    len: usize,
}

impl Aligned {
    fn filled(len: usize, byte: u8) -> Aligned {
        Aligned { raw: vec![byte; len + 16], len }
    }

    fn start(&self) -> usize {
        (self.raw.as_ptr() as usize).wrapping_neg() & 15
    }

    fn bytes(&self) -> &[u8] {
        &self.raw[self.start()..][..self.len]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let start = self.start();
        &mut self.raw[start..][..self.len]
    }
}

/// An empty tensor may have any sizes, so that products of some of them saturate.
fn bytes_of(sizes: &[u32], dtype: Dtype) -> usize {
    sizes.iter().fold(dtype.size(), |n, &size| n.saturating_mul(size as usize))
}

/// A tensor argument: an input with its elements, or an output with room for them.
pub struct TestTensor {
    dtype: Dtype,
    sizes: Vec<u32>,
    dim_order: Vec<u8>,
    dynamic: bool,
    data: Aligned,
}

impl TestTensor {
    /// A tensor with these elements, in memory order. Its dimensions lie in their own order.
    ///
    /// # Panics
    /// If `T` is not the type of `dtype`'s elements, or the sizes have another number of elements.
    pub fn new<T: Element>(dtype: Dtype, sizes: &[u32], elements: &[T]) -> TestTensor {
        assert!(T::is(dtype), "{} elements for a tensor of {}", T::NAME, dtype.name());
        let mut tensor = TestTensor::empty(dtype, sizes);
        let room = cast_mut::<T>(tensor.data.bytes_mut()).expect("aligned to 16");
        assert_eq!(room.len(), elements.len(), "elements of a tensor of sizes {sizes:?}");
        room.copy_from_slice(elements);
        tensor
    }

    /// A tensor to be written, full of [`POISON`].
    pub fn empty(dtype: Dtype, sizes: &[u32]) -> TestTensor {
        let len = bytes_of(sizes, dtype);
        TestTensor {
            dtype,
            sizes: sizes.to_vec(),
            dim_order: (0..sizes.len() as u8).collect(),
            dynamic: false,
            data: Aligned::filled(len, POISON),
        }
    }

    fn elements<T: Element>(&self) -> Vec<T> {
        assert!(T::is(self.dtype), "{} elements of a tensor of {}", T::NAME, self.dtype.name());
        cast::<T>(self.data.bytes()).expect("aligned to 16").to_vec()
    }

    /// The same bytes, with the dimensions in this order in memory, outermost first.
    pub fn order(mut self, dim_order: &[u8]) -> TestTensor {
        assert_eq!(dim_order.len(), self.sizes.len(), "one entry per dimension");
        self.dim_order = dim_order.to_vec();
        self
    }

    /// The same tensor with a dynamic shape: a kernel may give it smaller sizes.
    pub fn dynamic(mut self) -> TestTensor {
        self.dynamic = true;
        self
    }
}

enum Stored {
    None,
    Int(i64),
    Bool(bool),
    Double(f64),
    String(String),
    Tensor(usize),
    Ints(Vec<u8>),
    Doubles(Vec<u8>),
    Bools(Vec<u8>),
    Tensors(Vec<u8>),
    OptionalTensors(Vec<u8>),
}

/// The arguments of a kernel, and after a run what it wrote.
#[derive(Default)]
pub struct Call {
    tensors: Vec<TestTensor>,
    /// All values; arguments and the items of lists.
    values: Vec<Stored>,
    /// Value index of each argument.
    args: Vec<i32>,
}

impl Call {
    /// A call without arguments.
    pub fn new() -> Call {
        Call::default()
    }

    fn store(&mut self, value: Stored) -> i32 {
        self.values.push(value);
        self.values.len() as i32 - 1
    }

    fn arg(mut self, value: Stored) -> Call {
        let index = self.store(value);
        self.args.push(index);
        self
    }

    fn store_tensor(&mut self, tensor: TestTensor) -> i32 {
        self.tensors.push(tensor);
        self.store(Stored::Tensor(self.tensors.len() - 1))
    }

    /// Adds an argument: an absent one.
    pub fn none(self) -> Call {
        self.arg(Stored::None)
    }

    /// Adds an argument: an integer.
    pub fn int(self, value: i64) -> Call {
        self.arg(Stored::Int(value))
    }

    /// Adds an argument: a truth value.
    pub fn bool(self, value: bool) -> Call {
        self.arg(Stored::Bool(value))
    }

    /// Adds an argument: a floating-point number.
    pub fn double(self, value: f64) -> Call {
        self.arg(Stored::Double(value))
    }

    /// Adds an argument: a text.
    pub fn string(self, value: &str) -> Call {
        self.arg(Stored::String(value.into()))
    }

    /// Adds an argument: a list of integers, each a value of its own as in a program.
    pub fn ints(mut self, values: &[i64]) -> Call {
        let items =
            values.iter().flat_map(|&v| i64::from(self.store(Stored::Int(v))).to_le_bytes()).collect();
        self.arg(Stored::Ints(items))
    }

    /// Adds an argument: a list of floating-point numbers.
    pub fn doubles(self, values: &[f64]) -> Call {
        self.arg(Stored::Doubles(values.iter().flat_map(|v| v.to_le_bytes()).collect()))
    }

    /// Adds an argument: a list of truth values.
    pub fn bools(self, values: &[bool]) -> Call {
        self.arg(Stored::Bools(values.iter().map(|&v| u8::from(v)).collect()))
    }

    /// Adds an argument: a tensor, input or output.
    pub fn tensor(mut self, tensor: TestTensor) -> Call {
        let index = self.store_tensor(tensor);
        self.args.push(index);
        self
    }

    /// Adds an argument: a tensor or nothing.
    pub fn opt_tensor(self, tensor: Option<TestTensor>) -> Call {
        match tensor {
            Some(tensor) => self.tensor(tensor),
            None => self.none(),
        }
    }

    /// Adds an argument: a list of tensors.
    pub fn tensors(mut self, list: Vec<TestTensor>) -> Call {
        let items = list.into_iter().flat_map(|t| self.store_tensor(t).to_le_bytes()).collect();
        self.arg(Stored::Tensors(items))
    }

    /// Adds an argument: a list of tensors that may be absent.
    pub fn opt_tensors(mut self, list: Vec<Option<TestTensor>>) -> Call {
        let items =
            list.into_iter().flat_map(|t| t.map_or(-1, |t| self.store_tensor(t)).to_le_bytes()).collect();
        self.arg(Stored::OptionalTensors(items))
    }

    /// Adds an argument: the value that argument `position` has already (an output in the memory of an input).
    pub fn again(mut self, position: usize) -> Call {
        self.args.push(self.args[position]);
        self
    }

    /// Runs `kernel` once. What it wrote is then in this call; running again starts from that.
    ///
    /// # Errors
    /// What the kernel says, and [`KernelError::MissingArgument`] and [`KernelError::UnexpectedDtype`]
    /// where a method would not have been loaded.
    pub fn run(&mut self, kernel: &KernelDef) -> Result<(), KernelError> {
        if self.args.len() < usize::from(kernel.args) {
            return Err(KernelError::MissingArgument { position: clip(self.args.len()) });
        }
        let mut args = self.args.clone();
        for &out in kernel.outs {
            args.push(self.args[usize::from(out)]);
        }
        for &arg in &self.args {
            if let Stored::Tensor(t) = self.values[arg as usize]
                && !kernel.dtypes.contains(self.tensors[t].dtype)
            {
                let found = self.tensors[t].dtype;
                return Err(KernelError::UnexpectedDtype { found, expected: "a type of the kernel's set" });
            }
        }
        let args: Vec<u8> = args.iter().flat_map(|a| a.to_le_bytes()).collect();
        let args = I32List::new(&args);

        let sizes: Vec<Vec<u8>> =
            self.tensors.iter().map(|t| t.sizes.iter().flat_map(|n| n.to_le_bytes()).collect()).collect();
        let dims: Vec<Cell<u32>> =
            self.tensors.iter().flat_map(|t| t.sizes.iter().copied().map(Cell::new)).collect();
        let written: Vec<usize> = kernel.outs.iter().flat_map(|&o| self.tensors_at(usize::from(o))).collect();
        let mut metas = Vec::new();
        let mut start = 0;
        for (t, tensor) in self.tensors.iter_mut().enumerate() {
            let out = written.contains(&t);
            let TestTensor { dtype, dim_order, dynamic, data, .. } = tensor;
            if out {
                data.bytes_mut().fill(POISON);
            }
            let lent = if out { Lent::exclusive(data.bytes_mut()) } else { Lent::shared(data.bytes()) };
            let bound = I32List::new(&sizes[t]);
            let sizes = if *dynamic { Sizes::Dynamic { start, bound } } else { Sizes::Static(bound) };
            start += bound.len() as u32;
            metas.push(TensorMeta { dtype: *dtype, sizes, dim_order, data: Data::Bound(lent) });
        }
        let values: Vec<Cell<Value<'_>>> = self
            .values
            .iter()
            .map(|value| {
                Cell::new(match value {
                    Stored::None => Value::None,
                    Stored::Int(v) => Value::Int(*v),
                    Stored::Bool(v) => Value::Bool(*v),
                    Stored::Double(v) => Value::Double(*v),
                    Stored::String(v) => Value::String(v),
                    Stored::Tensor(t) => Value::Tensor(metas[*t]),
                    Stored::Ints(v) => Value::IntList(I64List::new(v)),
                    Stored::Doubles(v) => Value::DoubleList(F64List::new(v)),
                    Stored::Bools(v) => Value::BoolList(BoolList::new(v)),
                    Stored::Tensors(v) => Value::TensorList(I32List::new(v)),
                    Stored::OptionalTensors(v) => Value::OptionalTensorList(I32List::new(v)),
                })
            })
            .collect();

        let spec = CallSpec { values: &values, dims: &dims, args };
        let mut temp = Aligned::filled(kernel.temp_bytes.map_or(0, |bytes| bytes(&spec)), POISON);
        let frame = Frame {
            values: &values,
            dims: &dims,
            buffers: &[],
            args,
            writes: Writes::At(kernel.outs),
            taken: Cell::new(0),
            temp: Cell::new(Arena::new(temp.bytes_mut())),
        };
        (kernel.run)(&KernelContext { frame })?;

        // What the kernel set: numbers, current sizes, views of other tensors.
        let mut after = Vec::new();
        for (v, value) in values.iter().enumerate() {
            match value.get() {
                Value::Int(n) => after.push((v, After::Number(Stored::Int(n)))),
                Value::Bool(n) => after.push((v, After::Number(Stored::Bool(n)))),
                Value::Double(n) => after.push((v, After::Number(Stored::Double(n)))),
                Value::Tensor(meta) => {
                    let shape = shape_of(&meta, &dims).to_vec();
                    let len = bytes_of(&shape, meta.dtype);
                    let bytes = locate(&meta, &[]).map_or(&[][..], |span| view(&(), span));
                    after.push((v, After::Tensor(shape, bytes[..len].to_vec())));
                }
                _ => {}
            }
        }
        for (v, after) in after {
            match (after, &mut self.values[v]) {
                (After::Number(number), slot) => *slot = number,
                (After::Tensor(sizes, bytes), Stored::Tensor(t)) => {
                    let tensor = &mut self.tensors[*t];
                    tensor.sizes = sizes;
                    tensor.data.len = bytes.len();
                    tensor.data.bytes_mut().copy_from_slice(&bytes);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Indices into `tensors` of the tensor at `position`, or of those in the list there.
    fn tensors_at(&self, position: usize) -> Vec<usize> {
        match &self.values[self.args[position] as usize] {
            Stored::Tensor(t) => vec![*t],
            Stored::Tensors(items) => I32List::new(items)
                .iter()
                .filter_map(|v| match self.values[v as usize] {
                    Stored::Tensor(t) => Some(t),
                    _ => None,
                })
                .collect(),
            _ => vec![],
        }
    }

    fn at(&self, position: usize) -> &TestTensor {
        match self.tensors_at(position)[..] {
            [t] => &self.tensors[t],
            _ => panic!("argument {position} is no tensor"),
        }
    }

    /// The elements of the tensor at `position`, in memory order.
    ///
    /// # Panics
    /// If there is no tensor, or its elements are not of type `T`.
    pub fn elements<T: Element>(&self, position: usize) -> Vec<T> {
        self.at(position).elements()
    }

    /// The elements of tensor `item` of the list at `position`, in memory order.
    ///
    /// # Panics
    /// As [`elements`](Self::elements).
    pub fn item_elements<T: Element>(&self, position: usize, item: usize) -> Vec<T> {
        self.tensors[self.tensors_at(position)[item]].elements()
    }

    /// The bytes of the tensor at `position`, in memory order.
    pub fn bytes(&self, position: usize) -> &[u8] {
        self.at(position).data.bytes()
    }

    /// The current sizes of the tensor at `position`.
    pub fn sizes(&self, position: usize) -> &[u32] {
        &self.at(position).sizes
    }

    /// The number at `position`; a truth value counts as 0 or 1.
    ///
    /// # Panics
    /// If there is no number.
    pub fn number(&self, position: usize) -> f64 {
        match self.values[self.args[position] as usize] {
            Stored::Int(v) => v as f64,
            Stored::Bool(v) => f64::from(u8::from(v)),
            Stored::Double(v) => v,
            _ => panic!("argument {position} is no number"),
        }
    }

    /// The integer at `position`, if it is one.
    pub fn int_at(&self, position: usize) -> Option<i64> {
        match self.values[self.args[position] as usize] {
            Stored::Int(v) => Some(v),
            _ => None,
        }
    }

    /// The truth value at `position`, if it is one.
    pub fn bool_at(&self, position: usize) -> Option<bool> {
        match self.values[self.args[position] as usize] {
            Stored::Bool(v) => Some(v),
            _ => None,
        }
    }
}

enum After {
    Number(Stored),
    Tensor(Vec<u32>, Vec<u8>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DtypeSet;

    fn first_half(context: &KernelContext<'_, '_>) -> Result<(), KernelError> {
        let input = context.tensor(0)?;
        let n = input.count() / 2;
        context.temp::<u32>(1, 0)?;
        let mut out = context.out_sized(1, &[n as u32])?;
        let from = input.as_slice::<f32>()?;
        for (o, x) in out.as_mut_slice::<f32>()?.iter_mut().zip(from).skip(1) {
            *o = *x;
        }
        Ok(())
    }

    const DEF: KernelDef = KernelDef {
        temp_bytes: Some(|_| 4),
        ..KernelDef::new("t::half.out", 2, &[1], DtypeSet::FLOAT, first_half)
    };

    fn input() -> TestTensor {
        TestTensor::new(Dtype::Float, &[4], &[1f32, 2.0, 3.0, 4.0])
    }

    #[test]
    fn dynamic_outputs_shrink_and_forgotten_elements_show() {
        let mut call = Call::new().tensor(input()).tensor(TestTensor::empty(Dtype::Float, &[3]).dynamic());
        call.run(&DEF).unwrap();
        assert_eq!(call.sizes(1), [2]);
        let poison = f32::from_le_bytes([POISON; 4]);
        assert_eq!(call.elements::<f32>(1), [poison, 2.0]);
    }

    #[test]
    fn a_method_s_checks_are_made() {
        let mut small = Call::new().tensor(input()).tensor(TestTensor::empty(Dtype::Float, &[3]));
        assert_eq!(small.run(&DEF), Err(KernelError::OutputShape { position: 1 }));
        let mut short = Call::new().tensor(input());
        assert_eq!(short.run(&DEF), Err(KernelError::MissingArgument { position: 1 }));
        let mut same = Call::new().tensor(input()).again(0);
        assert_eq!(same.run(&DEF), Err(KernelError::Overlap { position: 0 }));
        let mut other = Call::new().tensor(TestTensor::new(Dtype::Char, &[1], &[1i8])).none();
        assert!(matches!(other.run(&DEF), Err(KernelError::UnexpectedDtype { .. })));
        let no_temp = KernelDef { temp_bytes: None, ..DEF };
        let mut call = Call::new().tensor(input()).tensor(TestTensor::empty(Dtype::Float, &[2]));
        assert!(matches!(call.run(&no_temp), Err(KernelError::Temp(_))));
    }
}
