//! Runs cases in bulk: `check_cases FOLDER` takes every `NAME.tosa` below it with `NAME.npz` (`in0`, …, `out0`, …)
//! and prints a line for each: `ok`, or what differs or why it could not be run. `check_cases --refused FOLDER` takes
//! every `NAME.tosa` for one that breaks a rule: `ok` if it is refused when it is read or validated.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let refused = args.first().is_some_and(|a| a == "--refused");
    let folder = args.pop().expect("usage: check_cases [--refused] FOLDER");
    for tosa in common::files(Path::new(&folder), ".tosa") {
        let file = std::fs::read(&tosa).expect("a readable file");
        if refused {
            let errors = tombolo_tosa::read(&file)
                .map(|graph| tombolo_tosa::validate(&graph, &tombolo_tosa::Spec::everything()));
            match errors {
                Ok(errors) if errors.is_empty() => println!("FAILED {}: accepted", tosa.display()),
                Ok(errors) => println!("ok {}: {}", tosa.display(), errors[0]),
                Err(e) => println!("ok {}: {e}", tosa.display()),
            }
            continue;
        }
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
