//! The place of the greatest element.

use super::{Cx, Step, derived, permuted};
use crate::ir::{Elem, Elementwise, Factor, Input, Kind, Op, Output, Reduce, Scaling, View};
use crate::rules::is_nhwc;
use tombolo_tosa::Data;

/// Columns that one of U85's operations looks through.
const COLUMNS: usize = 256;

impl Cx<'_> {
    /// U85 has an operation for up to 256 columns. Else the place becomes a part of the number: the greatest
    /// `value * 2^k + (n - 1 - place)` is the first of the greatest values, and its low bits tell the place.
    pub(super) fn argmax(&mut self, op: &Op) -> Result<Step, String> {
        let input = op.inputs[0];
        let [h, w, n] = input.view.shape;
        let elem = self.elem(&input.view);
        if self.u85() && n <= COLUMNS && elem.bits() <= 16 && columns(op).is_some() {
            return Ok(Step::Legal);
        }
        let k = n.next_power_of_two().trailing_zeros();
        if elem.bits() + k > 31 {
            return Err(format!(
                "the greatest of {n} elements of {elem}: value and place need more than 31 bits"
            ));
        }
        let shape = [h, w, n];
        let wide = self.temporary(op, Elem::I32, shape)?;
        let scaling = Scaling::Global(Factor { multiplier: 1 << k, shift: 0 });
        let mut parts = Vec::new();
        let widened = Output { scaling, ..Output::plain(wide) };
        parts.push(derived(op, Kind::Identity, vec![input], widened));
        let places: Option<Vec<i32>> = (0..n).rev().map(|i| i32::try_from(i).ok()).collect();
        let places = self.constant(op, "places", Data::I32(places.ok_or("too many elements")?));
        let places = View { tensor: places, offset: 0, shape, strides: [0, 0, 1] };
        let keys = self.temporary(op, Elem::I32, shape)?;
        let plain = |view: View| Input::new(view, 0, true);
        let both = |how, a: View, b: View, to: View| {
            derived(op, Kind::Elementwise(how), vec![plain(a), plain(b)], Output::plain(to))
        };
        parts.push(both(Elementwise::Add, wide, places, keys));
        let shape = [h, w, 1];
        let most = self.temporary(op, Elem::I32, shape)?;
        parts.push(derived(op, Kind::Reduce(Reduce::Max), vec![plain(keys)], Output::plain(most)));
        let mut number = |what: &str, value: i32| {
            let tensor = self.constant(op, what, Data::I32(vec![value]));
            View { tensor, offset: 0, shape, strides: [0; 3] }
        };
        let (bits, size) = (number("bits", k as i32), number("size", 1 << k));
        let last = number("last", i32::try_from(n - 1).map_err(|_| "too many elements")?);
        let (value, high, low) = (
            self.temporary(op, Elem::I32, shape)?,
            self.temporary(op, Elem::I32, shape)?,
            self.temporary(op, Elem::I32, shape)?,
        );
        parts.push(both(Elementwise::Asr { round: false }, most, bits, value));
        parts.push(both(Elementwise::Mul, value, size, high));
        parts.push(both(Elementwise::Sub, most, high, low));
        let mut place = both(Elementwise::Sub, last, low, op.output.view);
        place.output = op.output.clone();
        parts.push(place);
        Ok(Step::Into(parts))
    }
}

/// The views with the axis that is searched as columns, if channels are neighbours then.
pub(crate) fn columns(op: &Op) -> Option<(View, View)> {
    let (from, to) = (op.inputs.first()?.view, op.output.view);
    [[0, 2, 1], [1, 2, 0]]
        .into_iter()
        .map(|axes| (permuted(&from, axes), permuted(&to, axes)))
        .find(|(from, to)| is_nhwc(from) && is_nhwc(to))
}
