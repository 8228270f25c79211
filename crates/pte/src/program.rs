//! The program file: header, segments, named data, methods.

use crate::error::{Error, ErrorKind, fail};
use crate::flat::{Budget, Table, Tables, range, u32_at, u64_at};
use crate::list::U64List;
use crate::plan::Plan;
use crate::schema::{self, Field};

/// The alignment that the bytes of a file must have: the largest that its content is given by default.
pub const ALIGNMENT: usize = 16;

pub(crate) fn check_address(bytes: &[u8], field: Field) -> Result<(), Error> {
    if bytes.as_ptr() as usize & (ALIGNMENT - 1) == 0 { Ok(()) } else { fail(ErrorKind::Address, field, 0) }
}

/// Checks the four letters at byte 4.
pub(crate) fn check_identifier(bytes: &[u8], identifier: &[u8; 4]) -> Result<(), Error> {
    match bytes.get(4..8) {
        None => fail(ErrorKind::Truncated, schema::File::identifier, bytes.len()),
        Some(found) if found == identifier => Ok(()),
        Some(_) => fail(ErrorKind::Identifier, schema::File::identifier, 4),
    }
}

/// The data behind a flatbuffer, and the table that divides it.
#[derive(Clone, Copy)]
pub(crate) struct Segments<'a> {
    flat: &'a [u8],
    data: &'a [u8],
    tables: Tables,
}

impl<'a> Segments<'a> {
    pub(crate) fn new(flat: &'a [u8], data: &'a [u8], tables: Tables) -> Self {
        Segments { flat, data, tables }
    }

    pub(crate) fn len(&self) -> usize {
        self.tables.len()
    }

    /// The segment whose number is field `field` of `of`.
    pub(crate) fn read_for(&self, of: Table<'a>, field: Field) -> Result<&'a [u8], Error> {
        let i = of.u32(field)? as usize;
        if i >= self.len() {
            return Err(of.error(ErrorKind::Index, field));
        }
        self.read(i)
    }

    pub(crate) fn read(&self, i: usize) -> Result<&'a [u8], Error> {
        let segment = self.tables.get(self.flat, i, schema::Program::segments)?;
        let offset = segment.bytes64(schema::DataSegment::offset)?;
        let size = segment.bytes64(schema::DataSegment::size)?;
        // An absent constant segment is written with both 0, also into files without any segment data.
        if size == 0 {
            return Ok(&[]);
        }
        range(self.data, offset, size)
            .ok_or_else(|| segment.error(ErrorKind::OutOfBounds, schema::DataSegment::offset))
    }

    pub(crate) fn check(&self, budget: &mut Budget) -> Result<(), Error> {
        for i in 0..self.len() {
            self.read(i)?;
            budget.spend(16, schema::Program::segments, 0)?;
        }
        Ok(())
    }
}

/// The header that a file with segments has behind the identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedHeader {
    /// The header's own length: 24 in old files, 32 since.
    pub length: u32,
    /// The bytes of the flatbuffer, counted from the start of the file.
    pub program_size: u64,
    /// Where segment data starts in the file; 0 if there is none.
    pub segment_base_offset: u64,
    /// The bytes of segment data; 0 in old files, which means up to the end of the file.
    pub segment_data_size: u64,
}

impl ExtendedHeader {
    fn read(file: &[u8]) -> Result<Option<ExtendedHeader>, Error> {
        use schema::ExtendedHeader as f;
        if file.get(8..12) != Some(b"eh00") {
            return Ok(None);
        }
        let at = |pos, field| u64_at(file, pos).ok_or(Error::new(ErrorKind::Truncated, field, file.len()));
        let length = u32_at(file, 12).ok_or(Error::new(ErrorKind::Truncated, f::length, file.len()))?;
        if length < 24 {
            return fail(ErrorKind::Unsupported, f::length, 12);
        }
        Ok(Some(ExtendedHeader {
            length,
            program_size: at(16, f::program_size)?,
            segment_base_offset: at(24, f::segment_base_offset)?,
            segment_data_size: if length >= 32 { at(32, f::segment_data_size)? } else { 0 },
        }))
    }

    /// The flatbuffer and the segment data.
    fn split<'a>(&self, file: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), Error> {
        use schema::ExtendedHeader as f;
        let prefix = |len: u64| file.get(..usize::try_from(len).ok()?);
        let suffix = |from: u64| file.get(usize::try_from(from).ok()?..);
        let flat = prefix(self.program_size).ok_or(Error::new(ErrorKind::Truncated, f::program_size, 16))?;
        if self.segment_base_offset == 0 {
            return Ok((flat, &[]));
        }
        let behind = suffix(self.segment_base_offset).ok_or(Error::new(
            ErrorKind::Truncated,
            f::segment_base_offset,
            24,
        ))?;
        let data = match usize::try_from(self.segment_data_size) {
            Ok(0) => Some(behind),
            Ok(size) => behind.get(..size),
            Err(_) => None,
        };
        Ok((flat, data.ok_or(Error::new(ErrorKind::Truncated, f::segment_data_size, 32))?))
    }
}

/// An ExecuTorch program (`.pte`): a view of its bytes, all of which were checked.
///
/// ```
/// # let bytes: &[u8] = &[];
/// match tombolo_pte::Program::parse(bytes) {
///     Ok(program) => assert!(program.find_method("forward").is_some()),
///     Err(error) => println!("{error}"),
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Program<'a> {
    file: &'a [u8],
    header: Option<ExtendedHeader>,
    root: Table<'a>,
    plans: Tables,
    segments: Segments<'a>,
}

impl<'a> Program<'a> {
    /// Reads and checks a program. After this no getter fails.
    ///
    /// `bytes` is the whole file and must start at a 16-byte aligned address. The time is in proportion to the
    /// program without its weights and delegates, which are not looked at.
    ///
    /// # Errors
    /// At the first thing that is wrong; see [`Error`].
    pub fn parse(bytes: &'a [u8]) -> Result<Program<'a>, Error> {
        use schema::Program as f;
        check_address(bytes, schema::File::address)?;
        check_identifier(bytes, b"ET12")?;
        let header = ExtendedHeader::read(bytes)?;
        let (flat, data) = match &header {
            Some(header) => header.split(bytes)?,
            None => (bytes, [].as_slice()),
        };
        let root = Table::referenced(flat, 0, schema::File::root)?;
        if root.u32(f::version)? != 0 {
            return Err(root.error(ErrorKind::Unknown, f::version));
        }
        let program = Program {
            file: bytes,
            header,
            root,
            plans: root.tables(f::execution_plan)?,
            segments: Segments::new(flat, data, root.tables(f::segments)?),
        };
        program.check()?;
        Ok(program)
    }

    fn check(&self) -> Result<(), Error> {
        use schema::Program as f;
        let mut budget = Budget::new(self.flat().len());
        self.segments.check(&mut budget)?;
        let named = self.root.tables(f::named_data)?;
        for i in 0..named.len() {
            let entry = named.get(self.flat(), i, f::named_data)?;
            let (key, _) = self.read_named(entry)?;
            budget.spend(key.len().saturating_add(16), f::named_data, entry.pos())?;
        }
        for i in 0..self.plans.len() {
            self.read_plan(i)?.check(&mut budget)?;
        }
        Ok(())
    }

    pub(crate) fn flat(&self) -> &'a [u8] {
        self.root.buf()
    }

    fn read_plan(&self, i: usize) -> Result<Plan<'a>, Error> {
        Plan::read(*self, self.plans.get(self.flat(), i, schema::Program::execution_plan)?)
    }

    fn read_named(&self, entry: Table<'a>) -> Result<(&'a str, &'a [u8]), Error> {
        let key = entry.need_string(schema::NamedData::key)?;
        Ok((key, self.segments.read_for(entry, schema::NamedData::segment_index)?))
    }

    /// `nbytes` bytes of constant `index`.
    pub(crate) fn read_constant(&self, index: u32, nbytes: usize) -> Result<&'a [u8], Error> {
        use schema::Program as f;
        if let Some(constants) = self.root.table(f::constant_segment)? {
            // A single offset is the reserved entry 0: a program without constants.
            if constants.need_vector(schema::SubsegmentOffsets::offsets, 8)?.len() > 8 {
                return self.read_subsegment(constants, index, nbytes);
            }
        }
        // Files from before 2024-09 have their constants inside of the flatbuffer.
        let buffers = self.root.tables(f::constant_buffer)?;
        let buffer = buffers.get(self.flat(), index as usize, f::constant_buffer)?;
        let storage = buffer.need_vector(schema::Buffer::storage, 1)?;
        storage.get(..nbytes).ok_or_else(|| buffer.error(ErrorKind::DataTooSmall, schema::Buffer::storage))
    }

    /// `nbytes` bytes of the initial value `index` in the mutable segment `segment`.
    pub(crate) fn read_initial(&self, segment: u64, index: u32, nbytes: usize) -> Result<&'a [u8], Error> {
        use schema::Program as f;
        let segments = self.root.tables(f::mutable_data_segments)?;
        let segment = usize::try_from(segment).unwrap_or(usize::MAX);
        self.read_subsegment(segments.get(self.flat(), segment, f::mutable_data_segments)?, index, nbytes)
    }

    fn read_subsegment(&self, of: Table<'a>, index: u32, nbytes: usize) -> Result<&'a [u8], Error> {
        use schema::SubsegmentOffsets as f;
        let offsets = U64List::new(of.need_vector(f::offsets, 8)?);
        let Some(offset) = offsets.get(index as usize) else {
            return Err(of.error(ErrorKind::Index, f::offsets));
        };
        let data = self.segments.read_for(of, f::segment_index)?;
        usize::try_from(offset)
            .ok()
            .and_then(|offset| range(data, offset, nbytes))
            .ok_or_else(|| of.error(ErrorKind::DataTooSmall, f::offsets))
    }

    /// The bytes of a delegate.
    pub(crate) fn read_processed(&self, reference: Table<'a>) -> Result<&'a [u8], Error> {
        use schema::BackendDelegateDataReference as f;
        match reference.u8(f::location)? {
            0 => {
                let inline = self.root.tables(schema::Program::backend_delegate_data)?;
                let index = reference.u32(f::index)? as usize;
                if index >= inline.len() {
                    return Err(reference.error(ErrorKind::Index, f::index));
                }
                let data = inline.get(self.flat(), index, schema::Program::backend_delegate_data)?;
                data.need_vector(schema::BackendDelegateInlineData::data, 1)
            }
            1 => self.segments.read_for(reference, f::index),
            _ => Err(reference.error(ErrorKind::Unknown, f::location)),
        }
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.file
    }

    /// The schema version; this reader knows 0.
    pub fn version(&self) -> u32 {
        self.root.u32(schema::Program::version).unwrap_or(0)
    }

    /// The extended header; files without segments have none.
    pub fn extended_header(&self) -> Option<ExtendedHeader> {
        self.header
    }

    /// The bytes of the flatbuffer, with the header: without segments, the whole file.
    pub fn flatbuffer_size(&self) -> usize {
        self.flat().len()
    }

    /// The number of methods.
    pub fn method_count(&self) -> usize {
        self.plans.len()
    }

    /// Method `i`.
    pub fn method(&self, i: usize) -> Option<Plan<'a>> {
        self.read_plan(i).ok()
    }

    /// The methods in their order in the file.
    pub fn methods(&self) -> impl Iterator<Item = Plan<'a>> + use<'a> {
        let program = *self;
        (0..self.method_count()).filter_map(move |i| program.method(i))
    }

    /// The method of this name, mostly `forward`.
    pub fn find_method(&self, name: &str) -> Option<Plan<'a>> {
        self.methods().find(|plan| plan.name() == name)
    }

    /// The number of segments.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// The bytes of segment `i`.
    pub fn segment(&self, i: usize) -> Option<&'a [u8]> {
        self.segments.read(i).ok()
    }

    /// The data that the program holds under names.
    pub fn named_data(&self) -> NamedDataIter<'a> {
        let entries = self.root.tables(schema::Program::named_data).unwrap_or_default();
        NamedDataIter { program: *self, entries, next: 0 }
    }

    /// The data named `key`.
    pub fn named(&self, key: &str) -> Option<&'a [u8]> {
        self.named_data().find(|(name, _)| *name == key).map(|(_, data)| data)
    }

    /// The bytes of every inline delegate, used or not.
    pub fn inline_delegate_bytes(&self) -> usize {
        let field = schema::Program::backend_delegate_data;
        let inline = self.root.tables(field).unwrap_or_default();
        let bytes =
            |i| inline.get(self.flat(), i, field)?.need_vector(schema::BackendDelegateInlineData::data, 1);
        (0..inline.len()).filter_map(|i| bytes(i).ok()).fold(0, |sum, data| sum.saturating_add(data.len()))
    }
}

/// Names and data; see [`Program::named_data`].
#[derive(Clone)]
pub struct NamedDataIter<'a> {
    program: Program<'a>,
    entries: Tables,
    next: usize,
}

impl<'a> Iterator for NamedDataIter<'a> {
    type Item = (&'a str, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.entries.get(self.program.flat(), self.next, schema::Program::named_data).ok()?;
        self.next = self.next.saturating_add(1);
        self.program.read_named(entry).ok()
    }
}

impl core::fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Program")
            .field("header", &self.header)
            .field("methods", &self.method_count())
            .field("segments", &self.segment_count())
            .finish_non_exhaustive()
    }
}
