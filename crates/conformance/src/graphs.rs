//! Random TOSA graphs of integer operators, each with inputs and the outputs that the interpreter computes.
//!
//! A graph grows by one layer after the other from a seed: convolutions, poolings, quantized additions, tables,
//! copies and so on, in chains, branches and joins, with weights that are shared and several inputs and outputs.
//! Every operator is computed as soon as it is there. That gives quantizations that fit what flows through the
//! graph, so that outputs are neither constant nor saturated; and a layer that breaks a rule, does something
//! unpredictable or takes too long is thrown away. What is left is valid by construction.

mod build;
mod layers;

use build::Builder;
use tombolo_tosa::{Graph, Value};

/// What graphs are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// As many layers as there are at most. A layer is one to ten operators.
    pub layers: usize,
    /// As many elements as a tensor may have.
    pub elements: usize,
    /// As many elementary steps as an operator may take in the interpreter.
    pub work: u64,
    /// Operators, by their names in the schema, that must not be there.
    pub avoid: Vec<String>,
    /// Of ten graphs, how many have activations of 16 bits.
    pub tenths_of_i16: u64,
}

impl Default for Options {
    /// Small graphs of all operators.
    fn default() -> Options {
        Options { layers: 8, elements: 4096, work: 200_000, avoid: Vec::new(), tenths_of_i16: 3 }
    }
}

/// A graph and what it computes.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphCase {
    /// What it was made from.
    pub seed: u64,
    /// The graph.
    pub graph: Graph<'static>,
    /// The values of its inputs.
    pub inputs: Vec<Value>,
    /// The values of its outputs.
    pub outputs: Vec<Value>,
}

/// The graph of a seed; the same one always, on every machine.
pub fn graph(seed: u64, options: &Options) -> GraphCase {
    let mut builder = Builder::new(seed, options);
    layers::grow(&mut builder);
    builder.finish(seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tombolo_tosa::{Limits, Op, Spec, validate};

    #[test]
    fn graphs_are_valid_and_compute_what_they_say() {
        let spec = Spec::everything();
        for seed in 0..100 {
            let case = graph(seed, &Options::default());
            let errors = validate(&case.graph, &spec);
            assert!(errors.is_empty(), "seed {seed}: {}", errors[0]);
            let outputs = tombolo_tosa::run(&case.graph, case.inputs.clone(), &Limits::default());
            assert!(outputs.as_ref() == Ok(&case.outputs), "seed {seed}");
            assert_eq!(case, graph(seed, &Options::default()), "seed {seed}");
        }
    }

    #[test]
    fn what_is_avoided_is_not_there() {
        let avoid = ["CONV2D".to_owned(), "RESIZE".to_owned(), "GATHER".to_owned()];
        let options = Options { avoid: avoid.to_vec(), ..Options::default() };
        for seed in 0..50 {
            let case = graph(seed, &options);
            let block = case.graph.main().unwrap();
            assert!(!block.operators.iter().any(|o| avoid.iter().any(|a| a == o.op.name())), "seed {seed}");
        }
    }

    /// Every integer operator but those of shapes, variables, regions and blocks appears, and outputs vary.
    #[test]
    fn all_operators_appear() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut outputs, mut flat) = (0, 0);
        for seed in 0..600 {
            let case = graph(seed, &Options::default());
            for operation in &case.graph.main().unwrap().operators {
                *seen.entry(operation.op.name()).or_default() += 1;
            }
            for output in case.outputs.iter().map(Value::ints).filter(|ints| ints.len() > 8) {
                outputs += 1;
                flat += usize::from(output.iter().all(|&n| n == output[0]));
            }
        }
        let float =
            ["FFT2D", "RFFT2D", "ERF", "SIGMOID", "TANH", "POW", "CEIL", "COS", "EXP", "FLOOR", "LOG"];
        let float = [&float[..], &["RECIPROCAL", "RSQRT", "SIN", "REDUCE_PRODUCT"]].concat();
        let other = ["CUSTOM", "COND_IF", "WHILE_LOOP", "DIM", "ROW_GATHER"];
        let missing: Vec<&str> = Op::ALL
            .iter()
            .map(|(_, name)| *name)
            .filter(|name| !name.ends_with("_SHAPE") && !name.starts_with("VARIABLE"))
            .filter(|name| !name.contains("BLOCK_SCALED") && !name.ends_with("_ADAPTIVE"))
            .filter(|name| !float.contains(name) && !other.contains(name) && *name != "MATMUL_T")
            .filter(|name| !seen.contains_key(name))
            .collect();
        assert!(missing.is_empty(), "{missing:?} of {seen:?}");
        assert!(flat * 10 < outputs, "{flat} of {outputs} outputs are one number");
    }
}
