//! What an operation may touch: regions on the bus, the internal memory, and how much work.

use crate::bus::{Access, Bus, BusFault};
use crate::fault::{Cause, Channel};
use crate::op::{FeatureMap, Layout, Shape, Stream, TileRect};
use crate::stats::OpStats;

/// Bytes that a dense copy of one feature map may take in the simulator's own memory. The largest
/// maps that compilers emit are a few megabytes.
const MAX_DENSE_BYTES: u64 = 1 << 27;

/// Bytes of one weight or scale stream; a command stream cannot be larger either.
const MAX_STREAM_BYTES: u64 = 1 << 27;

/// The surroundings of an operation.
pub(crate) struct Memory<'a> {
    pub(crate) bus: &'a mut dyn Bus,
    /// BASEP registers.
    pub(crate) basep: [u64; 8],
    /// AXI interface of every region.
    pub(crate) interfaces: [u8; 8],
    /// SHRAM (U55, U65; what is written is written to all cores) or the table memory (U85).
    pub(crate) internal: &'a mut [u8],
    /// Work that is left, see [`Memory::work`].
    pub(crate) budget: &'a mut u64,
    pub(crate) stats: &'a mut OpStats,
}

impl Memory<'_> {
    /// Accounts for `amount` elementary steps (a multiply-accumulate, an element, a byte) *before*
    /// they are done. This is what keeps a damaged stream from running for hours.
    pub(crate) fn work(&mut self, amount: u64) -> Result<(), Cause> {
        match self.budget.checked_sub(amount) {
            Some(left) => {
                *self.budget = left;
                Ok(())
            }
            None => {
                *self.budget = 0;
                Err(Cause::WorkLimit)
            }
        }
    }

    fn region_of(&self, region: u8) -> (u64, u8) {
        let i = usize::from(region & 7);
        (self.basep[i], self.interfaces[i])
    }

    fn fault(&self, channel: Channel, region: u8, fault: BusFault) -> Cause {
        Cause::Bus { channel, interface: self.region_of(region).1, region: Some(region), fault }
    }

    /// Address of a byte of a region. Wraps like an address bus; `check` then finds it unmapped.
    pub(crate) fn address(&self, region: u8, offset: u64) -> u64 {
        self.region_of(region).0.wrapping_add(offset)
    }

    /// Whether the bytes can be accessed, without accessing them.
    pub(crate) fn check(
        &mut self,
        channel: Channel,
        access: Access,
        region: u8,
        offset: u64,
        length: u64,
    ) -> Result<(), Cause> {
        let address = self.address(region, offset);
        self.bus.check(address, length, access).map_err(|fault| self.fault(channel, region, fault))
    }

    /// Reads bytes of a region.
    pub(crate) fn read(
        &mut self,
        channel: Channel,
        region: u8,
        offset: u64,
        into: &mut [u8],
    ) -> Result<(), Cause> {
        let address = self.address(region, offset);
        self.stats.read(region, into.len());
        self.bus.read(address, into).map_err(|fault| self.fault(channel, region, fault))
    }

    /// Writes bytes of a region.
    pub(crate) fn write(
        &mut self,
        channel: Channel,
        region: u8,
        offset: u64,
        from: &[u8],
    ) -> Result<(), Cause> {
        let address = self.address(region, offset);
        self.stats.wrote(region, from.len());
        self.bus.write(address, from).map_err(|fault| self.fault(channel, region, fault))
    }

    /// Reads a whole stream. Checked before memory is taken for it.
    pub(crate) fn load_stream(
        &mut self,
        channel: Channel,
        stream: &Stream,
        into: &mut Vec<u8>,
    ) -> Result<(), Cause> {
        if stream.length > MAX_STREAM_BYTES {
            return Err(Cause::invalid(format!(
                "a stream of {} bytes is longer than the {MAX_STREAM_BYTES} that the simulator takes",
                stream.length
            )));
        }
        self.check(channel, Access::Read, stream.region, stream.base, stream.length)?;
        self.work(stream.length)?;
        into.clear();
        into.resize(stream.length as usize, 0);
        self.read(channel, stream.region, stream.base, into)
    }

    /// Checks layout, alignment, size and the addresses of every tile that the map reaches.
    pub(crate) fn check_map(
        &mut self,
        channel: Channel,
        access: Access,
        map: &FeatureMap,
    ) -> Result<(), Cause> {
        let size = i128::from(map.elem.bytes);
        let Shape { c, .. } = map.shape;
        let bytes = map.shape.elements() * u64::from(map.elem.bytes);
        if bytes > MAX_DENSE_BYTES {
            return Err(Cause::invalid(format!(
                "a feature map of {}x{}x{} elements takes {bytes} bytes, more than the {MAX_DENSE_BYTES} that the simulator takes for one",
                map.shape.h, map.shape.w, c
            )));
        }
        let alignment = match map.layout {
            Layout::Nhwc => i64::from(map.elem.bytes),
            Layout::Nhcwb16 => 16,
        };
        let strides: &[(&str, i64)] = match map.layout {
            Layout::Nhwc => &[("row", map.stride_y), ("column", map.stride_x)],
            Layout::Nhcwb16 => &[("row", map.stride_y), ("brick", map.stride_c)],
        };
        for (name, stride) in strides {
            if stride % alignment != 0 {
                return Err(Cause::invalid(format!(
                    "the {name} stride {stride:#x} is not a multiple of {alignment}"
                )));
            }
        }
        for tile in map.tiles() {
            let start = self.address(map.region, tile.base);
            if !start.is_multiple_of(alignment as u64) {
                return Err(Cause::invalid(format!(
                    "the feature map at {start:#x} (region {}, offset {:#x}) is not aligned to {alignment} bytes",
                    map.region, tile.base
                )));
            }
            let (low, high) = extent(map, &tile, size);
            // Offsets are 40 bits and strides 40 bits times 16: far from the ends of i128.
            let first = i128::from(start) + low;
            let fault = |address: u64, length: u64| BusFault { address, length, access };
            let (Ok(first), Ok(length)) = (u64::try_from(first), u64::try_from(high - low)) else {
                return Err(self.fault(channel, map.region, fault(start, 1)));
            };
            self.bus.check(first, length, access).map_err(|fault| self.fault(channel, map.region, fault))?;
        }
        self.work(map.shape.elements())
    }

    /// Reads a feature map as dense height x width x depth bytes, little-endian elements.
    pub(crate) fn load(
        &mut self,
        channel: Channel,
        map: &FeatureMap,
        into: &mut Vec<u8>,
    ) -> Result<(), Cause> {
        self.check_map(channel, Access::Read, map)?;
        let size = usize::from(map.elem.bytes);
        let (width, depth) = (map.shape.w as usize, map.shape.c as usize);
        into.clear();
        into.resize(map.shape.elements() as usize * size, 0);
        let row_bytes = width * depth * size;
        let mut brick = Vec::new();
        for tile in map.tiles() {
            let tile_bytes = tile.w as usize * depth * size;
            let left = tile.x as usize * depth * size;
            for row in 0..tile.h {
                let offset = row_offset(map, &tile, row);
                let start = (tile.y + row) as usize * row_bytes + left;
                let dense = &mut into[start..start + tile_bytes];
                match map.layout {
                    Layout::Nhwc if map.stride_x == (depth * size) as i64 || tile.w == 1 => {
                        self.read(channel, map.region, offset, dense)?;
                    }
                    Layout::Nhwc => {
                        let mut offset = offset;
                        for pixel in dense.chunks_exact_mut(depth * size) {
                            self.read(channel, map.region, offset, pixel)?;
                            offset = offset.wrapping_add_signed(map.stride_x);
                        }
                    }
                    Layout::Nhcwb16 => {
                        // The last brick is read no further than the last channel there is.
                        let mut offset = offset;
                        for first in (0..depth).step_by(16) {
                            let channels = (depth - first).min(16);
                            let n = channels * size;
                            brick.clear();
                            brick.resize(((tile.w as usize - 1) * 16 + channels) * size, 0);
                            if channels < 16 && self.bus.precise() {
                                let mut at = offset;
                                for pixel in brick.chunks_mut(16 * size) {
                                    self.read(channel, map.region, at, &mut pixel[..n])?;
                                    at = at.wrapping_add(16 * size as u64);
                                }
                            } else {
                                self.read(channel, map.region, offset, &mut brick)?;
                            }
                            for (pixel, from) in
                                dense.chunks_exact_mut(depth * size).zip(brick.chunks(16 * size))
                            {
                                pixel[first * size..][..n].copy_from_slice(&from[..n]);
                            }
                            offset = offset.wrapping_add_signed(map.stride_c);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a feature map from dense height x width x depth bytes. The caller has checked the
    /// map (`check_map`) before it took memory for the bytes.
    pub(crate) fn store(&mut self, channel: Channel, map: &FeatureMap, from: &[u8]) -> Result<(), Cause> {
        let size = usize::from(map.elem.bytes);
        let (width, depth) = (map.shape.w as usize, map.shape.c as usize);
        debug_assert_eq!(from.len(), map.shape.elements() as usize * size);
        let row_bytes = width * depth * size;
        let mut brick = Vec::new();
        for tile in map.tiles() {
            let tile_bytes = tile.w as usize * depth * size;
            let left = tile.x as usize * depth * size;
            for row in 0..tile.h {
                let offset = row_offset(map, &tile, row);
                let start = (tile.y + row) as usize * row_bytes + left;
                let dense = &from[start..start + tile_bytes];
                match map.layout {
                    Layout::Nhwc if map.stride_x == (depth * size) as i64 || tile.w == 1 => {
                        self.write(channel, map.region, offset, dense)?;
                    }
                    Layout::Nhwc => {
                        let mut offset = offset;
                        for pixel in dense.chunks_exact(depth * size) {
                            self.write(channel, map.region, offset, pixel)?;
                            offset = offset.wrapping_add_signed(map.stride_x);
                        }
                    }
                    Layout::Nhcwb16 => {
                        let mut brick_offset = offset;
                        for first in (0..depth).step_by(16) {
                            let channels = (depth - first).min(16);
                            let n = channels * size;
                            let pixels =
                                dense.chunks_exact(depth * size).map(|pixel| &pixel[first * size..][..n]);
                            if channels == 16 {
                                brick.clear();
                                pixels.for_each(|p| brick.extend_from_slice(p));
                                self.write(channel, map.region, brick_offset, &brick)?;
                            } else {
                                // What lies behind the last channel of a brick is not touched.
                                let mut offset = brick_offset;
                                for pixel in pixels {
                                    self.write(channel, map.region, offset, pixel)?;
                                    offset = offset.wrapping_add(16 * size as u64);
                                }
                            }
                            brick_offset = brick_offset.wrapping_add_signed(map.stride_c);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn row_offset(map: &FeatureMap, tile: &TileRect, row: u32) -> u64 {
    tile.base.wrapping_add_signed(map.stride_y.wrapping_mul(i64::from(row)))
}

/// First byte and the byte behind the last of a tile, relative to its base.
fn extent(map: &FeatureMap, tile: &TileRect, size: i128) -> (i128, i128) {
    let span = |stride: i64, count: u32| {
        let last = i128::from(stride) * i128::from(count - 1);
        (last.min(0), last.max(0))
    };
    let (y0, y1) = span(map.stride_y, tile.h);
    let depth = map.shape.c;
    match map.layout {
        Layout::Nhwc => {
            let (x0, x1) = span(map.stride_x, tile.w);
            (y0 + x0, y1 + x1 + i128::from(depth) * size)
        }
        Layout::Nhcwb16 => {
            let (c0, c1) = span(map.stride_c, depth.div_ceil(16));
            let channels = if depth < 16 { depth } else { 16 };
            let row = (i128::from(tile.w - 1) * 16 + i128::from(channels)) * size;
            (y0 + c0, y1 + c1 + row)
        }
    }
}
