//! Flatbuffers, read without trust: tables, vectors, strings.
//!
//! A table starts with the signed distance back to its vtable; the vtable holds its own size, the table's
//! size and a 16-bit offset per field, 0 for an absent one. References are unsigned distances forward,
//! so following them always ends.
//!
//! The table's size is not used: the writer of the Python package `flatbuffers`, which makes ExecuTorch's
//! files, shares one vtable among tables whose fields have the same offsets but other widths, so that the
//! size there may be that of a smaller table.
//!
//! Every function here checks what it reads against the buffer, and nothing is remembered: reading a field of
//! a valid buffer again gives the same result.
//!
//! # Why not `Result`
//! What can fail returns an `Option`, and the reason is noted in the [`Cx`] that goes with every table. On a
//! 32-bit core an `Option` of a number, a table or a slice comes back in registers, a `Result` with an [`Error`]
//! in memory; that alone made this crate half as large again.

use crate::error::{Error, ErrorKind};
use crate::schema::{self, Field};
use core::cell::Cell;

#[inline]
pub(crate) fn u16_at(buf: &[u8], pos: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*buf.get(pos..)?.first_chunk()?))
}

#[inline]
pub(crate) fn u32_at(buf: &[u8], pos: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*buf.get(pos..)?.first_chunk()?))
}

#[inline]
pub(crate) fn u64_at(buf: &[u8], pos: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*buf.get(pos..)?.first_chunk()?))
}

/// The bytes `[start, start + len)`, for ranges that come from a file.
#[inline]
pub(crate) fn range(buf: &[u8], start: usize, len: usize) -> Option<&[u8]> {
    buf.get(start..)?.get(..len)
}

/// A flatbuffer while it is read: its bytes, why it was refused, and how much work it may still cause.
///
/// Made anew for each call of a getter, which costs a few words of stack.
pub(crate) struct Cx<'a> {
    pub(crate) flat: &'a [u8],
    fault: Cell<Error>,
    budget: Cell<usize>,
}

impl<'a> Cx<'a> {
    /// For a getter: of a buffer that was checked.
    pub(crate) fn new(flat: &'a [u8]) -> Cx<'a> {
        let fault = Error::new(ErrorKind::OutOfBounds, schema::File::root, 0);
        Cx { flat, fault: Cell::new(fault), budget: Cell::new(0) }
    }

    /// For a check, which needs a budget.
    pub(crate) fn unchecked(flat: &'a [u8]) -> Cx<'a> {
        let cx = Cx::new(flat);
        cx.budget.set(flat.len().saturating_mul(8));
        cx
    }

    /// Why the last reading gave `None`.
    pub(crate) fn fault(&self) -> Error {
        self.fault.get()
    }

    #[cold]
    #[inline(never)]
    fn note(&self, kind: ErrorKind, field: Field, offset: usize) {
        self.fault.set(Error::new(kind, field, offset));
    }

    /// Notes why; `None`.
    #[inline]
    pub(crate) fn fail<T>(&self, kind: ErrorKind, field: Field, offset: usize) -> Option<T> {
        self.note(kind, field, offset);
        None
    }

    /// Charges the budget with a visit of so many bytes.
    ///
    /// In a written file, every byte is reached about once. A crafted one can make thousands of tables share one
    /// long vector, which costs the product of both. Each visit is charged with the bytes that it looks at, and
    /// the file's length times eight must pay for all of them.
    pub(crate) fn spend(&self, bytes: usize, field: Field, at: usize) -> Option<()> {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => {
                self.budget.set(left);
                Some(())
            }
            None => self.fail(ErrorKind::TooComplex, field, at),
        }
    }

    /// What the reference at `at` points to.
    fn reference(&self, at: usize, field: Field) -> Option<usize> {
        let distance = u32_at(self.flat, at).unwrap_or(0);
        match at.checked_add(distance as usize) {
            // A distance of 0 would be the reference itself.
            Some(target) if target != at && target < self.flat.len() => Some(target),
            _ => self.fail(ErrorKind::OutOfBounds, field, at),
        }
    }

    /// The table whose reference stands at `at`.
    pub(crate) fn table(&self, at: usize, field: Field) -> Option<Table<'_, 'a>> {
        let table = Table { cx: self, pos: self.reference(at, field)? };
        match table.vtable() {
            Some(_) => Some(table),
            None => self.fail(ErrorKind::OutOfBounds, field, table.pos),
        }
    }
}

/// A vector of tables: where it stands, 0 if it is absent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tables(usize);

impl Tables {
    pub(crate) fn len(self, flat: &[u8]) -> usize {
        match self.0 {
            0 => 0,
            at => u32_at(flat, at).unwrap_or(0) as usize,
        }
    }

    /// Table `i`. `field` names the vector in the error.
    pub(crate) fn get<'c, 'a>(self, cx: &'c Cx<'a>, i: usize, field: Field) -> Option<Table<'c, 'a>> {
        if i >= self.len(cx.flat) {
            return cx.fail(ErrorKind::Index, field, self.0);
        }
        // Cannot overflow: the vector with all its references was checked to be inside of the buffer.
        cx.table(self.0.saturating_add(4).saturating_add(i.saturating_mul(4)), field)
    }
}

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct Table<'c, 'a> {
    pub(crate) cx: &'c Cx<'a>,
    pub(crate) pos: usize,
}

impl<'c, 'a> Table<'c, 'a> {
    /// The vtable.
    fn vtable(self) -> Option<&'a [u8]> {
        let flat = self.cx.flat;
        let back = u32_at(flat, self.pos)? as i32;
        // Wraps around for a vtable behind its table, and far out of the buffer for a wrong distance.
        let at = self.pos.wrapping_sub(back as usize);
        let vtable = flat.get(at..)?.get(..usize::from(u16_at(flat, at)?))?;
        if vtable.len() < 4 { None } else { Some(vtable) }
    }

    /// Notes what is wrong with a field of this table; `None`.
    pub(crate) fn fail<T>(self, kind: ErrorKind, field: Field) -> Option<T> {
        self.note(kind, field);
        None
    }

    #[cold]
    #[inline(never)]
    fn note(self, kind: ErrorKind, field: Field) {
        let at = match self.place(field, 0) {
            None | Some(0) => self.pos,
            Some(at) => at,
        };
        self.cx.note(kind, field, at);
    }

    /// Where the `width` bytes of a field stand; 0 if it is absent.
    #[inline(never)]
    fn place(self, field: Field, width: usize) -> Option<usize> {
        let offset = match self.vtable() {
            Some(vtable) => u16_at(vtable, 4 + 2 * field.slot()).unwrap_or(0),
            None => 0,
        };
        if offset == 0 {
            return Some(0);
        }
        let at = self.pos.saturating_add(usize::from(offset));
        match range(self.cx.flat, at, width) {
            Some(_) => Some(at),
            None => self.cx.fail(ErrorKind::OutOfBounds, field, self.pos),
        }
    }

    /// A byte, or the default 0.
    #[inline(never)]
    pub(crate) fn u8(self, field: Field) -> Option<u8> {
        match self.place(field, 1)? {
            0 => Some(0),
            at => self.cx.flat.get(at).copied(),
        }
    }

    pub(crate) fn bool(self, field: Field) -> Option<bool> {
        Some(self.u8(field)? != 0)
    }

    #[inline(never)]
    pub(crate) fn u32(self, field: Field) -> Option<u32> {
        match self.place(field, 4)? {
            0 => Some(0),
            at => u32_at(self.cx.flat, at),
        }
    }

    #[inline(never)]
    pub(crate) fn u64(self, field: Field) -> Option<u64> {
        match self.place(field, 8)? {
            0 => Some(0),
            at => u64_at(self.cx.flat, at),
        }
    }

    pub(crate) fn i64(self, field: Field) -> Option<i64> {
        Some(self.u64(field)? as i64)
    }

    pub(crate) fn f64(self, field: Field) -> Option<f64> {
        Some(f64::from_bits(self.u64(field)?))
    }

    /// A 64-bit number that counts bytes of this machine.
    pub(crate) fn bytes64(self, field: Field) -> Option<usize> {
        match usize::try_from(self.u64(field)?) {
            Ok(bytes) => Some(bytes),
            Err(_) => self.fail(ErrorKind::Overflow, field),
        }
    }

    /// A 32-bit number that indexes one of `count` things.
    #[inline(never)]
    pub(crate) fn index(self, field: Field, count: usize) -> Option<u32> {
        // A negative one becomes too large: there cannot be 2^31 of anything in a flatbuffer.
        let index = self.u32(field)?;
        if (index as usize) < count && index <= i32::MAX as u32 {
            Some(index)
        } else {
            self.fail(ErrorKind::Index, field)
        }
    }

    /// A table, if it is there.
    #[inline(never)]
    pub(crate) fn table(self, field: Field) -> Option<Option<Table<'c, 'a>>> {
        match self.place(field, 4)? {
            0 => Some(None),
            at => self.cx.table(at, field).map(Some),
        }
    }

    /// A table that must be there.
    pub(crate) fn need_table(self, field: Field) -> Option<Table<'c, 'a>> {
        match self.place(field, 4)? {
            0 => self.fail(ErrorKind::Missing, field),
            at => self.cx.table(at, field),
        }
    }

    /// The bytes of the vector of items of `width` bytes that stands at `at`.
    fn items(self, at: usize, field: Field, width: usize) -> Option<&'a [u8]> {
        let flat = self.cx.flat;
        let items = u32_at(flat, at).and_then(|count| {
            let len = (count as usize).checked_mul(width)?;
            flat.get(at..)?.get(4..)?.get(..len)
        });
        match items {
            Some(items) => Some(items),
            None => self.cx.fail(ErrorKind::OutOfBounds, field, at),
        }
    }

    /// The bytes of a vector; none if it is absent.
    #[inline(never)]
    pub(crate) fn vector(self, field: Field, width: usize) -> Option<&'a [u8]> {
        match self.place(field, 4)? {
            0 => Some(&[]),
            at => self.items(self.cx.reference(at, field)?, field, width),
        }
    }

    /// The bytes of a vector that must be there.
    #[inline(never)]
    pub(crate) fn need_vector(self, field: Field, width: usize) -> Option<&'a [u8]> {
        match self.place(field, 4)? {
            0 => self.fail(ErrorKind::Missing, field),
            _ => self.vector(field, width),
        }
    }

    /// A vector of tables; an absent one is empty.
    #[inline(never)]
    pub(crate) fn tables(self, field: Field) -> Option<Tables> {
        match self.place(field, 4)? {
            0 => Some(Tables(0)),
            at => {
                let at = self.cx.reference(at, field)?;
                self.items(at, field, 4)?;
                Some(Tables(at))
            }
        }
    }

    /// A text; an absent one is empty.
    #[inline(never)]
    pub(crate) fn string(self, field: Field) -> Option<&'a str> {
        match core::str::from_utf8(self.vector(field, 1)?) {
            Ok(text) => Some(text),
            Err(_) => self.fail(ErrorKind::Utf8, field),
        }
    }

    /// A text that must be there.
    pub(crate) fn need_string(self, field: Field) -> Option<&'a str> {
        self.need_vector(field, 1)?;
        self.string(field)
    }
}
