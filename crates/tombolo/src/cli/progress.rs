//! A progress bar for what takes longer than a second, on a terminal only.

use super::Context;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

pub(crate) struct Progress {
    what: &'static str,
    total: u64,
    start: Instant,
    allowed: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(what: &'static str, total: u64, context: Context) -> Progress {
        Progress {
            what,
            total,
            start: Instant::now(),
            allowed: !context.json && std::io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// `done` of the total are done.
    pub(crate) fn at(&mut self, done: u64) {
        if !self.allowed || self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(self.total).with_style(style).with_message(self.what)
        });
        bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
