//! The conformance cases bound to the host runtime and to the simulator.

mod common;

use common::{all, array, check_model, check_sequence, check_stream, corpus, run_once, workspace};
use std::path::PathBuf;
use tombolo::compare::Comparison;
use tombolo::host::{self, Model};
use tombolo::npz::Npz;
use tombolo::{container, program};
use tombolo_conformance::{Corpus, ModelCase, StreamCase};

fn the_corpus() -> Corpus {
    let corpus = Corpus::of_workspace(&workspace());
    if corpus.extras().is_none() {
        println!("SKIPPED: MobileNetV2, ../shared/corpus is not there");
    }
    corpus
}

fn models(cases: &[ModelCase]) {
    all(
        cases,
        |case| &case.name,
        |case| {
            let found: Comparison = check_model(case).map_err(|e| e.to_string())?;
            let words = format!(
                "{} of {} differ, largest {:.3e} ({:.1e} relative{})",
                found.unequal,
                found.elements,
                found.largest,
                found.largest_relative(),
                found.largest_steps().map_or(String::new(), |s| format!(", {s:.2} steps"))
            );
            if found.passed() { Ok(words) } else { Err(words) }
        },
    );
}

fn streams(cases: &[StreamCase]) {
    all(
        cases,
        |case| &case.name,
        |case| {
            let outputs = check_stream(case).map_err(|e| e.to_string())?;
            Ok(format!("{outputs} outputs equal"))
        },
    );
}

#[test]
fn float_programs_agree_with_torch() {
    models(&the_corpus().float_programs());
}

#[test]
fn programs_for_the_u65_agree_with_torch_within_a_step() {
    let cases = the_corpus().delegated_programs("u65-256");
    assert!(cases.len() >= 25);
    models(&cases);
}

#[test]
fn streams_for_the_u65_agree_with_the_reference_model() {
    let cases = the_corpus().streams("u65-256");
    assert!(cases.len() >= 25);
    streams(&cases);
}

#[test]
fn streams_for_the_other_npus_agree_with_the_reference_model() {
    for target in ["u55-128", "u55-256", "u65-512", "u85-256"] {
        let cases = the_corpus().streams(target);
        assert!(cases.len() >= 24);
        streams(&cases);
    }
}

/// One convolution in every container and format: as whole programs, and as bare streams with exact integers.
#[test]
fn variants_agree() {
    let corpus = the_corpus();
    models(&corpus.variants());
    streams(&corpus.variant_streams());
}

/// Control flow, dynamic shapes, state that goes on from run to run, views, several outputs.
#[test]
fn programs_with_what_the_corpus_lacks_agree_with_torch() {
    all(
        &the_corpus().extra_programs(),
        |case| &case.name,
        |case| {
            let outputs = check_sequence(case).map_err(|e| e.to_string())?;
            Ok(format!("{} runs, {outputs} outputs", case.runs.len()))
        },
    );
}

/// The float program around the delegate changes nothing: quantizing its output gives exactly the integers
/// that the TOSA reference model gave at the delegate's border.
#[test]
fn whole_programs_give_the_exact_integers_of_the_border() {
    let mut cases: Vec<(String, PathBuf, PathBuf)> = Vec::new();
    for model in tombolo_conformance::MODELS {
        let chain = corpus(&format!("{model}/u65-256.chain.npz"));
        if chain.is_file() {
            cases.push((model.to_string(), corpus(model), chain));
        }
    }
    assert!(cases.len() >= 24, "{} models have a chain", cases.len());
    for (model, dir, reference) in cases {
        let expected = Npz::read(&reference).unwrap().require("out0").unwrap();
        let path = dir.join("u65-256.pte");
        let inputs = (0..)
            .map(|i| dir.join(format!("in{i}.npy")))
            .take_while(|p| p.is_file())
            .map(|p| array(&p))
            .collect();
        let outputs = run_once(&path, &[], inputs).unwrap_or_else(|e| panic!("{model}: {e}"));
        let opened = Model::open(&path, &[]).unwrap();
        let plan = host::find_plan(&opened.program().unwrap(), "forward").unwrap();
        let (scale, zero) = program::output_quantization(&plan, 0).expect("a dequantize operator");
        let integers: Vec<f64> =
            outputs[0].numbers().unwrap().iter().map(|v| (v / scale).round() + zero as f64).collect();
        assert_eq!(integers, expected.numbers().unwrap(), "{model}");
    }
}

/// `inspect` and everything behind it reads every program of the corpus.
#[test]
fn every_program_is_read() {
    let corpus = the_corpus();
    let mut programs = corpus.variant_programs();
    let cases = corpus.float_programs().into_iter().chain(corpus.delegated_programs("u65-256"));
    programs.extend(cases.map(|case| (case.program, case.data)));
    for model in tombolo_conformance::MODELS.iter().filter(|m| **m != "digits") {
        programs.push((common::corpus(&format!("{model}/cpu_int8.pte")), Vec::new()));
    }
    if let Some(extras) = corpus.extras() {
        for (model, target) in
            tombolo_conformance::MODELS.iter().flat_map(|m| ["u55-128", "u65-512", "u85-256"].map(|t| (m, t)))
        {
            programs.push((extras.join(model).join(format!("{target}.pte")), Vec::new()));
        }
    }
    assert!(programs.len() > 80, "{} programs", programs.len());
    for (path, data) in programs {
        let model = Model::open(&path, &data).unwrap_or_else(|e| panic!("{e}"));
        let parsed = model.program().unwrap_or_else(|e| panic!("{e}"));
        assert!(parsed.method_count() > 0, "{}", path.display());
        let delegated = parsed.methods().any(|plan| plan.delegate_count() > 0);
        if delegated {
            let found = container::streams(&path, &data).unwrap_or_else(|e| panic!("{e}"));
            assert!(found.iter().all(|f| f.program.is_some()));
        }
    }
}
