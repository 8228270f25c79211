//! The delegate that ExecuTorch programs name `EthosUBackend`.
//!
//! A part's data is Vela's binary stream: a driver payload with the command stream, the constants,
//! the size of the scratch buffer and the inputs and outputs. When a method is loaded, everything is
//! compared with everything else: the payload with the NPU, what the command stream touches with the
//! memory there is, each tensor with what the NPU reads or writes in its place. At a run only bytes
//! are copied and the NPU started.
//!
//! | region | memory |
//! |---|---|
//! | 0 | constants, where they lie in the program or file |
//! | 1 | scratch, from the temporary arena; inputs and outputs lie in it |
//! | 2 | fast scratch: the buffer given to [`EthosUBackend::new`] |
//! | 3, 4 | inputs and outputs of a program compiled with regions of their own for them, from the temporary arena |
//! | 5 | what the program keeps between runs: see [`EthosUBackend::with_persistent`] |

use tombolo_ethosu::payload::Payload;
use tombolo_ethosu::regions::{self, Extents};
use tombolo_pte::vela::{BinStream, Block, Io, PERSISTENT_REGION, SCRATCH_REGION};
use tombolo_runtime::{
    CallSpec, Delegate, DelegateContext, DelegateError, DelegateInstance, DelegateIo, DelegateState, Dtype,
    TensorSpec,
};

use crate::driver::{Driver, RunStats};
use crate::error::BackendError;
use crate::io::{Job, Npu, Region};

/// The name by which programs ask for this backend.
pub const ID: &str = "EthosUBackend";

/// Alignment of everything that the NPU addresses.
const ALIGN: usize = 16;

/// Regions that a program may keep inputs and outputs in, besides scratch.
const IO_REGIONS: [u32; 2] = [3, 4];

/// Runs the parts of programs that were compiled for an Ethos-U.
pub struct EthosUBackend<'d, N> {
    driver: Driver<N>,
    fast: &'d mut [u8],
    persistent: &'d mut [u8],
    /// Bytes of `persistent` that parts already hold.
    persistent_used: usize,
    stats: Option<RunStats>,
}

impl<'d, N: Npu> EthosUBackend<'d, N> {
    /// A backend on `npu` with the driver's default settings. `fast_scratch` is the memory of region
    /// 2 (dedicated SRAM), 16-byte aligned; programs compiled for memory mode `Shared_Sram` or
    /// `Sram_Only` need none.
    pub fn new(npu: N, fast_scratch: &'d mut [u8]) -> Self {
        Self::with_driver(Driver::new(npu), fast_scratch)
    }

    /// A backend on a driver with settings of its own.
    pub fn with_driver(driver: Driver<N>, fast_scratch: &'d mut [u8]) -> Self {
        EthosUBackend { driver, fast: fast_scratch, persistent: &mut [], persistent_used: 0, stats: None }
    }

    /// Gives memory, 16-byte aligned, for what programs keep between runs (region 5). Each part of a
    /// program that keeps something gets a piece when it is loaded, and holds it as long as the
    /// backend lives.
    pub fn with_persistent(mut self, memory: &'d mut [u8]) -> Self {
        self.persistent = memory;
        self.persistent_used = 0;
        self
    }

    /// The driver.
    pub fn driver(&self) -> &Driver<N> {
        &self.driver
    }

    /// The driver, to be changed (as what the PMU counts).
    pub fn driver_mut(&mut self) -> &mut Driver<N> {
        &mut self.driver
    }

    /// What the last run left.
    pub fn stats(&self) -> Option<RunStats> {
        self.stats
    }
}

/// Validated data of a part.
struct Part<'p> {
    stream: BinStream<'p>,
    payload: &'p [u8],
    constants: &'p [u8],
}

impl<'p> Part<'p> {
    fn of(part: &DelegateInstance<'p>) -> Result<Part<'p>, BackendError> {
        let stream = BinStream::parse(part.def().blob).map_err(BackendError::Blob)?;
        let block = |block: Block<'p>, name: &'static str| match block {
            Block::Inline(bytes) => Ok(bytes),
            Block::External { key } => part.named(key).ok_or(BackendError::External { block: name }),
        };
        let payload = block(stream.cmd_data, "cmd_data")?;
        let constants = block(stream.weight_data, "weight_data")?;
        Ok(Part { stream, payload, constants })
    }

    /// Bytes that an input or output region must have: to the end of the last tensor in it.
    fn io_bytes(&self, region: u32) -> Option<usize> {
        self.stream
            .inputs
            .iter()
            .chain(self.stream.outputs.iter())
            .filter(|io| io.region == region)
            .try_fold(0usize, |most, io| Some(most.max(bytes_of(&io)?.checked_add(io.offset as usize)?)))
    }

    /// The pieces of the temporary arena: scratch, then the input and output regions.
    fn pieces(&self) -> Option<[usize; 3]> {
        let [a, b] = IO_REGIONS;
        Some([
            align_up(self.stream.scratch_size as usize)?,
            align_up(self.io_bytes(a)?)?,
            align_up(self.io_bytes(b)?)?,
        ])
    }
}

/// The state of a part between load and run.
#[derive(Clone, Copy)]
struct State {
    stream_offset: usize,
    stream_length: usize,
    persistent_offset: usize,
}

impl From<State> for DelegateState {
    fn from(state: State) -> DelegateState {
        DelegateState([state.stream_offset, state.stream_length, state.persistent_offset, 0])
    }
}

impl From<&DelegateState> for State {
    fn from(state: &DelegateState) -> State {
        let [stream_offset, stream_length, persistent_offset, _] = state.0;
        State { stream_offset, stream_length, persistent_offset }
    }
}

fn align_up(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(ALIGN)
}

/// Bytes of an input or output; `None` beyond what this CPU can address.
fn bytes_of(io: &Io) -> Option<usize> {
    elements_of(io)?.checked_mul(io.elem_size as usize)
}

fn elements_of(io: &Io) -> Option<usize> {
    io.shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size as usize))
}

/// How the bytes of an output come from the NPU's to the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copy {
    /// All of them.
    Whole,
    /// The NPU packs two 4-bit numbers in a byte, low half first.
    Nibbles,
    /// The NPU's innermost dimension is padded: so many bytes of so many.
    Rows { take: usize, of: usize },
}

/// Whether an element of the tensor is what the NPU has in `bytes` bytes.
fn fits(dtype: Dtype, bytes: u32) -> bool {
    matches!(
        (dtype, bytes),
        (Dtype::Char | Dtype::Byte | Dtype::Bool | Dtype::QInt8 | Dtype::QUInt8, 1)
            | (Dtype::Short, 2)
            | (Dtype::Int | Dtype::QInt32, 4)
    )
}

/// Compares an input with what the NPU reads.
fn plan_input(index: usize, io: &Io, tensor: &TensorSpec<'_>) -> Result<(), BackendError> {
    let side = "input";
    if !fits(tensor.dtype, io.elem_size) {
        return Err(BackendError::Element { side, index, dtype: tensor.dtype, bytes: io.elem_size });
    }
    let (have, want) = (tensor.shape.count(), elements_of(io));
    if Some(have) != want {
        let npu = want.unwrap_or(usize::MAX) as u64;
        return Err(BackendError::Count { side, index, tensor: have as u64, npu });
    }
    order(side, index, io, tensor)
}

/// Compares an output with what the NPU writes, and says how to copy it.
fn plan_output(index: usize, io: &Io, tensor: &TensorSpec<'_>) -> Result<Copy, BackendError> {
    let side = "output";
    let have = tensor.shape.count();
    let want = elements_of(io).unwrap_or(usize::MAX);
    let error = BackendError::Count { side, index, tensor: have as u64, npu: want as u64 };
    if tensor.dtype == Dtype::Char && io.elem_size == 1 && want.checked_mul(2) == Some(have) {
        return Ok(Copy::Nibbles);
    }
    if !fits(tensor.dtype, io.elem_size) {
        return Err(BackendError::Element { side, index, dtype: tensor.dtype, bytes: io.elem_size });
    }
    if have == want {
        order(side, index, io, tensor)?;
        return Ok(Copy::Whole);
    }
    // Rows of the NPU's innermost dimension, of which the tensor takes the front.
    let [outer @ .., last] = io.shape;
    let rows = outer.iter().try_fold(1usize, |rows, size| rows.checked_mul(*size as usize)).ok_or(error)?;
    let row = have.checked_div(rows).ok_or(error)?;
    let whole = row.checked_mul(rows) == Some(have);
    // The tensor's own innermost dimension must be such a row, or a row would end in its middle.
    let innermost = tensor.dim_order.last().map_or(1, |d| tensor.shape.dim(usize::from(*d)));
    if !whole || row == 0 || row > last as usize || row != innermost {
        return Err(error);
    }
    let bytes = |elements: usize| elements.checked_mul(io.elem_size as usize).ok_or(error);
    Ok(Copy::Rows { take: bytes(row)?, of: bytes(last as usize)? })
}

/// Compares the order of dimensions in memory. Vela folds dimensions of size 1 away and may join
/// others; only a shape of the same sizes in another order is certainly wrong.
fn order(side: &'static str, index: usize, io: &Io, tensor: &TensorSpec<'_>) -> Result<(), BackendError> {
    let npu = || io.shape.iter().map(|size| *size as usize).filter(|size| *size != 1);
    let ours =
        || tensor.dim_order.iter().map(|d| tensor.shape.dim(usize::from(*d))).filter(|size| *size != 1);
    if npu().eq(ours()) {
        return Ok(());
    }
    let times = |size: usize| (npu().filter(|s| *s == size).count(), ours().filter(|s| *s == size).count());
    let permuted = npu().chain(ours()).all(|size| {
        let (a, b) = times(size);
        a == b
    });
    if permuted { Err(BackendError::Order { side, index }) } else { Ok(()) }
}

/// Compares what the stream touches with the memory there is.
fn check_extents(part: &Part<'_>, extents: &Extents, fast: usize) -> Result<(), BackendError> {
    for (region, extent) in (0u8..).zip(&extents.regions) {
        if !extent.is_used() {
            continue;
        }
        if extent.below_start {
            return Err(BackendError::BelowRegion { region });
        }
        if region == 0 && extent.written {
            return Err(BackendError::WritesConstants);
        }
        let required = extent.end;
        let number = u32::from(region);
        let available = match number {
            0 => part.constants.len() as u64,
            SCRATCH_REGION => u64::from(part.stream.scratch_size),
            2 => {
                let available = fast as u64;
                if required > available {
                    return Err(BackendError::FastScratch { required, available });
                }
                available
            }
            PERSISTENT_REGION => u64::from(part.stream.persistent_size),
            _ if IO_REGIONS.contains(&number) => {
                part.io_bytes(number).and_then(align_up).map_or(0, |bytes| bytes as u64)
            }
            _ => 0,
        };
        if required > available {
            return Err(BackendError::Region { region, required, available });
        }
    }
    Ok(())
}

impl<'d, N: Npu> EthosUBackend<'d, N> {
    fn aligned(&self, region: Option<u8>, block: &'static str, bytes: &[u8]) -> Result<(), BackendError> {
        let address = self.driver.npu().address(region, bytes.as_ptr());
        if !bytes.is_empty() && address & (ALIGN as u64 - 1) != 0 {
            return Err(BackendError::BlockAlignment { block, address });
        }
        Ok(())
    }

    fn load(&mut self, instance: &DelegateInstance<'_>) -> Result<State, BackendError> {
        let part = Part::of(instance)?;
        let payload = Payload::parse(part.payload).map_err(BackendError::Payload)?;
        self.aligned(None, "cmd_data", payload.stream)?;
        self.aligned(Some(0), "weight_data", part.constants)?;
        self.aligned(Some(2), "fast scratch", self.fast)?;
        let info = self.driver.check(payload.config, payload.id)?;
        let extents = regions::extents(info.generation, payload.stream).map_err(BackendError::Stream)?;
        check_extents(&part, &extents, self.fast.len())?;
        for (side, list) in [("input", part.stream.inputs), ("output", part.stream.outputs)] {
            for (index, io) in list.iter().enumerate() {
                let known = io.region == SCRATCH_REGION || IO_REGIONS.contains(&io.region);
                if !known || bytes_of(&io).and_then(|n| n.checked_add(io.offset as usize)).is_none() {
                    return Err(BackendError::Place { side, index, region: io.region });
                }
            }
        }
        let persistent_offset = self.keep(&part)?;
        Ok(State {
            stream_offset: payload.stream_offset,
            stream_length: payload.stream.len(),
            persistent_offset,
        })
    }

    /// Takes memory for what a part keeps between runs, and fills it.
    fn keep(&mut self, part: &Part<'_>) -> Result<usize, BackendError> {
        let needed = part.stream.persistent_size as usize;
        let offset = self.persistent_used;
        if needed == 0 {
            return Ok(offset);
        }
        self.aligned(Some(PERSISTENT_REGION as u8), "persistent memory", self.persistent)?;
        let available = self.persistent.len().saturating_sub(offset) as u64;
        let error = BackendError::Persistent { required: needed as u64, available };
        let memory =
            self.persistent.get_mut(offset..).and_then(|rest| rest.get_mut(..needed)).ok_or(error)?;
        let init = part.stream.persistent_init.unwrap_or(&[]);
        for (to, from) in memory.iter_mut().zip(init.iter().copied().chain(core::iter::repeat(0))) {
            *to = from;
        }
        self.persistent_used =
            align_up(offset.saturating_add(needed)).map_or(self.persistent.len(), |end| end);
        Ok(offset)
    }

    fn compare(
        &self,
        instance: &DelegateInstance<'_>,
        call: &CallSpec<'_, '_>,
    ) -> Result<DelegateIo, BackendError> {
        let part = Part::of(instance)?;
        let (inputs, outputs) = (part.stream.inputs.len(), part.stream.outputs.len());
        let found = call.len();
        if inputs.checked_add(outputs) != Some(found) {
            return Err(BackendError::Arguments { inputs, outputs, found });
        }
        for (position, io) in part.stream.inputs.iter().enumerate() {
            let tensor = call.tensor(position).ok_or(BackendError::NotATensor { position })?;
            plan_input(position, &io, &tensor)?;
        }
        for (index, io) in part.stream.outputs.iter().enumerate() {
            let position = inputs.saturating_add(index);
            let tensor = call.tensor(position).ok_or(BackendError::NotATensor { position })?;
            plan_output(index, &io, &tensor)?;
        }
        let temp_bytes = part
            .pieces()
            .and_then(|pieces| pieces.into_iter().try_fold(0usize, usize::checked_add))
            .ok_or(BackendError::Temp { needed: usize::MAX, available: 0 })?;
        Ok(DelegateIo { inputs, outputs, temp_bytes, temp_align: ALIGN })
    }

    fn run(
        &mut self,
        instance: &DelegateInstance<'_>,
        state: State,
        context: &DelegateContext<'_, '_>,
    ) -> Result<(), DelegateError> {
        let part = Part::of(instance)?;
        let stream = part
            .payload
            .get(state.stream_offset..)
            .and_then(|rest| rest.get(..state.stream_length))
            .unwrap_or(&[]);
        let needed = context.io().temp_bytes;
        let temp = context
            .temp(needed, ALIGN)
            .map_err(|e| BackendError::Temp { needed: e.needed, available: e.available })?;
        let short = BackendError::Temp { needed, available: temp.len() };
        let [scratch, first, _] = part.pieces().ok_or(short)?;
        let (scratch, rest) = temp.split_at_mut_checked(scratch).ok_or(short)?;
        let (first, second) = rest.split_at_mut_checked(first).ok_or(short)?;

        for (index, io) in part.stream.inputs.iter().enumerate() {
            let changed = BackendError::Changed { side: "input", index };
            let tensor = context.input(index)?;
            let memory = region_mut(&io, scratch, first, second).ok_or(changed)?;
            if memory.len() != tensor.bytes().len() {
                return Err(changed.into());
            }
            copy(memory, tensor.bytes());
        }

        let mut job = Job::new(stream);
        let [weights, region1, region2, region3, region4, region5, ..] = &mut job.regions;
        *weights = Region::ReadOnly(part.constants);
        *region1 = Region::ReadWrite(scratch);
        if !self.fast.is_empty() {
            *region2 = Region::ReadWrite(self.fast);
        }
        if !first.is_empty() {
            *region3 = Region::ReadWrite(first);
        }
        if !second.is_empty() {
            *region4 = Region::ReadWrite(second);
        }
        if part.stream.persistent_size != 0 {
            let rest = self.persistent.get_mut(state.persistent_offset..).unwrap_or_default();
            if let Some(memory) = rest.get_mut(..part.stream.persistent_size as usize) {
                *region5 = Region::ReadWrite(memory);
            }
        }
        self.stats = None;
        let stats = self.driver.run(&mut job).map_err(BackendError::Npu)?;
        self.stats = Some(stats);

        // The job gives its memory back.
        let [_, region1, _, region3, region4, ..] = job.regions;
        let (scratch, first, second) = (memory_of(region1), memory_of(region3), memory_of(region4));
        for (index, io) in part.stream.outputs.iter().enumerate() {
            let changed = BackendError::Changed { side: "output", index };
            let mut tensor = context.output(index)?;
            let spec =
                TensorSpec { dtype: tensor.dtype(), shape: tensor.shape(), dim_order: tensor.dim_order() };
            let how = plan_output(index, &io, &spec)?;
            let memory = region_mut(&io, scratch, first, second).ok_or(changed)?;
            let fits = match how {
                Copy::Whole => memory.len() == tensor.bytes().len(),
                Copy::Nibbles => memory.len().checked_mul(2) == Some(tensor.bytes().len()),
                // The plan counted rows with the same numbers.
                Copy::Rows { .. } => true,
            };
            if !fits {
                return Err(changed.into());
            }
            match how {
                Copy::Whole => copy(tensor.bytes_mut(), memory),
                Copy::Nibbles => expand(tensor.bytes_mut(), memory),
                Copy::Rows { take, of } => copy_rows(tensor.bytes_mut(), take, memory, of),
            }
        }
        Ok(())
    }
}

/// The bytes of an input or output.
fn region_mut<'m>(
    io: &Io,
    scratch: &'m mut [u8],
    first: &'m mut [u8],
    second: &'m mut [u8],
) -> Option<&'m mut [u8]> {
    let memory = match io.region {
        SCRATCH_REGION => scratch,
        region if region == IO_REGIONS[0] => first,
        region if region == IO_REGIONS[1] => second,
        _ => return None,
    };
    memory.get_mut(io.offset as usize..)?.get_mut(..bytes_of(io)?)
}

fn memory_of<'j>(region: Region<'j>) -> &'j mut [u8] {
    match region {
        Region::ReadWrite(bytes) => bytes,
        _ => &mut [],
    }
}

/// Copies as many bytes as both have.
fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Copies the first `take` bytes of every `of`. (Written out because iterators over chunks divide.)
fn copy_rows(mut to: &mut [u8], take: usize, mut from: &[u8], of: usize) {
    if take == 0 {
        return;
    }
    while let (Some((row, rest)), Some((source, rest_from))) =
        (core::mem::take(&mut to).split_at_mut_checked(take), from.split_at_checked(of))
    {
        copy(row, source);
        (to, from) = (rest, rest_from);
    }
}

/// Two 4-bit two's complement numbers in a byte, low half first, to a byte each.
fn expand(to: &mut [u8], from: &[u8]) {
    let widen = |nibble: u8| (((nibble << 4) as i8) >> 4) as u8;
    for (to, from) in to.chunks_exact_mut(2).zip(from) {
        if let [low, high] = to {
            *low = widen(from & 15);
            *high = widen(from >> 4);
        }
    }
}

impl<N: Npu> Delegate for EthosUBackend<'_, N> {
    fn id(&self) -> &str {
        ID
    }

    fn init(&mut self, part: &DelegateInstance<'_>) -> Result<DelegateState, DelegateError> {
        Ok(self.load(part)?.into())
    }

    fn check(
        &self,
        part: &DelegateInstance<'_>,
        _state: &DelegateState,
        call: &CallSpec<'_, '_>,
    ) -> Result<DelegateIo, DelegateError> {
        Ok(self.compare(part, call)?)
    }

    fn execute(
        &mut self,
        part: &DelegateInstance<'_>,
        state: &DelegateState,
        context: &DelegateContext<'_, '_>,
    ) -> Result<(), DelegateError> {
        self.run(part, state.into(), context)
    }
}
