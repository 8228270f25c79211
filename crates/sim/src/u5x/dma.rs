//! Copies of U55 and U65.

use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums::{dma_region_mode, dma_stride_mode};

use super::Unit;
use crate::bus::Access;
use crate::decode;
use crate::fault::{Cause, Channel};
use crate::mem::Memory;

/// Bytes copied at a time.
const CHUNK: u64 = 1 << 16;

/// Where a copy goes.
#[derive(Clone, Copy)]
enum Side {
    Region(u8),
    /// The SHRAM, of all cores at once.
    Internal,
}

impl Unit<'_> {
    pub(super) fn dma(&self, memory: &mut Memory<'_>, buffer: &mut Vec<u8>) -> Result<(), Cause> {
        use fields::{dma0_dst_region as dst, dma0_src_region as src};
        let state = self.state;
        let source = state.get(Opcode::Dma0SrcRegion)?;
        let target = state.get(Opcode::Dma0DstRegion)?;
        if src::STRIDE_MODE.get(source) != dma_stride_mode::D1 {
            return Err(Cause::not_modelled(
                "a copy with a strided source: no compiler emits it for this generation",
            ));
        }
        if src::REGION_MODE.get(source) == dma_region_mode::INTERNAL {
            return Err(Cause::not_modelled("a copy out of the internal memory: no compiler emits it"));
        }
        let from = src::REGION.get(source) as u8;
        let to = if dst::REGION_MODE.get(target) == dma_region_mode::INTERNAL {
            let all = (1u32 << self.accelerator.cores()) - 1;
            if dst::REGION.get(target) & all != all {
                return Err(Cause::not_modelled(
                    "a copy into the internal memory of some cores only: no compiler emits it",
                ));
            }
            Side::Internal
        } else {
            Side::Region(dst::REGION.get(target) as u8)
        };
        let length = state.address(Opcode::Dma0Len)?;
        let src_start = state.address(Opcode::Dma0Src)?;
        let dst_start = state.address(Opcode::Dma0Dst)?;
        let mode = decode::defined(state, Opcode::Dma0DstRegion, &dst::STRIDE_MODE)?;
        let (rows, planes) = match mode {
            dma_stride_mode::D1 => (1, 1),
            dma_stride_mode::D2 => (state.param(Opcode::Dma0Size0)?, 1),
            _ => (state.param(Opcode::Dma0Size0)?, state.param(Opcode::Dma0Size1)?),
        };
        let skip = |used: bool, opcode| if used { state.stride(opcode) } else { Ok(0) };
        let row_step = (length as i64).wrapping_add(skip(mode != dma_stride_mode::D1, Opcode::Dma0Skip0)?);
        let plane_step = (length as i64)
            .wrapping_mul(rows.into())
            .wrapping_add(skip(mode == dma_stride_mode::D3, Opcode::Dma0Skip1)?);
        // The source is dense, the target may have gaps.
        let mut src_at = src_start;
        for plane in 0..planes {
            for row in 0..rows {
                let dst_at = dst_start
                    .wrapping_add_signed(plane_step.wrapping_mul(plane.into()))
                    .wrapping_add_signed(row_step.wrapping_mul(row.into()));
                copy(memory, buffer, from, src_at, to, dst_at, length)?;
                src_at = src_at.wrapping_add(length);
            }
        }
        Ok(())
    }
}

fn copy(
    memory: &mut Memory<'_>,
    buffer: &mut Vec<u8>,
    from: u8,
    src: u64,
    to: Side,
    dst: u64,
    length: u64,
) -> Result<(), Cause> {
    let outside = || {
        Cause::invalid(format!(
            "a copy of {length} bytes to {dst:#x} of the internal memory reaches behind its end"
        ))
    };
    let end = dst.checked_add(length).ok_or_else(outside)?;
    memory.check(Channel::DmaRead, Access::Read, from, src, length)?;
    match to {
        Side::Region(region) => memory.check(Channel::DmaWrite, Access::Write, region, dst, length)?,
        Side::Internal if end > memory.internal.len() as u64 => return Err(outside()),
        Side::Internal => {}
    }
    memory.work(length + 1)?;
    let mut done = 0;
    while done < length {
        let count = CHUNK.min(length - done);
        buffer.clear();
        buffer.resize(count as usize, 0);
        memory.read(Channel::DmaRead, from, src + done, buffer)?;
        match to {
            Side::Region(region) => {
                memory.write(Channel::DmaWrite, region, dst + done, buffer)?;
            }
            Side::Internal => {
                let start = (dst + done) as usize;
                if let Some(into) = memory.internal.get_mut(start..start + buffer.len()) {
                    into.copy_from_slice(buffer);
                }
            }
        }
        done += count;
    }
    Ok(())
}
