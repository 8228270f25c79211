//! The binary stream that ExecuTorch's Arm backend wraps around Vela's output: the blob of an `EthosUBackend` delegate.
//!
//! A stream is a row of blocks. A block is a header of 32 bytes (name, 16 bytes with zeros; data size, `u32`;
//! one byte that is 1 if the data is the key of data elsewhere; 11 zeros), then the data, zero-padded to a
//! multiple of 16. `vela_bin_stream` comes first, `vela_end_stream` last, both without data.
//!
//! The format has no version, and changed with ExecuTorch. All block sets that it shipped as `EthosUBackend`
//! (before 2025 `ArmBackend`, same framing) are read:
//!
//! | since | `scratch_…` | `inputs`, `outputs`: count, then per tensor | more |
//! |---|---|---|---|
//! | 2024 | `scratch_data`, that many zeros | 4 sizes (zeros behind), element size, offset, region | |
//! | 2025 | `scratch_size` | 6 sizes (ones in front), element size, offset, region | |
//! | 1.5 | `scratch_size` | the same | `cmd_data` and `weight_data` may be external |
//! | after 1.5 | `scratch_size` | the same | `persistent_size`, `persistent_init`; `vela_model` (NXP) |
//!
//! The prototype of 2023, with a first block of 16 bytes and `input_offset`, `input_shape`, … apart, is not.

use crate::error::{Error, ErrorKind, fail};
use crate::flat::{range, u32_at};
use crate::program::check_address;
use crate::schema::{BinStream as f, Field};

const HEADER: usize = 32;

/// The region of the command stream whose base is the scratch buffer.
pub const SCRATCH_REGION: u32 = 1;

/// The region of the command stream whose base is the buffer that keeps its content between runs.
pub const PERSISTENT_REGION: u32 = 5;

/// Data of a stream: in it, or elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Block<'a> {
    /// In the stream, at a multiple of 16 from its start.
    Inline(&'a [u8]),
    /// In a `.ptd` file, or in the named data of the program.
    External {
        /// The name there: 64 characters.
        key: &'a str,
    },
}

impl core::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Block::Inline(data) => write!(f, "Inline({} bytes)", data.len()),
            Block::External { key } => write!(f, "External({key})"),
        }
    }
}

/// A tensor at the border of the NPU's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// The sizes, with ones in front. The order of dimensions is that of the delegate's border; where a
    /// dimension is 1, Vela may have folded it away, so that only the number of elements can be relied on.
    pub shape: [u32; 6],
    /// The bytes of an element.
    pub elem_size: u32,
    /// Where it starts in its region.
    pub offset: u32,
    /// The region: the scratch buffer, unless the stream was compiled with separate regions for inputs and outputs.
    pub region: u32,
}

impl Io {
    /// The number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().fold(1, |count: usize, &size| count.saturating_mul(size as usize))
    }

    /// The bytes of all elements.
    pub fn nbytes(&self) -> usize {
        self.count().saturating_mul(self.elem_size as usize)
    }
}

/// The inputs or the outputs of a stream.
#[derive(Clone, Copy)]
pub struct IoList<'a> {
    bytes: &'a [u8],
    /// 4 or 6 sizes per tensor.
    dims: usize,
}

impl<'a> IoList<'a> {
    const EMPTY: IoList<'static> = IoList { bytes: &[], dims: 6 };

    fn read(data: &'a [u8], at: usize, field: Field, scratch: u32) -> Result<IoList<'a>, Error> {
        let wrong = Error::new(ErrorKind::OutOfBounds, field, at);
        let count = u32_at(data, 0).and_then(|count| usize::try_from(count).ok()).ok_or(wrong)?;
        let bytes = data.get(4..).ok_or(wrong)?;
        let dims = [6, 4].into_iter().find(|dims| count.checked_mul((dims + 3) * 4) == Some(bytes.len()));
        let list = IoList { bytes, dims: dims.ok_or(wrong)? };
        for i in 0..list.len() {
            list.check(i, scratch).map_err(|kind| Error::new(kind, field, at))?;
        }
        Ok(list)
    }

    fn check(&self, i: usize, scratch: u32) -> Result<(), ErrorKind> {
        let io = self.get(i).ok_or(ErrorKind::OutOfBounds)?;
        let negative = |x: u32| x > i32::MAX as u32;
        if negative(io.elem_size)
            || negative(io.offset)
            || negative(io.region)
            || io.shape.iter().any(|&s| negative(s))
        {
            return Err(ErrorKind::Negative);
        }
        if io.elem_size == 0 {
            return Err(ErrorKind::Unknown);
        }
        if io.region > 7 {
            return Err(ErrorKind::Index);
        }
        let nbytes = io.shape.iter().try_fold(io.elem_size as usize, |n, &size| n.checked_mul(size as usize));
        let end = nbytes.and_then(|n| n.checked_add(io.offset as usize)).ok_or(ErrorKind::Overflow)?;
        if io.region == SCRATCH_REGION && end as u64 > u64::from(scratch) {
            return Err(ErrorKind::PlanTooSmall);
        }
        Ok(())
    }

    fn width(&self) -> usize {
        (self.dims + 3) * 4
    }

    /// The number of tensors.
    pub fn len(&self) -> usize {
        // `width` is never 0; `checked_div` spares the device the code for it.
        self.bytes.len().checked_div(self.width()).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Tensor `i`.
    pub fn get(&self, i: usize) -> Option<Io> {
        let words = range(self.bytes, i.checked_mul(self.width())?, self.width())?;
        let word = |w: usize| u32_at(words, w * 4);
        let mut shape = [1; 6];
        let sizes = match self.dims {
            // In the old form, absent dimensions are zeros behind the others.
            4 => (0..4).take_while(|&w| word(w) != Some(0)).count(),
            dims => dims,
        };
        for (to, w) in shape.iter_mut().skip(6usize.saturating_sub(sizes)).zip(0..sizes) {
            *to = word(w)?;
        }
        Some(Io {
            shape,
            elem_size: word(self.dims)?,
            offset: word(self.dims + 1)?,
            region: word(self.dims + 2)?,
        })
    }

    /// The tensors in their order.
    pub fn iter(&self) -> impl Iterator<Item = Io> + Clone + use<'a> {
        let list = *self;
        (0..self.len()).filter_map(move |i| list.get(i))
    }
}

impl core::fmt::Debug for IoList<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The blob of an `EthosUBackend` delegate.
#[derive(Clone, Copy, Debug)]
pub struct BinStream<'a> {
    /// The driver's payload: `COP1` or `COP2`, configuration, command stream.
    pub cmd_data: Block<'a>,
    /// Weights, scales and tables in the NPU's coding, read only. One zero byte in a program without any.
    pub weight_data: Block<'a>,
    /// The bytes of the scratch buffer.
    pub scratch_size: u32,
    /// The inputs, in the order of the delegate's arguments.
    pub inputs: IoList<'a>,
    /// The outputs, in the order of the delegate's arguments.
    pub outputs: IoList<'a>,
    /// The bytes of the buffer of region 5 that keeps its content between runs; 0 for none.
    pub persistent_size: u32,
    /// What that buffer holds before the first run; zeros if `None`.
    pub persistent_init: Option<&'a [u8]>,
    /// The same network as Vela's TensorFlow Lite file, for NXP's Linux driver.
    pub vela_model: Option<&'a [u8]>,
}

/// A block as it stands in the stream.
struct Raw<'a> {
    name: &'a [u8; 16],
    external: bool,
    data: &'a [u8],
    /// Where the block and the next one start.
    at: usize,
    next: usize,
}

impl<'a> Raw<'a> {
    fn read(blob: &'a [u8], at: usize) -> Result<Raw<'a>, Error> {
        let truncated = Error::new(ErrorKind::Truncated, f::block_name, at);
        let header = range(blob, at, HEADER).ok_or(truncated)?;
        let name = header.first_chunk::<16>().ok_or(truncated)?;
        let size = u32_at(header, 16).ok_or(truncated)?;
        let too_long = Error::new(ErrorKind::OutOfBounds, f::block_size, at.saturating_add(16));
        let start = at.checked_add(HEADER).ok_or(too_long)?;
        let size = usize::try_from(size).map_err(|_| too_long)?;
        let data = range(blob, start, size).ok_or(too_long)?;
        let next =
            start.checked_add(size).and_then(|end| end.checked_next_multiple_of(16)).ok_or(too_long)?;
        if next > blob.len() {
            return Err(too_long);
        }
        let external = match header.get(20..) {
            Some([flag @ 0..=1, reserved @ ..]) if reserved.iter().all(|&b| b == 0) => *flag == 1,
            _ => return fail(ErrorKind::Unknown, f::block_external, at.saturating_add(20)),
        };
        Ok(Raw { name, external, data, at, next })
    }

    fn is(&self, name: &[u8]) -> bool {
        match self.name.split_at_checked(name.len()) {
            Some((text, rest)) => text == name && rest.iter().all(|&b| b == 0),
            None => false,
        }
    }

    fn block(&self, field: Field) -> Result<Block<'a>, Error> {
        if !self.external {
            return Ok(Block::Inline(self.data));
        }
        match core::str::from_utf8(self.data) {
            Ok(key) if key.len() == 64 => Ok(Block::External { key }),
            Ok(_) => fail(ErrorKind::OutOfBounds, field, self.at),
            Err(_) => fail(ErrorKind::Utf8, field, self.at),
        }
    }

    /// The data of a block that may not be elsewhere.
    fn inline(&self, field: Field) -> Result<&'a [u8], Error> {
        if self.external { fail(ErrorKind::Unsupported, field, self.at) } else { Ok(self.data) }
    }

    fn number(&self, field: Field) -> Result<u32, Error> {
        match self.inline(field)? {
            &[a, b, c, d] => Ok(u32::from_le_bytes([a, b, c, d])),
            _ => fail(ErrorKind::OutOfBounds, field, self.at),
        }
    }
}

/// Puts a block where it belongs, which must be empty.
fn fill<T>(place: &mut Option<T>, value: T, field: Field, at: usize) -> Result<(), Error> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => fail(ErrorKind::Duplicate, field, at),
    }
}

impl<'a> BinStream<'a> {
    /// Reads and checks the blob of a delegate. After this no getter fails.
    ///
    /// Tensors of the scratch region lie inside of the scratch buffer. The command stream is not looked at,
    /// but for its first four letters when it is inline.
    ///
    /// # Errors
    /// At the first thing that is wrong; see [`Error`], whose offsets count from the start of the blob. Among
    /// them a blob that does not start at a 16-byte aligned address, which the NPU's bus could not read.
    pub fn parse(blob: &'a [u8]) -> Result<BinStream<'a>, Error> {
        check_address(blob, f::address)?;
        let first = Raw::read(blob, 0)?;
        if !first.is(b"vela_bin_stream") || !first.inline(f::vela_bin_stream)?.is_empty() {
            return fail(ErrorKind::Identifier, f::vela_bin_stream, 0);
        }
        let (mut cmd, mut weights, mut scratch) = (None, None, None);
        let (mut inputs, mut outputs) = (None, None);
        let (mut persistent_size, mut persistent_init, mut vela_model) = (None, None, None);
        let mut at = first.next;
        let end = loop {
            let raw = Raw::read(blob, at)?;
            if raw.is(b"cmd_data") {
                let block = raw.block(f::cmd_data)?;
                match block {
                    Block::Inline(data) if !data.starts_with(b"COP1") && !data.starts_with(b"COP2") => {
                        return fail(ErrorKind::Identifier, f::cmd_data, at);
                    }
                    _ => fill(&mut cmd, block, f::cmd_data, at)?,
                }
            } else if raw.is(b"weight_data") {
                fill(&mut weights, raw.block(f::weight_data)?, f::weight_data, at)?;
            } else if raw.is(b"scratch_size") {
                fill(&mut scratch, raw.number(f::scratch_size)?, f::scratch_size, at)?;
            } else if raw.is(b"scratch_data") {
                // Cannot fail: the size came from 32 bits.
                let size = u32::try_from(raw.inline(f::scratch_size)?.len()).unwrap_or(u32::MAX);
                fill(&mut scratch, size, f::scratch_size, at)?;
            } else if raw.is(b"inputs") {
                fill(&mut inputs, (raw.inline(f::inputs)?, at), f::inputs, at)?;
            } else if raw.is(b"outputs") {
                fill(&mut outputs, (raw.inline(f::outputs)?, at), f::outputs, at)?;
            } else if raw.is(b"persistent_size") {
                fill(&mut persistent_size, raw.number(f::persistent_size)?, f::persistent_size, at)?;
            } else if raw.is(b"persistent_init") {
                fill(&mut persistent_init, raw.inline(f::persistent_init)?, f::persistent_init, at)?;
            } else if raw.is(b"vela_model") {
                fill(&mut vela_model, raw.inline(f::vela_model)?, f::vela_model, at)?;
            } else if raw.is(b"vela_end_stream") {
                break raw;
            } else {
                return fail(ErrorKind::Unknown, f::block_name, at);
            }
            at = raw.next;
        };
        if !end.inline(f::vela_end_stream)?.is_empty() || end.next != blob.len() {
            return fail(ErrorKind::Trailing, f::vela_end_stream, end.at);
        }
        let missing = |field| Error::new(ErrorKind::Missing, field, end.at);
        let scratch_size = scratch.ok_or(missing(f::scratch_size))?;
        let list = |found: Option<(&'a [u8], usize)>, field| {
            let (data, at) = found.ok_or(missing(field))?;
            IoList::read(data, at.saturating_add(HEADER), field, scratch_size)
        };
        let stream = BinStream {
            cmd_data: cmd.ok_or(missing(f::cmd_data))?,
            weight_data: weights.ok_or(missing(f::weight_data))?,
            scratch_size,
            inputs: list(inputs, f::inputs)?,
            outputs: list(outputs, f::outputs)?,
            persistent_size: persistent_size.unwrap_or(0),
            persistent_init,
            vela_model,
        };
        match stream.persistent_init {
            Some(init) if init.len() as u64 > u64::from(stream.persistent_size) => {
                fail(ErrorKind::PlanTooSmall, f::persistent_init, end.at)
            }
            _ => Ok(stream),
        }
    }
}

impl Default for IoList<'_> {
    fn default() -> Self {
        IoList::EMPTY
    }
}
