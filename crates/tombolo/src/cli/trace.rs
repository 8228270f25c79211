//! Timelines in the JSON format of Chrome's tracing, which Perfetto reads: an object with `traceEvents`; an event
//! `ph: "X"` has a start and a duration in microseconds, `ph: "M"` names a track.

use super::profile::operation;
use serde_json::{Value as Json, json};
use tombolo::profile::Profile;
use tombolo_ethosu::Accelerator;
use tombolo_sim::CommandTiming;

/// A step of the program on the CPU.
pub(crate) struct Step {
    pub(crate) name: String,
    /// Time on this machine, in microseconds.
    pub(crate) host: f64,
    /// The stream that the NPU runs in this step; the CPU waits for it.
    pub(crate) profile: Option<usize>,
}

const CPU: u32 = 1;
const NPU: u32 = 2;
const OPERATIONS: u32 = 1;
const COPIES: u32 = 2;

/// The trace of one execution: `steps` one after the other, those on the NPU as long as the NPU takes.
pub(crate) fn trace(accelerator: Accelerator, clock: f64, profiles: &[Profile], steps: &[Step]) -> Json {
    let mut events = vec![
        name("process_name", CPU, 0, "CPU (measured on this machine)"),
        name("thread_name", CPU, 1, "operators"),
        name("process_name", NPU, 0, &format!("{accelerator} (estimated)")),
        name("thread_name", NPU, OPERATIONS, "NPU"),
        name("thread_name", NPU, COPIES, "DMA"),
    ];
    let mut now = 0.0;
    for step in steps {
        let Some(profile) = step.profile.and_then(|index| profiles.get(index)) else {
            events.push(complete(&step.name, "cpu", CPU, 1, now, step.host, json!({})));
            now += step.host;
            continue;
        };
        let at = |cycles: u64| cycles as f64 / clock * 1e6;
        let whole = at(profile.timeline.cycles);
        let args = json!({ "cycles": profile.timeline.cycles });
        events.push(complete(&format!("{} (waits for the NPU)", step.name), "cpu", CPU, 1, now, whole, args));
        let commands = &profile.timeline.commands;
        for (i, command) in commands.iter().enumerate().filter(|(_, c)| c.cycles() > 0) {
            let rest = commands.iter().skip(i + 1).filter(|c| !c.is_copy()).take_while(|c| c.chained);
            let title = rest
                .filter(|_| !command.is_copy())
                .fold(operation(command), |title, chained| format!("{title}, {}", operation(chained)));
            let (category, track) = if command.is_copy() { ("dma", COPIES) } else { ("npu", OPERATIONS) };
            let (start, length) = (at(command.start), at(command.cycles()));
            events.push(complete(&title, category, NPU, track, now + start, length, arguments(command)));
        }
        now += whole;
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events })
}

fn arguments(command: &CommandTiming) -> Json {
    json!({
        "position": format!("{:#x}", command.position),
        "cycles": command.cycles(),
        "bound": command.bound.name(),
        "macs": command.macs,
        "axi0_read": command.data[0].read,
        "axi0_written": command.data[0].written,
        "axi1_read": command.data[1].read,
        "axi1_written": command.data[1].written,
    })
}

fn name(what: &str, process: u32, track: u32, text: &str) -> Json {
    json!({ "ph": "M", "name": what, "pid": process, "tid": track, "args": { "name": text } })
}

fn complete(
    name: &str,
    category: &str,
    process: u32,
    track: u32,
    start: f64,
    length: f64,
    args: Json,
) -> Json {
    json!({
        "ph": "X", "name": name, "cat": category, "pid": process, "tid": track, "ts": start, "dur": length, "args": args,
    })
}
