//! Data files (`.ptd`): data under names, outside of the program.
//!
//! Written for external constants and for the external blocks of a delegate. The file is a flatbuffer with
//! an extended header and segments behind, as a program is.

use crate::dtype::Dtype;
use crate::error::{Error, ErrorKind, fail};
use crate::flat::{Budget, Table, Tables, range, u32_at, u64_at};
use crate::list::I32List;
use crate::program::{Segments, check_address, check_identifier};
use crate::schema::{self, Field};
use crate::value::{check_dim_order, checked_nbytes};

/// A data file: a view of its bytes, all of which were checked.
#[derive(Clone, Copy)]
pub struct DataFile<'a> {
    flat: &'a [u8],
    entries: Tables,
    segments: Segments<'a>,
    version: u32,
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

/// The type and the shape of a tensor.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The element type.
    pub dtype: Dtype,
    /// The sizes, outermost first.
    pub sizes: I32List<'a>,
    /// The dimensions in the order in which they lie in memory, outermost first: a permutation.
    pub dim_order: &'a [u8],
    /// The bytes of all elements.
    pub nbytes: usize,
}

impl<'a> Layout<'a> {
    fn read(table: Table<'a>) -> Result<Layout<'a>, Error> {
        use schema::TensorLayout as f;
        let fields = [f::scalar_type, f::sizes, f::dim_order];
        Layout::read_fields(table, fields)
    }

    /// Reads the fields of any table that describes a tensor: element type, sizes, dim order.
    pub(crate) fn read_fields(
        table: Table<'a>,
        [dtype, sizes, order]: [Field; 3],
    ) -> Result<Layout<'a>, Error> {
        let code = table.u8(dtype)?;
        let list = I32List::new(table.need_vector(sizes, 4)?);
        let layout = Layout {
            dtype: Dtype::from_code(code).ok_or_else(|| table.error(ErrorKind::Unknown, dtype))?,
            sizes: list,
            dim_order: table.need_vector(order, 1)?,
            nbytes: 0,
        };
        let nbytes = checked_nbytes(layout.dtype, list).map_err(|kind| table.error(kind, sizes))?;
        check_dim_order(list.len(), layout.dim_order).map_err(|kind| table.error(kind, order))?;
        Ok(Layout { nbytes, ..layout })
    }
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
        use schema::FlatTensor as f;
        check_address(bytes, schema::File::address)?;
        check_identifier(bytes, b"FT01")?;
        // Unlike a program, a data file always has the header.
        if bytes.get(8..12) != Some(b"FH01") {
            return fail(ErrorKind::Identifier, h::magic, 8);
        }
        let at = |pos, field| {
            let number = u64_at(bytes, pos).ok_or(Error::new(ErrorKind::Truncated, field, bytes.len()))?;
            usize::try_from(number).map_err(|_| Error::new(ErrorKind::Overflow, field, pos))
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
        let root = Table::referenced(flat, 0, schema::File::root)?;
        let version = root.u32(f::version)?;
        if version != 0 {
            return Err(root.error(ErrorKind::Unknown, f::version));
        }
        let file = DataFile {
            flat,
            entries: root.tables(f::named_data)?,
            segments: Segments::new(flat, data, root.tables(f::segments)?),
            version,
        };
        let mut budget = Budget::new(flat.len());
        file.segments.check(&mut budget)?;
        for i in 0..file.entries.len() {
            let entry = file.read(i)?;
            budget.spend(entry.key.len().saturating_add(64), f::named_data, root.pos())?;
        }
        Ok(file)
    }

    fn read(&self, i: usize) -> Result<Entry<'a>, Error> {
        use schema::NamedData as f;
        let table = self.entries.get(self.flat, i, schema::FlatTensor::named_data)?;
        let key = table.need_string(f::key)?;
        let data = self.segments.read_for(table, f::segment_index)?;
        let layout = match table.table(f::tensor_layout)? {
            Some(layout) => Some(Layout::read(layout)?),
            None => None,
        };
        if layout.is_some_and(|layout| layout.nbytes > data.len()) {
            return Err(table.error(ErrorKind::DataTooSmall, f::tensor_layout));
        }
        Ok(Entry { key, data, layout })
    }

    /// The schema version; this reader knows 0.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The data named `key`.
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.iter().find(|entry| entry.key == key).map(|entry| entry.data)
    }

    /// Names and data in their order in the file.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let file = *self;
        (0..self.len()).filter_map(move |i| file.read(i).ok())
    }
}

impl core::fmt::Debug for DataFile<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter().map(|entry| (entry.key, entry.data.len()))).finish()
    }
}
