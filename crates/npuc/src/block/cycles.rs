//! How long an operation takes with a block configuration.
//!
//! Structure and constants are those of the estimate in Vela 5.2.0 (`ethos_u55_performance.cpp`,
//! `ethos_u85_performance.cpp`; `docs/timing.md` says what it is worth), applied to one operation: its blocks
//! go one after the other through the MAC array and the output stage, the slower of which sets the pace; starting
//! blocks takes time; and the memory behind each port moves all that the operation reads and writes.

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::system::{MemorySpec, Port};

use super::shape::Shape;
use super::task::{Class, Map, Stream, Task};
use super::{Bound, Cycles, Neighbours, System};
use crate::hw::{Elementwise, Pool, Upscale};

/// A cut into blocks, as far as cycles depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    pub(super) ofm: Shape,
    pub(super) ublock: Shape,
    pub(super) part_kernel: bool,
}

/// Cycles of the output stage per element: by kind of output, of a table, of an output whose columns come first
/// (U85), and of resizes that enlarge little or much, of 8 and of 16 bits (U85).
struct OutputStage {
    output: [f64; 8],
    table: f64,
    turned: f64,
    resize: [[f64; 2]; 2],
}

const fn u5x(output: [f64; 8], table: f64) -> OutputStage {
    OutputStage { output, table, turned: 0.0, resize: [[0.0; 2]; 2] }
}

const fn u85(o: [f64; 6], table: f64, turned: f64, resize: [[f64; 2]; 2]) -> OutputStage {
    OutputStage { output: [o[0], o[1], o[2], o[3], o[4], o[5], 0.0, 0.0], table, turned, resize }
}

/// Source: `s_EthosU55PerfInfo`, `s_EthosU65PerfInfo`, `s_EthosU85PerfInfo`.
const fn output_stage(accelerator: Accelerator) -> OutputStage {
    use Accelerator as A;
    match accelerator {
        A::U55_32 => u5x([2.0, 3.0, 3.0, 3.0, 4.0, 6.0, 1.0, 2.0], 1.0),
        A::U55_64 => u5x([1.0, 1.5, 1.5, 1.5, 2.0, 3.0, 0.5, 1.0], 1.0),
        A::U55_128 => u5x([0.75, 1.25, 0.75, 0.75, 1.0, 1.5, 0.25, 0.5], 1.0),
        A::U55_256 | A::U65_256 => u5x([0.625, 1.125, 0.5, 0.375, 0.5, 0.75, 0.125, 0.25], 1.0),
        A::U65_512 => u5x([0.3125, 0.5625, 0.25, 0.1875, 0.25, 0.375, 0.0625, 0.125], 0.5),
        A::U85_128 => u85([0.5, 0.5, 0.5, 1.0, 1.0, 1.0], 0.5, 1.0, [[0.5, 1.0], [0.5, 1.0]]),
        A::U85_256 => u85([0.25, 0.25, 0.25, 0.5, 0.5, 0.5], 0.25, 0.5, [[0.25, 0.5], [0.25, 0.5]]),
        A::U85_512 => u85([0.125, 0.125, 0.25, 0.5, 0.25, 0.25], 0.125, 0.25, [[0.125, 0.25], [0.125, 0.25]]),
        A::U85_1024 => {
            u85([0.0625, 0.125, 0.25, 0.5, 0.125, 0.25], 0.0625, 0.125, [[0.125, 0.125], [0.0625, 0.125]])
        }
        A::U85_2048 => u85(
            [0.03125, 0.0625, 0.125, 0.25, 0.0625, 0.125],
            0.03125,
            0.0625,
            [[0.0625, 0.0625], [0.03125, 0.0625]],
        ),
    }
}

/// What U85 has a channel of its own for at each port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// Inputs that are read once: elementwise, resize, the second one of a matrix product.
    Stream,
    Weights,
    FastWeights,
    Ifm,
    Scales,
    Write,
}

const CHANNELS: [Channel; 6] =
    [Channel::Stream, Channel::Ifm, Channel::Scales, Channel::Write, Channel::Weights, Channel::FastWeights];

/// Words of 16 bytes in the buffer of each reading channel, in the order of [`Channel`].
const fn read_buffers(accelerator: Accelerator) -> [u32; 5] {
    use Accelerator as A;
    match accelerator {
        A::U85_128 => [64, 128, 128, 104, 16],
        A::U85_256 => [104, 128, 128, 128, 16],
        A::U85_512 => [128, 256, 256, 128, 16],
        A::U85_1024 => [256, 416, 208, 256, 16],
        _ => [256, 512, 256, 256, 16],
    }
}

/// The memory behind a port.
#[derive(Debug, Clone, Copy)]
struct Memory {
    burst: u64,
    read_latency: u64,
    write_latency: u64,
    bytes_per_cycle: f64,
    /// The same for each channel (U85).
    channels: [f64; 6],
}

/// Bytes through a port, bursts that are only partly used counted whole.
#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    bytes: u64,
    channels: [u64; 6],
}

/// What takes time, for all cuts of one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model {
    task: Task,
    memories: [Memory; 2],
    /// Of the output stage.
    per_element: f64,
    cores: u64,
    decoders: u64,
    smallest: bool,
}

fn index(port: Port) -> usize {
    match port {
        Port::Axi0 => 0,
        Port::Axi1 => 1,
    }
}

fn channel_rate(accelerator: Accelerator, memory: &MemorySpec, whole: f64, channel: Channel) -> f64 {
    let (most, latency) = match channel {
        Channel::Write => (memory.max_writes, memory.write_latency),
        _ => (memory.max_reads, memory.read_latency),
    };
    // What may be in flight, by the memory's transactions and the channel's buffer, comes back after the latency.
    let mut in_flight = f64::from(most) * f64::from(memory.ports_used) * 0.8;
    if let Some(&buffer) = read_buffers(accelerator).get(channel as usize) {
        in_flight = in_flight.min(f64::from(buffer) / f64::from((memory.burst_length / 16).max(1)));
    }
    let limit = f64::from(memory.burst_length) * in_flight / f64::from(latency.max(1)) * 0.8;
    if limit > 0.0 { whole.min(limit) } else { whole }
}

impl Model {
    pub(super) fn new(task: Task, system: &System<'_>) -> Model {
        let accelerator = task.accelerator;
        let memories = [Port::Axi0, Port::Axi1].map(|port| {
            let memory = system.config.memory(port);
            let whole = system.config.bytes_per_cycle(accelerator.generation(), port);
            let mut channels = [whole; 6];
            if task.u85 {
                for channel in CHANNELS {
                    channels[channel as usize] = channel_rate(accelerator, memory, whole, channel);
                }
            }
            Memory {
                burst: memory.burst_length.max(1).into(),
                read_latency: memory.read_latency.into(),
                write_latency: memory.write_latency.into(),
                bytes_per_cycle: whole,
                channels,
            }
        });
        let stage = output_stage(accelerator);
        let per_element = if task.u85 { output_u85(&task, &stage) } else { output_u5x(&task, &stage) };
        Model {
            task,
            memories,
            per_element,
            cores: accelerator.cores().max(1).into(),
            decoders: if task.u85 { accelerator.spec().weight_decoders.max(1).into() } else { 1 },
            smallest: accelerator == Accelerator::U55_32,
        }
    }

    fn memory(&self, port: Port) -> &Memory {
        &self.memories[index(port)]
    }

    /// The block of input that cycles go by.
    fn ifm_block(&self, cut: &Cut, ublock: Shape) -> Shape {
        let task = &self.task;
        if matches!(task.class, Class::Elementwise(_)) {
            return cut.ofm;
        }
        // With zeros between them or each twice: half as many are read.
        let upscale = if task.upscale == Upscale::None { Upscale::None } else { Upscale::Zeros };
        let (h, w) = task.reach(cut.ofm, ublock, upscale);
        let depth = task.ifm_block_depth(ublock, cut.part_kernel);
        Shape::new(h, w, depth.unwrap_or(cut.ofm.c))
    }

    /// Bytes on the bus for `elements` of a map taken block by block.
    fn transfer(&self, read: bool, map: &Map, block: Shape, elements: u64) -> u64 {
        let Some(port) = map.port else { return 0 };
        let bits = map.bits;
        let cores = if read || self.task.u85 { 1 } else { self.cores };
        // How much of it lies in one piece.
        let run = if map.brick {
            let plane = map.shape.w * bits * 16 / 8;
            if plane == block.c { bits * block.w * block.c } else { 16 * bits * block.w * cores }
        } else {
            let column = map.shape.c * bits / 8;
            match (read, column == block.c) {
                (true, true) => bits * block.w * block.c,
                (true, false) => bits * block.c,
                (false, true) if block.c <= 16 => bits * block.w * block.c,
                (false, _) => (64 * 8).min(16 * bits * cores).min(block.c * bits),
            }
        };
        let longest = self.memory(port).burst;
        let burst = longest.min(run / 8).max(1);
        (elements * bits / 8).saturating_mul(longest) / burst
    }

    /// Until the first block of the inputs is there.
    fn first_read(&self, ifm_block: Shape) -> u64 {
        let of = |map: &Map| {
            let memory = self.memory(map.port?);
            let bytes = self.transfer(true, map, ifm_block, ifm_block.min(map.shape).elements());
            Some(memory.read_latency + (bytes as f64 / memory.bytes_per_cycle) as u64)
        };
        let second = self.task.ifm2.as_ref().and_then(of);
        of(&self.task.ifm).max(second).unwrap_or(0)
    }

    /// To write the last block of the output.
    fn last_write(&self, stored_block: Shape) -> u64 {
        let map = &self.task.stored;
        let Some(port) = map.port else { return 0 };
        let memory = self.memory(port);
        let bytes = self.transfer(false, map, stored_block, stored_block.min(map.shape).elements());
        memory.write_latency + (bytes as f64 / memory.bytes_per_cycle) as u64
    }

    /// Cycles of the MAC array for a block of output, and whether they are those of the weights: decoding them
    /// takes longer than using them.
    fn mac_per_block(&self, cut: &Cut, ublock: Shape, ifm_block: Shape) -> (u64, bool) {
        let task = &self.task;
        let ifm_block = ifm_block.min(task.ifm.shape);
        let count = cut.ofm.min(task.ofm).blocks(ublock);
        let (area, deep) = (count.h * count.w, count.c);
        let bits = task.ifm.bits;
        let weights = 32 * ublock.c / (8 * self.decoders);
        let groups = ifm_block.c.div_ceil(8);
        let sparse = if task.sparse { 2 } else { 1 };
        let conv = matches!(task.class, Class::Conv { .. });
        let part_kernel = conv && cut.part_kernel;
        let delay = match () {
            () if self.smallest && task.wide() => 7,
            () if self.smallest => 3,
            () if task.wide() && task.accelerator.macs() <= 128 => 3,
            () => 2,
        };
        let mut total = 0u64;
        let mut decoding = false;
        let mut slower = |compute: u64| {
            decoding |= weights > compute;
            weights.max(compute)
        };
        let mut piece = |taps: u64| {
            let (steps, cycles) = match task.class {
                Class::Pool(_) => {
                    let each = taps.max(4) * area * deep;
                    (1, if self.smallest { each } else { each * bits / 2 })
                }
                Class::Depthwise => {
                    let steps = taps.div_ceil(4);
                    (steps, slower(4 * area * bits / 8) * steps * deep)
                }
                _ if part_kernel => {
                    let steps = taps.div_ceil(if bits == 16 { 2 } else { 4 });
                    (steps, slower(4 * area) * steps * deep * groups / sparse)
                }
                _ if task.u85 => {
                    let step = slower((ifm_block.c / 8) * area);
                    (taps, step * taps * deep * (bits / 8) / sparse)
                }
                _ => (taps, slower(4 * area) * taps * deep),
            };
            let mut waiting = match (area, deep) {
                (1, 1) => delay * steps,
                (1, _) => delay * (steps - 1) * deep,
                _ => 0,
            };
            if self.smallest && task.wide() && deep > 1 && (count.w == 1 || count.h == 1) {
                waiting += delay * deep;
            }
            if part_kernel {
                waiting *= groups;
            }
            cycles + waiting
        };
        // Pieces of the window of eight by eight and what is left of it, at the right and below.
        let parts = |size: u64| [(size / 8, 8), (u64::from(!size.is_multiple_of(8)), size % 8)];
        for (columns, width) in parts(task.taps[1]) {
            for (rows, height) in parts(task.taps[0]) {
                if columns * rows > 0 {
                    total = total.saturating_add(columns * rows * piece(width * height));
                }
            }
        }
        if conv || task.class == Class::ReduceSum {
            total = total.saturating_mul(task.ifm.shape.c.div_ceil(ifm_block.c.max(1)));
        }
        (if task.u85 { total } else { total / self.cores }, decoding && task.weights.is_some())
    }

    /// A bound below the cycles that the MAC array takes with blocks no larger than that of `cut`.
    pub(super) fn least_mac(&self, cut: &Cut) -> u64 {
        let task = &self.task;
        if matches!(task.class, Class::Elementwise(_) | Class::Resize(_)) {
            return 0;
        }
        let ublock = task.working_ublock(cut.ublock);
        let (mac, _) = self.mac_per_block(cut, ublock, self.ifm_block(cut, ublock));
        (mac as f64 * self.blocks(cut, ublock)) as u64
    }

    /// Blocks of an output, the last ones in parts.
    fn blocks(&self, cut: &Cut, ublock: Shape) -> f64 {
        let in_block = cut.ofm.min(self.task.ofm).blocks(ublock).elements().max(1);
        self.task.ofm.blocks(ublock).elements() as f64 / in_block as f64
    }

    fn traffic(&self, cut: &Cut, ifm_block: Shape, stored_block: Shape) -> [Traffic; 2] {
        let task = &self.task;
        let mut traffic = [Traffic::default(); 2];
        let mut add = |port: Port, channel: Channel, bytes: u64| {
            let traffic = &mut traffic[index(port)];
            traffic.bytes = traffic.bytes.saturating_add(bytes);
            let channel = &mut traffic.channels[channel as usize];
            *channel = channel.saturating_add(bytes);
        };
        let read = |map: &Map, elements: u64| {
            // A constant is a burst of its own.
            let block = if elements == 1 { map.shape } else { ifm_block };
            self.transfer(true, map, block, elements)
        };
        let count = task.ofm.blocks(cut.ofm.min(task.ofm));
        match task.class {
            Class::Elementwise(_) => {
                let whole = |map: &Map| if task.u85 { map.stored() } else { task.stored.stored() };
                if let Some(port) = task.ifm.port {
                    add(port, Channel::Stream, read(&task.ifm, whole(&task.ifm)));
                }
                if let Some((map, port)) = task.ifm2.as_ref().and_then(|map| Some((map, map.port?))) {
                    let one = map.shape.elements() == 1;
                    add(port, Channel::Stream, read(map, if one { 1 } else { whole(map) }));
                }
            }
            Class::Resize(_) => {
                if let Some(port) = task.ifm.port {
                    add(port, Channel::Stream, read(&task.ifm, task.ifm.stored()));
                }
            }
            _ => {
                let block = ifm_block.min(task.ifm.shape);
                let fetch = block.h * block.w * task.ifm.stored_depth();
                let deep = if matches!(task.class, Class::Depthwise | Class::Pool(_)) { 1 } else { count.c };
                let times = task.pieces() * count.h * count.w * deep;
                if let Some(port) = task.ifm.port {
                    add(port, Channel::Ifm, read(&task.ifm, fetch.saturating_mul(times).min(1 << 56)));
                }
                if let Some((map, port)) = task.ifm2.as_ref().and_then(|map| Some((map, map.port?))) {
                    let elements = map.stored().saturating_mul(count.h * count.w).min(1 << 56);
                    add(port, Channel::Stream, read(map, elements));
                }
            }
        }
        if let Some(port) = task.stored.port {
            let bytes = self.transfer(false, &task.stored, stored_block, task.stored.stored());
            add(port, Channel::Write, bytes);
        }
        // Weights and scales are read again for every block of rows and columns.
        let times = count.h * count.w;
        let channel = if task.fast { Channel::FastWeights } else { Channel::Weights };
        for (stream, channel) in [(task.weights, channel), (task.scales, Channel::Scales)] {
            if let Some(Stream { bytes, port }) = stream {
                add(port, channel, bytes.saturating_mul(times));
            }
        }
        traffic
    }

    /// Cycles that a port is busy, and whether it is the weights that take so long.
    fn port_cycles(&self, port: usize, traffic: &Traffic) -> (u64, bool) {
        let memory = &self.memories[port];
        let mut cycles = (traffic.bytes as f64 / memory.bytes_per_cycle) as u64;
        let mut weights = false;
        if self.task.u85 {
            for channel in CHANNELS {
                let bytes = traffic.channels[channel as usize];
                let needed = (bytes as f64 / memory.channels[channel as usize]) as u64;
                if needed > cycles {
                    cycles = needed;
                    weights = matches!(channel, Channel::Weights | Channel::FastWeights);
                }
            }
        }
        (cycles, weights)
    }

    /// What the operation takes with this cut.
    pub(super) fn estimate(&self, cut: &Cut, neighbours: Neighbours) -> Cycles {
        let task = &self.task;
        let ublock = task.working_ublock(cut.ublock);
        let ifm_block = self.ifm_block(cut, ublock);
        let stored_block = cut.ofm.permuted(task.axes);
        let traffic = self.traffic(cut, ifm_block, stored_block);
        let mut cycles = match task.class {
            Class::Elementwise(_) | Class::Resize(_) => self.streamed(cut, ifm_block, stored_block),
            _ => self.computed(cut, ublock, ifm_block, stored_block, neighbours),
        };
        for (port, bound) in [Bound::Axi0, Bound::Axi1].into_iter().enumerate() {
            let (busy, weights) = self.port_cycles(port, &traffic[port]);
            cycles.ports[port] = busy;
            if busy > cycles.total {
                cycles.total = busy;
                cycles.bound = if weights { Bound::Weights } else { bound };
            }
        }
        cycles.bytes = traffic.map(|traffic| traffic.bytes);
        cycles
    }

    /// Only the output stage works.
    fn streamed(&self, cut: &Cut, ifm_block: Shape, stored_block: Shape) -> Cycles {
        let elements = self.task.stored.stored() as f64;
        let output = (self.per_element * elements).ceil();
        let block = self.first_read(ifm_block).max(self.last_write(stored_block)) as f64;
        let issue = (block / cut.ofm.elements().max(1) as f64 + self.per_element) / 4.0;
        let issue = (issue * elements).ceil();
        let bound = if issue > output { Bound::Issue } else { Bound::Output };
        Cycles { total: output.max(issue) as u64, bound, output: output as u64, ..Cycles::NONE }
    }

    /// MAC array and output stage.
    fn computed(
        &self,
        cut: &Cut,
        ublock: Shape,
        ifm_block: Shape,
        stored_block: Shape,
        neighbours: Neighbours,
    ) -> Cycles {
        let task = &self.task;
        let block = cut.ofm.min(task.ofm);
        let count = self.blocks(cut, ublock);
        let compute = (self.per_element * block.elements() as f64).ceil();
        let mut output = compute;
        if let Some(scales) = task.scales.filter(|scales| scales.bytes > 0) {
            // Ten bytes a channel, in bursts of 256.
            output = output.max(10.0 * block.c as f64 * self.memory(scales.port).read_latency as f64 / 256.0);
        }
        let (mac, decoding) = self.mac_per_block(cut, ublock, ifm_block);
        let mac = mac as f64;
        let (read, write) = (self.first_read(ifm_block), self.last_write(stored_block));
        let memory = if count > 1.0 { read.abs_diff(write) as f64 } else { 0.0 };
        let issue = (memory + mac + output) / 4.0;
        let (paced_mac, paced_output) = (mac.max(issue), output.max(issue));
        let (mut total, bound) = if paced_mac > paced_output {
            let tail = if neighbours.last { paced_output as u64 } else { 0 };
            let bound = match () {
                () if issue > mac => Bound::Issue,
                () if decoding => Bound::Weights,
                () => Bound::Mac,
            };
            (((paced_mac * count) as u64).saturating_add(tail), bound)
        } else {
            let bound = if issue > output { Bound::Issue } else { Bound::Output };
            ((paced_output * count + paced_mac) as u64, bound)
        };
        total = total.saturating_add(if neighbours.last { write } else { 0 });
        total = total.saturating_add(if neighbours.first { read } else { 0 });
        let (mac, output) = ((mac * count) as u64, (compute * count) as u64);
        Cycles { total, bound, mac, output, ..Cycles::NONE }
    }
}

/// Cycles of the output stage per element. Source: `EthosU55Performance::EstimateOutputCyclesPerElement`.
fn output_u5x(task: &Task, stage: &OutputStage) -> f64 {
    let kind = match task.class {
        Class::Elementwise(mode) => match mode {
            _ if task.ifm.bits == 32 => usize::from(!mode.unary()),
            Elementwise::Mul if task.stored.bits == 32 => 2,
            Elementwise::Mul => 3,
            Elementwise::Add | Elementwise::Sub => 5,
            _ => 7,
        },
        _ if task.wide() => 3,
        Class::Pool(Pool::Max) => 6,
        _ => 7,
    };
    stage.output[kind].max(if task.lut { stage.table } else { 0.0 })
}

/// Source: `EthosU85Performance::EstimateOutputCyclesPerElement`.
fn output_u85(task: &Task, stage: &OutputStage) -> f64 {
    let activation = match (task.turned(), task.lut) {
        (true, _) => stage.turned,
        (false, true) => stage.table,
        (false, false) => 0.0,
    };
    let bits = (task.ifm.bits, task.stored.bits);
    let plain = match task.class {
        Class::Elementwise(Elementwise::Div) => 33.0,
        Class::Resize(_) => {
            let ratio = |o: u64, i: u64| (o + i / 2) / i.max(1);
            let (o, i) = (task.ofm, task.ifm.shape);
            let much = ratio(o.h, i.h).min(ratio(o.w, i.w)) >= u64::from(task.accelerator.macs() / 512);
            stage.resize[usize::from(much)][usize::from(bits.0 != 8)]
        }
        class => {
            let binary = matches!(class, Class::Elementwise(_)) && task.ifm2.is_some();
            let kind = match () {
                () if bits.1 == 64 => 3,
                () if binary && bits.0 == 32 => {
                    if bits.1 == 32 {
                        5
                    } else {
                        4
                    }
                }
                () if bits.1 == 32 => 2,
                () if bits.1 == 16 => 1,
                () => 0,
            };
            stage.output[kind]
        }
    };
    plain.max(activation)
}
