//! Products of matrices whose elements lie at any strides.

use crate::util::args::Done;
use crate::util::tile::{COLUMNS, Columns, Places, ROWS, Rows, Tile, accumulate};
use tombolo_runtime::{KernelContext, KernelError, Tensor};

/// A matrix, or a batch of matrices.
#[derive(Clone, Copy)]
pub(crate) struct Matrices<'t> {
    pub(crate) data: &'t [f32],
    /// Number of matrices, rows, columns.
    pub(crate) sizes: [usize; 3],
    /// Distance of elements in these directions.
    pub(crate) strides: [usize; 3],
}

impl<'t> Matrices<'t> {
    /// A tensor of rank 2 as one matrix.
    pub(crate) fn one(tensor: &Tensor<'t>) -> Result<Self, KernelError> {
        let (&[rows, columns], &[down, right]) = (&*tensor.shape(), &*tensor.strides()) else {
            return Err(KernelError::Invalid("a matrix has two dimensions"));
        };
        let (sizes, strides) = ([1, rows as usize, columns as usize], [0, down, right]);
        Ok(Matrices { data: tensor.as_slice()?, sizes, strides })
    }

    /// A tensor of rank 3 as a batch of matrices.
    pub(crate) fn batch(tensor: &Tensor<'t>) -> Result<Self, KernelError> {
        let (&[count, rows, columns], &[next, down, right]) = (&*tensor.shape(), &*tensor.strides()) else {
            return Err(KernelError::Invalid("a batch of matrices has three dimensions"));
        };
        let (sizes, strides) = ([count as usize, rows as usize, columns as usize], [next, down, right]);
        Ok(Matrices { data: tensor.as_slice()?, sizes, strides })
    }

    pub(crate) fn transposed(self) -> Self {
        let ([count, rows, columns], [next, down, right]) = (self.sizes, self.strides);
        Matrices { sizes: [count, columns, rows], strides: [next, right, down], ..self }
    }
}

/// Writes the products of `a` and `b` to the output at `position`, which gets the sizes `shape`:
/// `finish` turns the sum for a row and a column into the element.
pub(crate) fn product(
    ctx: &KernelContext<'_, '_>,
    a: Matrices<'_>,
    b: Matrices<'_>,
    position: usize,
    shape: &[u32],
    finish: &dyn Fn(usize, usize, f32) -> f32,
) -> Done {
    let ([count, rows, depth], [others, steps, columns]) = (a.sizes, b.sizes);
    if depth != steps || count != others {
        return Err(KernelError::Invalid("the sizes of two matrices do not fit for a product"));
    }
    let mut out = ctx.out_sized(position, shape)?;
    let (next, down, right) = match *out.strides() {
        [down, right] => (0, down, right),
        [next, down, right] => (next, down, right),
        _ => return Err(KernelError::Invalid("a product of matrices has two or three dimensions")),
    };
    let out = out.as_mut_slice::<f32>()?;
    if out.is_empty() {
        return Ok(());
    }
    for i in 0..count {
        let start = i.wrapping_mul(next);
        multiply([i, rows, columns, depth], a, b, &mut |row, column, sum| {
            let place = start.wrapping_add(row.wrapping_mul(down)).wrapping_add(column.wrapping_mul(right));
            if let Some(slot) = out.get_mut(place) {
                *slot = finish(row, column, sum);
            }
        });
    }
    Ok(())
}

/// Calls `put(row, column, sum)` for each element of product `i`.
pub(crate) fn multiply(
    [i, rows, columns, depth]: [usize; 4],
    a: Matrices<'_>,
    b: Matrices<'_>,
    put: &mut dyn FnMut(usize, usize, f32),
) {
    let mut n = 0;
    while n < columns {
        let mut m = 0;
        while m + ROWS <= rows {
            block::<ROWS>(a, b, [i, m, n, depth], columns, put);
            m += ROWS;
        }
        while m < rows {
            block::<1>(a, b, [i, m, n, depth], columns, put);
            m += 1;
        }
        n += COLUMNS;
    }
}

#[inline(never)]
fn block<const R: usize>(
    a: Matrices<'_>,
    b: Matrices<'_>,
    [i, m, n, depth]: [usize; 4],
    columns: usize,
    put: &mut dyn FnMut(usize, usize, f32),
) {
    let mut tile: Tile<R> = [[0.0; COLUMNS]; R];
    let ([a_next, a_down, a_right], [b_next, b_down, b_right]) = (a.strides, b.strides);
    let at = i.wrapping_mul(a_next).wrapping_add(m.wrapping_mul(a_down));
    let rows = Rows { data: a.data, at, across: a_down, along: a_right };
    let at = i.wrapping_mul(b_next).wrapping_add(n.wrapping_mul(b_right));
    let places = Places::strided(at, b_right);
    accumulate(&mut tile, rows, Columns { data: b.data, places, along: b_down }, depth);
    for (r, sums) in tile.iter().enumerate() {
        for (c, sum) in sums.iter().enumerate().take(columns.saturating_sub(n)) {
            put(m + r, n + c, *sum);
        }
    }
}
