//! Any bytes as a weight stream. Bytes 0 and 1 say how many weights are needed.
#![no_main]

use tombolo_sim::weights::stream::Decoder;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[low, high], stream)) = bytes.split_first_chunk() else {
        return;
    };
    let need = usize::from(u16::from_le_bytes([low, high]));
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    match decoder.decode(stream, need, &mut out) {
        Ok(()) => assert_eq!(out.len(), need),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert!(out.len() <= need);
    assert!(out.iter().all(|w| (-255..=255).contains(w)));
});
