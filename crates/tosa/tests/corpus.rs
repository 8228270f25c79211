//! Real programs: the interpreter computes what the TOSA reference model did, bit for bit.

mod common;

use common::{check, files, fixture, npz};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where the expected outputs of `corpus/MODEL/TARGET.0.tosa` are.
fn goldens(tosa: &Path) -> Vec<PathBuf> {
    let model = tosa.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    let file = tosa.file_name().unwrap().to_str().unwrap();
    let target = file.trim_end_matches(".tosa").trim_end_matches(".0");
    ["golden", "chain"]
        .iter()
        .map(|kind| fixture(&format!("corpus/{model}/{target}.{kind}.npz")))
        .filter(|p| p.exists())
        .collect()
}

#[test]
fn corpus_is_bit_exact() {
    let (mut graphs, mut runs) = (0, 0);
    let mut without = Vec::new();
    for tosa in files(&fixture("tosa/corpus"), ".tosa") {
        let file = std::fs::read(&tosa).unwrap();
        let graph = tombolo_tosa::read(&file).unwrap_or_else(|e| panic!("{}: {e}", tosa.display()));
        graphs += 1;
        let goldens = goldens(&tosa);
        if goldens.is_empty() {
            without.push(tosa.clone());
        }
        for golden in goldens {
            let arrays = npz(&golden);
            check(&graph, &arrays).unwrap_or_else(|e| panic!("{}: {e}", golden.display()));
            runs += 1;
        }
    }
    println!("{graphs} graphs, {runs} runs; without expected outputs: {without:?}");
    assert!(graphs >= 60 && runs >= 60, "{graphs} graphs, {runs} runs");
}

#[test]
fn mobilenet_v2_is_bit_exact() {
    let folder = fixture("../../shared/corpus/mv2");
    if !folder.exists() {
        println!("SKIPPED: MobileNetV2 is not at {}", folder.display());
        return;
    }
    for target in ["u65-256", "u85-256"] {
        let file = std::fs::read(folder.join(format!("{target}.0.tosa"))).unwrap();
        let arrays = npz(&folder.join(format!("{target}.golden.npz")));
        let start = Instant::now();
        let graph = tombolo_tosa::read(&file).unwrap();
        check(&graph, &arrays).unwrap_or_else(|e| panic!("{target}: {e}"));
        println!("{target}: {:?}", start.elapsed());
    }
}
