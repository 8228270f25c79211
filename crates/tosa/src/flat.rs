//! Flatbuffers, read without trust and written.
//!
//! A table starts with the signed distance back to its vtable; the vtable has its own size, the table's size and
//! an offset for each field, 0 for an absent one. References are unsigned distances forward, so following them
//! ends. Thousands of tables may share one long vector in a crafted file: every visit is charged to a budget of
//! some times the file's length.

use std::cell::Cell;
use std::collections::BTreeMap;

/// Why a buffer was refused, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) offset: usize,
    pub(crate) field: &'static str,
    pub(crate) what: String,
}

type Result<T> = core::result::Result<T, Fault>;

pub(crate) struct Flat<'a> {
    buf: &'a [u8],
    budget: Cell<u64>,
}

impl<'a> Flat<'a> {
    pub(crate) fn new(buf: &'a [u8]) -> Flat<'a> {
        Flat { buf, budget: Cell::new((buf.len() as u64).saturating_mul(8)) }
    }

    fn fault<T>(&self, offset: usize, field: &'static str, what: impl Into<String>) -> Result<T> {
        Err(Fault { offset, field, what: what.into() })
    }

    fn spend(&self, bytes: usize, at: usize, field: &'static str) -> Result<()> {
        match self.budget.get().checked_sub(bytes as u64 + 4) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => self.fault(at, field, "the file refers to the same bytes too often"),
        }
    }

    fn bytes(&self, at: usize, len: usize, field: &'static str) -> Result<&'a [u8]> {
        match self.buf.get(at..).and_then(|b| b.get(..len)) {
            Some(bytes) => Ok(bytes),
            None => self.fault(
                at,
                field,
                format!("{len} bytes here would end behind the file's {}", self.buf.len()),
            ),
        }
    }

    fn u32(&self, at: usize, field: &'static str) -> Result<u32> {
        let bytes = self.bytes(at, 4, field)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    fn follow(&self, at: usize, field: &'static str) -> Result<usize> {
        let distance = self.u32(at, field)? as usize;
        match at.checked_add(distance) {
            Some(target) if distance != 0 && target < self.buf.len() => Ok(target),
            _ => self.fault(at, field, format!("the reference {distance} bytes ahead leaves the file")),
        }
    }

    /// The table whose reference stands at `at`.
    pub(crate) fn table(&self, at: usize, field: &'static str) -> Result<Table<'_, 'a>> {
        let pos = self.follow(at, field)?;
        let back = i64::from(self.u32(pos, field)? as i32);
        let Ok(vtable) = usize::try_from(pos as i64 - back) else {
            return self.fault(pos, field, "its vtable lies before the file");
        };
        let size = self.bytes(vtable, 2, field)?;
        let size = usize::from(u16::from_le_bytes([size[0], size[1]]));
        self.spend(size, pos, field)?;
        if size < 4 {
            return self.fault(vtable, field, format!("a vtable has at least 4 bytes, this has {size}"));
        }
        Ok(Table { flat: self, pos, vtable: self.bytes(vtable, size, field)? })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Table<'f, 'a> {
    flat: &'f Flat<'a>,
    pub(crate) pos: usize,
    vtable: &'a [u8],
}

impl<'f, 'a> Table<'f, 'a> {
    /// Where the field stands, if it is there.
    fn place(&self, slot: usize) -> Option<usize> {
        let entry = self.vtable.get(4 + 2 * slot..)?.get(..2)?;
        match u16::from_le_bytes([entry[0], entry[1]]) {
            0 => None,
            offset => self.pos.checked_add(usize::from(offset)),
        }
    }

    pub(crate) fn fault<T>(&self, field: &'static str, what: impl Into<String>) -> Result<T> {
        self.flat.fault(self.pos, field, what)
    }

    pub(crate) fn has(&self, slot: usize) -> bool {
        self.place(slot).is_some()
    }

    pub(crate) fn u8(&self, slot: usize, field: &'static str) -> Result<u8> {
        self.place(slot).map_or(Ok(0), |at| Ok(self.flat.bytes(at, 1, field)?[0]))
    }

    pub(crate) fn u32(&self, slot: usize, field: &'static str) -> Result<u32> {
        self.place(slot).map_or(Ok(0), |at| self.flat.u32(at, field))
    }

    pub(crate) fn i32_or(&self, slot: usize, default: i32, field: &'static str) -> Result<i32> {
        self.place(slot).map_or(Ok(default), |at| Ok(self.flat.u32(at, field)? as i32))
    }

    pub(crate) fn u64(&self, slot: usize, field: &'static str) -> Result<u64> {
        self.place(slot).map_or(Ok(0), |at| {
            let bytes = self.flat.bytes(at, 8, field)?;
            Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
        })
    }

    pub(crate) fn table(&self, slot: usize, field: &'static str) -> Result<Option<Table<'f, 'a>>> {
        self.place(slot).map(|at| self.flat.table(at, field)).transpose()
    }

    /// Where the items of a vector start, and their bytes.
    fn items(&self, slot: usize, width: usize, field: &'static str) -> Result<(usize, &'a [u8])> {
        let Some(at) = self.place(slot) else { return Ok((0, &[])) };
        let at = self.flat.follow(at, field)?;
        let count = self.flat.u32(at, field)? as usize;
        let Some(len) = count.checked_mul(width) else {
            return self.flat.fault(at, field, format!("{count} items are more than a file can hold"));
        };
        Ok((at + 4, self.flat.bytes(at + 4, len, field)?))
    }

    /// The bytes of a vector. They are paid for although they stay where they are: whoever prints, writes or
    /// computes with them copies them.
    pub(crate) fn blob(&self, slot: usize, field: &'static str) -> Result<&'a [u8]> {
        let (at, bytes) = self.items(slot, 1, field)?;
        self.flat.spend(bytes.len(), at, field)?;
        Ok(bytes)
    }

    /// Pays for bytes that lie elsewhere in the file.
    pub(crate) fn charge(&self, bytes: usize, field: &'static str) -> Result<()> {
        self.flat.spend(bytes, self.pos, field)
    }

    pub(crate) fn ints(&self, slot: usize, field: &'static str) -> Result<Vec<i32>> {
        let (at, bytes) = self.items(slot, 4, field)?;
        self.flat.spend(bytes.len(), at, field)?;
        Ok(bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().expect("four bytes"))).collect())
    }

    pub(crate) fn text(&self, slot: usize, field: &'static str) -> Result<&'a str> {
        let (at, bytes) = self.items(slot, 1, field)?;
        self.utf8(at, bytes, field)
    }

    fn utf8(&self, at: usize, bytes: &'a [u8], field: &'static str) -> Result<&'a str> {
        self.flat.spend(bytes.len(), at, field)?;
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => self.flat.fault(at, field, "a text that is not UTF-8"),
        }
    }

    pub(crate) fn texts(&self, slot: usize, field: &'static str) -> Result<Vec<&'a str>> {
        let (at, bytes) = self.items(slot, 4, field)?;
        self.flat.spend(bytes.len(), at, field)?;
        (0..bytes.len() / 4)
            .map(|i| {
                let at = self.flat.follow(at + 4 * i, field)?;
                let len = self.flat.u32(at, field)? as usize;
                self.utf8(at, self.flat.bytes(at + 4, len, field)?, field)
            })
            .collect()
    }

    pub(crate) fn tables(&self, slot: usize, field: &'static str) -> Result<Vec<Table<'f, 'a>>> {
        let (at, bytes) = self.items(slot, 4, field)?;
        self.flat.spend(bytes.len(), at, field)?;
        (0..bytes.len() / 4).map(|i| self.flat.table(at + 4 * i, field)).collect()
    }
}

/// A field of a table to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot {
    Absent,
    U8(u8),
    U32(u32),
    U64(u64),
    /// Filled in later: [`Writer::table`] returns where.
    Ref,
}

/// Writes a flatbuffer from its front to its back: parents stand before their children, whose references are
/// filled in when they are written; texts come last, each once.
pub(crate) struct Writer {
    buf: Vec<u8>,
    vtables: BTreeMap<Vec<u8>, usize>,
    texts: BTreeMap<String, Vec<usize>>,
}

impl Writer {
    /// With the file's identifier; the root's reference stands at 0.
    pub(crate) fn new(identifier: [u8; 4]) -> Writer {
        let mut buf = vec![0; 4];
        buf.extend_from_slice(&identifier);
        Writer { buf, vtables: BTreeMap::new(), texts: BTreeMap::new() }
    }

    fn align(&mut self, to: usize, but: usize) {
        while self.buf.len() % to != but {
            self.buf.push(0);
        }
    }

    /// Points the reference at `at` to what is written next at `target`.
    fn patch(&mut self, at: usize, target: usize) {
        let distance = u32::try_from(target - at).unwrap_or(u32::MAX);
        self.buf[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }

    /// Writes a table for the reference at `at`; returns where the references of its fields stand.
    pub(crate) fn table(&mut self, at: usize, fields: &[Slot]) -> Vec<usize> {
        let used = fields.iter().rposition(|f| !matches!(f, Slot::Absent)).map_or(0, |last| last + 1);
        // The place of every field, from the largest to the smallest; the table starts 4 bytes before a
        // multiple of 8.
        let mut places = vec![0usize; used];
        let mut size = 4;
        for width in [8, 4, 1] {
            for (place, field) in places.iter_mut().zip(fields) {
                let own = match field {
                    Slot::Absent => 0,
                    Slot::U8(_) => 1,
                    Slot::U32(_) | Slot::Ref => 4,
                    Slot::U64(_) => 8,
                };
                if own == width {
                    *place = size;
                    size += width;
                }
            }
        }
        let mut vtable = Vec::with_capacity(4 + 2 * used);
        for n in [4 + 2 * used, size].iter().chain(&places) {
            vtable.extend_from_slice(&(*n as u16).to_le_bytes());
        }
        let vtable_at = match self.vtables.get(&vtable) {
            Some(at) => *at,
            None => {
                self.align(2, 0);
                let at = self.buf.len();
                self.buf.extend_from_slice(&vtable);
                self.vtables.insert(vtable, at);
                at
            }
        };
        self.align(8, 4);
        let pos = self.buf.len();
        self.patch(at, pos);
        self.buf.resize(pos + size, 0);
        self.buf[pos..pos + 4].copy_from_slice(&((pos - vtable_at) as i32).to_le_bytes());
        let mut references = Vec::new();
        for (place, field) in places.iter().zip(fields) {
            let at = pos + place;
            match field {
                Slot::Absent => {}
                Slot::U8(n) => self.buf[at] = *n,
                Slot::U32(n) => self.buf[at..at + 4].copy_from_slice(&n.to_le_bytes()),
                Slot::U64(n) => self.buf[at..at + 8].copy_from_slice(&n.to_le_bytes()),
                Slot::Ref => references.push(at),
            }
        }
        references
    }

    /// Bytes that start at a multiple of 8.
    pub(crate) fn blob(&mut self, at: usize, bytes: &[u8]) {
        self.align(8, 4);
        self.patch(at, self.buf.len());
        self.buf.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.buf.extend_from_slice(bytes);
    }

    pub(crate) fn ints(&mut self, at: usize, ints: &[i32]) {
        self.align(4, 0);
        self.patch(at, self.buf.len());
        self.buf.extend_from_slice(&(ints.len() as u32).to_le_bytes());
        for n in ints {
            self.buf.extend_from_slice(&n.to_le_bytes());
        }
    }

    /// A vector of references; returns where they stand.
    pub(crate) fn references(&mut self, at: usize, count: usize) -> Vec<usize> {
        self.align(4, 0);
        self.patch(at, self.buf.len());
        self.buf.extend_from_slice(&(count as u32).to_le_bytes());
        let first = self.buf.len();
        self.buf.resize(first + 4 * count, 0);
        (0..count).map(|i| first + 4 * i).collect()
    }

    pub(crate) fn text(&mut self, at: usize, text: &str) {
        match self.texts.get_mut(text) {
            Some(places) => places.push(at),
            None => {
                self.texts.insert(text.to_owned(), vec![at]);
            }
        }
    }

    /// The file; `None` if it is too long for 32-bit references.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        for (text, places) in core::mem::take(&mut self.texts) {
            self.align(4, 0);
            let here = self.buf.len();
            for at in places {
                self.patch(at, here);
            }
            self.buf.extend_from_slice(&(text.len() as u32).to_le_bytes());
            self.buf.extend_from_slice(text.as_bytes());
            self.buf.push(0);
        }
        self.align(8, 0);
        (self.buf.len() < i32::MAX as usize).then_some(self.buf)
    }
}
