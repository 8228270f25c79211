//! The inner loop of convolutions and matrix products: a small tile of the output that stays in
//! registers while all products for it are added up.
//!
//! A tile has some rows (output channels, rows of a matrix) and [`COLUMNS`] columns (pixels of a
//! row, columns of a matrix). Each step along the summed dimension takes one value per row and one
//! per column and adds their products, so that each value that is loaded is used several times.
//! Columns are the vector: with feature `fast` as wide as two SSE or NEON registers, else four
//! scalars, which with [`ROWS`] rows fit the 32 registers of a Cortex-M FPU.

/// Columns of a tile.
pub(crate) const COLUMNS: usize = if cfg!(feature = "fast") { 8 } else { 4 };
/// Rows of a full tile.
pub(crate) const ROWS: usize = 4;

/// Sums of a tile: `R` rows of columns.
pub(crate) type Tile<const R: usize> = [[f32; COLUMNS]; R];

/// Values that are the same for all columns: one per row and step.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'t> {
    pub(crate) data: &'t [f32],
    /// Where row 0 of step 0 is.
    pub(crate) at: usize,
    /// From a row to the next.
    pub(crate) across: usize,
    /// From a step to the next.
    pub(crate) along: usize,
}

/// Values that are the same for all rows: one per column and step.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'t> {
    pub(crate) data: &'t [f32],
    pub(crate) places: Places,
    /// From a step to the next.
    pub(crate) along: usize,
}

/// Where the columns of step 0 are.
#[derive(Clone, Copy)]
pub(crate) enum Places {
    /// One after the other from here. Those past the last wanted column may be anything.
    Row(usize),
    /// Anywhere; [`NOWHERE`] reads as 0.
    Each([usize; COLUMNS]),
}

/// A place outside of all memory, also some steps further.
pub(crate) const NOWHERE: usize = usize::MAX / 2;

impl Places {
    /// `count` columns from `at` on, `across` apart.
    pub(crate) fn strided(at: usize, across: usize) -> Places {
        if across == 1 {
            return Places::Row(at);
        }
        let mut places = [at; COLUMNS];
        for (i, place) in places.iter_mut().enumerate() {
            *place = place.wrapping_add(i.wrapping_mul(across));
        }
        Places::Each(places)
    }
}

/// Adds the products of `steps` steps to `tile`.
#[inline]
pub(crate) fn accumulate<const R: usize>(tile: &mut Tile<R>, rows: Rows<'_>, columns: Columns<'_>, steps: usize) {
    // A copy that is no memory: its address is never taken.
    let mut sums = *tile;
    let mut at = rows.at;
    let mut shift = 0usize;
    for _ in 0..steps {
        let x = match columns.places {
            Places::Row(start) => row(columns.data, start.wrapping_add(shift)),
            Places::Each(places) => places.map(|p| value(columns.data, p.wrapping_add(shift))),
        };
        let mut w = [0.0; R];
        for (r, w) in w.iter_mut().enumerate() {
            *w = value(rows.data, at.wrapping_add(r.wrapping_mul(rows.across)));
        }
        for (sums, w) in sums.iter_mut().zip(w) {
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum += w * x;
            }
        }
        at = at.wrapping_add(rows.along);
        shift = shift.wrapping_add(columns.along);
    }
    *tile = sums;
}

#[inline]
fn value(data: &[f32], at: usize) -> f32 {
    data.get(at).copied().unwrap_or(0.0)
}

#[inline]
fn row(data: &[f32], start: usize) -> [f32; COLUMNS] {
    if let Some(chunk) = data.get(start..).and_then(|rest| rest.first_chunk::<COLUMNS>()) {
        return *chunk;
    }
    // The last columns of the last row: what lies past the end is not wanted.
    let mut i = start;
    [0.0; COLUMNS].map(|_| {
        let x = value(data, i);
        i = i.wrapping_add(1);
        x
    })
}
