//! Kernels: what a table entry says, and what a running kernel sees.

use crate::arena::OutOfMemory;
use crate::memory::{Frame, clip, shape_of};
use crate::tensor::{Shape, Tensor, TensorMut};
use crate::value::{Data, Kind, TensorMeta, Value};
use core::cell::Cell;
use core::fmt;
use tombolo_pte::{Dtype, F64List, I32List, I64List};

/// What a kernel runs: reads its arguments from the context, writes its outputs.
pub type KernelFn = fn(&KernelContext<'_, '_>) -> Result<(), KernelError>;

/// One entry of a kernel table. A kernel is linked because a table holds its entry.
#[derive(Clone, Copy)]
pub struct KernelDef {
    /// Operator and overload, as `aten::add.out`.
    pub name: &'static str,
    /// How many arguments a call has at least, outputs included, repeated return values not.
    pub args: u8,
    /// The argument positions that are tensors, or lists of tensors, to be written.
    pub outs: &'static [u8],
    /// The element types that tensor arguments may have.
    pub dtypes: DtypeSet,
    /// Bytes of the temporary arena that a call needs (alignment padding included), if any.
    pub temp_bytes: Option<fn(&CallSpec<'_, '_>) -> usize>,
    /// The code.
    pub run: KernelFn,
}

impl KernelDef {
    /// An entry without temporary memory.
    pub const fn new(
        name: &'static str,
        args: u8,
        outs: &'static [u8],
        dtypes: DtypeSet,
        run: KernelFn,
    ) -> KernelDef {
        KernelDef { name, args, outs, dtypes, temp_bytes: None, run }
    }

    /// Whether this entry is operator `name` with `overload`.
    pub fn is(&self, name: &str, overload: &str) -> bool {
        // On bytes: patterns on text are more code.
        match self.name.as_bytes().split_at_checked(name.len()) {
            Some((head, tail)) if head == name.as_bytes() => match tail {
                [] => overload.is_empty(),
                [dot, rest @ ..] => *dot == b'.' && rest == overload.as_bytes(),
            },
            _ => false,
        }
    }
}

/// A set of element types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DtypeSet(u32);

impl DtypeSet {
    /// Every element type.
    pub const ANY: DtypeSet = DtypeSet(u32::MAX);
    /// `float32`.
    pub const FLOAT: DtypeSet = DtypeSet::of(&[Dtype::Float]);
    /// `float32` and `float64`.
    pub const FLOATING: DtypeSet = DtypeSet::of(&[Dtype::Float, Dtype::Double]);
    /// The integer types of 8 to 64 bits.
    pub const INTEGER: DtypeSet =
        DtypeSet::of(&[Dtype::Byte, Dtype::Char, Dtype::Short, Dtype::Int, Dtype::Long]);

    /// The set of these types.
    pub const fn of(list: &[Dtype]) -> DtypeSet {
        let mut bits = 0;
        let mut rest = list;
        while let [first, tail @ ..] = rest {
            bits |= 1u32 << (*first as u32 & 31);
            rest = tail;
        }
        DtypeSet(bits)
    }

    /// The types of either set.
    pub const fn with(self, other: DtypeSet) -> DtypeSet {
        DtypeSet(self.0 | other.0)
    }

    /// Whether `dtype` is in the set.
    pub const fn contains(self, dtype: Dtype) -> bool {
        self.0 & (1u32 << (dtype as u32 & 31)) != 0
    }
}

/// Type and sizes of a tensor argument, before anything runs. Sizes are the upper bound.
#[derive(Clone, Copy, Debug)]
pub struct TensorSpec<'p> {
    /// Element type.
    pub dtype: Dtype,
    /// Sizes, outermost first.
    pub shape: Shape,
    /// Dimensions in memory order, outermost first.
    pub dim_order: &'p [u8],
}

impl TensorSpec<'_> {
    /// Bytes of the tensor; saturates.
    pub fn nbytes(&self) -> usize {
        self.shape.count().saturating_mul(self.dtype.size())
    }
}

/// The arguments of a call while the method is being loaded.
pub struct CallSpec<'c, 'p> {
    pub(crate) values: &'c [Cell<Value<'p>>],
    pub(crate) dims: &'c [Cell<u32>],
    pub(crate) args: I32List<'p>,
}

impl<'p> CallSpec<'_, 'p> {
    /// The number of arguments.
    pub fn len(&self) -> usize {
        self.args.len()
    }

    /// Whether the call has no arguments.
    pub fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// The value of argument `position`.
    pub fn value(&self, position: usize) -> Option<Value<'p>> {
        let index = usize::try_from(self.args.get(position)?).ok()?;
        self.values.get(index).map(Cell::get)
    }

    /// The integer at `position`.
    pub fn int(&self, position: usize) -> Option<i64> {
        match self.value(position)? {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The tensor at `position`: element type and sizes.
    pub fn tensor(&self, position: usize) -> Option<TensorSpec<'p>> {
        match self.value(position)? {
            Value::Tensor(meta) => Some(TensorSpec {
                dtype: meta.dtype,
                shape: shape_of(&meta, self.dims),
                dim_order: meta.dim_order,
            }),
            _ => None,
        }
    }
}

/// Why a kernel could not run. Positions count arguments from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum KernelError {
    /// The call has fewer arguments than the operator.
    MissingArgument {
        /// Argument position.
        position: u8,
    },
    /// An argument is of another kind than the operator's schema says.
    WrongKind {
        /// Argument position.
        position: u8,
        /// Kind found.
        found: Kind,
        /// Kind of the schema.
        expected: Kind,
    },
    /// A tensor's elements are of a type that this kernel does not take.
    UnexpectedDtype {
        /// Type found.
        found: Dtype,
        /// Type that was asked for.
        expected: &'static str,
    },
    /// Tensor sizes do not fit together, or an argument's value is not one the operator allows.
    Invalid(&'static str),
    /// Something that the operator allows but this kernel does not do.
    Unsupported(&'static str),
    /// The output has other sizes than the result, and is not dynamic or too small.
    OutputShape {
        /// Argument position.
        position: u8,
    },
    /// The output overlaps an input or another output in memory.
    Overlap {
        /// Argument position.
        position: u8,
    },
    /// The tensor has no memory: an input or output that was neither planned nor bound.
    NoData {
        /// Argument position.
        position: u8,
    },
    /// The output is a constant.
    ReadOnly {
        /// Argument position.
        position: u8,
    },
    /// The kernel asked to write an argument that its table entry does not list.
    NotAnOutput {
        /// Argument position.
        position: u8,
    },
    /// A tensor's bytes are not aligned for its elements.
    Misaligned,
    /// The temporary arena is too small.
    Temp(OutOfMemory),
}

impl From<OutOfMemory> for KernelError {
    fn from(error: OutOfMemory) -> Self {
        KernelError::Temp(error)
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            KernelError::MissingArgument { position } => write!(f, "argument {position} is missing"),
            KernelError::WrongKind { position, found, expected } => {
                write!(f, "argument {position} is {found} where {expected} is expected")
            }
            KernelError::UnexpectedDtype { found, expected } => {
                write!(f, "a tensor holds {} where {expected} is expected", found.name())
            }
            KernelError::Invalid(what) => f.write_str(what),
            KernelError::Unsupported(what) => write!(f, "not supported by this kernel: {what}"),
            KernelError::OutputShape { position } => {
                write!(f, "output {position} has other sizes than the result and cannot take them")
            }
            KernelError::Overlap { position } => {
                write!(f, "argument {position} shares memory with an output of the same call")
            }
            KernelError::NoData { position } => {
                write!(f, "argument {position} has no memory: bind it before the run")
            }
            KernelError::ReadOnly { position } => write!(f, "output {position} is a constant"),
            KernelError::NotAnOutput { position } => {
                write!(f, "argument {position} is written but not declared as an output")
            }
            KernelError::Misaligned => f.write_str("a tensor's bytes are not aligned for its elements"),
            KernelError::Temp(error) => write!(f, "the temporary arena is too small: {error}"),
        }
    }
}

/// What a running kernel sees: its arguments, by position, and the temporary arena.
pub struct KernelContext<'c, 'p> {
    pub(crate) frame: Frame<'c, 'p>,
}

impl<'c, 'p: 'c> KernelContext<'c, 'p> {
    fn wrong(position: usize, found: &Value<'p>, expected: Kind) -> KernelError {
        KernelError::WrongKind { position: clip(position), found: found.kind(), expected }
    }

    /// The number of arguments of the call.
    pub fn arg_count(&self) -> usize {
        self.frame.args.len()
    }

    /// The value at `position`.
    pub fn value(&self, position: usize) -> Result<Value<'p>, KernelError> {
        self.frame.value(position)
    }

    /// Whether the argument is absent (`None`).
    pub fn is_none(&self, position: usize) -> bool {
        matches!(self.frame.value(position), Ok(Value::None))
    }

    /// The integer at `position`. A bool counts as 0 or 1.
    pub fn int(&self, position: usize) -> Result<i64, KernelError> {
        match self.frame.value(position)? {
            Value::Int(value) => Ok(value),
            Value::Bool(value) => Ok(i64::from(value)),
            other => Err(Self::wrong(position, &other, Kind::Int)),
        }
    }

    /// The integer at `position`, or `None` if it is absent.
    pub fn opt_int(&self, position: usize) -> Result<Option<i64>, KernelError> {
        if self.is_none(position) { Ok(None) } else { self.int(position).map(Some) }
    }

    /// The number at `position`, whatever scalar it is.
    pub fn double(&self, position: usize) -> Result<f64, KernelError> {
        match self.frame.value(position)? {
            Value::Double(value) => Ok(value),
            Value::Int(value) => Ok(value as f64),
            Value::Bool(value) => Ok(f64::from(u8::from(value))),
            other => Err(Self::wrong(position, &other, Kind::Number)),
        }
    }

    /// The number at `position`, or `None` if it is absent.
    pub fn opt_double(&self, position: usize) -> Result<Option<f64>, KernelError> {
        if self.is_none(position) { Ok(None) } else { self.double(position).map(Some) }
    }

    /// The truth value at `position`.
    pub fn bool(&self, position: usize) -> Result<bool, KernelError> {
        match self.frame.value(position)? {
            Value::Bool(value) => Ok(value),
            Value::Int(value) => Ok(value != 0),
            other => Err(Self::wrong(position, &other, Kind::Bool)),
        }
    }

    /// The text at `position`.
    pub fn string(&self, position: usize) -> Result<&'p str, KernelError> {
        match self.frame.value(position)? {
            Value::String(value) => Ok(value),
            other => Err(Self::wrong(position, &other, Kind::String)),
        }
    }

    /// The integers at `position`; an absent list is empty.
    pub fn ints(&self, position: usize) -> Result<Ints<'_, 'p>, KernelError> {
        let list = match self.frame.value(position)? {
            Value::IntList(list) => Some(list),
            Value::None => None,
            other => return Err(Self::wrong(position, &other, Kind::IntList)),
        };
        Ok(Ints { values: self.frame.values, list })
    }

    /// The floating-point numbers at `position`; an absent list is empty.
    pub fn doubles(&self, position: usize) -> Result<F64List<'p>, KernelError> {
        match self.frame.value(position)? {
            Value::DoubleList(list) => Ok(list),
            Value::None => Ok(F64List::default()),
            other => Err(Self::wrong(position, &other, Kind::DoubleList)),
        }
    }

    /// The tensor at `position`, to be read. An error if it shares memory with an output.
    pub fn tensor(&self, position: usize) -> Result<Tensor<'c>, KernelError> {
        self.frame.shared(self.frame.index(position)?, position)
    }

    /// The tensor at `position`, or `None` if it is absent.
    pub fn opt_tensor(&self, position: usize) -> Result<Option<Tensor<'c>>, KernelError> {
        if self.is_none(position) { Ok(None) } else { self.tensor(position).map(Some) }
    }

    /// The number of tensors in the list at `position`.
    pub fn tensor_count(&self, position: usize) -> Result<usize, KernelError> {
        self.tensor_list(position).map(|list| list.len())
    }

    /// Tensor `i` of the list at `position`, or `None` where an optional one is absent.
    pub fn tensor_of(&self, position: usize, i: usize) -> Result<Option<Tensor<'c>>, KernelError> {
        let index = self.tensor_list(position)?.get(i);
        let index = index.ok_or(KernelError::MissingArgument { position: clip(position) })?;
        match usize::try_from(index) {
            Ok(index) if !matches!(self.frame.value_at(index), Value::None) => {
                self.frame.shared(index, position).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn tensor_list(&self, position: usize) -> Result<I32List<'p>, KernelError> {
        match self.frame.value(position)? {
            Value::TensorList(list) | Value::OptionalTensorList(list) => Ok(list),
            other => Err(Self::wrong(position, &other, Kind::TensorList)),
        }
    }

    /// The sizes of the tensor at `position`, outputs included, without taking it.
    pub fn shape(&self, position: usize) -> Result<Shape, KernelError> {
        match self.frame.value(position)? {
            Value::Tensor(meta) => Ok(self.frame.shape(&meta)),
            other => Err(Self::wrong(position, &other, Kind::Tensor)),
        }
    }

    /// The element type of the tensor at `position`, outputs included, without taking it.
    pub fn dtype(&self, position: usize) -> Result<Dtype, KernelError> {
        match self.frame.value(position)? {
            Value::Tensor(meta) => Ok(meta.dtype),
            other => Err(Self::wrong(position, &other, Kind::Tensor)),
        }
    }

    /// The tensor at `position`, to be written. The table entry must list the position in `outs`;
    /// each output is handed out once per call.
    pub fn out(&self, position: usize) -> Result<TensorMut<'c>, KernelError> {
        self.frame.exclusive(position, None)
    }

    /// Gives the output at `position` these sizes, then hands it out. A static tensor must have them already.
    pub fn out_sized(&self, position: usize, sizes: &[u32]) -> Result<TensorMut<'c>, KernelError> {
        self.frame.resize(position, None, sizes)?;
        self.frame.exclusive(position, None)
    }

    /// Gives item `item` of the list of outputs at `position` these sizes, then hands it out.
    pub fn out_item(
        &self,
        position: usize,
        item: usize,
        sizes: &[u32],
    ) -> Result<TensorMut<'c>, KernelError> {
        self.frame.resize(position, Some(item), sizes)?;
        self.frame.exclusive(position, Some(item))
    }

    /// Gives the tensor at `position` these sizes. A static tensor must have them already.
    pub fn resize(&self, position: usize, sizes: &[u32]) -> Result<(), KernelError> {
        self.frame.resize(position, None, sizes)
    }

    /// Sets the value at `position`: the result of an operator on numbers.
    pub fn set(&self, position: usize, value: Value<'p>) -> Result<(), KernelError> {
        self.frame.set(position, value)
    }

    /// Makes the tensor at `position` a view of the bytes of the tensor at `source`, keeping its own
    /// sizes, which must have as many bytes.
    pub fn alias(&self, position: usize, source: usize) -> Result<(), KernelError> {
        let (to, from) = (self.frame.value(position)?, self.frame.value(source)?);
        let (Value::Tensor(to), Value::Tensor(from)) = (to, from) else {
            return Err(Self::wrong(position, &to, Kind::Tensor));
        };
        let bytes = |meta: &TensorMeta<'p>| self.frame.shape(meta).count().saturating_mul(meta.dtype.size());
        if bytes(&to) != bytes(&from) || matches!(from.data, Data::Unbound) {
            return Err(KernelError::Invalid("a view must have as many bytes as what it views"));
        }
        self.frame.set(position, Value::Tensor(TensorMeta { data: from.data, ..to }))
    }

    /// `len` elements from the temporary arena, each set to `fill`; free again after the call.
    pub fn temp<T: Copy>(&self, len: usize, fill: T) -> Result<&'c mut [T], KernelError> {
        let mut arena = self.frame.temp.take();
        let slice = arena.slice(len, fill);
        self.frame.temp.set(arena);
        Ok(slice?)
    }
}

/// A list of integers, each possibly computed by the program.
#[derive(Clone, Copy)]
pub struct Ints<'c, 'p> {
    values: &'c [Cell<Value<'p>>],
    list: Option<I64List<'p>>,
}

impl Ints<'_, '_> {
    /// The number of integers.
    pub fn len(&self) -> usize {
        self.list.map_or(0, |list| list.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Integer `i`.
    pub fn get(&self, i: usize) -> Option<i64> {
        let index = usize::try_from(self.list?.get(i)?).ok()?;
        match self.values.get(index)?.get() {
            Value::Int(value) => Some(value),
            Value::Bool(value) => Some(i64::from(value)),
            _ => None,
        }
    }

    /// All integers in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &KernelContext<'_, '_>) -> Result<(), KernelError> {
        Ok(())
    }

    #[test]
    fn names_match_whole_operators_only() {
        let def = KernelDef::new("aten::add.out", 4, &[3], DtypeSet::ANY, nothing);
        assert!(def.is("aten::add", "out"));
        assert!(!def.is("aten::add", ""));
        assert!(!def.is("aten::ad", "d.out"));
        assert!(!def.is("aten::add", "Scalar_out"));
        let bare = KernelDef::new("executorch_prim::et_view", 3, &[], DtypeSet::ANY, nothing);
        assert!(bare.is("executorch_prim::et_view", ""));
        assert!(!bare.is("executorch_prim::et_view", "default"));
    }

    #[test]
    fn dtype_sets_hold_what_they_were_made_of() {
        assert!(DtypeSet::FLOAT.contains(Dtype::Float));
        assert!(!DtypeSet::FLOAT.contains(Dtype::Half));
        assert!(DtypeSet::INTEGER.with(DtypeSet::FLOAT).contains(Dtype::Long));
    }
}
