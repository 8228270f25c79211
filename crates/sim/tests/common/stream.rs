//! Command streams by hand.

use tombolo_ethosu::cmd::{Command, Opcode};

/// A command stream under construction.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    pub bytes: Vec<u8>,
}

/// A feature map: everything its registers hold.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    pub region: u16,
    pub base: [i64; 4],
    pub shape: [u16; 3],
    pub bytes: u16,
    pub signed: bool,
    pub bricks: bool,
    pub zero_point: i16,
    /// Rows and columns of tile 0, rows of tile 1; 0: all.
    pub tiles: [u16; 3],
    pub stride_y: Option<i64>,
    /// Further bits of the precision register.
    pub precision: u16,
}

impl Map {
    /// A dense map of signed bytes.
    pub fn new(region: u16, base: i64, shape: [u16; 3]) -> Map {
        Map {
            region,
            base: [base, 0, 0, 0],
            shape,
            bytes: 1,
            signed: true,
            bricks: false,
            zero_point: 0,
            tiles: [0; 3],
            stride_y: None,
            precision: 0,
        }
    }

    /// Strides of rows, columns and bricks.
    pub fn strides(&self) -> [i64; 3] {
        let [_, w, c] = self.shape.map(i64::from);
        let size = i64::from(self.bytes);
        let dense = if self.bricks {
            [(c + 15) / 16 * 16 * w * size, 16 * size, 16 * w * size]
        } else {
            [w * c * size, c * size, size]
        };
        [self.stride_y.unwrap_or(dense[0]), dense[1], dense[2]]
    }

    fn type_bits(&self, size_at: u16) -> u16 {
        u16::from(self.signed)
            | (self.bytes.trailing_zeros() as u16) << size_at
            | u16::from(self.bricks) << 6
            | self.precision
    }
}

impl Stream {
    pub fn new() -> Stream {
        Stream::default()
    }

    pub fn push(&mut self, command: Command) -> &mut Stream {
        let (words, count) = command.encode();
        for word in &words[..count] {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        self
    }

    /// A one-word command.
    pub fn one(&mut self, opcode: Opcode, param: u16) -> &mut Stream {
        self.push(Command::new(opcode, param))
    }

    /// A two-word command with a parameter and a payload.
    pub fn two(&mut self, opcode: Opcode, param: u16, payload: u32) -> &mut Stream {
        self.push(Command { opcode, param, payload })
    }

    /// A two-word command with 40 bits.
    pub fn address(&mut self, opcode: Opcode, address: i64) -> &mut Stream {
        self.push(Command::with_address(opcode, address))
    }

    fn map(&mut self, map: &Map, regs: [Opcode; 12]) -> &mut Stream {
        let [b0, b1, b2, b3, sy, sx, sc, region, zp, w0, h0, h1] = regs;
        for (opcode, base) in [b0, b1, b2, b3].into_iter().zip(map.base) {
            self.address(opcode, base);
        }
        for (opcode, stride) in [sy, sx, sc].into_iter().zip(map.strides()) {
            self.address(opcode, stride);
        }
        let or = |tile: u16, all: u16| if tile == 0 { all - 1 } else { tile - 1 };
        self.one(region, map.region)
            .one(zp, map.zero_point as u16)
            .one(h0, or(map.tiles[0], map.shape[0]))
            .one(w0, or(map.tiles[1], map.shape[1]))
            .one(h1, or(map.tiles[2], map.shape[0]))
    }

    pub fn ifm(&mut self, map: &Map) -> &mut Stream {
        use Opcode as O;
        self.map(
            map,
            [
                O::IfmBase0,
                O::IfmBase1,
                O::IfmBase2,
                O::IfmBase3,
                O::IfmStrideY,
                O::IfmStrideX,
                O::IfmStrideC,
                O::IfmRegion,
                O::IfmZeroPoint,
                O::IfmWidth0M1,
                O::IfmHeight0M1,
                O::IfmHeight1M1,
            ],
        )
        .one(O::IfmDepthM1, map.shape[2] - 1)
        .one(O::IfmPrecision, map.type_bits(2))
        .one(O::IfmUpscale, 0)
    }

    pub fn ifm2(&mut self, map: &Map) -> &mut Stream {
        use Opcode as O;
        self.map(
            map,
            [
                O::Ifm2Base0,
                O::Ifm2Base1,
                O::Ifm2Base2,
                O::Ifm2Base3,
                O::Ifm2StrideY,
                O::Ifm2StrideX,
                O::Ifm2StrideC,
                O::Ifm2Region,
                O::Ifm2ZeroPoint,
                O::Ifm2Width0M1,
                O::Ifm2Height0M1,
                O::Ifm2Height1M1,
            ],
        )
        .one(O::Ifm2Precision, map.type_bits(2))
        .one(O::Ifm2Broadcast, 0)
    }

    /// The output, with the whole range of its type, no function, no scale (1 >> 0, global) and
    /// natural rounding.
    pub fn ofm(&mut self, map: &Map) -> &mut Stream {
        use Opcode as O;
        let (low, high) = match (map.bytes, map.signed) {
            (1, true) => (-128i32, 127),
            (1, false) => (0, 255),
            (_, true) => (-32768, 32767),
            (_, false) => (0, 65535),
        };
        self.map(
            map,
            [
                O::OfmBase0,
                O::OfmBase1,
                O::OfmBase2,
                O::OfmBase3,
                O::OfmStrideY,
                O::OfmStrideX,
                O::OfmStrideC,
                O::OfmRegion,
                O::OfmZeroPoint,
                O::OfmWidth0M1,
                O::OfmHeight0M1,
                O::OfmHeight1M1,
            ],
        )
        .one(O::OfmHeightM1, map.shape[0] - 1)
        .one(O::OfmWidthM1, map.shape[1] - 1)
        .one(O::OfmDepthM1, map.shape[2] - 1)
        .one(O::OfmPrecision, map.type_bits(1) | 1 << 8 | 2 << 14)
        .one(O::Activation, 0)
        .one(O::ActivationMin, low as u16)
        .one(O::ActivationMax, high as u16)
        .one(O::AccFormat, 0)
        .two(O::OfmScale, 0, 1)
    }

    /// A kernel of that size, stride 1, no padding.
    pub fn kernel(&mut self, h: u16, w: u16) -> &mut Stream {
        use Opcode as O;
        self.one(O::KernelHeightM1, h - 1)
            .one(O::KernelWidthM1, w - 1)
            .one(O::KernelStride, 0)
            .one(O::IfmPadTop, 0)
            .one(O::IfmPadLeft, 0)
            .one(O::IfmPadBottom, 0)
            .one(O::IfmPadRight, 0)
    }

    pub fn stop(&mut self) -> &mut Stream {
        self.one(Opcode::Stop, 0xffff)
    }
}
