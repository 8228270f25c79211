//! What the command line wants to know about programs.

use crate::error::{Error, Result};
use crate::host::{npy_dtype, to_c_order};
use crate::npy::{self, Array};
use tombolo_ethosu::Accelerator;
use tombolo_pte::bundled::{Bundle, CaseValue};
use tombolo_pte::{Instruction, Plan, Value};

/// The NPU that the user named.
///
/// # Errors
/// There is none of that name.
pub fn target(name: &str) -> Result<Accelerator> {
    Accelerator::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Accelerator::ALL.into_iter().map(Accelerator::name).collect();
        Error::new(format!("no NPU is called '{name}'")).help(format!("choose one of {}", known.join(", ")))
    })
}

/// Operators that move elements without changing them, so that a quantization step passes through.
const COPIES: [&str; 9] = [
    "aten::view_copy",
    "aten::permute_copy",
    "aten::squeeze_copy",
    "aten::unsqueeze_copy",
    "aten::clone",
    "aten::alias_copy",
    "aten::slice_copy",
    "dim_order_ops::_clone_dim_order",
    "executorch_prim::et_view",
];

/// One quantization step of output `i`: the scale of the dequantize operator that produces it, or 1 for an
/// output of integers. `None` where the program does not show it.
pub fn output_step(plan: &Plan<'_>, i: usize) -> Option<f64> {
    let value = plan.value(usize::try_from(plan.outputs().get(i)?).ok()?);
    match value {
        Value::Tensor(tensor) if npy_dtype(tensor.dtype()).is_integer() => Some(1.0),
        _ => output_quantization(plan, i).map(|(scale, _)| scale),
    }
}

/// Scale and zero point of output `i`, if a dequantize operator with one of each produces it.
pub fn output_quantization(plan: &Plan<'_>, i: usize) -> Option<(f64, i64)> {
    let mut value = plan.outputs().get(i)?;
    // Producers are looked for from the end, so that the walk ends after one pass.
    for c in (0..plan.chain_count()).rev() {
        let chain = plan.chain(c);
        for k in (0..chain.instruction_count()).rev() {
            match chain.instruction(k)? {
                Instruction::Kernel { op, args }
                    if args.len() > 1 && args.get(args.len() - 1) == Some(value) =>
                {
                    let name = plan.operator(op as usize).name;
                    if name == "quantized_decomposed::dequantize_per_tensor" {
                        let argument = |i| usize::try_from(args.get(i)?).ok().map(|v| plan.value(v));
                        return match (argument(1)?, argument(2)?) {
                            (Value::Double(scale), Value::Int(zero)) => Some((scale, zero)),
                            _ => None,
                        };
                    }
                    if !COPIES.contains(&name) {
                        return None;
                    }
                    value = args.get(0)?;
                }
                Instruction::Move { from, to } if i64::from(to) == i64::from(value) => {
                    value = i32::try_from(from).ok()?;
                }
                _ => {}
            }
        }
    }
    None
}

/// Inputs and expected outputs of a test case.
pub type TestCase = (Vec<Array>, Vec<Array>);

/// The test cases that a bundle has for `method`.
///
/// # Errors
/// A value has no array.
pub fn test_cases(bundle: &Bundle<'_>, method: &str) -> Result<Vec<TestCase>> {
    let array = |value: CaseValue<'_>| match value {
        CaseValue::Tensor { dtype, sizes, dim_order, data } => {
            let shape: Vec<usize> = sizes.iter().map(|d| usize::try_from(d).unwrap_or(0)).collect();
            let dtype = npy_dtype(dtype);
            Array::new(dtype, shape.clone(), to_c_order(data, &shape, dim_order, dtype.size()))
        }
        CaseValue::Int(v) => Array::new(npy::Dtype::Int64, vec![], v.to_le_bytes().to_vec()),
        CaseValue::Bool(v) => Array::new(npy::Dtype::Bool, vec![], vec![u8::from(v)]),
        CaseValue::Double(v) => Array::new(npy::Dtype::Float64, vec![], v.to_le_bytes().to_vec()),
    };
    bundle
        .suites()
        .filter(|suite| suite.method() == method)
        .flat_map(|suite| suite.cases())
        .map(|case| {
            let inputs = case.inputs().map(array).collect::<Result<_>>()?;
            let outputs = case.expected_outputs().map(array).collect::<Result<_>>()?;
            Ok((inputs, outputs))
        })
        .collect()
}
