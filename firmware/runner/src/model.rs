//! What the image embeds: the program, inputs for it, and the sizes of the pools that it needs.
#![expect(unsafe_code, reason = "sections of their own, so that sizes are told without program and inputs")]

use tombolo_runtime::Tables;

// METHOD, TABLES, PLANNED, TEMP: counted on the host when the image is built, see `build.rs`.
include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus/add/", $name))
    };
}

/// Bytes that start at a multiple of 16, which is what programs and pools need.
#[repr(C, align(16))]
pub(crate) struct Aligned<const N: usize>(pub(crate) [u8; N]);

/// The program file.
#[unsafe(link_section = ".model")]
pub(crate) static PROGRAM: Aligned<{ fixture!("cpu_float.pte").len() }> = Aligned(*fixture!("cpu_float.pte"));

/// The sizes of each input, as its `.npy` file has them.
pub(crate) const SHAPE: &[u32] = &[1, 4, 8, 8];
const BYTES: usize = 4 * 4 * 8 * 8;

#[unsafe(link_section = ".inputs")]
static IN0: [u8; BYTES] = data(fixture!("in0.npy"));
#[unsafe(link_section = ".inputs")]
static IN1: [u8; BYTES] = data(fixture!("in1.npy"));

/// The bytes of every input.
pub(crate) static INPUTS: [&[u8]; 2] = [&IN0, &IN1];

/// The elements of a `.npy` file of version 1 that holds `BYTES / 4` little-endian floats of `SHAPE`
/// in C order. Anything else fails the build.
const fn data(file: &[u8]) -> [u8; BYTES] {
    const HEADER: &[u8] = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4, 8, 8), }";
    let start = 10 + (file[8] as usize | (file[9] as usize) << 8);
    assert!(file[6] == 1 && file.len() == start + BYTES, "not the .npy file that was expected");
    let mut i = 0;
    while i < HEADER.len() {
        assert!(file[10 + i] == HEADER[i], "the .npy file holds another type or other sizes");
        i += 1;
    }
    let mut bytes = [0; BYTES];
    let mut i = 0;
    while i < BYTES {
        bytes[i] = file[start + i];
        i += 1;
    }
    bytes
}
