//! Checks beside a run: waits and block dependencies that do not protect what they should, and reads of memory
//! that nobody has written.
//!
//! The simulator carries operations out one after the other, so that a stream with a missing wait gives the
//! right result here and now and then a wrong one on hardware. [`Checks::hazards`] finds such streams. Copies
//! and operations run beside each other until a wait: what one of them writes the other must not touch before.
//! Operations follow each other through the pipeline block by block: with BLOCKDEP n, block `i` of an operation
//! may be read while the last `n - i` blocks of the operation before are not written yet. Blocks come in the
//! order depth, width, height; those of the input are found from those of the output. What operations read and
//! write is taken from their actual accesses.
//!
//! [`Checks::defined`] finds what a result may depend on by chance: every byte that is read must be among
//! those that were said to be defined, or written by the stream. Copies carry on what is not defined.
//!
//! Not checked: the banks of SHRAM, and operations that write what the operation before still reads (the
//! pipeline keeps their order).

use std::collections::VecDeque;
use std::fmt;

use tombolo_ethosu::cmd::{Command, Opcode, fields};
use tombolo_ethosu::enums;
use tombolo_ethosu::{Accelerator, Generation};

use crate::bus::{Access, Bus, BusFault};
use crate::decode;
use crate::op::{FeatureMap, Layout, Shape, Tiling, Upscale};
use crate::ranges::Ranges;
use crate::state::State;
use crate::timing::{Kind, Operation, System};

/// Findings that are kept of a run; more are only counted.
const MAX_FINDINGS: usize = 100;

/// Where the internal memory lies among the addresses of a bus, which has 40 bits.
const INTERNAL: u64 = 1 << 48;

/// What to check in runs.
#[derive(Debug, Clone, Default)]
pub struct Checks {
    /// Waits and block dependencies.
    pub hazards: bool,
    /// Reads of bytes that are neither among these (address and length on the bus) nor written by the stream.
    pub defined: Option<Vec<(u64, u64)>>,
}

/// Something that a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Position of the command in the stream, in bytes.
    pub position: u32,
    /// The command.
    pub command: Command,
    /// What is wrong with it.
    pub problem: Problem,
    /// First address concerned, and the one behind the last of that piece.
    pub addresses: (u64, u64),
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// A copy and an operation touch the same memory with no wait between them.
    NoWait {
        /// Position of the earlier one.
        earlier: u32,
        /// The earlier one.
        command: Command,
        /// Whether the later one reads what the earlier one writes.
        reads: bool,
    },
    /// The operation reads blocks that the one before may not have written yet.
    BlockDependency {
        /// Position of the earlier operation.
        earlier: u32,
        /// The earlier operation.
        command: Command,
        /// What BLOCKDEP allows.
        blockdep: u32,
        /// The most that would be right.
        allowed: u32,
    },
    /// Bytes are read that nobody has written.
    Undefined,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x} {} ", self.position, self.command.opcode.name())?;
        match self.problem {
            Problem::NoWait { earlier, command, reads } => {
                let (name, does) = (command.opcode.name(), if reads { "reads what" } else { "writes what" });
                let uses = if reads { "writes" } else { "uses" };
                write!(f, "{does} {name} at {earlier:#x} {uses}, and no wait lies between them")?;
            }
            Problem::BlockDependency { earlier, command, blockdep, allowed } => write!(
                f,
                "reads blocks that {} at {earlier:#x} may not have written yet: BLOCKDEP is {blockdep}, at most {allowed} would be right",
                command.opcode.name()
            )?,
            Problem::Undefined => f.write_str("reads bytes that nobody has written")?,
        }
        let (start, end) = self.addresses;
        if start >= INTERNAL {
            write!(f, " (internal memory, {:#x} to {:#x})", start - INTERNAL, end - INTERNAL - 1)
        } else {
            write!(f, " (addresses {start:#x} to {:#x})", end.saturating_sub(1))
        }
    }
}

/// What an operation or copy touches.
#[derive(Debug, Default)]
struct Touched {
    read: Ranges,
    written: Ranges,
}

/// One that may not have finished.
#[derive(Debug)]
struct Outstanding {
    position: u32,
    command: Command,
    touched: Touched,
    /// The last output that goes to memory.
    output: Option<Written>,
}

/// An output, as far as its blocks can be told apart.
#[derive(Debug, Clone, Copy)]
struct Written {
    map: FeatureMap,
    base: u64,
    shape: Shape,
    block: Shape,
    /// Neither transposed nor reversed.
    plain: bool,
}

/// The checker of one run.
#[derive(Debug)]
pub(crate) struct Checker {
    accelerator: Accelerator,
    system: System,
    hazards: bool,
    defined: Option<Ranges>,
    copies: VecDeque<Outstanding>,
    kernels: VecDeque<Outstanding>,
    current: Touched,
    undefined: Option<(u64, u64)>,
    /// What a copy has read and not written yet; `None` in an operation.
    copied: Option<Vec<(u64, u64)>>,
    pub(crate) findings: Vec<Finding>,
    /// Findings that were not kept.
    pub(crate) more: u64,
}

impl Checker {
    pub(crate) fn new(accelerator: Accelerator, checks: &Checks) -> Checker {
        let defined = checks.defined.as_ref().map(|list| {
            let mut ranges = Ranges::default();
            list.iter().for_each(|&(start, length)| ranges.add(start, length));
            ranges
        });
        Checker {
            accelerator,
            system: System::default_of(accelerator),
            hazards: checks.hazards,
            defined,
            copies: VecDeque::new(),
            kernels: VecDeque::new(),
            current: Touched::default(),
            undefined: None,
            copied: None,
            findings: Vec::new(),
            more: 0,
        }
    }

    /// The first of these bytes that are not defined.
    pub(crate) fn undefined(&self, address: u64, length: u64) -> Option<(u64, u64)> {
        self.defined.as_ref()?.gap(address, length)
    }

    fn report(&mut self, position: u32, command: Command, problem: Problem, addresses: (u64, u64)) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding { position, command, problem, addresses });
        } else {
            self.more += 1;
        }
    }

    /// Sees a wait.
    pub(crate) fn wait(&mut self, command: Command) {
        match command.opcode {
            Opcode::DmaWait => keep(&mut self.copies, fields::dma_wait::K_U85.get(command) as usize),
            Opcode::KernelWait => keep(&mut self.kernels, fields::kernel_wait::N_U85.get(command) as usize),
            _ => {}
        }
    }

    /// Sees an operation or copy that is about to be carried out.
    pub(crate) fn begin(&mut self, command: Command) {
        self.copied = (command.opcode == Opcode::DmaStart).then(Vec::new);
    }

    /// A copy carries on what is not defined: compilers copy whole lines. Only what goes elsewhere, to a
    /// table or as an index, must be defined.
    fn copy(&mut self, to: u64, length: u64) -> bool {
        let (Some(reads), Some(defined)) = (&mut self.copied, &mut self.defined) else { return false };
        let Some(at) = reads.iter().rposition(|(_, read)| *read == length) else { return false };
        let (from, _) = reads.remove(at);
        let mut gaps = Vec::new();
        let mut next = from;
        while let Some((start, end)) = defined.gap(next, from.saturating_add(length).saturating_sub(next)) {
            gaps.push((start - from, end - start));
            next = end;
        }
        defined.add(to, length);
        gaps.iter().for_each(|(offset, length)| defined.remove(to.saturating_add(*offset), *length));
        true
    }

    /// Sees an operation or copy that was carried out; what it touched came through [`Watch`].
    pub(crate) fn operation(&mut self, position: u32, command: Command, state: &State, basep: &[u64; 8]) {
        for (start, length) in self.copied.take().into_iter().flatten() {
            self.undefined = self.undefined.or_else(|| self.undefined(start, length));
        }
        if let Some(addresses) = self.undefined.take() {
            self.report(position, command, Problem::Undefined, addresses);
        }
        let mut touched = std::mem::take(&mut self.current);
        if !self.hazards {
            return;
        }
        if command.opcode == Opcode::DmaStart {
            internal_copy(self.accelerator.generation(), state, &mut touched);
            // The one that has no place any more is waited for.
            keep(&mut self.copies, (self.accelerator.max_outstanding_dma() as usize).saturating_sub(1));
            self.no_wait(position, command, &touched, false);
            self.copies.push_back(Outstanding { position, command, touched, output: None });
            return;
        }
        let operation = Operation::read(self.accelerator, &self.system.mode, command, state);
        table(self.accelerator, state, &mut touched.read);
        self.no_wait(position, command, &touched, true);
        let output = operation.as_ref().and_then(|operation| written(state, operation, basep));
        let in_chain = operation.as_ref().is_some_and(Operation::reads_chain);
        let head = if in_chain { self.kernels.pop_back() } else { None };
        keep(&mut self.kernels, (self.accelerator.max_outstanding_kernels() as usize).saturating_sub(1));
        if let Some(operation) = &operation {
            self.block_dependency(position, command, state, operation, &touched, basep);
        }
        let group = match head {
            Some(mut head) => {
                head.touched.read.merge(&touched.read);
                head.touched.written.merge(&touched.written);
                head.output = output.or(head.output);
                head
            }
            None => Outstanding { position, command, touched, output },
        };
        self.kernels.push_back(group);
    }

    /// Copies against operations, and the other way round.
    fn no_wait(&mut self, position: u32, command: Command, touched: &Touched, kernel: bool) {
        let others = if kernel { &self.copies } else { &self.kernels };
        let mut found = None;
        for other in others {
            let (read, written) = (&touched.read, &touched.written);
            let hazard = other.touched.written.common(read).map(|addresses| (true, addresses));
            let hazard = hazard
                .or_else(|| written.common(&other.touched.written).map(|addresses| (false, addresses)))
                .or_else(|| written.common(&other.touched.read).map(|addresses| (false, addresses)));
            if let Some((reads, addresses)) = hazard {
                found = Some((
                    Problem::NoWait { earlier: other.position, command: other.command, reads },
                    addresses,
                ));
            }
        }
        if let Some((problem, addresses)) = found {
            self.report(position, command, problem, addresses);
        }
    }

    fn block_dependency(
        &mut self,
        position: u32,
        command: Command,
        state: &State,
        operation: &Operation,
        touched: &Touched,
        basep: &[u64; 8],
    ) {
        let blockdep = state.find(Opcode::Blockdep).map_or(0, |command| u32::from(command.param & 7));
        let Some(before) = self.kernels.back() else { return };
        let Some(overlap) = touched.read.common(&before.touched.written).filter(|_| blockdep > 0) else {
            return;
        };
        let inputs = inputs(state, operation, basep);
        let (mut allowed, mut addresses) = (blockdep, overlap);
        match before.output.filter(|output| output.plain) {
            // Blocks that are turned cannot be told apart: any overlap needs the whole.
            None => allowed = 0,
            Some(output) => {
                for back in 0..blockdep {
                    let Some(last) = output.job(back) else { break };
                    for ahead in 0..blockdep - back {
                        let mut reads = inputs.iter().filter_map(|input| input.job(operation, ahead));
                        let common = reads.find_map(|read| read.common(&last));
                        if let Some(common) = common.filter(|_| back + ahead < allowed) {
                            (allowed, addresses) = (back + ahead, common);
                        }
                    }
                }
            }
        }
        if allowed < blockdep {
            let problem = Problem::BlockDependency {
                earlier: before.position,
                command: before.command,
                blockdep,
                allowed,
            };
            self.report(position, command, problem, addresses);
        }
    }
}

/// Drops the oldest until `left` are there.
fn keep(list: &mut VecDeque<Outstanding>, left: usize) {
    while list.len() > left {
        list.pop_front();
    }
}

/// Adds what a copy into the internal memory writes.
fn internal_copy(generation: Generation, state: &State, touched: &mut Touched) {
    use fields::dma0_dst_region as dst;
    let inside = state
        .find(Opcode::Dma0DstRegion)
        .is_some_and(|command| dst::REGION_MODE.get(command) == enums::dma_region_mode::INTERNAL);
    if let (true, Ok(start), Ok(length)) =
        (inside, state.address(Opcode::Dma0Dst), state.address(Opcode::Dma0Len))
    {
        let rows = match generation {
            Generation::U85 => 1,
            _ if state.find(Opcode::Dma0DstRegion).is_some_and(|c| dst::STRIDE_MODE.get(c) != 0) => {
                state.param(Opcode::Dma0Size0).map_or(1, u64::from)
            }
            _ => 1,
        };
        touched.written.add(INTERNAL + start, length.saturating_mul(rows));
    }
}

/// Adds the look-up table that an operation uses.
fn table(accelerator: Accelerator, state: &State, read: &mut Ranges) {
    let Some(activation) = state.find(Opcode::Activation) else { return };
    let bytes = decode::elem(state, &decode::OFM).map_or(1, |elem| u64::from(elem.bytes));
    if accelerator.generation() == Generation::U85 {
        use enums::activation_function_u85 as f;
        let size = match fields::activation::ACTIVATION_FUNCTION_U85.get(activation) {
            f::LUT_NONE => return,
            f::LUT_S16_S16 | f::LUT_S16_S32 => 2048,
            _ => 256 * bytes,
        };
        let index = u64::from(fields::activation::TABLE.get(activation));
        read.add(INTERNAL + index * size, size);
        return;
    }
    use enums::activation_function as f;
    let function = fields::activation::ACTIVATION_FUNCTION_U55_U65.get(activation);
    if (f::TABLE_0..=f::TABLE_7).contains(&function) {
        let start = u64::from(accelerator.lut_base()) + u64::from(function - f::TABLE_0) * 256;
        read.add(INTERNAL + start, if bytes == 1 { 256 } else { 2048 });
    }
}

fn tiling(state: &State, precision: Opcode) -> Tiling {
    let u85 = state.generation == Generation::U85;
    let storage = state.find(precision).map_or(0, |command| match precision {
        Opcode::OfmPrecision => fields::ofm_precision::ACTIVATION_STORAGE.get(command),
        _ => fields::ifm_precision::ACTIVATION_STORAGE.get(command),
    });
    if u85 && storage == enums::activation_storage::TILE3X1 { Tiling::T3x1 } else { Tiling::T2x2 }
}

/// The output of an operation in memory.
fn written(state: &State, operation: &Operation, basep: &[u64; 8]) -> Option<Written> {
    operation.ofm.port?;
    let plain = operation.stored.shape == operation.ofm.shape
        && (state.generation != Generation::U85 || {
            let precision = state.find(Opcode::OfmPrecision)?;
            fields::ofm_precision::ACTIVATION_REVERSE.get(precision) == enums::activation_reverse::NONE
                && fields::ofm_precision::ACTIVATION_TRANSPOSE.get(precision)
                    == enums::activation_transpose::HWC
        });
    let map =
        decode::feature_map(state, &decode::OFM, operation.stored.shape, tiling(state, Opcode::OfmPrecision));
    let map = map.ok()?;
    let base = *basep.get(usize::from(map.region & 7))?;
    Some(Written { map, base, shape: operation.ofm.shape, block: operation.ofm_block, plain })
}

/// Where block `index` begins, blocks ordered by depth, width, height.
fn place(shape: Shape, block: Shape, index: u64) -> Option<(u32, u32, u32)> {
    let count = |size: u32, block: u32| u64::from(size.div_ceil(block.max(1)));
    let (h, w, c) = (count(shape.h, block.h), count(shape.w, block.w), count(shape.c, block.c));
    if index >= h * w * c {
        return None;
    }
    let at = |i: u64, block: u32| u32::try_from(i).unwrap_or(u32::MAX).saturating_mul(block);
    Some((at(index / (w * c), block.h), at(index / c % w, block.w), at(index % c, block.c)))
}

impl Written {
    /// The bytes of the block `back` before the last.
    fn job(&self, back: u32) -> Option<Ranges> {
        let Shape { h, w, c } = self.block;
        let count = |size: u32, block: u32| u64::from(size.div_ceil(block.max(1)));
        let all = count(self.shape.h, h) * count(self.shape.w, w) * count(self.shape.c, c);
        let (y, x, z) = place(self.shape, self.block, all.checked_sub(u64::from(back) + 1)?)?;
        let end = |start: u32, block: u32, size: u32| start.saturating_add(block).min(size);
        let shape = self.shape;
        Some(area(
            &self.map,
            self.base,
            (y, end(y, h, shape.h)),
            (x, end(x, w, shape.w)),
            (z, end(z, c, shape.c)),
        ))
    }
}

/// An input in memory.
#[derive(Debug, Clone, Copy)]
struct Input {
    map: FeatureMap,
    base: u64,
    /// Blocks are those of the output moved by the kernel; else the input is taken whole.
    by_kernel: bool,
    /// 2 where rows and columns are doubled on the way in.
    scale: u32,
}

fn inputs(state: &State, operation: &Operation, basep: &[u64; 8]) -> Vec<Input> {
    let first = operation.ifm.port.map(|_| (&decode::IFM, operation.ifm.shape));
    let second = operation.ifm2.filter(|map| map.port.is_some()).map(|map| (&decode::IFM2, map.shape));
    let elementwise = matches!(operation.kind, Kind::Elementwise { .. });
    [first, second]
        .into_iter()
        .flatten()
        .filter_map(|(registers, shape)| {
            let map =
                decode::feature_map(state, registers, shape, tiling(state, registers.precision)).ok()?;
            let base = *basep.get(usize::from(map.region & 7))?;
            let whole = match operation.kind {
                Kind::Resize => true,
                Kind::Elementwise { .. } => shape != operation.ofm.shape,
                _ => registers.precision == Opcode::Ifm2Precision,
            };
            let doubled = !elementwise
                && operation.kind != Kind::Resize
                && decode::upscale(state).is_ok_and(|upscale| upscale != Upscale::None);
            Some(Input { map, base, by_kernel: !whole, scale: if doubled { 2 } else { 1 } })
        })
        .collect()
}

impl Input {
    /// The bytes that job `ahead` of the operation reads. An input that is not taken block by block is needed
    /// whole by the first.
    fn job(&self, operation: &Operation, ahead: u32) -> Option<Ranges> {
        let Shape { h, w, c } = self.map.shape;
        if !self.by_kernel {
            return (ahead == 0).then(|| area(&self.map, self.base, (0, h), (0, w), (0, c)));
        }
        // What is deep comes in pieces of the input's depth for each block of the output.
        let whole_depth = matches!(operation.kind, Kind::Conv | Kind::ReduceSum);
        let pieces = if whole_depth { u64::from(c.div_ceil(operation.ifm_block.c.max(1))) } else { 1 };
        let (block, piece) = (u64::from(ahead) / pieces, u64::from(ahead) % pieces);
        let (y, x, z) = place(operation.ofm.shape, operation.ofm_block, block)?;
        let kernel = &operation.kernel;
        let span = |start: u32, block: u32, size: u32, stride: u32, dilated: u32, pad: u32, limit: u32| {
            let end = start.saturating_add(block).min(size);
            let first = (u64::from(start) * u64::from(stride)).saturating_sub(pad.into());
            let last = (u64::from(end) - 1) * u64::from(stride) + u64::from(dilated);
            let last = last.saturating_sub(pad.into()).div_ceil(self.scale.into()).min(limit.into());
            let first = first / u64::from(self.scale);
            (u32::try_from(first).unwrap_or(limit).min(limit), u32::try_from(last).unwrap_or(limit))
        };
        let (ofm, blk) = (operation.ofm.shape, operation.ofm_block);
        let rows = span(y, blk.h, ofm.h, kernel.stride_y, kernel.dilated_h(), kernel.pad.top, h);
        let columns = span(x, blk.w, ofm.w, kernel.stride_x, kernel.dilated_w(), kernel.pad.left, w);
        let depth = if whole_depth {
            let start = u32::try_from(piece).unwrap_or(0).saturating_mul(operation.ifm_block.c);
            (start.min(c), start.saturating_add(operation.ifm_block.c).min(c))
        } else {
            (z.min(c), z.saturating_add(blk.c).min(c))
        };
        Some(area(&self.map, self.base, rows, columns, depth))
    }
}

/// The bytes of a box of a feature map: rows, columns, channels, each from, to.
fn area(map: &FeatureMap, base: u64, rows: (u32, u32), columns: (u32, u32), depth: (u32, u32)) -> Ranges {
    let mut ranges = Ranges::default();
    let size = u64::from(map.elem.bytes);
    for tile in map.tiles() {
        let rows = (rows.0.max(tile.y), rows.1.min(tile.y + tile.h));
        let columns = (columns.0.max(tile.x), columns.1.min(tile.x + tile.w));
        for y in rows.0..rows.1 {
            let row = base
                .wrapping_add(tile.base)
                .wrapping_add_signed(map.stride_y.wrapping_mul((y - tile.y).into()));
            for x in columns.0..columns.1 {
                let column = x - tile.x;
                match map.layout {
                    Layout::Nhwc => {
                        let at = row.wrapping_add_signed(map.stride_x.wrapping_mul(column.into()));
                        let length = u64::from(depth.1.saturating_sub(depth.0)) * size;
                        ranges.add(at.wrapping_add(u64::from(depth.0) * size), length);
                    }
                    Layout::Nhcwb16 => {
                        let mut z = depth.0;
                        while z < depth.1 {
                            let end = (z / 16 + 1).saturating_mul(16).min(depth.1);
                            let brick = row.wrapping_add_signed(map.stride_c.wrapping_mul((z / 16).into()));
                            let inside = (u64::from(column) * 16 + u64::from(z % 16)) * size;
                            ranges.add(brick.wrapping_add(inside), u64::from(end - z) * size);
                            z = end;
                        }
                    }
                }
            }
        }
    }
    ranges
}

/// A bus that tells the checker what goes through it.
pub(crate) struct Watch<'a> {
    pub(crate) bus: &'a mut dyn Bus,
    pub(crate) checker: &'a mut Checker,
}

impl Bus for Watch<'_> {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), BusFault> {
        self.bus.read(address, into)?;
        let length = into.len() as u64;
        let checker = &mut *self.checker;
        match &mut checker.copied {
            Some(reads) if checker.defined.is_some() => reads.push((address, length)),
            _ if checker.undefined.is_none() => checker.undefined = checker.undefined(address, length),
            _ => {}
        }
        if checker.hazards {
            checker.current.read.add(address, length);
        }
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), BusFault> {
        self.bus.write(address, from)?;
        let length = from.len() as u64;
        if !self.checker.copy(address, length)
            && let Some(defined) = &mut self.checker.defined
        {
            defined.add(address, length);
        }
        if self.checker.hazards {
            self.checker.current.written.add(address, length);
        }
        Ok(())
    }

    fn check(&mut self, address: u64, length: u64, access: Access) -> Result<(), BusFault> {
        self.bus.check(address, length, access)
    }

    fn precise(&self) -> bool {
        true
    }
}
