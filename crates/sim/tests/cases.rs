//! Cases that `data/make_cases.py` makes: programs compiled by Vela, with what the TOSA reference
//! model computes. A sample is in `data/cases`; `TOMBOLO_SIM_CASES` names a folder with more
//! (a folder for each accelerator).

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{Network, check, npz};
use tombolo_ethosu::Accelerator;
use tombolo_sim::Npu;

fn check_folder(folder: &Path) -> usize {
    let mut passed = 0;
    let mut failures = Vec::new();
    let mut tally: BTreeMap<(&str, String), [usize; 2]> = BTreeMap::new();
    for accelerator in Accelerator::ALL {
        let Ok(entries) = std::fs::read_dir(folder.join(accelerator.short_name())) else {
            continue;
        };
        let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
        files.sort();
        let mut npu = Npu::new(accelerator);
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "npz")) {
            let arrays = npz(file);
            let name = file.file_stem().unwrap().to_string_lossy();
            let group = name.split('-').next().unwrap_or_default().to_owned();
            let counts = tally.entry((accelerator.short_name(), group)).or_default();
            match check(&mut npu, &Network::from_case(&arrays), &arrays) {
                Ok(()) => {
                    passed += 1;
                    counts[0] += 1;
                }
                Err(error) => {
                    counts[1] += 1;
                    failures.push(format!("{accelerator} {name}: {error}"));
                }
            }
        }
    }
    for ((accelerator, group), [good, bad]) in tally {
        println!("{accelerator} {group}: {good} passed, {bad} failed");
    }
    assert!(failures.is_empty(), "{passed} passed, {} failed:\n{}", failures.len(), failures.join("\n"));
    passed
}

#[test]
fn sample() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases"));
    assert!(check_folder(&folder) >= 80);
}

#[test]
fn more() {
    match std::env::var_os("TOMBOLO_SIM_CASES") {
        Some(folder) => println!("{} cases passed", check_folder(Path::new(&folder))),
        None => eprintln!("SKIPPED: more: TOMBOLO_SIM_CASES names no folder"),
    }
}
