//! Any bytes as a command stream with weights, on any accelerator. Byte 0 picks the accelerator, bytes 2 and 3 say how
//! many bytes at the end are weights (region 0); the rest is the stream. Regions 1 and 2 are scratch.
#![no_main]

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::regs::Register;
use tombolo_sim::{Blocks, Npu};

/// Keeps a run to some milliseconds.
const WORK: u64 = 1 << 20;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[pick, _, low, high], rest)) = bytes.split_first_chunk() else {
        return;
    };
    let accelerator = Accelerator::ALL[usize::from(pick) % Accelerator::ALL.len()];
    let weights = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (stream, weights) = rest.split_at(rest.len() - weights);
    let generation = accelerator.generation();
    let mut bus = Blocks::new();
    bus.map(0x1000_0000, stream.to_vec(), false);
    bus.map(0x2000_0000, weights.to_vec(), false);
    bus.map(0x3000_0000, vec![0x5a; 1 << 15], true);
    bus.map(0x4000_0000, vec![0xa5; 1 << 14], true);
    let mut npu = Npu::new(accelerator);
    npu.set_work_limit(WORK);
    npu.set_record_stats(true);
    let at = |register: Register, i| register.offset_of(generation, i).unwrap();
    npu.write(at(Register::Qbase, 0), 0x1000_0000);
    npu.write(at(Register::Qsize, 0), stream.len() as u32);
    for i in 0..3 {
        npu.write(at(Register::Basep, i), 0x2000_0000 + 0x1000_0000 * i);
    }
    npu.write(at(Register::Cmd, 0), 0xd);
    npu.run(&mut bus);
    assert!(!npu.running() && npu.irq());
    let status = npu.read(at(Register::Status, 0));
    match npu.fault() {
        // Every fault is in STATUS and has words.
        Some(fault) => {
            assert_ne!(status & 0x29c, 0);
            assert!(!fault.to_string().is_empty());
        }
        None => assert_eq!(status & 0x23f, 0x22),
    }
});
