//! Just enough of NumPy's `.npy` format to read fixtures of floats.

use crate::Result;
use std::path::Path;

/// The elements of a file of little-endian 32-bit floats, in C order.
pub(crate) fn read_floats(path: &Path) -> Result<Vec<f32>> {
    let place = path.display();
    let file = std::fs::read(path).map_err(|error| format!("{place}: {error}"))?;
    let damaged = || format!("{place}: not a .npy file of version 1: restore it from version control");
    let rest = file.strip_prefix(b"\x93NUMPY\x01\x00").ok_or_else(damaged)?;
    let (&len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (header, data) = rest.split_at_checked(usize::from(u16::from_le_bytes(len))).ok_or_else(damaged)?;
    let header = String::from_utf8_lossy(header);
    if !header.contains("'descr': '<f4'") || !header.contains("'fortran_order': False") {
        return Err(format!(
            "{place}: floats in C order are expected, the header says {}",
            header.trim_end()
        ));
    }
    Ok(data
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect())
}
