//! Operations to the words of a command stream.
//!
//! [`emit`] writes the registers that each operation uses, leaves out those that hold the value already, puts waits
//! where a copy and an operation touch the same bytes, and lets operations follow each other as closely as their
//! blocks allow. What the hardware would not take, or take for something else, is an error that names the operation,
//! the field and the value.
//!
//! | module | does |
//! |---|---|
//! | `u5x`, `u85` | what differs between the generations |
//! | `common`, `map` | what does not |
//! | `writer` | words, without repetition |
//! | `bytes`, `hazards`, `blockdep` | who touches what, and who waits for whom |
//!
//! Scales are written as the operation has them: the output of an argument maximum has a scale of `1 >> 16` rounded
//! down, and that of a resize 16 more of shift than its own (facts 3.5, 3.7). On U55 and U65 the scales of operands
//! belong to the left and right one, on U85 to `ifm` and `ifm2`. On U85 an operation that is `swapped` has its
//! second operand in the registers of the first, so that a number in a register can be the left operand.

mod blockdep;
mod bytes;
mod common;
mod hazards;
mod map;
mod u5x;
mod u85;
mod writer;

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::{Accelerator, Generation};

use crate::hw::{Dma, DmaTarget, KernelOp, Kind, LutKind, OfmScale, Operand, Operation, Pool};
use blockdep::{Before, blockdep};
use bytes::{Bytes, area};
use hazards::{INTERNAL, Outstanding, Touched};
use writer::Writer;

/// Words that a stream may have: 16 MiB (facts 1.6).
const MAX_WORDS: usize = 1 << 22;

/// A command stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emitted {
    /// The words, ended by STOP.
    pub words: Vec<u32>,
    /// Where the command that starts each operation stands, in words.
    pub places: Vec<usize>,
}

/// The command stream of these operations, one after the other.
///
/// Regions must be memories of their own: what two regions have in common is not seen.
///
/// # Errors
/// What the accelerator does not take: the operation's index, the field, and its value.
pub fn emit(ops: &[Operation], accelerator: Accelerator) -> Result<Emitted, String> {
    let mut stream = Stream::new(accelerator);
    if accelerator.generation() != Generation::U85 {
        u5x::begin(&mut stream.writer, accelerator)?;
    }
    let mut places = Vec::with_capacity(ops.len());
    for (i, op) in ops.iter().enumerate() {
        let place = match op {
            Operation::Kernel(op) => stream.kernel(op),
            Operation::Dma(dma) => stream.copy(dma),
        };
        places.push(place.map_err(|error| format!("operation {i}: {error}"))?);
    }
    stream.writer.operation(Opcode::Stop, &[(&fields::stop::MASK, 0xffff)])?;
    let words = stream.writer.words;
    if words.len() > MAX_WORDS {
        return Err(format!("a command stream of {} words; at most {MAX_WORDS} are possible", words.len()));
    }
    Ok(Emitted { words, places })
}

/// A stream under construction.
#[derive(Debug)]
struct Stream {
    accelerator: Accelerator,
    writer: Writer,
    copies: Outstanding,
    kernels: Outstanding,
    /// The last operation that is no copy.
    before: Option<Before>,
    /// Which slots of the table RAM hold something.
    tables: [bool; 8],
}

impl Stream {
    fn new(accelerator: Accelerator) -> Stream {
        Stream {
            accelerator,
            writer: Writer::new(accelerator.generation()),
            copies: Outstanding::new(accelerator.max_outstanding_dma()),
            kernels: Outstanding::new(accelerator.max_outstanding_kernels()),
            before: None,
            tables: [false; 8],
        }
    }

    fn u85(&self) -> bool {
        self.accelerator.generation() == Generation::U85
    }

    fn kernel(&mut self, op: &KernelOp) -> Result<usize, String> {
        let ifm = common::ifm_shape(op)?;
        self.table(op)?;
        if self.u85() {
            u85::registers(&mut self.writer, op, ifm, self.accelerator)?;
        } else {
            u5x::registers(&mut self.writer, op, ifm, self.accelerator)?;
        }
        let touched = self.touched(op, ifm)?;
        let most = self.accelerator.max_blockdep() as usize;
        let depth = match &self.before {
            None => 0,
            // The tables lie among the accumulators of an operation that has none.
            Some(before) if self.accelerator.lut_is_volatile() && before.table && op.lut.is_none() => 0,
            Some(before) => blockdep(before, op, &touched, ifm, most),
        };
        self.writer.number(Opcode::Blockdep, depth as i64)?;
        if let Some(left) = self.copies.wait(&touched) {
            self.dma_wait(left)?;
        }
        let place =
            if self.u85() { u85::start(&mut self.writer, op)? } else { u5x::start(&mut self.writer, op)? };
        self.before = Some(Before::new(op, touched.clone()));
        self.kernels.start(touched);
        Ok(place)
    }

    fn copy(&mut self, dma: &Dma) -> Result<usize, String> {
        if dma.length == 0 || dma.count.contains(&0) {
            return Err(format!("copy of {:?} rows of {} bytes", dma.count, dma.length));
        }
        if let DmaTarget::Lut { slot } = dma.target {
            let slots = dma.length.div_ceil(TABLE);
            let end = u64::from(slot).saturating_add(slots);
            if dma.count != [1, 1] || end > self.tables.len() as u64 {
                return Err(format!("copy of {} bytes to table slot {slot}", dma.length));
            }
            for table in self.tables.iter_mut().skip(slot.into()).take(slots as usize) {
                *table = true;
            }
        }
        if self.u85() {
            u85::copy(&mut self.writer, dma)?;
        } else {
            u5x::copy(&mut self.writer, dma, self.accelerator)?;
        }
        let touched = self.copied(dma);
        if let Some(left) = self.copies.wait(&touched) {
            self.dma_wait(left)?;
        }
        if let Some(left) = self.kernels.wait(&touched) {
            use fields::kernel_wait as f;
            let field = if self.u85() { &f::N_U85 } else { &f::N_U55_U65 };
            self.writer.operation(Opcode::KernelWait, &[(field, left as i64)])?;
        }
        self.copies.start(touched);
        self.writer.operation(Opcode::DmaStart, &[])
    }

    fn dma_wait(&mut self, left: usize) -> Result<(), String> {
        use fields::dma_wait as f;
        let field = if self.u85() { &f::K_U85 } else { &f::K_U55_U65 };
        self.writer.operation(Opcode::DmaWait, &[(field, left as i64)]).map(|_| ())
    }

    /// A table that is used must be there.
    fn table(&mut self, op: &KernelOp) -> Result<(), String> {
        let Some(lut) = op.lut else {
            if self.accelerator.lut_is_volatile() {
                self.tables = [false; 8];
            }
            return Ok(());
        };
        let slots = (table_bytes(lut.kind) / TABLE) as usize;
        let end = usize::from(lut.slot).saturating_add(slots);
        match self.tables.get(lut.slot.into()..end) {
            Some(tables) if tables.iter().all(|table| *table) => Ok(()),
            Some(_) => Err(format!("table slot {} holds no table", lut.slot)),
            None => Err(format!("table slot {} is not in 0 to {}", lut.slot, self.tables.len() - slots)),
        }
    }

    /// What an operation touches.
    fn touched(&self, op: &KernelOp, ifm: [usize; 3]) -> Result<Touched, String> {
        let mut touched = Touched::default();
        let whole = |map: &crate::hw::FeatureMap, [h, w, c]: [usize; 3]| {
            (map.region, area(map, (0, h), (0, w), (0, c)))
        };
        if op.kind != Kind::Pool(Pool::None) {
            touched.reads.push(whole(&op.ifm, ifm));
        }
        if let Some(Operand::Map(map)) = &op.ifm2 {
            touched.reads.push(whole(map, map.shape));
        }
        if !op.acc_keep {
            touched.writes.push(whole(&op.ofm, op.ofm.shape));
        }
        self.reach(&touched)?;
        if let Some(parameters) = &op.parameters {
            let mut add = |region: u8, streams: &[crate::hw::Bytes]| {
                touched.reads.extend(streams.iter().map(|b| (region, Bytes::piece(b.address, b.length))));
            };
            if matches!(op.kind, Kind::Conv | Kind::Depthwise) {
                add(parameters.weight_region, &parameters.weights);
            }
            if op.ofm_scale == OfmScale::PerChannel {
                add(parameters.scale_region, &parameters.scales);
            }
        }
        if let Some(lut) = op.lut {
            let start = u64::from(self.accelerator.lut_base()) + u64::from(lut.slot) * TABLE;
            touched.reads.push((INTERNAL, Bytes::piece(start, table_bytes(lut.kind))));
        }
        if self.accelerator.lut_is_volatile() {
            // Accumulators may lie where tables do.
            let all = u64::from(self.accelerator.shram_kib()) * 1024;
            touched.writes.push((INTERNAL, Bytes::piece(0, all)));
        }
        Ok(touched)
    }

    /// Maps must lie inside of what an address can name.
    fn reach(&self, touched: &Touched) -> Result<(), String> {
        let bits = if self.accelerator.generation() == Generation::U55 { 32 } else { 40 };
        for (region, bytes) in touched.reads.iter().chain(&touched.writes) {
            if let Some((start, end)) = bytes.ends().filter(|(start, end)| *start < 0 || *end > 1 << bits) {
                return Err(format!(
                    "bytes {start:#x} to {end:#x} of region {region} are beyond {bits} bits"
                ));
            }
        }
        Ok(())
    }

    /// What a copy touches.
    fn copied(&self, dma: &Dma) -> Touched {
        let [rows, planes] = dma.count;
        let grid = |start: u64, [row, plane]: [i64; 2]| {
            let start = i64::try_from(start).unwrap_or(i64::MAX);
            Bytes::grid(start, &[planes, rows], &[plane, row], dma.length)
        };
        let target = match dma.target {
            DmaTarget::Memory { region, address } => (region, grid(address, dma.target_strides)),
            DmaTarget::Lut { slot } => {
                let start = u64::from(self.accelerator.lut_base()) + u64::from(slot) * TABLE;
                (INTERNAL, Bytes::piece(start, dma.length))
            }
        };
        Touched { reads: vec![(dma.region, grid(dma.address, dma.source_strides))], writes: vec![target] }
    }
}

/// Bytes of a slot of the table RAM.
const TABLE: u64 = 256;

/// Bytes of a table.
fn table_bytes(kind: LutKind) -> u64 {
    match kind {
        LutKind::I8 => TABLE,
        LutKind::I16 | LutKind::I16ToI32 => 2048,
    }
}
