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
    /// What kind of value this is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::None => "none",
            Value::Int(_) => "int",
            Value::Bool(_) => "bool",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::IntList(_) => "list of int",
            Value::DoubleList(_) => "list of double",
            Value::BoolList(_) => "list of bool",
            Value::TensorList(_) => "list of tensors",
            Value::OptionalTensorList(_) => "list of optional tensors",
            Value::Tensor(_) => "tensor",
        }
    }
}
