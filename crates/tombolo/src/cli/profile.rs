//! `--profile`, `--trace` and the options that say what surrounds the NPU.

use super::layers::Layers;
use super::table::Table;
use super::trace;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tombolo::error::{Error, Result};
use tombolo::files;
use tombolo::profile::Profile;
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::cmd::{Opcode, fields};
use tombolo_ethosu::enums;
use tombolo_ethosu::pmu::Event;
use tombolo_ethosu::system::{self, Ini, MemoryKind, MemoryMode, Port, SystemConfig};
use tombolo_sim::{CommandTiming, System};

/// Options of everything that estimates the NPU's time.
#[derive(clap::Args)]
pub(crate) struct ProfileArgs {
    /// Tell how many cycles the NPU takes for each command, what limits them, and where its bytes go
    #[arg(long)]
    profile: bool,
    /// Write a timeline that Perfetto and Chrome's tracing page show
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
    /// The memories around the NPU, instead of its default
    #[arg(long, value_name = "NAME")]
    system_config: Option<String>,
    /// Which data lies in which memory, instead of the NPU's default
    #[arg(long, value_name = "NAME")]
    memory_mode: Option<String>,
    /// A vela.ini with further system configurations and memory modes
    #[arg(long, value_name = "FILE.ini")]
    config: Option<PathBuf>,
    /// Vela's debug database of the stream (--enable-debug-db), for cycles per layer; without it
    /// a file NAME_debug.xml beside NAME_vela.npz is taken
    #[arg(long, value_name = "FILE.xml")]
    debug_db: Option<PathBuf>,
    /// A PMU event to tell of, instead of all that are modelled; repeat it for more
    #[arg(long, value_name = "EVENT")]
    pmu: Vec<String>,
}

/// What `--profile` and `--trace` were given.
pub(crate) struct Profiler {
    profile: bool,
    trace: Option<PathBuf>,
    debug_db: Option<PathBuf>,
    events: Vec<Event>,
    pub(crate) accelerator: Accelerator,
    pub(crate) system: System,
}

impl ProfileArgs {
    /// Whether anything is to be estimated.
    pub(crate) fn wanted(&self) -> bool {
        self.profile || self.trace.is_some()
    }

    /// Checks the options.
    pub(crate) fn check(&self) -> Result<()> {
        let given = [
            (self.system_config.is_some(), "--system-config"),
            (self.memory_mode.is_some(), "--memory-mode"),
            (self.config.is_some(), "--config"),
            (self.debug_db.is_some(), "--debug-db"),
            (!self.pmu.is_empty(), "--pmu"),
        ];
        match given.iter().find(|(given, _)| *given && !self.wanted()) {
            Some((_, option)) => Err(Error::new(format!(
                "{option} changes nothing: no time is estimated, and results depend on none"
            ))
            .help("add --profile or --trace FILE.json")),
            None => Ok(()),
        }
    }

    /// What a run on `accelerator` needs to be profiled; `None` if it is not to be.
    pub(crate) fn profiler(&self, accelerator: Accelerator) -> Result<Option<Profiler>> {
        if !self.wanted() {
            return Ok(None);
        }
        let generation = accelerator.generation();
        let events = self
            .pmu
            .iter()
            .map(|name| {
                Event::from_name(generation, name).ok_or_else(|| {
                    Error::new(format!("{name} is no PMU event of {generation}"))
                        .help("docs/ethosu-reference.md lists the events; --profile alone tells all that are modelled")
                })
            })
            .collect::<Result<_>>()?;
        Ok(Some(Profiler {
            profile: self.profile,
            trace: self.trace.clone(),
            debug_db: self.debug_db.clone(),
            events,
            accelerator,
            system: self.system(accelerator)?,
        }))
    }

    fn system(&self, accelerator: Accelerator) -> Result<System> {
        let text = match &self.config {
            Some(path) => {
                let bytes = files::read(path)?;
                let text = String::from_utf8(bytes).map_err(|e| {
                    Error::new("the file is not text (UTF-8)")
                        .in_file(path)
                        .at(format!("byte {:#x}", e.utf8_error().valid_up_to()))
                        .help("give a vela.ini")
                })?;
                // Names and numbers of a system live as long as the simulator, that is, the command.
                Some((path.as_path(), Ini::new(text.leak())))
            }
            None => None,
        };
        let (default_config, default_mode) = system::defaults(accelerator);
        let config = match &self.system_config {
            Some(name) => find_config(text, name)?,
            None => default_config,
        };
        let mode = match &self.memory_mode {
            Some(name) => find_mode(text, name)?,
            None => default_mode,
        };
        system::check(&config, &mode).map_err(|bad| {
            let text = bad.to_string();
            let (what, help) = text.split_once(": ").unwrap_or((&text, "choose another memory mode"));
            Error::new(format!("{} with {}: {what}", mode.name, config.name)).help(help)
        })?;
        Ok(System { config, mode })
    }
}

type File<'f> = Option<(&'f Path, Ini<'static>)>;

/// The system configuration `name`, of the file if it has it, else built in.
fn find_config(file: File<'_>, name: &str) -> Result<SystemConfig<'static>> {
    let known: Vec<&str> = system::SYSTEM_CONFIGS.iter().map(|config| config.name).collect();
    let inside = |ini: &Ini<'static>, name| ini.system_config(name);
    find(file, "system configuration", "System_Config.", name, &known, inside, system::system_config)
}

/// The memory mode `name`, of the file if it has it, else built in.
fn find_mode(file: File<'_>, name: &str) -> Result<MemoryMode<'static>> {
    let known: Vec<&str> = system::MEMORY_MODES.iter().map(|mode| mode.name).collect();
    let inside = |ini: &Ini<'static>, name| ini.memory_mode(name);
    find(file, "memory mode", "Memory_Mode.", name, &known, inside, system::memory_mode)
}

fn find<T>(
    file: File<'_>,
    what: &str,
    prefix: &'static str,
    name: &str,
    known: &[&str],
    inside: impl Fn(&Ini<'static>, &'static str) -> std::result::Result<T, system::IniError<'static>>,
    built_in: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    let mut names: Vec<&str> = Vec::new();
    if let Some((path, ini)) = &file {
        names.extend(ini.names(prefix));
        if let Some(own) = ini.names(prefix).find(|own| *own == name) {
            return inside(ini, own).map_err(|error| {
                Error::new(error.to_string())
                    .in_file(path)
                    .help("correct that line; the sections are those of Vela's vela.ini")
            });
        }
    }
    built_in(name).ok_or_else(|| {
        names.extend(known);
        Error::new(format!("there is no {what} {name:?}"))
            .help(format!("choose one of: {}", names.join(", ")))
    })
}

/// The operation in a word or two.
pub(crate) fn operation(timing: &CommandTiming) -> String {
    let command = timing.command;
    let mode = match command.opcode {
        Opcode::Pool => enum_name(enums::pooling_mode::DEF.variants, fields::pool::POOLING_MODE.get(command)),
        Opcode::Elementwise => {
            let mode = fields::elementwise::ELEMENTWISE_MODE.get(command);
            enum_name(enums::elementwise_mode::DEF.variants, mode)
        }
        Opcode::Conv if fields::conv::WEIGHTS_IFM2.get(command) == 1 => Some("by IFM2"),
        Opcode::Resize => {
            enum_name(enums::resize_mode::DEF.variants, fields::resize::RESIZE_MODE.get(command))
        }
        _ => None,
    };
    match mode {
        Some(mode) => format!("{} {mode}", command.opcode.name()),
        None => command.opcode.name().to_string(),
    }
}

fn enum_name(variants: &[enums::Variant], value: u32) -> Option<&'static str> {
    variants.iter().find(|variant| variant.value == value).map(|variant| variant.name)
}

fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}", 100.0 * part / whole) } else { "-".into() }
}

impl Profiler {
    /// Whether tables are asked for.
    pub(crate) fn tells(&self) -> bool {
        self.profile
    }

    fn microseconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.system.config.core_clock * 1e6
    }

    /// What lies behind a port: the kind of memory, with the port where both are of one kind.
    fn memory(&self, port: Port) -> String {
        let name = |port: Port| self.system.config.memory(port).kind.name();
        let which = match port {
            Port::Axi0 => "AXI0",
            Port::Axi1 => "AXI1",
        };
        if name(Port::Axi0) == name(Port::Axi1) {
            format!("{} on {which}", name(port))
        } else {
            name(port).to_string()
        }
    }

    fn utilisation(&self, macs: u64, cycles: u64) -> String {
        percent(macs as f64, cycles as f64 * f64::from(self.accelerator.macs()))
    }

    /// The layers that the debug database beside `source` knows, if there is one.
    pub(crate) fn layers(&self, source: &Path) -> Result<Option<Layers>> {
        if let Some(path) = &self.debug_db {
            return Layers::read(path).map(Some);
        }
        let beside = source
            .to_str()
            .and_then(|name| name.strip_suffix("_vela.npz"))
            .map(|name| PathBuf::from(format!("{name}_debug.xml")));
        match beside {
            Some(path) if path.is_file() => Layers::read(&path).map(Some),
            _ => Ok(None),
        }
    }

    /// Writes the trace, if one is asked for.
    pub(crate) fn write_trace(&self, profiles: &[Profile], steps: &[trace::Step]) -> Result<()> {
        let Some(path) = &self.trace else { return Ok(()) };
        let trace = trace::trace(self.accelerator, self.system.config.core_clock, profiles, steps);
        files::write(path, trace.to_string().as_bytes())
    }

    /// The report of streams, for people. `names` says what each stream is.
    pub(crate) fn text(&self, profiles: &[Profile], names: &[String], layers: Option<&Layers>) -> String {
        let mut out = String::new();
        if self.profile {
            let config = &self.system.config;
            let _ = writeln!(
                out,
                "\nNPU time, estimated: {} at {} MHz, {}, {} (AXI0 {}, AXI1 {})",
                self.accelerator,
                config.core_clock / 1e6,
                config.name,
                self.system.mode.name,
                config.axi0.kind.name(),
                config.axi1.kind.name(),
            );
            for (i, profile) in profiles.iter().enumerate() {
                let name = names.get(i).map_or("stream", String::as_str);
                self.stream_text(&mut out, name, profile, layers);
            }
        }
        if let Some(path) = &self.trace {
            let _ = writeln!(out, "\ntrace: {} (open it at ui.perfetto.dev)", path.display());
        }
        out
    }

    fn stream_text(&self, out: &mut String, name: &str, profile: &Profile, layers: Option<&Layers>) {
        let timeline = &profile.timeline;
        let ports = [Port::Axi0, Port::Axi1];
        let [m0, m1] = ports.map(|port| self.memory(port));
        let _ = writeln!(
            out,
            "\n{name}: {} cycles = {:.1} us; {} MACs, {} % of the array{}",
            timeline.cycles,
            self.microseconds(timeline.cycles),
            timeline.sum(|c| c.macs),
            self.utilisation(timeline.sum(|c| c.macs), timeline.cycles),
            if profile.jobs > 1 { format!("; ran {} times", profile.jobs) } else { String::new() }
        );
        if !timeline.complete() {
            let _ = writeln!(
                out,
                "  {} commands have no estimate and are NOT in these numbers",
                timeline.unknown
            );
        }
        let mut table = Table::new(&[
            "at",
            "command",
            "cycles",
            "MAC %",
            "limit",
            "read 0",
            "written 0",
            "read 1",
            "written 1",
        ]);
        for c in &timeline.commands {
            table.row([
                format!("{:#x}", c.position),
                operation(c),
                if c.chained { "in the chain".into() } else { c.cycles().to_string() },
                if c.macs > 0 && !c.chained { self.utilisation(c.macs, c.cycles()) } else { "-".into() },
                if c.chained { "-".into() } else { c.bound.name().into() },
                c.data[0].read.to_string(),
                c.data[0].written.to_string(),
                c.data[1].read.to_string(),
                c.data[1].written.to_string(),
            ]);
        }
        let operations = timeline.sum(|c| if c.is_copy() { 0 } else { c.cycles() });
        let copies = timeline.sum(|c| if c.is_copy() { c.cycles() } else { 0 });
        let total = |of: fn(&CommandTiming) -> u64| timeline.sum(of).to_string();
        table.row([
            "all".into(),
            String::new(),
            timeline.cycles.to_string(),
            self.utilisation(timeline.sum(|c| c.macs), timeline.cycles),
            String::new(),
            total(|c| c.data[0].read),
            total(|c| c.data[0].written),
            total(|c| c.data[1].read),
            total(|c| c.data[1].written),
        ]);
        out.push_str(&table.render());
        let _ = writeln!(
            out,
            "  bytes through port 0 ({m0}) and port 1 ({m1}); operations take {operations} cycles, copies {copies}, \
             of which {} pass beside operations",
            (operations + copies).saturating_sub(timeline.cycles)
        );
        let mut regions = Table::new(&["region", "memory", "read", "written"]);
        for (i, (read, written)) in profile.read.iter().zip(&profile.written).enumerate() {
            if read + written > 0 {
                regions.row([
                    i.to_string(),
                    self.memory(self.system.mode.port_of_region(i)),
                    read.to_string(),
                    written.to_string(),
                ]);
            }
        }
        let _ = write!(out, "\n  bytes that operations need, each once:\n{}", regions.render());
        match layers {
            Some(layers) => {
                let mut table = Table::new(&["layer", "operator", "became", "cycles", "%", "MAC %"]);
                for layer in layers.group(timeline) {
                    table.row([
                        layer.name,
                        layer.source,
                        layer.operator,
                        layer.cycles.to_string(),
                        percent(layer.cycles as f64, timeline.cycles as f64),
                        if layer.macs > 0 { self.utilisation(layer.macs, layer.cycles) } else { "-".into() },
                    ]);
                }
                let _ = write!(out, "\n  by layer, each from the end of the one before:\n{}", table.render());
            }
            None => out.push_str(
                "\n  by layer: no debug database (Vela's --enable-debug-db) lies beside the stream\n",
            ),
        }
        let mut counters = Table::new(&["PMU event", "count"]);
        for (event, count) in self.counters(profile) {
            counters
                .row([event.name().into(), count.map_or("not modelled".into(), |count| count.to_string())]);
        }
        let _ = write!(out, "\n{}", counters.render());
        if self.events.is_empty() {
            let generation = self.accelerator.generation();
            let missing = Event::of(generation).filter(|&e| timeline.count(generation, e).is_none()).count();
            let _ = writeln!(out, "  {missing} further events of {generation} are not modelled");
        }
    }

    /// The events asked for, else all that are modelled.
    fn counters(&self, profile: &Profile) -> Vec<(Event, Option<u64>)> {
        let generation = self.accelerator.generation();
        let count = |event| profile.timeline.count(generation, event);
        match self.events.as_slice() {
            [] => Event::of(generation)
                .filter(|&event| event != Event::NoEvent)
                .filter_map(|event| Some((event, Some(count(event)?))))
                .collect(),
            asked => asked.iter().map(|&event| (event, count(event))).collect(),
        }
    }

    /// The report of streams, for machines.
    pub(crate) fn json(&self, profiles: &[Profile], names: &[String], layers: Option<&Layers>) -> Json {
        let config = &self.system.config;
        let memory = |port: Port| config.memory(port).kind;
        json!({
            "npu": self.accelerator.name(),
            "system_config": config.name,
            "memory_mode": self.system.mode.name,
            "core_clock_hz": config.core_clock,
            "axi0": MemoryKind::name(memory(Port::Axi0)),
            "axi1": MemoryKind::name(memory(Port::Axi1)),
            "trace": self.trace.as_ref().map(|path| path.display().to_string()),
            "streams": profiles
                .iter()
                .enumerate()
                .map(|(i, profile)| self.stream_json(names.get(i).map_or("stream", String::as_str), profile, layers))
                .collect::<Vec<_>>(),
        })
    }

    fn stream_json(&self, name: &str, profile: &Profile, layers: Option<&Layers>) -> Json {
        let timeline = &profile.timeline;
        let bytes = |c: &CommandTiming| -> Vec<Json> {
            c.data.iter().map(|port| json!({ "read": port.read, "written": port.written })).collect()
        };
        let commands: Vec<Json> = timeline
            .commands
            .iter()
            .map(|c| {
                json!({
                    "position": c.position,
                    "command": operation(c),
                    "start": c.start,
                    "end": c.end,
                    "cycles": c.cycles(),
                    "chained": c.chained,
                    "mac_cycles": c.mac,
                    "output_cycles": c.output,
                    "macs": c.macs,
                    "bound": c.bound.name(),
                    "port_cycles": c.port_cycles,
                    "bytes": bytes(c),
                })
            })
            .collect();
        let counters: serde_json::Map<String, Json> = self
            .counters(profile)
            .into_iter()
            .map(|(event, count)| (event.name().to_string(), count.map_or(json!("not modelled"), Json::from)))
            .collect();
        let regions: Vec<Json> = profile
            .read
            .iter()
            .zip(&profile.written)
            .enumerate()
            .filter(|(_, (read, written))| **read + **written > 0)
            .map(|(region, (read, written))| json!({ "region": region, "read": read, "written": written }))
            .collect();
        json!({
            "name": name,
            "cycles": timeline.cycles,
            "microseconds": self.microseconds(timeline.cycles),
            "complete": timeline.complete(),
            "macs": timeline.sum(|c| c.macs),
            "utilisation": timeline.utilisation(self.accelerator),
            "jobs": profile.jobs,
            "simulation_seconds": profile.elapsed.as_secs_f64(),
            "commands": commands,
            "regions": regions,
            "pmu": counters,
            "layers": layers.map(|layers| layers.group(timeline).iter().map(|layer| json!({
                "name": layer.name,
                "operator": layer.source,
                "became": layer.operator,
                "cycles": layer.cycles,
                "macs": layer.macs,
            })).collect::<Vec<_>>()),
        })
    }

    /// The time of a stream on the NPU.
    pub(crate) fn duration(&self, profile: &Profile) -> Duration {
        Duration::from_secs_f64(self.microseconds(profile.timeline.cycles) / 1e6)
    }
}
