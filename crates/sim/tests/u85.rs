//! Networks that Vela compiled for U85, against what the TOSA reference model computes for them:
//! every byte must be equal.

mod common;

use common::{Network, check, check_corpus, large_corpus, npz};
use tombolo_ethosu::Accelerator;
use tombolo_sim::Npu;

#[test]
fn corpus() {
    check_corpus(Accelerator::U85_256, 25);
}

/// MobileNetV2 is too large to be copied into the project.
#[test]
fn mobilenet_v2() {
    let Some(corpus) = large_corpus() else {
        eprintln!("SKIPPED: mobilenet_v2: the large corpus is not beside the project");
        return;
    };
    let folder = corpus.join("mv2");
    let network = Network::load(&folder.join("u85-256.0.vela.npz"));
    let golden = npz(&folder.join("u85-256.golden.npz"));
    check(&mut Npu::new(Accelerator::U85_256), &network, &golden).unwrap();
}
