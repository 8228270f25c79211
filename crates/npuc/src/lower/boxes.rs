//! Any number of dimensions as boxes of three.

use super::{MOST, Strided};
use crate::ir::View;

/// Splits dimensions that all operands go through together into boxes of height, width and depth. The last
/// dimension stays as it is: a factor may belong to each of its elements. Of the others, those that all operands
/// walk through as one are merged, and the smallest are counted out until two are left. For each box there is a
/// view of each operand.
pub(super) fn boxes(dims: &[usize], operands: &[&Strided]) -> Result<Vec<Vec<View>>, String> {
    // Size, and the stride in each operand.
    let mut axes: Vec<(usize, Vec<usize>)> = dims
        .iter()
        .enumerate()
        .map(|(i, &size)| (size, operands.iter().map(|o| o.strides.get(i).copied().unwrap_or(0)).collect()))
        .collect();
    while axes.len() < 3 {
        axes.insert(0, (1, vec![0; operands.len()]));
    }
    while axes.len() > 3 {
        let front = axes.len() - 1;
        if let Some(i) = axes[..front].iter().position(|(size, _)| *size == 1) {
            axes.remove(i);
            continue;
        }
        let together = |i: &usize| {
            let (inner, strides) = &axes[i + 1];
            axes[*i].1.iter().zip(strides).all(|(a, b)| Some(*a) == b.checked_mul(*inner))
        };
        let Some(i) = (0..front - 1).find(together) else { break };
        let (size, _) = axes.remove(i);
        axes[i].0 = axes[i].0.checked_mul(size).ok_or("the shape is too large")?;
    }
    let mut outer = Vec::new();
    while axes.len() > 3 {
        let smallest = (0..axes.len() - 1).min_by_key(|&i| axes[i].0).unwrap_or(0);
        outer.push(axes.remove(smallest));
    }
    let inner = axes;
    let count = outer.iter().try_fold(1usize, |n, (size, _)| n.checked_mul(*size)).filter(|&n| n <= MOST);
    let count =
        count.ok_or(format!("shape {dims:?} needs more than {MOST} operations of three dimensions"))?;
    let mut all = Vec::with_capacity(count);
    for i in 0..count {
        let mut offsets: Vec<usize> = operands.iter().map(|o| o.offset).collect();
        let mut rest = i;
        for (size, strides) in outer.iter().rev() {
            offsets.iter_mut().zip(strides).for_each(|(offset, stride)| *offset += rest % size * stride);
            rest /= size;
        }
        let view = |n: usize, operand: &&Strided| View {
            tensor: operand.tensor,
            offset: offsets[n],
            shape: [inner[0].0, inner[1].0, inner[2].0],
            strides: [inner[0].1[n], inner[1].1[n], inner[2].1[n]],
        };
        all.push(operands.iter().enumerate().map(|(n, o)| view(n, o)).collect());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::super::dense;
    use super::*;
    use crate::ir::TensorId;

    fn operand(strides: Vec<usize>) -> Strided {
        Strided { tensor: TensorId(0), offset: 0, strides }
    }

    #[test]
    fn leading_dimensions_merge_where_memory_allows() {
        let dims = [2, 3, 4, 5];
        let straight = operand(dense(&dims));
        let views = boxes(&dims, &[&straight, &straight]).unwrap();
        assert_eq!(views.len(), 1);
        assert_eq!((views[0][0].shape, views[0][0].strides), ([6, 4, 5], [20, 5, 1]));

        // The two outermost swapped: no common walk, so one box for each of the first.
        let swapped = operand(vec![20, 40, 5, 1]);
        let views = boxes(&dims, &[&straight, &swapped]).unwrap();
        assert_eq!(views.len(), 2);
        assert_eq!((views[1][0].offset, views[1][1].offset), (60, 20));
    }

    /// Merged in the middle, and the smallest counted out.
    #[test]
    fn boxes_are_few() {
        let dims = [7, 2, 3, 4, 5];
        let straight = operand(dense(&dims));
        let views = boxes(&dims, &[&straight, &operand(vec![1, 420, 140, 35, 7])]).unwrap();
        assert_eq!(views.len(), 1);
        assert_eq!((views[0][1].shape, views[0][1].strides), ([7, 24, 5], [1, 35, 7]));

        let views = boxes(&dims, &[&straight, &operand(vec![1, 7, 14, 42, 168])]).unwrap();
        assert_eq!(views.len(), 6);
        assert_eq!((views[5][0].shape, views[5][0].offset), ([7, 4, 5], 100));
    }

    #[test]
    fn few_dimensions_are_the_last_ones() {
        let views = boxes(&[7], &[&operand(vec![1])]).unwrap();
        assert_eq!((views[0][0].shape, views[0][0].strides), ([1, 1, 7], [0, 0, 1]));
        let views = boxes(&[], &[&operand(vec![])]).unwrap();
        assert_eq!(views[0][0].shape, [1, 1, 1]);
    }

    #[test]
    fn too_many_boxes_are_refused() {
        let dims = [300, 301, 302, 303, 2];
        let error = boxes(&dims, &[&operand(vec![1, 1 << 10, 1, 1 << 20, 1])]).unwrap_err();
        assert!(error.contains("more than 65536"), "{error}");
    }
}
