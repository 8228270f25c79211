//! Data files (`.ptd`): data under names, outside of the program.
//!
//! Written for external constants and for the external blocks of a delegate. The file is a flatbuffer with
//! an extended header and segments behind, as a program is.

use crate::error::{Error, ErrorKind, fail};
use crate::flat::{Cx, Table, Tables, range, u32_at, u64_at};
use crate::program::{Segments, check_address, check_identifier};
use crate::schema;
use crate::value::{Layout, read_shape};

/// A data file: a view of its bytes, all of which were checked.
#[derive(Clone, Copy)]
pub struct DataFile<'a> {
    flat: &'a [u8],
    entries: Tables,
    segments: Segments<'a>,
}

/// A name and its data.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The name.
    pub key: &'a str,
    /// The data.
    pub data: &'a [u8],
    /// What tensor the data is, where the file says so. It has at most the bytes of `data`.
    pub layout: Option<Layout<'a>>,
}

impl<'a> DataFile<'a> {
    /// Reads and checks a data file. After this no getter fails.
    ///
    /// `bytes` is the whole file and must start at a 16-byte aligned address.
    ///
    /// # Errors
    /// At the first thing that is wrong; see [`Error`].
    pub fn parse(bytes: &'a [u8]) -> Result<DataFile<'a>, Error> {
        use schema::ExtendedHeader as h;
        check_address(bytes, schema::File::address)?;
        check_identifier(bytes, b"FT01")?;
        // Unlike a program, a data file always has the header.
        if bytes.get(8..12) != Some(b"FH01") {
            return fail(ErrorKind::Identifier, h::magic, 8);
        }
        // What does not fit the address space is not in the file either.
        let at = |pos, field| {
            let number = u64_at(bytes, pos).ok_or(Error::new(ErrorKind::Truncated, field, bytes.len()))?;
            Ok(usize::try_from(number).unwrap_or(usize::MAX))
        };
        match u32_at(bytes, 12) {
            Some(40..) => {}
            Some(_) => return fail(ErrorKind::Unsupported, h::length, 12),
            None => return fail(ErrorKind::Truncated, h::length, bytes.len()),
        }
        let flat_end = at(16, h::flatbuffer_offset)?.checked_add(at(24, h::flatbuffer_size)?);
        let flat = flat_end.and_then(|end| bytes.get(..end));
        let flat = flat.ok_or(Error::new(ErrorKind::Truncated, h::flatbuffer_size, 24))?;
        let data = range(bytes, at(32, h::segment_base_offset)?, at(40, h::segment_data_size)?);
        let data = data.ok_or(Error::new(ErrorKind::Truncated, h::segment_data_size, 40))?;
        let cx = Cx::unchecked(flat);
        DataFile::check(&cx, data).ok_or_else(|| cx.fault())
    }

    fn check(cx: &Cx<'a>, data: &'a [u8]) -> Option<DataFile<'a>> {
        use schema::FlatTensor as f;
        let root = cx.table(0, schema::File::root);
        if root.u32(f::version) != 0 {
            return root.fail(ErrorKind::Unknown, f::version);
        }
        let file = DataFile {
            flat: cx.flat,
            entries: root.tables(f::named_data),
            segments: Segments::new(data, root.tables(f::segments)),
        };
        file.segments.check(cx)?;
        for i in 0..file.len() {
            file.read(cx, i)?;
        }
        cx.ok().map(|()| file)
    }

    fn read_named<'c>(&self, cx: &'c Cx<'a>, i: usize) -> Option<(Table<'c, 'a>, &'a str, &'a [u8])> {
        use schema::NamedData as f;
        let table = self.entries.get(cx, i, schema::FlatTensor::named_data)?;
        let key = table.need_string(f::key);
        Some((table, key, self.segments.read_for(table, f::segment_index)?))
    }

    fn read(&self, cx: &Cx<'a>, i: usize) -> Option<Entry<'a>> {
        use schema::NamedData as f;
        use schema::TensorLayout as t;
        let (table, key, data) = self.read_named(cx, i)?;
        let layout = match table.table(f::tensor_layout) {
            Some(layout) => Some(read_shape(layout, [t::scalar_type, t::sizes, t::dim_order])?),
            None => None,
        };
        if layout.is_some_and(|layout| layout.nbytes > data.len()) {
            return table.fail(ErrorKind::DataTooSmall, f::tensor_layout);
        }
        cx.ok()?;
        Some(Entry { key, data, layout })
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.entries.len(self.flat)
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The data named `key`.
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        // Without the layout: a device that only looks data up needs no code for it.
        let cx = Cx::new(self.flat);
        (0..self.len()).find_map(|i| match self.read_named(&cx, i)? {
            (_, name, data) if name == key => Some(data),
            _ => None,
        })
    }

    /// Names and data in their order in the file.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let file = *self;
        (0..self.len()).filter_map(move |i| file.read(&Cx::new(file.flat), i))
    }
}

impl core::fmt::Debug for DataFile<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter().map(|entry| (entry.key, entry.data.len()))).finish()
    }
}
