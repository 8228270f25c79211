//! GATHER, ROW_GATHER, SCATTER: with constant indices copies, else operations that only U85 has.

use super::super::{Cx, Place, Strided};
use crate::ir::{Input, Kind, Output, View};
use tombolo_tosa::Operation;

/// So many rows follow each other in both tensors: `from` is in the source, `to` in the target.
struct Run {
    from: usize,
    to: usize,
    rows: usize,
}

/// Pairs of source and target row, in runs.
fn runs(pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for (from, to) in pairs {
        match all.last_mut() {
            Some(run) if run.from + run.rows == from && run.to + run.rows == to => run.rows += 1,
            _ => all.push(Run { from, to, rows: 1 }),
        }
    }
    all
}

fn matrices(place: &Place, what: &str) -> Result<[usize; 3], String> {
    place.dims[..].try_into().map_err(|_| format!("{what} must have three dimensions: {:?}", place.dims))
}

/// Copies runs of rows of one matrix into one.
fn rows(cx: &mut Cx<'_, '_>, runs: &[Run], c: usize, from: View, to: View) -> Result<(), String> {
    for run in runs {
        let strides = vec![c, 1];
        let source =
            Strided { tensor: from.tensor, offset: from.offset + run.from * c, strides: strides.clone() };
        let target = Strided { tensor: to.tensor, offset: to.offset + run.to * c, strides };
        cx.copy(&[run.rows, c], source, &target)?;
    }
    Ok(())
}

/// Indices of all batches, if they are a constant; each names one of `k` rows.
fn constant(cx: &Cx<'_, '_>, indices: &Place, k: usize) -> Result<Option<Vec<usize>>, String> {
    let Some(numbers) = cx.numbers(indices.tensor) else { return Ok(None) };
    let index = |&n: &i64| {
        let found = usize::try_from(n).ok().filter(|&n| n < k);
        found.ok_or(format!("index {n} leaves the {k} rows"))
    };
    numbers.iter().map(index).collect::<Result<Vec<usize>, String>>().map(Some)
}

/// GATHER, and ROW_GATHER with its `count` of rows for each index.
pub(super) fn gather(cx: &mut Cx<'_, '_>, op: &Operation, count: Option<i64>) -> Result<(), String> {
    let (values, indices) = (cx.input(op, 0)?, cx.input(op, 1)?);
    let to = cx.result(op)?;
    let [n, k, c] = matrices(&values, "values")?;
    let [on, ow, oc] = matrices(&to, "the result")?;
    let count = usize::try_from(count.unwrap_or(1)).ok().filter(|&r| r >= 1 && r <= k);
    let count = count.ok_or(format!("row_count must be 1 to {k}"))?;
    let &[m, w] = &indices.dims[..] else { return Err("indices must have two dimensions".into()) };
    if (m, on, Some(ow), oc) != (n, n, w.checked_mul(count), c) {
        return Err(format!("{w} indices into {:?} do not make {:?}", values.dims, to.dims));
    }
    let known = constant(cx, &indices, k - count + 1)?;
    for i in 0..n {
        let (source, target) = (values.batch(i, [1, k, c]), to.batch(i, [1, ow, c]));
        if let Some(known) = &known {
            let pairs = known[i * w..(i + 1) * w].iter().enumerate();
            let pairs = pairs.flat_map(|(j, &index)| (0..count).map(move |r| (index + r, j * count + r)));
            rows(cx, &runs(pairs), c, source, target)?;
            continue;
        }
        let index = Input::new(View { shape: [1, w, 1], ..indices.batch(i, [1, w, 1]) }, 0, true);
        for row in 0..count {
            let source = View { offset: source.offset + row * c, shape: [1, k - count + 1, c], ..source };
            let target = View {
                offset: target.offset + row * c,
                shape: [1, w, c],
                strides: [0, count * c, 1],
                ..target
            };
            cx.push(Kind::Gather, vec![Input::new(source, 0, true), index], Output::plain(target))?;
        }
    }
    Ok(())
}

/// SCATTER.
pub(super) fn scatter(cx: &mut Cx<'_, '_>, op: &Operation) -> Result<(), String> {
    let (values, indices, input) = (cx.input(op, 0)?, cx.input(op, 1)?, cx.input(op, 2)?);
    let to = cx.result(op)?;
    let [n, k, c] = matrices(&values, "values_in")?;
    let &[m, w] = &indices.dims[..] else { return Err("indices must have two dimensions".into()) };
    if m != n || input.dims != [n, w, c] || to.dims != values.dims {
        return Err(format!("rows {:?} have no place in {:?}", input.dims, values.dims));
    }
    let known = constant(cx, &indices, k)?;
    for i in 0..n {
        let (old, new) = (values.batch(i, [1, k, c]), input.batch(i, [1, w, c]));
        let target = to.batch(i, [1, k, c]);
        if let Some(known) = &known {
            // Replaced rows in order, and what is between them.
            let rows_of = known[i * w..(i + 1) * w].iter().enumerate();
            let mut named: Vec<(usize, usize)> = rows_of.map(|(j, &index)| (index, j)).collect();
            named.sort_unstable();
            if let Some(pair) = named.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(format!("index {} stands there twice", pair[0].0));
            }
            let starts = [0].into_iter().chain(named.iter().map(|(index, _)| index + 1));
            let ends = named.iter().map(|(index, _)| *index).chain([k]);
            let kept = starts.zip(ends).filter(|(from, to)| from < to);
            let kept: Vec<Run> = kept.map(|(from, to)| Run { from, to: from, rows: to - from }).collect();
            rows(cx, &kept, c, old, target)?;
            rows(cx, &runs(named.into_iter().map(|(index, j)| (j, index))), c, new, target)?;
            continue;
        }
        let inputs = [old, indices.batch(i, [1, w, 1]), new].map(|view| Input::new(view, 0, true));
        cx.push(Kind::Scatter, inputs.into(), Output::plain(target))?;
    }
    Ok(())
}
