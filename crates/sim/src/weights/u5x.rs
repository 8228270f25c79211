//! Order of weights on U55 and U65 (facts 4.4).

/// Channels of input that a block of weights covers at a time.
const IFM_UBLOCK: u32 = 8;

/// How an operation cuts its weights up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Order {
    /// Output channels (of this core).
    pub(crate) ofm_depth: u32,
    /// Input channels; 1 for depthwise.
    pub(crate) ifm_depth: u32,
    /// Rows and columns of the kernel, without dilation.
    pub(crate) kernel_h: u32,
    pub(crate) kernel_w: u32,
    pub(crate) dilation_y: u32,
    pub(crate) dilation_x: u32,
    /// Output channels of a block (of this core).
    pub(crate) ofm_block: u32,
    /// Output channels that the MAC array works on at once.
    pub(crate) ofm_ublock: u32,
    pub(crate) depthwise: bool,
    pub(crate) part_kernel: bool,
    /// Bits of an input element.
    pub(crate) ifm_bits: u32,
}

/// Weights that stand next to each other in the stream: input channels of one output channel and
/// kernel element. `skip` behind them belong to channels that do not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Output channel of this core.
    pub(crate) oc: u32,
    pub(crate) ky: u32,
    pub(crate) kx: u32,
    /// First input channel.
    pub(crate) ic: u32,
    /// Weights that are used.
    pub(crate) take: u32,
    /// Weights behind them that are not.
    pub(crate) skip: u32,
}

impl Order {
    /// Calls `visit` for every run of the stream in order.
    pub(crate) fn visit(&self, mut visit: impl FnMut(Run)) {
        let ifm_block = if self.part_kernel || self.ifm_bits == 16 { 16 } else { 32 };
        let kernel_granule = match (self.depthwise, self.part_kernel) {
            (true, _) => 4,
            (false, true) if self.ifm_bits == 16 => 2,
            (false, true) => 4,
            (false, false) => 1,
        };
        let ifm_depth = if self.depthwise { 1 } else { self.ifm_depth };
        let run_length = if self.depthwise { 1 } else { IFM_UBLOCK };
        let (sub_h, sub_w) = (8 / self.dilation_y.max(1), 8 / self.dilation_x.max(1));
        for ofm_at in (0..self.ofm_depth).step_by(self.ofm_block.max(1) as usize) {
            let ofm_count = self.ofm_block.min(self.ofm_depth - ofm_at);
            for ifm_at in (0..ifm_depth).step_by(ifm_block) {
                // Depth first pads the depth to a whole block.
                let ifm_count = match (self.depthwise, self.part_kernel) {
                    (true, _) => IFM_UBLOCK,
                    (false, true) => (ifm_depth - ifm_at).min(ifm_block as u32),
                    (false, false) => ifm_block as u32,
                };
                let (outer, inner) = if self.part_kernel { (ifm_count, 1) } else { (1, ifm_count) };
                for sub_y in (0..self.kernel_h).step_by(sub_h as usize) {
                    let h = sub_h.min(self.kernel_h - sub_y);
                    for sub_x in (0..self.kernel_w).step_by(sub_w as usize) {
                        let w = sub_w.min(self.kernel_w - sub_x);
                        let elements = (h * w).next_multiple_of(kernel_granule);
                        for ifm_outer in (0..outer).step_by(IFM_UBLOCK as usize) {
                            for ofm_ublock in (0..ofm_count).step_by(self.ofm_ublock as usize) {
                                for element in 0..elements {
                                    let (y, x) = (element / w, element % w);
                                    for ifm_inner in (0..inner).step_by(IFM_UBLOCK as usize) {
                                        let ic = ifm_at + ifm_outer + ifm_inner;
                                        for z in 0..self.ofm_ublock {
                                            let oc = ofm_at + ofm_ublock + z;
                                            // A lane behind the block's last channel is idle even
                                            // if the next block has that channel.
                                            let real = y < h && ofm_ublock + z < ofm_count && ic < ifm_depth;
                                            let take = if real { run_length.min(ifm_depth - ic) } else { 0 };
                                            visit(Run {
                                                oc,
                                                ky: sub_y + y,
                                                kx: sub_x + x,
                                                ic,
                                                take,
                                                skip: run_length - take,
                                            });
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// An upper bound of the weights in the stream, padding included.
    pub(crate) fn bound(&self) -> u64 {
        let ifm_depth = if self.depthwise { 1 } else { u64::from(self.ifm_depth).next_multiple_of(32) };
        // Every output block may end with a partly used microblock; kernel elements come in fours
        // per sub-kernel of up to 8 by 8.
        let blocks = u64::from(self.ofm_depth.div_ceil(self.ofm_block.max(1)));
        let ofm_depth = u64::from(self.ofm_depth) + blocks * u64::from(self.ofm_ublock);
        let sub_kernels = u64::from(self.kernel_h.div_ceil(4)) * u64::from(self.kernel_w.div_ceil(4));
        let kernel = u64::from(self.kernel_h) * u64::from(self.kernel_w) + 3 * sub_kernels;
        ofm_depth.saturating_mul(ifm_depth).saturating_mul(kernel)
    }
}
