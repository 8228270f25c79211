//! `tombolo targets`.

use super::Report;
use super::table::Table;
use serde_json::json;
use tombolo::error::Result;
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::system::{MEMORY_MODES, MemorySpec, Port, SYSTEM_CONFIGS};

/// List the NPUs that are known: what they are made of, and what is assumed when nothing else is said.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tombolo targets --json")]
pub(crate) struct Args {}

/// CPUs that the device crates are built for, with the Rust target of each.
const CPUS: [(&str, &str); 2] = [
    ("cortex-m33", "thumbv8m.main-none-eabihf"),
    ("cortex-m55", "thumbv8m.main-none-eabihf, -C target-cpu=cortex-m55"),
];

pub(crate) fn run(_: &Args) -> Result<Report> {
    let mut table = Table::new(&[
        "target",
        "MACs/cycle",
        "cores",
        "internal SRAM",
        "AXI",
        "config word",
        "system config",
        "memory mode",
    ]);
    let mut list = Vec::new();
    for accelerator in Accelerator::ALL {
        let spec = accelerator.spec();
        let internal = match spec.rams {
            None => u64::from(accelerator.shram_kib()) * 1024,
            Some(r) => [r.ifm, r.accumulators, r.chain, r.ofm, r.lut].map(u64::from).iter().sum(),
        };
        table.row([
            accelerator.name().into(),
            accelerator.macs().to_string(),
            accelerator.cores().to_string(),
            format!("{:.1} KiB", internal as f64 / 1024.0),
            format!("{}+{} x {} bit", spec.axi_sram_ports, spec.axi_ext_ports, spec.axi_bits),
            format!("{:#010x}", accelerator.config_word()),
            accelerator.default_system_config().into(),
            accelerator.default_memory_mode().into(),
        ]);
        list.push(json!({
            "name": accelerator.name(),
            "macs_per_cycle": accelerator.macs(),
            "cores": accelerator.cores(),
            "internal_sram_bytes": internal,
            "axi": { "bits": spec.axi_bits, "sram_ports": spec.axi_sram_ports, "ext_ports": spec.axi_ext_ports },
            "config_word": accelerator.config_word(),
            "default_system_config": accelerator.default_system_config(),
            "default_memory_mode": accelerator.default_memory_mode(),
        }));
    }
    let port = |port: Port| match port {
        Port::Axi0 => "AXI0",
        Port::Axi1 => "AXI1",
    };
    let memory = |m: &MemorySpec| {
        json!({
            "kind": m.kind.name(),
            "clock_scale": m.clock_scale,
            "burst_bytes": m.burst_length,
            "read_latency_cycles": m.read_latency,
            "write_latency_cycles": m.write_latency,
        })
    };
    let mut systems = Table::new(&["system config", "NPU clock", "AXI0", "AXI1"]);
    let mut system_list = Vec::new();
    for system in SYSTEM_CONFIGS {
        systems.row([
            system.name.into(),
            format!("{} MHz", system.core_clock / 1e6),
            format!("{}, 1/{} of the clock", system.axi0.kind.name(), ratio(system.axi0.clock_scale)),
            format!("{}, 1/{} of the clock", system.axi1.kind.name(), ratio(system.axi1.clock_scale)),
        ]);
        system_list.push(json!({
            "name": system.name,
            "core_clock_hz": system.core_clock,
            "axi0": memory(&system.axi0),
            "axi1": memory(&system.axi1),
        }));
    }
    let mut modes = Table::new(&["memory mode", "constants", "arena", "fast scratch", "bytes"]);
    let mut mode_list = Vec::new();
    for mode in MEMORY_MODES {
        let fast = if mode.dedicated_cache() { port(mode.cache) } else { "-" };
        modes.row([
            mode.name.into(),
            port(mode.constants).into(),
            port(mode.arena).into(),
            fast.into(),
            mode.cache_size.map_or("-".into(), |n| n.to_string()),
        ]);
        mode_list.push(json!({
            "name": mode.name,
            "constants": port(mode.constants),
            "arena": port(mode.arena),
            "cache": port(mode.cache),
            "cache_bytes": mode.cache_size,
        }));
    }
    let mut cpus = Table::new(&["CPU", "Rust target"]);
    for (name, target) in CPUS {
        cpus.row([name.into(), target.into()]);
    }
    Ok(Report {
        text: [table, systems, modes, cpus].map(|t| t.render()).join("\n"),
        json: json!({
            "accelerators": list,
            "system_configs": system_list,
            "memory_modes": mode_list,
            "cpus": CPUS.map(|(name, target)| json!({ "name": name, "rust_target": target })),
        }),
        passed: true,
    })
}

/// How many of the NPU's cycles one of a memory takes, to a digit.
fn ratio(scale: f64) -> String {
    if scale > 0.0 { format!("{:.0}", 1.0 / scale) } else { "?".into() }
}
