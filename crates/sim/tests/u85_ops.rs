//! Directed cases for U85: small numbers whose results can be told by hand, and what is refused.

mod common;

use common::stream::{Map, Stream};
use common::{Network, prepare, run_stream, start};
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::Opcode as O;
use tombolo_ethosu::enums::{elementwise_mode as mode, pooling_mode as pool, round_mode_ofm as round};
use tombolo_ethosu::regs::Register;
use tombolo_sim::{Cause, Npu};

const NPU: Accelerator = Accelerator::U85_256;

/// OFM_PRECISION: one scale for all channels.
const GLOBAL: u16 = 1 << 8;

/// Storage of a map (bits 15:14 of a precision register).
const TILE3X1: u16 = 1 << 14;
const CHAINED: u16 = 2 << 14;
const SCALAR: u16 = 3 << 14;

/// ACC_FORMAT.
const ACC48: u16 = 1;
const KEEP: u16 = 1 << 4;
const FROM_IFM2: u16 = 2 << 4;
const NO_OUTPUT: u16 = 1 << 6;
/// Microblock of 2x2, which every U85 but the smallest has.
const UBLOCK: u16 = 3 << 8;

const CLIP_NONE: u16 = 1 << 12;

fn regions(one: Vec<u8>) -> [Vec<u8>; 8] {
    let mut regions: [Vec<u8>; 8] = Default::default();
    regions[1] = one;
    regions
}

fn bytes(values: &[i64], size: usize) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect()
}

fn values(bytes: &[u8], size: usize) -> Vec<i64> {
    bytes
        .chunks_exact(size)
        .map(|b| {
            let mut wide = [if b[size - 1] > 127 { 255 } else { 0 }; 8];
            wide[..size].copy_from_slice(b);
            i64::from_le_bytes(wide)
        })
        .collect()
}

/// Commands that differ from U55 and U65, or that they do not have.
trait More {
    /// The output, global scale 1 >> 0, natural rounding, one block.
    fn out(&mut self, map: &Map) -> &mut Stream;
    fn scale(&mut self, opcode: O, shift: u16, double: u16, round: u32, scale: u32) -> &mut Stream;
}

impl More for Stream {
    fn out(&mut self, map: &Map) -> &mut Stream {
        let precision = u16::from(map.signed)
            | (map.bytes.trailing_zeros() as u16) << 1
            | u16::from(map.bricks) << 6
            | GLOBAL
            | map.precision;
        self.ofm(map)
            .one(O::OfmPrecision, precision)
            .one(O::AccFormat, UBLOCK)
            .one(O::OfmBlkHeightM1, 127)
            .one(O::OfmBlkWidthM1, 127)
            .one(O::OfmBlkDepthM1, 127)
            .scale(O::OfmScale, 0, 0, round::NATURAL, 1)
            .scale(O::IfmScale, 0, 0, 0, 1)
            .scale(O::Ifm2Scale, 0, 0, 0, 1)
            .one(O::IfmBroadcast, 0)
    }

    fn scale(&mut self, opcode: O, shift: u16, double: u16, round: u32, scale: u32) -> &mut Stream {
        self.two(opcode, shift | double << 6 | (round as u16) << 13, scale)
    }
}

/// An operation on 1x1xn maps: `a` at 0, `b` at 0x100, result at 0x200, extra bytes at 0x300.
struct Case {
    size: u16,
    out: u16,
    unsigned_out: bool,
    a: Vec<i64>,
    b: Vec<i64>,
    extra: Vec<u8>,
    stream: Stream,
}

fn case(a: &[i64], b: &[i64]) -> Case {
    Case {
        size: 1,
        out: 1,
        unsigned_out: false,
        a: a.to_vec(),
        b: b.to_vec(),
        extra: Vec::new(),
        stream: Stream::new(),
    }
}

impl Case {
    fn sizes(mut self, size: u16, out: u16) -> Case {
        (self.size, self.out) = (size, out);
        self
    }

    /// Commands behind the ordinary ones.
    fn with(mut self, more: impl FnOnce(&mut Stream)) -> Case {
        more(&mut self.stream);
        self
    }

    fn extra(mut self, bytes: &[u8]) -> Case {
        self.extra = bytes.to_vec();
        self
    }

    fn try_run(&self, op: O, mode: u32) -> Result<Vec<i64>, String> {
        let n = self.a.len() as u16;
        let map = |base, bytes| Map { bytes, ..Map::new(1, base, [1, 1, n]) };
        let mut stream = Stream::new();
        let out = Map { signed: !self.unsigned_out, ..map(0x200, self.out) };
        stream.ifm(&map(0, self.size)).ifm2(&map(0x100, self.size)).kernel(1, 1).out(&out);
        stream.bytes.extend_from_slice(&self.stream.bytes);
        stream.one(op, mode as u16).stop();
        let mut memory = vec![0; 0x300];
        let (a, b) = (bytes(&self.a, self.size.into()), bytes(&self.b, self.size.into()));
        memory[..a.len()].copy_from_slice(&a);
        memory[0x100..][..b.len()].copy_from_slice(&b);
        memory.extend_from_slice(&self.extra);
        let after = run_stream(NPU, &stream, regions(memory))?;
        let out = self.out as usize;
        Ok(values(&after[1][0x200..][..self.a.len() * out], out))
    }

    #[track_caller]
    fn run(&self, mode: u32) -> Vec<i64> {
        self.try_run(O::Elementwise, mode).unwrap()
    }

    #[track_caller]
    fn refused(&self, op: O, mode: u32, words: &str) {
        let error = self.try_run(op, mode).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn arithmetic() {
    let c = case(&[1, -100, 100, 127], &[2, -100, 100, -128]);
    assert_eq!(c.run(mode::ADD), [3, -128, 127, -1]);
    assert_eq!(c.run(mode::SUB), [-1, 0, 0, 127]);
    assert_eq!(c.run(mode::MIN), [1, -100, 100, -128]);
    assert_eq!(c.run(mode::MAX), [2, -100, 100, 127]);
    assert_eq!(case(&[3, -4, 11], &[5, 6, -11]).run(mode::MUL), [15, -24, -121]);
    assert_eq!(case(&[-128, -1, 0, 5], &[]).run(mode::ABS), [127, 1, 0, 5]);
    // Division truncates toward zero.
    let c = case(&[7, -7, 7, -7], &[2, 2, -2, -2]).sizes(4, 4).with(|s| {
        s.one(O::Activation, CLIP_NONE);
    });
    assert_eq!(c.run(mode::DIV), [3, -3, -3, 3]);
    case(&[7], &[0]).refused(O::Elementwise, mode::DIV, "division by zero");
    // A full 31-bit scale on 32-bit results, and no clip: it wraps.
    let c = case(&[1 << 30, -5], &[1 << 30, 3]).sizes(4, 4).with(|s| {
        s.one(O::Activation, CLIP_NONE);
    });
    assert_eq!(c.run(mode::ADD), [-(1 << 31), -2]);
    let c = c.with(|s| {
        s.scale(O::OfmScale, 31, 0, round::NATURAL, 3 << 20);
    });
    assert_eq!(c.run(mode::MUL), [(3i64 << 49) as i32 as i64, 0]);
}

#[test]
fn comparisons_give_masks() {
    let c = case(&[1, 2, 3, -128], &[1, 3, 2, 127]);
    assert_eq!(c.run(mode::CMP_EQ), [-1, 0, 0, 0]);
    assert_eq!(c.run(mode::CMP_NE), [0, -1, -1, -1]);
    assert_eq!(c.run(mode::CMP_GE), [-1, 0, -1, 0]);
    assert_eq!(c.run(mode::CMP_GT), [0, 0, -1, 0]);
}

#[test]
fn bits() {
    let c = case(&[0b1100, -1], &[0b1010, 0x55]);
    assert_eq!(c.run(mode::AND), [0b1000, 0x55]);
    assert_eq!(c.run(mode::OR), [0b1110, -1]);
    assert_eq!(c.run(mode::XOR), [0b0110, -0x56]);
    assert_eq!(c.run(mode::AND_NOT), [0b0100, -0x56]);
    assert_eq!(case(&[0, 5], &[]).run(mode::NOT), [-1, -6]);
    let c = case(&[0, 1, -1, 0x00ff_0000], &[]).sizes(4, 4);
    assert_eq!(c.run(mode::CLZ), [32, 31, 0, 8]);
    case(&[1], &[]).refused(O::Elementwise, mode::CLZ, "CLZ of inputs");
}

#[test]
fn shifts() {
    let c = case(&[5, -5, 64, -1], &[1, 1, 1, 7]);
    assert_eq!(c.run(mode::SHR), [3, -2, 32, 0], "rounds");
    assert_eq!(c.run(mode::SHL), [10, -10, -128, -128], "what leaves the byte is lost");
    assert_eq!(c.run(mode::LSR), [2, 125, 32, 1], "zeros come in at bit 7");
    let c = c.with(|s| {
        s.scale(O::OfmScale, 0, 0, round::TRUNCATE_TO_LOWER, 1);
    });
    assert_eq!(c.run(mode::SHR), [2, -3, 32, -1]);
    case(&[1], &[-1]).refused(O::Elementwise, mode::SHL, "a shift by -1");
    case(&[1], &[32]).refused(O::Elementwise, mode::SHR, "a shift by 32");
}

#[test]
fn ties_by_rounding_mode() {
    let by = |mode: u32| {
        let c = case(&[5, -5, 3, -3, 1, -1, 6, -7], &[0; 8]).with(|s| {
            s.scale(O::OfmScale, 1, 0, mode, 1);
        });
        c.run(mode::ADD)
    };
    assert_eq!(by(round::NATURAL), [3, -2, 2, -1, 1, 0, 3, -3]);
    assert_eq!(by(round::DOUBLE_SYMMETRIC), [3, -2, 2, -1, 1, 0, 3, -3]);
    assert_eq!(by(round::DOUBLE_ASYMMETRIC), [3, -2, 2, -1, 1, 0, 3, -3]);
    assert_eq!(by(round::SYMMETRIC), [3, -3, 2, -2, 1, -1, 3, -4]);
    assert_eq!(by(round::TRUNCATE_TO_ZERO), [2, -2, 1, -1, 0, 0, 3, -3]);
    assert_eq!(by(round::TRUNCATE_TO_LOWER), [2, -3, 1, -2, 0, -1, 3, -4]);
    case(&[1], &[1])
        .with(|s| {
            s.scale(O::OfmScale, 1, 0, 6, 1);
        })
        .refused(O::Elementwise, mode::ADD, "round_mode 6");
    // A shift above 31 less dbl_rnd: ties go away from zero.
    let by = |double, mode: u32| {
        let c = case(&[1, -1, 3, -3], &[0; 4]).with(|s| {
            s.scale(O::OfmScale, 12, double, mode, 1 << 11);
        });
        c.run(mode::ADD)
    };
    assert_eq!(by(0, round::DOUBLE_SYMMETRIC), [1, 0, 2, -1]);
    assert_eq!(by(20, round::DOUBLE_SYMMETRIC), [1, -1, 2, -2]);
    assert_eq!(by(20, round::DOUBLE_ASYMMETRIC), [1, 0, 2, -1]);
}

#[test]
fn inputs_are_scaled_before() {
    let c = case(&[10, -3], &[4, 5]).with(|s| {
        s.scale(O::IfmScale, 1, 0, 1, 3).scale(O::Ifm2Scale, 0, 0, 1, 2);
    });
    // 15 and -4 (-4.5), 8 and 10.
    assert_eq!(c.run(mode::ADD), [23, 6]);
    assert_eq!(c.run(mode::SUB), [7, -14]);
    // LRELU: IFM_SCALE for positive values, IFM2_SCALE for negative ones.
    let c = case(&[10, -8, 0], &[]).with(|s| {
        s.scale(O::IfmScale, 0, 0, 1, 2).scale(O::Ifm2Scale, 2, 0, 1, 1);
    });
    assert_eq!(c.run(mode::LRELU), [20, -2, 0]);
}

#[test]
fn broadcast_and_scalar() {
    let run = |first: u16, second: u16, scalar: Option<bool>| {
        let (out, full) = (Map::new(1, 0x200, [2, 3, 2]), [2, 3, 2]);
        let shape = |bits: u16| {
            let axis = |bit: u16, size| if bits & bit != 0 { 1 } else { size };
            [axis(1, full[0]), axis(2, full[1]), axis(4, full[2])]
        };
        let mut a = Map::new(1, 0, shape(first));
        let mut b = Map::new(1, 0x100, shape(second));
        match scalar {
            Some(true) => a.precision = SCALAR,
            Some(false) => b.precision = SCALAR,
            None => {}
        }
        let mut s = Stream::new();
        s.ifm(&a).ifm2(&b).out(&out).one(O::IfmBroadcast, first).one(O::Ifm2Broadcast, second);
        s.two(O::OpScalar, 0, 100).one(O::Elementwise, mode::SUB as u16).stop();
        let mut memory = vec![0; 0x300];
        for i in 0..12 {
            memory[i] = i as u8;
            memory[0x100 + i] = 10 * (i as u8 + 1);
        }
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..0x20c], 1))
    };
    // Rows, columns, channels; of one value, then of both.
    assert_eq!(run(0, 1, None).unwrap(), [-10, -19, -28, -37, -46, -55, -4, -13, -22, -31, -40, -49]);
    assert_eq!(run(0, 2, None).unwrap(), [-10, -19, -8, -17, -6, -15, -24, -33, -22, -31, -20, -29]);
    assert_eq!(run(0, 4, None).unwrap(), [-10, -9, -18, -17, -26, -25, -34, -33, -42, -41, -50, -49]);
    assert_eq!(run(5, 2, None).unwrap(), [-10, -20, -9, -19, -8, -18, -30, -40, -29, -39, -28, -38]);
    assert_eq!(run(0, 8, Some(false)).unwrap()[..3], [-100, -99, -98]);
    assert_eq!(run(8, 0, Some(true)).unwrap()[..3], [90, 80, 70]);
    assert!(run(0, 8, None).unwrap_err().contains("do not agree"));
    assert!(run(0, 9, None).unwrap_err().contains("does not define"));
}

/// Rows, columns, channels numbered from 0 to 23, written through OFM_PRECISION bits.
fn rearranged(bits: u16, shape: [u16; 3], bricks: bool) -> Result<Vec<i64>, String> {
    let source = Map::new(1, 0, [2, 3, 4]);
    let target = Map { precision: bits, bricks, ..Map::new(1, 0x100, shape) };
    let mut s = Stream::new();
    s.ifm(&source).out(&target);
    // Strides and tiles are those of the result, sizes those before.
    s.one(O::OfmHeightM1, 1).one(O::OfmWidthM1, 2).one(O::OfmDepthM1, 3);
    s.one(O::Elementwise, mode::ABS as u16).stop();
    let mut memory: Vec<u8> = (0..24).collect();
    memory.resize(0x300, 0xee);
    let after = run_stream(NPU, &s, regions(memory))?;
    let [h, w, c] = shape.map(usize::from);
    let [sy, sx, _] = target.strides().map(|s| s as usize);
    let mut got = Vec::new();
    for y in 0..h {
        for x in 0..w {
            for z in 0..c {
                got.push(after[1][0x100 + y * sy + x * sx + z].into());
            }
        }
    }
    Ok(got)
}

#[test]
fn transposed_outputs() {
    let value = |y: i64, x: i64, z: i64| y * 12 + x * 4 + z;
    let expect = |shape: [i64; 3], at: &dyn Fn([i64; 3]) -> i64| {
        let mut all = Vec::new();
        for a in 0..shape[0] {
            for b in 0..shape[1] {
                for c in 0..shape[2] {
                    all.push(at([a, b, c]));
                }
            }
        }
        all
    };
    for bricks in [false, true] {
        let run = |code: u16, shape| rearranged(code << 11, shape, bricks).unwrap();
        assert_eq!(run(0, [2, 3, 4]), (0..24).collect::<Vec<_>>());
        assert_eq!(run(1, [3, 2, 4]), expect([3, 2, 4], &|[x, y, z]| value(y, x, z)));
        assert_eq!(run(2, [2, 4, 3]), expect([2, 4, 3], &|[y, z, x]| value(y, x, z)));
        assert_eq!(run(3, [3, 4, 2]), expect([3, 4, 2], &|[x, z, y]| value(y, x, z)));
        assert_eq!(run(6, [4, 2, 3]), expect([4, 2, 3], &|[z, y, x]| value(y, x, z)));
        assert_eq!(run(7, [4, 3, 2]), expect([4, 3, 2], &|[z, x, y]| value(y, x, z)));
    }
    assert!(rearranged(4 << 11, [2, 3, 4], false).unwrap_err().contains("does not define"));
}

#[test]
fn reversed_outputs() {
    let run = |axis: u16| rearranged(axis << 9, [2, 3, 4], false).unwrap();
    assert_eq!(run(1)[..5], [12, 13, 14, 15, 16]);
    assert_eq!(run(2)[..5], [8, 9, 10, 11, 4]);
    assert_eq!(run(3)[..5], [3, 2, 1, 0, 7]);
    assert!(
        rearranged(1 << 9 | 1 << 11, [3, 2, 4], false).unwrap_err().contains("both transposed and reversed")
    );
}

#[test]
fn three_tiles_below_each_other() {
    let source =
        Map { precision: TILE3X1, base: [0, 0x40, 0x80, 0], tiles: [1, 2, 2], ..Map::new(1, 0, [4, 2, 1]) };
    let mut s = Stream::new();
    s.ifm(&source).out(&Map::new(1, 0x200, [4, 2, 1])).one(O::Elementwise, mode::ABS as u16).stop();
    let mut memory = vec![0; 0x300];
    memory[..2].copy_from_slice(&[1, 2]);
    memory[0x40..0x44].copy_from_slice(&[3, 4, 5, 6]);
    memory[0x80..0x82].copy_from_slice(&[7, 8]);
    let after = run_stream(NPU, &s, regions(memory)).unwrap();
    assert_eq!(after[1][0x200..0x208], [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn chained_operations() {
    let n = [1, 1, 4];
    let run = |slot: u16, read: u16, shape: [u16; 3]| {
        let mut s = Stream::new();
        // a + b into a chain buffer, clipped to -5 to 5 on the way; its magnitude less a to memory.
        s.ifm(&Map::new(1, 0, n)).ifm2(&Map::new(1, 0x100, n));
        s.out(&Map { precision: CHAINED, ..Map::new(slot, 0, n) });
        s.one(O::ActivationMin, -5i16 as u16).one(O::ActivationMax, 5);
        s.one(O::Elementwise, mode::ADD as u16);
        s.ifm(&Map { precision: CHAINED, ..Map::new(read, 0, shape) }).ifm2(&Map::new(1, 0, shape));
        s.out(&Map::new(1, 0x200, shape)).one(O::Elementwise, mode::SUB as u16).stop();
        let mut memory = vec![0; 0x300];
        memory[..4].copy_from_slice(&[1, 2, 3, 4]);
        memory[0x100..0x104].copy_from_slice(&[1, 9, 0xf0, 0xfe]);
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..0x204], 1))
    };
    assert_eq!(run(2, 2, n).unwrap(), [1, 3, -8, -2]);
    assert!(run(2, 3, n).unwrap_err().contains("nothing was chained in buffer 3"));
    assert!(run(2, 2, [1, 1, 3]).unwrap_err().contains("taken for"));
    assert!(run(6, 6, n).unwrap_err().contains("chain buffer 6 does not exist"));
}

#[test]
fn accumulators_from_memory_and_kept() {
    // IFM2 into the accumulators, then through the output stage with scale 3 >> 1.
    let n = [1, 2, 2];
    let ints = Map { bytes: 4, ..Map::new(1, 0x100, n) };
    let program = |second: u16, shape: [u16; 3], block: u16| {
        let mut s = Stream::new();
        s.ifm(&Map::new(1, 0, n)).ifm2(&ints).kernel(1, 1).out(&Map::new(1, 0x200, n));
        s.one(O::OfmBlkDepthM1, block - 1).one(O::AccFormat, UBLOCK | FROM_IFM2 | NO_OUTPUT);
        s.one(O::Pool, pool::NONE as u16);
        s.out(&Map::new(1, 0x200, shape)).one(O::AccFormat, UBLOCK | KEEP | second);
        s.scale(O::OfmScale, 1, 0, round::NATURAL, 3).one(O::Pool, pool::NONE as u16).stop();
        let mut memory = vec![0; 0x300];
        memory[0x100..0x110].copy_from_slice(&bytes(&[10, -10, 7, -70], 4));
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..0x204], 1))
    };
    assert_eq!(program(0, n, 16).unwrap(), [15, -15, 11, -105]);
    assert!(program(0, [1, 2, 1], 16).unwrap_err().contains("kept for an operation"));
    assert!(program(ACC48, n, 16).unwrap_err().contains("kept for an operation"));
    assert!(program(0, n, 1).unwrap_err().contains("they hold one block"));
    // Nothing was kept.
    let c = case(&[1], &[1]).with(|s| {
        s.one(O::AccFormat, UBLOCK | KEEP);
    });
    c.refused(O::Pool, pool::NONE, "left none");
    c.refused(O::Elementwise, mode::ADD, "takes over or keeps accumulators");
}

#[test]
fn scales_by_channel() {
    // Channel 0: (x + 5) * 3 >> 1; channel 1: (x - 100) * 1 >> 2.
    let narrow = [
        5i32.to_le_bytes().as_slice(),
        &3u32.to_le_bytes(),
        &[1, 0],
        &(-100i32).to_le_bytes(),
        &1u32.to_le_bytes(),
        &[2, 0],
    ]
    .concat();
    let wide =
        [&5i64.to_le_bytes()[..6], &[3, 0, 1, 0], &(-100i64).to_le_bytes()[..6], &[1, 0, 2, 0]].concat();
    let program = |records: &[u8], acc: u16, size: u16, length: u32| {
        let n = [1, 2, 2];
        let mut s = Stream::new();
        s.ifm(&Map::new(1, 0, n)).ifm2(&Map { bytes: size, ..Map::new(1, 0x100, n) }).kernel(1, 1);
        s.out(&Map::new(1, 0x200, n)).one(O::OfmPrecision, 1).one(O::AccFormat, UBLOCK | FROM_IFM2 | acc);
        s.one(O::ScaleRegion, 1).address(O::ScaleBase, 0x300).two(O::ScaleLength, 0, length);
        s.one(O::Pool, pool::NONE as u16).stop();
        let mut memory = vec![0; 0x300];
        let values_in = bytes(&[10, 10, -10, -10], size.into());
        memory[0x100..][..values_in.len()].copy_from_slice(&values_in);
        memory.extend_from_slice(records);
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..0x204], 1))
    };
    assert_eq!(program(&narrow, 0, 4, 32).unwrap(), [23, -22, -7, -27]);
    assert_eq!(program(&wide, ACC48, 8, 32).unwrap(), [23, -22, -7, -27]);
    assert!(program(&narrow, 0, 8, 32).unwrap_err().contains("started from elements of 64 bits"));
    assert!(program(&narrow, 0, 4, 16).unwrap_err().contains("SCALE_LENGTH is 16"));
}

#[test]
fn tables() {
    // Copies the extra bytes into the table memory first.
    let with_table = |values_in: &[i64], table: &[u8], at: u32, size: u16, out: u16, activation: u16| {
        let mut s = Stream::new();
        s.one(O::Dma0SrcRegion, 1)
            .one(O::Dma0DstRegion, 1 << 8 | 3)
            .address(O::Dma0Src, 0x300)
            .address(O::Dma0Dst, at.into())
            .address(O::Dma0Len, table.len() as i64)
            .one(O::DmaStart, 0);
        let c = case(values_in, &vec![0; values_in.len()]).sizes(size, out).extra(table);
        c.with(|tail| {
            tail.bytes.extend_from_slice(&s.bytes);
            tail.one(O::Activation, activation);
        })
    };
    let bytes_table: Vec<u8> = (0..=255u8).map(|i| i.wrapping_mul(3)).collect();
    let c = with_table(&[-128, -127, 0, 127], &bytes_table, 0x200, 1, 1, 4 | 2 << 5);
    assert_eq!(c.run(mode::ADD), [0, 3, (128 * 3u32) as u8 as i8 as i64, -3]);
    let halves: Vec<u8> = (0..256i16).flat_map(|i| (i * 100 - 5).to_le_bytes()).collect();
    let c = with_table(&[-128, -127, 127], &halves, 0x400, 1, 2, 5 | 2 << 5).with(|s| {
        s.one(O::ActivationMin, -128i16 as u16).one(O::ActivationMax, 127);
    });
    assert_eq!(c.run(mode::ADD), [-5, 95, 25495]);
    let words: Vec<u8> = (0..256i32).flat_map(|i| (i * -100_000).to_le_bytes()).collect();
    let c = with_table(&[-128, -127, 127], &words, 0x400, 1, 4, 7 | 1 << 5);
    assert_eq!(c.run(mode::ADD), [0, -100_000, -25_500_000]);
    // 512 stretches of base and slope: here base 10 * i, slope 64 for the odd ones.
    let stretches: Vec<u8> = (0..512i16)
        .flat_map(|i| {
            let slope: i16 = if i % 2 == 1 { 64 } else { 0 };
            [(10 * i).to_le_bytes(), slope.to_le_bytes()].concat()
        })
        .collect();
    let inputs = [-32768, -32640, -32639, 128, 129, 32767];
    let c = with_table(&inputs, &stretches, 0, 2, 4, 9);
    assert_eq!(
        c.run(mode::ADD),
        [0, 10 << 7, (10 << 7) + 64, 2570 << 7, (2570 << 7) + 64, (5110 << 7) + 127 * 64]
    );
    // With 16-bit outputs the fraction is rounded, halves up.
    let c = with_table(&inputs, &stretches, 0, 2, 2, 8);
    assert_eq!(c.run(mode::ADD), [0, 10, 11, 2570, 2571, 5174]);
    // A table of another type than the output's; an index outside.
    with_table(&[1], &bytes_table, 0, 1, 2, 4).refused(O::Elementwise, mode::ADD, "a table of 8 bits");
    let c = with_table(&[300], &bytes_table, 0, 2, 1, 4 | CLIP_NONE);
    c.refused(O::Elementwise, mode::ADD, "a table look-up of 300");
    let c = with_table(&[1], &stretches, 0, 2, 2, 8 | 1 << 5);
    c.refused(O::Elementwise, mode::ADD, "behind the end of the table memory");
    case(&[1], &[1])
        .sizes(2, 2)
        .with(|s| {
            s.one(O::Activation, 10);
        })
        .refused(O::Elementwise, mode::ADD, "TANH and SIGMOID");
}

#[test]
fn poolings() {
    let run = |op: u32, kernel: [u16; 2], pad: u16, out: [u16; 3], more: &dyn Fn(&mut Stream)| {
        let mut s = Stream::new();
        let data = [9, -3, 4, -8, 9, 2];
        s.ifm(&Map::new(1, 0, [2, 3, 1])).kernel(kernel[0], kernel[1]).one(O::IfmPadLeft, pad);
        s.out(&Map::new(1, 0x200, out));
        more(&mut s);
        s.one(O::Pool, op as u16).stop();
        let mut memory = vec![0; 0x300];
        memory[..6].copy_from_slice(&bytes(&data, 1));
        let count = out.iter().product::<u16>() as usize;
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..][..count], 1))
    };
    let no = |_: &mut Stream| {};
    assert_eq!(run(pool::MAX, [2, 2], 0, [1, 2, 1], &no).unwrap(), [9, 9]);
    assert_eq!(run(pool::MIN, [2, 2], 0, [1, 2, 1], &no).unwrap(), [-8, -3]);
    assert_eq!(run(pool::SUM, [2, 2], 0, [1, 2, 1], &no).unwrap(), [7, 12]);
    // 7 / 4 and 12 / 4; with a column of padding 1 / 2 as well.
    assert_eq!(run(pool::AVERAGE, [2, 2], 0, [1, 2, 1], &no).unwrap(), [2, 3]);
    assert_eq!(run(pool::AVERAGE, [2, 2], 1, [1, 3, 1], &no).unwrap(), [1, 2, 3]);
    let index = |s: &mut Stream| {
        s.scale(O::OfmScale, 16, 0, round::TRUNCATE_TO_LOWER, 1);
    };
    // The first of two nines in a row, and along a column.
    assert_eq!(run(pool::ARGMAX_X, [1, 3], 0, [2, 1, 1], &index).unwrap(), [0, 1]);
    assert_eq!(run(pool::ARGMAX_Y, [2, 1], 0, [1, 3, 1], &index).unwrap(), [0, 1, 0]);
    assert!(run(pool::ARGMAX_X, [1, 3], 0, [2, 1, 1], &no).unwrap_err().contains("packed"));
    assert!(run(pool::ARGMAX_X, [2, 1], 0, [1, 3, 1], &index).unwrap_err().contains("a line along its axis"));
    let c = case(&[100, 27, -3], &[]).sizes(1, 1).with(|s| {
        s.one(O::OfmDepthM1, 0).one(O::ActivationMax, 127).scale(O::OfmScale, 2, 0, round::NATURAL, 1);
    });
    assert_eq!(c.try_run(O::Pool, pool::REDUCE_SUM).unwrap()[0], 31);
}

#[test]
fn resize() {
    // Twice as wide: step 1/2, offset -1/4 (in quarters: n 4, step 2, offset -1).
    let run = |mode: u16, shift: u16, data: [i64; 2]| {
        let mut s = Stream::new();
        s.ifm(&Map::new(1, 0, [1, 2, 1])).kernel(1, 2).out(&Map::new(1, 0x200, [1, 4, 1]));
        s.one(O::ResizeXScaleNM1, 3)
            .one(O::ResizeYScaleNM1, 0)
            .one(O::ResizeXOffset, -1i16 as u16 & 0xfff)
            .one(O::ResizeYOffset, 0)
            .two(O::ResizeXStep, 0, 2)
            .two(O::ResizeYStep, 1, 0)
            .scale(O::OfmScale, shift, 0, round::NATURAL, 1)
            .one(O::Resize, mode)
            .stop();
        let mut memory = vec![0; 0x300];
        memory[..2].copy_from_slice(&bytes(&data, 1));
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..0x204], 1))
    };
    // Positions -1/4, 1/4, 3/4, 5/4. Bilinear sums are in quarters.
    assert_eq!(run(0, 16, [8, 24]).unwrap(), [32, 48, 80, 96]);
    assert_eq!(run(0, 18, [8, 24]).unwrap(), [8, 12, 20, 24]);
    assert_eq!(run(2, 16, [8, 24]).unwrap(), [8, 8, 24, 24]);
    assert!(run(1, 16, [8, 24]).unwrap_err().contains("REPLICATE"));
}

#[test]
fn matrix_product() {
    // 2 x 3 by the rows of 2 x 3, zero points 1 and -1, then less 5.
    let run = |size: u16, a: &[i64], b: &[i64], shift: u16| {
        let map = |base, shape, zero_point| Map { bytes: size, zero_point, ..Map::new(1, base, shape) };
        let mut s = Stream::new();
        s.ifm(&map(0, [1, 2, 3], if size == 1 { 1 } else { 0 }));
        s.ifm2(&map(0x100, [1, 2, 3], if size == 1 { -1 } else { 0 })).kernel(1, 1);
        s.out(&Map { bytes: 4, zero_point: -5, ..Map::new(1, 0x200, [1, 2, 2]) });
        s.one(O::Activation, CLIP_NONE).one(O::AccFormat, UBLOCK | if size == 2 { ACC48 } else { 0 });
        s.scale(O::OfmScale, shift, 0, round::NATURAL, 1).one(O::Conv, 1).stop();
        let mut memory = vec![0; 0x300];
        let (a, b) = (bytes(a, size.into()), bytes(b, size.into()));
        memory[..a.len()].copy_from_slice(&a);
        memory[0x100..][..b.len()].copy_from_slice(&b);
        run_stream(NPU, &s, regions(memory)).map(|after| values(&after[1][0x200..0x210], 4))
    };
    let a = [2, 3, 4, 1, 1, 2];
    let b = [0, 1, 2, -1, -1, 9];
    // Less their zero points: (1 2 3; 0 0 1) and (1 2 3; 0 0 10).
    assert_eq!(run(1, &a, &b, 0).unwrap(), [14 - 5, 30 - 5, 3 - 5, 10 - 5]);
    // Sums that need more than 32 bits.
    let extreme = run(2, &[-32768; 6], &[-32768; 6], 2).unwrap();
    assert_eq!(extreme, [(3 << 28) - 5; 4]);
}

#[test]
fn copies_with_strides() {
    // Two planes of two rows of two bytes.
    let mut s = Stream::new();
    s.one(O::Dma0SrcRegion, 1 | 2 << 9)
        .one(O::Dma0DstRegion, 1)
        .address(O::Dma0Src, 0x10)
        .address(O::Dma0Dst, 0x100)
        .address(O::Dma0Len, 2)
        .one(O::Dma0Size0, 2)
        .one(O::Dma0Size1, 2)
        .address(O::Dma0SrcStride0, 4)
        .address(O::Dma0SrcStride1, -16)
        .address(O::Dma0DstStride0, 3)
        .address(O::Dma0DstStride1, 8)
        .one(O::DmaStart, 0)
        .stop();
    let mut memory: Vec<u8> = (0..0x20).collect();
    memory.resize(0x200, 0xee);
    let after = run_stream(NPU, &s, regions(memory)).unwrap();
    let e = 0xee;
    assert_eq!(after[1][0x100..0x110], [0x10, 0x11, e, 0x14, 0x15, e, e, e, 0, 1, e, 4, 5, e, e, e]);
}

#[test]
fn gather_and_scatter() {
    let run = |gather: bool, indices: [i64; 3], max: u32| {
        let (src, dst) = if gather { (1 << 11, 0) } else { (0, 1 << 11) };
        let mut s = Stream::new();
        s.one(O::Dma0SrcRegion, 1 | 1 << 9 | src)
            .one(O::Dma0DstRegion, 1 | dst)
            .address(O::Dma0Src, 0)
            .address(O::Dma0Dst, 0x100)
            .address(O::Dma0Len, 2)
            .one(O::Dma0Size0, 3)
            .address(O::Dma0SrcStride0, 2)
            .address(O::Dma0DstStride0, 2)
            .one(O::Dma0IdxRegion, 1)
            .address(O::Dma0Idx, 0x80)
            .two(O::Dma0IdxMax, 0, max)
            .one(O::DmaStart, 0)
            .stop();
        let mut memory: Vec<u8> = (0..0x20).collect();
        memory.resize(0x200, 0);
        memory[0x80..0x8c].copy_from_slice(&bytes(&indices, 4));
        run_stream(NPU, &s, regions(memory)).map(|after| after[1][0x100..0x108].to_vec())
    };
    assert_eq!(run(true, [3, 0, 3], 3).unwrap(), [6, 7, 0, 1, 6, 7, 0, 0]);
    assert_eq!(run(false, [3, 0, 1], 3).unwrap(), [2, 3, 4, 5, 0, 0, 0, 1]);
    assert!(run(true, [3, 4, 0], 3).unwrap_err().contains("index 4"));
    assert!(run(true, [-1, 0, 0], 3).unwrap_err().contains("index -1"));
}

/// `while (counter > 0) counter -= 1`, both 32-bit in region 1, as Vela lays out a loop.
fn countdown(counter: i64) -> (Stream, Vec<u8>) {
    let one = [1, 1, 1];
    let int = |base| Map { bytes: 4, ..Map::new(1, base, one) };
    let scalar = Map { precision: SCALAR, ..int(0) };
    let mut s = Stream::new();
    let binary = |s: &mut Stream, op: u32, out: i64, scalar_value: u32| {
        s.ifm(&int(0)).ifm2(&scalar).out(&int(out)).one(O::Ifm2Broadcast, 8).one(O::Activation, CLIP_NONE);
        s.two(O::OpScalar, 0, scalar_value).one(O::Elementwise, op as u16);
    };
    binary(&mut s, mode::CMP_GT, 4, 0);
    let size = s.bytes.len() as u32;
    // Over the branch that leaves.
    s.two(O::Branch, 1, size + 16);
    let out = s.bytes.len();
    s.two(O::Branch, 0, 0);
    binary(&mut s, mode::SUB, 0, 1);
    s.two(O::Branch, 0, 0);
    let end = s.bytes.len() as u32;
    s.bytes[out + 4..out + 8].copy_from_slice(&end.to_le_bytes());
    s.stop();
    (s, bytes(&[counter, 77], 4))
}

#[test]
fn branches() {
    let (s, memory) = countdown(5);
    let after = run_stream(NPU, &s, regions(memory)).unwrap();
    assert_eq!(values(&after[1], 4), [0, 0]);
    let (s, memory) = countdown(-3);
    let after = run_stream(NPU, &s, regions(memory)).unwrap();
    assert_eq!(values(&after[1], 4), [-3, 0]);
}

/// Runs a stream with a limit; the cause of its fault, and STATUS.
fn fault(s: &Stream, memory: Vec<u8>, limit: Option<u64>) -> (Cause, u32) {
    let mut npu = Npu::new(NPU);
    if let Some(limit) = limit {
        npu.set_work_limit(limit);
    }
    let network = Network {
        stream: s.bytes.clone(),
        regions: regions(memory),
        alias: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
    };
    let (mut bus, _) = prepare(&mut npu, &network);
    start(&mut npu, &mut bus);
    let status = npu.read(Register::Status.offset(NPU.generation()).unwrap());
    (npu.fault().expect("a fault").cause.clone(), status)
}

#[test]
fn bad_and_endless_branches() {
    let mut s = Stream::new();
    s.two(O::Branch, 0, 0);
    let (cause, _) = fault(&s, Vec::new(), Some(1 << 24));
    assert_eq!(cause, Cause::WorkLimit);
    let (s, memory) = countdown(i32::MAX.into());
    let (cause, _) = fault(&s, memory, Some(1 << 24));
    assert_eq!(cause, Cause::WorkLimit);
    let mut s = Stream::new();
    s.two(O::Branch, 0, 6).stop();
    let (cause, status) = fault(&s, Vec::new(), None);
    assert!(matches!(cause, Cause::Branch(_)), "{cause}");
    assert_ne!(status & 1 << 9, 0, "STATUS.branch_fault");
    // Behind the end of the stream.
    let mut s = Stream::new();
    s.two(O::Branch, 0, 0x1000).stop();
    assert!(matches!(fault(&s, Vec::new(), None).0, Cause::Branch(_)));
    // No operation set the flag.
    let mut s = Stream::new();
    s.two(O::Branch, 1, 0).stop();
    assert!(fault(&s, Vec::new(), None).0.to_string().contains("result flag"));
}

#[test]
fn an_input_that_is_not_there() {
    let mut s = Stream::new();
    s.ifm(&Map::new(1, 0x1000, [4, 4, 16])).out(&Map::new(1, 0, [4, 4, 16]));
    s.one(O::Elementwise, mode::ABS as u16).stop();
    let (cause, status) = fault(&s, vec![0; 0x200], None);
    assert!(matches!(cause, Cause::Bus { .. }), "{cause}");
    assert_ne!(status & 1 << 2, 0, "STATUS.bus_status");
}

/// A pointwise convolution of 16 channels with one weight stream of `weights`.
fn convolution(weights: &[u8], format: u16, micro: u16) -> (Stream, Vec<u8>) {
    let mut s = Stream::new();
    s.ifm(&Map::new(1, 0, [1, 1, 16])).kernel(1, 1).out(&Map::new(1, 0x100, [1, 1, 16]));
    s.one(O::OfmPrecision, 1).one(O::AccFormat, micro).one(O::OfmBlkDepthM1, 15);
    s.one(O::WeightFormat, format).one(O::WeightRegion, 1).one(O::ScaleRegion, 1);
    s.address(O::ScaleBase, 0x200).two(O::ScaleLength, 0, 160).address(O::WeightBase, 0x300);
    s.two(O::WeightLength, 0, weights.len() as u32).one(O::Conv, 0).stop();
    let mut memory: Vec<u8> = (1..=16).collect();
    memory.resize(0x300, 0);
    for channel in 0..16usize {
        // Bias is the channel's number, scale 1 >> 0.
        memory[0x200 + channel * 10] = channel as u8;
        memory[0x204 + channel * 10] = 1;
    }
    memory.extend_from_slice(weights);
    (s, memory)
}

#[test]
fn fast_weights() {
    // Two bits a weight: table of 0, 1, -2; depth first in blocks of 64 channels, 8 at a time. The
    // weight of input channel 0 is 1, of channel 1 it is -2, all others are 0.
    let mut stream = vec![0; 32];
    stream[0] = 2;
    let mut table = |i: usize, folded: u32| {
        let at = 112 + 9 * i;
        for bit in 0..9 {
            stream[(at + bit) / 8] |= ((folded >> bit & 1) << ((at + bit) % 8)) as u8;
        }
    };
    table(1, 1 << 1);
    table(2, 2 << 1 | 1);
    // 16 output channels in two microblocks of 8, each 8 steps of 8 lanes of 8 inputs.
    for _ in 0..2 {
        for step in 0..8 {
            for _ in 0..8 {
                stream.extend_from_slice(if step == 0 { &[0b1001, 0] } else { &[0, 0] });
            }
        }
    }
    let (s, memory) = convolution(&stream, 1, UBLOCK);
    let after = run_stream(NPU, &s, regions(memory)).unwrap();
    let expected: Vec<i64> = (0..16).map(|channel| 1 - 4 + channel).collect();
    assert_eq!(values(&after[1][0x100..0x110], 1), expected);
    // Too short, and with a header that means nothing.
    let (s, memory) = convolution(&stream[..stream.len() - 32], 1, UBLOCK);
    let (cause, _) = fault(&s, memory, None);
    assert!(matches!(cause, Cause::Weights { stream: 0, .. }), "{cause}");
    let mut bad = stream.clone();
    bad[0] = 3;
    let (s, memory) = convolution(&bad, 1, UBLOCK);
    assert!(matches!(fault(&s, memory, None).0, Cause::Weights { .. }));
    // A microblock that this size does not have.
    let (s, memory) = convolution(&stream, 1, 5 << 8);
    assert!(fault(&s, memory, None).0.to_string().contains("no microblock of 4x4"));
}
