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

/// Calls `f` with 0 up to `N`. Without feature `fast` written out: an optimizer for size would leave
/// a loop, and with it the tile in memory. One for speed makes vectors of loops rather than of this.
#[inline(always)]
fn each<const N: usize>(mut f: impl FnMut(usize)) {
    if cfg!(feature = "fast") {
        (0..N).for_each(f);
        return;
    }
    const { assert!(cfg!(feature = "fast") || N <= 4) };
    if N > 0 {
        f(0);
    }
    if N > 1 {
        f(1);
    }
    if N > 2 {
        f(2);
    }
    if N > 3 {
        f(3);
    }
}

/// Adds the products of `steps` steps to `tile`.
#[cfg_attr(not(feature = "fast"), inline(never))]
pub(crate) fn accumulate<const R: usize>(
    tile: &mut Tile<R>,
    rows: Rows<'_>,
    columns: Columns<'_>,
    steps: usize,
) {
    // A copy that is no memory: its address is never taken.
    let mut sums = *tile;
    let mut at = rows.at;
    let mut shift = 0usize;
    for _ in 0..steps {
        let x = match columns.places {
            Places::Row(start) => row(columns.data, start.wrapping_add(shift)),
            Places::Each(places) => gather(columns.data, &places, shift),
        };
        let mut place = at;
        each::<R>(|r| {
            let w = value(rows.data, place);
            place = place.wrapping_add(rows.across);
            if let Some(sums) = sums.get_mut(r) {
                each::<COLUMNS>(|c| {
                    if let (Some(sum), Some(x)) = (sums.get_mut(c), x.get(c)) {
                        *sum += w * x;
                    }
                });
            }
        });
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
    let mut places = [0; COLUMNS];
    for (i, place) in places.iter_mut().enumerate() {
        *place = i;
    }
    gather(data, &places, start)
}

/// Not inlined in small code: in a tile's loop it would take the registers that the sums are to be in.
#[cfg_attr(not(feature = "fast"), inline(never))]
fn gather(data: &[f32], places: &[usize; COLUMNS], shift: usize) -> [f32; COLUMNS] {
    places.map(|place| value(data, place.wrapping_add(shift)))
}
