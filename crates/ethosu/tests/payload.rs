//! `COP1` and `COP2`: what Vela wrote, and what nobody should.

mod common;

use tombolo_ethosu::payload::{Payload, PayloadError, PayloadFormat};
use tombolo_ethosu::regions::extents;
use tombolo_ethosu::{Accelerator, Generation, cmd};

/// The `cmd_data` block of a program in the corpus: name and length stand in the 32 bytes before.
fn cmd_data(variant: &str) -> Vec<u8> {
    let path = common::fixtures().join(format!("corpus/variants/{variant}.pte"));
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = b"cmd_data\0\0\0\0\0\0\0\0";
    let at = bytes.windows(16).position(|w| w == name).expect("a cmd_data block");
    let size = u32::from_le_bytes(bytes[at + 16..at + 20].try_into().unwrap()) as usize;
    bytes[at + 32..at + 32 + size].to_vec()
}

#[test]
fn every_variant_names_its_accelerator() {
    for (variant, accelerator) in [
        ("t_u55-32", Accelerator::U55_32),
        ("t_u55-64", Accelerator::U55_64),
        ("bundled", Accelerator::U55_128),
        ("u65_512_shared", Accelerator::U65_512),
        ("t_u85-128", Accelerator::U85_128),
        ("w4_u85", Accelerator::U85_256),
        ("t_u85-2048", Accelerator::U85_2048),
    ] {
        let data = cmd_data(variant);
        let payload = Payload::parse(&data).unwrap();
        assert_eq!(payload.format, PayloadFormat::Cop1, "{variant}");
        assert_eq!(payload.accelerator(), Some(accelerator), "{variant}");
        assert_eq!(payload.config, accelerator.config_word(), "{variant}");
        assert_eq!(payload.id, accelerator.id_word(), "{variant}");
        assert_eq!(payload.stream_offset % 16, 0, "{variant}");
        assert_eq!(Accelerator::from_config_word(payload.config), Some(accelerator));
    }
}

#[test]
fn cop2_with_direct_io() {
    let data = cmd_data("cop2_direct_drive_u85");
    let payload = Payload::parse(&data).unwrap();
    assert_eq!(payload.format, PayloadFormat::Cop2);
    assert_eq!(payload.accelerator(), Some(Accelerator::U85_256));
    assert_eq!(payload.id, Accelerator::U85_256.id_word());
    assert_eq!((payload.stream_offset, payload.staging), (64, Some(2304)));
    assert!(cmd::decode(Generation::U85, payload.stream).all(|c| c.is_ok()));
    let found = extents(Generation::U85, payload.stream).unwrap();
    // Input 1x8x12x12 in region 3, output 1x16x12x12 in region 4.
    assert_eq!((found.get(3).end, found.get(3).read, found.get(3).written), (1152, true, false));
    assert_eq!((found.get(4).end, found.get(4).read, found.get(4).written), (2304, false, true));
}

/// Every cut of a good payload is refused, and every flip of a bit is survived.
#[test]
fn damaged_payloads() {
    for variant in ["t_u55-32", "cop2_direct_drive_u85"] {
        let data = cmd_data(variant);
        for length in 0..data.len() {
            assert!(Payload::parse(&data[..length]).is_err(), "{variant} cut at {length}");
        }
        for bit in 0..(80 * 8) {
            let mut damaged = data.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = Payload::parse(&damaged);
        }
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

const COP1: u32 = 0x3150_4f43;

#[test]
fn what_is_wrong_is_told() {
    let error = |bytes: &[u8]| Payload::parse(bytes).unwrap_err();
    assert_eq!(error(&[]), PayloadError::NotAPayload { word: 0 });
    assert_eq!(error(b"ELF!...."), PayloadError::NotAPayload { word: 0x2146_4c45 });
    let configuration = [0x0010_0001, 0x1807, 0x1006_6001];
    let stop = [0x0001_0002, 0xffff_0000];
    let payload = |parts: &[&[u32]]| words(&[&[COP1][..], &parts.concat()].concat());
    let good = payload(&[&configuration, &[5, 5, 5], &stop]);
    assert!(Payload::parse(&good).is_ok());
    assert!(Payload::parse(&[good.clone(), vec![0; 7]].concat()).is_ok(), "padding");
    assert_eq!(
        error(&payload(&[&configuration, &[7]])),
        PayloadError::UnknownAction { position: 16, word: 7 }
    );
    assert_eq!(
        error(&payload(&[&[0x0030_0001, 0, 0], &stop])),
        PayloadError::UnknownVersion { position: 4, word: 0x0030_0001 }
    );
    assert_eq!(error(&payload(&[&stop])), PayloadError::Configuration { position: 12 });
    assert_eq!(
        error(&payload(&[&configuration, &configuration, &stop])),
        PayloadError::Configuration { position: 16 }
    );
    assert_eq!(error(&payload(&[&configuration])), PayloadError::Stream { position: 16 });
    assert_eq!(error(&payload(&[&configuration, &stop, &stop])), PayloadError::Stream { position: 24 });
    assert_eq!(
        error(&payload(&[&configuration, &[2]])),
        PayloadError::StreamLength { position: 20, length: 0 }
    );
    // 16 Mi words, of which none is there
    assert_eq!(error(&payload(&[&configuration, &[0xffff_ff02]])), PayloadError::Truncated { position: 16 });
    assert_eq!(
        error(b"ELF!").to_string(),
        "Ethos-U payload: starts with 0x21464c45 instead of COP1 or COP2; is this the cmd_data block that Vela wrote?"
    );
}
