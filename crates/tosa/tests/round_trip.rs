//! Files and texts: what is written reads back the same.

mod common;

use common::{files, fixture};
use tombolo_tosa::{Spec, parse, print, read, validate, write};

fn all() -> Vec<std::path::PathBuf> {
    let mut all = files(&fixture("tosa"), ".tosa");
    let large = fixture("../../shared/corpus/mv2/u85-256.0.tosa");
    if large.exists() {
        all.push(large);
    } else {
        println!("SKIPPED: MobileNetV2 is not at {}", large.display());
    }
    all
}

#[test]
fn written_files_read_the_same() {
    for path in all() {
        let file = std::fs::read(&path).unwrap();
        let graph = read(&file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let written = write(&graph).unwrap();
        assert_eq!(written, write(&graph).unwrap(), "{}: two files of one graph", path.display());
        let back = read(&written).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(back == graph, "{}", path.display());
        assert_eq!(write(&back).unwrap(), written, "{}", path.display());
    }
}

#[test]
fn printed_texts_parse_the_same() {
    for path in all() {
        let file = std::fs::read(&path).unwrap();
        let graph = read(&file).unwrap();
        let text = print(&graph, false);
        let back = parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(back == graph, "{}", path.display());
    }
}

#[test]
fn all_are_valid() {
    for path in all() {
        let file = std::fs::read(&path).unwrap();
        let graph = read(&file).unwrap();
        let errors = validate(&graph, &Spec::everything());
        assert!(errors.is_empty(), "{}: {}", path.display(), errors[0]);
    }
}

#[test]
fn shapes_follow_from_the_inputs() {
    for path in all() {
        let file = std::fs::read(&path).unwrap();
        let graph = read(&file).unwrap();
        // Whatever an operator makes is forgotten, but for constants and what a region returns.
        let mut blank = graph.clone();
        let mut forgotten = 0;
        for block in blank.regions.iter_mut().flat_map(|r| &mut r.blocks) {
            for operation in &block.operators {
                if operation.op.name().starts_with("CONST") {
                    continue;
                }
                for id in &operation.outputs {
                    let tensor = &mut block.tensors[id.index()];
                    if tensor.dtype != tombolo_tosa::Dtype::Shape {
                        tensor.shape = None;
                        forgotten += 1;
                    }
                }
            }
        }
        tombolo_tosa::infer_shapes(&mut blank).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if blank != graph {
            // Shapes that are computed in the run cannot be known before it.
            let computes = |name: &str| name == "DIM" || (name.ends_with("_SHAPE") && name != "CONST_SHAPE");
            let computed = graph
                .regions
                .iter()
                .flat_map(|r| &r.blocks)
                .flat_map(|b| &b.operators)
                .any(|o| computes(o.op.name()));
            let control = graph.regions.len() > 1;
            let unknown = print(&blank, true).contains("[*]");
            assert!(
                unknown && (computed || control),
                "{} ({forgotten}):\n{}",
                path.display(),
                print(&blank, true)
            );
        }
    }
}
