//! What a delegate gives the NPU: a command stream, its weights, and where inputs and outputs lie.
//!
//! It comes from Vela's raw output (`_vela.npz`) or from the blob of an `EthosUBackend` delegate in a
//! program. Both name memory by regions: each region is a base address that the driver gives the NPU.

use crate::aligned::AlignedBytes;
use crate::error::{Error, Result};
use crate::npy::{Array, Shape};
use crate::npz::Npz;
use tombolo_ethosu::Accelerator;
use tombolo_ethosu::payload::Payload;
use tombolo_pte::vela::{BinStream, Block, IoList, PERSISTENT_REGION, SCRATCH_REGION};

/// Base addresses that the NPU has.
pub const REGIONS: usize = tombolo_ethosu::regions::REGIONS;
/// The region whose base is the fast scratch buffer in the blob of a program.
pub const FAST_SCRATCH_REGION: usize = 2;
/// Most bytes of one region: what fits a window of the simulated bus of an Ethos-U55 (see
/// [`npu`](crate::npu)).
pub const MAX_REGION: usize = 1 << 28;

/// One input or output of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Io {
    /// Sizes of the dimensions as the compiler wrote them, filled up with 1 in front to six. Only their
    /// product is dependable: a unit channel may be folded away.
    pub shape: Vec<usize>,
    /// Bytes of an element.
    pub elem_size: usize,
    /// Offset in its region.
    pub offset: usize,
    /// Region.
    pub region: usize,
}

impl Io {
    /// Number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.count() * self.elem_size
    }
}

/// A region of memory that the NPU needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionPlan {
    /// Bytes needed.
    pub size: usize,
    /// What it is for: `weights`, `scratch`, `fast scratch`, `inputs and outputs`, `persistent`.
    pub role: &'static str,
    /// Whether the size was stated in the file. Otherwise it was derived from the stream's accesses.
    pub stated: bool,
}

/// A command stream with all that it needs to run.
#[derive(Debug, Clone)]
pub struct NpuProgram {
    /// The driver payload: `COP1` or `COP2`, configuration words, command stream.
    pub payload: AlignedBytes,
    /// Weights, scales and tables.
    pub weights: AlignedBytes,
    /// The region of the weights.
    pub weight_region: usize,
    /// What each region must hold.
    pub regions: [Option<RegionPlan>; REGIONS],
    /// What the persistent buffer holds before the first run, behind which it is zero.
    pub persistent_init: Vec<u8>,
    /// Inputs, in the order of the delegate's arguments.
    pub inputs: Vec<Io>,
    /// Outputs, in the order of the delegate's arguments.
    pub outputs: Vec<Io>,
}

/// Sizes that a container states.
struct Stated {
    weight_region: usize,
    scratch: (usize, usize),
    /// Region and size of the fast scratch; the size may be missing.
    fast: (usize, Option<usize>),
    persistent: usize,
}

impl NpuProgram {
    /// Reads Vela's raw output.
    ///
    /// # Errors
    /// Arrays that are missing, of another type, or contradict each other.
    pub fn from_npz(npz: &mut Npz) -> Result<NpuProgram> {
        let payload = bytes(npz, "cmd_data")?;
        let weights = bytes(npz, "weight_data")?;
        let stated = Stated {
            weight_region: one(npz, "weight_region")?,
            scratch: (one(npz, "scratch_region")?, one(npz, "scratch_shape")?),
            fast: (one(npz, "scratch_fast_region")?, Some(one(npz, "scratch_fast_shape")?)),
            persistent: 0,
        };
        let inputs = io(npz, "input")?;
        let outputs = io(npz, "output")?;
        NpuProgram::assemble(payload, weights, &stated, inputs, outputs)
    }

    /// Reads the blob of an `EthosUBackend` delegate. `named` finds blocks that are stored elsewhere.
    ///
    /// # Errors
    /// A blob that does not read, or an external block that `named` does not find.
    pub fn from_blob<'a>(blob: &'a [u8], named: impl Fn(&str) -> Option<&'a [u8]>) -> Result<NpuProgram> {
        let stream = BinStream::parse(blob).map_err(crate::host::pte_error)?;
        let find = |block: Block<'a>| match block {
            Block::Inline(bytes) => Ok(AlignedBytes::from(bytes)),
            Block::External { key } => named(key).map(AlignedBytes::from).ok_or_else(|| {
                Error::new(format!("the delegate's block '{key}' is in another file"))
                    .help("give the .ptd file that holds it with --data")
            }),
        };
        let stated = Stated {
            weight_region: 0,
            scratch: (SCRATCH_REGION as usize, stream.scratch_size as usize),
            // The blob does not state the fast scratch: upstream's format drops it.
            fast: (FAST_SCRATCH_REGION, None),
            persistent: stream.persistent_size as usize,
        };
        let io = |list: IoList<'a>| {
            let io = |io: tombolo_pte::vela::Io| Io {
                shape: io.shape.iter().map(|&d| d as usize).collect(),
                elem_size: io.elem_size as usize,
                offset: io.offset as usize,
                region: io.region as usize,
            };
            list.iter().map(io).collect()
        };
        let (payload, weights) = (find(stream.cmd_data)?, find(stream.weight_data)?);
        let (inputs, outputs) = (io(stream.inputs), io(stream.outputs));
        let mut program = NpuProgram::assemble(payload, weights, &stated, inputs, outputs)?;
        program.persistent_init = stream.persistent_init.unwrap_or_default().to_vec();
        Ok(program)
    }

    fn assemble(
        payload: AlignedBytes,
        weights: AlignedBytes,
        stated: &Stated,
        inputs: Vec<Io>,
        outputs: Vec<Io>,
    ) -> Result<NpuProgram> {
        let mut program = NpuProgram {
            payload,
            weights,
            weight_region: stated.weight_region,
            regions: Default::default(),
            persistent_init: Vec::new(),
            inputs,
            outputs,
        };
        let accelerator = program.accelerator()?;
        let extents = tombolo_ethosu::regions::extents(accelerator.generation(), program.parsed()?.stream)
            .map_err(|e| decode_error(&e))?;
        let weight_bytes = program.weights.len();
        program.reserve(stated.weight_region, weight_bytes, "weights", true)?;
        program.reserve(stated.scratch.0, stated.scratch.1, "scratch", true)?;
        if stated.persistent > 0 {
            program.reserve(PERSISTENT_REGION as usize, stated.persistent, "persistent", true)?;
        }
        let (region, size) = stated.fast;
        let derived = usize::try_from(extents.get(region).end).unwrap_or(usize::MAX);
        match size {
            Some(size) if size > 0 => program.reserve(region, size, "fast scratch", true)?,
            Some(_) => {}
            // With a region for each input and output, region 2 may be one of them.
            None if program.inputs.iter().chain(&program.outputs).any(|io| io.region == region) => {}
            None if derived > 0 => program.reserve(region, derived, "fast scratch", false)?,
            None => {}
        }
        let io: Vec<Io> = program.inputs.iter().chain(&program.outputs).cloned().collect();
        for io in &io {
            let end = io.offset.checked_add(checked_bytes(io)?).ok_or_else(too_large)?;
            if program.regions.get(io.region).is_some_and(Option::is_none) {
                program.reserve(io.region, end, "inputs and outputs", true)?;
            } else if io.region == program.weight_region && weight_bytes > 0 {
                return Err(Error::new(format!(
                    "an input or output lies in region {}, which holds the weights",
                    io.region
                ))
                .help("the stream is damaged; compile it again"));
            } else {
                program.reserve(io.region, end, "scratch", true)?;
            }
        }
        Ok(program)
    }

    /// Makes `region` at least `size` bytes long.
    fn reserve(&mut self, region: usize, size: usize, role: &'static str, stated: bool) -> Result<()> {
        if size > MAX_REGION {
            return Err(too_large());
        }
        let slot = self.regions.get_mut(region).ok_or_else(|| {
            Error::new(format!("region {region} for {role}: the NPU has regions 0 to {}", REGIONS - 1))
                .help("the stream is damaged; compile it again")
        })?;
        match slot {
            Some(plan) => plan.size = plan.size.max(size),
            None => *slot = Some(RegionPlan { size, role, stated }),
        }
        Ok(())
    }

    /// The payload's parts.
    ///
    /// # Errors
    /// It is not one.
    pub fn parsed(&self) -> Result<Payload<'_>> {
        parse_payload(&self.payload)
    }

    /// The NPU that the stream was compiled for.
    ///
    /// # Errors
    /// The configuration word names none that is known.
    pub fn accelerator(&self) -> Result<Accelerator> {
        accelerator_of(&self.parsed()?)
    }

    /// Bytes of fast scratch that the stream wants, and whether the file states them.
    pub fn fast_scratch(&self) -> Option<(usize, bool)> {
        let plan = self.regions.iter().flatten().find(|plan| plan.role == "fast scratch")?;
        Some((plan.size, plan.stated))
    }

    /// Bytes of the buffer that keeps its content between runs.
    pub fn persistent(&self) -> usize {
        self.regions.iter().flatten().find(|plan| plan.role == "persistent").map_or(0, |plan| plan.size)
    }

    /// Bytes of scratch that the stream wants.
    pub fn scratch(&self) -> usize {
        self.regions.iter().flatten().find(|plan| plan.role == "scratch").map_or(0, |plan| plan.size)
    }

    /// Checks an array against input or output `io`: as many elements, of as many bytes.
    ///
    /// # Errors
    /// It has others.
    pub fn check_array(io: &Io, array: &Array, name: &str) -> Result<()> {
        if array.dtype().size() != io.elem_size || array.len() != io.count() {
            return Err(Error::new(format!(
                "{name} is {} {}: {} elements of {} bytes; the stream has {} elements of {} bytes there",
                array.dtype(),
                Shape(array.shape()),
                array.len(),
                array.dtype().size(),
                io.count(),
                io.elem_size
            ))
            .help("give the integers as they are at the delegate's border"));
        }
        Ok(())
    }
}

/// The parts of a driver payload.
///
/// # Errors
/// The bytes are not one.
pub fn parse_payload(bytes: &[u8]) -> Result<Payload<'_>> {
    Payload::parse(bytes)
        .map_err(|e| Error::new(e.to_string()).at("cmd_data").help("compile the model again"))
}

/// The stream decoder's error as the host's.
pub fn decode_error(error: &tombolo_ethosu::cmd::DecodeError) -> Error {
    Error::new(format!("the command stream does not decode: {error}"))
        .at("cmd_data")
        .help("the stream is damaged; compile the model again")
}

/// The NPU that a payload's configuration word names.
///
/// # Errors
/// It names none that is known.
pub fn accelerator_of(payload: &Payload<'_>) -> Result<Accelerator> {
    Accelerator::from_config_word(payload.config).ok_or_else(|| {
        let known: Vec<&str> = Accelerator::ALL.into_iter().map(Accelerator::name).collect();
        Error::new(format!(
            "the stream was compiled for an NPU that is not known: config word {:#010x}",
            payload.config
        ))
        .at("cmd_data")
        .help(format!("compile it for one of {}", known.join(", ")))
    })
}

fn too_large() -> Error {
    Error::new(format!("a memory region of more than {MAX_REGION} bytes"))
        .help("the stream is damaged; compile it again")
}

/// The bytes of an input or output, checked.
fn checked_bytes(io: &Io) -> Result<usize> {
    io.shape
        .iter()
        .try_fold(io.elem_size, |n, &d| n.checked_mul(d))
        .filter(|&n| n <= MAX_REGION)
        .ok_or_else(too_large)
}

/// A byte string.
fn bytes(npz: &mut Npz, name: &str) -> Result<AlignedBytes> {
    Ok(AlignedBytes::from(npz.require(name)?.bytes()))
}

/// An array of non-negative integers.
fn sizes(npz: &mut Npz, name: &str) -> Result<(Vec<usize>, Vec<usize>)> {
    let array = npz.require(name)?;
    let values = (0..array.len())
        .map(|i| {
            let value = array.integer(i).ok_or_else(|| {
                Error::new(format!("{} elements where integers are expected", array.dtype()))
            })?;
            usize::try_from(value).map_err(|_| Error::new(format!("{value} is no size")))
        })
        .collect::<Result<_>>()
        .map_err(|e| e.at(format!("array '{name}'")).help("the file is damaged; run Vela again"))?;
    Ok((values, array.shape().to_vec()))
}

/// An array of one integer.
fn one(npz: &mut Npz, name: &str) -> Result<usize> {
    match sizes(npz, name)?.0.as_slice() {
        [value] => Ok(*value),
        many => Err(Error::new(format!("{} numbers where one is expected", many.len()))
            .at(format!("array '{name}'"))
            .help("the file is damaged; run Vela again")),
    }
}

/// The table of inputs or outputs: arrays `{kind}_shape`, `_elem_size`, `_offset` and `_region`.
fn io(npz: &mut Npz, kind: &str) -> Result<Vec<Io>> {
    let (flat, shape) = sizes(npz, &format!("{kind}_shape"))?;
    let rank = match *shape.as_slice() {
        [_, rank] => rank,
        _ => {
            return Err(Error::new(format!("shape {} where a list of shapes is expected", Shape(&shape)))
                .at(format!("array '{kind}_shape'"))
                .help("the file is damaged; run Vela again"));
        }
    };
    let mut column = |field: &str| sizes(npz, &format!("{kind}_{field}")).map(|(values, _)| values);
    let (elem_size, offset, region) = (column("elem_size")?, column("offset")?, column("region")?);
    let count = elem_size.len();
    if offset.len() != count
        || region.len() != count
        || count.checked_mul(rank) != Some(flat.len())
        || rank == 0
    {
        return Err(Error::new(format!("the {kind} arrays have different lengths"))
            .at(format!("array '{kind}_shape'"))
            .help("the file is damaged; run Vela again"));
    }
    let list: Vec<Io> = (0..count)
        .map(|i| Io {
            shape: flat[i * rank..(i + 1) * rank].to_vec(),
            elem_size: elem_size[i],
            offset: offset[i],
            region: region[i],
        })
        .collect();
    for io in &list {
        checked_bytes(io).map_err(|e| e.at(format!("array '{kind}_shape'")))?;
    }
    Ok(list)
}
