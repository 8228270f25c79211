//! Rules that the convolutions share.

use crate::dtype::Dtype;
use crate::ops::common::windows;
use crate::rule::{Cx, Problem, Types, ensure, types};

/// Input, weight, bias, two zero points; output.
pub(crate) const TYPES: &[Types] = types![
    I8 I8 I32 I8 I8 -> I32: INT;
    I8 I4 I32 I8 I4 -> I32: INT4;
    I16 I8 I48 I16 I8 -> I48: INT16;
];

/// Zero points, type of sums, and one bias a channel or one of all.
pub(crate) fn operands(cx: &Cx<'_>, acc_type: Dtype, channels: usize) -> Result<(), Problem> {
    let acc = if cx.dtype(0) == Dtype::I16 { Dtype::I48 } else { Dtype::I32 };
    ensure!(acc_type == acc, "acc_type is {acc_type}; sums of {} are {acc}", cx.dtype(0));
    cx.zero_point(3)?;
    cx.zero_point(4)?;
    let [bias] = cx.rank::<1>(2)?;
    if bias != channels && bias != 1 {
        let text =
            format!("has {bias} numbers; one for each of the {channels} output channels, or 1, is needed");
        return Err(Problem::invalid(text).input(2));
    }
    Ok(())
}

/// The output size of one dimension.
pub(crate) fn size(
    input: usize,
    kernel: usize,
    stride: i32,
    dilation: i32,
    pad: [i32; 2],
    what: &str,
) -> Result<usize, Problem> {
    ensure!(dilation >= 1, "the dilation along {what} is {dilation} and must be at least 1");
    ensure!(pad[0] >= 0 && pad[1] >= 0, "the padding {pad:?} along {what} must not be negative");
    let reach = (kernel as i64 - 1).saturating_mul(dilation.into());
    windows(input as i64 - 1 + i64::from(pad[0]) + i64::from(pad[1]) - reach, stride.into(), what)
}

/// Products of this many numbers, without overflow.
pub(crate) fn product(dims: &[usize]) -> u64 {
    dims.iter().fold(1u64, |n, d| n.saturating_mul(*d as u64))
}
