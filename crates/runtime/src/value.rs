//! Values of a method while it runs.

use tombolo_pte::{BoolList, Dtype, F64List, I32List, I64List};

/// A value of the plan. Tensors are reached through [`crate::KernelContext`], which knows their memory.
#[derive(Clone, Copy)]
pub enum Value<'p> {
    /// No value: an optional argument that is absent.
    None,
    /// An integer, also one that a program computes.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
    /// Text.
    String(&'p str),
    /// Integers; each item is the index of an [`Value::Int`].
    IntList(I64List<'p>),
    /// Floating-point numbers.
    DoubleList(F64List<'p>),
    /// Truth values.
    BoolList(BoolList<'p>),
    /// Tensors; each item is the index of a tensor.
    TensorList(I32List<'p>),
    /// Tensors; each item is the index of a tensor, or -1 for none.
    OptionalTensorList(I32List<'p>),
    /// A tensor.
    Tensor(TensorMeta<'p>),
}

/// A tensor of the plan: type, sizes, and where its bytes are.
#[derive(Clone, Copy)]
pub struct TensorMeta<'p> {
    pub(crate) dtype: Dtype,
    pub(crate) sizes: Sizes<'p>,
    pub(crate) dim_order: &'p [u8],
    pub(crate) data: Data<'p>,
}

/// Sizes as the program states them, or, for a dynamic shape, the current ones in the method arena.
#[derive(Clone, Copy)]
pub(crate) enum Sizes<'p> {
    Static(I32List<'p>),
    Dynamic { start: u32, bound: I32List<'p> },
}

/// Where a tensor's bytes are.
#[derive(Clone, Copy)]
pub(crate) enum Data<'p> {
    /// In the program or in an external file.
    Constant(&'p [u8]),
    /// In planned buffer `buffer`.
    Planned { buffer: u32, offset: usize },
    /// In memory that the caller lent to the method for its whole life; `writable` or not.
    Bound(crate::memory::Lent),
    /// Nowhere yet.
    Unbound,
}

impl<'p> Value<'p> {
    /// What kind of value this is.
    pub fn kind(&self) -> Kind {
        match self {
            Value::None => Kind::None,
            Value::Int(_) => Kind::Int,
            Value::Bool(_) => Kind::Bool,
            Value::Double(_) => Kind::Double,
            Value::String(_) => Kind::String,
            Value::IntList(_) => Kind::IntList,
            Value::DoubleList(_) => Kind::DoubleList,
            Value::BoolList(_) => Kind::BoolList,
            Value::TensorList(_) => Kind::TensorList,
            Value::OptionalTensorList(_) => Kind::OptionalTensorList,
            Value::Tensor(_) => Kind::Tensor,
        }
    }
}

/// A kind of value. `Display` gives the words, which an image that shows no errors does not carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// No value.
    None,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// A floating-point number.
    Double,
    /// Text.
    String,
    /// Integers.
    IntList,
    /// Floating-point numbers.
    DoubleList,
    /// Truth values.
    BoolList,
    /// Tensors.
    TensorList,
    /// Tensors, some of which may be absent.
    OptionalTensorList,
    /// A tensor.
    Tensor,
    /// Any of int, bool and double: what some operators take.
    Number,
}

impl core::fmt::Display for Kind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Kind::None => "none",
            Kind::Int => "int",
            Kind::Bool => "bool",
            Kind::Double => "double",
            Kind::String => "string",
            Kind::IntList => "list of int",
            Kind::DoubleList => "list of double",
            Kind::BoolList => "list of bool",
            Kind::TensorList => "list of tensors",
            Kind::OptionalTensorList => "list of optional tensors",
            Kind::Tensor => "tensor",
            Kind::Number => "number",
        })
    }
}
