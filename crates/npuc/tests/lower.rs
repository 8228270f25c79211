//! Lowered programs, and fused ones, compute what the TOSA interpreter does: every element of every output.

#[path = "../../tosa/tests/common/mod.rs"]
mod common;

use common::{Array, files, fixture, npz};
use std::collections::BTreeMap;
use std::path::Path;
use tombolo_ethosu::Generation;
use tombolo_npuc::fuse::fuse;
use tombolo_npuc::ir::{Kind, Program, eval};
use tombolo_npuc::legalize::legalize;
use tombolo_npuc::lower::{Error, lower};
use tombolo_tosa::{Graph, Limits, Value};

/// The inputs that a file of arrays has for a graph.
fn inputs(graph: &Graph<'_>, arrays: &BTreeMap<String, Array>) -> Vec<Value> {
    let value = |(i, (_, dtype, _)): (usize, (&str, _, _))| {
        let array = &arrays[&format!("in{i}")];
        Value::from_ints(dtype, array.dims.clone(), &array.ints).unwrap()
    };
    tombolo_tosa::inputs(graph).into_iter().enumerate().map(value).collect()
}

/// Operations before and after fusion for each generation; `Err` if the graph is refused.
fn compare(name: &str, graph: &Graph<'_>, inputs: Vec<Value>) -> Result<(usize, [usize; 3]), Error> {
    let program = lower(graph)?;
    let given: Vec<Vec<i64>> = inputs.iter().map(Value::ints).collect();
    let expected = tombolo_tosa::run(graph, inputs, &Limits::default());
    let expected: Vec<Vec<i64>> =
        expected.unwrap_or_else(|e| panic!("{name}: {e}")).iter().map(Value::ints).collect();
    let run = |what: &str, program: &Program| {
        let found = eval::run(program, &given).unwrap_or_else(|e| panic!("{name}, {what}: {e}\n{program}"));
        assert!(found == expected, "{name}, {what}: outputs differ\n{program}");
    };
    run("lowered", &program);
    let fused = Generation::ALL.map(|generation| {
        let mut fused = program.clone();
        fuse(&mut fused, generation);
        run(&format!("fused for {generation:?}"), &fused);
        let mut legal = fused.clone();
        match legalize(&mut legal, generation) {
            Ok(()) => run(&format!("legal for {generation:?}"), &legal),
            // Asked for by name where it matters: see `corpus`.
            Err(refused) => assert!(!refused.is_empty() && !name.contains("corpus"), "{name}: {refused:?}"),
        }
        fused.ops.len()
    });
    Ok((program.ops.len(), fused))
}

fn arrays(tosa: &Path) -> Option<BTreeMap<String, Array>> {
    let beside = tosa.with_extension("npz");
    if beside.exists() {
        return Some(npz(&beside));
    }
    let model = tosa.parent()?.file_name()?.to_str()?;
    let target = tosa.file_name()?.to_str()?.trim_end_matches(".0.tosa");
    ["golden", "chain"]
        .iter()
        .map(|kind| fixture(&format!("corpus/{model}/{target}.{kind}.npz")))
        .find(|path| path.exists())
        .map(|path| npz(&path))
}

/// Compares every graph below a folder. Returns how many were, and of how many each refused operator stopped.
fn folder(path: &str) -> (usize, BTreeMap<&'static str, usize>) {
    let (mut compared, mut refused) = (0, BTreeMap::new());
    let (mut before, mut after) = (0, [0; 3]);
    for tosa in files(&fixture(path), ".tosa") {
        let Some(arrays) = arrays(&tosa) else { continue };
        let file = std::fs::read(&tosa).unwrap();
        let graph = tombolo_tosa::read(&file).unwrap();
        if arrays.keys().filter(|k| k.starts_with("in")).count() != tombolo_tosa::inputs(&graph).len() {
            continue;
        }
        let name = tosa.display().to_string();
        match compare(&name, &graph, inputs(&graph, &arrays)) {
            Ok((lowered, fused)) => {
                compared += 1;
                before += lowered;
                after.iter_mut().zip(fused).for_each(|(sum, n)| *sum += n);
            }
            Err(Error::Graph(text)) => {
                *refused.entry("graph").or_insert(0) += 1;
                println!("{}: {text}", tosa.file_name().unwrap().display());
            }
            Err(Error::Refused(all)) => {
                assert!(!all.is_empty());
                all.iter().for_each(|r| *refused.entry(r.name).or_insert(0) += 1);
                if std::env::var_os("TOMBOLO_REFUSALS").is_some() {
                    all.iter().for_each(|r| println!("{name}: {r}"));
                }
            }
        }
    }
    println!("{path}: {compared} graphs, {before} operations, fused {after:?}; refused {refused:?}");
    assert!(after.iter().all(|&n| n <= before));
    (compared, refused)
}

#[test]
fn corpus() {
    let (compared, _) = folder("tosa/corpus");
    assert!(compared >= 65, "{compared}");
}

#[test]
fn conformance() {
    let (compared, _) = folder("tosa/conformance");
    assert!(compared >= 135, "{compared}");
}

fn lowered(text: &str) -> Result<Program, Error> {
    let graph = tombolo_tosa::parse(text).unwrap();
    lower(&graph)
}

#[test]
fn a_refusal_names_operator_and_value() {
    let text = "tosa 1.0.0 region main { block main {
        tensor x: i64[1, 4] tensor w: i8[256] tensor i: i8[1, 4] tensor y: i8[1, 4] tensor z: i64[1, 4]
        inputs x, i, w outputs y, z
        y = TABLE(i, w) @ \"layer 3\"
        z = BITWISE_NOT(x)
    } }";
    let Err(Error::Refused(refusals)) = lowered(text) else { panic!("lowered") };
    let texts: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "operator 0 TABLE (layer 3): the table must be a constant",
            "operator 1 BITWISE_NOT: 'x': elements must be bool, i8, i16 or i32, and are i64"
        ]
    );
}

#[test]
fn an_output_that_is_an_input_gets_its_own_buffer() {
    let text = "tosa 1.0.0 region main { block main {
        tensor x: i8[1, 4] tensor y: i8[1, 4] inputs x outputs y, x
        y = IDENTITY(x)
    } }";
    let program = lowered(text).unwrap();
    assert_eq!(program.ops.len(), 2);
    assert_ne!(program.outputs[0], program.outputs[1]);
    assert_eq!(eval::run(&program, &[vec![1, 2, 3, 4]]).unwrap(), [[1, 2, 3, 4], [1, 2, 3, 4]]);
}

/// Between the addition and its scale are 32 bits: only U85 multiplies those.
#[test]
fn what_fuses_depends_on_the_generation() {
    let text = "tosa 1.0.0 region main { block main {
        tensor a: i32[1, 2, 2, 4] tensor b: i32[1, 2, 2, 4] tensor s: i32[1, 2, 2, 4] tensor y: i8[1, 2, 2, 4]
        tensor m: i32[1] = (1610612736) tensor h: i8[1] = (34) tensor z: i32[1] = (0) tensor o: i8[1] = (3)
        inputs a, b outputs y
        m = CONST() h = CONST() z = CONST() o = CONST()
        s = ADD(a, b)
        y = RESCALE(s, m, h, z, o) {scale32 = true, rounding_mode = single_round, per_channel = false,
            input_unsigned = false, output_unsigned = false}
    } }";
    let program = lowered(text).unwrap();
    let count = |generation| {
        let mut fused = program.clone();
        fuse(&mut fused, generation);
        fused.ops.iter().map(|op| op.kind.name()).collect::<Vec<_>>()
    };
    assert_eq!(count(Generation::U55), ["add", "identity"]);
    assert_eq!(count(Generation::U65), ["add", "identity"]);
    assert_eq!(count(Generation::U85), ["add"]);
    assert!(matches!(program.ops[1].kind, Kind::Identity));
}

/// Sums of 48 bits, of batches and of phases: each writer scales its part, and nothing of them is stored.
#[test]
fn parts_are_scaled_by_who_writes_them() {
    let text = "tosa 1.0.0 region main { block main {
        tensor x: i16[2, 3, 3, 2] tensor w: i8[3, 3, 3, 2] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9,
            1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9)
        tensor b: i48[3] = (1, 2, 3) tensor zx: i16[1] = (0) tensor zw: i8[1] = (0)
        tensor m: i16[3] = (20000, 21000, 22000) tensor h: i8[3] = (17, 18, 19)
        tensor z: i48[1] = (0) tensor o: i16[1] = (0)
        tensor s: i48[2, 7, 7, 3] tensor y: i16[2, 7, 7, 3] inputs x outputs y
        w = CONST() b = CONST() zx = CONST() zw = CONST() m = CONST() h = CONST() z = CONST() o = CONST()
        s = TRANSPOSE_CONV2D(x, w, b, zx, zw) {out_pad = [0, 0, 0, 0], stride = [2, 2], local_bound = false,
            acc_type = i48}
        y = RESCALE(s, m, h, z, o) {scale32 = false, rounding_mode = single_round, per_channel = true,
            input_unsigned = false, output_unsigned = false}
    } }";
    let graph = tombolo_tosa::parse(text).unwrap();
    let ints: Vec<i64> = (0..36).map(|i| i * 331 - 5000).collect();
    let x = Value::from_ints(tombolo_tosa::Dtype::I16, vec![2, 3, 3, 2], &ints).unwrap();
    let (lowered, fused) = compare("phases", &graph, vec![x]).unwrap();
    assert_eq!((lowered, fused), (9, [8; 3]));
}
