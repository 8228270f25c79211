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

use crate::error::{Error, ErrorKind, fail};
use crate::schema::Field;

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

/// A table.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    buf: &'a [u8],
    pos: usize,
    vtable: usize,
    vtable_size: u16,
}

/// A vector of tables: where its first reference stands, and how many there are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tables {
    first: usize,
    count: usize,
}

impl Tables {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Table `i`. `field` names the vector in the error.
    pub(crate) fn get<'a>(&self, buf: &'a [u8], i: usize, field: Field) -> Result<Table<'a>, Error> {
        if i >= self.count {
            return fail(ErrorKind::Index, field, self.first);
        }
        // In range: the vector with all its references was checked to be inside of the buffer.
        let at = self.first.saturating_add(i.saturating_mul(4));
        Table::open(buf, reference(buf, at, field)?, field)
    }
}

/// What the reference at `at` points to.
fn reference(buf: &[u8], at: usize, field: Field) -> Result<usize, Error> {
    let distance = u32_at(buf, at);
    match distance.and_then(|d| at.checked_add(usize::try_from(d).ok()?)) {
        // A distance of 0 would be the reference itself.
        Some(target) if target != at && target < buf.len() => Ok(target),
        _ => fail(ErrorKind::OutOfBounds, field, at),
    }
}

impl<'a> Table<'a> {
    /// The table whose reference stands at `at`.
    pub(crate) fn referenced(buf: &'a [u8], at: usize, field: Field) -> Result<Table<'a>, Error> {
        Table::open(buf, reference(buf, at, field)?, field)
    }

    fn open(buf: &'a [u8], pos: usize, field: Field) -> Result<Table<'a>, Error> {
        Self::try_open(buf, pos).ok_or(Error::new(ErrorKind::OutOfBounds, field, pos))
    }

    fn try_open(buf: &'a [u8], pos: usize) -> Option<Table<'a>> {
        let back = u32_at(buf, pos)? as i32;
        let vtable = if back >= 0 {
            pos.checked_sub(back as usize)?
        } else {
            pos.checked_add(back.unsigned_abs() as usize)?
        };
        let vtable_size = u16_at(buf, vtable)?;
        if vtable_size < 4 {
            return None;
        }
        range(buf, vtable, usize::from(vtable_size))?;
        Some(Table { buf, pos, vtable, vtable_size })
    }

    /// The buffer that it stands in.
    pub(crate) fn buf(&self) -> &'a [u8] {
        self.buf
    }

    /// Where the table stands in the file.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// An error about a field of this table.
    pub(crate) fn error(&self, kind: ErrorKind, field: Field) -> Error {
        let at = self.place(field, 0).ok().flatten().unwrap_or(self.pos);
        Error::new(kind, field, at)
    }

    /// Where the `width` bytes of a field stand, if it is there.
    fn place(&self, field: Field, width: usize) -> Result<Option<usize>, Error> {
        let entry = 4 + 2 * field.slot();
        if entry + 2 > usize::from(self.vtable_size) {
            return Ok(None);
        }
        let offset = match u16_at(self.buf, self.vtable.saturating_add(entry)) {
            Some(0) => return Ok(None),
            offset => offset.and_then(|offset| self.pos.checked_add(usize::from(offset))),
        };
        match offset.filter(|&at| range(self.buf, at, width).is_some()) {
            Some(at) => Ok(Some(at)),
            None => fail(ErrorKind::OutOfBounds, field, self.pos),
        }
    }

    /// A byte, or the default 0.
    pub(crate) fn u8(&self, field: Field) -> Result<u8, Error> {
        Ok(self.place(field, 1)?.and_then(|at| self.buf.get(at)).copied().unwrap_or(0))
    }

    pub(crate) fn bool(&self, field: Field) -> Result<bool, Error> {
        Ok(self.u8(field)? != 0)
    }

    pub(crate) fn u32(&self, field: Field) -> Result<u32, Error> {
        Ok(self.place(field, 4)?.and_then(|at| u32_at(self.buf, at)).unwrap_or(0))
    }

    pub(crate) fn i32(&self, field: Field) -> Result<i32, Error> {
        Ok(self.u32(field)? as i32)
    }

    pub(crate) fn u64(&self, field: Field) -> Result<u64, Error> {
        Ok(self.place(field, 8)?.and_then(|at| u64_at(self.buf, at)).unwrap_or(0))
    }

    pub(crate) fn i64(&self, field: Field) -> Result<i64, Error> {
        Ok(self.u64(field)? as i64)
    }

    pub(crate) fn f64(&self, field: Field) -> Result<f64, Error> {
        Ok(f64::from_bits(self.u64(field)?))
    }

    /// A 64-bit number that counts bytes of this machine.
    pub(crate) fn bytes64(&self, field: Field) -> Result<usize, Error> {
        usize::try_from(self.u64(field)?).map_err(|_| self.error(ErrorKind::Overflow, field))
    }

    /// A 32-bit number that counts or indexes something: not negative.
    pub(crate) fn index(&self, field: Field) -> Result<u32, Error> {
        u32::try_from(self.i32(field)?).map_err(|_| self.error(ErrorKind::Index, field))
    }

    /// A table, if it is there.
    pub(crate) fn table(&self, field: Field) -> Result<Option<Table<'a>>, Error> {
        match self.place(field, 4)? {
            Some(at) => Table::referenced(self.buf, at, field).map(Some),
            None => Ok(None),
        }
    }

    /// A table that must be there.
    pub(crate) fn need_table(&self, field: Field) -> Result<Table<'a>, Error> {
        self.table(field)?.ok_or(Error::new(ErrorKind::Missing, field, self.pos))
    }

    /// The bytes of a vector of items of `width` bytes, if it is there.
    pub(crate) fn vector(&self, field: Field, width: usize) -> Result<Option<&'a [u8]>, Error> {
        Ok(self.vector_at(field, width)?.map(|(_, bytes)| bytes))
    }

    /// The same, with its place in the buffer.
    fn vector_at(&self, field: Field, width: usize) -> Result<Option<(usize, &'a [u8])>, Error> {
        let Some(at) = self.place(field, 4)? else { return Ok(None) };
        let start = reference(self.buf, at, field)?;
        let bytes = u32_at(self.buf, start).and_then(|count| {
            let first = start.checked_add(4)?;
            let len = usize::try_from(count).ok()?.checked_mul(width)?;
            Some((first, range(self.buf, first, len)?))
        });
        match bytes {
            Some(found) => Ok(Some(found)),
            None => fail(ErrorKind::OutOfBounds, field, start),
        }
    }

    /// A vector that must be there.
    pub(crate) fn need_vector(&self, field: Field, width: usize) -> Result<&'a [u8], Error> {
        self.vector(field, width)?.ok_or(Error::new(ErrorKind::Missing, field, self.pos))
    }

    /// A vector of tables; an absent one is empty.
    pub(crate) fn tables(&self, field: Field) -> Result<Tables, Error> {
        Ok(match self.vector_at(field, 4)? {
            Some((first, bytes)) => Tables { first, count: bytes.len() / 4 },
            None => Tables::default(),
        })
    }

    /// A text, if it is there.
    pub(crate) fn string(&self, field: Field) -> Result<Option<&'a str>, Error> {
        match self.vector(field, 1)? {
            Some(bytes) => match core::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(self.error(ErrorKind::Utf8, field)),
            },
            None => Ok(None),
        }
    }

    /// A text that must be there.
    pub(crate) fn need_string(&self, field: Field) -> Result<&'a str, Error> {
        self.string(field)?.ok_or(Error::new(ErrorKind::Missing, field, self.pos))
    }
}

/// Bounds the work of checking a file.
///
/// In a written file, every byte is reached about once. A crafted one can make thousands of tables share one
/// long vector, which costs the product of both. Each visit is charged with the bytes that it looks at, and
/// the file's length times eight must pay for all of them.
pub(crate) struct Budget {
    left: usize,
}

impl Budget {
    pub(crate) fn new(len: usize) -> Budget {
        Budget { left: len.saturating_mul(8) }
    }

    pub(crate) fn spend(&mut self, bytes: usize, field: Field, at: usize) -> Result<(), Error> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => fail(ErrorKind::TooComplex, field, at),
        }
    }
}
