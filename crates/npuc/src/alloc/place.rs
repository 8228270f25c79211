//! Buffers put at the lowest free address, in a given order.

use super::Buffer;

/// Most pairs of buffers that live together of which a list is kept: 128 MiB.
const MAX_PAIRS: u64 = 1 << 24;

/// A buffer of at least one byte.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// In the caller's list.
    pub(super) index: usize,
    pub(super) bytes: u64,
    pub(super) align: u64,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) fixed: Option<u64>,
    /// The item whose start it may share.
    replaces: Option<usize>,
    /// Whether it may share its start with any, in either direction.
    shares: bool,
}

/// Buffers and who lives with whom.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) items: Vec<Item>,
    /// Per item, where its neighbours begin in `neighbours`; one more at the end.
    starts: Vec<usize>,
    /// Items that live in a common step. Empty if there are too many pairs.
    neighbours: Vec<u32>,
    pairs: u64,
}

impl Problem {
    /// Of buffers that were verified.
    pub(super) fn new(buffers: &[Buffer]) -> Problem {
        let mut items = Vec::with_capacity(buffers.len());
        let mut item_of = vec![None; buffers.len()];
        for (index, b) in buffers.iter().enumerate().filter(|(_, b)| b.bytes > 0) {
            item_of[index] = Some(items.len());
            let Buffer { bytes, align, first, last, fixed, .. } = *b;
            items.push(Item { index, bytes, align, first, last, fixed, replaces: None, shares: false });
        }
        for (i, &item) in item_of.iter().enumerate() {
            if let (Some(item), Some(k)) = (item, buffers[i].in_place)
                && let Some(other) = item_of[k].filter(|_| buffers[i].may_replace(&buffers[k]))
            {
                items[item].replaces = Some(other);
                items[item].shares = true;
                items[other].shares = true;
            }
        }
        let mut problem =
            Problem { starts: vec![0; items.len() + 1], neighbours: Vec::new(), pairs: 0, items };
        // First the numbers of neighbours, then the neighbours: no list of pairs is needed beside.
        problem.each_pair(|problem, a, b| {
            problem.pairs += 1;
            problem.starts[a + 1] += 1;
            problem.starts[b + 1] += 1;
        });
        if problem.dense() {
            return problem;
        }
        for i in 0..problem.items.len() {
            problem.starts[i + 1] += problem.starts[i];
        }
        let mut filled = problem.starts.clone();
        problem.neighbours = vec![0; problem.starts.last().copied().unwrap_or(0)];
        problem.each_pair(|problem, a, b| {
            for (from, to) in [(a, b), (b, a)] {
                // There can't be 2^32 buffers: each has a name on the heap.
                problem.neighbours[filled[from]] = to as u32;
                filled[from] += 1;
            }
        });
        problem
    }

    /// Calls `each` for all pairs that live in a common step, once.
    fn each_pair(&mut self, mut each: impl FnMut(&mut Problem, usize, usize)) {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by_key(|&i| (self.items[i].first, i));
        let mut alive: Vec<usize> = Vec::new();
        for i in order {
            let first = self.items[i].first;
            alive.retain(|&j| self.items[j].last >= first);
            for &j in &alive {
                each(self, j, i);
            }
            alive.push(i);
        }
    }

    /// Whether there are too many pairs to know them: then [`neighbours`](Problem::neighbours) has none.
    pub(super) fn dense(&self) -> bool {
        self.pairs > MAX_PAIRS
    }

    pub(super) fn neighbours(&self, item: usize) -> &[u32] {
        self.neighbours.get(self.starts[item]..self.starts[item + 1]).unwrap_or(&[])
    }

    /// How many pairs live in a common step.
    pub(super) fn pairs(&self) -> u64 {
        self.pairs
    }

    fn may_share(&self, a: usize, b: usize) -> bool {
        self.items[a].replaces == Some(b) || self.items[b].replaces == Some(a)
    }

    fn meet(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.items[a], &self.items[b]);
        a != b && x.first <= y.last && y.first <= x.last
    }
}

/// Bytes that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Taken {
    start: u64,
    end: u64,
    item: usize,
}

/// Addresses that follow from an order.
#[derive(Debug)]
pub(super) struct Placer<'p> {
    pub(super) problem: &'p Problem,
    /// The order of the items without an address of their own.
    pub(super) order: Vec<usize>,
    /// Per item, its place in `order` plus one; 0 for those that had an address.
    turn: Vec<usize>,
    addresses: Vec<u64>,
    /// Per place in `order`, the highest end of all before it.
    peaks: Vec<u64>,
    taken: Vec<Taken>,
    /// Comparisons of two items so far.
    pub(super) work: u64,
}

impl<'p> Placer<'p> {
    /// In the caller's order, nothing placed yet.
    pub(super) fn new(problem: &'p Problem) -> Placer<'p> {
        let items = &problem.items;
        let order: Vec<usize> = (0..items.len()).filter(|&i| items[i].fixed.is_none()).collect();
        let ends = items.iter().filter_map(|item| Some(item.fixed? + item.bytes));
        Placer {
            problem,
            turn: vec![0; items.len()],
            addresses: items.iter().map(|item| item.fixed.unwrap_or(0)).collect(),
            peaks: vec![ends.max().unwrap_or(0); order.len() + 1],
            order,
            taken: Vec::new(),
            work: 0,
        }
    }

    pub(super) fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// The place of an item in the order, if it has one.
    pub(super) fn turn(&self, item: usize) -> Option<usize> {
        self.turn[item].checked_sub(1)
    }

    /// Puts the items from place `from` of the order on; those before must be placed. Returns the peak, or as an
    /// error the first place in the order whose item ends above `limit`: then [`place`](Placer::place) must be
    /// called again before the addresses from there on mean anything.
    pub(super) fn place(&mut self, from: usize, limit: u64) -> Result<u64, usize> {
        for (t, &i) in self.order.iter().enumerate().skip(from) {
            self.turn[i] = t + 1;
        }
        for t in from..self.order.len() {
            let i = self.order[t];
            let address = self.lowest(i, t + 1);
            self.addresses[i] = address;
            let end = address + self.problem.items[i].bytes;
            self.peaks[t + 1] = self.peaks[t].max(end);
            if end > limit {
                return Err(t);
            }
        }
        Ok(self.peaks.last().copied().unwrap_or(0))
    }

    /// The lowest address at which an item is free of all whose turn is before `turn`.
    fn lowest(&mut self, i: usize, turn: usize) -> u64 {
        let problem = self.problem;
        let item = &problem.items[i];
        self.taken.clear();
        let (turns, addresses) = (&self.turn, &self.addresses);
        let taken = |other: usize| {
            let start = addresses[other];
            Taken { start, end: start + problem.items[other].bytes, item: other }
        };
        if problem.dense() {
            self.work += problem.items.len() as u64;
            let others = (0..problem.items.len()).filter(|&j| turns[j] < turn && problem.meet(i, j));
            self.taken.extend(others.map(taken));
        } else {
            let neighbours = problem.neighbours(i);
            self.work += neighbours.len() as u64;
            let others = neighbours.iter().map(|&j| j as usize).filter(|&j| turns[j] < turn);
            self.taken.extend(others.map(taken));
        }
        self.taken.sort_unstable();
        let mut at = 0u64;
        for taken in &self.taken {
            if at + item.bytes <= taken.start {
                break;
            }
            at = at.max(taken.end.next_multiple_of(item.align));
        }
        if !item.shares {
            return at;
        }
        // Or at the start of one that it may share with, if nothing else is there.
        let free = |start: u64| {
            let clear = |t: &Taken| {
                t.end <= start
                    || start + item.bytes <= t.start
                    || t.start == start && problem.may_share(i, t.item)
            };
            start.is_multiple_of(item.align) && self.taken.iter().all(clear)
        };
        let shared = self.taken.iter().filter(|t| problem.may_share(i, t.item) && free(t.start));
        shared.fold(at, |at, t| at.min(t.start))
    }
}
