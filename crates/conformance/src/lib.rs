//! Operator and model cases that know no backend.
//!
//! A case is data: files, and how close the outputs must come. A runner binds it to something that
//! can execute it: the host runtime, the simulator, a virtual board. Nothing here says how.
//!
//! The cases are found in the corpus: programs that upstream's packages wrote, with inputs and with
//! outputs that torch and the TOSA reference model computed. `fixtures/corpus` has the small ones.
//! `../shared/corpus`, where it exists, adds the large ones ([`Corpus::extras`]).
//!
//! [`graphs`] makes cases of its own: random TOSA graphs, with what the interpreter computes from them.
#![forbid(unsafe_code)]

pub mod graphs;

use std::path::{Path, PathBuf};

/// How close an output must come to its expectation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// Every byte is equal.
    Exact,
    /// At most so many steps of the output's quantization.
    Steps(f64),
    /// At most so much of the largest magnitude in the expected array.
    Relative(f64),
}

/// A program with inputs and expected outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCase {
    /// Unique, as `conv_s2/u65-256`.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Files with external data that the program names.
    pub data: Vec<PathBuf>,
    /// One array per input of the method `forward`, in order.
    pub inputs: Vec<PathBuf>,
    /// The array of the first output.
    pub expected: PathBuf,
    /// How close it must come.
    pub tolerance: Tolerance,
    /// The NPU for which the program's delegates were compiled, as `ethos-u65-256`; `None` if it has
    /// no delegate.
    pub target: Option<String>,
}

/// A bare command stream with the exact integers at its border.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamCase {
    /// Unique, as `conv_s2/u65-256`.
    pub name: String,
    /// Vela's raw output, or a program with one delegate.
    pub stream: PathBuf,
    /// Files with external data that the program names.
    pub data: Vec<PathBuf>,
    /// The NPU for which it was compiled.
    pub target: String,
    /// Archive with the arrays `in0`, … and `out0`, ….
    pub golden: PathBuf,
}

/// A program that is run several times in a row: what it keeps goes on from run to run.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceCase {
    /// Unique.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// For each run its inputs and its expected outputs.
    pub runs: Vec<(Vec<PathBuf>, Vec<PathBuf>)>,
    /// How close all outputs must come.
    pub tolerance: Tolerance,
}

/// A labelled data set for a program.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetCase {
    /// Unique.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Archive with the arrays `images` and `labels`.
    pub dataset: PathBuf,
    /// Expected outputs, one row a sample.
    pub expected: PathBuf,
    /// How close they must come.
    pub tolerance: Tolerance,
    /// Samples that must be classified as labelled.
    pub correct: usize,
    /// Samples in the set.
    pub samples: usize,
}

/// Every model of the corpus that is small enough to be in this repository.
pub const MODELS: [&str; 25] = [
    "add",
    "add1d",
    "avgpool",
    "bmm",
    "cat",
    "conv1x1",
    "conv3x3_relu",
    "conv_s2",
    "digits",
    "dscnn",
    "dwconv",
    "gelu",
    "globalavg",
    "hardswish",
    "layernorm",
    "linear",
    "maxpool",
    "mean",
    "mul",
    "sigmoid",
    "softmax",
    "sub_bcast",
    "tanh",
    "transpose",
    "upsample",
];

/// Models that are only in the shared corpus.
pub const LARGE_MODELS: [&str; 1] = ["mv2"];

/// One conv2d+relu in other containers and formats: the file, its NPU, and its external data.
const VARIANTS: [(&str, &str, &[&str]); 16] = [
    ("a16w8_u55.pte", "ethos-u55-128", &[]),
    ("a16w8_u85.pte", "ethos-u85-256", &[]),
    ("bundled.bpte", "ethos-u55-128", &[]),
    ("bundled.pte", "ethos-u55-128", &[]),
    ("channels_last.pte", "ethos-u55-128", &[]),
    ("cop2_direct_drive_u85.pte", "ethos-u85-256", &[]),
    (
        "external_blocks.pte",
        "ethos-u55-128",
        &["external_blocks.npu_cmd.ptd", "external_blocks.npu_weights.ptd"],
    ),
    ("quantized_io.pte", "ethos-u55-128", &[]),
    ("segment.pte", "ethos-u55-128", &[]),
    ("sram_only.pte", "ethos-u55-128", &[]),
    ("t_u55-32.pte", "ethos-u55-32", &[]),
    ("t_u55-64.pte", "ethos-u55-64", &[]),
    ("t_u85-128.pte", "ethos-u85-128", &[]),
    ("t_u85-2048.pte", "ethos-u85-2048", &[]),
    ("u65_512_shared.pte", "ethos-u65-512", &[]),
    ("w4_u85.pte", "ethos-u85-256", &[]),
];

/// Programs of `fixtures/extra`.
const EXTRA: [&str; 10] =
    ["bool_int", "cond", "dynamic", "item", "map", "nested_cond", "split", "state", "two_outputs", "views"];

/// Where the cases' files are.
#[derive(Debug, Clone)]
pub struct Corpus {
    root: PathBuf,
    extras: Option<PathBuf>,
}

impl Corpus {
    /// The corpus of the workspace at `workspace`, and the shared one beside it if it is there.
    pub fn of_workspace(workspace: &Path) -> Corpus {
        let extras = workspace.join("../shared/corpus");
        Corpus { root: workspace.join("fixtures/corpus"), extras: extras.is_dir().then_some(extras) }
    }

    /// The directory of the small models.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The shared corpus with the large models, where it exists.
    pub fn extras(&self) -> Option<&Path> {
        self.extras.as_deref()
    }

    /// The directories of all models at hand: the small ones, and the large ones where they exist.
    fn models(&self) -> impl Iterator<Item = (&'static str, PathBuf)> + '_ {
        let small = MODELS.into_iter().map(|m| (m, self.root.join(m)));
        let large = LARGE_MODELS.into_iter().filter_map(|m| Some((m, self.extras.as_ref()?.join(m))));
        small.chain(large)
    }

    /// The float programs without delegate: outputs against torch's.
    pub fn float_programs(&self) -> Vec<ModelCase> {
        self.models()
            .filter(|(model, _)| *model != "digits") // upstream's flow made none for it
            .map(|(model, dir)| ModelCase {
                name: format!("{model}/cpu_float"),
                program: dir.join("cpu_float.pte"),
                data: Vec::new(),
                inputs: inputs(&dir, ""),
                expected: dir.join("float_out.npy"),
                // Relative to the largest output. Upstream's own runtime differs from torch by 8e-5 on
                // MobileNetV2, whose 52 convolutions add up in another order.
                tolerance: Tolerance::Relative(if model == "mv2" { 1e-4 } else { 1e-5 }),
                target: None,
            })
            .collect()
    }

    /// The programs delegated to `target` (as `u65-256`): outputs against the quantized graph in torch, which
    /// computes with floats between the quantizations and so rounds exact ties the other way in places. Over
    /// MobileNetV2's fifty layers this adds up to many steps; its outputs are held against the TOSA reference
    /// model's integers instead, exactly.
    pub fn delegated_programs(&self, target: &str) -> Vec<ModelCase> {
        self.models()
            .map(|(model, dir)| ModelCase {
                name: format!("{model}/{target}"),
                program: dir.join(format!("{target}.pte")),
                data: Vec::new(),
                inputs: inputs(&dir, ""),
                expected: match model {
                    "mv2" => self.root.join(format!("../extra/mv2/{target}.exact.npy")),
                    _ => dir.join(format!("{target}.out.npy")),
                },
                tolerance: if model == "mv2" { Tolerance::Exact } else { Tolerance::Steps(1.0) },
                target: Some(format!("ethos-{target}")),
            })
            .collect()
    }

    /// The bare streams for `target` (as `u65-256`), with the TOSA reference model's integers.
    pub fn streams(&self, target: &str) -> Vec<StreamCase> {
        self.models()
            // The corpus has no stream of these two for that NPU.
            .filter(|(model, _)| target != "u55-256" || !["digits", "mv2"].contains(model))
            .map(|(model, dir)| StreamCase {
                name: format!("{model}/{target}"),
                stream: dir.join(format!("{target}.0.vela.npz")),
                data: Vec::new(),
                target: format!("ethos-{target}"),
                golden: dir.join(format!("{target}.golden.npz")),
            })
            .collect()
    }

    /// Every program file among the variants, and the external data it needs.
    pub fn variant_programs(&self) -> Vec<(PathBuf, Vec<PathBuf>)> {
        let dir = self.root.join("variants");
        let mut all: Vec<_> = VARIANTS
            .iter()
            .map(|(file, _, data)| (dir.join(file), data.iter().map(|d| dir.join(d)).collect()))
            .collect();
        all.push((dir.join("two_delegates.pte"), Vec::new()));
        all
    }

    /// The variants' delegates, with the exact integers at their border.
    pub fn variant_streams(&self) -> Vec<StreamCase> {
        let dir = self.root.join("variants");
        VARIANTS
            .iter()
            .map(|(file, target, data)| StreamCase {
                name: format!("variants/{file}"),
                stream: dir.join(file),
                data: data.iter().map(|d| dir.join(d)).collect(),
                target: (*target).to_string(),
                golden: dir.join(format!("{}.chain.npz", stem(file))),
            })
            .collect()
    }

    /// The variants as whole programs, float in and out.
    pub fn variants(&self) -> Vec<ModelCase> {
        let dir = self.root.join("variants");
        let case = |file: &str, target: &str, data: &[&str]| ModelCase {
            name: format!("variants/{file}"),
            program: dir.join(file),
            data: data.iter().map(|d| dir.join(d)).collect(),
            inputs: vec![dir.join(format!("{}.in0.npy", stem(file)))],
            expected: dir.join(format!("{}.out.npy", stem(file))),
            tolerance: Tolerance::Steps(1.0),
            target: Some(target.to_string()),
        };
        let mut all: Vec<_> = VARIANTS
            .iter()
            // Its inputs and outputs are integers: see `variant_streams`.
            .filter(|(file, ..)| *file != "quantized_io.pte")
            .map(|(file, target, data)| case(file, target, data))
            .collect();
        all.push(case("two_delegates.pte", "ethos-u55-128", &[]));
        all
    }

    /// Small programs with what the corpus lacks: control flow, dynamic shapes, state, views, several outputs.
    pub fn extra_programs(&self) -> Vec<SequenceCase> {
        EXTRA
            .into_iter()
            .map(|name| {
                let dir = self.root.join("../extra").join(name);
                let runs = (0..)
                    .map(|r| (inputs(&dir, &format!("run{r}_")), numbered(&dir, &format!("run{r}_out"))))
                    .take_while(|(_, expected)| !expected.is_empty())
                    .collect();
                // Elementary functions round differently here and in torch.
                let tolerance = if name == "dynamic" { Tolerance::Relative(1e-6) } else { Tolerance::Exact };
                SequenceCase {
                    name: format!("extra/{name}"),
                    program: dir.join("model.pte"),
                    runs,
                    tolerance,
                }
            })
            .collect()
    }

    /// The digits example: all 450 test images.
    pub fn digits(workspace: &Path) -> DatasetCase {
        let dir = workspace.join("examples/digits");
        DatasetCase {
            name: "digits".to_string(),
            program: dir.join("ethos-u65-256.pte"),
            dataset: dir.join("test.npz"),
            expected: dir.join("ethos-u65-256.test_logits.npy"),
            tolerance: Tolerance::Steps(1.0),
            correct: 441, // 98.0 %, as the quantized graph in torch reaches
            samples: 450,
        }
    }
}

/// The arrays `{prefix}in0.npy`, `{prefix}in1.npy`, … of a directory.
fn inputs(dir: &Path, prefix: &str) -> Vec<PathBuf> {
    numbered(dir, &format!("{prefix}in"))
}

/// The files `{name}0.npy`, `{name}1.npy`, … of a directory.
fn numbered(dir: &Path, name: &str) -> Vec<PathBuf> {
    (0..).map(|i| dir.join(format!("{name}{i}.npy"))).take_while(|path| path.is_file()).collect()
}

fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// A case whose file is missing would be noticed late, in a runner, or never.
    #[test]
    fn every_file_of_every_case_exists() {
        let corpus = Corpus::of_workspace(&workspace());
        let mut files: Vec<PathBuf> = Vec::new();
        let mut models = corpus.float_programs();
        assert!(models.len() >= MODELS.len() - 1);
        models.extend(corpus.delegated_programs("u65-256"));
        models.extend(corpus.variants());
        for case in models {
            assert!(!case.inputs.is_empty(), "{} has no input", case.name);
            files.push(case.program);
            files.extend(case.data);
            files.extend(case.inputs);
            files.push(case.expected);
        }
        let mut streams = corpus.variant_streams();
        for target in ["u55-128", "u55-256", "u65-256", "u65-512", "u85-256"] {
            streams.extend(corpus.streams(target));
        }
        for case in streams {
            files.extend([case.stream, case.golden]);
            files.extend(case.data);
        }
        for case in corpus.extra_programs() {
            assert!(!case.runs.is_empty(), "{} has no run", case.name);
            files.push(case.program);
            files.extend(case.runs.into_iter().flat_map(|(inputs, expected)| [inputs, expected].concat()));
        }
        let digits = Corpus::digits(&workspace());
        files.extend([digits.program, digits.dataset, digits.expected]);
        let missing: Vec<_> = files.iter().filter(|f| !f.is_file()).collect();
        assert!(missing.is_empty(), "missing: {missing:?}");
        assert!(files.len() > 300, "{} files", files.len());
    }

    /// A model that is added to the corpus must not be forgotten here.
    #[test]
    fn every_directory_of_the_corpus_is_a_model() {
        let corpus = Corpus::of_workspace(&workspace());
        let mut found: Vec<String> = std::fs::read_dir(corpus.root())
            .expect("fixtures/corpus is part of the repository")
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "variants" && !name.contains('.'))
            .collect();
        found.sort();
        assert_eq!(found, MODELS);
        let mut extra: Vec<String> = std::fs::read_dir(corpus.root().join("../extra"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "mv2" && !name.contains('.'))
            .collect();
        extra.sort();
        assert_eq!(extra, EXTRA);
        let programs = std::fs::read_dir(corpus.root().join("variants"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "pte" || e == "bpte"));
        assert_eq!(programs.count(), corpus.variant_programs().len());
    }
}
