//! Values of a plan: numbers, lists, tensors.

use crate::dtype::Dtype;
use crate::error::ErrorKind;
use crate::flat::Table;
use crate::list::{BoolList, F64List, I32List, I64List};
use crate::plan::Plan;
use crate::schema::{self, Field};

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
    pub(crate) fn read(evalue: Table<'_, 'a>, plan: &Plan<'a>) -> Option<Value<'a>> {
        use schema::EValue as f;
        let kind = evalue.u8(f::val_type);
        if kind == kind::NULL {
            return Some(Value::None);
        }
        let value = evalue.need_table(f::val);
        let read = match kind {
            kind::INT => Value::Int(value.i64(schema::Int::int_val)),
            kind::BOOL => Value::Bool(value.bool(schema::Bool::bool_val)),
            kind::DOUBLE => Value::Double(value.f64(schema::Double::double_val)),
            kind::TENSOR => Value::Tensor(TensorView::read(value, plan)?),
            kind::STRING => Value::String(value.need_string(schema::String::string_val)),
            kind::INT_LIST => Value::IntList(I64List::new(value.need_vector(schema::IntList::items, 8))),
            kind::DOUBLE_LIST => {
                Value::DoubleList(F64List::new(value.need_vector(schema::DoubleList::items, 8)))
            }
            kind::BOOL_LIST => Value::BoolList(BoolList::new(value.need_vector(schema::BoolList::items, 1))),
            kind::TENSOR_LIST => {
                Value::TensorList(I32List::new(value.need_vector(schema::TensorList::items, 4)))
            }
            kind::OPTIONAL_TENSOR_LIST => Value::OptionalTensorList(I32List::new(
                value.need_vector(schema::OptionalTensorList::items, 4),
            )),
            _ => return evalue.fail(ErrorKind::Unknown, f::val_type),
        };
        evalue.cx.ok().map(|()| read)
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
    shape: Layout<'a>,
    dynamism: Dynamism,
    data: TensorData<'a>,
    name: Option<&'a str>,
}

/// The type and the shape of a tensor.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The element type.
    pub dtype: Dtype,
    /// The sizes, outermost first: at most [`MAX_RANK`], none negative.
    pub sizes: I32List<'a>,
    /// The dimensions in the order in which they lie in memory, outermost first: a permutation.
    pub dim_order: &'a [u8],
    /// The bytes of all elements.
    pub nbytes: usize,
}

/// Reads the fields of any table that describes a tensor: element type, sizes, dim order.
pub(crate) fn read_shape<'a>(table: Table<'_, 'a>, [dtype, sizes, order]: [Field; 3]) -> Option<Layout<'a>> {
    let Some(element) = Dtype::from_code(table.u8(dtype)) else {
        return table.fail(ErrorKind::Unknown, dtype);
    };
    let list = I32List::new(table.need_vector(sizes, 4));
    let dim_order = table.need_vector(order, 1);
    let rank = list.len();
    if rank > MAX_RANK {
        return table.fail(ErrorKind::Rank, sizes);
    }
    let mut nbytes = element.size();
    for size in list.iter() {
        let Ok(size) = u32::try_from(size) else {
            return table.fail(ErrorKind::Negative, sizes);
        };
        match nbytes.checked_mul(size as usize) {
            Some(product) => nbytes = product,
            None => return table.fail(ErrorKind::Overflow, sizes),
        }
    }
    let mut seen = 0u32;
    for &dim in dim_order {
        // A dimension that is too large makes no bit below `rank`.
        seen |= 1u32.checked_shl(dim.into()).unwrap_or(0);
    }
    if dim_order.len() != rank || seen != (1u32 << (rank & 31)) - 1 {
        return table.fail(ErrorKind::DimOrder, order);
    }
    table.cx.ok()?;
    Some(Layout { dtype: element, sizes: list, dim_order, nbytes })
}

impl<'a> Layout<'a> {
    /// Where the bytes of a tensor of this shape are, and its name.
    fn find_data(&self, tensor: Table<'_, 'a>, plan: &Plan<'a>) -> Option<(TensorData<'a>, Option<&'a str>)> {
        use schema::ExtraTensorInfo as e;
        use schema::Tensor as f;
        let index = tensor.u32(f::data_buffer_idx);
        let extra = tensor.table(f::extra_tensor_info);
        let mut name = "";
        let mut external = false;
        if let Some(extra) = extra {
            name = extra.string(e::fully_qualified_name);
            external = match extra.u8(e::location) {
                0 => false,
                1 => true,
                _ => return extra.fail(ErrorKind::Unknown, e::location),
            };
            if extra.u8(e::device_type) != 0 {
                return extra.fail(ErrorKind::Unsupported, e::device_type);
            }
            if external && name.is_empty() {
                return extra.fail(ErrorKind::Missing, e::fully_qualified_name);
            }
        }
        let key = name;
        let data = match tensor.table(f::allocation_info) {
            Some(allocation) => {
                let (buffer, offset) = self.place(allocation, plan)?;
                if external {
                    TensorData::PlannedExternal { buffer, offset, key }
                } else {
                    let initial = match index {
                        0 => None,
                        _ => Some(plan.program().read_initial(extra, tensor, self.nbytes)?),
                    };
                    TensorData::Planned { buffer, offset, initial }
                }
            }
            None if external => TensorData::External { key },
            None if index == 0 => TensorData::Unplanned,
            None => {
                let data = plan.program().read_constant(tensor, self.nbytes)?;
                if !self.dtype.divides(data.as_ptr() as usize) {
                    return tensor.fail(ErrorKind::DataMisaligned, f::data_buffer_idx);
                }
                TensorData::Constant(data)
            }
        };
        tensor.cx.ok()?;
        Some((data, if name.is_empty() { None } else { Some(name) }))
    }

    /// The buffer and the offset where the memory plan puts the tensor.
    fn place(&self, allocation: Table<'_, 'a>, plan: &Plan<'a>) -> Option<(u32, usize)> {
        use schema::AllocationDetails as f;
        // Number 0 is a placeholder in the file's list of buffers.
        let number = allocation.index(f::memory_id, plan.buffer_count().saturating_add(1));
        let Some(buffer) = number.checked_sub(1) else {
            return allocation.fail(ErrorKind::Index, f::memory_id);
        };
        let low = allocation.u32(f::memory_offset_low);
        let high = allocation.u32(f::memory_offset_high);
        let start = u64::from(high) << 32 | u64::from(low);
        let room = plan.buffer_size(buffer as usize).checked_sub(start);
        if room.is_none_or(|room| room < self.nbytes as u64) {
            return allocation.fail(ErrorKind::PlanTooSmall, f::memory_offset_low);
        }
        let Ok(offset) = usize::try_from(start) else {
            return allocation.fail(ErrorKind::Overflow, f::memory_offset_high);
        };
        if !self.dtype.divides(offset) {
            return allocation.fail(ErrorKind::DataMisaligned, f::memory_offset_low);
        }
        allocation.cx.ok()?;
        Some((buffer, offset))
    }
}

impl<'a> TensorView<'a> {
    fn read(tensor: Table<'_, 'a>, plan: &Plan<'a>) -> Option<TensorView<'a>> {
        use schema::Tensor as f;
        let shape = read_shape(tensor, [f::scalar_type, f::sizes, f::dim_order])?;
        if tensor.u32(f::storage_offset) != 0 {
            return tensor.fail(ErrorKind::Unsupported, f::storage_offset);
        }
        // 0 is torch's strided layout, the only one that ExecuTorch has.
        if tensor.u8(f::layout) != 0 {
            return tensor.fail(ErrorKind::Unsupported, f::layout);
        }
        let dynamism = match tensor.u8(f::shape_dynamism) {
            0 => Dynamism::Static,
            1 => Dynamism::DynamicBound,
            2 => Dynamism::DynamicUnbound,
            _ => return tensor.fail(ErrorKind::Unknown, f::shape_dynamism),
        };
        let (data, name) = shape.find_data(tensor, plan)?;
        Some(TensorView { shape, dynamism, data, name })
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.shape.dtype
    }

    /// The sizes, outermost first: at most [`MAX_RANK`], none negative. Upper bounds of a dynamic shape.
    pub fn sizes(&self) -> I32List<'a> {
        self.shape.sizes
    }

    /// The dimensions in the order in which they lie in memory, outermost first: a permutation.
    pub fn dim_order(&self) -> &'a [u8] {
        self.shape.dim_order
    }

    /// The bytes of all elements, at the upper bound of a dynamic shape.
    pub fn nbytes(&self) -> usize {
        self.shape.nbytes
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
