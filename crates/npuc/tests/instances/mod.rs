//! Buffers to allocate, made from seeds: the same everywhere.

use tombolo_npuc::alloc::Buffer;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub(crate) fn percent(&mut self, n: u64) -> bool {
        self.below(100) < n
    }
}

pub(crate) fn buffer(first: usize, last: usize, bytes: u64) -> Buffer {
    Buffer { name: String::new(), bytes, align: 16, first, last, fixed: None, in_place: None }
}

/// Anything: short and long lives, small and large.
pub(crate) fn uniform(seed: u64, n: usize, steps: usize) -> Vec<Buffer> {
    let mut random = Random(seed ^ 0x756e_6966);
    (0..n)
        .map(|_| {
            let first = random.below(steps as u64) as usize;
            let longest = if random.percent(70) { 6 } else { steps as u64 };
            let last = (first + random.below(longest) as usize).min(steps - 1);
            let size = if random.percent(50) { 4096 } else { 65536 };
            buffer(first, last, 1 + random.below(size))
        })
        .collect()
}

/// A network as TOSA has it: each operator reads the one before, every third or so one further back.
pub(crate) fn chain(seed: u64, n: usize) -> Vec<Buffer> {
    let mut random = Random(seed ^ 0x6368_6169);
    let mut size = 400_000;
    (0..n)
        .map(|i| {
            if random.percent(15) {
                size = (size / 2).max(2000);
            }
            let bytes = size / (1 + random.below(6)) + random.below(64);
            let last = if random.percent(35) { i + 2 + random.below(5) as usize } else { i + 1 };
            buffer(i, last.min(n), bytes)
        })
        .collect()
}

/// The same with weights that are copied to fast memory before they are used, and a few long skips.
pub(crate) fn network(seed: u64, n: usize) -> Vec<Buffer> {
    let mut random = Random(seed ^ 0x6e65_7477);
    let mut out = Vec::new();
    let mut size = 200_000;
    let mut i = 0;
    while out.len() < n {
        if random.percent(10) {
            size = (size / 2).max(4000);
        }
        let last = match random.below(20) {
            0 => i + 10 + random.below(30) as usize,
            1..=5 => i + 2 + random.below(4) as usize,
            _ => i + 1,
        };
        out.push(buffer(i, last, size / (1 + random.below(4)) + 16 * random.below(40)));
        if random.percent(80) {
            out.push(buffer(i.saturating_sub(1), i, 1000 + random.below(90_000)));
        }
        i += 1;
    }
    out.truncate(n);
    out
}

/// A full rectangle of steps and bytes, cut into `n` pieces: a packing without any gap exists.
pub(crate) fn cut(seed: u64, n: usize, steps: usize) -> Vec<Buffer> {
    let mut random = Random(seed ^ 0x6375_7400);
    // First step, steps, bytes in units of 16.
    let mut pieces: Vec<(usize, usize, u64)> = vec![(0, steps, 16 * 1024)];
    while pieces.len() < n {
        let at = random.below(pieces.len() as u64) as usize;
        let (first, length, units) = pieces.swap_remove(at);
        let in_time = random.percent(50);
        if in_time && length > 1 {
            let left = 1 + random.below(length as u64 - 1) as usize;
            pieces.extend([(first, left, units), (first + left, length - left, units)]);
        } else if units > 1 {
            let low = 1 + random.below(units - 1);
            pieces.extend([(first, length, low), (first, length, units - low)]);
        } else {
            pieces.push((first, length, units));
        }
    }
    pieces.into_iter().map(|(first, length, units)| buffer(first, first + length - 1, 16 * units)).collect()
}

/// The tensors of MobileNetV2 for 224 by 224 pixels, 8 bits each, in the order of its layers; additions may be in
/// place.
pub(crate) fn mobilenet_v2() -> Vec<Buffer> {
    // Expansion, channels, repeats, stride: table 2 of the paper (Sandler et al., 2018).
    const BLOCKS: [(u64, u64, u64, u64); 7] = [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ];
    let mut out = vec![buffer(0, 0, 224 * 224 * 3)];
    // A layer at step `out.len() - 1` reads the newest tensor and writes the next.
    let layer = |out: &mut Vec<Buffer>, bytes: u64| {
        let step = out.len() - 1;
        out[step].last = step;
        out.push(buffer(step, step, bytes));
    };
    let (mut size, mut channels) = (112, 32);
    layer(&mut out, size * size * channels);
    for (expansion, to, repeats, stride) in BLOCKS {
        for repeat in 0..repeats {
            let input = out.len() - 1;
            let wide = channels * expansion;
            if expansion > 1 {
                layer(&mut out, size * size * wide);
            }
            let stride = if repeat == 0 { stride } else { 1 };
            size /= stride;
            layer(&mut out, size * size * wide);
            layer(&mut out, size * size * to);
            if repeat > 0 {
                let step = out.len() - 1;
                layer(&mut out, size * size * to);
                out[input].last = step;
                out[step + 1].in_place = Some(step);
            }
            channels = to;
        }
    }
    layer(&mut out, size * size * 1280);
    layer(&mut out, 1280);
    layer(&mut out, 1000);
    out
}
