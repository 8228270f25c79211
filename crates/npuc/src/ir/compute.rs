//! What each kind of operation makes of its elements: the arithmetic of [`super::eval`].

use super::{Elementwise, Pool, Reduce, ResizeAxis, ResizeMode};

pub(super) const LEAVES: &str = "a sum leaves 64 bits";

/// A sum with one more product.
pub(super) fn mac(sum: i64, a: i64, b: i64) -> Result<i64, String> {
    a.checked_mul(b).and_then(|p| sum.checked_add(p)).ok_or_else(|| LEAVES.into())
}

/// `bits` are those of the first input's elements; `b` is nothing if there is one input.
pub(super) fn elementwise(op: Elementwise, bits: u32, a: i64, b: i64) -> Result<i64, String> {
    let shift = || {
        let shift = u32::try_from(b).ok().filter(|&b| b < 32);
        shift.ok_or(format!("a shift by {b}, and 0 to 31 are possible"))
    };
    // Shifts are of elements of 8, 16 or 32 bits: nothing beyond those is kept.
    let unused = 64u32.saturating_sub(bits);
    let wrap = |n: i64| (n << unused) >> unused;
    match op {
        Elementwise::Add => a.checked_add(b),
        Elementwise::Sub => a.checked_sub(b),
        Elementwise::Mul => a.checked_mul(b),
        Elementwise::Max => Some(a.max(b)),
        Elementwise::Min => Some(a.min(b)),
        Elementwise::Abs => a.checked_abs(),
        Elementwise::Clz => Some((a as u32).leading_zeros().into()),
        Elementwise::And => Some(a & b),
        Elementwise::Or => Some(a | b),
        Elementwise::Xor => Some(a ^ b),
        Elementwise::Not => Some(!a),
        Elementwise::Shl => Some(wrap(a << shift()?)),
        Elementwise::Asr { round } => {
            let shift = shift()?;
            let half = if round && shift > 0 { 1 << (shift - 1) } else { 0 };
            a.checked_add(half).map(|n| n >> shift)
        }
        Elementwise::Lsr => {
            let without_sign = (a << unused) as u64 >> unused;
            Some(wrap((without_sign >> shift()?) as i64))
        }
        Elementwise::Div => return a.checked_div(b).ok_or(format!("{a} can't be divided by {b}")),
        Elementwise::CmpEq => Some((a == b).into()),
        Elementwise::CmpGe => Some((a >= b).into()),
        Elementwise::CmpGt => Some((a > b).into()),
    }
    .ok_or_else(|| LEAVES.into())
}

pub(super) fn reduce(how: Reduce, mut values: impl Iterator<Item = i64>) -> Result<i64, String> {
    let found = match how {
        Reduce::Sum => return values.try_fold(0i64, i64::checked_add).ok_or_else(|| LEAVES.into()),
        Reduce::Max => values.max(),
        Reduce::Min => values.min(),
        // Of several that are equal, the one compared last is taken: the first from behind.
        Reduce::ArgMax => {
            let all: Vec<i64> = values.collect();
            all.iter().enumerate().rev().max_by_key(|&(_, v)| v).and_then(|(i, _)| i64::try_from(i).ok())
        }
    };
    found.ok_or_else(|| "nothing to reduce".into())
}

pub(super) fn pool(how: Pool, values: impl Iterator<Item = i64>) -> Result<i64, String> {
    match how {
        Pool::Max => values.max().ok_or_else(|| "a window of padding only".into()),
        Pool::Average => {
            let (mut sum, mut count) = (0i64, 0i64);
            for value in values {
                sum = sum.checked_add(value).ok_or(LEAVES)?;
                count += 1;
            }
            if count == 0 {
                return Err("a window of padding only".into());
            }
            // TOSA's reciprocal_scale.
            let k = 64 - (count as u64 - 1).leading_zeros();
            let multiplier = ((1i64 << 30) + 1).checked_shl(k).ok_or(LEAVES)? / count;
            let product = sum.checked_mul(multiplier).ok_or(LEAVES)?;
            Ok((product + (1i64 << (29 + k))) >> (30 + k))
        }
    }
}

/// The element of a resized image at `out`, from one of the size `ifm`.
pub(super) fn resize(
    mode: ResizeMode,
    axes: &[ResizeAxis; 2],
    out: [usize; 2],
    ifm: [usize; 2],
    get: impl Fn(usize, usize) -> i64,
) -> Result<i64, String> {
    // For rows and columns: the two elements around the point, and how far it is from the first.
    let mut around = [([0usize; 2], 0i64, 1i64); 2];
    for i in 0..2 {
        let ResizeAxis { numerator, denominator, offset } = axes[i];
        let (n, last) = (i64::from(numerator), i64::try_from(ifm[i]).map_err(|e| e.to_string())? - 1);
        let at = i64::try_from(out[i]).ok().and_then(|o| o.checked_mul(denominator.into()));
        let at = at.and_then(|at| at.checked_add(offset.into())).ok_or(LEAVES)?;
        let first = at.div_euclid(n);
        let place = |i: i64| i.clamp(0, last) as usize;
        around[i] = ([place(first), place(first + 1)], at - first * n, n);
    }
    let [(y, dy, ny), (x, dx, nx)] = around;
    match mode {
        ResizeMode::Nearest => Ok(get(y[usize::from(2 * dy >= ny)], x[usize::from(2 * dx >= nx)])),
        ResizeMode::Bilinear => {
            let mut sum = 0;
            for (y, weight_y) in [(y[0], ny - dy), (y[1], dy)] {
                for (x, weight_x) in [(x[0], nx - dx), (x[1], dx)] {
                    sum = mac(sum, get(y, x), weight_y * weight_x)?;
                }
            }
            Ok(sum)
        }
    }
}

/// A value of 16 bits in a table of 513: on the line between the entries at both sides, times 128.
pub(super) fn interpolated(table: &[i64], value: i64) -> Result<i64, String> {
    let at = usize::try_from(value.saturating_add(1 << 15)).ok().map(|at| at >> 7);
    let pair = at.and_then(|at| Some((*table.get(at)?, *table.get(at + 1)?)));
    let (base, next) = pair.ok_or("a value leaves its table")?;
    let slope = i16::try_from(next - base);
    let slope = slope.map_err(|_| "two neighbours of the table differ by more than 16 bits")?;
    Ok((base << 7) + i64::from(slope) * (value & 127))
}
