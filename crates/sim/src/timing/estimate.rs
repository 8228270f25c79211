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

/// Words of read buffer that the U85's channels for weights, fast weights and copies have.
fn read_buffers(accelerator: Accelerator) -> [f64; 3] {
    use Accelerator as A;
    match accelerator {
        A::U85_128 => [128.0, 128.0, 64.0],
        A::U85_256 => [128.0, 128.0, 104.0],
        A::U85_512 => [256.0, 256.0, 128.0],
        A::U85_1024 => [416.0, 208.0, 256.0],
        _ => [512.0, 256.0, 256.0],
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
        let Some(port) = op.ofm.port else { return 0 };
        let bytes = self.transfer(false, &op.ofm, op.ofm_block, clip(op.ofm_block, op.ofm.shape).elements());
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

    /// Cycles of the MAC array for one block of the output.
    fn mac_per_block(&self, op: &Operation) -> u64 {
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
                        (steps, weights.max(4 * area * bits / 8) * steps * deep)
                    }
                    Kind::Conv if part_kernel => {
                        let steps = taps.div_ceil(if bits == 16 { 2 } else { 4 });
                        (steps, weights.max(4 * area) * steps * deep * groups / sparse)
                    }
                    _ if u85 => {
                        let per_step = weights.max(u64::from(ifm_block.c / 8) * area);
                        (taps, per_step * taps * deep * (bits / 8) / sparse)
                    }
                    _ => (taps, weights.max(4 * area) * taps * deep),
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
        if u85 { total } else { total / self.cores() }
    }

    /// What an operation takes: `end` is its cycles. `first` and `last` say whether its first read
    /// and its last write show, or overlap other parts of the same layer.
    pub(super) fn estimate(&self, op: &Operation, first: bool, last: bool) -> CommandTiming {
        let mut ports = [PortBytes::default(); 2];
        self.feature_map_bytes(op, &mut ports);
        let refetch = match op.kind {
            Kind::Conv | Kind::Depthwise => {
                let count = blocks(op.ofm.shape, clip(op.ofm_block, op.ofm.shape));
                u64::from(count.h) * u64::from(count.w)
            }
            _ => 0,
        };
        for bytes in [op.weights, op.scales].into_iter().flatten() {
            ports[port_index(bytes.port)].read += bytes.count * refetch;
        }
        let mut port_cycles = [0; 2];
        for (cycles, (bytes, port)) in port_cycles.iter_mut().zip(ports.iter().zip([Port::Axi0, Port::Axi1]))
        {
            *cycles = ((bytes.read + bytes.written) as f64 / self.bandwidth(port)) as u64;
        }

        let per_element = self.output_cycles(op);
        let (npu, mac, output, npu_bound) = match op.kind {
            Kind::Elementwise { .. } | Kind::Resize => {
                let elements = stored_elements(&op.ofm) as f64;
                let output = (per_element * elements).ceil();
                let block = self.first_read(op).max(self.last_write(op)) as f64;
                let issue = (block / op.ofm_block.elements().max(1) as f64 + per_element) / 4.0;
                let issue = (issue * elements).ceil();
                let bound = if issue > output { Bound::Issue } else { Bound::Output };
                (output.max(issue) as u64, 0, output as u64, bound)
            }
            _ => self.mac_operation(op, per_element, first, last),
        };
        let weights = self.weight_cycles(op);
        let mut cycles = npu;
        let mut bound = npu_bound;
        for (other, name) in [
            (port_cycles[0], Bound::Axi0),
            (port_cycles[1], Bound::Axi1),
            (if self.generation == Generation::U85 { weights } else { 0 }, Bound::Weights),
        ] {
            if other > cycles {
                (cycles, bound) = (other, name);
            }
        }
        CommandTiming {
            position: 0,
            command: Command { opcode: Opcode::Stop, param: 0, payload: 0 },
            start: 0,
            end: cycles,
            mac,
            output,
            weights,
            port_cycles,
            ports,
            macs: op.macs,
            bound,
        }
    }

    fn mac_operation(
        &self,
        op: &Operation,
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
        let mac = self.mac_per_block(op) as f64;
        let (read, write) = (self.first_read(op), self.last_write(op));
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
            bound = if issue > mac { Bound::Issue } else { Bound::Mac };
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

    /// Bytes of the feature maps through each port.
    fn feature_map_bytes(&self, op: &Operation, ports: &mut [PortBytes; 2]) {
        let read = |ports: &mut [PortBytes; 2], map: &Map, elements: u64| {
            if let Some(port) = map.port {
                ports[port_index(port)].read += self.transfer(true, map, op.ifm_block, elements);
            }
        };
        match op.kind {
            Kind::Elementwise { .. } => {
                let u85 = self.generation == Generation::U85;
                let whole = |map: &Map| if u85 { stored_elements(map) } else { stored_elements(&op.ofm) };
                read(ports, &op.ifm, whole(&op.ifm));
                if let Some(map) = op.ifm2.filter(|map| map.shape.elements() > 1) {
                    read(ports, &map, whole(&map));
                }
            }
            Kind::Resize => read(ports, &op.ifm, stored_elements(&op.ifm)),
            _ => {
                let block = clip(op.ifm_block, op.ifm.shape);
                let fetch = u64::from(block.h) * u64::from(block.w) * stored_depth(&op.ifm);
                let pieces = |size: u32| u64::from(size.div_ceil(8));
                let mut count = blocks(op.ofm.shape, clip(op.ofm_block, op.ofm.shape));
                if matches!(op.kind, Kind::Depthwise | Kind::Pool { .. }) {
                    count.c = 1;
                }
                let times = pieces(op.kernel.h) * pieces(op.kernel.w) * count.elements();
                read(ports, &op.ifm, fetch * times);
            }
        }
        if let Some(port) = op.ofm.port {
            let bytes = self.transfer(false, &op.ofm, op.ofm_block, stored_elements(&op.ofm));
            ports[port_index(port)].written += bytes;
        }
    }

    /// Cycles to fetch and decode the weights once.
    fn weight_cycles(&self, op: &Operation) -> u64 {
        let Some(weights) = op.weights else { return 0 };
        let latency = u64::from(self.memory(weights.port).read_latency);
        let bandwidth = if self.generation == Generation::U85 {
            let [swd, fwd, _] = read_buffers(self.accelerator);
            self.channel_bandwidth(weights.port, if op.fast { fwd } else { swd })
        } else {
            self.bandwidth(weights.port)
        };
        (weights.count as f64 / bandwidth) as u64 + latency
    }

    /// Bytes per cycle that one channel of a U85 gets of a port, with `buffer` words of read buffer.
    fn channel_bandwidth(&self, port: Port, buffer: f64) -> f64 {
        let memory = self.memory(port);
        let words = f64::from((memory.burst_length / 16).max(1));
        let outstanding = f64::from(memory.max_reads) * f64::from(memory.ports_used) * 0.8;
        let in_flight = outstanding.min(buffer / words);
        let limit = f64::from(memory.burst_length) * in_flight / f64::from(memory.read_latency.max(1)) * 0.8;
        self.bandwidth(port).min(limit).max(f64::MIN_POSITIVE)
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
            let [_, _, copies] = read_buffers(self.accelerator);
            (self.channel_bandwidth(from, copies), self.bandwidth(to))
        } else {
            (self.bandwidth(from), self.bandwidth(to))
        };
        let mut ports = [PortBytes::default(); 2];
        ports[port_index(from)].read += bytes;
        let read = (bytes as f64 / rate_from) as u64 + u64::from(self.memory(from).read_latency);
        let mut cycles = read;
        let mut bound = if from == Port::Axi0 { Bound::Axi0 } else { Bound::Axi1 };
        let mut port_cycles = [0; 2];
        port_cycles[port_index(from)] += (bytes as f64 / self.bandwidth(from)) as u64;
        if !inside {
            ports[port_index(to)].written += bytes;
            port_cycles[port_index(to)] += (bytes as f64 / self.bandwidth(to)) as u64;
            let write = (bytes as f64 / rate_to) as u64 + u64::from(self.memory(to).write_latency);
            if write > cycles {
                cycles = write;
                bound = if to == Port::Axi0 { Bound::Axi0 } else { Bound::Axi1 };
            }
        }
        Some(CommandTiming {
            position: 0,
            command: Command { opcode: Opcode::Stop, param: 0, payload: 0 },
            start: 0,
            end: cycles,
            mac: 0,
            output: 0,
            weights: 0,
            port_cycles,
            ports,
            macs: 0,
            bound,
        })
    }
}
