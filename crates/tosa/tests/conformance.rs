//! A sample of the conformance cases that tosa-tools generate, with the reference model's outputs; see
//! `xtask/peers/tosa_conformance.py`. docs/tosa.md tells how many of all cases pass.

mod common;

use common::{check, files, fixture, npz};
use std::collections::BTreeSet;

#[test]
fn sample_is_bit_exact() {
    let folder = fixture("tosa/conformance");
    let mut operators = BTreeSet::new();
    let cases = files(&folder, ".tosa");
    for tosa in &cases {
        let file = std::fs::read(tosa).unwrap();
        let graph = tombolo_tosa::read(&file).unwrap_or_else(|e| panic!("{}: {e}", tosa.display()));
        let arrays = npz(&tosa.with_extension("npz"));
        check(&graph, &arrays).unwrap_or_else(|e| panic!("{}: {e}", tosa.display()));
        operators.extend(
            graph.regions.iter().flat_map(|r| &r.blocks).flat_map(|b| &b.operators).map(|o| o.op.name()),
        );
    }
    println!("{} cases of {} operators", cases.len(), operators.len());
    assert!(cases.len() >= 150 && operators.len() >= 70, "{} cases, {operators:?}", cases.len());
}
