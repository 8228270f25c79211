//! Boxes of elements as bytes of regions.

use crate::hw::{FeatureMap, Layout};
use crate::ir::{Elem, Program, View};

/// Where a tensor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Index of the base pointer.
    pub region: u8,
    /// Bytes from it.
    pub address: u64,
}

/// Where each tensor of a program is; `None` for those that are nowhere, such as weights.
pub type Places<'a> = [Option<Place>];

/// A view as the hardware walks it.
pub(super) fn map(
    program: &Program,
    places: &Places<'_>,
    view: &View,
    signed: bool,
    zero_point: i64,
) -> Result<FeatureMap, String> {
    let tensor = program.tensor(view.tensor);
    let place = places.get(view.tensor.index()).copied().flatten();
    let place = place.ok_or(format!("'{}' is in no memory", tensor.name))?;
    if tensor.elem == Elem::I48 {
        return Err(format!("'{}' has sums of 48 bits, which no memory holds", tensor.name));
    }
    let bits = tensor.elem.bits() as u8;
    let bytes = u64::from(bits / 8);
    let stride = |elements: usize| {
        i64::try_from(elements as u64 * bytes).map_err(|_| "a stride of more than 63 bits".to_string())
    };
    let [rows, columns, channels] = view.strides;
    // Channels are neighbours, or there is one.
    let channels = if view.shape[2] == 1 { 1 } else { channels };
    if channels > 1 {
        return Err(format!("channels of '{}' are {channels} elements apart", tensor.name));
    }
    Ok(FeatureMap {
        region: place.region,
        base: [place.address + view.offset as u64 * bytes, 0, 0, 0],
        tile: [view.shape[0], view.shape[0], view.shape[1]],
        shape: view.shape,
        strides: [stride(rows)?, stride(columns)?, stride(1)?],
        bits,
        signed,
        zero_point,
        layout: Layout::Nhwc,
    })
}

/// A map whose repeated dimensions are one, as operations on each element take it.
pub(super) fn repeated(mut map: FeatureMap, view: &View) -> FeatureMap {
    for axis in 0..3 {
        if view.strides[axis] == 0 {
            map.shape[axis] = 1;
        }
    }
    map.tile = [map.shape[0], map.shape[0], map.shape[1]];
    map
}

/// 32-bit elements as twice as many of 16 bits.
pub(super) fn bytes_map(map: &FeatureMap) -> FeatureMap {
    let mut halves = map.clone();
    halves.shape[2] *= 2;
    halves.strides[2] = 2;
    halves.bits = 16;
    halves.signed = true;
    halves.zero_point = 0;
    halves
}
