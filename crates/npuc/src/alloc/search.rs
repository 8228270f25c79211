//! Orders that are known to do well, and a search for better ones.
//!
//! The search asks for a peak below the best one. It places an order until a buffer sticks out, takes that one
//! earlier, and goes on from where it now stands: most of the order before it stays as it is, and what comes
//! after is not looked at before the buffers that stick out are in their place. Each success is a new best peak.
//! It is a random walk, which starts anew from time to time, from the best order or from a known one.

use super::Effort;
use super::place::Placer;
use std::cmp::Reverse;

/// Moves of a walk before the next begins. Measured on the instances of `tests/alloc.rs`: 200 to 1000 do equally
/// well.
const WALK: u64 = 500;

/// Most work that counts as one placement of all buffers: bounds the search where there are thousands.
const MAX_ROUND: u64 = 40_000;

/// Leaves the placer with the best addresses that were found. A peak of at most `target` ends the search.
pub(super) fn search(placer: &mut Placer<'_>, target: u64, effort: Effort) {
    let orders = orders(placer);
    let mut best = Best { peak: u64::MAX, order: Vec::new() };
    for order in &orders {
        placer.order.clone_from(order);
        // The first is placed to its end. Later ones give up when they are no better.
        if let Ok(peak) = placer.place(0, best.peak.saturating_sub(1)) {
            best.take(peak, placer);
        }
        if best.peak <= target {
            break;
        }
    }
    if best.peak > target {
        walk(placer, &orders, &mut best, target, effort);
    }
    placer.order = best.order;
    // Was placed before, with the same result.
    let _ = placer.place(0, u64::MAX);
}

struct Best {
    peak: u64,
    order: Vec<usize>,
}

impl Best {
    fn take(&mut self, peak: u64, placer: &Placer<'_>) {
        self.peak = peak;
        self.order.clone_from(&placer.order);
    }
}

/// The orders to start with. Ties are broken by the caller's order.
fn orders(placer: &Placer<'_>) -> Vec<Vec<usize>> {
    let items = &placer.problem.items;
    let life = |i: usize| (items[i].last - items[i].first) as u128;
    let bytes = |i: usize| u128::from(items[i].bytes);
    let sorted = |key: &dyn Fn(usize) -> (u128, u128)| {
        let mut order = placer.order.clone();
        order.sort_by_cached_key(|&i| (Reverse(key(i)), i));
        order
    };
    // Large ones first: TensorFlow Lite Micro's order.
    let by_size = sorted(&|i| (bytes(i), life(i)));
    if placer.problem.dense() {
        return vec![by_size];
    }
    let weight = weights(placer);
    let near = |i: usize| placer.problem.neighbours(i).iter().map(|&n| bytes(n as usize)).sum::<u128>();
    let crowd: Vec<u128> = (0..items.len()).map(|i| bytes(i) + near(i)).collect();
    vec![
        by_size,
        // Those with the most beside them first.
        sorted(&|i| (crowd[i], life(i))),
        // Bottlenecks first: Vela's.
        sorted(&|i| (weight[i].into(), life(i))),
        sorted(&|i| (bytes(i) * (life(i) + 1), bytes(i))),
        sorted(&|i| (life(i), bytes(i))),
    ]
}

/// Per item, the most bytes that live in a step of its life.
fn weights(placer: &Placer<'_>) -> Vec<u64> {
    let items = &placer.problem.items;
    let near = |i: usize| placer.problem.neighbours(i).iter().map(|&n| n as usize);
    // What lives is most in the first step of one of those that live then.
    let alive = |i: usize| {
        let others = near(i).filter(|&j| items[j].first <= items[i].first).map(|j| items[j].bytes);
        items[i].bytes + others.sum::<u64>()
    };
    let alive: Vec<u64> = (0..items.len()).map(alive).collect();
    let most = |i: usize| {
        let later = near(i).filter(|&j| items[j].first >= items[i].first).map(|j| alive[j]);
        later.fold(alive[i], u64::max)
    };
    (0..items.len()).map(most).collect()
}

fn walk(placer: &mut Placer<'_>, starts: &[Vec<usize>], best: &mut Best, target: u64, effort: Effort) {
    if placer.problem.dense() {
        return;
    }
    let round = (2 * placer.problem.pairs()).min(MAX_ROUND);
    let end = placer.work.saturating_add(effort.0.saturating_mul(round));
    let mut random = Random(0);
    let mut earlier: Vec<usize> = Vec::new();
    let (mut from, mut moves) = (0, 0u64);
    placer.order.clone_from(&best.order);
    while best.peak > target && placer.work < end {
        let stuck = match placer.place(from, best.peak - 1) {
            Ok(peak) => {
                best.take(peak, placer);
                from = 0;
                continue;
            }
            Err(turn) => turn,
        };
        moves += 1;
        let walks = moves / WALK;
        if moves.is_multiple_of(WALK) {
            let start = starts.get(walks as usize / 2 % starts.len().max(1)).filter(|_| walks % 2 == 1);
            placer.order.clone_from(start.unwrap_or(&best.order));
            from = 0;
            continue;
        }
        let item = placer.order[stuck];
        let turns = placer.problem.neighbours(item).iter().filter_map(|&n| placer.turn(n as usize));
        earlier.clear();
        earlier.extend(turns.filter(|&turn| turn < stuck));
        // Nothing is in its way but buffers with addresses of their own: no order helps.
        if earlier.is_empty() {
            return;
        }
        let mut pick = || earlier[random.below(earlier.len())];
        // Walks differ in how far they reach: short steps are cheap, long ones leave more behind.
        let to = match walks % 3 {
            0 => pick(),
            1 => pick().max(pick()),
            _ => pick().min(pick()),
        };
        if random.below(8) == 0 {
            placer.order.swap(to, stuck);
        } else {
            placer.order[to..=stuck].rotate_right(1);
        }
        from = to;
    }
}

/// SplitMix64: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % (n.max(1) as u64)) as usize
    }
}
