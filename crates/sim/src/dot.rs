//! Dot products: where the simulator spends its time.

/// Rows are padded to a multiple of this.
pub(crate) const GRANULE: usize = 16;

/// Every row of `x` (`k` long, a multiple of [`GRANULE`]) with each of four rows of weights. No sum
/// may leave 32 bits.
pub(crate) fn narrow(x: &[i16], w: [&[i16]; 4], k: usize, each: impl FnMut(usize, [i32; 4])) {
    narrow_rows(x, w, k, each);
}

#[inline(always)]
fn narrow_rows(x: &[i16], w: [&[i16]; 4], k: usize, mut each: impl FnMut(usize, [i32; 4])) {
    if k == 0 {
        return;
    }
    for (i, x) in x.chunks_exact(k).enumerate() {
        let mut sums = [0; 4];
        let [w0, w1, w2, w3] = w;
        for ((((x, w0), w1), w2), w3) in x.iter().zip(w0).zip(w1).zip(w2).zip(w3) {
            let x = i32::from(*x);
            sums[0] += x * i32::from(*w0);
            sums[1] += x * i32::from(*w1);
            sums[2] += x * i32::from(*w2);
            sums[3] += x * i32::from(*w3);
        }
        each(i, sums);
    }
}

/// As [`narrow`] for inputs of up to 17 bits and sums of 64; weights have nine bits.
pub(crate) fn wide(x: &[i32], w: [&[i16]; 4], k: usize, mut each: impl FnMut(usize, [i64; 4])) {
    if k == 0 {
        return;
    }
    for (i, x) in x.chunks_exact(k).enumerate() {
        let sums = w.map(|w| {
            x.chunks_exact(GRANULE)
                .zip(w.chunks_exact(GRANULE))
                .map(|(x, w)| {
                    // 16 products of 26 bits fit 32.
                    let part: i32 = x.iter().zip(w).map(|(&x, &w)| x * i32::from(w)).sum();
                    i64::from(part)
                })
                .sum()
        });
        each(i, sums);
    }
}
