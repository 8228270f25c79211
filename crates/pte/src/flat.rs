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
///
/// What is wrong is noted here and the reading goes on with a default: a field is read in one call without a
/// branch behind it, which is a third of the code of a reader whose every call can fail. The first fault stays.
/// Whoever reads a thing of several fields asks [`Cx::ok`] at its end, and every loop over things stops there.
pub(crate) struct Cx<'a> {
    pub(crate) flat: &'a [u8],
    fault: Cell<Option<Error>>,
    budget: Cell<usize>,
}

impl<'a> Cx<'a> {
    /// For a getter: of a buffer that was checked.
    pub(crate) fn new(flat: &'a [u8]) -> Cx<'a> {
        Cx { flat, fault: Cell::new(None), budget: Cell::new(usize::MAX) }
    }

    /// For a check, which needs a budget.
    pub(crate) fn unchecked(flat: &'a [u8]) -> Cx<'a> {
        let cx = Cx::new(flat);
        cx.budget.set(flat.len().saturating_mul(8));
        cx
    }

    /// What was wrong first.
    pub(crate) fn fault(&self) -> Error {
        self.fault.get().unwrap_or(Error::new(ErrorKind::OutOfBounds, schema::File::root, 0))
    }

    /// `None` if anything was wrong so far.
    #[inline]
    pub(crate) fn ok(&self) -> Option<()> {
        if self.fault.get().is_none() { Some(()) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn note(&self, kind: ErrorKind, field: Field, offset: usize) {
        if self.fault.get().is_none() {
            self.fault.set(Some(Error::new(kind, field, offset)));
        }
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
    /// the file's length times eight must pay for all of them: tables and texts below, lists where their items
    /// are looked at.
    #[inline(never)]
    pub(crate) fn spend(&self, bytes: usize, field: Field, at: usize) {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => self.budget.set(left),
            None => self.note(ErrorKind::TooComplex, field, at),
        }
    }

    #[inline(never)]
    fn u32_at(&self, at: usize) -> u32 {
        u32_at(self.flat, at).unwrap_or(0)
    }

    /// What the reference at `at` points to; 0, and a note, if nothing.
    #[inline(never)]
    fn reference(&self, at: usize, field: Field) -> usize {
        match at.checked_add(self.u32_at(at) as usize) {
            // A distance of 0 would be the reference itself.
            Some(target) if target != at && target < self.flat.len() => target,
            _ => {
                self.note(ErrorKind::OutOfBounds, field, at);
                0
            }
        }
    }

    /// The table whose reference stands at `at`; one without fields, and a note, if there is none.
    #[inline(never)]
    pub(crate) fn table(&self, at: usize, field: Field) -> Table<'_, 'a> {
        let table = Table { cx: self, pos: self.reference(at, field) };
        // About what a table occupies with the reference to it.
        self.spend(16, field, at);
        if table.vtable().len() < 4 {
            self.note(ErrorKind::OutOfBounds, field, table.pos);
        }
        table
    }
}

/// A vector of tables: where it stands, 0 if it is absent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tables(usize);

impl Tables {
    #[inline(never)]
    pub(crate) fn len(self, flat: &[u8]) -> usize {
        match self.0 {
            0 => 0,
            at => u32_at(flat, at).unwrap_or(0) as usize,
        }
    }

    /// Table `i`. `field` names the vector in the error.
    #[inline(never)]
    pub(crate) fn get<'c, 'a>(self, cx: &'c Cx<'a>, i: usize, field: Field) -> Option<Table<'c, 'a>> {
        if i >= self.len(cx.flat) {
            return cx.fail(ErrorKind::Index, field, self.0);
        }
        // Cannot overflow: the vector with all its references was checked to be inside of the buffer.
        let table = cx.table(self.0.saturating_add(4).saturating_add(i.saturating_mul(4)), field);
        cx.ok().map(|()| table)
    }
}

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct Table<'c, 'a> {
    pub(crate) cx: &'c Cx<'a>,
    pub(crate) pos: usize,
}

impl<'c, 'a> Table<'c, 'a> {
    /// The vtable; empty if there is none.
    #[inline(never)]
    fn vtable(self) -> &'a [u8] {
        let flat = self.cx.flat;
        // Wraps around for a vtable behind its table, and far out of the buffer for a wrong distance.
        let at = self.pos.wrapping_sub(self.cx.u32_at(self.pos) as i32 as usize);
        let size = u16_at(flat, at).unwrap_or(0);
        range(flat, at, usize::from(size)).unwrap_or(&[])
    }

    /// Notes what is wrong with a field of this table; `None`.
    pub(crate) fn fail<T>(self, kind: ErrorKind, field: Field) -> Option<T> {
        self.note(kind, field);
        None
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn note(self, kind: ErrorKind, field: Field) {
        let found = self.find(field);
        let at = if found == 0 || found > self.cx.flat.len() { self.pos } else { found };
        self.cx.note(kind, field, at);
    }

    /// Where a field stands; 0 if it is absent.
    #[inline(never)]
    fn find(self, field: Field) -> usize {
        match u16_at(self.vtable(), 4 + 2 * field.slot()) {
            None | Some(0) => 0,
            Some(offset) => self.pos.saturating_add(usize::from(offset)),
        }
    }

    /// Where the `width` bytes of a field stand; 0 if it is absent.
    #[inline(never)]
    fn place(self, field: Field, width: usize) -> usize {
        let at = self.find(field);
        if at != 0 && range(self.cx.flat, at, width).is_none() {
            self.cx.note(ErrorKind::OutOfBounds, field, self.pos);
            return 0;
        }
        at
    }

    /// A byte, or the default 0.
    #[inline(never)]
    pub(crate) fn u8(self, field: Field) -> u8 {
        match self.place(field, 1) {
            0 => 0,
            at => self.cx.flat.get(at).copied().unwrap_or(0),
        }
    }

    pub(crate) fn bool(self, field: Field) -> bool {
        self.u8(field) != 0
    }

    #[inline(never)]
    pub(crate) fn u32(self, field: Field) -> u32 {
        match self.place(field, 4) {
            0 => 0,
            at => self.cx.u32_at(at),
        }
    }

    #[inline(never)]
    pub(crate) fn u64(self, field: Field) -> u64 {
        match self.place(field, 8) {
            0 => 0,
            at => u64_at(self.cx.flat, at).unwrap_or(0),
        }
    }

    pub(crate) fn i64(self, field: Field) -> i64 {
        self.u64(field) as i64
    }

    pub(crate) fn f64(self, field: Field) -> f64 {
        f64::from_bits(self.u64(field))
    }

    /// A 64-bit number that counts bytes of this machine.
    pub(crate) fn bytes64(self, field: Field) -> usize {
        usize::try_from(self.u64(field)).unwrap_or_else(|_| {
            self.note(ErrorKind::Overflow, field);
            0
        })
    }

    /// A 32-bit number that indexes one of `count` things.
    #[inline(never)]
    pub(crate) fn index(self, field: Field, count: usize) -> u32 {
        // A negative one becomes too large: there cannot be 2^31 of anything in a flatbuffer.
        let index = self.u32(field);
        if index as usize >= count || index > i32::MAX as u32 {
            self.note(ErrorKind::Index, field);
        }
        index
    }

    /// A table, if it is there.
    #[inline(never)]
    pub(crate) fn table(self, field: Field) -> Option<Table<'c, 'a>> {
        match self.place(field, 4) {
            0 => None,
            at => Some(self.cx.table(at, field)),
        }
    }

    /// A table that must be there; one without fields if it is not.
    #[inline(never)]
    pub(crate) fn need_table(self, field: Field) -> Table<'c, 'a> {
        match self.place(field, 4) {
            0 => {
                self.note(ErrorKind::Missing, field);
                Table { cx: self.cx, pos: usize::MAX }
            }
            at => self.cx.table(at, field),
        }
    }

    /// Where a vector of items of `width` bytes stands, and its bytes; 0 and none if it is absent.
    #[inline(never)]
    fn items(self, field: Field, width: usize) -> (usize, &'a [u8]) {
        let place = self.place(field, 4);
        if place == 0 {
            return (0, &[]);
        }
        let at = self.cx.reference(place, field);
        let flat = self.cx.flat;
        let len = (self.cx.u32_at(at) as usize).checked_mul(width);
        match len.and_then(|len| flat.get(at..)?.get(4..)?.get(..len)) {
            Some(items) => (at, items),
            None => {
                self.cx.note(ErrorKind::OutOfBounds, field, at);
                (0, &[])
            }
        }
    }

    /// The bytes of a vector; none if it is absent.
    pub(crate) fn vector(self, field: Field, width: usize) -> &'a [u8] {
        self.items(field, width).1
    }

    /// The bytes of a vector that must be there.
    #[inline(never)]
    pub(crate) fn need_vector(self, field: Field, width: usize) -> &'a [u8] {
        let (at, items) = self.items(field, width);
        if at == 0 {
            self.note(ErrorKind::Missing, field);
        }
        items
    }

    /// A vector of tables; an absent one is empty.
    pub(crate) fn tables(self, field: Field) -> Tables {
        Tables(self.items(field, 4).0)
    }

    /// A text; an absent one is empty.
    #[inline(never)]
    pub(crate) fn string(self, field: Field) -> &'a str {
        self.text(self.vector(field, 1), field)
    }

    /// A text that must be there.
    #[inline(never)]
    pub(crate) fn need_string(self, field: Field) -> &'a str {
        self.text(self.need_vector(field, 1), field)
    }

    #[inline(never)]
    fn text(self, bytes: &'a [u8], field: Field) -> &'a str {
        self.cx.spend(bytes.len(), field, self.pos);
        core::str::from_utf8(bytes).unwrap_or_else(|_| {
            self.note(ErrorKind::Utf8, field);
            ""
        })
    }
}
