//! Arithmetic of poolings on dense maps.

use crate::op::Kernel;

/// An input without padding, zero point subtracted: rows, columns, channels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dense<'a> {
    pub(crate) h: usize,
    pub(crate) w: usize,
    pub(crate) c: usize,
    pub(crate) data: &'a [i32],
}

/// How the elements of a window are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduce {
    Max,
    #[allow(dead_code, reason = "only the U85 has it")]
    Min,
    Sum,
}

/// The part of a window that lies in the input: along one axis, first and behind the last.
fn valid(at: usize, stride: u32, size: u32, pad: u32, extent: usize) -> (usize, usize) {
    let start = at * stride as usize;
    let end = (start + size as usize).saturating_sub(pad as usize);
    let start = start.saturating_sub(pad as usize);
    (start.min(extent), end.min(extent))
}

/// Reduces every window over its elements that are no padding. `each` gets for every output
/// element (rows, then columns) the number of those elements and one value a channel; with no
/// element there, the values are 0.
pub(crate) fn windows<E>(
    input: Dense<'_>,
    kernel: &Kernel,
    (h, w): (usize, usize),
    reduce: Reduce,
    values: &mut Vec<i64>,
    mut each: impl FnMut(usize, &[i64]) -> Result<(), E>,
) -> Result<(), E> {
    let c = input.c;
    for y in 0..h {
        let (y0, y1) = valid(y, kernel.stride_y, kernel.h, kernel.pad.top, input.h);
        for x in 0..w {
            let (x0, x1) = valid(x, kernel.stride_x, kernel.w, kernel.pad.left, input.w);
            values.clear();
            values.resize(c, 0);
            let mut first = true;
            for row in y0..y1 {
                let start = row * input.w;
                let pixels = input.data.get((start + x0) * c..(start + x1) * c).unwrap_or(&[]);
                for pixel in pixels.chunks_exact(c) {
                    let pairs = values.iter_mut().zip(pixel);
                    match reduce {
                        _ if first => pairs.for_each(|(v, &x)| *v = x.into()),
                        Reduce::Max => pairs.for_each(|(v, &x)| *v = (*v).max(x.into())),
                        Reduce::Min => pairs.for_each(|(v, &x)| *v = (*v).min(x.into())),
                        Reduce::Sum => pairs.for_each(|(v, &x)| *v += i64::from(x)),
                    }
                    first = false;
                }
            }
            each(y1.saturating_sub(y0) * x1.saturating_sub(x0), values)?;
        }
    }
    Ok(())
}

/// `sum / count` as the hardware divides, by TOSA's reciprocal: exact for all that TOSA can ask
/// for (facts 3.5).
pub(crate) fn average(sum: i64, count: usize) -> i64 {
    let Ok(count @ 1..) = i128::try_from(count) else {
        return 0;
    };
    let k = 128 - (count - 1).leading_zeros();
    let multiplier = (((1i128 << 30) + 1) << k) / count;
    let shift = 30 + k;
    ((i128::from(sum) * multiplier + (1 << (shift - 1))) >> shift) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Padding;

    fn kernel(h: u32, w: u32, stride: u32, pad: Padding) -> Kernel {
        Kernel {
            h,
            w,
            stride_y: stride,
            stride_x: stride,
            dilation_y: 1,
            dilation_x: 1,
            pad,
            part_kernel: false,
        }
    }

    fn run(
        input: Dense<'_>,
        kernel: &Kernel,
        size: (usize, usize),
        reduce: Reduce,
    ) -> Vec<(usize, Vec<i64>)> {
        let mut got = Vec::new();
        windows::<()>(input, kernel, size, reduce, &mut Vec::new(), |n, v| {
            got.push((n, v.to_vec()));
            Ok(())
        })
        .unwrap();
        got
    }

    #[test]
    fn padding_is_left_out() {
        let data = [-1, -2, -3, -4];
        let input = Dense { h: 2, w: 2, c: 1, data: &data };
        let pad = Padding { top: 1, left: 1, bottom: 1, right: 1 };
        let k = kernel(3, 3, 2, pad);
        // Without the padding's zero, which would win.
        assert_eq!(run(input, &k, (1, 1), Reduce::Max), [(4, vec![-1])]);
        assert_eq!(run(input, &k, (1, 1), Reduce::Min), [(4, vec![-4])]);
        let k = kernel(2, 2, 2, pad);
        assert_eq!(
            run(input, &k, (2, 2), Reduce::Sum),
            [(1, vec![-1]), (1, vec![-2]), (1, vec![-3]), (1, vec![-4])]
        );
        // A window of nothing but padding.
        let k = kernel(1, 1, 3, pad);
        assert_eq!(run(input, &k, (1, 1), Reduce::Sum), [(0, vec![0])]);
    }

    #[test]
    fn channels_stay_apart() {
        let data = [1, 10, 2, 20, 3, 30, 4, 40];
        let input = Dense { h: 2, w: 2, c: 2, data: &data };
        let k = kernel(2, 1, 1, Padding::default());
        assert_eq!(run(input, &k, (1, 2), Reduce::Sum), [(2, vec![4, 40]), (2, vec![6, 60])]);
    }

    #[test]
    fn averages_round_like_tosa() {
        assert_eq!(average(10, 4), 3);
        // The reciprocal is a little too large, so ties go away from zero.
        assert_eq!(average(-10, 4), -3);
        assert_eq!(average(9, 4), 2);
        assert_eq!(average(-1, 3), 0);
        assert_eq!(average(-2, 3), -1);
        assert_eq!(average(5, 1), 5);
        assert_eq!(average(5, 0), 0);
        for n in 1..=64usize {
            for v in -128i64..128 {
                assert_eq!(average(v * n as i64, n), v, "{v} times {n}");
            }
        }
    }
}
