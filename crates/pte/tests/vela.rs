//! Vela's binary stream: the block sets of each ExecuTorch version, and streams that are wrong.

mod common;

use common::{Aligned, fixture};
use tombolo_pte::vela::{BinStream, Block, Io};
use tombolo_pte::{ErrorKind, Program};

/// Writes a stream block by block, as `arm_vela.py` does.
struct Writer(Vec<u8>);

impl Writer {
    fn new() -> Writer {
        Writer(Vec::new()).block("vela_bin_stream", &[])
    }

    fn raw(mut self, name: &str, external: u8, data: &[u8]) -> Writer {
        let mut header = [0; 32];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[16..20].copy_from_slice(&(data.len() as u32).to_le_bytes());
        header[20] = external;
        self.0.extend_from_slice(&header);
        self.0.extend_from_slice(data);
        self.0.resize(self.0.len().next_multiple_of(16), 0);
        self
    }

    fn block(self, name: &str, data: &[u8]) -> Writer {
        self.raw(name, 0, data)
    }

    fn words(self, name: &str, words: &[i32]) -> Writer {
        let data: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.block(name, &data)
    }

    fn end(self) -> Vec<u8> {
        self.block("vela_end_stream", &[]).0
    }
}

/// What every stream has, with one input and one output of 4 elements.
fn usual() -> Writer {
    Writer::new().block("cmd_data", b"COP1....").block("weight_data", &[0]).words("scratch_size", &[32])
}

const INPUT: [i32; 10] = [1, 1, 1, 1, 1, 2, 2, 1, 0, 1];
const OUTPUT: [i32; 10] = [1, 1, 1, 1, 1, 2, 2, 1, 16, 1];

#[track_caller]
fn refused(stream: &[u8], field: &str, kind: ErrorKind) {
    let error = BinStream::parse(Aligned::new(stream).bytes()).expect_err("accepted");
    assert_eq!((error.field.name(), error.kind), (field, kind), "{error}");
    assert!(error.offset <= stream.len());
}

#[test]
fn the_present_form() {
    let stream = Aligned::new(&usual().words("inputs", &INPUT).words("outputs", &OUTPUT).end());
    let stream = BinStream::parse(stream.bytes()).expect("the present form");
    assert_eq!(stream.cmd_data, Block::Inline(b"COP1...."));
    assert_eq!(stream.weight_data, Block::Inline(&[0]));
    assert_eq!((stream.scratch_size, stream.inputs.len(), stream.outputs.len()), (32, 1, 1));
    let output = stream.outputs.get(0).expect("an output");
    assert_eq!(output, Io { shape: [1, 1, 1, 1, 2, 2], elem_size: 1, offset: 16, region: 1 });
    assert_eq!((output.count(), output.nbytes()), (4, 4));
    assert_eq!(stream.outputs.get(1), None);
}

#[test]
fn the_form_of_2024() {
    // Scratch as zeros in the file, four sizes, absent ones zero behind.
    let inputs = [2, 1, 16, 8, 8, 1, 0, 1, 3, 4, 0, 0, 2, 1024, 1];
    let outputs = [1, 5, 0, 0, 0, 4, 1056, 1];
    let writer = Writer::new().block("cmd_data", b"COP1").block("weight_data", b"w");
    let writer = writer.block("scratch_data", &[0; 1088]).words("inputs", &inputs).words("outputs", &outputs);
    let bytes = Aligned::new(&writer.end());
    let stream = BinStream::parse(bytes.bytes()).expect("the form of 2024");
    assert_eq!(stream.scratch_size, 1088);
    let ios: Vec<_> = stream.inputs.iter().chain(stream.outputs.iter()).collect();
    assert_eq!(
        ios,
        [
            Io { shape: [1, 1, 1, 16, 8, 8], elem_size: 1, offset: 0, region: 1 },
            Io { shape: [1, 1, 1, 1, 3, 4], elem_size: 2, offset: 1024, region: 1 },
            Io { shape: [1, 1, 1, 1, 1, 5], elem_size: 4, offset: 1056, region: 1 },
        ]
    );
}

#[test]
fn the_form_after_1_5() {
    let stream = usual()
        .words("persistent_size", &[64])
        .block("persistent_init", &[7; 40])
        .block("vela_model", b"TFL3");
    let bytes = Aligned::new(&stream.words("inputs", &INPUT).words("outputs", &OUTPUT).end());
    let stream = BinStream::parse(bytes.bytes()).expect("the form after 1.5");
    assert_eq!((stream.persistent_size, stream.persistent_init), (64, Some([7; 40].as_slice())));
    assert_eq!(stream.vela_model, Some(b"TFL3".as_slice()));
    let large = usual().words("persistent_size", &[32]).block("persistent_init", &[7; 33]);
    let large = large.words("inputs", &INPUT).words("outputs", &OUTPUT).end();
    refused(&large, "BinStream.persistent_init", ErrorKind::PlanTooSmall);
}

#[test]
fn external_blocks() {
    let key = "0123456789abcdef".repeat(4);
    let stream = |key: &[u8], flag| {
        let writer =
            Writer::new().raw("cmd_data", flag, key).raw("weight_data", 1, "f".repeat(64).as_bytes());
        writer.words("scratch_size", &[32]).words("inputs", &INPUT).words("outputs", &OUTPUT).end()
    };
    let bytes = Aligned::new(&stream(key.as_bytes(), 1));
    let parsed = BinStream::parse(bytes.bytes()).expect("external");
    assert_eq!(parsed.cmd_data, Block::External { key: &key });
    refused(&stream(&key.as_bytes()[1..], 1), "BinStream.cmd_data", ErrorKind::OutOfBounds);
    refused(&stream(&[0xff; 64], 1), "BinStream.cmd_data", ErrorKind::Utf8);
    refused(&stream(key.as_bytes(), 2), "BinStream.block_external", ErrorKind::Unknown);
    // Inline, the key is no command stream.
    refused(&stream(key.as_bytes(), 0), "BinStream.cmd_data", ErrorKind::Identifier);
    let other = usual().raw("inputs", 1, key.as_bytes()).words("outputs", &OUTPUT).end();
    refused(&other, "BinStream.inputs", ErrorKind::Unsupported);
}

#[test]
fn blocks_that_are_absent_twice_or_unknown() {
    let all = || usual().words("inputs", &INPUT).words("outputs", &OUTPUT);
    for (name, data) in [("cmd_data", &b"COP1"[..]), ("weight_data", &[0]), ("scratch_size", &[0; 4])] {
        refused(&all().block(name, data).end(), &format!("BinStream.{name}"), ErrorKind::Duplicate);
    }
    refused(&all().block("scratch_data", &[]).end(), "BinStream.scratch_size", ErrorKind::Duplicate);
    refused(&all().words("outputs", &OUTPUT).end(), "BinStream.outputs", ErrorKind::Duplicate);
    refused(&usual().words("inputs", &INPUT).end(), "BinStream.outputs", ErrorKind::Missing);
    refused(&usual().words("outputs", &OUTPUT).end(), "BinStream.inputs", ErrorKind::Missing);
    refused(&Writer::new().end(), "BinStream.scratch_size", ErrorKind::Missing);
    refused(&all().block("cmd_data_2", &[]).end(), "BinStream.block_name", ErrorKind::Unknown);
    refused(&all().block("vela_bin_stream", &[]).end(), "BinStream.block_name", ErrorKind::Unknown);
    let mut dirty = all().end();
    let last = dirty.len();
    dirty[last - 1] = 1;
    refused(&dirty, "BinStream.block_external", ErrorKind::Unknown);
}

#[test]
fn the_frame_of_the_stream() {
    let good = usual().words("inputs", &INPUT).words("outputs", &OUTPUT).end();
    refused(&[], "BinStream.block_name", ErrorKind::Truncated);
    for len in (0..good.len()).step_by(16) {
        let error = BinStream::parse(Aligned::new(&good[..len]).bytes()).expect_err("truncated");
        assert!(matches!(error.kind, ErrorKind::Truncated | ErrorKind::OutOfBounds), "{error}");
    }
    let mut trailing = good.clone();
    trailing.extend([0; 16]);
    refused(&trailing, "BinStream.vela_end_stream", ErrorKind::Trailing);
    let mut other = good.clone();
    other[0] = b'V';
    refused(&other, "BinStream.vela_bin_stream", ErrorKind::Identifier);
    let mut huge = good.clone();
    huge[32 + 16..32 + 20].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&huge, "BinStream.block_size", ErrorKind::OutOfBounds);
    refused(&usual().words("scratch_size", &[]).end(), "BinStream.scratch_size", ErrorKind::OutOfBounds);
}

#[test]
fn a_blob_at_an_odd_address() {
    let file = Aligned::read(fixture("add/u65-256.pte"));
    let program = Program::parse(file.bytes()).expect("add");
    let blob = program.method(0).expect("forward").delegate(0).blob;
    let mut shifted = vec![0; 8];
    shifted.extend_from_slice(blob);
    let shifted = Aligned::new(&shifted);
    let error = BinStream::parse(&shifted.bytes()[8..]).expect_err("misaligned");
    assert_eq!((error.field.name(), error.kind), ("BinStream.address", ErrorKind::Address));
}

#[test]
fn tensors_that_cannot_be() {
    let with = |at: usize, word: i32| {
        let mut input = INPUT;
        input[at] = word;
        usual().words("inputs", &input).words("outputs", &OUTPUT).end()
    };
    let field = "BinStream.inputs";
    refused(&with(0, 2), field, ErrorKind::OutOfBounds);
    refused(&with(0, -1), field, ErrorKind::OutOfBounds);
    refused(&with(6, -2), field, ErrorKind::Negative);
    refused(&with(7, 0), field, ErrorKind::Unknown);
    refused(&with(8, -1), field, ErrorKind::Negative);
    refused(&with(9, 8), field, ErrorKind::Index);
    refused(&with(8, 29), field, ErrorKind::PlanTooSmall);
    refused(&with(5, 17), field, ErrorKind::PlanTooSmall);
    let mut input = INPUT;
    input[1..7].fill(i32::MAX);
    refused(&usual().words("inputs", &input).words("outputs", &OUTPUT).end(), field, ErrorKind::Overflow);
    // Another region than scratch has its own size, which the stream does not say.
    input = INPUT;
    (input[8], input[9]) = (1000, 3);
    assert!(
        BinStream::parse(Aligned::new(&usual().words("inputs", &input).words("outputs", &[0]).end()).bytes())
            .is_ok()
    );
}
