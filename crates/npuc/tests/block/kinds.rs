//! Every kind of operation on every accelerator, in shapes that no network has.

use tombolo_ethosu::{Accelerator, Generation, system};
use tombolo_npuc::block::{self, Neighbours};
use tombolo_npuc::hw::{
    Acc, AccInput, Config, Elementwise, FeatureMap, KernelOp, Kind, Layout, Lut, LutKind, OfmScale, Operand,
    OperandScales, Parameters, Pool, ResizeMode, Round, Transpose, Upscale, Window,
};
use tombolo_npuc::ir::Factor;

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next(all.len() as u64) as usize]
    }

    fn size(&mut self) -> usize {
        let most = self.of(&[4, 20, 70, 300]);
        1 + self.next(most) as usize
    }
}

fn map(shape: [usize; 3], bits: u8, numbers: &mut Numbers) -> FeatureMap {
    FeatureMap {
        region: numbers.next(3) as u8,
        base: [0; 4],
        tile: shape,
        shape,
        strides: [0; 3],
        bits,
        signed: true,
        zero_point: 0,
        layout: numbers.of(&[Layout::Nhwc, Layout::Nhcwb16]),
    }
}

/// Some operation that the accelerator has.
fn operation(accelerator: Accelerator, numbers: &mut Numbers) -> KernelOp {
    use Elementwise as E;
    let u85 = accelerator.generation() == Generation::U85;
    let mut kinds = vec![Kind::Conv, Kind::Conv, Kind::Depthwise];
    kinds.extend([Pool::Max, Pool::Average, Pool::ReduceSum].map(Kind::Pool));
    kinds.extend([E::Mul, E::Add, E::Min, E::Abs, E::Shr, E::Clz].map(Kind::Elementwise));
    if u85 {
        kinds.extend([Pool::Sum, Pool::None, Pool::Min, Pool::ArgMaxX, Pool::ArgMaxY].map(Kind::Pool));
        kinds.extend([E::Div, E::And, E::CmpGt].map(Kind::Elementwise));
        let axis = [1 + numbers.next(16) as i32, 1 + numbers.next(16) as i32, 0];
        kinds.extend([Kind::MatMul, Kind::Resize { mode: ResizeMode::Bilinear, axes: [axis; 2] }]);
    }
    let kind = numbers.of(&kinds);
    let shape = [numbers.size(), numbers.size(), numbers.size()];
    let elementwise = matches!(kind, Kind::Elementwise(_));
    let transpose = match u85 && numbers.next(3) == 0 {
        true => numbers.of(&[Transpose::Whc, Transpose::Hcw, Transpose::Wch, Transpose::Chw, Transpose::Cwh]),
        false => Transpose::Hwc,
    };
    let windowed = matches!(kind, Kind::Conv | Kind::Depthwise | Kind::Pool(Pool::Max | Pool::Average));
    let mut window = Window::ONE;
    if windowed && numbers.next(3) > 0 {
        window.size = [1 + numbers.next(12) as usize, 1 + numbers.next(12) as usize];
        window.stride = [1 + numbers.next(3) as usize, 1 + numbers.next(3) as usize];
        window.dilation = [1 + numbers.next(2) as usize, 1 + numbers.next(2) as usize];
    }
    let carried = kind == Kind::Pool(Pool::None);
    let bits = match kind {
        Kind::Elementwise(E::Shr | E::Clz | E::Div | E::And | E::CmpGt) => 32,
        Kind::Elementwise(E::Mul | E::Add | E::Min | E::Abs) => numbers.of(&[8, 16, 32]),
        Kind::Pool(Pool::ReduceSum) => numbers.of(&[8, 16, 32]),
        Kind::Pool(Pool::Max) if u85 && window == Window::ONE => numbers.of(&[8, 16, 32]),
        _ if carried => 8,
        _ => numbers.of(&[8, 16]),
    };
    let ifm_shape = match kind {
        Kind::Elementwise(_) => shape.map(|n| if u85 && numbers.next(6) == 0 { 1 } else { n }),
        Kind::Conv | Kind::MatMul | Kind::Pool(Pool::ReduceSum) => {
            [shape[0] * window.stride[0], shape[1] * window.stride[1], numbers.size()]
        }
        _ => [shape[0] * window.stride[0], shape[1] * window.stride[1], shape[2]],
    };
    let binary = matches!(kind, Kind::Elementwise(mode) if !mode.unary());
    let second = match kind {
        Kind::MatMul => Some([1, shape[2], ifm_shape[2]]),
        _ if carried => Some(shape),
        _ if binary => Some(shape.map(|n| if numbers.next(4) == 0 { 1 } else { n })),
        _ => None,
    };
    let ifm2 = second.map(|shape| match binary && numbers.next(4) == 0 {
        true => Operand::Scalar { value: 1, zero_point: 0, bits, signed: true },
        false => Operand::Map(map(shape, if carried { numbers.of(&[32, 64]) } else { bits }, numbers)),
    });
    // The same box whatever the order: only sizes matter.
    let ofm_bits = numbers.of(&[8, 16, 32]);
    let mut ofm = map(shape, ofm_bits, numbers);
    let [h, w, c] = shape;
    ofm.shape = match transpose {
        Transpose::Hwc => [h, w, c],
        Transpose::Whc => [w, h, c],
        Transpose::Hcw => [h, c, w],
        Transpose::Wch => [w, c, h],
        Transpose::Chw => [c, h, w],
        Transpose::Cwh => [c, w, h],
    };
    // There may be no room for the input of sixteen rows or columns at once.
    if windowed && transpose != Transpose::Hwc {
        ofm.layout = Layout::Nhwc;
    }
    let weighted = matches!(kind, Kind::Conv | Kind::Depthwise);
    KernelOp {
        kind,
        ifm: map(ifm_shape, bits, numbers),
        ifm2,
        swapped: false,
        ofm,
        window,
        upscale: match windowed && !elementwise {
            true => numbers.of(&[Upscale::None, Upscale::None, Upscale::Nearest, Upscale::Zeros]),
            false => Upscale::None,
        },
        parameters: weighted.then(|| Parameters {
            weight_region: 0,
            weights: Vec::new(),
            scale_region: 0,
            scales: Vec::new(),
            fast: false,
            sparse: u85 && kind == Kind::Conv && numbers.next(4) == 0,
        }),
        operand_scales: OperandScales::None,
        ofm_scale: numbers.of(&[
            OfmScale::PerChannel,
            OfmScale::Global(Factor::ONE),
            OfmScale::Global(Factor { multiplier: 1 << 30, shift: 31 }),
        ]),
        round: Round::Natural,
        clamp: None,
        lut: (numbers.next(3) == 0).then_some(Lut { slot: 0, kind: LutKind::I8 }),
        acc_input: if carried { AccInput::Ifm2 } else { AccInput::Reset },
        acc_keep: false,
        transpose,
        block: Config::UNSET,
    }
}

/// What must hold of a configuration, by the sizes of buffers alone.
fn check(op: &KernelOp, config: &Config, accelerator: Accelerator) -> Result<(), String> {
    let spec = accelerator.spec();
    let ublock = accelerator.ublocks().iter().map(|u| [u.height, u.width, u.depth].map(usize::from));
    let need = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_owned()) };
    need(ublock.clone().any(|u| u == config.ublock), "a micro-block of the accelerator")?;
    let elements: usize = config.ofm.iter().product();
    let bytes = usize::from(op.ifm.bits / 8);
    let ifm_bytes: usize = config.ifm.iter().product::<usize>() * bytes;
    let elementwise = matches!(op.kind, Kind::Elementwise(_));
    let streamed = elementwise || matches!(op.kind, Kind::Resize { .. });
    if let Some(rams) = spec.rams {
        let acc = if config.acc == Acc::I48 { 8 } else { 4 };
        need(config.shram == [0; 3], "no banks")?;
        need(config.ofm[0] <= 1024 && config.ofm[1] <= 1024 && config.ofm[2] <= 1024, "limits")?;
        let stored = match op.transpose {
            Transpose::Hwc => [0, 1, 2],
            Transpose::Whc => [1, 0, 2],
            Transpose::Hcw => [0, 2, 1],
            Transpose::Wch => [1, 2, 0],
            Transpose::Chw => [2, 0, 1],
            Transpose::Cwh => [2, 1, 0],
        };
        let [h, w, c] = stored.map(|axis| config.ofm[axis]);
        need(h <= 128 && w <= 128 && c <= 1024, "limits in memory")?;
        let brick = op.ofm.layout == Layout::Nhcwb16;
        let resize = matches!(op.kind, Kind::Resize { .. });
        let whole = c >= op.ofm.shape[2] || c.is_multiple_of(16);
        need(!brick || resize || whole, "bricks are whole")?;
        if !streamed {
            need(elements.next_multiple_of(16) * acc <= rams.accumulators as usize, "room for accumulators")?;
            // More channels than the map has are not held, and no more than all of it.
            let [h, w, c] = config.ifm;
            let held = (h * w * c.min(op.ifm.shape[2])).min(op.ifm.shape.iter().product()) * bytes;
            need(held <= rams.ifm as usize, "room for the input")?;
        }
        return Ok(());
    }
    let [h, w, c] = config.ofm;
    need(h <= 32 && w <= 64 && c <= 128, "the largest block")?;
    need((0..3).all(|i| config.ofm[i].is_multiple_of(config.ublock[i])), "whole micro-blocks")?;
    need(c >= op.ofm.shape[2] || c.is_multiple_of(16), "a depth of sixteens")?;
    let [end, acc, second] = config.shram.map(usize::from);
    let banks = spec.shram_kib_per_core as usize;
    let top = if accelerator.lut_is_volatile() && op.lut.is_none() { banks } else { banks - 2 };
    need(end.is_multiple_of(2) && acc.is_multiple_of(2) && second.is_multiple_of(2), "pairs of banks")?;
    need(end <= acc && acc <= top && second >= 4, "in order")?;
    if elementwise {
        need(2 * ifm_bytes <= (second - 2) * 1024, "room for the first operand twice")?;
        if matches!(op.ifm2, Some(Operand::Map(_))) {
            need(2 * ifm_bytes <= (end - second) * 1024, "room for the second operand twice")?;
        }
    } else {
        need(2 * ifm_bytes <= (end - 2) * 1024, "room for the input twice")?;
        let rows = if op.ofm.shape[0] == 1 && op.window.size[0] == 1 { 1 } else { h };
        let bits = if config.acc == Acc::I40 { 40 } else { 32 };
        need(2 * rows * w * c * bits / 8 <= (top - acc) * 1024, "room for accumulators twice")?;
    }
    Ok(())
}

#[test]
fn every_kind_has_blocks_on_every_accelerator() {
    let mut numbers = Numbers(7);
    let mut far = 0;
    for accelerator in Accelerator::ALL {
        let (config, mode) = system::defaults(accelerator);
        let memories = block::System { config: &config, mode: &mode };
        for _ in 0..400 {
            let op = operation(accelerator, &mut numbers);
            let all = block::candidates(&op, accelerator);
            assert!(!all.is_empty(), "{accelerator}: {op:?}");
            for config in &all {
                if let Err(what) = check(&op, config, accelerator) {
                    panic!("{accelerator}: not {what}: {config:?} for {op:?}");
                }
            }
            let best = block::best(&op, accelerator, &memories).unwrap();
            assert!(
                all.contains(&best) && block::fits(&op, &best, accelerator),
                "{accelerator}: {best:?} for {op:?}"
            );
            let cycles = |config| {
                block::estimate(&op, config, accelerator, &memories, Neighbours::NONE).unwrap().total
            };
            let (ours, least) = (cycles(&best), all.iter().map(cycles).min().unwrap());
            assert!(
                ours <= least + least / 12 + 16,
                "{accelerator}: {ours}, not {least}: {best:?} for {op:?}"
            );
            far += usize::from(ours > least + least / 30 + 16);
        }
    }
    assert!(far < 10, "{far} are three in a hundred from the best");
}

/// Whatever an operation says, there is an answer.
#[test]
fn nonsense_is_refused_or_survived() {
    let mut numbers = Numbers(11);
    let mut refused = 0;
    for i in 0..20_000 {
        let accelerator = Accelerator::ALL[i % Accelerator::ALL.len()];
        let mut op = operation(Accelerator::ALL[(i / 7) % Accelerator::ALL.len()], &mut numbers);
        for _ in 0..1 + numbers.next(3) {
            let odd = numbers.of(&[0, 1, 3, 65535, 65536, 65537, 1 << 31, usize::MAX]);
            let axis = numbers.next(3) as usize;
            match numbers.next(12) {
                0 => op.ifm.shape[axis] = odd,
                1 => op.ofm.shape[axis] = odd,
                2 => op.window.size[axis % 2] = odd,
                3 => op.window.stride[axis % 2] = odd,
                4 => op.window.dilation[axis % 2] = odd,
                5 => op.ifm.bits = numbers.of(&[0, 1, 8, 48, 64, 255]),
                6 => op.ofm.bits = numbers.of(&[0, 7, 32, 48, 64, 255]),
                7 => op.ifm2 = None,
                8 => op.kind = Kind::MatMul,
                9 => {
                    let axes = [[numbers.of(&[i32::MIN, -1, 0, 1, i32::MAX]); 3]; 2];
                    op.kind = Kind::Resize { mode: ResizeMode::Nearest, axes };
                }
                10 => op.ifm2 = Some(Operand::Map(map([odd, 1, odd], 255, &mut numbers))),
                _ => op.ofm.region = 255,
            }
        }
        let (config, mode) = system::defaults(accelerator);
        let memories = block::System { config: &config, mode: &mode };
        match block::best(&op, accelerator, &memories) {
            Ok(best) => assert!(block::fits(&op, &best, accelerator), "{accelerator}: {best:?} for {op:?}"),
            Err(_) => refused += 1,
        }
        let odd = numbers.of(&[0, 1, 7, 16, 1 << 16, usize::MAX]);
        let config = Config { ofm: [odd, 8, odd], ..Config::UNSET };
        _ = block::estimate(&op, &config, accelerator, &memories, Neighbours::NONE);
        assert!(!block::fits(&op, &Config { ublock: [odd, 3, 8], ..config }, accelerator));
    }
    assert!(refused > 5_000 && refused < 18_000, "{refused}");
}
