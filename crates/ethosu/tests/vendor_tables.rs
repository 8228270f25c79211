//! Every row of the tables against what Arm's headers say (`fixtures/ethosu`).

mod common;

use std::collections::{BTreeMap, BTreeSet};

use tombolo_ethosu::cmd::{Kind, Opcode};
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::regs::Register;
use tombolo_ethosu::{Field, Format, Generation, enums};

fn lines(kind: &str, generation: Generation) -> Vec<String> {
    let suffix = generation.name().trim_start_matches("Ethos-").to_lowercase();
    let path = common::fixtures().join(format!("ethosu/{kind}_{suffix}.txt"));
    std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .lines()
        .filter(|l| !l.starts_with('#') && !l.trim().is_empty())
        .map(str::to_owned)
        .collect()
}

/// `NAME = 3, OTHER = 4,` by name of the enumeration.
fn vendor_enums(generation: Generation) -> BTreeMap<String, BTreeMap<String, u32>> {
    lines("enums", generation)
        .iter()
        .filter_map(|line| {
            let (name, values) = line.split_once(": ")?;
            let values = values
                .split(',')
                .filter_map(|v| {
                    let (name, value) = v.trim().split_once(" = ")?;
                    Some((name.to_owned(), value.parse().unwrap()))
                })
                .collect::<BTreeMap<_, _>>();
            (!values.is_empty()).then(|| (name.to_owned(), values))
        })
        .collect()
}

/// `[22:16]` or `[3]` to high and low bit.
fn bits(text: &str) -> (u8, u8) {
    let text = text.trim_matches(['[', ']']);
    let (hi, lo) = text.split_once(':').unwrap_or((text, text));
    (hi.parse().unwrap(), lo.parse().unwrap())
}

#[test]
fn commands() {
    for generation in Generation::ALL {
        let vendor_enums = vendor_enums(generation);
        // The headers name the codes of the two step commands without `_STEP`.
        let code_of = |set: &str, name: &str| {
            let key = name.strip_suffix("_STEP").unwrap_or(name).to_uppercase();
            vendor_enums[set].get(&key).copied()
        };
        let mut seen = BTreeSet::new();
        for line in lines("cmds", generation) {
            let (head, fields) = line.split_once(" ::").unwrap();
            let (name, size) = head.split_once(" bits=").unwrap();
            let name = name.to_uppercase();
            let opcode = *Opcode::ALL
                .iter()
                .find(|o| {
                    let (prefix, rest) = o.mnemonic();
                    format!("{prefix}{rest}") == name && o.generations().contains(generation)
                })
                .unwrap_or_else(|| panic!("{generation}: no row for {name}"));
            assert!(seen.insert(opcode), "{name}");
            let two_words = size == "64";
            assert_eq!(opcode.kind().has_payload(), two_words, "{generation} {name}");
            let set = if two_words { "cmd1_opcode" } else { "cmd0_opcode" };
            assert_eq!(code_of(set, &name), Some(u32::from(opcode.code())), "{generation} {name}");
            assert_eq!(Opcode::from_code(generation, two_words, opcode.code()), Some(opcode));

            let want: BTreeSet<(String, u8, u8)> = fields
                .split(';')
                .filter(|f| !f.trim().is_empty())
                .map(|field| {
                    let (place, name) = field.trim().split_once(' ').unwrap();
                    let (word, range) = place.split_at(2);
                    let (hi, lo) = bits(range);
                    let shift = if word == "w1" { 32 } else { 0 };
                    // The U55 header calls the one word of its addresses `addr`.
                    let name = if name == "addr" { "addr_lo" } else { name };
                    (name.to_owned(), hi + shift, lo + shift)
                })
                .collect();
            let have: BTreeSet<(String, u8, u8)> =
                opcode.fields_of(generation).map(|f| (f.name.to_owned(), f.hi, f.lo)).collect();
            assert_eq!(have, want, "{generation} {name}");
        }
        let ours: BTreeSet<Opcode> =
            Opcode::ALL.iter().copied().filter(|o| o.generations().contains(generation)).collect();
        assert_eq!(ours, seen, "{generation}: rows that the header lacks");
        let codes = vendor_enums["cmd0_opcode"].len() + vendor_enums["cmd1_opcode"].len();
        assert_eq!(seen.len(), codes, "{generation}");
    }
}

#[test]
fn opcodes_are_unique_in_a_generation() {
    for generation in Generation::ALL {
        let mut codes = BTreeSet::new();
        for opcode in Opcode::ALL.iter().filter(|o| o.generations().contains(generation)) {
            assert!(codes.insert((opcode.kind().has_payload(), opcode.code())), "{opcode:?}");
            assert_eq!(opcode.is_op(), matches!(opcode.kind(), Kind::Op0 | Kind::Op1));
        }
    }
}

#[test]
fn enumerations() {
    for generation in Generation::ALL {
        let mut vendor = vendor_enums(generation);
        for other in ["cmd0_opcode", "cmd1_opcode", "cmd_ctrl", "pmu_event"] {
            vendor.remove(other);
        }
        let mut ours: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        for def in enums::ALL {
            for variant in def.variants {
                if variant.generations.contains(generation) {
                    let old = ours
                        .entry(def.vendor_name.to_owned())
                        .or_default()
                        .insert(variant.name.to_owned(), variant.value);
                    assert_eq!(old, None, "{} {}", def.name, variant.name);
                }
            }
        }
        assert_eq!(ours, vendor, "{generation}");
    }
}

/// Every value of an enumeration that a field refers to fits the field, on each generation that
/// has the field.
#[test]
fn enumerations_fit_their_fields() {
    let check = |owner: &str, field: &Field| {
        if let Format::Enum(def) = field.format {
            for generation in Generation::ALL.into_iter().filter(|g| field.generations.contains(*g)) {
                let values: Vec<u32> = def
                    .variants
                    .iter()
                    .filter(|v| v.generations.contains(generation))
                    .map(|v| v.value)
                    .collect();
                assert!(!values.is_empty(), "{generation} {owner}.{}: {}", field.name, def.name);
                assert!(
                    values.iter().all(|v| u64::from(*v) < 1 << field.width()),
                    "{generation} {owner}.{}: {}",
                    field.name,
                    def.name
                );
            }
        }
    };
    for opcode in Opcode::ALL {
        opcode.fields().iter().for_each(|f| check(opcode.name(), f));
    }
    for register in Register::ALL {
        register.fields().iter().for_each(|f| check(register.name(), f));
    }
}

#[test]
fn fields_do_not_overlap() {
    for generation in Generation::ALL {
        for opcode in Opcode::ALL {
            let mut bits = 0u64;
            for field in opcode.fields_of(generation) {
                assert_eq!(bits & field.mask(), 0, "{generation} {opcode:?} {}", field.name);
                bits |= field.mask();
            }
        }
        for register in Register::ALL {
            let mut bits = 0u64;
            for field in register.fields_of(generation) {
                assert_eq!(bits & field.mask(), 0, "{generation} {register:?} {}", field.name);
                bits |= field.mask();
            }
        }
    }
}

#[test]
fn events() {
    for generation in Generation::ALL {
        let vendor = vendor_enums(generation)["pmu_event"].clone();
        let ours: BTreeMap<String, u32> =
            Event::of(generation).map(|e| (e.name().to_owned(), e.id())).collect();
        assert_eq!(ours, vendor, "{generation}");
        for event in Event::of(generation) {
            assert_eq!(Event::from_id(generation, event.id()), Some(event));
            assert_eq!(Event::from_name(generation, &event.name().to_lowercase()), Some(event));
        }
    }
}

#[test]
fn registers() {
    for generation in Generation::ALL {
        let mut seen = BTreeSet::new();
        let mut mirrors = BTreeSet::new();
        let rows = lines("regs", generation);
        for line in &rows {
            let (offset, rest) = line.split_once(' ').unwrap();
            let offset = u32::from_str_radix(offset.trim_start_matches("0x"), 16).unwrap();
            let (name, fields) = rest.split_once(": ").unwrap_or((rest, ""));
            if name.ends_with("_ARRLEN") {
                continue;
            }
            if (0x800..0xc00).contains(&offset) {
                mirror(generation, offset, name, &mut mirrors);
                continue;
            }
            let length = name.strip_suffix("_BASE").and_then(|base| {
                let length = format!(" {base}_ARRLEN");
                let row = rows.iter().find(|r| r.ends_with(&length))?;
                let count = u32::from_str_radix(&row[2..6], 16).unwrap();
                Some((base, count))
            });
            let (name, count) = length.unwrap_or((name, 1));
            let register = *Register::ALL
                .iter()
                .find(|r| r.name() == name && r.offset(generation).is_some())
                .unwrap_or_else(|| panic!("{generation}: no row for {name}"));
            assert!(seen.insert(register));
            assert_eq!(register.offset(generation), Some(offset), "{generation} {name}");
            assert_eq!(register.count(generation), count, "{generation} {name}");
            for index in [0, count - 1] {
                let at = register.offset_of(generation, index).unwrap();
                assert_eq!(Register::from_offset(generation, at), Some((register, index)));
            }
            assert_eq!(register.offset_of(generation, count), None);

            let want: BTreeSet<(String, u8, u8)> = fields
                .split(", ")
                .filter(|f| !f.is_empty())
                .map(|f| {
                    let (name, range) = f.split_at(f.find('[').unwrap());
                    let (hi, lo) = bits(range);
                    (name.to_owned(), hi, lo)
                })
                .collect();
            // The row has one field for the bits of all event counters.
            let have: BTreeSet<(String, u8, u8)> = register
                .fields_of(generation)
                .flat_map(|f| {
                    let counters = f.name.strip_prefix("EVENT_CNT").filter(|_| f.lo == 0);
                    let bits = match counters {
                        Some(_) => f.lo..=f.hi,
                        None => f.lo..=f.lo,
                    };
                    bits.map(move |bit| match counters {
                        Some(rest) => (format!("EVENT_CNT_{bit}{rest}"), bit, bit),
                        None => (f.name.to_owned(), f.hi, f.lo),
                    })
                })
                .collect();
            assert_eq!(have, want, "{generation} {name}");
        }
        let ours: BTreeSet<Register> =
            Register::ALL.iter().copied().filter(|r| r.offset(generation).is_some()).collect();
        assert_eq!(ours, seen, "{generation}: rows that the header lacks");
        let sets: BTreeSet<Opcode> = Opcode::ALL
            .iter()
            .copied()
            .filter(|o| o.generations().contains(generation) && o.mirror_offset().is_some())
            .collect();
        assert_eq!(mirrors, sets, "{generation}");
    }
}

/// A register between 0x800 and 0xbff stands where its command says.
fn mirror(generation: Generation, offset: u32, name: &str, seen: &mut BTreeSet<Opcode>) {
    if name.ends_with("_HI") || name.ends_with("_SHIFT") {
        return;
    }
    let name = if name == "USER_DEFINED_BASE" { "USER_DEFINED0" } else { name };
    let opcode = *Opcode::ALL
        .iter()
        .find(|o| o.name() == name && o.generations().contains(generation))
        .unwrap_or_else(|| panic!("{generation}: {name} mirrors no command"));
    assert_eq!(opcode.mirror_offset(), Some(offset), "{generation} {name}");
    seen.insert(opcode);
    if name == "USER_DEFINED0" {
        // The header has these eight as a row.
        for other in Opcode::ALL.iter().filter(|o| o.name().starts_with("USER_DEFINED")) {
            let at = u32::from(other.code() - opcode.code()) * 8 + offset;
            assert_eq!(other.mirror_offset(), Some(at));
            seen.insert(*other);
        }
    }
}
