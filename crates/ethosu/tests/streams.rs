//! Vela's streams: decode, encode, disassemble, and what they touch.

mod common;

use tombolo_ethosu::cmd::{self, Command, DecodeErrorKind, Opcode};
use tombolo_ethosu::disasm::disassemble;
use tombolo_ethosu::payload::Payload;
use tombolo_ethosu::regions::{self, extents};
use tombolo_ethosu::{Accelerator, Generation};

/// A small generator, so that failures repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn encode(commands: impl IntoIterator<Item = Command>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for command in commands {
        let (words, count) = command.encode();
        for word in &words[..count] {
            bytes.extend(word.to_le_bytes());
        }
    }
    bytes
}

#[test]
fn every_corpus_stream_decodes_and_encodes_to_itself() {
    for raw in common::raw_outputs() {
        let data = &raw.arrays["cmd_data"].data;
        let payload = Payload::parse(data).unwrap_or_else(|e| panic!("{}: {e}", raw.name));
        let accelerator = Accelerator::from_name(&raw.target).unwrap();
        assert_eq!(payload.accelerator(), Some(accelerator), "{}", raw.name);
        assert_eq!(payload.config, accelerator.config_word(), "{}", raw.name);
        assert_eq!(payload.id, accelerator.id_word(), "{}", raw.name);
        let generation = accelerator.generation();
        let commands: Vec<Command> = cmd::decode(generation, payload.stream)
            .map(|c| c.unwrap_or_else(|e| panic!("{}: {e}", raw.name)).1)
            .collect();
        assert_eq!(encode(commands.iter().copied()), payload.stream, "{}", raw.name);
        for command in &commands {
            // Vela shares its U65 encoder with U55, where bits 39:32 of an address do not exist.
            let reserved = command.reserved_bits(generation);
            assert!(
                reserved == 0 || (generation == Generation::U55 && reserved == 0xff_0000),
                "{}: {command:?} {reserved:#x}",
                raw.name
            );
        }
        let stops = commands.iter().filter(|c| c.opcode == Opcode::Stop).count();
        assert_eq!(stops, 1, "{}", raw.name);
        assert_eq!(commands.last(), Some(&Command::new(Opcode::Stop, 0xffff)), "{}", raw.name);
        for line in disassemble(generation, payload.stream) {
            let text = line.unwrap().to_string();
            assert!(!text.contains("(reserved)"), "{}: {text}", raw.name);
            assert!(!text.contains(" ?:"), "{}: {text}", raw.name);
        }
    }
}

/// What the walk finds touched fits what Vela allocated and, alignment apart, fills it: a walk that
/// forgets something would leave a gap, as the last tensor of an arena is read or written.
#[test]
fn extents_fit_what_vela_allocated() {
    for raw in common::raw_outputs() {
        let payload = Payload::parse(&raw.arrays["cmd_data"].data).unwrap();
        let generation = payload.accelerator().unwrap().generation();
        let found = extents(generation, payload.stream).unwrap();
        let size = |key: &str| raw.arrays[key].integer() as u64;
        let constants = raw.arrays["weight_data"].data.len() as u64;
        let (scratch, fast) = (size("scratch_size"), size("scratch_fast_size"));
        let context = format!("{}: {found:?}, {constants} {scratch} {fast}", raw.name);
        assert!(found.regions.iter().all(|r| !r.below_start), "{context}");
        assert!(found.get(0).end <= constants, "{context}");
        assert!(!found.get(0).written, "{context}");
        assert!(found.get(1).end <= scratch, "{context}");
        assert!(found.get(2).end <= fast, "{context}");
        assert_eq!(found.get(2).is_used(), fast > 0, "{context}");
        assert!(found.regions[3..].iter().all(|r| !r.is_used()), "{context}");
        for (found, allocated) in [(found.get(1).end, scratch), (found.get(2).end, fast)] {
            assert!(allocated - found < 32, "{context}");
        }
    }
}

#[test]
fn arbitrary_commands_round_trip() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for generation in Generation::ALL {
        let known: Vec<Opcode> =
            Opcode::ALL.iter().copied().filter(|o| o.generations().contains(generation)).collect();
        let commands: Vec<Command> = (0..20_000)
            .map(|_| {
                let opcode = known[random.next() as usize % known.len()];
                let bits = random.next();
                let payload = if opcode.kind().has_payload() { bits as u32 } else { 0 };
                Command { opcode, param: (bits >> 48) as u16, payload }
            })
            .collect();
        let bytes = encode(commands.iter().copied());
        let mut position = 0;
        let mut back = Vec::new();
        for item in cmd::decode(generation, &bytes) {
            let (at, command) = item.unwrap();
            assert_eq!(at, position);
            position += command.opcode.kind().size();
            back.push(command);
        }
        assert_eq!(back, commands);
        // Taking a command apart into fields and putting it together again loses nothing that
        // is not reserved.
        for command in commands {
            let mut built = Command::new(command.opcode, 0);
            for field in command.opcode.fields_of(generation) {
                built = field.set(built, field.get(command));
            }
            assert_eq!(built.bits() ^ command.bits(), command.reserved_bits(generation));
        }
    }
}

#[test]
fn addresses_and_strides_have_forty_bits() {
    let command = Command::with_address(Opcode::OfmStrideY, -48);
    assert_eq!((command.param, command.payload), (0xff, 0xffff_ffd0));
    assert_eq!(command.stride(), -48);
    assert_eq!(command.address(), 0xff_ffff_ffd0);
    let command = Command::with_address(Opcode::IfmBase0, 0x12_3456_789a);
    assert_eq!(command.address(), 0x12_3456_789a);
    assert_eq!(command.stride(), 0x12_3456_789a);
}

#[test]
fn codes_that_change_meaning_are_told_apart() {
    let find = |generation, payload, code| Opcode::from_code(generation, payload, code);
    assert_eq!(find(Generation::U65, true, 0x92), Some(Opcode::Scale1Base));
    assert_eq!(find(Generation::U85, true, 0x92), Some(Opcode::Weight2Base));
    assert_eq!(find(Generation::U55, true, 0x92), None);
    assert_eq!(find(Generation::U65, true, 0x33), Some(Opcode::Dma0Skip0));
    assert_eq!(find(Generation::U85, true, 0x33), Some(Opcode::Dma0SrcStride0));
    assert_eq!(find(Generation::U55, true, 0x25), Some(Opcode::OpaScale));
    assert_eq!(find(Generation::U85, true, 0x25), Some(Opcode::IfmScale));
    assert_eq!(find(Generation::U65, false, 0x123), Some(Opcode::ParallelMode));
    assert_eq!(find(Generation::U55, false, 0x123), None);
    assert_eq!(find(Generation::U85, false, 0x123), None);
    assert_eq!(find(Generation::U85, false, 0x12d), Some(Opcode::ResizeYOffset));
    assert_eq!(find(Generation::U65, false, 0x12d), Some(Opcode::AbStart));
}

#[test]
fn bad_words_are_reported_with_their_place() {
    let good = 0x0002_0100u32; // NPU_SET_IFM_PAD_TOP 2
    let stream = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let error = |generation, bytes: &[u8]| {
        let mut items = cmd::decode(generation, bytes);
        let error = items.find_map(Result::err).expect("an error");
        assert!(items.next().is_none(), "nothing follows an error");
        error
    };
    let e = error(Generation::U65, &stream(&[good, 0x0000_03ff]));
    assert_eq!((e.kind, e.position, e.word), (DecodeErrorKind::UnknownOpcode, 4, 0x3ff));
    assert_eq!(
        e.to_string(),
        "command stream, byte 0x4: word 0x000003ff has code 0x3ff (one word), which Ethos-U65 does not know; was the stream compiled for another generation?"
    );
    for word in [0x0000_8100, 0x0000_c000, 0x0000_0500] {
        let e = error(Generation::U65, &stream(&[word]));
        assert_eq!((e.kind, e.position), (DecodeErrorKind::ReservedBits, 0));
    }
    let e = error(Generation::U65, &stream(&[good, 0x0000_4000]));
    assert_eq!((e.kind, e.position, e.word), (DecodeErrorKind::Truncated, 4, 0x4000));
    let e = error(Generation::U65, &[0x00, 0x01, 0x02, 0x00, 0xab, 0xcd]);
    assert_eq!((e.kind, e.position, e.word), (DecodeErrorKind::Truncated, 4, 0xcdab));
    // a U85 branch is nothing on U65
    let e = error(Generation::U65, &stream(&[0x0000_4100, 0]));
    assert_eq!(e.kind, DecodeErrorKind::UnknownOpcode);
    assert!(cmd::decode(Generation::U85, &stream(&[0x0000_4100, 0])).all(|c| c.is_ok()));
}

/// Nothing panics or hangs, whatever the bytes.
#[test]
fn random_bytes_are_survived() {
    let mut random = Random(0xfeed_beef_0bad_cafe);
    for round in 0..3000 {
        let length = random.next() as usize % 400;
        let mut bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        if round % 2 == 0 {
            // Make the words commands, so that the walk sees wild registers.
            let generation = Generation::ALL[round % 3];
            let known: Vec<Opcode> =
                Opcode::ALL.iter().copied().filter(|o| o.generations().contains(generation)).collect();
            bytes = encode((0..120).map(|_| {
                let bits = random.next();
                Command {
                    opcode: known[random.next() as usize % known.len()],
                    param: bits as u16,
                    payload: (bits >> 16) as u32,
                }
            }));
            let found = extents(generation, &bytes).unwrap();
            assert_eq!(found.get(regions::REGIONS), regions::Extent::default());
        }
        for generation in Generation::ALL {
            let _ = extents(generation, &bytes);
            for line in disassemble(generation, &bytes).flatten() {
                let _ = line.to_string();
            }
        }
        let _ = Payload::parse(&bytes);
    }
}
