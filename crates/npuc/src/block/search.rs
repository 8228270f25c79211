//! The cuts that fit, and the search among them.

use tombolo_ethosu::Ublock;

use super::cycles::{Cut, Model};
use super::rams::{self, Limits};
use super::shape::Shape;
use super::shram::{self, Shram};
use super::task::{Class, Task};
use super::{Cycles, Neighbours};
use crate::hw::{Config, KernelOp, Kind, Upscale};

/// Channels that blocks which do not cover the whole depth come in.
const SPLIT_DEPTH: u64 = 16;

/// The memories inside.
#[derive(Debug, Clone, Copy)]
enum Memories {
    U5x(Shram),
    U85(Limits),
}

/// All cuts of an operation.
#[derive(Debug, Clone)]
pub(super) struct Space {
    task: Task,
    memories: Memories,
    /// Most columns of a resize's block (U85).
    resize_columns: u64,
    /// Whether two blocks must fit in the memories at once (U85).
    twice: bool,
}

/// Sizes along the axes for one micro-block and order of weights.
struct Axes {
    ublock: Shape,
    part_kernel: bool,
    granule: Shape,
    /// Largest block.
    max: Shape,
    depths: Vec<u64>,
}

impl Axes {
    fn cut(&self, ofm: Shape) -> Cut {
        Cut { ofm, ublock: self.ublock, part_kernel: self.part_kernel }
    }
}

fn shape(ublock: Ublock) -> Shape {
    Shape::new(ublock.height.into(), ublock.width.into(), ublock.depth.into())
}

impl Space {
    pub(super) fn new(op: &KernelOp, task: &Task) -> Result<Space, String> {
        let memories = match Limits::new(task) {
            Some(limits) => Memories::U85(limits),
            None => Memories::U5x(Shram::new(task)),
        };
        let mut resize_columns = 0;
        if let (Kind::Resize { axes: [_, [numerator, denominator, _]], .. }, Memories::U85(limits)) =
            (op.kind, memories)
        {
            let number = |n: i32| u64::try_from(n).ok().filter(|&n| (1..=1 << 16).contains(&n));
            let (Some(numerator), Some(denominator)) = (number(numerator), number(denominator)) else {
                return Err(format!("a resize by {numerator} / {denominator}"));
            };
            resize_columns = limits.resize_columns(task, numerator, denominator);
        }
        let mut space = Space { task: *task, memories, resize_columns, twice: true };
        // Others than convolutions do not ask for two, and some convolutions have no room for them.
        space.twice = matches!(task.class, Class::Conv { .. }) && space.smallest().is_some();
        Ok(space)
    }

    /// Micro-blocks and orders of weights, with the sizes that blocks may have.
    fn variants(&self) -> impl Iterator<Item = Axes> {
        let task = &self.task;
        let orders: &[bool] = match task.class {
            Class::Conv { product: false } => &[false, true],
            _ => &[false],
        };
        let ublocks = task.accelerator.ublocks().iter().map(|&ublock| shape(ublock));
        let pairs = ublocks.flat_map(|ublock| orders.iter().map(move |&order| (ublock, order)));
        pairs.filter_map(|(ublock, part_kernel)| self.axes(ublock, part_kernel))
    }

    fn axes(&self, ublock: Shape, part_kernel: bool) -> Option<Axes> {
        let task = &self.task;
        let (granule, max, step) = match &self.memories {
            Memories::U5x(_) => (ublock, shram::MAX_BLOCK, ublock.c),
            Memories::U85(limits) => {
                if !rams::allowed(task, ublock, part_kernel) {
                    return None;
                }
                let mut granule = limits.granule(task, ublock);
                let mut max = limits.max;
                if matches!(task.class, Class::Resize(_)) {
                    max = Shape::new(1, self.resize_columns.min(max.w), 16);
                    granule.w = granule.w.min(max.w);
                    max.w -= max.w % granule.w;
                }
                let step = if matches!(task.class, Class::Conv { .. }) { ublock.c } else { rams::ACC_DEPTH };
                (granule, max, step)
            }
        };
        let mut max = task.ofm.min(max).round_up(granule).min(max);
        max.c = max.c.next_multiple_of(step);
        let mut depths = Vec::new();
        let mut depth = step.max(max.c.min(SPLIT_DEPTH));
        loop {
            if depth < task.ofm.c {
                depth = depth.next_multiple_of(SPLIT_DEPTH);
            }
            if depth > max.c.max(step) {
                break;
            }
            depths.push(depth);
            depth += step;
        }
        Some(Axes { ublock, part_kernel, granule, max, depths })
    }

    /// The configuration, if it fits.
    fn config(&self, axes: &Axes, ofm: Shape) -> Option<Config> {
        let task = &self.task;
        let elementwise = matches!(task.class, Class::Elementwise(_));
        let depth = task.ifm_block_depth(axes.ublock, axes.part_kernel).unwrap_or(ofm.c);
        let reach = |granule: Shape, upscale: Upscale| {
            let (h, w) = task.reach(ofm, granule, upscale);
            Shape::new(h, w, depth.next_multiple_of(granule.c.max(1)))
        };
        let (ifm, shram) = match &self.memories {
            Memories::U5x(shram) => {
                let granule = Shape::new(axes.ublock.h, axes.ublock.w, 1);
                let ifm = reach(granule, task.upscale);
                (ifm, shram.layout(ofm, ifm)?)
            }
            Memories::U85(limits) => {
                let granule = rams::ifm_granule(task, axes.ublock, depth);
                // Vela gives poolings and depthwise convolutions room as if there were no upscaling.
                let conv = matches!(task.class, Class::Conv { .. });
                let ifm = match () {
                    () if elementwise => ofm,
                    () if conv => reach(granule, task.upscale),
                    () => reach(granule, Upscale::None),
                };
                if !limits.fits(task, axes.ublock, ofm, ifm, self.twice) {
                    return None;
                }
                (ifm, [0; 3])
            }
        };
        Some(Config {
            ofm: ofm.array(),
            ifm: ifm.array(),
            part_kernel: axes.part_kernel,
            acc: task.acc,
            ublock: axes.ublock.array(),
            shram,
        })
    }

    /// Some configuration with the smallest block, if it fits.
    fn smallest(&self) -> Option<Config> {
        self.variants().find_map(|axes| {
            let &depth = axes.depths.first()?;
            self.config(&axes, Shape::new(axes.granule.h, axes.granule.w, depth))
        })
    }

    /// All that fit.
    pub(super) fn all(&self) -> Vec<Config> {
        let mut all = Vec::new();
        for axes in self.variants() {
            for &depth in &axes.depths {
                // What is too wide for a row is too wide for more rows.
                let mut columns = axes.max.w / axes.granule.w;
                for h in (1..=axes.max.h / axes.granule.h).map(|n| n * axes.granule.h) {
                    let mut fitted = 0;
                    for w in 1..=columns {
                        match self.config(&axes, Shape::new(h, w * axes.granule.w, depth)) {
                            Some(config) => {
                                all.push(config);
                                fitted = w;
                            }
                            None => break,
                        }
                    }
                    columns = fitted;
                }
            }
        }
        all
    }

    /// Whether a configuration is one of those that fit.
    pub(super) fn contains(&self, config: &Config) -> bool {
        let Ok(ofm) = Shape::checked(config.ofm, "a block") else { return false };
        self.variants()
            .filter(|axes| axes.ublock.array() == config.ublock && axes.part_kernel == config.part_kernel)
            .any(|axes| {
                ofm.h.is_multiple_of(axes.granule.h)
                    && ofm.w.is_multiple_of(axes.granule.w)
                    && ofm.h <= axes.max.h
                    && ofm.w <= axes.max.w
                    && axes.depths.contains(&ofm.c)
                    && self.config(&axes, ofm).as_ref() == Some(config)
            })
    }

    /// The best for the model, of sizes along each axis that cut it into about equal pieces, and of blocks that are
    /// as high or as wide as fits. What lies between them costs about the same.
    pub(super) fn best(&self, model: &Model) -> Option<Config> {
        let mut found = Found { model, ranked: Vec::new(), least: u64::MAX };
        for axes in self.variants() {
            let ofm = self.task.ofm;
            let rows = sizes(ofm.h, axes.granule.h, axes.max.h);
            let columns = sizes(ofm.w, axes.granule.w, axes.max.w);
            for &depth in &thinned(&axes.depths, ofm.c) {
                // In smaller blocks, the MACs take no less.
                let largest_block = Shape::new(axes.max.h, axes.max.w, depth);
                if model.least_mac(&axes.cut(largest_block)) > near(found.least) {
                    continue;
                }
                // What is too high for few columns is too high for more.
                let mut highest = axes.max.h / axes.granule.h;
                for &w in columns.iter().rev() {
                    let block = |n: u64| Shape::new(n * axes.granule.h, w, depth);
                    let Some((n, config)) = largest(highest, |n| self.config(&axes, block(n))) else { break };
                    highest = n;
                    found.add(&axes, config, block(n));
                    for &h in rows.iter().filter(|&&h| h < n * axes.granule.h) {
                        let block = Shape::new(h, w, depth);
                        if let Some(config) = self.config(&axes, block) {
                            found.add(&axes, config, block);
                        }
                    }
                }
                for &h in &rows {
                    let block = |n: u64| Shape::new(h, n * axes.granule.w, depth);
                    let widest = axes.max.w / axes.granule.w;
                    if let Some((n, config)) = largest(widest, |n| self.config(&axes, block(n)))
                        && !columns.contains(&(n * axes.granule.w))
                    {
                        found.add(&axes, config, block(n));
                    }
                }
            }
        }
        found.best()
    }
}

/// Configurations that were looked at.
struct Found<'a> {
    model: &'a Model,
    ranked: Vec<(Rank, Config)>,
    least: u64,
}

impl Found<'_> {
    fn add(&mut self, axes: &Axes, config: Config, ofm: Shape) {
        let rank = Rank::new(&self.model.estimate(&axes.cut(ofm), Neighbours::NONE), ofm);
        self.least = self.least.min(rank.cycles);
        if rank.cycles <= near(self.least) {
            self.ranked.push((rank, config));
        }
    }

    fn best(self) -> Option<Config> {
        let most = near(self.least);
        let ranked = self.ranked.into_iter().filter(|(rank, _)| rank.cycles <= most);
        ranked.min_by_key(|(rank, _)| (rank.bytes, rank.cycles, rank.block)).map(|(_, config)| config)
    }
}

/// What takes as good as `least` cycles. The estimate is no better than that, and knows nothing of what operations
/// and copies that go on at the same time take from each other: moving fewer bytes is worth more.
fn near(least: u64) -> u64 {
    least.saturating_add(least / 128)
}

/// The largest of 1 to `most` for which there is something, if what there is for a number there is for smaller ones.
fn largest<T>(most: u64, of: impl Fn(u64) -> Option<T>) -> Option<(u64, T)> {
    if let Some(found) = of(most) {
        return Some((most, found));
    }
    let (mut low, mut high) = (1, most);
    let mut best = (1, of(1)?);
    while high - low > 1 {
        let middle = (low + high) / 2;
        match of(middle) {
            Some(found) => (low, best) = (middle, (middle, found)),
            None => high = middle,
        }
    }
    Some(best)
}

/// Sizes of blocks, largest first, no two about the same but where one covers `size` with less at the edge.
fn sizes(size: u64, granule: u64, most: u64) -> Vec<u64> {
    let granule = granule.max(1);
    let covered = |block: u64| size.div_ceil(block) * block;
    let mut found: Vec<u64> = Vec::new();
    let mut next = most - most % granule;
    while next >= granule {
        // As many pieces as of `next`, but equal.
        let equal = size.div_ceil(size.div_ceil(next)).next_multiple_of(granule).min(next);
        found.push(equal);
        // At least a fifth less.
        next = (equal - (equal / 5).max(1)) / granule * granule;
        let between = (next / granule + 1..equal / granule).map(|n| n * granule);
        if let Some(better) = between.min_by_key(|&block| (covered(block), std::cmp::Reverse(block)))
            && covered(better) < covered(equal)
        {
            found.push(better);
        }
    }
    found
}

/// Some of many depths, no two about the same but where one covers `size` with less at the edge.
fn thinned(depths: &[u64], size: u64) -> Vec<u64> {
    // As many as U55 and U65 have.
    if depths.len() <= 8 {
        return depths.iter().rev().copied().collect();
    }
    let mut found: Vec<u64> = Vec::new();
    for (i, &depth) in depths.iter().enumerate().rev() {
        let far = found.last().is_none_or(|&last| depth + last / 5 <= last);
        let equal = i == 0 || size.div_ceil(depth) < size.div_ceil(depths[i - 1]);
        if far || equal && (i == 0 || size.div_ceil(depth) <= 4) {
            found.push(depth);
        }
    }
    found
}

/// What is better is less.
#[derive(Debug, Clone, Copy)]
struct Rank {
    cycles: u64,
    bytes: u64,
    /// Elements of a block: the more, the better.
    block: std::cmp::Reverse<u64>,
}

impl Rank {
    fn new(cycles: &Cycles, block: Shape) -> Rank {
        Rank {
            cycles: cycles.total,
            bytes: cycles.bytes[0].saturating_add(cycles.bytes[1]),
            block: std::cmp::Reverse(block.elements()),
        }
    }
}
