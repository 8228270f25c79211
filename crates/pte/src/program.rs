//! The program file: header, segments, named data, methods.

use crate::error::{Error, ErrorKind, fail};
use crate::flat::{Cx, Table, Tables, range, u32_at, u64_at};
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
    data: &'a [u8],
    tables: Tables,
}

impl<'a> Segments<'a> {
    pub(crate) fn new(data: &'a [u8], tables: Tables) -> Self {
        Segments { data, tables }
    }

    /// The segment whose number is field `field` of `of`.
    pub(crate) fn read_for(&self, of: Table<'_, 'a>, field: Field) -> Option<&'a [u8]> {
        self.read(of.cx, of.index(field, self.tables.len(of.cx.flat)) as usize)
    }

    pub(crate) fn read(&self, cx: &Cx<'a>, i: usize) -> Option<&'a [u8]> {
        let segment = self.tables.get(cx, i, schema::Program::segments)?;
        let offset = segment.bytes64(schema::DataSegment::offset);
        let size = segment.bytes64(schema::DataSegment::size);
        cx.ok()?;
        // An absent constant segment is written with both 0, also into files without any segment data.
        if size == 0 {
            return Some(&[]);
        }
        match range(self.data, offset, size) {
            Some(bytes) => Some(bytes),
            None => segment.fail(ErrorKind::OutOfBounds, schema::DataSegment::offset),
        }
    }

    pub(crate) fn check(&self, cx: &Cx<'a>) -> Option<()> {
        for i in 0..self.tables.len(cx.flat) {
            self.read(cx, i)?;
        }
        cx.ok()
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
    /// The header of a file, or `Some(None)` if it has none. `cx` is over the whole file.
    fn read(cx: &Cx<'_>) -> Option<Option<ExtendedHeader>> {
        use schema::ExtendedHeader as f;
        let file = cx.flat;
        if file.get(8..12) != Some(b"eh00") {
            return Some(None);
        }
        let Some(length) = u32_at(file, 12) else {
            return cx.fail(ErrorKind::Truncated, f::length, file.len());
        };
        if length < 24 {
            return cx.fail(ErrorKind::Unsupported, f::length, 12);
        }
        let size = if length < 32 { Some(0) } else { u64_at(file, 32) };
        match (u64_at(file, 16), u64_at(file, 24), size) {
            (Some(program_size), Some(segment_base_offset), Some(segment_data_size)) => {
                Some(Some(ExtendedHeader { length, program_size, segment_base_offset, segment_data_size }))
            }
            _ => cx.fail(ErrorKind::Truncated, f::program_size, file.len()),
        }
    }

    /// The flatbuffer and the segment data.
    fn split<'a>(&self, cx: &Cx<'a>) -> Option<(&'a [u8], &'a [u8])> {
        use schema::ExtendedHeader as f;
        let file = cx.flat;
        // What does not fit the address space is not in the file either.
        let [program, base, size] = [self.program_size, self.segment_base_offset, self.segment_data_size]
            .map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let Some(flat) = file.get(..program) else {
            return cx.fail(ErrorKind::Truncated, f::program_size, 16);
        };
        if base == 0 {
            return Some((flat, &[]));
        }
        let Some(behind) = file.get(base..) else {
            return cx.fail(ErrorKind::Truncated, f::segment_base_offset, 24);
        };
        match behind.get(..if size == 0 { behind.len() } else { size }) {
            Some(data) => Some((flat, data)),
            None => cx.fail(ErrorKind::Truncated, f::segment_data_size, 32),
        }
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
    flat: &'a [u8],
    /// Where the root table stands.
    root: usize,
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
        check_address(bytes, schema::File::address)?;
        check_identifier(bytes, b"ET12")?;
        let cx = Cx::new(bytes);
        let (flat, data) = match ExtendedHeader::read(&cx) {
            Some(Some(header)) => header.split(&cx),
            Some(None) => Some((bytes, [].as_slice())),
            None => None,
        }
        .ok_or_else(|| cx.fault())?;
        let cx = Cx::unchecked(flat);
        Program::check(&cx, bytes, data).ok_or_else(|| cx.fault())
    }

    fn check(cx: &Cx<'a>, file: &'a [u8], data: &'a [u8]) -> Option<Program<'a>> {
        use schema::Program as f;
        let root = cx.table(0, schema::File::root);
        if root.u32(f::version) != 0 {
            return root.fail(ErrorKind::Unknown, f::version);
        }
        let program = Program {
            file,
            flat: cx.flat,
            root: root.pos,
            plans: root.tables(f::execution_plan),
            segments: Segments::new(data, root.tables(f::segments)),
        };
        program.segments.check(cx)?;
        let named = root.tables(f::named_data);
        for i in 0..named.len(cx.flat) {
            program.read_named(cx, named, i)?;
        }
        for i in 0..program.method_count() {
            program.read_plan(cx, i)?.check(cx)?;
        }
        Some(program)
    }

    pub(crate) fn flat(&self) -> &'a [u8] {
        self.flat
    }

    /// What a getter reads with.
    pub(crate) fn cx(&self) -> Cx<'a> {
        Cx::new(self.flat)
    }

    fn root<'c>(&self, cx: &'c Cx<'a>) -> Table<'c, 'a> {
        Table { cx, pos: self.root }
    }

    fn read_plan(&self, cx: &Cx<'a>, i: usize) -> Option<Plan<'a>> {
        Plan::read(self, self.plans.get(cx, i, schema::Program::execution_plan)?)
    }

    fn read_named(&self, cx: &Cx<'a>, named: Tables, i: usize) -> Option<(&'a str, &'a [u8])> {
        let entry = named.get(cx, i, schema::Program::named_data)?;
        let key = entry.need_string(schema::NamedData::key);
        Some((key, self.segments.read_for(entry, schema::NamedData::segment_index)?))
    }

    /// `nbytes` bytes of the constant that field `data_buffer_idx` of `tensor` names.
    pub(crate) fn read_constant(&self, tensor: Table<'_, 'a>, nbytes: usize) -> Option<&'a [u8]> {
        use schema::Program as f;
        let root = self.root(tensor.cx);
        if let Some(constants) = root.table(f::constant_segment) {
            // A single offset is the reserved entry 0: a program without constants.
            if constants.need_vector(schema::SubsegmentOffsets::offsets, 8).len() > 8 {
                return self.read_subsegment(constants, tensor, nbytes);
            }
        }
        // Files from before 2024-09 have their constants inside of the flatbuffer.
        let buffers = root.tables(f::constant_buffer);
        let index = tensor.index(schema::Tensor::data_buffer_idx, buffers.len(self.flat));
        let buffer = buffers.get(tensor.cx, index as usize, f::constant_buffer)?;
        match buffer.need_vector(schema::Buffer::storage, 1).get(..nbytes) {
            Some(bytes) => Some(bytes),
            None => buffer.fail(ErrorKind::DataTooSmall, schema::Buffer::storage),
        }
    }

    /// `nbytes` bytes of the initial value that field `data_buffer_idx` of `tensor` names, in the mutable segment
    /// that field `mutable_data_segments_idx` of `extra` names.
    pub(crate) fn read_initial(
        &self,
        extra: Option<Table<'_, 'a>>,
        tensor: Table<'_, 'a>,
        nbytes: usize,
    ) -> Option<&'a [u8]> {
        use schema::ExtraTensorInfo as e;
        let segments = self.root(tensor.cx).tables(schema::Program::mutable_data_segments);
        let segment = match extra {
            Some(extra) => {
                let segment = extra.bytes64(e::mutable_data_segments_idx);
                if segment >= segments.len(self.flat) {
                    return extra.fail(ErrorKind::Index, e::mutable_data_segments_idx);
                }
                segment
            }
            None => 0,
        };
        let segment = segments.get(tensor.cx, segment, schema::Program::mutable_data_segments)?;
        self.read_subsegment(segment, tensor, nbytes)
    }

    fn read_subsegment(&self, of: Table<'_, 'a>, tensor: Table<'_, 'a>, nbytes: usize) -> Option<&'a [u8]> {
        use schema::SubsegmentOffsets as f;
        let offsets = U64List::new(of.need_vector(f::offsets, 8));
        let index = tensor.index(schema::Tensor::data_buffer_idx, offsets.len());
        let data = self.segments.read_for(of, f::segment_index)?;
        let offset = usize::try_from(offsets.get(index as usize)?).unwrap_or(usize::MAX);
        match range(data, offset, nbytes) {
            Some(bytes) => Some(bytes),
            None => of.fail(ErrorKind::DataTooSmall, f::offsets),
        }
    }

    /// The bytes of a delegate.
    pub(crate) fn read_processed(&self, reference: Table<'_, 'a>) -> Option<&'a [u8]> {
        use schema::BackendDelegateDataReference as f;
        match reference.u8(f::location) {
            0 => {
                let inline = self.root(reference.cx).tables(schema::Program::backend_delegate_data);
                let index = reference.index(f::index, inline.len(self.flat));
                let data =
                    inline.get(reference.cx, index as usize, schema::Program::backend_delegate_data)?;
                let bytes = data.need_vector(schema::BackendDelegateInlineData::data, 1);
                reference.cx.ok().map(|()| bytes)
            }
            1 => self.segments.read_for(reference, f::index),
            _ => reference.fail(ErrorKind::Unknown, f::location),
        }
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.file
    }

    /// The schema version; this reader knows 0.
    pub fn version(&self) -> u32 {
        self.root(&self.cx()).u32(schema::Program::version)
    }

    /// The extended header; files without segments have none.
    pub fn extended_header(&self) -> Option<ExtendedHeader> {
        ExtendedHeader::read(&Cx::new(self.file))?
    }

    /// The bytes of the flatbuffer, with the header: without segments, the whole file.
    pub fn flatbuffer_size(&self) -> usize {
        self.flat.len()
    }

    /// The number of methods.
    pub fn method_count(&self) -> usize {
        self.plans.len(self.flat)
    }

    /// Method `i`.
    pub fn method(&self, i: usize) -> Option<Plan<'a>> {
        self.read_plan(&self.cx(), i)
    }

    /// The methods in their order in the file.
    pub fn methods(&self) -> impl Iterator<Item = Plan<'a>> + use<'a> {
        let program = *self;
        (0..self.method_count()).filter_map(move |i| program.method(i))
    }

    /// The method of this name, mostly `forward`.
    pub fn find_method(&self, name: &str) -> Option<Plan<'a>> {
        let cx = self.cx();
        (0..self.method_count()).find_map(|i| self.read_plan(&cx, i).filter(|plan| plan.name() == name))
    }

    /// The number of segments.
    pub fn segment_count(&self) -> usize {
        self.segments.tables.len(self.flat)
    }

    /// The bytes of segment `i`.
    pub fn segment(&self, i: usize) -> Option<&'a [u8]> {
        self.segments.read(&self.cx(), i)
    }

    /// The data that the program holds under names.
    pub fn named_data(&self) -> NamedDataIter<'a> {
        let entries = self.root(&self.cx()).tables(schema::Program::named_data);
        NamedDataIter { program: *self, entries, next: 0 }
    }

    /// The data named `key`.
    pub fn named(&self, key: &str) -> Option<&'a [u8]> {
        let cx = self.cx();
        let entries = self.root(&cx).tables(schema::Program::named_data);
        (0..entries.len(self.flat)).find_map(|i| match self.read_named(&cx, entries, i)? {
            (name, data) if name == key => Some(data),
            _ => None,
        })
    }

    /// The bytes of every inline delegate, used or not.
    pub fn inline_delegate_bytes(&self) -> usize {
        let field = schema::Program::backend_delegate_data;
        let cx = self.cx();
        let inline = self.root(&cx).tables(field);
        let bytes =
            |i| Some(inline.get(&cx, i, field)?.need_vector(schema::BackendDelegateInlineData::data, 1));
        (0..inline.len(self.flat)).filter_map(bytes).fold(0, |sum, data| sum.saturating_add(data.len()))
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
        let entry = self.program.read_named(&self.program.cx(), self.entries, self.next)?;
        self.next = self.next.saturating_add(1);
        Some(entry)
    }
}

impl core::fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Program")
            .field("header", &self.extended_header())
            .field("methods", &self.method_count())
            .field("segments", &self.segment_count())
            .finish_non_exhaustive()
    }
}
