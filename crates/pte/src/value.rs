//! Values of a plan: numbers, lists, tensors.

use crate::dtype::Dtype;
use crate::error::{Error, ErrorKind};
use crate::flat::Table;
use crate::list::{BoolList, F64List, I32List, I64List};
use crate::plan::Plan;
use crate::program::Program;
use crate::schema;

/// The largest rank of a tensor (`kTensorDimensionLimit` in ExecuTorch).
pub const MAX_RANK: usize = 16;

/// A value of a plan, as the program file states it.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// No value: an optional argument that is absent.
    None,
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A floating-point number.
    Double(f64),
    /// Text.
    String(&'a str),
    /// A tensor.
    Tensor(TensorView<'a>),
    /// Integers. Each item is the index of an [`Value::Int`] of the plan, so that a program can compute it.
    IntList(I64List<'a>),
    /// Floating-point numbers.
    DoubleList(F64List<'a>),
    /// Truth values.
    BoolList(BoolList<'a>),
    /// Tensors. Each item is the index of a [`Value::Tensor`].
    TensorList(I32List<'a>),
    /// Tensors that may be absent. Each item is the index of a [`Value::Tensor`] or [`Value::None`], or -1 for none.
    OptionalTensorList(I32List<'a>),
}

/// What a value is, without its content. Numbered as in the schema's union `KernelTypes`.
pub(crate) mod kind {
    pub(crate) const NULL: u8 = 1;
    pub(crate) const INT: u8 = 2;
    pub(crate) const BOOL: u8 = 3;
    pub(crate) const DOUBLE: u8 = 4;
    pub(crate) const TENSOR: u8 = 5;
    pub(crate) const STRING: u8 = 6;
    pub(crate) const INT_LIST: u8 = 7;
    pub(crate) const DOUBLE_LIST: u8 = 8;
    pub(crate) const BOOL_LIST: u8 = 9;
    pub(crate) const TENSOR_LIST: u8 = 10;
    pub(crate) const OPTIONAL_TENSOR_LIST: u8 = 11;
}

impl<'a> Value<'a> {
    pub(crate) fn read(evalue: Table<'a>, plan: &Plan<'a>) -> Result<Value<'a>, Error> {
        use schema::EValue as f;
        let kind = evalue.u8(f::val_type)?;
        if kind == kind::NULL {
            return Ok(Value::None);
        }
        let value = evalue.need_table(f::val)?;
        Ok(match kind {
            kind::INT => Value::Int(value.i64(schema::Int::int_val)?),
            kind::BOOL => Value::Bool(value.bool(schema::Bool::bool_val)?),
            kind::DOUBLE => Value::Double(value.f64(schema::Double::double_val)?),
            kind::TENSOR => Value::Tensor(TensorView::read(value, plan)?),
            kind::STRING => Value::String(value.need_string(schema::String::string_val)?),
            kind::INT_LIST => Value::IntList(I64List::new(value.need_vector(schema::IntList::items, 8)?)),
            kind::DOUBLE_LIST => {
                Value::DoubleList(F64List::new(value.need_vector(schema::DoubleList::items, 8)?))
            }
            kind::BOOL_LIST => Value::BoolList(BoolList::new(value.need_vector(schema::BoolList::items, 1)?)),
            kind::TENSOR_LIST => {
                Value::TensorList(I32List::new(value.need_vector(schema::TensorList::items, 4)?))
            }
            kind::OPTIONAL_TENSOR_LIST => Value::OptionalTensorList(I32List::new(
                value.need_vector(schema::OptionalTensorList::items, 4)?,
            )),
            _ => return Err(evalue.error(ErrorKind::Unknown, f::val_type)),
        })
    }
}

/// How the shape of a tensor may change while the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dynamism {
    /// Never.
    Static,
    /// Up to the sizes given, for which memory is planned.
    DynamicBound,
    /// Without bound; the sizes given are only those at first.
    DynamicUnbound,
}

/// Where the bytes of a tensor are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TensorData<'a> {
    /// In the file: exactly `nbytes` bytes, aligned to the element's size.
    Constant(&'a [u8]),
    /// Under a name: in the program's own named data, or in a `.ptd` file.
    External {
        /// The name.
        key: &'a str,
    },
    /// In a planned buffer.
    Planned {
        /// The buffer: below [`Plan::buffer_count`].
        buffer: u32,
        /// Where it starts there: a multiple of the element's size, with `nbytes` bytes up to the buffer's end.
        offset: usize,
        /// The `nbytes` bytes (without alignment) to copy there before the first run.
        initial: Option<&'a [u8]>,
    },
    /// In a planned buffer, to be filled before the first run with data under a name.
    PlannedExternal {
        /// The buffer: below [`Plan::buffer_count`].
        buffer: u32,
        /// Where it starts there, as for [`TensorData::Planned`].
        offset: usize,
        /// The name.
        key: &'a str,
    },
    /// Wherever the caller says: an input or output without planned memory.
    Unplanned,
}

impl core::fmt::Debug for TensorData<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            TensorData::Constant(data) => write!(f, "Constant({} bytes)", data.len()),
            TensorData::External { key } => write!(f, "External({key})"),
            TensorData::Planned { buffer, offset, initial: None } => write!(f, "Planned({buffer}, {offset})"),
            TensorData::Planned { buffer, offset, initial: Some(initial) } => {
                write!(f, "Planned({buffer}, {offset}, {} bytes)", initial.len())
            }
            TensorData::PlannedExternal { buffer, offset, key } => {
                write!(f, "Planned({buffer}, {offset}, {key})")
            }
            TensorData::Unplanned => f.write_str("Unplanned"),
        }
    }
}

/// A tensor as the program file describes it.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    dtype: Dtype,
    dynamism: Dynamism,
    sizes: I32List<'a>,
    dim_order: &'a [u8],
    nbytes: usize,
    data: TensorData<'a>,
    name: Option<&'a str>,
}

impl<'a> TensorView<'a> {
    fn read(tensor: Table<'a>, plan: &Plan<'a>) -> Result<TensorView<'a>, Error> {
        use schema::Tensor as f;
        let code = tensor.u8(f::scalar_type)?;
        let dtype = Dtype::from_code(code).ok_or_else(|| tensor.error(ErrorKind::Unknown, f::scalar_type))?;
        if tensor.u32(f::storage_offset)? != 0 {
            return Err(tensor.error(ErrorKind::Unsupported, f::storage_offset));
        }
        // 0 is torch's strided layout, the only one that ExecuTorch has.
        if tensor.u8(f::layout)? != 0 {
            return Err(tensor.error(ErrorKind::Unsupported, f::layout));
        }
        let dynamism = match tensor.u8(f::shape_dynamism)? {
            0 => Dynamism::Static,
            1 => Dynamism::DynamicBound,
            2 => Dynamism::DynamicUnbound,
            _ => return Err(tensor.error(ErrorKind::Unknown, f::shape_dynamism)),
        };
        let sizes = I32List::new(tensor.need_vector(f::sizes, 4)?);
        let dim_order = tensor.need_vector(f::dim_order, 1)?;
        let nbytes = checked_nbytes(dtype, sizes).map_err(|kind| tensor.error(kind, f::sizes))?;
        check_dim_order(sizes.len(), dim_order).map_err(|kind| tensor.error(kind, f::dim_order))?;
        let mut view =
            TensorView { dtype, dynamism, sizes, dim_order, nbytes, data: TensorData::Unplanned, name: None };
        view.find_data(tensor, plan)?;
        Ok(view)
    }

    fn find_data(&mut self, tensor: Table<'a>, plan: &Plan<'a>) -> Result<(), Error> {
        use schema::ExtraTensorInfo as e;
        use schema::Tensor as f;
        let program: &Program<'a> = plan.program();
        let index = tensor.u32(f::data_buffer_idx)?;
        let mut segment = 0;
        let mut external = false;
        if let Some(extra) = tensor.table(f::extra_tensor_info)? {
            self.name = extra.string(e::fully_qualified_name)?;
            segment = extra.u64(e::mutable_data_segments_idx)?;
            external = match extra.u8(e::location)? {
                0 => false,
                1 => true,
                _ => return Err(extra.error(ErrorKind::Unknown, e::location)),
            };
            if extra.u8(e::device_type)? != 0 {
                return Err(extra.error(ErrorKind::Unsupported, e::device_type));
            }
            if external && self.name.is_none() {
                return Err(extra.error(ErrorKind::Missing, e::fully_qualified_name));
            }
        }
        let planned = match tensor.table(f::allocation_info)? {
            Some(allocation) => Some(self.place(allocation, plan)?),
            None => None,
        };
        // An index that leads nowhere is the tensor's fault, not that of the list it should be in.
        let blame = |error: Error| match error.kind {
            ErrorKind::Index => tensor.error(ErrorKind::Index, f::data_buffer_idx),
            _ => error,
        };
        self.data = match (planned, self.name) {
            (Some((buffer, offset)), Some(key)) if external => {
                TensorData::PlannedExternal { buffer, offset, key }
            }
            (None, Some(key)) if external => TensorData::External { key },
            (Some((buffer, offset)), _) => {
                let initial = match index {
                    0 => None,
                    _ => Some(program.read_initial(segment, index, self.nbytes).map_err(blame)?),
                };
                TensorData::Planned { buffer, offset, initial }
            }
            (None, _) if index == 0 => TensorData::Unplanned,
            (None, _) => {
                let data = program.read_constant(index, self.nbytes).map_err(blame)?;
                if data.as_ptr() as usize & (self.dtype.size() - 1) != 0 {
                    return Err(tensor.error(ErrorKind::DataMisaligned, f::data_buffer_idx));
                }
                TensorData::Constant(data)
            }
        };
        Ok(())
    }

    /// The buffer and the offset where the memory plan puts the tensor.
    fn place(&self, allocation: Table<'a>, plan: &Plan<'a>) -> Result<(u32, usize), Error> {
        use schema::AllocationDetails as f;
        let low = allocation.u32(f::memory_offset_low)?;
        let high = allocation.u32(f::memory_offset_high)?;
        // Number 0 is a placeholder in the file's list of buffers.
        let buffer = allocation.u32(f::memory_id)?.checked_sub(1);
        let Some((buffer, size)) = buffer.and_then(|b| Some((b, plan.read_buffer_size(b as usize)?))) else {
            return Err(allocation.error(ErrorKind::Index, f::memory_id));
        };
        let Ok(offset) = usize::try_from(u64::from(high) << 32 | u64::from(low)) else {
            return Err(allocation.error(ErrorKind::PlanTooSmall, f::memory_offset_high));
        };
        if offset.checked_add(self.nbytes).is_none_or(|end| end as u64 > size) {
            return Err(allocation.error(ErrorKind::PlanTooSmall, f::memory_offset_low));
        }
        if offset & (self.dtype.size() - 1) != 0 {
            return Err(allocation.error(ErrorKind::DataMisaligned, f::memory_offset_low));
        }
        Ok((buffer, offset))
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The sizes, outermost first: at most [`MAX_RANK`], none negative. Upper bounds of a dynamic shape.
    pub fn sizes(&self) -> I32List<'a> {
        self.sizes
    }

    /// The dimensions in the order in which they lie in memory, outermost first: a permutation.
    pub fn dim_order(&self) -> &'a [u8] {
        self.dim_order
    }

    /// The bytes of all elements, at the upper bound of a dynamic shape.
    pub fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// How the shape may change.
    pub fn dynamism(&self) -> Dynamism {
        self.dynamism
    }

    /// Where the bytes are.
    pub fn data(&self) -> TensorData<'a> {
        self.data
    }

    /// The name of the parameter or buffer in the model, when the file has it.
    pub fn name(&self) -> Option<&'a str> {
        self.name
    }
}

/// The bytes of a tensor of these sizes.
pub(crate) fn checked_nbytes(dtype: Dtype, sizes: I32List<'_>) -> Result<usize, ErrorKind> {
    if sizes.len() > MAX_RANK {
        return Err(ErrorKind::Rank);
    }
    let mut nbytes = dtype.size();
    for size in sizes.iter() {
        let size = usize::try_from(size).map_err(|_| ErrorKind::Negative)?;
        nbytes = nbytes.checked_mul(size).ok_or(ErrorKind::Overflow)?;
    }
    Ok(nbytes)
}

/// Whether `order` names each of `rank` dimensions once.
pub(crate) fn check_dim_order(rank: usize, order: &[u8]) -> Result<(), ErrorKind> {
    let mut seen = 0u32;
    for &dim in order {
        if usize::from(dim) >= rank.min(MAX_RANK) || seen >> (dim & 31) & 1 != 0 {
            return Err(ErrorKind::DimOrder);
        }
        seen |= 1 << (dim & 31);
    }
    if order.len() == rank { Ok(()) } else { Err(ErrorKind::DimOrder) }
}
