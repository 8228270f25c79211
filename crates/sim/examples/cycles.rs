//! Cycle estimates of Vela's streams: `cycles TARGET FILE_vela.npz …` prints the cycles of each network
//! with the target's default system and memory mode; with `-v` every command.

#[path = "../tests/common/mod.rs"]
mod common;

use tombolo_ethosu::Accelerator;
use tombolo_sim::{Npu, System};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.first().is_some_and(|arg| arg == "-v");
    if verbose {
        args.remove(0);
    }
    let Some((target, files)) = args.split_first() else {
        eprintln!("usage: cycles [-v] TARGET FILE_vela.npz …");
        std::process::exit(2);
    };
    let accelerator = Accelerator::from_name(target).expect("a target");
    for file in files {
        let network = common::Network::load(std::path::Path::new(file));
        let mut npu = Npu::new(accelerator);
        npu.set_system(Some(System::default_of(accelerator)));
        let (mut bus, _) = common::prepare(&mut npu, &network);
        common::start(&mut npu, &mut bus);
        let timeline = npu.timeline().expect("a timeline");
        if verbose {
            for c in &timeline.commands {
                println!(
                    "{:#07x} {:12} {:>9}..{:<9} {:>8} mac {:>8} out {:>8} wd {:>7} axi {:>7} {:>7} {}",
                    c.position,
                    c.command.opcode.name(),
                    c.start,
                    c.end,
                    c.cycles(),
                    c.mac,
                    c.output,
                    c.weights,
                    c.port_cycles[0],
                    c.port_cycles[1],
                    c.bound.name()
                );
            }
        }
        println!("{file} {} unknown {} fault {:?}", timeline.cycles, timeline.unknown, npu.fault());
    }
}
