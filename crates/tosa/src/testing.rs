//! One operator at a time, for tests: the text of a block, values in, numbers out.

use crate::{Error, Limits, Value, inputs, parse, run};

/// Runs a block with these numbers as inputs; the numbers of its first output.
pub(crate) fn eval(body: &str, values: &[&[i64]]) -> Result<Vec<i64>, Error> {
    let text = format!("tosa 1.1.0-draft region main {{ block main {{ {body} }} }}");
    let graph = parse(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let values = inputs(&graph)
        .into_iter()
        .zip(values)
        .map(|((_, dtype, dims), ints)| {
            Value::from_ints(dtype, dims.expect("known"), ints).expect("in range")
        })
        .collect();
    Ok(run(&graph, values, &Limits::default())?[0].ints())
}

/// The message of what must fail.
pub(crate) fn refused(body: &str, values: &[&[i64]]) -> String {
    match eval(body, values) {
        Ok(ints) => panic!("gives {ints:?}"),
        Err(e) => e.to_string(),
    }
}
