//! Broken graphs: an error, a refusal or a program that computes what the interpreter does; never a panic, a hang
//! or much memory.
//!
//! `TOMBOLO_BROKEN` is how many rounds there are.

#[path = "../../tosa/tests/common/mod.rs"]
mod common;

use common::{files, fixture};
use tombolo_conformance::graphs::{Options, graph};
use tombolo_ethosu::Generation;
use tombolo_npuc::fuse::fuse;
use tombolo_npuc::ir::eval;
use tombolo_npuc::lower::{Error, lower};
use tombolo_tosa::{Block, Dtype, Graph, Limits, TensorId, Value, inputs, parse, print, read, run};

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

/// What became of a graph: refused, lowered, or lowered and computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Refused,
    Lowered,
    Computed,
}

fn use_it(graph: &Graph<'_>) -> Fate {
    let Ok(program) = lower(graph) else { return Fate::Refused };
    let fused = Generation::ALL.map(|generation| {
        let mut fused = program.clone();
        fuse(&mut fused, generation);
        fused.verify().unwrap_or_else(|e| panic!("{e}\n{}\n{program}\n{fused}", print(graph, true)));
        fused
    });
    let value = |(_, dtype, dims): (&str, Dtype, Option<Vec<usize>>)| {
        let dims = dims?;
        let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 14)?;
        let ints: Vec<i64> = (0..count as i64).map(|i| i * 7 % 2).collect();
        Value::from_ints(dtype, dims, &ints).ok()
    };
    let given: Option<Vec<Value>> = inputs(graph).into_iter().map(value).collect();
    let Some(given) = given else { return Fate::Lowered };
    let ints: Vec<Vec<i64>> = given.iter().map(Value::ints).collect();
    let limits = Limits { memory: 1 << 20, work: 2_000_000 };
    let Ok(expected) = run(graph, given, &limits) else { return Fate::Lowered };
    let expected: Vec<Vec<i64>> = expected.iter().map(Value::ints).collect();
    for program in [&program].into_iter().chain(&fused) {
        // MUL drops the upper bits where a program has an error.
        match eval::run(program, &ints) {
            Ok(found) => assert!(found == expected, "{}\n{program}", print(graph, false)),
            Err(text) => assert!(text.contains("leaves"), "{text}\n{}\n{program}", print(graph, false)),
        }
    }
    Fate::Computed
}

fn damage_block(block: &mut Block<'_>, random: &mut Random) {
    let tensors = block.tensors.len();
    let some = random.below(tensors);
    let operator = random.below(block.operators.len());
    match random.below(8) {
        0 | 1 => {
            let Some(shape) = &mut block.tensors[some].shape else { return };
            let sizes = [0, 1, 2, 3, -1, 7, 255, 65_536, 1 << 20, i32::MAX, i32::MIN];
            let at = random.below(shape.len());
            let size = sizes[random.below(sizes.len())];
            match shape.get_mut(at) {
                Some(d) if random.below(3) > 0 => *d = d.wrapping_add(random.below(5) as i32 - 2),
                Some(d) => *d = size,
                None => shape.push(size),
            }
        }
        2 => {
            let dtypes = [Dtype::Bool, Dtype::I4, Dtype::I8, Dtype::I16, Dtype::I32, Dtype::I48, Dtype::F32];
            block.tensors[some].dtype = dtypes[random.below(dtypes.len())];
        }
        3 => {
            let Some(operation) = block.operators.get_mut(operator) else { return };
            let count = operation.inputs.len();
            // One past the end, sometimes.
            let beyond = usize::from(random.below(9) == 0);
            let id = TensorId(random.below(tensors + beyond) as u32);
            if let Some(input) = operation.inputs.get_mut(random.below(count)) {
                *input = id;
            }
        }
        4 => {
            let Some(operation) = block.operators.get_mut(operator) else { return };
            match random.below(3) {
                0 => drop(operation.inputs.pop()),
                1 => operation.outputs.push(TensorId(some as u32)),
                _ => operation.outputs.clear(),
            }
        }
        5 if operator < block.operators.len() => drop(block.operators.remove(operator)),
        6 => match random.below(2) {
            0 => block.inputs.push(TensorId(some as u32)),
            _ => block.outputs.push(TensorId(some as u32)),
        },
        _ => {
            let Some(data) = &mut block.tensors[some].data else { return };
            let data = data.to_mut();
            let at = random.below(data.len());
            match random.below(4) {
                0 => data.truncate(at),
                1 => data.fill(random.next() as u8),
                _ => {
                    data.iter_mut().skip(at).take(1 + random.below(4)).for_each(|b| *b = random.next() as u8)
                }
            }
        }
    }
}

/// Numbers in the text of attributes.
fn damage_attributes(graph: &Graph<'_>, random: &mut Random) -> Option<Graph<'static>> {
    let text = print(graph, false);
    let starts: Vec<usize> = text
        .match_indices(['[', ' '])
        .map(|(i, _)| i + 1)
        .filter(|&i| text[..i].rfind('{') > text[..i].rfind('}') && text.as_bytes()[i].is_ascii_digit())
        .collect();
    let start = *starts.get(random.below(starts.len()))?;
    let end = start + text[start..].find(|c: char| !c.is_ascii_digit())?;
    let numbers = ["0", "1", "2", "3", "5", "-1", "255", "65536", "2147483647", "-2147483648"];
    let number = numbers[random.below(numbers.len())];
    parse(&format!("{}{number}{}", &text[..start], &text[end..])).ok()
}

#[test]
fn broken_graphs_do_not_panic() {
    let rounds = std::env::var("TOMBOLO_BROKEN").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let mut random = Random(0x5eed);
    let files: Vec<Vec<u8>> = files(&fixture("tosa"), ".tosa")
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .filter(|file| file.len() < 20_000)
        .collect();
    let mut fates = [0; 3];
    for round in 0..rounds {
        let file = &files[random.below(files.len())];
        let mut whole = match round % 3 {
            0 => graph(random.next(), &Options { layers: 3, ..Options::default() }).graph,
            _ => read(file).unwrap().into_owned(),
        };
        if round % 5 == 0
            && let Some(changed) = damage_attributes(&whole, &mut random)
        {
            whole = changed;
        }
        for _ in 0..random.below(3) {
            if let Some(block) = whole.regions.first_mut().and_then(|r| r.blocks.first_mut())
                && !block.tensors.is_empty()
            {
                damage_block(block, &mut random);
            }
        }
        fates[use_it(&whole) as usize] += 1;

        let mut broken = file.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(broken.len());
            let numbers = [0u32, 1, 2, 0x7fff_ffff, 0xffff_ffff, random.next() as u32];
            match random.below(2) {
                0 => broken[at] ^= 1 << random.below(8),
                _ => {
                    let end = (at + 4).min(broken.len());
                    let number = numbers[random.below(numbers.len())];
                    broken[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
                }
            }
        }
        if let Ok(graph) = read(&broken) {
            fates[use_it(&graph) as usize] += 1;
        }
    }
    println!("refused, lowered, computed: {fates:?}");
    assert!(fates[Fate::Refused as usize] > rounds / 5 && fates[Fate::Computed as usize] > rounds / 5);
}

fn text_of(error: &Error) -> String {
    error.to_string()
}

/// Shapes that do not follow from each other.
#[test]
fn shapes_that_lie_are_errors() {
    let cases = [
        ("PAD(x, s4, zero)", "s4: [4] = (0, 0, 1, 1)", "2, 7"),
        ("TILE(x, s2)", "s2: [2] = (2, 1)", "3, 4"),
        ("SLICE(x, s2, s2)", "s2: [2] = (1, 1)", "1, 4"),
        ("SLICE(x, s2, s2)", "s2: [2] = (2, 1)", "2, 1"),
        ("CONCAT(x, x) {axis = 1}", "s2: [2] = (0, 0)", "2, 7"),
        ("CONCAT(x, x) {axis = 0}", "s2: [2] = (0, 0)", "2, 4"),
        ("TRANSPOSE(x) {perms = [1, 1]}", "s2: [2] = (0, 0)", "4, 4"),
        ("REVERSE(x) {axis = 2}", "s2: [2] = (0, 0)", "2, 4"),
        ("RESHAPE(x, s2)", "s2: [2] = (2, 2)", "2, 2"),
    ];
    for (operator, shape, dims) in cases {
        let (name, _) = shape.split_once(':').unwrap();
        let text = format!(
            "tosa 1.0.0 region main {{ block main {{
            tensor x: i8[2, 4] shape {shape} tensor zero: i8[1] = (0) tensor y: i8[{dims}] inputs x outputs y
            {name} = CONST_SHAPE() zero = CONST() y = {operator} }} }}"
        );
        let graph = parse(&text).unwrap_or_else(|e| panic!("{operator}: {e}"));
        let Err(error) = lower(&graph) else { panic!("{operator} was lowered") };
        let name = operator.split('(').next().unwrap();
        assert!(text_of(&error).contains(name), "{operator}: {error}");
    }
}

/// More operations than anybody waits for, and more elements than there is memory.
#[test]
fn what_is_too_much_is_refused() {
    let text = "tosa 1.0.0 region main { block main {
        tensor x: i8[70000, 3] tensor y: i8[70000, 3] inputs x outputs y
        y = REVERSE(x) {axis = 0} } }";
    let error = text_of(&lower(&parse(text).unwrap()).unwrap_err());
    assert!(error.contains("REVERSE: the program would have more than 65536 operations"), "{error}");

    let text = "tosa 1.0.0 region main { block main {
        tensor x: i8[30000, 30000] tensor y: i8[30000, 30000] inputs x outputs y
        y = BITWISE_NOT(x) } }";
    let program = lower(&parse(text).unwrap()).unwrap();
    let error = eval::run(&program, &[Vec::new()]).unwrap_err();
    assert!(error.contains("elements are more than"), "{error}");
}
