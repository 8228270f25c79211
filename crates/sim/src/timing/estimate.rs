//! Cycles of one operation or copy.
//!
//! The structure and the constants are those of the estimate in Vela 5.2.0
//! (`ethos_u55_performance.cpp`, `ethos_u85_performance.cpp`, `network_performance.cpp`), applied
//! to what one command does. An operation's time is the longest of: its blocks one after the other
//! through MAC array and output stage (the slower of the two sets the pace, the other shows once),
//! with the first read and the last write where nothing overlaps them; and the memory behind each
//! port, with all that the operation moves through it.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{dma_region_mode, dma_stride_mode, elementwise_mode};
use tombolo_ethosu::system::{MemorySpec, Port};
use tombolo_ethosu::{Accelerator, Generation, cmd::Command};

use super::operation::{Kind, Map, Operation};
use super::{Bound, CommandTiming, PortBytes, System, port_index};
use crate::op::Shape;
use crate::state::State;

/// Cycles per element of the output stage.
#[derive(Debug, Clone, Copy)]
struct OutputCycles {
    /// By kind of output; the index is found by `output_cycles`.
    output: [f64; 8],
    /// U55 and U65: table, clamp, nothing. U85: plain, turned.
    activation: [f64; 3],
    /// Resize of 8 and 16 bits, where the output has few or many elements per input. (U85)
    resize: [[f64; 2]; 2],
}

const fn u5x(output: [f64; 8], activation: [f64; 3]) -> OutputCycles {
    OutputCycles { output, activation, resize: [[0.0; 2]; 2] }
}

const fn u85(o: [f64; 6], activation: [f64; 2], low: [f64; 2], high: [f64; 2]) -> OutputCycles {
    OutputCycles {
        output: [o[0], o[1], o[2], o[3], o[4], o[5], 0.0, 0.0],
        activation: [activation[0], activation[1], 0.0],
        resize: [low, high],
    }
}

fn table(accelerator: Accelerator) -> OutputCycles {
    use Accelerator as A;
    match accelerator {
        A::U55_32 => u5x([2.0, 3.0, 3.0, 3.0, 4.0, 6.0, 1.0, 2.0], [1.0, 1.0, 0.0]),
        A::U55_64 => u5x([1.0, 1.5, 1.5, 1.5, 2.0, 3.0, 0.5, 1.0], [1.0, 1.0, 0.0]),
        A::U55_128 => u5x([0.75, 1.25, 0.75, 0.75, 1.0, 1.5, 0.25, 0.5], [1.0, 0.5, 0.0]),
        A::U55_256 | A::U65_256 => u5x([0.625, 1.125, 0.5, 0.375, 0.5, 0.75, 0.125, 0.25], [1.0, 0.25, 0.0]),
        A::U65_512 => u5x([0.3125, 0.5625, 0.25, 0.1875, 0.25, 0.375, 0.0625, 0.125], [0.5, 0.125, 0.0]),
        A::U85_128 => u85([0.5, 0.5, 0.5, 1.0, 1.0, 1.0], [0.5, 1.0], [0.5, 1.0], [0.5, 1.0]),
        A::U85_256 => u85([0.25, 0.25, 0.25, 0.5, 0.5, 0.5], [0.25, 0.5], [0.25, 0.5], [0.25, 0.5]),
        A::U85_512 => u85([0.125, 0.125, 0.25, 0.5, 0.25, 0.25], [0.125, 0.25], [0.125, 0.25], [0.125, 0.25]),
        A::U85_1024 => {
            u85([0.0625, 0.125, 0.25, 0.5, 0.125, 0.25], [0.0625, 0.125], [0.125, 0.125], [0.0625, 0.125])
        }
        A::U85_2048 => u85(
            [0.03125, 0.0625, 0.125, 0.25, 0.0625, 0.125],
            [0.03125, 0.0625],
            [0.0625; 2],
            [0.03125, 0.0625],
        ),
    }
}

/// What a U85 has a channel of its own for at each port. The other generations have them too, but no
/// figures are public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    Copy,
    /// Inputs that are read once: elementwise, resize, the second one of a matrix product.
    Stream,
    Weights,
    FastWeights,
    Ifm,
    Scales,
    Write,
}

const CHANNELS: usize = 7;

/// Words of read buffer that each reading channel of a U85 has, in the order of [`Channel`].
fn read_buffers(accelerator: Accelerator) -> [u32; 6] {
    use Accelerator as A;
    match accelerator {
        A::U85_128 => [64, 64, 128, 128, 104, 16],
        A::U85_256 => [104, 104, 128, 128, 128, 16],
        A::U85_512 => [128, 128, 256, 256, 128, 16],
        A::U85_1024 => [256, 256, 416, 208, 256, 16],
        _ => [256, 256, 512, 256, 256, 16],
    }
}

/// What operations move through the ports.
#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    /// What is needed.
    data: [PortBytes; 2],
    /// With bursts that are only partly used counted whole.
    bus: [PortBytes; 2],
    channels: [[u64; CHANNELS]; 2],
}

impl Traffic {
    fn add(&mut self, port: Port, channel: Channel, data: u64, bus: u64) {
        let port = port_index(port);
        let of = |bytes: &mut PortBytes, count: u64| {
            let side = if channel == Channel::Write { &mut bytes.written } else { &mut bytes.read };
            *side = side.saturating_add(count);
        };
        of(&mut self.data[port], data);
        of(&mut self.bus[port], bus);
        let channel = &mut self.channels[port][channel as usize];
        *channel = channel.saturating_add(bus);
    }

    fn merge(&mut self, other: &Traffic) {
        for port in 0..2 {
            for (mine, other) in
                [(&mut self.data[port], &other.data[port]), (&mut self.bus[port], &other.bus[port])]
            {
                mine.read += other.read;
                mine.written += other.written;
            }
            for (mine, other) in self.channels[port].iter_mut().zip(other.channels[port]) {
                *mine += other;
            }
        }
    }
}

/// An NPU with the memories around it.
#[derive(Debug)]
pub(super) struct Machine {
    accelerator: Accelerator,
    generation: Generation,
    system: System,
    cycles: OutputCycles,
}

fn clip(block: Shape, shape: Shape) -> Shape {
    Shape::new(block.h.min(shape.h), block.w.min(shape.w), block.c.min(shape.c))
}

fn blocks(shape: Shape, block: Shape) -> Shape {
    Shape::new(shape.h.div_ceil(block.h), shape.w.div_ceil(block.w), shape.c.div_ceil(block.c))
}

/// Depth as stored: bricks hold 16 channels.
fn stored_depth(map: &Map) -> u64 {
    let c = u64::from(map.shape.c);
    if map.brick { c.next_multiple_of(16) } else { c }
}

fn stored_elements(map: &Map) -> u64 {
    u64::from(map.shape.h) * u64::from(map.shape.w) * stored_depth(map)
}

impl Machine {
    pub(super) fn new(accelerator: Accelerator, system: System) -> Machine {
        Machine { accelerator, generation: accelerator.generation(), system, cycles: table(accelerator) }
    }

    pub(super) fn operation(&self, command: Command, state: &State) -> Option<Operation> {
        Operation::read(self.accelerator, &self.system.mode, command, state)
    }

    fn memory(&self, port: Port) -> &MemorySpec {
        self.system.config.memory(port)
    }

    fn bandwidth(&self, port: Port) -> f64 {
        self.system.config.bytes_per_cycle(self.generation, port)
    }

    fn cores(&self) -> u64 {
        u64::from(self.accelerator.cores().max(1))
    }

    /// Bytes on the bus for `elements` of a map taken block by block: short bursts waste the rest.
    fn transfer(&self, read: bool, map: &Map, block: Shape, elements: u64) -> u64 {
        let Some(port) = map.port else { return 0 };
        let bits = u64::from(map.bits);
        let (w, c) = (u64::from(block.w), u64::from(block.c));
        let cores = if read || self.generation == Generation::U85 { 1 } else { self.cores() };
        let burst_bits = if map.brick {
            let stride_z = u64::from(map.shape.w) * bits * 16 / 8;
            if stride_z == c { bits * w * c } else { 16 * bits * w * cores }
        } else {
            let stride_x = u64::from(map.shape.c) * bits / 8;
            match (read, stride_x == c) {
                (true, true) => bits * w * c,
                (true, false) => bits * c,
                (false, true) if c <= 16 => bits * w * c,
                (false, _) => (64 * 8).min(16 * bits * cores).min(c * bits),
            }
        };
        let longest = u64::from(self.memory(port).burst_length.max(1));
        let burst = longest.min(burst_bits / 8).max(1);
        (elements * bits / 8).saturating_mul(longest) / burst
    }

    /// Cycles until the first block of the inputs is there.
    fn first_read(&self, op: &Operation) -> u64 {
        [Some(op.ifm), op.ifm2]
            .into_iter()
            .flatten()
            .filter_map(|map| {
                let port = map.port?;
                let bytes = self.transfer(true, &map, op.ifm_block, clip(op.ifm_block, map.shape).elements());
                Some(u64::from(self.memory(port).read_latency) + (bytes as f64 / self.bandwidth(port)) as u64)
            })
            .max()
            .unwrap_or(0)
    }

    /// Cycles to write the last block of the output.
    fn last_write(&self, op: &Operation) -> u64 {
        let Some(port) = op.stored.port else { return 0 };
        let block = clip(op.stored_block, op.stored.shape).elements();
        let bytes = self.transfer(false, &op.stored, op.stored_block, block);
        u64::from(self.memory(port).write_latency) + (bytes as f64 / self.bandwidth(port)) as u64
    }

    /// Cycles of the output stage per element.
    fn output_cycles(&self, op: &Operation) -> f64 {
        if self.generation == Generation::U85 {
            return self.output_cycles_u85(op);
        }
        let Kind::Elementwise { mode } = op.kind else {
            let index = match op.kind {
                _ if op.wide => 3,
                Kind::Pool { max: true } => 6,
                _ => 7,
            };
            return self.cycles.output[index].max(self.activation(op));
        };
        let unary = matches!(mode, elementwise_mode::ABS | elementwise_mode::LRELU | elementwise_mode::CLZ);
        let index = match mode {
            _ if op.ifm.bits == 32 => usize::from(!unary),
            elementwise_mode::MUL if op.ofm.bits == 32 => 2,
            elementwise_mode::MUL => 3,
            elementwise_mode::ADD | elementwise_mode::SUB => 5,
            _ => 7,
        };
        self.cycles.output[index].max(self.activation(op))
    }

    fn activation(&self, op: &Operation) -> f64 {
        self.cycles.activation[if op.table { 0 } else { 2 }]
    }

    fn output_cycles_u85(&self, op: &Operation) -> f64 {
        let activation = match (op.turned, op.table) {
            (true, _) => self.cycles.activation[1],
            (false, true) => self.cycles.activation[0],
            (false, false) => 0.0,
        };
        let bits = (op.ifm.bits, op.ofm.bits);
        let plain = match op.kind {
            Kind::Elementwise { mode: elementwise_mode::DIV } => 33.0,
            Kind::Resize => {
                let ratio = |o: u32, i: u32| (o + i / 2) / i.max(1);
                let least = ratio(op.ofm.shape.h, op.ifm.shape.h).min(ratio(op.ofm.shape.w, op.ifm.shape.w));
                let high = least >= self.accelerator.macs() / 512;
                self.cycles.resize[usize::from(high)][usize::from(bits.0 != 8)]
            }
            kind => {
                let binary = matches!(kind, Kind::Elementwise { .. }) && op.ifm2.is_some();
                let index = match () {
                    () if op.ofm.port.is_none() && (bits.0 == 32 || bits.1 == 32) => 4,
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
                self.cycles.output[index]
            }
        };
        plain.max(activation)
    }

    /// Cycles of the MAC array for one block of the output, and whether they are those of the weights:
    /// decoding them takes longer than using them.
    fn mac_per_block(&self, op: &Operation) -> (u64, bool) {
        let u85 = self.generation == Generation::U85;
        let ifm_block = clip(op.ifm_block, op.ifm.shape);
        let count = blocks(clip(op.ofm_block, op.ofm.shape), op.ublock);
        let (area, deep) = (u64::from(count.h) * u64::from(count.w), u64::from(count.c));
        let bits = u64::from(op.ifm.bits);
        let decoders = if u85 { u64::from(self.accelerator.spec().weight_decoders.max(1)) } else { 1 };
        let weights = 32 * u64::from(op.ublock.c) / (8 * decoders);
        let groups = u64::from(ifm_block.c.div_ceil(8));
        let sparse = if op.sparse { 2 } else { 1 };
        let smallest = self.accelerator == Accelerator::U55_32;
        let part_kernel = op.kind == Kind::Conv && op.kernel.part_kernel;
        let pieces = |size: u32| (0..size.div_ceil(8)).map(move |i| u64::from((size - 8 * i).min(8)));
        let mut total = 0;
        let mut decoding = false;
        let mut slower = |compute: u64| {
            decoding |= weights > compute;
            weights.max(compute)
        };
        for columns in pieces(op.kernel.w) {
            for rows in pieces(op.kernel.h) {
                let taps = columns * rows;
                let (steps, cycles) = match op.kind {
                    Kind::Pool { .. } => {
                        let each = taps.max(4) * area * deep;
                        (1, if smallest { each } else { each * bits / 2 })
                    }
                    Kind::Depthwise => {
                        let steps = taps.div_ceil(4);
                        (steps, slower(4 * area * bits / 8) * steps * deep)
                    }
                    Kind::Conv if part_kernel => {
                        let steps = taps.div_ceil(if bits == 16 { 2 } else { 4 });
                        (steps, slower(4 * area) * steps * deep * groups / sparse)
                    }
                    _ if u85 => {
                        let per_step = slower(u64::from(ifm_block.c / 8) * area);
                        (taps, per_step * taps * deep * (bits / 8) / sparse)
                    }
                    _ => (taps, slower(4 * area) * taps * deep),
                };
                let delay = match () {
                    () if smallest && op.wide => 7,
                    () if smallest => 3,
                    () if op.wide && self.accelerator.macs() <= 128 => 3,
                    () => 2,
                };
                let mut waiting = match (area, deep) {
                    (1, 1) => delay * steps,
                    (1, _) => delay * (steps - 1) * deep,
                    _ => 0,
                };
                if smallest && op.wide && deep > 1 && (count.w == 1 || count.h == 1) {
                    waiting += delay * deep;
                }
                if part_kernel {
                    waiting *= groups;
                }
                total += cycles + waiting;
            }
        }
        if matches!(op.kind, Kind::Conv | Kind::ReduceSum) {
            total *= u64::from(op.ifm.shape.c.div_ceil(ifm_block.c.max(1)));
        }
        (if u85 { total } else { total / self.cores() }, decoding && op.weights.is_some())
    }

    /// What an operation takes, with those that are chained to it; `end` of the first is the cycles of
    /// all, the others have none of their own. `first` and `last` say whether the first read and the
    /// last write show, or overlap other parts of the same layer.
    pub(super) fn estimate(&self, chain: &[&Operation], first: bool, last: bool) -> Vec<CommandTiming> {
        let Some((op, tail)) = chain.split_first() else { return Vec::new() };
        let traffic: Vec<Traffic> = chain.iter().map(|op| self.traffic(op)).collect();
        let mut all = Traffic::default();
        traffic.iter().for_each(|part| all.merge(part));
        let (port_cycles, weights_lead) = self.port_cycles(&all);

        // The output stage takes the operations of a chain one after the other for every block.
        let per_element = chain.iter().map(|op| self.output_cycles(op)).sum();
        let end = tail.last().copied().unwrap_or(op);
        let (npu, mac, output, npu_bound) = match op.kind {
            Kind::Elementwise { .. } | Kind::Resize => self.stream_operation(op, end, per_element),
            _ => self.mac_operation(op, end, per_element, first, last),
        };
        let mut cycles = npu;
        let mut bound = npu_bound;
        for (port, name) in [Bound::Axi0, Bound::Axi1].into_iter().enumerate() {
            if port_cycles[port] > cycles {
                cycles = port_cycles[port];
                bound = if weights_lead[port] { Bound::Weights } else { name };
            }
        }
        let head = CommandTiming {
            end: cycles,
            mac,
            output,
            weights: self.weight_cycles(op),
            port_cycles,
            ports: traffic[0].bus,
            data: traffic[0].data,
            macs: op.macs,
            bound,
            bits: (op.ifm.bits as u8, op.ofm.bits as u8),
            ..CommandTiming::empty()
        };
        let rest = tail.iter().zip(traffic.iter().skip(1)).map(|(op, traffic)| CommandTiming {
            ports: traffic.bus,
            data: traffic.data,
            macs: op.macs,
            bound,
            bits: (op.ifm.bits as u8, op.ofm.bits as u8),
            chained: true,
            ..CommandTiming::empty()
        });
        std::iter::once(head).chain(rest).collect()
    }

    /// Cycles that each port is busy, and whether the channel for weights is what takes so long.
    fn port_cycles(&self, traffic: &Traffic) -> ([u64; 2], [bool; 2]) {
        let mut cycles = [0; 2];
        let mut weights_lead = [false; 2];
        for (i, port) in [Port::Axi0, Port::Axi1].into_iter().enumerate() {
            let bytes = traffic.bus[i].read + traffic.bus[i].written;
            cycles[i] = (bytes as f64 / self.bandwidth(port)) as u64;
            if self.generation != Generation::U85 {
                continue;
            }
            for channel in [
                Channel::Stream,
                Channel::Ifm,
                Channel::Scales,
                Channel::Write,
                Channel::Weights,
                Channel::FastWeights,
            ] {
                let bytes = traffic.channels[i][channel as usize];
                let needed = (bytes as f64 / self.channel_bandwidth(port, channel)) as u64;
                if needed > cycles[i] {
                    cycles[i] = needed;
                    weights_lead[i] = matches!(channel, Channel::Weights | Channel::FastWeights);
                }
            }
        }
        (cycles, weights_lead)
    }

    /// Cycles of an operation that only the output stage works on: in all, MAC, output, what bounds it.
    fn stream_operation(&self, op: &Operation, end: &Operation, per_element: f64) -> (u64, u64, u64, Bound) {
        let elements = stored_elements(&op.stored) as f64;
        let output = (per_element * elements).ceil();
        let block = self.first_read(op).max(self.last_write(end)) as f64;
        let issue = (block / op.ofm_block.elements().max(1) as f64 + per_element) / 4.0;
        let issue = (issue * elements).ceil();
        let bound = if issue > output { Bound::Issue } else { Bound::Output };
        (output.max(issue) as u64, 0, output as u64, bound)
    }

    fn mac_operation(
        &self,
        op: &Operation,
        end: &Operation,
        per_element: f64,
        first: bool,
        last: bool,
    ) -> (u64, u64, u64, Bound) {
        let block = clip(op.ofm_block, op.ofm.shape);
        let in_block = blocks(block, op.ublock).elements().max(1);
        let count = blocks(op.ofm.shape, op.ublock).elements() as f64 / in_block as f64;
        let mut output = (per_element * block.elements() as f64).ceil();
        let compute = output;
        if let Some(scales) = op.scales.filter(|scales| scales.count > 0) {
            // Ten bytes a channel, in bursts of 256.
            let latency = f64::from(self.memory(scales.port).read_latency);
            output = output.max(10.0 * f64::from(block.c) * latency / 256.0);
        }
        let (mac, decoding) = self.mac_per_block(op);
        let mac = mac as f64;
        let (read, write) = (self.first_read(op), self.last_write(end));
        let memory = if count > 1.0 { read.abs_diff(write) as f64 } else { 0.0 };
        let issue = (memory + mac + output) / 4.0;
        let (paced_mac, paced_output) = (mac.max(issue), output.max(issue));
        let mut total;
        let bound;
        if paced_mac > paced_output {
            total = (paced_mac * count) as u64;
            if last {
                total += paced_output as u64;
            }
            bound = match () {
                () if issue > mac => Bound::Issue,
                () if decoding => Bound::Weights,
                () => Bound::Mac,
            };
        } else {
            total = (paced_output * count + paced_mac) as u64;
            bound = if issue > output { Bound::Issue } else { Bound::Output };
        }
        if last {
            total += write;
        }
        if first {
            total += read;
        }
        (total, (mac * count) as u64, (compute * count) as u64, bound)
    }

    /// Bytes of an operation through each port.
    fn traffic(&self, op: &Operation) -> Traffic {
        let mut traffic = Traffic::default();
        let mut read = |map: &Map, channel: Channel, elements: u64| {
            if let Some(port) = map.port {
                // A constant is a burst of its own.
                let block = if elements == 1 { map.shape } else { op.ifm_block };
                let bus = self.transfer(true, map, block, elements);
                traffic.add(port, channel, elements * u64::from(map.bits) / 8, bus);
            }
        };
        match op.kind {
            Kind::Elementwise { .. } => {
                let u85 = self.generation == Generation::U85;
                let whole = |map: &Map| if u85 { stored_elements(map) } else { stored_elements(&op.stored) };
                read(&op.ifm, Channel::Stream, whole(&op.ifm));
                if let Some(map) = op.ifm2 {
                    // A constant in memory is read once, one in a register has no port.
                    let one = map.shape.elements() == 1;
                    read(&map, Channel::Stream, if one { 1 } else { whole(&map) });
                }
            }
            Kind::Resize => read(&op.ifm, Channel::Stream, stored_elements(&op.ifm)),
            _ => {
                let block = clip(op.ifm_block, op.ifm.shape);
                let fetch = u64::from(block.h) * u64::from(block.w) * stored_depth(&op.ifm);
                let pieces = |size: u32| u64::from(size.div_ceil(8));
                let mut count = blocks(op.ofm.shape, clip(op.ofm_block, op.ofm.shape));
                if matches!(op.kind, Kind::Depthwise | Kind::Pool { .. }) {
                    count.c = 1;
                }
                let times = pieces(op.kernel.h) * pieces(op.kernel.w) * count.elements();
                read(&op.ifm, Channel::Ifm, fetch * times);
                if let Some(map) = op.ifm2 {
                    let times = u64::from(count.h) * u64::from(count.w);
                    read(&map, Channel::Stream, stored_elements(&map) * times);
                }
            }
        }
        if let Some(port) = op.stored.port {
            let elements = stored_elements(&op.stored);
            let bus = self.transfer(false, &op.stored, op.stored_block, elements);
            traffic.add(port, Channel::Write, elements * u64::from(op.stored.bits) / 8, bus);
        }
        if matches!(op.kind, Kind::Conv | Kind::Depthwise) {
            // Weights and scales are read again for every block of rows and columns.
            let count = blocks(op.ofm.shape, clip(op.ofm_block, op.ofm.shape));
            let times = u64::from(count.h) * u64::from(count.w);
            let channel = if op.fast { Channel::FastWeights } else { Channel::Weights };
            for (bytes, channel) in [(op.weights, channel), (op.scales, Channel::Scales)] {
                if let Some(bytes) = bytes {
                    let count = bytes.count.saturating_mul(times);
                    traffic.add(bytes.port, channel, count, count);
                }
            }
        }
        traffic
    }

    /// Cycles to fetch and decode the weights once.
    fn weight_cycles(&self, op: &Operation) -> u64 {
        let Some(weights) = op.weights else { return 0 };
        let latency = u64::from(self.memory(weights.port).read_latency);
        let bandwidth = if self.generation == Generation::U85 {
            let channel = if op.fast { Channel::FastWeights } else { Channel::Weights };
            self.channel_bandwidth(weights.port, channel)
        } else {
            self.bandwidth(weights.port)
        };
        (weights.count as f64 / bandwidth) as u64 + latency
    }

    /// Bytes per cycle that one channel of a U85 gets of a port: what is in flight, limited by the
    /// transactions that the memory takes and by the channel's buffer, comes back after the latency.
    fn channel_bandwidth(&self, port: Port, channel: Channel) -> f64 {
        let memory = self.memory(port);
        let (most, latency) = match channel {
            Channel::Write => (memory.max_writes, memory.write_latency),
            _ => (memory.max_reads, memory.read_latency),
        };
        let mut in_flight = f64::from(most) * f64::from(memory.ports_used) * 0.8;
        if let Some(&buffer) = read_buffers(self.accelerator).get(channel as usize) {
            in_flight = in_flight.min(f64::from(buffer) / f64::from((memory.burst_length / 16).max(1)));
        }
        let limit = f64::from(memory.burst_length) * in_flight / f64::from(latency.max(1)) * 0.8;
        match limit > 0.0 {
            true => self.bandwidth(port).min(limit),
            // Nothing is said of the transactions.
            false => self.bandwidth(port),
        }
    }

    /// What a copy takes: `end` is its cycles.
    pub(super) fn copy(&self, state: &State) -> Option<CommandTiming> {
        use fields::{dma0_dst_region as dst, dma0_src_region as src};
        let source = state.get(Opcode::Dma0SrcRegion).ok()?;
        let target = state.get(Opcode::Dma0DstRegion).ok()?;
        let mut bytes = state.address(Opcode::Dma0Len).ok()?;
        let strided = if self.generation == Generation::U85 { &src::STRIDE_MODE } else { &dst::STRIDE_MODE };
        let strided = strided.get(if self.generation == Generation::U85 { source } else { target });
        let indexed = self.generation == Generation::U85
            && (src::IDX_MODE.get(source) == 1 || dst::IDX_MODE.get(target) == 1);
        if strided != dma_stride_mode::D1 || indexed {
            bytes = bytes.saturating_mul(state.param(Opcode::Dma0Size0).ok()?.into());
        }
        if strided == dma_stride_mode::D3 {
            bytes = bytes.saturating_mul(state.param(Opcode::Dma0Size1).ok()?.into());
        }
        let from = self.system.mode.port_of_region(src::REGION.get(source) as usize);
        let inside = dst::REGION_MODE.get(target) == dma_region_mode::INTERNAL;
        let to = self.system.mode.port_of_region(dst::REGION.get(target) as usize);
        let (rate_from, rate_to) = if self.generation == Generation::U85 {
            (self.channel_bandwidth(from, Channel::Copy), self.channel_bandwidth(to, Channel::Write))
        } else {
            (self.bandwidth(from), self.bandwidth(to))
        };
        let mut traffic = Traffic::default();
        traffic.add(from, Channel::Copy, bytes, bytes);
        let mut cycles = (bytes as f64 / rate_from) as u64 + u64::from(self.memory(from).read_latency);
        let mut bound = port_bound(from);
        if !inside {
            traffic.add(to, Channel::Write, bytes, bytes);
            let write = (bytes as f64 / rate_to) as u64 + u64::from(self.memory(to).write_latency);
            if write > cycles {
                (cycles, bound) = (write, port_bound(to));
            }
        }
        let on = |port: Port| {
            let bytes = traffic.bus[port_index(port)];
            ((bytes.read + bytes.written) as f64 / self.bandwidth(port)) as u64
        };
        Some(CommandTiming {
            end: cycles,
            port_cycles: [on(Port::Axi0), on(Port::Axi1)],
            ports: traffic.bus,
            data: traffic.data,
            bound,
            ..CommandTiming::empty()
        })
    }
}

fn port_bound(port: Port) -> Bound {
    match port {
        Port::Axi0 => Bound::Axi0,
        Port::Axi1 => Bound::Axi1,
    }
}
