//! Directed cases for U55 and U65: small numbers whose results can be told by hand.

mod common;

use common::run_stream;
use common::stream::{Map, Stream};
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::Opcode as O;
use tombolo_ethosu::enums::elementwise_mode as mode;

const NPU: Accelerator = Accelerator::U65_256;

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

/// An elementwise operation on 1x1xn maps: `a` at 0, `b` at 0x100, result at 0x200.
struct Case {
    size: u16,
    out: u16,
    a: Vec<i64>,
    b: Vec<i64>,
    stream: Stream,
    zero_points: [i16; 3],
}

fn case(a: &[i64], b: &[i64]) -> Case {
    Case { size: 1, out: 1, a: a.to_vec(), b: b.to_vec(), stream: Stream::new(), zero_points: [0; 3] }
}

impl Case {
    fn sizes(mut self, size: u16, out: u16) -> Case {
        (self.size, self.out) = (size, out);
        self
    }

    fn zero_points(mut self, a: i16, b: i16, out: i16) -> Case {
        self.zero_points = [a, b, out];
        self
    }

    /// Commands behind the ordinary ones.
    fn with(mut self, more: impl FnOnce(&mut Stream)) -> Case {
        more(&mut self.stream);
        self
    }

    fn try_run(&self, operation: u32) -> Result<Vec<i64>, String> {
        let n = self.a.len() as u16;
        let map = |base, bytes, zero_point| Map { bytes, zero_point, ..Map::new(1, base, [1, 1, n]) };
        let [za, zb, zo] = self.zero_points;
        let mut stream = Stream::new();
        stream
            .ifm(&map(0, self.size, za))
            .ifm2(&map(0x100, self.size, zb))
            .ofm(&map(0x200, self.out, zo))
            .two(O::OpaScale, 0, 1)
            .two(O::OpbScale, 0, 1);
        stream.bytes.extend_from_slice(&self.stream.bytes);
        stream.one(O::Elementwise, operation as u16).stop();
        let mut memory = vec![0; 0x300];
        let (a, b) = (bytes(&self.a, self.size.into()), bytes(&self.b, self.size.into()));
        memory[..a.len()].copy_from_slice(&a);
        memory[0x100..][..b.len()].copy_from_slice(&b);
        let after = run_stream(NPU, &stream, regions(memory))?;
        let out = self.out as usize;
        Ok(values(&after[1][0x200..][..self.a.len() * out], out))
    }

    #[track_caller]
    fn run(&self, operation: u32) -> Vec<i64> {
        self.try_run(operation).unwrap()
    }
}

#[test]
fn add_sub_min_max_mul_abs() {
    let c = case(&[1, -100, 100, 127], &[2, -100, 100, -128]);
    assert_eq!(c.run(mode::ADD), [3, -128, 127, -1]);
    assert_eq!(c.run(mode::SUB), [-1, 0, 0, 127]);
    assert_eq!(c.run(mode::MIN), [1, -100, 100, -128]);
    assert_eq!(c.run(mode::MAX), [2, -100, 100, 127]);
    let c = case(&[3, -4, 11, 12], &[5, 6, -11, 12]);
    assert_eq!(c.run(mode::MUL), [15, -24, -121, 127]);
    assert_eq!(case(&[-128, -1, 0, 5], &[]).run(mode::ABS), [127, 1, 0, 5]);
}

#[test]
fn zero_points_on_all_sides() {
    let c = case(&[11, 5], &[-4, -3]).zero_points(10, -5, 7);
    // (1, -5) and (1, 2)
    assert_eq!(c.run(mode::ADD), [9, 4]);
    assert_eq!(c.run(mode::MUL), [8, -3]);
    assert_eq!(c.run(mode::MAX), [8, 9]);
    // |x - zp| + zp
    assert_eq!(c.run(mode::ABS), [8, 12]);
}

#[test]
fn operand_order_and_scalar() {
    let c = case(&[10, 20], &[]).with(|s| {
        s.one(O::Ifm2Broadcast, 0x80).one(O::Ifm2Scalar, 3);
    });
    assert_eq!(c.run(mode::SUB), [7, 17]);
    let c = case(&[10, 20], &[]).with(|s| {
        s.one(O::Ifm2Broadcast, 0xc0).one(O::Ifm2Scalar, (-3i16) as u16);
    });
    assert_eq!(c.run(mode::SUB), [-13, -23]);
}

#[test]
fn scaled_operands() {
    // 16-bit factors for both, then the output's scale.
    let c = case(&[10, -3], &[4, 5]).with(|s| {
        s.two(O::OpaScale, 0, 3).two(O::OpbScale, 0, 5).two(O::OfmScale, 1, 1);
    });
    assert_eq!(c.run(mode::ADD), [25, 8]);
    assert_eq!(c.run(mode::SUB), [5, -17]);
    // OPA_32: a * 2^20 >> 1 is a << 19, as b is.
    let adv = |mode: u16| {
        move |s: &mut Stream| {
            s.one(O::IfmPrecision, 1 | mode << 8 | 2 << 14).two(O::OpaScale, 1, 3 << 20).two(
                O::OfmScale,
                19,
                1,
            );
        }
    };
    let c = case(&[10, -3], &[4, 5]).with(adv(1));
    assert_eq!(c.run(mode::ADD), [34, -4]);
    assert_eq!(c.run(mode::SUB), [26, -14]);
    // OPB_32: the same scale, on b.
    let c = case(&[10, -3], &[4, 5]).with(adv(2));
    assert_eq!(c.run(mode::ADD), [22, 12]);
    assert_eq!(c.run(mode::SUB), [-2, -18]);
    // OPB_32 with the operands swapped: the first input is scaled.
    let c = case(&[10, -3], &[4, 5]).with(adv(2)).with(|s| {
        s.one(O::Ifm2Broadcast, 0x40);
    });
    assert_eq!(c.run(mode::SUB), [-26, 14]);
}

#[test]
fn ties_by_rounding_mode() {
    let c = |round: u16| {
        case(&[5, -5, 3, -3, 1, -1, 7, -7], &[]).with(|s| {
            s.one(O::OfmPrecision, 1 | 1 << 8 | round << 14).two(O::OfmScale, 1, 1);
        })
    };
    // MAX with a copy of nothing below: the values themselves, halved.
    let c = |round| {
        let mut c = c(round);
        c.b = vec![-128; 8];
        c
    };
    assert_eq!(c(2).run(mode::MAX), [3, -2, 2, -1, 1, 0, 4, -3], "natural");
    assert_eq!(c(0).run(mode::MAX), [3, -2, 2, -1, 1, 0, 4, -3], "double");
    assert_eq!(c(1).run(mode::MAX), [2, -2, 1, -1, 0, 0, 3, -3], "truncate");
    // Above a shift of 31 double rounding takes ties away from zero.
    let c = |round: u16| {
        case(&[1, -1, 3, -3], &[-128; 4]).with(|s| {
            s.one(O::OfmPrecision, 1 | 1 << 8 | round << 14).two(O::OfmScale, 32, 1 << 31);
        })
    };
    assert_eq!(c(0).run(mode::MAX), [1, -1, 2, -2]);
    assert_eq!(c(2).run(mode::MAX), [1, 0, 2, -1]);
}

#[test]
fn thirty_two_bits() {
    let c = case(&[1 << 30, -7, 100, -1], &[1 << 30, 3, 1, 2]).sizes(4, 4);
    // No clip: it wraps.
    assert_eq!(c.run(mode::ADD), [-(1 << 31), -4, 101, 1]);
    // The multiplier is ignored, the shift is not.
    let c = c.with(|s| {
        s.two(O::OfmScale, 31, 12345);
    });
    assert_eq!(c.run(mode::MUL), [1 << 29, 0, 0, 0]);
    let c = case(&[1000, -1000, 128, 5], &[1; 4]).sizes(4, 1).with(|s| {
        s.two(O::OfmScale, 2, 0);
    });
    assert_eq!(c.run(mode::MUL), [127, -128, 32, 1]);
    let c = case(&[0, 1, -1, 0x00ff_0000], &[]).sizes(4, 4);
    assert_eq!(c.run(mode::CLZ), [32, 31, 0, 8]);
}

#[test]
fn shifts() {
    let c = case(&[5, -5, 7, 1], &[1, 1, 0, 30]).sizes(4, 4);
    assert_eq!(c.run(mode::SHR), [3, -2, 7, 0]);
    let c = c.with(|s| {
        s.one(O::OfmPrecision, 1 | 2 << 1 | 1 << 8 | 1 << 14);
    });
    assert_eq!(c.run(mode::SHR), [2, -3, 7, 0]);
    // DBL does not round either, and "per channel" is no scale.
    let c = c.with(|s| {
        s.one(O::OfmPrecision, 1 | 2 << 1);
    });
    assert_eq!(c.run(mode::SHR), [2, -3, 7, 0]);
    assert_eq!(c.run(mode::MAX), [5, 1, 7, 30]);
    let error = c.try_run(mode::ADD).unwrap_err();
    assert!(error.contains("scale per channel"), "{error}");
    let c = case(&[5, -5, 1, 3], &[1, 0, 31, 31]).sizes(4, 4);
    assert_eq!(c.run(mode::SHL), [10, -5, -(1 << 31), -(1 << 31)]);
    let c = case(&[1], &[32]).sizes(4, 4);
    let error = c.try_run(mode::SHL).unwrap_err();
    assert!(error.contains("not modelled: a shift by 32"), "{error}");
}

#[test]
fn leaky_relu_scales_what_is_negative() {
    let c = case(&[100, -100, -3, 0], &[]).sizes(2, 2).with(|s| {
        s.two(O::OfmScale, 31, 1 << 29);
    });
    assert_eq!(c.run(mode::LRELU), [100, -25, -1, 0]);
}

#[test]
fn activation_bounds_are_in_output_units() {
    let c = case(&[-50, -1, 1, 50], &[0; 4]).zero_points(0, 0, 10).with(|s| {
        s.one(O::ActivationMin, 10).one(O::ActivationMax, 30);
    });
    assert_eq!(c.run(mode::ADD), [10, 10, 11, 30]);
    let c = case(&[1], &[0]).with(|s| {
        s.one(O::ActivationMin, 10).one(O::ActivationMax, 9);
    });
    assert!(c.try_run(mode::ADD).unwrap_err().contains("ACTIVATION_MIN 10"));
    let c = case(&[1], &[0]).with(|s| {
        s.one(O::ActivationMax, 128);
    });
    assert!(c.try_run(mode::ADD).is_err());
}

/// Broadcast in every combination of axes, against the obvious loops.
#[test]
fn broadcast() {
    let (h, w, c) = (3usize, 4, 5);
    for axes in 0..8u16 {
        let own = [
            if axes & 1 != 0 { 1 } else { h },
            if axes & 2 != 0 { 1 } else { w },
            if axes & 4 != 0 { 1 } else { c },
        ];
        let a: Vec<i64> = (0..h * w * c).map(|i| i as i64).collect();
        let b: Vec<i64> = (0..own.iter().product::<usize>()).map(|i| 10 - i as i64).collect();
        let mut expected = Vec::new();
        for y in 0..h {
            for x in 0..w {
                for z in 0..c {
                    let at = |i: usize, n: usize| if n == 1 { 0 } else { i };
                    let j = (at(y, own[0]) * own[1] + at(x, own[1])) * own[2] + at(z, own[2]);
                    expected.push(a[(y * w + x) * c + z] + b[j]);
                }
            }
        }
        let full = [h as u16, w as u16, c as u16];
        let mut stream = Stream::new();
        stream
            .ifm(&Map::new(1, 0, full))
            .ifm2(&Map::new(1, 0x100, own.map(|n| n as u16)))
            .one(O::Ifm2Broadcast, axes)
            .ofm(&Map::new(1, 0x200, full))
            .two(O::OpaScale, 0, 1)
            .two(O::OpbScale, 0, 1)
            .one(O::Elementwise, mode::ADD as u16)
            .stop();
        let mut memory = vec![0; 0x300];
        memory[..60].copy_from_slice(&bytes(&a, 1));
        memory[0x100..][..b.len()].copy_from_slice(&bytes(&b, 1));
        let after = run_stream(NPU, &stream, regions(memory)).unwrap();
        assert_eq!(values(&after[1][0x200..][..60], 1), expected, "axes {axes:#b}");
    }
}

/// Copies a map (an average pooling of 1x1 does that) out of one layout into another, and looks
/// at every byte.
#[test]
fn layouts_tiles_and_negative_strides() {
    let (h, w, c) = (5usize, 7usize, 37usize);
    let shape = [h as u16, w as u16, c as u16];
    for size in [1usize, 2, 4] {
        let whole: Vec<i64> = (0..h * w * c).map(|i| (i as i64 * 7) % 251 - 125).collect();
        let dense = Map { bytes: size as u16, ..Map::new(1, 0, shape) };
        let mut maps = vec![dense];
        let bricks = Map { bricks: true, ..dense };
        maps.push(bricks);
        // Four tiles far from each other, in an order of their own.
        for map in [dense, bricks] {
            maps.push(Map { base: [0x4000, 0x2000, 0xc000, 0x8000], tiles: [2, 3, 4], ..map });
            maps.push(Map { base: [0x4000, 0x2000, 0, 0], tiles: [0, 3, 0], ..map });
            // Upside down.
            let [row, _, _] = map.strides();
            maps.push(Map { base: [row * (h as i64 - 1), 0, 0, 0], stride_y: Some(-row), ..map });
        }
        for from in &maps {
            for to in &maps {
                let to = Map { region: 2, ..*to };
                let mut memory: [Vec<u8>; 8] = Default::default();
                memory[1] = vec![0xee; 0x10000];
                memory[2] = vec![0xee; 0x10000];
                for_each(from, |at, i| {
                    memory[1][at..at + size].copy_from_slice(&bytes(&[whole[i]], size));
                });
                let mut stream = Stream::new();
                stream.ifm(from).ofm(&to).kernel(1, 1).one(O::Pool, 1).stop();
                let mut expected = vec![0xee; 0x10000];
                for_each(&to, |at, i| {
                    expected[at..at + size].copy_from_slice(&bytes(&[whole[i]], size));
                });
                let after = run_stream(NPU, &stream, memory).unwrap();
                assert!(after[2] == expected, "{from:?} to {to:?}");
            }
        }
    }
}

/// Calls `each` with the byte offset and the dense index of every element: the address
/// computation once more, by element.
fn for_each(map: &Map, mut each: impl FnMut(usize, usize)) {
    let [h, w, c] = map.shape.map(usize::from);
    let [sy, sx, sc] = map.strides();
    let size = i64::from(map.bytes);
    let or = |tile: u16, all: usize| if tile == 0 { all } else { tile as usize };
    let (h0, w0, h1) = (or(map.tiles[0], h), or(map.tiles[1], w), or(map.tiles[2], h));
    for y in 0..h {
        for x in 0..w {
            let right = x >= w0;
            let below = y >= if right { h1 } else { h0 };
            let tile = usize::from(right) + 2 * usize::from(below);
            let ty = if below { y - if right { h1 } else { h0 } } else { y } as i64;
            let tx = if right { x - w0 } else { x } as i64;
            for z in 0..c {
                let at = map.base[tile]
                    + ty * sy
                    + if map.bricks {
                        (z / 16) as i64 * sc + (tx * 16 + (z % 16) as i64) * size
                    } else {
                        tx * sx + z as i64 * size
                    };
                each(at as usize, (y * w + x) * c + z);
            }
        }
    }
}

/// A table is copied into the internal memory and used by the next operation.
fn with_table(table: &[u8], slot: u16, size: u16, input: &[i64]) -> Result<Vec<i64>, String> {
    let shape = [1, 1, input.len() as u16];
    let map = |base| Map { bytes: size, ..Map::new(1, base, shape) };
    let mut stream = Stream::new();
    let target = i64::from(NPU.lut_base()) + i64::from(slot) * 256;
    stream
        .one(O::Dma0SrcRegion, 0)
        .address(O::Dma0Src, 0)
        .one(O::Dma0DstRegion, 1 << 8 | 3)
        .address(O::Dma0Dst, target)
        .address(O::Dma0Len, table.len() as i64)
        .one(O::DmaStart, 0)
        .one(O::DmaWait, 0)
        .ifm(&map(0))
        .ofm(&map(0x800))
        .kernel(1, 1)
        .one(O::Activation, 16 + slot)
        .one(O::Pool, 1)
        .stop();
    let mut memory: [Vec<u8>; 8] = Default::default();
    memory[0] = table.to_vec();
    memory[1] = vec![0; 0x1000];
    let input_bytes = bytes(input, size.into());
    memory[1][..input_bytes.len()].copy_from_slice(&input_bytes);
    let after = run_stream(NPU, &stream, memory)?;
    Ok(values(&after[1][0x800..][..input_bytes.len()], size.into()))
}

#[test]
fn table_of_bytes() {
    // Entry i belongs to i - 128.
    let table: Vec<u8> = (0..=255u8).map(|i| i.wrapping_mul(3)).collect();
    for slot in 0..8 {
        let got = with_table(&table, slot, 1, &[-128, -1, 0, 127]).unwrap();
        let expected: Vec<i64> =
            [0u8, 127, 128, 255].iter().map(|i| i64::from(i.wrapping_mul(3) as i8)).collect();
        assert_eq!(got, expected);
    }
}

#[test]
fn table_with_slopes() {
    let mut table = Vec::new();
    for i in 0..512i64 {
        let base = (i - 256) * 60;
        table.extend(bytes(&[base, 60], 2));
    }
    let input: Vec<i64> = vec![-32768, -129, -128, -1, 0, 1, 63, 64, 127, 128, 32767];
    let got = with_table(&table, 0, 2, &input).unwrap();
    let expected: Vec<i64> =
        input.iter().map(|v| v.div_euclid(128) * 60 + ((v.rem_euclid(128) * 60 + 64) >> 7)).collect();
    assert_eq!(got, expected);
    // In any but the first slot it does not fit.
    let error = with_table(&table, 1, 2, &input).unwrap_err();
    assert!(error.contains("reaches behind"), "{error}");
}

#[test]
fn copies_with_gaps() {
    let mut memory: [Vec<u8>; 8] = Default::default();
    memory[0] = (1..=24).collect();
    memory[1] = vec![0; 64];
    let mut stream = Stream::new();
    stream
        .one(O::Dma0SrcRegion, 0)
        .address(O::Dma0Src, 0)
        .one(O::Dma0DstRegion, 1 | 2 << 9)
        .address(O::Dma0Dst, 1)
        .address(O::Dma0Len, 3)
        .one(O::Dma0Size0, 2)
        .one(O::Dma0Size1, 4)
        .address(O::Dma0Skip0, 2)
        .address(O::Dma0Skip1, 7)
        .one(O::DmaStart, 0)
        .stop();
    let after = run_stream(NPU, &stream, memory).unwrap();
    let mut expected = vec![0; 64];
    let mut next = 1;
    for plane in 0..4 {
        for row in 0..2 {
            for i in 0..3 {
                expected[1 + plane * 13 + row * 5 + i] = next;
                next += 1;
            }
        }
    }
    assert_eq!(after[1], expected);
}

#[test]
fn pooling() {
    let input: Vec<i64> = (0..16).map(|i| i * 7 % 23 - 10).collect();
    let run = |mode: u16, more: &dyn Fn(&mut Stream), out: [u16; 3]| {
        let mut stream = Stream::new();
        stream
            .ifm(&Map { zero_point: 2, ..Map::new(1, 0, [4, 4, 1]) })
            .ofm(&Map { zero_point: -1, ..Map::new(1, 0x100, out) })
            .kernel(2, 2)
            .one(O::KernelStride, 3);
        more(&mut stream);
        stream.one(O::Pool, mode).stop();
        let mut memory = vec![0; 0x200];
        memory[..16].copy_from_slice(&bytes(&input, 1));
        let n = out.iter().product::<u16>() as usize;
        run_stream(NPU, &stream, regions(memory)).map(|after| values(&after[1][0x100..][..n], 1))
    };
    // -10 -3  4 11 / -5  2  9 -7 /  0  7 -9 -2 /  5 12 -4  3
    assert_eq!(run(0, &|_| {}, [2, 2, 1]).unwrap(), [2 - 3, 11 - 3, 12 - 3, 3 - 3]);
    // Sums -16, 17, 24, -12 less four zero points, a quarter each: -6, 2.25, 4, -5.
    let quarter = |s: &mut Stream| {
        s.two(O::OfmScale, 2, 1);
    };
    assert_eq!(run(1, &quarter, [2, 2, 1]).unwrap(), [-7, 1, 3, -6]);
    // Padding all around: windows see 1, 2 or 4 elements. (-3 - 2 + 4 - 2) / 2 is a tie.
    let padded = |s: &mut Stream| {
        s.one(O::IfmPadTop, 1).one(O::IfmPadLeft, 1).one(O::IfmPadBottom, 1).one(O::IfmPadRight, 1);
    };
    assert_eq!(run(1, &padded, [3, 3, 1]).unwrap(), [-13, -3, 8, -6, -1, -8, 2, 1, 0]);
}

#[test]
fn reduce_sum() {
    let mut stream = Stream::new();
    stream
        .ifm(&Map::new(1, 0, [1, 2, 4]))
        .ofm(&Map { bytes: 4, ..Map::new(1, 0x10, [1, 2, 1]) })
        .kernel(1, 1)
        .one(O::Pool, 2)
        .stop();
    let mut memory = vec![0; 0x20];
    memory[..8].copy_from_slice(&bytes(&[1, 2, 3, 4, -100, -100, -100, 5], 1));
    let after = run_stream(NPU, &stream, regions(memory)).unwrap();
    assert_eq!(values(&after[1][0x10..0x18], 4), [10, -295]);
}
