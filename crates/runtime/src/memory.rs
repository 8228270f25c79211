//! Tensors in shared buffers: who may see which bytes during one instruction.
//!
//! Many tensors lie in one planned buffer, and a kernel reads some while it writes others. A
//! [`Frame`] is the view of one instruction. It hands out any number of shared slices and each
//! written tensor once, and only if the bytes of what is written overlap nothing else that the
//! instruction can see. The plan comes from a file, so this is checked, not believed.
#![expect(unsafe_code, reason = "disjoint views of one buffer, checked at run time")]

use crate::arena::Arena;
use crate::kernel::KernelError;
use crate::tensor::{Shape, Tensor, TensorMut};
use crate::value::{Data, Kind, Sizes, TensorMeta, Value};
use core::cell::Cell;
use core::mem::{align_of, size_of};
use tombolo_pte::{Dtype, I32List};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that tensor elements can be viewed as: every bit pattern is a valid value.
pub trait Element: Copy + Default + sealed::Sealed + 'static {
    /// The type in words, for messages.
    const NAME: &'static str;
    /// Whether elements of `dtype` have this type.
    fn is(dtype: Dtype) -> bool;
}

macro_rules! element {
    ($($t:ty: $name:literal, $($dtype:ident)|+;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const NAME: &'static str = $name;
            fn is(dtype: Dtype) -> bool { matches!(dtype, $(Dtype::$dtype)|+) }
        }
    )*};
}
// A bool tensor is viewed as bytes: a file may hold others than 0 and 1 there.
element! {
    f32: "float32", Float;
    f64: "float64", Double;
    i8: "int8", Char | QInt8;
    u8: "uint8 or bool", Byte | Bool | QUInt8;
    i16: "int16", Short;
    i32: "int32", Int | QInt32;
    i64: "int64", Long;
    u16: "uint16, float16 or bfloat16 bits", UInt16 | Half | BFloat16 | Bits16;
    u32: "uint32", UInt32;
    u64: "uint64", UInt64;
}

/// The bytes as elements of `T`; `None` if they are not aligned for it. Trailing bytes that make no
/// whole element are left out.
pub(crate) fn cast<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    if bytes.is_empty() {
        return Some(&[]);
    }
    if !(bytes.as_ptr() as usize).is_multiple_of(align_of::<T>()) {
        return None;
    }
    // SAFETY: aligned by the check above, length rounded down to whole elements, and every bit
    // pattern is a valid `T` (the trait is sealed to such types). Lifetime and sharing are those of `bytes`.
    Some(unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) })
}

/// As [`cast`], for bytes that are held exclusively.
pub(crate) fn cast_mut<T: Element>(bytes: &mut [u8]) -> Option<&mut [T]> {
    if bytes.is_empty() {
        return Some(&mut []);
    }
    if !(bytes.as_ptr() as usize).is_multiple_of(align_of::<T>()) {
        return None;
    }
    // SAFETY: as in `cast`; the borrow of `bytes` is exclusive and passes on to the result.
    Some(unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) })
}

/// Memory that the caller lent to a method for the method's whole life.
#[derive(Clone, Copy)]
pub(crate) struct Lent {
    start: *mut u8,
    len: usize,
    writable: bool,
}

impl Lent {
    pub(crate) const NONE: Lent = Lent { start: core::ptr::null_mut(), len: 0, writable: false };

    /// Lends bytes that the method may write. The caller of this keeps the borrow of 'm.
    pub(crate) fn exclusive(bytes: &mut [u8]) -> Lent {
        Lent { start: bytes.as_mut_ptr(), len: bytes.len(), writable: true }
    }

    /// Lends bytes that the method only reads.
    pub(crate) fn shared(bytes: &[u8]) -> Lent {
        Lent { start: bytes.as_ptr().cast_mut(), len: bytes.len(), writable: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn part(&self, offset: usize, len: usize) -> Option<Lent> {
        if offset.checked_add(len)? > self.len {
            return None;
        }
        // `offset` is at most `len`, so the address stays within the lent bytes.
        Some(Lent { start: self.start.wrapping_add(offset), len, writable: self.writable })
    }

    fn overlaps(&self, other: &Lent) -> bool {
        let (a, b) = (self.start as usize, other.start as usize);
        self.len != 0 && other.len != 0 && a < b.saturating_add(other.len) && b < a.saturating_add(self.len)
    }
}

/// Which argument positions an instruction writes.
#[derive(Clone, Copy)]
pub(crate) enum Writes {
    /// These positions.
    At(&'static [u8]),
    /// `count` positions from `first` on.
    From { first: usize, count: usize },
}

impl Writes {
    fn get(&self, k: usize) -> Option<usize> {
        match *self {
            Writes::At(list) => list.get(k).map(|&p| usize::from(p)),
            Writes::From { first, count } => (k < count).then(|| first.saturating_add(k)),
        }
    }
}

/// A tensor that may be handed out: its type, sizes, and the bytes of its current sizes.
struct Claim<'p> {
    dtype: Dtype,
    dim_order: &'p [u8],
    shape: Shape,
    span: Lent,
}

/// Values, memory and arguments as one instruction sees them.
pub(crate) struct Frame<'c, 'p> {
    pub(crate) values: &'c [Cell<Value<'p>>],
    pub(crate) dims: &'c [Cell<u32>],
    pub(crate) buffers: &'c [Lent],
    pub(crate) args: I32List<'p>,
    pub(crate) writes: Writes,
    pub(crate) taken: Cell<u64>,
    pub(crate) temp: Cell<Arena<'c>>,
}

impl<'c, 'p> Frame<'c, 'p> {
    /// The value index of argument `position`.
    pub(crate) fn index(&self, position: usize) -> Result<usize, KernelError> {
        let index =
            self.args.get(position).ok_or(KernelError::MissingArgument { position: clip(position) })?;
        usize::try_from(index).map_err(|_| KernelError::MissingArgument { position: clip(position) })
    }

    /// The value index of item `item` of the list of tensors at argument `position`.
    fn item(&self, position: usize, item: usize) -> Result<usize, KernelError> {
        match self.value(position)? {
            Value::TensorList(list) => {
                let index = list.get(item).and_then(|index| usize::try_from(index).ok());
                index.ok_or(KernelError::MissingArgument { position: clip(position) })
            }
            other => {
                let (found, expected) = (other.kind(), Kind::TensorList);
                Err(KernelError::WrongKind { position: clip(position), found, expected })
            }
        }
    }

    #[inline(never)]
    pub(crate) fn value_at(&self, index: usize) -> Value<'p> {
        self.values.get(index).map_or(Value::None, Cell::get)
    }

    pub(crate) fn value(&self, position: usize) -> Result<Value<'p>, KernelError> {
        Ok(self.value_at(self.index(position)?))
    }

    pub(crate) fn shape(&self, meta: &TensorMeta<'p>) -> Shape {
        shape_of(meta, self.dims)
    }

    /// The value at `index`, in its place: values are large, and copies of them are most of the code here.
    ///
    /// # Safety
    /// The caller sets no value while it holds the reference.
    unsafe fn peek(&self, index: usize) -> &Value<'p> {
        match self.values.get(index) {
            // SAFETY: the cell is alive as long as `self`, only this thread can reach it (`Cell` is not
            // `Sync`), and the caller does not set it.
            Some(cell) => unsafe { &*cell.as_ptr() },
            None => &Value::None,
        }
    }

    /// The tensor at `index`, in its place.
    ///
    /// # Safety
    /// As for [`Frame::peek`].
    #[inline(never)]
    unsafe fn meta_at(&self, index: usize, position: usize) -> Result<&TensorMeta<'p>, KernelError> {
        // SAFETY: the caller promises it.
        match unsafe { self.peek(index) } {
            Value::Tensor(meta) => Ok(meta),
            other => Err(KernelError::WrongKind {
                position: clip(position),
                found: other.kind(),
                expected: Kind::Tensor,
            }),
        }
    }

    /// The bytes that the tensor may occupy: for a dynamic shape those of its upper bound.
    fn capacity(&self, meta: &TensorMeta<'p>) -> Option<Lent> {
        locate(meta, self.buffers)
    }

    /// Calls `visit` with the rank among the written ones (a list counts with each of its items) and the
    /// value index of each tensor that this instruction writes.
    #[inline(never)]
    fn each_written(&self, visit: &mut dyn FnMut(usize, usize)) {
        let (mut k, mut rank) = (0, 0);
        while let Some(position) = self.writes.get(k) {
            k += 1;
            let Some(index) = self.args.get(position).and_then(|index| usize::try_from(index).ok()) else {
                continue;
            };
            if let Value::TensorList(list) = self.value_at(index) {
                for item in list.iter() {
                    visit(rank, usize::try_from(item).unwrap_or(usize::MAX));
                    rank += 1;
                }
            } else {
                visit(rank, index);
                rank += 1;
            }
        }
    }

    /// The rank of value `own` among the written tensors, and whether `span` overlaps another one. A value
    /// that is written twice by one instruction has two ranks; the first is its own, and the second
    /// overlaps it.
    #[inline(never)]
    fn conflicts(&self, span: &Lent, own: Option<usize>) -> (Option<usize>, bool) {
        let (mut rank, mut overlap) = (None, false);
        self.each_written(&mut |k, index| {
            if own == Some(index) && rank.is_none() {
                rank = Some(k);
                return;
            }
            // SAFETY: nothing here sets a value.
            if let Value::Tensor(meta) = unsafe { self.peek(index) }
                && let Some(other) = self.capacity(meta)
            {
                overlap |= other.overlaps(span);
            }
        });
        (rank, overlap)
    }

    /// Finds the tensor at value `index` and checks that it may be seen, or, to be written, that nothing
    /// else sees it.
    #[inline(never)]
    fn claim(&self, index: usize, position: usize, write: bool) -> Result<Claim<'p>, KernelError> {
        let at = clip(position);
        // SAFETY: nothing here sets a value.
        let meta = unsafe { self.meta_at(index, position) }?;
        let whole = self.capacity(meta).ok_or(KernelError::NoData { position: at })?;
        let (rank, mut overlap) = self.conflicts(&whole, write.then_some(index));
        let mut bit = 0;
        if write {
            if !whole.writable {
                return Err(KernelError::ReadOnly { position: at });
            }
            let k = rank.filter(|&k| k < 64).ok_or(KernelError::NotAnOutput { position: at })?;
            bit = 1u64 << k;
            overlap |= self.taken.get() & bit != 0;
        }
        if overlap {
            return Err(KernelError::Overlap { position: at });
        }
        let shape = self.shape(meta);
        let len = shape.count().saturating_mul(meta.dtype.size());
        let span = whole.part(0, len).ok_or(KernelError::NoData { position: at })?;
        self.taken.set(self.taken.get() | bit);
        Ok(Claim { dtype: meta.dtype, dim_order: meta.dim_order, shape, span })
    }

    /// The tensor at value `index`, to be read.
    pub(crate) fn shared(&self, index: usize, position: usize) -> Result<Tensor<'c>, KernelError>
    where
        'p: 'c,
    {
        let Claim { dtype, dim_order, shape, span } = self.claim(index, position, false)?;
        let bytes = if span.len == 0 {
            &[]
        } else {
            // SAFETY: `span` lies inside memory that is lent to the method for longer than 'c: a planned
            // buffer, a constant of the program ('p: 'c), or memory bound by the caller. Nothing writes
            // it during 'c: only `exclusive` below does, for spans that `claim` compares with this one, and
            // neither the values at written positions (`set` refuses them) nor the buffers change.
            unsafe { core::slice::from_raw_parts(span.start, span.len) }
        };
        Ok(Tensor { dtype, shape, dim_order, bytes })
    }

    /// The value index of argument `position`, or of item `item` of the list there.
    fn target(&self, position: usize, item: Option<usize>) -> Result<usize, KernelError> {
        match item {
            None => self.index(position),
            Some(item) => self.item(position, item),
        }
    }

    /// The tensor at argument `position`, or item `item` of the list there, to be written; once per
    /// instruction.
    pub(crate) fn exclusive(&self, position: usize, item: Option<usize>) -> Result<TensorMut<'c>, KernelError>
    where
        'p: 'c,
    {
        let index = self.target(position, item)?;
        let Claim { dtype, dim_order, shape, span } = self.claim(index, position, true)?;
        let bytes = if span.len == 0 {
            &mut []
        } else {
            // SAFETY: `span` lies inside memory lent to the method for longer than 'c and writable. `claim`
            // gave it once (`taken`), it overlaps no other written tensor and no tensor that `shared` hands
            // out (both by `conflicts`). The method is borrowed exclusively while it executes.
            unsafe { core::slice::from_raw_parts_mut(span.start, span.len) }
        };
        Ok(TensorMut { dtype, shape, dim_order, bytes })
    }

    /// Replaces the value at `position`. Values of written tensors stay as they are.
    pub(crate) fn set(&self, position: usize, value: Value<'p>) -> Result<(), KernelError> {
        let index = self.index(position)?;
        let mut k = 0;
        while let Some(at) = self.writes.get(k) {
            if self.index(at) == Ok(index) {
                return Err(KernelError::NotAnOutput { position: clip(position) });
            }
            k += 1;
        }
        let mut written = false;
        self.each_written(&mut |_, at| written |= at == index);
        if written {
            return Err(KernelError::NotAnOutput { position: clip(position) });
        }
        let cell = self.values.get(index).ok_or(KernelError::MissingArgument { position: clip(position) })?;
        cell.set(value);
        Ok(())
    }

    /// Sets the current sizes of the tensor at `position`.
    pub(crate) fn resize(
        &self,
        position: usize,
        item: Option<usize>,
        sizes: &[u32],
    ) -> Result<(), KernelError> {
        let index = self.target(position, item)?;
        // SAFETY: nothing here sets a value.
        let meta = unsafe { self.meta_at(index, position) }?;
        if *self.shape(meta) == *sizes {
            return Ok(());
        }
        let mismatch = KernelError::OutputShape { position: clip(position) };
        let Sizes::Dynamic { start, bound } = meta.sizes else { return Err(mismatch) };
        let wanted = sizes.iter().fold(1, |n: usize, &size| n.saturating_mul(size as usize));
        if sizes.len() != bound.len() || wanted > bound_count(bound) {
            return Err(mismatch);
        }
        let cells = self.dims.get(start as usize..).ok_or(mismatch)?;
        for (cell, &size) in cells.iter().zip(sizes) {
            cell.set(size);
        }
        Ok(())
    }
}

/// The bytes that a tensor may occupy, at the upper bound of its sizes; `None` where it has none yet.
pub(crate) fn locate(meta: &TensorMeta<'_>, buffers: &[Lent]) -> Option<Lent> {
    let bound = match meta.sizes {
        Sizes::Static(sizes) | Sizes::Dynamic { bound: sizes, .. } => sizes,
    };
    let len = bound_count(bound).checked_mul(meta.dtype.size())?;
    match meta.data {
        Data::Constant(bytes) => Lent::shared(bytes).part(0, len),
        Data::Planned { buffer, offset } => buffers.get(buffer as usize)?.part(offset, len),
        Data::Bound(lent) => lent.part(0, len),
        Data::Unbound => None,
    }
}

/// The current sizes of a tensor.
pub(crate) fn shape_of(meta: &TensorMeta<'_>, dims: &[Cell<u32>]) -> Shape {
    let mut shape = Shape::SCALAR;
    match meta.sizes {
        Sizes::Static(sizes) => {
            for size in sizes.iter() {
                let _ = shape.push(u32::try_from(size).unwrap_or(0));
            }
        }
        Sizes::Dynamic { start, bound } => {
            let current = dims.get(start as usize..).unwrap_or(&[]);
            for (_, cell) in bound.iter().zip(current) {
                let _ = shape.push(cell.get());
            }
        }
    }
    shape
}

/// The bytes of a span outside of any instruction, for as long as `_method` is borrowed: nothing
/// executes meanwhile.
pub(crate) fn view<M: ?Sized>(_method: &M, span: Lent) -> &[u8] {
    if span.len == 0 {
        return &[];
    }
    // SAFETY: the span lies in memory lent to the method for its whole life, and the method writes it
    // only while it is borrowed exclusively, which the borrow of `_method` excludes.
    unsafe { core::slice::from_raw_parts(span.start, span.len) }
}

/// Writes `from` to the start of the span; false if it does not fit or is read-only.
pub(crate) fn store<M: ?Sized>(_method: &mut M, span: Lent, from: &[u8]) -> bool {
    if !span.writable || from.len() > span.len {
        return false;
    }
    // SAFETY: the span is writable, so it lies in memory lent to the method exclusively, and `_method` is
    // borrowed exclusively, so no view of it is alive: `from` cannot be one.
    unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), span.start, from.len()) };
    true
}

fn bound_count(bound: I32List<'_>) -> usize {
    bound.iter().fold(1, |n: usize, d| n.saturating_mul(usize::try_from(d).unwrap_or(0)))
}

/// Positions in messages are small numbers.
pub(crate) fn clip(position: usize) -> u8 {
    u8::try_from(position).unwrap_or(u8::MAX)
}
