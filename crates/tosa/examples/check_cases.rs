//! Runs cases in bulk: `check_cases FOLDER` takes every `NAME.tosa` below it with `NAME.npz` (`in0`, …, `out0`, …)
//! and prints a line for each: `ok`, `differs`, or why it could not be run.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).expect("usage: check_cases FOLDER");
    for tosa in common::files(Path::new(&folder), ".tosa") {
        let file = std::fs::read(&tosa).expect("a readable file");
        let npz = tosa.with_extension("npz");
        let result = tombolo_tosa::read(&file)
            .map_err(|e| e.to_string())
            .and_then(|graph| common::check(&graph, &common::npz(&npz)));
        match result {
            Ok(()) => println!("ok {}", tosa.display()),
            Err(e) => println!("FAILED {}: {e}", tosa.display()),
        }
    }
}
