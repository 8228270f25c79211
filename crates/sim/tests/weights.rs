//! The weight decoder against Vela's encoder: `data/mlw.bin`, made by `data/make_weights.py`.

use tombolo_sim::weights::stream::Decoder;

fn cases() -> Vec<(Vec<i16>, &'static [u8])> {
    let mut rest: &[u8] = include_bytes!("data/mlw.bin");
    let mut cases = Vec::new();
    while let Some((&[a, b, c, d, e, f, g, h], tail)) = rest.split_first_chunk() {
        let weights = u32::from_le_bytes([a, b, c, d]) as usize * 2;
        let bytes = u32::from_le_bytes([e, f, g, h]) as usize;
        let (values, tail) = tail.split_at(weights);
        let (stream, tail) = tail.split_at(bytes);
        let values = values.chunks_exact(2).map(|b| i16::from_le_bytes(b.try_into().unwrap())).collect();
        cases.push((values, stream));
        rest = tail;
    }
    cases
}

#[test]
fn decodes_what_vela_encodes() {
    let cases = cases();
    assert!(cases.len() > 40);
    let mut decoder = Decoder::new();
    for (i, (weights, stream)) in cases.iter().enumerate() {
        // What was decoded before stays where it is.
        let mut out = vec![99];
        decoder.decode(stream, weights.len(), &mut out).unwrap_or_else(|e| panic!("case {i}: {e}"));
        assert_eq!(out.split_first().unwrap(), (&99, weights.as_slice()), "case {i}");
        assert!(decoder.decode(stream, weights.len() + 1, &mut Vec::new()).is_err());
        assert!(decoder.decode(stream, weights.len() - 1, &mut Vec::new()).is_err());
    }
}

/// Streams follow each other; each begins anew.
#[test]
fn streams_can_be_joined() {
    let cases = cases();
    let mut joined = Vec::new();
    let mut expected = Vec::new();
    for (weights, stream) in cases.iter().take(12) {
        joined.extend_from_slice(stream);
        expected.extend_from_slice(weights);
    }
    let mut out = Vec::new();
    Decoder::new().decode(&joined, expected.len(), &mut out).unwrap();
    assert_eq!(out, expected);
}

#[test]
fn damaged_streams_end_with_an_error_or_right_sized() {
    let mut seed = 7u32;
    let mut random = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize
    };
    let cases = cases();
    let mut decoder = Decoder::new();
    let mut out = Vec::new();
    for round in 0..20_000 {
        let (weights, stream) = &cases[random() % cases.len()];
        let mut stream = stream[..stream.len().min(400)].to_vec();
        for _ in 0..=random() % 4 {
            let at = random() % stream.len();
            stream[at] ^= 1 << (random() % 8);
        }
        let need = weights.len().min(1 << (round % 14));
        out.clear();
        if decoder.decode(&stream, need, &mut out).is_ok() {
            assert_eq!(out.len(), need);
        }
        assert!(out.len() <= need);
        assert!(out.iter().all(|w| (-255..=255).contains(w)));
    }
}
