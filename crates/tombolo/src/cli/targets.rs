//! `tombolo targets`.

use super::Report;
use super::table::Table;
use serde_json::json;
use tombolo::error::Result;
use tombolo_ethosu::Accelerator;

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
    let mut cpus = Table::new(&["CPU", "Rust target"]);
    for (name, target) in CPUS {
        cpus.row([name.into(), target.into()]);
    }
    Ok(Report {
        text: format!("{}\n{}", table.render(), cpus.render()),
        json: json!({
            "accelerators": list,
            "cpus": CPUS.map(|(name, target)| json!({ "name": name, "rust_target": target })),
        }),
        passed: true,
    })
}
