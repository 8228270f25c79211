//! Shared by the tests: `.npz` files, Vela's raw output, and a driver in a few lines.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

pub mod stream;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tombolo_ethosu::Accelerator;
use tombolo_ethosu::regs::Register;
use tombolo_sim::{Blocks, Npu};

/// One array of numbers or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// numpy's type string without the byte order: "i1", "i8", "S1080".
    pub dtype: String,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

impl Array {
    fn parse(file: &[u8]) -> Option<Array> {
        let rest = file.strip_prefix(b"\x93NUMPY")?;
        let (&[major, _], rest) = rest.split_first_chunk()?;
        let (length, rest) = if major == 1 {
            let (&length, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(length)), rest)
        } else {
            let (&length, rest) = rest.split_first_chunk()?;
            (u32::from_le_bytes(length) as usize, rest)
        };
        let (header, data) = rest.split_at_checked(length)?;
        let header = std::str::from_utf8(header).ok()?;
        let value = |key: &str| header.split(&format!("'{key}': ")).nth(1);
        let descr = value("descr")?.split('\'').nth(1)?;
        if value("fortran_order")?.starts_with("True") {
            return None;
        }
        let shape = value("shape")?
            .trim_start_matches('(')
            .split(')')
            .next()?
            .split(',')
            .filter_map(|n| n.trim().parse().ok())
            .collect();
        Some(Array {
            dtype: descr.trim_start_matches(['<', '|', '=']).to_owned(),
            shape,
            bytes: data.to_vec(),
        })
    }

    /// The values of an int64 array.
    pub fn ints(&self) -> Vec<i64> {
        assert_eq!(self.dtype, "i8", "an array of int64");
        self.bytes.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

/// The arrays of an `.npz` file by name; pickled objects are left out.
pub fn npz(path: &Path) -> BTreeMap<String, Array> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let mut arrays = BTreeMap::new();
    for i in 0..zip.len() {
        let mut member = zip.by_index(i).unwrap();
        let name = member.name().trim_end_matches(".npy").to_owned();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        let array = Array::parse(&bytes).unwrap_or_else(|| panic!("{name}: not an .npy array"));
        if array.dtype != "O" {
            arrays.insert(name, array);
        }
    }
    arrays
}

/// The models' folder in the project.
pub fn corpus() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus"))
}

/// The large corpus beside the project, where it is.
pub fn large_corpus() -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus"));
    path.is_dir().then_some(path)
}

/// Where an input or output lies.
#[derive(Debug, Clone)]
pub struct Place {
    pub region: usize,
    pub offset: usize,
}

/// A compiled network as Vela's raw output has it.
#[derive(Debug, Clone)]
pub struct Network {
    /// The bare command stream.
    pub stream: Vec<u8>,
    /// Bytes of every region at the start.
    pub regions: [Vec<u8>; 8],
    /// Region that another region is the same memory as.
    pub alias: Option<(usize, usize)>,
    pub inputs: Vec<Place>,
    pub outputs: Vec<Place>,
}

impl Network {
    pub fn load(path: &Path) -> Network {
        let arrays = npz(path);
        Network::new(&arrays, &arrays["cmd_data"], &arrays["weight_data"])
    }

    /// A network in the form of `data/make_cases.py`.
    pub fn from_case(arrays: &BTreeMap<String, Array>) -> Network {
        Network::new(arrays, &arrays["stream"], &arrays["weights"])
    }

    fn new(arrays: &BTreeMap<String, Array>, stream: &Array, weights: &Array) -> Network {
        let one = |name: &str| arrays[name].ints()[0] as usize;
        let mut regions: [Vec<u8>; 8] = Default::default();
        regions[one("weight_region")] = weights.bytes.clone();
        let (scratch, fast) = (one("scratch_region"), one("scratch_fast_region"));
        regions[scratch] = vec![0xa5; one("scratch_size")];
        // Without fast scratch its region is named 0 or that of the scratch; what the stream has
        // in region 2 is then the scratch as well.
        let alias = (one("scratch_fast_size") == 0 || fast == scratch).then_some((2, scratch));
        if alias.is_none() {
            regions[fast] = vec![0x5a; one("scratch_fast_size")];
        }
        let places = |what: &str| {
            let regions = arrays[&format!("{what}_region")].ints();
            let offsets = arrays[&format!("{what}_offset")].ints();
            regions
                .iter()
                .zip(offsets)
                .map(|(&region, offset)| Place { region: region as usize, offset: offset as usize })
                .collect()
        };
        Network {
            stream: cop1(&stream.bytes),
            regions,
            alias,
            inputs: places("input"),
            outputs: places("output"),
        }
    }
}

/// The command stream in a `COP1` container.
pub fn cop1(bytes: &[u8]) -> Vec<u8> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    assert_eq!(words[0], 0x3150_4f43, "COP1");
    let mut at = 1;
    loop {
        match words[at] & 0xff {
            1 => at += 3,
            5 => at += 1,
            2 => {
                let length = ((words[at] >> 8 & 0xff) << 16 | words[at] >> 16) as usize;
                return bytes[(at + 1) * 4..(at + 1 + length) * 4].to_vec();
            }
            action => panic!("driver action {action}"),
        }
    }
}

pub const STREAM_BASE: u64 = 0x1000_0000;

/// Base address of a region on the tests' bus.
pub fn region_base(region: usize) -> u64 {
    0x8000_0000 + ((region as u64) << 28)
}

/// Puts a network on a bus and its addresses into the registers, as a driver does. Returns the
/// number of the block of every region.
pub fn prepare(npu: &mut Npu, network: &Network) -> (Blocks, [usize; 8]) {
    let generation = npu.accelerator().generation();
    let mut bus = Blocks::new();
    bus.map(STREAM_BASE, network.stream.clone(), false);
    let mut blocks = [0; 8];
    for (i, bytes) in network.regions.iter().enumerate() {
        blocks[i] = bus.map(region_base(i), bytes.clone(), i != 0);
    }
    let at = |register: Register, i| register.offset_of(generation, i).unwrap();
    npu.write(at(Register::Reset, 0), 0);
    npu.write(at(Register::Qbase, 0), STREAM_BASE as u32);
    npu.write(at(Register::QbaseHi, 0), (STREAM_BASE >> 32) as u32);
    npu.write(at(Register::Qsize, 0), network.stream.len() as u32);
    for i in 0..8 {
        let base = match network.alias {
            Some((region, same)) if region == i => region_base(same),
            _ => region_base(i),
        };
        npu.write(at(Register::Basep, i as u32), base as u32);
        npu.write(at(Register::Basep, i as u32) + 4, (base >> 32) as u32);
    }
    (bus, blocks)
}

pub fn start(npu: &mut Npu, bus: &mut Blocks) {
    let cmd = Register::Cmd.offset(npu.accelerator().generation()).unwrap();
    npu.write(cmd, 0xd);
    npu.run(bus);
}

/// Runs a network with the inputs `in0`, `in1`, … and compares with `out0`, ….
pub fn check(npu: &mut Npu, network: &Network, golden: &BTreeMap<String, Array>) -> Result<(), String> {
    let (mut bus, blocks) = prepare(npu, network);
    let golden_inputs = (0..).take_while(|i| golden.contains_key(&format!("in{i}"))).count();
    if golden_inputs != network.inputs.len() {
        return Err(format!("{golden_inputs} inputs given"));
    }
    for (i, place) in network.inputs.iter().enumerate() {
        let bytes = &golden[&format!("in{i}")].bytes;
        bus.bytes_mut(blocks[place.region])[place.offset..][..bytes.len()].copy_from_slice(bytes);
    }
    start(npu, &mut bus);
    if let Some(fault) = npu.fault() {
        return Err(fault.to_string());
    }
    let generation = npu.accelerator().generation();
    let status = npu.read(Register::Status.offset(generation).unwrap());
    // Stopped, interrupt, end reached, mask of STOP.
    if status != 0xffff_0022 {
        return Err(format!("STATUS is {status:#010x}"));
    }
    for (i, place) in network.outputs.iter().enumerate() {
        let expected = &golden[&format!("out{i}")].bytes;
        let got = &bus.bytes(blocks[place.region])[place.offset..][..expected.len()];
        let wrong = got.iter().zip(expected).filter(|(a, b)| a != b).count();
        if wrong > 0 {
            let first = got.iter().zip(expected).position(|(a, b)| a != b).unwrap();
            return Err(format!(
                "output {i}: {wrong} of {} bytes differ, first at {first}: {} instead of {}",
                expected.len(),
                got[first],
                expected[first]
            ));
        }
    }
    Ok(())
}

/// Runs every model of the project's corpus that was compiled for `accelerator`.
pub fn check_corpus(accelerator: Accelerator, at_least: usize) {
    let target = accelerator.short_name();
    let mut failures = Vec::new();
    let mut passed = 0;
    let mut folders: Vec<_> =
        std::fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let mut npu = Npu::new(accelerator);
    for folder in folders {
        let golden = folder.join(format!("{target}.golden.npz"));
        if !golden.exists() {
            continue;
        }
        let network = Network::load(&folder.join(format!("{target}.0.vela.npz")));
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        match check(&mut npu, &network, &npz(&golden)) {
            Ok(()) => passed += 1,
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(
        failures.is_empty(),
        "{target}: {passed} passed, {} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(passed >= at_least, "{target}: only {passed} models found");
}

/// Runs a hand-made stream over the given regions; returns the regions afterwards, or the fault in
/// words.
pub fn run_stream(
    accelerator: Accelerator,
    stream: &stream::Stream,
    regions: [Vec<u8>; 8],
) -> Result<[Vec<u8>; 8], String> {
    let mut npu = Npu::new(accelerator);
    let network = Network {
        stream: stream.bytes.clone(),
        regions,
        alias: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
    };
    let (mut bus, blocks) = prepare(&mut npu, &network);
    start(&mut npu, &mut bus);
    match npu.fault() {
        Some(fault) => Err(fault.to_string()),
        None => Ok(blocks.map(|block| bus.bytes(block).to_vec())),
    }
}
