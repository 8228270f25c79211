//! How long streams take on the NPU, by the simulator's estimate, and where their bytes go.

use crate::stream::REGIONS;
use std::time::Duration;
use tombolo_sim::{OpStats, Timeline};

/// What the simulator says of one stream. It depends on the stream alone, not on the data.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The stream itself: tells streams apart.
    pub stream: Vec<u8>,
    /// The estimate per command.
    pub timeline: Timeline,
    /// Bytes that the simulator read from each region in one run.
    pub read: [u64; REGIONS],
    /// Bytes that the simulator wrote to each region in one run.
    pub written: [u64; REGIONS],
    /// How often it ran.
    pub jobs: u64,
    /// Time of the simulation on this machine, all runs together.
    pub elapsed: Duration,
}

/// Profiles of all streams that ran, in the order in which they ran first.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    list: Vec<Profile>,
    last: Option<usize>,
}

impl Profiles {
    /// The profiles, each stream once.
    pub fn list(&self) -> &[Profile] {
        &self.list
    }

    /// Index of the stream that ran last.
    pub fn last(&self) -> Option<usize> {
        self.last
    }

    /// Notes a run.
    pub(crate) fn note(
        &mut self,
        stream: &[u8],
        timeline: Option<&Timeline>,
        ops: &[OpStats],
        elapsed: Duration,
    ) {
        self.last = self.list.iter().position(|profile| profile.stream == stream);
        if let Some(known) = self.last.and_then(|index| self.list.get_mut(index)) {
            known.jobs += 1;
            known.elapsed += elapsed;
            return;
        }
        let Some(timeline) = timeline else { return };
        let sum = |of: fn(&OpStats) -> &[u64; 8]| {
            std::array::from_fn(|region| ops.iter().filter_map(|op| of(op).get(region)).sum())
        };
        self.last = Some(self.list.len());
        self.list.push(Profile {
            stream: stream.to_vec(),
            timeline: timeline.clone(),
            read: sum(|op| &op.read),
            written: sum(|op| &op.written),
            jobs: 1,
            elapsed,
        });
    }

    /// Adds what another NPU ran.
    pub(crate) fn merge(&mut self, other: &Profiles) {
        for profile in &other.list {
            match self.list.iter_mut().find(|known| known.stream == profile.stream) {
                Some(known) => {
                    known.jobs += profile.jobs;
                    known.elapsed += profile.elapsed;
                }
                None => self.list.push(profile.clone()),
            }
        }
    }
}
