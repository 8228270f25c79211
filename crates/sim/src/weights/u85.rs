//! Order of weights on U85 (facts 4.5).
//!
//! From the outside in: blocks of output channels; blocks of input channels, forwards and
//! backwards in turn; sub-kernels of at most 8 by 8 input positions, column by column; groups of
//! input channels (part kernel first, 16 bit); microblocks of output channels; kernel elements,
//! ordered by stride phase and, inside a phase, in rows that run forwards and backwards in turn;
//! steps of 8 (sparse: 16) input channels; lanes of output channels in fours, dealt out to the
//! decoders; input channels.

pub(crate) use super::u5x::Run;

/// Output channels that a decoder serves before the next decoder's turn.
const LANES: u32 = 4;

/// How the MAC array walks over the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traversal {
    DepthFirst,
    PartKernel,
    Depthwise,
}

/// How an operation cuts its weights up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) ofm_depth: u32,
    /// Input channels; 1 for depthwise.
    pub(crate) ifm_depth: u32,
    /// Rows and columns of the kernel, without dilation.
    pub(crate) kernel_h: u32,
    pub(crate) kernel_w: u32,
    pub(crate) stride_y: u32,
    pub(crate) stride_x: u32,
    pub(crate) dilation_y: u32,
    pub(crate) dilation_x: u32,
    /// Output channels of a block.
    pub(crate) ofm_block: u32,
    /// Output channels of a microblock.
    pub(crate) ofm_ublock: u32,
    pub(crate) traversal: Traversal,
    /// Bits of an input element.
    pub(crate) ifm_bits: u32,
    /// Weights are 2:4 sparse.
    pub(crate) sparse: bool,
    /// Multiply-accumulates per cycle of the accelerator.
    pub(crate) macs: u32,
    /// Decoders, each with a stream of its own (or a share of the one fast stream).
    pub(crate) decoders: u32,
}

/// What follows from the fields of an [`Order`].
struct Derived {
    /// Input channels of a block.
    ifm_block: u32,
    /// Input channels that are worked on for all kernel elements before the next ones.
    ifm_group: u32,
    /// Input channels of a run.
    step: u32,
    /// Kernel elements of a sub-kernel are padded to a multiple of this.
    round: u32,
    /// Idle kernel elements behind every `round` of a depthwise operation.
    pause: u32,
    stride_y: u32,
    stride_x: u32,
    sub_h: u32,
    sub_w: u32,
}

impl Order {
    fn derived(&self) -> Derived {
        let wide = self.ifm_bits == 16;
        let (ifm_block, ifm_group, round) = match self.traversal {
            Traversal::Depthwise => (16, 1, 10),
            Traversal::PartKernel => {
                (16, if wide && !self.sparse { 8 } else { 16 }, if wide || self.sparse { 10 } else { 5 })
            }
            Traversal::DepthFirst => {
                let block =
                    if self.ifm_bits == 32 || (self.macs <= 256 && self.ofm_ublock == 16 && !self.sparse) {
                        32
                    } else if self.sparse && self.ifm_bits == 8 {
                        128
                    } else {
                        64
                    };
                (block, block, 1)
            }
        };
        let depthwise = self.traversal == Traversal::Depthwise;
        let phases = self.traversal != Traversal::DepthFirst;
        Derived {
            ifm_block,
            ifm_group,
            step: match (depthwise, self.sparse) {
                (true, _) => 1,
                (false, true) => 16,
                (false, false) => 8,
            },
            round,
            pause: match self.macs {
                _ if !depthwise => 0,
                0..=256 if !wide => 0,
                0..=512 => 2,
                _ => 6,
            },
            stride_y: if phases { self.stride_y.max(1) } else { 1 },
            stride_x: if phases { self.stride_x.max(1) } else { 1 },
            sub_h: (8 / self.dilation_y.max(1)).max(1),
            sub_w: (8 / self.dilation_x.max(1)).max(1),
        }
    }

    /// Lanes of a microblock that one decoder serves.
    fn lanes(&self) -> u32 {
        self.ofm_ublock / self.decoders.max(1)
    }

    /// Weights that stand together in the fast format before the next decoder's turn.
    pub(crate) fn interleave(&self) -> u32 {
        let derived = self.derived();
        self.lanes() * derived.ifm_group * derived.round
    }

    /// Weights in the stream of one decoder, padding included; all decoders have the same number.
    pub(crate) fn count(&self) -> u64 {
        let d = self.derived();
        let ofm_block = self.ofm_block.max(1);
        let pieces = |depth: u32, block: u32, piece: u32| {
            u64::from(depth / block) * u64::from(block.div_ceil(piece))
                + u64::from((depth % block).div_ceil(piece))
        };
        let ofm = pieces(self.ofm_depth, ofm_block, self.ofm_ublock.max(1));
        let ifm = match self.traversal {
            Traversal::Depthwise => 1,
            _ => pieces(self.ifm_depth, d.ifm_block, d.ifm_group),
        };
        // Sub-kernels are whole, or cut off at the right, at the bottom, or both.
        let elements = |h: u32, w: u32| {
            let rounds = u64::from((h * w).div_ceil(d.round));
            rounds * u64::from(d.round + d.pause)
        };
        let (whole_h, rest_h) = (self.kernel_h / d.sub_h, self.kernel_h % d.sub_h);
        let (whole_w, rest_w) = (self.kernel_w / d.sub_w, self.kernel_w % d.sub_w);
        let kernel = u64::from(whole_h) * u64::from(whole_w) * elements(d.sub_h, d.sub_w)
            + u64::from(whole_h) * elements(d.sub_h, rest_w)
            + u64::from(whole_w) * elements(rest_h, d.sub_w)
            + elements(rest_h, rest_w);
        ofm.saturating_mul(ifm).saturating_mul(kernel).saturating_mul(u64::from(self.lanes() * d.ifm_group))
    }

    /// Calls `visit` for every run of the decoder's weights, in order. They are [`count`] weights.
    ///
    /// [`count`]: Order::count
    pub(crate) fn visit(&self, decoder: u32, mut visit: impl FnMut(Run)) {
        let d = self.derived();
        let depthwise = self.traversal == Traversal::Depthwise;
        let ifm_depth = if depthwise { 1 } else { self.ifm_depth };
        let ofm_block = self.ofm_block.max(1);
        let idle = |kernel_elements: u32| Run {
            oc: 0,
            ky: 0,
            kx: 0,
            ic: 0,
            take: 0,
            skip: kernel_elements * self.lanes() * d.ifm_group,
        };
        let ifm_blocks = ifm_depth.div_ceil(d.ifm_block);
        for (i, ofm_at) in (0..self.ofm_depth).step_by(ofm_block as usize).enumerate() {
            let ofm_count = ofm_block.min(self.ofm_depth - ofm_at);
            for ifm_block in 0..ifm_blocks {
                let ifm_at = d.ifm_block * if i % 2 == 0 { ifm_block } else { ifm_blocks - 1 - ifm_block };
                let ifm_count = d.ifm_block.min(ifm_depth - ifm_at);
                for sub_x in (0..self.kernel_w).step_by(d.sub_w as usize) {
                    let w = d.sub_w.min(self.kernel_w - sub_x);
                    for sub_y in (0..self.kernel_h).step_by(d.sub_h as usize) {
                        let h = d.sub_h.min(self.kernel_h - sub_y);
                        for group in (0..ifm_count).step_by(d.ifm_group as usize) {
                            for ublock in (0..ofm_count).step_by(self.ofm_ublock.max(1) as usize) {
                                let mut done = 0;
                                d.elements(h, w, |y, x| {
                                    for inner in (0..d.ifm_group).step_by(d.step as usize) {
                                        let ic = ifm_at + group + inner;
                                        let real = d.step.min(ifm_depth.saturating_sub(ic));
                                        self.lanes_of(decoder, |lane| {
                                            // A lane behind the block's last channel is idle even
                                            // if the next block has that channel.
                                            let used = ublock + lane < ofm_count;
                                            let take = if used { real } else { 0 };
                                            visit(Run {
                                                oc: ofm_at + ublock + lane,
                                                ky: sub_y + y,
                                                kx: sub_x + x,
                                                ic,
                                                take,
                                                skip: d.step - take,
                                            });
                                        });
                                    }
                                    done += 1;
                                    if done % d.round == 0 && d.pause > 0 {
                                        visit(idle(d.pause));
                                    }
                                });
                                let missing = done.next_multiple_of(d.round) - done;
                                if missing > 0 {
                                    visit(idle(missing + d.pause));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The lanes of a microblock that a decoder serves.
    fn lanes_of(&self, decoder: u32, mut visit: impl FnMut(u32)) {
        for first in (decoder * LANES..self.ofm_ublock).step_by((LANES * self.decoders.max(1)) as usize) {
            for lane in first..first + LANES {
                visit(lane);
            }
        }
    }
}

impl Derived {
    /// The elements of a sub-kernel of `h` by `w` in order: row and column.
    fn elements(&self, h: u32, w: u32, mut visit: impl FnMut(u32, u32)) {
        let of_phase = |size: u32, stride: u32, phase: u32| (size + stride - 1 - phase) / stride;
        for phase_y in 0..self.stride_y {
            let rows = of_phase(h, self.stride_y, phase_y);
            for phase_x in 0..self.stride_x {
                let columns = of_phase(w, self.stride_x, phase_x);
                for row in 0..rows {
                    for i in 0..columns {
                        let column = if row % 2 == 0 { i } else { columns - 1 - i };
                        visit(phase_y + row * self.stride_y, phase_x + column * self.stride_x);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(traversal: Traversal) -> Order {
        Order {
            ofm_depth: 20,
            ifm_depth: 19,
            kernel_h: 3,
            kernel_w: 3,
            stride_y: 1,
            stride_x: 1,
            dilation_y: 1,
            dilation_x: 1,
            ofm_block: 16,
            ofm_ublock: 8,
            traversal,
            ifm_bits: 8,
            sparse: false,
            macs: 256,
            decoders: 1,
        }
    }

    /// Over many shapes: the runs are as many weights as `count` says, and all decoders together
    /// visit every weight exactly once.
    #[test]
    fn every_weight_once_and_as_many_as_counted() {
        let mut cases = 0;
        for traversal in [Traversal::DepthFirst, Traversal::PartKernel, Traversal::Depthwise] {
            for (macs, decoders, ofm_ublock) in
                [(128, 1, 8), (256, 1, 16), (512, 2, 16), (1024, 4, 32), (1024, 4, 16), (2048, 4, 64)]
            {
                for (kernel_h, kernel_w, stride, dilation) in
                    [(1, 1, 1, 1), (3, 3, 2, 1), (2, 9, 3, 2), (17, 1, 1, 1)]
                {
                    for (ifm_bits, sparse) in [(8, false), (16, false), (8, true), (16, true)] {
                        for (ofm_depth, ifm_depth, ofm_block) in
                            [(1, 1, 16), (40, 70, 32), (65, 16, 128), (9, 131, 8)]
                        {
                            if sparse && traversal == Traversal::Depthwise {
                                continue;
                            }
                            let order = Order {
                                ofm_depth,
                                ifm_depth,
                                kernel_h,
                                kernel_w,
                                stride_y: stride,
                                stride_x: stride,
                                dilation_y: dilation,
                                dilation_x: dilation,
                                ofm_block,
                                ofm_ublock,
                                traversal,
                                ifm_bits,
                                sparse,
                                macs,
                                decoders,
                            };
                            check(&order);
                            cases += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(cases, 6 * 4 * 4 * (4 + 4 + 2));
    }

    fn check(order: &Order) {
        let depth = match order.traversal {
            Traversal::Depthwise => 1,
            _ => order.ifm_depth,
        };
        let (h, w) = (order.kernel_h, order.kernel_w);
        let mut seen = vec![0u8; (order.ofm_depth * h * w * depth) as usize];
        for decoder in 0..order.decoders {
            let mut count = 0;
            order.visit(decoder, |run| {
                count += u64::from(run.take + run.skip);
                for ic in run.ic..run.ic + run.take {
                    let at = ((run.oc * h + run.ky) * w + run.kx) * depth + ic;
                    seen[at as usize] += 1;
                }
            });
            assert_eq!(count, order.count(), "{order:?}");
        }
        assert!(seen.iter().all(|&n| n == 1), "{order:?}");
    }

    /// First weights of an order small enough to write down: kernel rows forwards and backwards,
    /// then padding to five, then the next microblock.
    #[test]
    fn part_kernel_snakes_through_the_kernel() {
        let order =
            Order { kernel_h: 2, kernel_w: 2, ifm_depth: 1, ofm_depth: 9, ..order(Traversal::PartKernel) };
        let mut elements = Vec::new();
        order.visit(0, |run| {
            if run.take > 0 && run.oc % 8 == 0 {
                elements.push((run.oc, run.ky, run.kx));
            } else if run.oc == 0 {
                elements.push((99, run.skip, 0));
            }
        });
        // 16 input channels of which 1 is there; the second half of each element is idle.
        let kernel = [(0, 0), (0, 1), (1, 1), (1, 0)];
        let mut want = Vec::new();
        for oc in [0, 8] {
            for (ky, kx) in kernel {
                want.push((oc, ky, kx));
                if oc == 0 {
                    want.push((99, 8, 0));
                }
            }
            want.push((99, 8 * 16, 0));
        }
        assert_eq!(elements, want);
    }

    /// The second block of output channels takes the blocks of input channels backwards.
    #[test]
    fn depth_first_is_serpentine() {
        let order =
            Order { kernel_h: 1, kernel_w: 1, ofm_depth: 32, ifm_depth: 130, ..order(Traversal::DepthFirst) };
        let mut blocks = Vec::new();
        order.visit(0, |run| {
            let block = (run.oc / 16, run.ic / 64);
            if run.take > 0 && blocks.last() != Some(&block) {
                blocks.push(block);
            }
        });
        assert_eq!(blocks, [(0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0)]);
    }

    /// Two decoders take turns every four lanes.
    #[test]
    fn decoders_take_lanes_in_fours() {
        let order = Order {
            kernel_h: 1,
            kernel_w: 1,
            ofm_depth: 16,
            ifm_depth: 8,
            ofm_ublock: 16,
            macs: 512,
            decoders: 2,
            ..order(Traversal::DepthFirst)
        };
        let mut channels = Vec::new();
        order.visit(1, |run| {
            if run.take > 0 {
                channels.push(run.oc);
            }
        });
        assert_eq!(channels, [4, 5, 6, 7, 12, 13, 14, 15]);
        assert_eq!(order.interleave(), 8 * 64);
    }
}
