//! The eleven configurations.

use tombolo_ethosu::{Accelerator, Generation};

#[test]
fn names() {
    for accelerator in Accelerator::ALL {
        assert_eq!(Accelerator::from_name(accelerator.name()), Some(accelerator));
        assert_eq!(Accelerator::from_name(accelerator.short_name()), Some(accelerator));
        assert_eq!(accelerator.name().parse(), Ok(accelerator));
        // The number in the name is that of all MACs.
        let number: u32 = accelerator.name().rsplit('-').next().unwrap().parse().unwrap();
        assert_eq!(accelerator.macs(), number);
        assert!(accelerator.name().starts_with(&accelerator.generation().name().to_lowercase()));
        assert_eq!(accelerator.to_string(), accelerator.name());
    }
    assert_eq!(Accelerator::from_name("Ethos-U55-128"), Some(Accelerator::U55_128));
    for unknown in ["", "u55", "ethos-u65-128", "ethos-u99-1", "u55-1288"] {
        assert_eq!(Accelerator::from_name(unknown), None, "{unknown}");
    }
    assert_eq!(
        "x".parse::<Accelerator>().unwrap_err().to_string(),
        "unknown accelerator; known are ethos-u55-32, ethos-u55-64, ethos-u55-128, ethos-u55-256, ethos-u65-256, ethos-u65-512, ethos-u85-128, ethos-u85-256, ethos-u85-512, ethos-u85-1024, ethos-u85-2048"
    );
}

/// Configuration word, architecture word and place of look-up table 0 in streams that Vela 5.2.0
/// compiled for each.
#[test]
fn words_of_vela() {
    for (accelerator, config, id, lut) in [
        (Accelerator::U55_32, 0x0000_1005, 0x1006_6001, 14 << 10),
        (Accelerator::U55_64, 0x0000_1006, 0x1006_6001, 14 << 10),
        (Accelerator::U55_128, 0x0000_1807, 0x1006_6001, 22 << 10),
        (Accelerator::U55_256, 0x0000_3008, 0x1006_6001, 46 << 10),
        (Accelerator::U65_256, 0x1000_3008, 0x1006_6001, 46 << 10),
        (Accelerator::U65_512, 0x1000_6009, 0x1006_6001, 46 << 10),
        (Accelerator::U85_128, 0x2000_0117, 0x2000_7000, 0),
        (Accelerator::U85_256, 0x2000_0118, 0x2000_7000, 0),
        (Accelerator::U85_512, 0x2000_1119, 0x2000_7000, 0),
        (Accelerator::U85_1024, 0x2000_251a, 0x2000_7000, 0),
        (Accelerator::U85_2048, 0x2000_261b, 0x2000_7000, 0),
    ] {
        assert_eq!(
            (accelerator.config_word(), accelerator.id_word(), accelerator.lut_base()),
            (config, id, lut),
            "{accelerator}"
        );
    }
}

#[test]
fn config_words() {
    for accelerator in Accelerator::ALL {
        let word = accelerator.config_word();
        assert_eq!(Accelerator::from_config_word(word), Some(accelerator));
        // What else the word says does not matter.
        assert_eq!(Accelerator::from_config_word(word ^ 0x0fff_fff0), Some(accelerator));
    }
    assert_eq!(Accelerator::from_config_word(0x3000_0008), None);
    assert_eq!(Accelerator::from_config_word(0x0000_0009), None);
    assert_eq!(Accelerator::from_config_word(0x1000_0007), None);
}

/// The memories agree with the numbers they must give: microblocks use the MACs (8 input channels
/// of 8 bits at once on U55 and U65), tables fit.
#[test]
fn parts_agree() {
    for accelerator in Accelerator::ALL {
        let spec = accelerator.spec();
        for ublock in spec.ublocks {
            let elements = u32::from(ublock.height) * u32::from(ublock.width) * u32::from(ublock.depth);
            let per_element = spec.macs_per_core / elements;
            let expected = if spec.generation == Generation::U85 { 4..=8 } else { 8..=8 };
            assert!(expected.contains(&per_element), "{accelerator} {ublock:?} {per_element}");
        }
        match spec.rams {
            Some(rams) => {
                assert_eq!(accelerator.shram_kib(), 0);
                assert_eq!((rams.lut, accelerator.lut_base()), (accelerator.lut_bytes(), 0));
            }
            None => {
                let end = accelerator.lut_base() + accelerator.lut_bytes();
                assert_eq!(end, spec.shram_kib_per_core * 1024, "{accelerator}");
            }
        }
    }
}
