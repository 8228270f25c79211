//! Any bytes as a TOSA file: read, validated, printed and parsed, written and read, and run with little memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tombolo_tosa::{Limits, Spec, Value, infer_shapes, inputs, parse, print, read, run, validate, write};

fuzz_target!(|file: &[u8]| {
    let Ok(graph) = read(file) else { return };
    let _ = validate(&graph, &Spec::everything());
    let _ = infer_shapes(&mut graph.clone());
    if let Ok(written) = write(&graph) {
        assert!(read(&written).as_ref() == Ok(&graph), "written and read");
    }
    assert!(parse(&print(&graph, false)).as_ref() == Ok(&graph), "printed and parsed");
    let values: Option<Vec<Value>> = inputs(&graph)
        .into_iter()
        .map(|(_, dtype, dims)| {
            let dims = dims?;
            let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 16)?;
            Value::from_ints(dtype, dims, &vec![1; count]).ok()
        })
        .collect();
    if let Some(values) = values {
        let _ = run(&graph, values, &Limits { memory: 1 << 20, work: 2_000_000 });
    }
});
