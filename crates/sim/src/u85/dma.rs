//! Copies: one to three dimensions with strides on both sides, gather and scatter.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{dma_idx_mode, dma_region_mode, dma_stride_mode};

use super::Unit;
use crate::bus::Access;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;

/// Bytes copied at a time.
const CHUNK: u64 = 1 << 16;

/// Work that an element is counted as beside its bytes.
const ELEMENT_WORK: u64 = 64;

/// Source or target.
#[derive(Clone, Copy)]
struct Side {
    /// `None` for the table memory.
    region: Option<u8>,
    start: u64,
    strides: [i64; 2],
}

impl Side {
    fn at(&self, row: u64, plane: u64) -> u64 {
        let [stride0, stride1] = self.strides;
        self.start
            .wrapping_add((stride0 as u64).wrapping_mul(row))
            .wrapping_add((stride1 as u64).wrapping_mul(plane))
    }
}

/// Indices of a gather or scatter: 32 bits each.
#[derive(Clone, Copy)]
struct Indices {
    region: u8,
    start: u64,
    /// Bytes from those of one plane to those of the next.
    plane: i64,
    max: u32,
}

impl Unit<'_> {
    pub(super) fn dma(&self, memory: &mut Memory<'_>, buffer: &mut Vec<u8>) -> Result<(), Cause> {
        use fields::{dma0_dst_region as dst, dma0_idx_max, dma0_idx_region, dma0_src_region as src};
        let state = self.state;
        let source = state.get(Opcode::Dma0SrcRegion)?;
        let target = state.get(Opcode::Dma0DstRegion)?;
        let gather = src::IDX_MODE.get(source) == dma_idx_mode::ENABLED;
        let scatter = dst::IDX_MODE.get(target) == dma_idx_mode::ENABLED;
        if gather && scatter {
            return Err(Cause::not_modelled("a copy that gathers and scatters: no compiler emits it"));
        }
        let mode = decode::defined(state, Opcode::Dma0SrcRegion, &src::STRIDE_MODE)?;
        let rows = if mode == dma_stride_mode::D1 && !gather && !scatter {
            1
        } else {
            u64::from(state.param(Opcode::Dma0Size0)?)
        };
        let planes = if mode == dma_stride_mode::D3 { u64::from(state.param(Opcode::Dma0Size1)?) } else { 1 };
        let stride = |used: bool, opcode| if used { state.stride(opcode) } else { Ok(0) };
        let (two, three) = (mode != dma_stride_mode::D1, mode == dma_stride_mode::D3);
        let region = |internal: bool, region: u32| (!internal).then_some(region as u8);
        let from = Side {
            region: region(
                src::REGION_MODE.get(source) == dma_region_mode::INTERNAL,
                src::REGION.get(source),
            ),
            start: state.address(Opcode::Dma0Src)?,
            strides: [stride(two || gather, Opcode::Dma0SrcStride0)?, stride(three, Opcode::Dma0SrcStride1)?],
        };
        let to = Side {
            region: region(
                dst::REGION_MODE.get(target) == dma_region_mode::INTERNAL,
                dst::REGION.get(target),
            ),
            start: state.address(Opcode::Dma0Dst)?,
            strides: [
                stride(two || scatter, Opcode::Dma0DstStride0)?,
                stride(three, Opcode::Dma0DstStride1)?,
            ],
        };
        let indices = if gather || scatter {
            Some(Indices {
                region: state.field(Opcode::Dma0IdxRegion, &dma0_idx_region::REGION)? as u8,
                start: state.address(Opcode::Dma0Idx)?,
                plane: stride(three, Opcode::Dma0IdxSkip1)?,
                max: state.field(Opcode::Dma0IdxMax, &dma0_idx_max::IDX_MAX)?,
            })
        } else {
            None
        };
        let length = state.address(Opcode::Dma0Len)?;
        for plane in 0..planes {
            for row in 0..rows {
                let (mut src_row, mut dst_row) = (row, row);
                if let Some(indices) = &indices {
                    let index = indices.read(memory, row, plane)?;
                    *(if gather { &mut src_row } else { &mut dst_row }) = index;
                }
                copy(
                    memory,
                    buffer,
                    (from.region, from.at(src_row, plane)),
                    (to.region, to.at(dst_row, plane)),
                    length,
                )?;
            }
        }
        Ok(())
    }
}

impl Indices {
    fn read(&self, memory: &mut Memory<'_>, row: u64, plane: u64) -> Result<u64, Cause> {
        let at = self.start.wrapping_add(row * 4).wrapping_add((self.plane as u64).wrapping_mul(plane));
        let mut raw = [0; 4];
        memory.read(Channel::DmaIndex, self.region, at, &mut raw)?;
        let index = u32::from_le_bytes(raw);
        if index > self.max {
            return Err(Cause::invalid(format!(
                "index {} at {at:#x} of region {} is not in 0 to {} (DMA0_IDX_MAX)",
                index as i32, self.region, self.max
            )));
        }
        Ok(index.into())
    }
}

fn copy(
    memory: &mut Memory<'_>,
    buffer: &mut Vec<u8>,
    (from, src): (Option<u8>, u64),
    (to, dst): (Option<u8>, u64),
    length: u64,
) -> Result<(), Cause> {
    memory.work(length.saturating_add(ELEMENT_WORK))?;
    check(memory, Channel::DmaRead, Access::Read, from, src, length)?;
    check(memory, Channel::DmaWrite, Access::Write, to, dst, length)?;
    let mut done = 0;
    while done < length {
        let count = CHUNK.min(length - done);
        buffer.clear();
        buffer.resize(count as usize, 0);
        let (src, dst) = (src.wrapping_add(done), dst.wrapping_add(done));
        match from {
            Some(region) => memory.read(Channel::DmaRead, region, src, buffer)?,
            None => {
                let start = src as usize;
                if let Some(from) = memory.internal.get(start..start + buffer.len()) {
                    buffer.copy_from_slice(from);
                }
            }
        }
        match to {
            Some(region) => memory.write(Channel::DmaWrite, region, dst, buffer)?,
            None => {
                let start = dst as usize;
                if let Some(into) = memory.internal.get_mut(start..start + buffer.len()) {
                    into.copy_from_slice(buffer);
                }
            }
        }
        done += count;
    }
    Ok(())
}

fn check(
    memory: &mut Memory<'_>,
    channel: Channel,
    access: Access,
    region: Option<u8>,
    offset: u64,
    length: u64,
) -> Result<(), Cause> {
    match region {
        Some(region) => memory.check(channel, access, region, offset, length),
        None if offset.checked_add(length).is_some_and(|end| end <= memory.internal.len() as u64) => Ok(()),
        None => Err(Cause::invalid(format!(
            "a copy of {length} bytes at {offset:#x} of the table memory reaches behind its end"
        ))),
    }
}
