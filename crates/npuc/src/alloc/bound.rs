//! What no allocation undercuts.

use super::{Buffer, MIN_ALIGN};
use std::collections::BTreeMap;

/// Least peaks.
pub(super) struct Bound {
    /// No allocation has less.
    pub(super) peak: u64,
    /// The same as if all sizes were multiples of the least alignment: a peak below can gain less than that, and
    /// is not worth a search.
    pub(super) target: u64,
}

/// The most that lives in one step.
///
/// Buffers that live in one step lie one above the other, and each begins at a multiple of the least alignment:
/// all but the topmost take a multiple of it. Two that may share a start count as the larger one, each buffer
/// being replaced by one at most: two that begin in one step would overlap.
pub(super) fn bound(buffers: &[Buffer]) -> Bound {
    let alive = || buffers.iter().enumerate().filter(|(_, b)| b.bytes > 0);
    let align = alive().map(|(_, b)| b.align).min().unwrap_or(MIN_ALIGN);
    let rounded = |b: &Buffer| b.bytes.next_multiple_of(align);
    // Per buffer that may be replaced: how much that saves in its last step.
    let mut saved = vec![0u64; buffers.len()];
    for (_, b) in alive() {
        if let Some(k) = b.in_place
            && b.may_replace(&buffers[k])
        {
            saved[k] = saved[k].max(rounded(b).min(rounded(&buffers[k])));
        }
    }
    // Bytes come in the first step and go after the last. Steps are doubled, so that there is a place between.
    struct Event {
        at: u128,
        bytes: i128,
        slack: Option<(u64, bool)>,
    }
    let mut events: Vec<Event> = Vec::with_capacity(4 * buffers.len());
    for (i, b) in alive() {
        let (first, last) = (2 * b.first as u128, 2 * b.last as u128);
        let (bytes, slack) = (i128::from(rounded(b)), rounded(b) - b.bytes);
        events.push(Event { at: first, bytes, slack: Some((slack, true)) });
        events.push(Event { at: last + 1, bytes: -bytes, slack: Some((slack, false)) });
        if saved[i] > 0 {
            let bytes = i128::from(saved[i]);
            events.push(Event { at: last, bytes: -bytes, slack: None });
            events.push(Event { at: last + 1, bytes, slack: None });
        }
    }
    events.sort_by_key(|event| event.at);
    let mut slacks: BTreeMap<u64, usize> = BTreeMap::new();
    let (mut live, mut target, mut peak) = (0i128, 0i128, 0i128);
    for (n, event) in events.iter().enumerate() {
        live += event.bytes;
        match event.slack {
            Some((slack, true)) => *slacks.entry(slack).or_insert(0) += 1,
            Some((slack, false)) => {
                if let Some(count) = slacks.get_mut(&slack) {
                    *count -= 1;
                    if *count == 0 {
                        slacks.remove(&slack);
                    }
                }
            }
            None => {}
        }
        // All changes of a step belong together.
        if events.get(n + 1).is_none_or(|next| next.at != event.at) {
            let slack = slacks.last_key_value().map_or(0, |(&slack, _)| slack);
            target = target.max(live);
            peak = peak.max(live - i128::from(slack));
        }
    }
    let number = |n: i128| u64::try_from(n).unwrap_or(0);
    let highest = alive().map(|(_, b)| b.fixed.unwrap_or(0) + b.bytes).max().unwrap_or(0);
    Bound { peak: number(peak).max(highest), target: number(target).max(highest) }
}
