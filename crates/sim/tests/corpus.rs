//! Networks that Vela compiled, against what the TOSA reference model computes for them: every
//! byte must be equal.

mod common;

use common::{Network, check, check_corpus, large_corpus, npz};
use tombolo_ethosu::Accelerator;
use tombolo_sim::Npu;

#[test]
fn u55_128() {
    check_corpus(Accelerator::U55_128, 25);
}

#[test]
fn u55_256() {
    check_corpus(Accelerator::U55_256, 24);
}

#[test]
fn u65_256() {
    check_corpus(Accelerator::U65_256, 25);
}

#[test]
fn u65_512() {
    check_corpus(Accelerator::U65_512, 25);
}

/// MobileNetV2 is too large to be copied into the project.
#[test]
fn mobilenet_v2() {
    let Some(corpus) = large_corpus() else {
        eprintln!("SKIPPED: mobilenet_v2: the large corpus is not beside the project");
        return;
    };
    for accelerator in [Accelerator::U55_128, Accelerator::U65_256, Accelerator::U65_512] {
        let target = accelerator.short_name();
        let folder = corpus.join("mv2");
        let network = Network::load(&folder.join(format!("{target}.0.vela.npz")));
        let golden = npz(&folder.join(format!("{target}.golden.npz")));
        let mut npu = Npu::new(accelerator);
        let started = std::time::Instant::now();
        check(&mut npu, &network, &golden).unwrap_or_else(|e| panic!("{target}: {e}"));
        eprintln!("mobilenet_v2 on {target}: {:?}", started.elapsed());
    }
}
