//! Random graphs: lowered, and fused for each generation, they compute what the TOSA interpreter does.
//!
//! `TOMBOLO_GRAPHS` is how many; `TOMBOLO_GRAPH` is the seed of the only one, with its text and its programs.

use tombolo_conformance::graphs::{GraphCase, Options, graph};
use tombolo_ethosu::Generation;
use tombolo_npuc::fuse::fuse;
use tombolo_npuc::ir::{Program, eval};
use tombolo_npuc::lower::lower;
use tombolo_tosa::Value;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// What differs, in words.
fn compare(case: &GraphCase, show: bool) -> Result<(), String> {
    let program = lower(&case.graph).map_err(|e| format!("refused: {e}"))?;
    let given: Vec<Vec<i64>> = case.inputs.iter().map(Value::ints).collect();
    let expected: Vec<Vec<i64>> = case.outputs.iter().map(Value::ints).collect();
    let run = |what: &str, program: &Program| {
        if show {
            println!("{what}:\n{program}");
        }
        let found = eval::run(program, &given).map_err(|e| format!("{what}: {e}"))?;
        let wrong = found.iter().zip(&expected).position(|(a, b)| a != b);
        match wrong {
            None if found.len() == expected.len() => Ok(()),
            _ => Err(format!("{what}: output {wrong:?} differs")),
        }
    };
    run("lowered", &program)?;
    for generation in Generation::ALL {
        let mut fused = program.clone();
        fuse(&mut fused, generation);
        run(&format!("fused for {generation:?}"), &fused)?;
    }
    Ok(())
}

#[test]
fn random_graphs() {
    let options = Options::default();
    if let Some(seed) = number("TOMBOLO_GRAPH") {
        let case = graph(seed, &options);
        println!("{}", tombolo_tosa::print(&case.graph, true));
        compare(&case, true).unwrap();
        return;
    }
    let count = number("TOMBOLO_GRAPHS").unwrap_or(400);
    let mut failures = Vec::new();
    for seed in 0..count {
        if let Err(text) = compare(&graph(seed, &options), false) {
            failures.push(format!("seed {seed}: {text}"));
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}
