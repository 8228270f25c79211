//! Broken files: an error or a graph, never a panic, a hang or much memory.

mod common;

use common::{files, fixture};
use tombolo_tosa::{Limits, Spec, Value, inputs, parse, print, read, run, validate, write};

/// A small generator of pseudo-random numbers, so that every run does the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Everything that can be done with a file.
fn use_it(file: &[u8]) -> bool {
    let Ok(graph) = read(file) else { return false };
    let _ = validate(&graph, &Spec::everything());
    let _ = tombolo_tosa::infer_shapes(&mut graph.clone());
    if let Ok(written) = write(&graph) {
        assert_eq!(read(&written).as_ref(), Ok(&graph));
    }
    assert_eq!(parse(&print(&graph, false)).as_ref(), Ok(&graph));
    let limits = Limits { memory: 1 << 20, work: 20_000_000 };
    let values: Option<Vec<Value>> = inputs(&graph)
        .into_iter()
        .map(|(_, dtype, dims)| {
            let dims = dims?;
            let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 16)?;
            Value::from_ints(dtype, dims, &vec![1; count]).ok()
        })
        .collect();
    if let Some(values) = values {
        let _ = run(&graph, values, &limits);
    }
    true
}

#[test]
fn mutated_files() {
    let mut random = Random(0x5eed);
    let mut read_anyway = 0;
    for path in files(&fixture("tosa"), ".tosa") {
        let file = std::fs::read(&path).unwrap();
        if file.len() > 20_000 {
            continue;
        }
        for _ in 0..60 {
            let mut broken = file.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(broken.len());
                match random.below(4) {
                    0 => broken[at] = random.next() as u8,
                    1 => broken[at] ^= 1 << random.below(8),
                    2 => {
                        let end = (at + 4).min(broken.len());
                        let value =
                            [0u32, 1, 0x7fff_ffff, 0xffff_ffff, random.next() as u32][random.below(5)];
                        broken[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                    }
                    _ => broken.truncate(at.max(8)),
                }
            }
            read_anyway += usize::from(use_it(&broken));
        }
    }
    println!("{read_anyway} broken files could be read");
    assert!(read_anyway > 100, "the mutations never get behind the reader");
}

#[test]
fn truncated_at_every_byte() {
    let file = std::fs::read(fixture("tosa/corpus/add/u85-256.0.tosa")).unwrap();
    for length in 0..file.len() {
        use_it(&file[..length]);
    }
}

fn text(body: &str) -> tombolo_tosa::Graph<'static> {
    parse(&format!("tosa 1.0.0 region main {{ block main {{ {body} }} }}")).unwrap()
}

#[test]
fn large_results_are_refused_before_they_are_made() {
    let graph = text(
        "tensor x: i8[1, 1] tensor y: i8[1048576, 1048576] shape m: [2] = (1048576, 1048576)
         inputs x outputs y m = CONST_SHAPE() y = TILE(x, m)",
    );
    let one = Value::from_ints(tombolo_tosa::Dtype::I8, vec![1, 1], &[7]).unwrap();
    let error = run(&graph, vec![one], &Limits::default()).unwrap_err();
    assert_eq!(error.kind, tombolo_tosa::ErrorKind::Budget, "{error}");
    let errors = validate(&graph, &Spec::everything());
    assert!(errors.iter().any(|e| e.kind == tombolo_tosa::ErrorKind::Level), "{errors:?}");
}

#[test]
fn endless_loops_end() {
    let graph = parse(
        "tosa 1.1.0-draft
         region main { block main {
           tensor x: i32[1] tensor y: i32[1] inputs x outputs y
           y = WHILE_LOOP(x) {cond_graph = yes, body_graph = body}
         } }
         region yes { block yes { tensor x: i32[1] tensor t: bool[1] = (1) inputs x outputs t t = CONST() } }
         region body { block body { tensor x: i32[1] inputs x outputs x } }",
    )
    .unwrap();
    assert!(validate(&graph, &Spec::everything()).is_empty());
    let one = || vec![Value::from_ints(tombolo_tosa::Dtype::I32, vec![1], &[7]).unwrap()];
    let error = run(&graph, one(), &Limits { work: 10_000_000, ..Limits::default() }).unwrap_err();
    assert_eq!(error.kind, tombolo_tosa::ErrorKind::Budget, "{error}");
    // A region that runs itself.
    let graph = parse(
        "tosa 1.1.0-draft
         region main { block main {
           tensor x: i32[1] tensor c: bool[1] = (1) tensor y: i32[1] inputs x outputs y
           c = CONST()
           y = COND_IF(c, x) {then_graph = main, else_graph = main}
         } }",
    )
    .unwrap();
    assert!(validate(&graph, &Spec::everything()).iter().any(|e| e.to_string().contains("circle")));
    let error = run(&graph, one(), &Limits::default()).unwrap_err();
    assert_eq!(error.kind, tombolo_tosa::ErrorKind::Budget, "{error}");
}

#[test]
fn errors_name_operator_tensor_and_rule() {
    let graph = text(
        "tensor x: i8[1, 4, 4, 2] tensor w: i8[3, 3, 3, 5] tensor b: i32[3] tensor z: i8[1] = (0)
         tensor y: i32[1, 4, 4, 3]
         inputs x, w, b outputs y
         z = CONST()
         y = CONV2D(x, w, b, z, z) {pad = [1, 1, 1, 1], stride = [1, 1], dilation = [1, 1], local_bound = false, acc_type = i32} @ \"model.conv\"",
    );
    let errors = validate(&graph, &Spec::everything());
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(
        errors[0].to_string(),
        "invalid: operator 1 CONV2D (model.conv) in 'main': the input has 2 channels and the filters 5; they must \
         have the same"
    );
    let spec = Spec::parse("TOSA-1.0+INT").unwrap();
    let graph =
        text("tensor x: i16[1, 2] tensor y: i16[1, 4] inputs x outputs y y = CONCAT(x, x) {axis = 1}");
    assert_eq!(
        validate(&graph, &spec)[0].to_string(),
        "beyond the target: operator 0 CONCAT in 'main': with these types and attributes it needs int16, which the \
         target has not"
    );
    let graph = text("tensor x: i32[1, 2] tensor y: i32[1, 3] inputs x outputs y y = ADD(x, x)");
    assert_eq!(
        validate(&graph, &spec)[0].to_string(),
        "invalid: operator 0 ADD in 'main': output output ('y', i32[1, 3]): must have the shape [1, 2]"
    );
}
