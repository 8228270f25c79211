//! Random graphs: lowered, and fused for each generation, they compute what the TOSA interpreter does.
//!
//! `TOMBOLO_GRAPHS` is how many; `TOMBOLO_GRAPH` is the seed of the only one, with its text and its programs.

use tombolo_conformance::graphs::{GraphCase, Options, graph};
use tombolo_ethosu::Generation;
use tombolo_npuc::fuse::fuse;
use tombolo_npuc::ir::{Elem, Op, Program, eval};
use tombolo_npuc::lower::lower;
use tombolo_tosa::Value;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// What differs, in words; else how many operations write sums of 48 bits after fusion, for each generation.
fn compare(case: &GraphCase, show: bool) -> Result<[usize; 3], String> {
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
    let mut wide = [0; 3];
    for (wide, generation) in wide.iter_mut().zip(Generation::ALL) {
        let mut fused = program.clone();
        fuse(&mut fused, generation);
        run(&format!("fused for {generation:?}"), &fused)?;
        let is_wide = |op: &&Op| fused.tensor(op.output.view.tensor).elem == Elem::I48;
        *wide = fused.ops.iter().filter(is_wide).count();
    }
    Ok(wide)
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
    let (mut failures, mut wide) = (Vec::new(), Vec::new());
    for seed in 0..count {
        match compare(&graph(seed, &options), false) {
            Ok(found) if found != [0; 3] => wide.push((seed, found)),
            Ok(_) => {}
            Err(text) => failures.push(format!("seed {seed}: {text}")),
        }
    }
    println!("48 bits would be stored: {wide:?}");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}
