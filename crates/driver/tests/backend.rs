//! The delegate in real programs, over an NPU that answers from a script: what loads, what is
//! refused with which words, and which bytes go where.

mod common;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use common::{Aligned, Fake, corpus};
use tombolo_driver::{EthosUBackend, Job, PmuConfig, Region};
use tombolo_ethosu::Accelerator;
use tombolo_pte::ptd::DataFile;
use tombolo_pte::vela::BinStream;
use tombolo_runtime::{
    Delegate, DelegateError, Dtype, DtypeSet, ExecuteError, KernelContext, KernelDef, KernelError, LoadError,
    Memory, Method, Options, Program,
};

thread_local! {
    /// What the quantize kernels wrote and the dequantize kernels read, in order.
    static QUANTIZED: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    static DEQUANTIZED: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Bytes that tell where they came from.
fn pattern(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251 + seed * 31) as u8).collect()
}

fn quantize(context: &KernelContext<'_, '_>) -> Result<(), KernelError> {
    let mut out = context.out(6)?;
    QUANTIZED.with_borrow_mut(|list| {
        let bytes = pattern(list.len(), out.bytes().len());
        out.bytes_mut().copy_from_slice(&bytes);
        list.push(bytes);
    });
    Ok(())
}

fn dequantize(context: &KernelContext<'_, '_>) -> Result<(), KernelError> {
    DEQUANTIZED.with_borrow_mut(|list| list.push(context.tensor(0).unwrap().bytes().to_vec()));
    Ok(())
}

fn nothing(_: &KernelContext<'_, '_>) -> Result<(), KernelError> {
    Ok(())
}

/// Kernels for all operators of a program, doing what the tests look at and nothing else.
fn kernels(program: &Program<'_>) -> Vec<KernelDef> {
    let plan = program.find_method("forward").unwrap();
    (0..plan.operator_count())
        .map(|i| {
            let operator = plan.operator(i);
            let name: &'static str =
                Box::leak(format!("{}.{}", operator.name, operator.overload).into_boxed_str());
            match operator.name {
                "quantized_decomposed::quantize_per_tensor" => {
                    KernelDef::new(name, 7, &[6], DtypeSet::ANY, quantize)
                }
                "quantized_decomposed::dequantize_per_tensor" => {
                    KernelDef::new(name, 7, &[], DtypeSet::ANY, dequantize)
                }
                _ => KernelDef::new(name, 0, &[], DtypeSet::ANY, nothing),
            }
        })
        .collect()
}

/// A loaded method, or why it was refused; `then` sees the method.
fn with_method<R>(
    file: &Aligned,
    data: &[DataFile<'_>],
    backend: &mut EthosUBackend<'_, Fake>,
    temp: Option<usize>,
    then: impl FnOnce(Result<&mut Method<'_, '_>, LoadError<'_>>) -> R,
) -> R {
    let program = Program::parse(file.bytes()).unwrap();
    let kernels = kernels(&program);
    let plan = program.find_method("forward").unwrap();
    let mut arena = Aligned::zeroed(Method::arena_bytes(&program, "forward").unwrap());
    let mut buffers: Vec<Aligned> =
        (0..plan.buffer_count()).map(|i| Aligned::zeroed(plan.buffer_size(i) as usize)).collect();
    let mut planned: Vec<&mut [u8]> = buffers.iter_mut().map(Aligned::bytes_mut).collect();
    let mut temp = Aligned::zeroed(temp.unwrap_or(1 << 20));
    let memory = Memory { method: arena.bytes_mut(), planned: &mut planned, temp: temp.bytes_mut() };
    let mut delegates: [&mut dyn Delegate; 1] = [backend];
    let options = Options { data, ..Options::default() };
    match Method::load(&program, "forward", &kernels, &mut delegates, memory, options) {
        Ok(mut method) => then(Ok(&mut method)),
        Err(error) => then(Err(error)),
    }
}

fn refusal(result: Result<&mut Method<'_, '_>, LoadError<'_>>) -> DelegateError {
    match result {
        Err(LoadError::Delegate { error, .. }) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was loaded"),
    }
}

/// Sets all inputs to zeros of their own type.
fn set_inputs(method: &mut Method<'_, '_>) {
    for index in 0.. {
        let Ok(spec) = method.input_spec(index) else { break };
        let bytes = vec![0; spec.nbytes()];
        method.set_input(index, spec.dtype, &spec.shape, &bytes).unwrap();
    }
}

/// The delegates' blobs of a program, with the position of each in the file.
fn blobs(file: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let program = Program::parse(file).unwrap();
    let plan = program.find_method("forward").unwrap();
    (0..plan.delegate_count())
        .map(|i| {
            let blob = plan.delegate(i).blob;
            (blob.as_ptr() as usize - file.as_ptr() as usize, blob.to_vec())
        })
        .collect()
}

/// The accelerator in the first delegate's payload (its block may be in a data file).
fn accelerator_of(name: &str) -> Accelerator {
    match name {
        "a16w8_u85" | "cop2_direct_drive_u85" | "w4_u85" => Accelerator::U85_256,
        "u65_512_shared" => Accelerator::U65_512,
        other => match other.strip_prefix("t_") {
            Some(target) => Accelerator::from_name(target).unwrap(),
            None => Accelerator::U55_128,
        },
    }
}

fn variant(name: &str) -> Aligned {
    Aligned::read(corpus().join(format!("variants/{name}.pte")))
}

/// All programs of the corpus with a delegate: name, file, accelerator.
fn programs() -> Vec<(String, PathBuf, Accelerator)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(corpus()).unwrap() {
        let folder = entry.unwrap().path();
        let model = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if model == "variants" {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|e| e == "pte") {
                    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                    let accelerator = accelerator_of(&name);
                    found.push((name, path, accelerator));
                }
            }
        } else {
            let path = folder.join("u65-256.pte");
            found.push((model, path, Accelerator::U65_256));
        }
    }
    found.sort();
    assert!(found.len() >= 41, "{} programs", found.len());
    found
}

fn data_files(name: &str) -> Vec<Aligned> {
    if name != "external_blocks" {
        return Vec::new();
    }
    ["npu_cmd", "npu_weights"]
        .map(|tag| Aligned::read(corpus().join(format!("variants/external_blocks.{tag}.ptd"))))
        .into()
}

/// What the fake NPU saw at its regions when it ran: inputs; and where it puts outputs.
fn script(
    npu: &mut Fake,
    stream: &BinStream<'_>,
    seen: &Rc<RefCell<Vec<Vec<u8>>>>,
    wrote: &Rc<RefCell<Vec<Vec<u8>>>>,
) {
    let inputs: Vec<_> = stream.inputs.iter().collect();
    let outputs: Vec<_> = stream.outputs.iter().collect();
    let (seen, wrote) = (Rc::clone(seen), Rc::clone(wrote));
    npu.run = Box::new(move |job: &mut Job<'_>| {
        for io in &inputs {
            let memory = job.regions[io.region as usize].bytes();
            let at = io.offset as usize;
            seen.borrow_mut().push(memory[at..at + io.nbytes()].to_vec());
        }
        for (index, io) in outputs.iter().enumerate() {
            let Region::ReadWrite(memory) = &mut job.regions[io.region as usize] else {
                panic!("not writable")
            };
            let at = io.offset as usize;
            let bytes = pattern(100 + index, io.nbytes());
            memory[at..at + bytes.len()].copy_from_slice(&bytes);
            wrote.borrow_mut().push(bytes);
        }
    });
}

/// Every program of the corpus loads on the NPU that it was compiled for, with fast scratch just as
/// large as needed; the bytes of inputs and outputs go where the blob says.
#[test]
fn every_program_loads_and_its_bytes_go_where_they_belong() {
    let mut with_fast = 0;
    for (name, path, accelerator) in programs() {
        let file = Aligned::read(&path);
        let files = data_files(&name);
        let data: Vec<DataFile<'_>> = files.iter().map(|f| DataFile::parse(f.bytes()).unwrap()).collect();
        let blobs = blobs(file.bytes());

        // How much fast scratch: none is refused with the number, one byte less too.
        let need =
            with_method(&file, &data, &mut EthosUBackend::new(Fake::new(accelerator), &mut []), None, |r| {
                match r {
                    Ok(_) => 0,
                    Err(LoadError::Delegate { error, .. }) => {
                        assert_eq!((error.code, error.numbers[1]), (106, 0), "{name}: {error}");
                        error.numbers[0] as usize
                    }
                    Err(other) => panic!("{name}: {other}"),
                }
            });
        if need > 0 {
            with_fast += 1;
            let mut fast = Aligned::zeroed(need - 1);
            let mut backend = EthosUBackend::new(Fake::new(accelerator), fast.bytes_mut());
            let error = with_method(&file, &data, &mut backend, None, refusal);
            assert_eq!(
                error.to_string(),
                format!("it needs {need} bytes of fast scratch (region 2), {} are available", need - 1)
            );
        }

        let mut fast = Aligned::zeroed(need);
        let mut npu = Fake::new(accelerator);
        let (seen, wrote) = (Rc::default(), Rc::default());
        let blob = Aligned::new(&blobs[0].1);
        let stream = BinStream::parse(blob.bytes()).unwrap();
        script(&mut npu, &stream, &seen, &wrote);
        let mut backend = EthosUBackend::new(npu, fast.bytes_mut());
        QUANTIZED.take();
        DEQUANTIZED.take();
        let temp = with_method(&file, &data, &mut backend, None, |method| {
            let method = method.unwrap_or_else(|e| panic!("{name}: {e}"));
            let usage = method.usage();
            if blobs.len() == 1 {
                set_inputs(method);
                method.execute().unwrap_or_else(|e| panic!("{name}: {e}"));
                if method.usage().temp.peak > usage.temp.needed {
                    panic!("{name}: {:?}", method.usage());
                }
            }
            usage.temp.needed
        });
        assert!(temp >= stream.scratch_size as usize, "{name}");
        if blobs.len() == 1 && name != "quantized_io" {
            assert_eq!(*seen.borrow(), QUANTIZED.take(), "{name}: inputs");
            assert_eq!(*wrote.borrow(), DEQUANTIZED.take(), "{name}: outputs");
            assert!(!seen.borrow().is_empty() && !wrote.borrow().is_empty(), "{name}");
        }
        // Exactly the temporary memory that was asked for is enough, less is refused at load.
        let mut backend = EthosUBackend::new(Fake::new(accelerator), fast.bytes_mut());
        with_method(&file, &data, &mut backend, Some(temp), |r| assert!(r.is_ok(), "{name}"));
        with_method(&file, &data, &mut backend, Some(temp - 1), |r| {
            assert!(matches!(r, Err(LoadError::TempArena(_))), "{name}");
        });
    }
    assert_eq!(with_fast, 15, "programs of the corpus in memory mode Dedicated_Sram that use it");
}

/// A program whose input and output are the delegate's.
struct Direct {
    file: Vec<u8>,
    at: usize,
}

impl Direct {
    fn new() -> Direct {
        let file = variant("quantized_io").bytes().to_vec();
        let aligned = Aligned::new(&file);
        let at = blobs(aligned.bytes())[0].0;
        Direct { file, at }
    }

    /// Where a block's data starts in the file, and its size.
    fn block(&self, name: &str) -> (usize, usize) {
        let mut at = self.at;
        loop {
            let size = u32::from_le_bytes(self.file[at + 16..at + 20].try_into().unwrap()) as usize;
            if self.file[at..].starts_with(name.as_bytes()) {
                return (at + 32, size);
            }
            at += 32 + size.next_multiple_of(16);
        }
    }

    fn set(&mut self, at: usize, value: u32) {
        self.file[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.file[at..at + 4].try_into().unwrap())
    }

    /// Word `word` of input or output 0: 0 to 5 shape, 6 element size, 7 offset, 8 region.
    fn io(&mut self, block: &str, word: usize, value: u32) -> &mut Self {
        let (at, _) = self.block(block);
        self.set(at + 4 + 4 * word, value);
        self
    }

    fn scratch(&mut self, bytes: u32) -> &mut Self {
        let (at, _) = self.block("scratch_size");
        self.set(at, bytes);
        self
    }

    fn aligned(&self) -> Aligned {
        Aligned::new(&self.file)
    }

    fn refused(&self) -> DelegateError {
        let mut backend = EthosUBackend::new(Fake::new(Accelerator::U55_128), &mut []);
        with_method(&self.aligned(), &[], &mut backend, None, refusal)
    }
}

/// Runs a direct program: what the NPU saw, what it wrote, what came out.
fn run_direct(direct: &Direct) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let file = direct.aligned();
    let blob = Aligned::new(&blobs(file.bytes())[0].1);
    let stream = BinStream::parse(blob.bytes()).unwrap();
    let mut npu = Fake::new(Accelerator::U55_128);
    let (seen, wrote) = (Rc::default(), Rc::default());
    script(&mut npu, &stream, &seen, &wrote);
    let mut backend = EthosUBackend::new(npu, &mut []);
    let out = with_method(&file, &[], &mut backend, None, |method| {
        let method = method.unwrap_or_else(|e| panic!("{e}"));
        let spec = method.input_spec(0).unwrap();
        let input = pattern(5, spec.nbytes());
        method.set_input(0, spec.dtype, &spec.shape, &input).unwrap();
        method.execute().unwrap();
        assert_eq!(seen.borrow()[0], input);
        method.output(0).unwrap().bytes().to_vec()
    });
    let (seen, wrote) = (seen.borrow()[0].clone(), wrote.borrow()[0].clone());
    (seen, wrote, out)
}

#[test]
fn whole_copy() {
    let (seen, wrote, out) = run_direct(&Direct::new());
    assert_eq!((seen.len(), out.len()), (8 * 12 * 12, 16 * 12 * 12));
    assert_eq!(wrote, out);
}

/// 4-bit outputs arrive two in a byte, low half first, and become a byte each with their sign.
#[test]
fn nibbles_become_bytes() {
    let mut direct = Direct::new();
    direct.io("outputs", 5, 6);
    let (_, wrote, out) = run_direct(&direct);
    assert_eq!((wrote.len(), out.len()), (16 * 12 * 6, 16 * 12 * 12));
    let expected: Vec<u8> = wrote
        .iter()
        .flat_map(|byte| [byte & 15, byte >> 4])
        .map(|nibble| if nibble >= 8 { nibble | 0xf0 } else { nibble })
        .collect();
    assert_eq!(out, expected);
}

/// A padded innermost dimension is left out row by row.
#[test]
fn padded_rows() {
    let mut direct = Direct::new();
    let scratch = direct.word(direct.block("scratch_size").0);
    direct.io("outputs", 5, 16).scratch(scratch + 16 * 12 * 16);
    let (_, wrote, out) = run_direct(&direct);
    assert_eq!((wrote.len(), out.len()), (16 * 12 * 16, 16 * 12 * 12));
    let expected: Vec<u8> = wrote.chunks(16).flat_map(|row| row[..12].to_vec()).collect();
    assert_eq!(out, expected);
}

/// What does not fit is refused when the method is loaded, with a number of its own.
#[test]
fn tensors_that_do_not_fit_the_npu_s() {
    // element size
    let mut direct = Direct::new();
    direct.io("outputs", 6, 2).scratch(1 << 16);
    let error = direct.refused();
    assert_eq!(
        (error.code, error.to_string().as_str()),
        (112, "output 0 is a tensor of int8, but the NPU's elements have 2 bytes")
    );
    // an element of 4 bytes in 12 rows of 3: the same bytes, but not the same elements
    let mut direct = Direct::new();
    direct.io("outputs", 6, 4).io("outputs", 5, 3);
    assert_eq!(direct.refused().code, 112);
    let mut direct = Direct::new();
    direct.io("inputs", 6, 2).scratch(1 << 16);
    assert_eq!(direct.refused().code, 112);
    // number of elements
    let mut direct = Direct::new();
    direct.io("inputs", 5, 11);
    let error = direct.refused();
    assert_eq!(
        (error.code, error.to_string().as_str()),
        (113, "input 0 is a tensor of 1152 elements, but the NPU's has 1056")
    );
    for last in [11, 7, 1] {
        let mut direct = Direct::new();
        direct.io("outputs", 5, last);
        assert_eq!(direct.refused().code, 113, "{last}");
    }
    // 16 rows fewer, each longer: divisible, but no row of the tensor's
    let mut direct = Direct::new();
    direct.io("outputs", 4, 6).io("outputs", 5, 30).scratch(1 << 16);
    assert_eq!(direct.refused().code, 113);
    // order of dimensions: 12x12x16 instead of 16x12x12
    let mut direct = Direct::new();
    direct.io("outputs", 3, 12).io("outputs", 5, 16);
    let error = direct.refused();
    assert_eq!(
        (error.code, error.to_string().as_str()),
        (114, "the dimensions of output 0 lie in another order in memory than the NPU has them")
    );
    // dimensions that Vela joined are no reason to refuse
    let mut direct = Direct::new();
    direct.io("outputs", 3, 1).io("outputs", 4, 16).io("outputs", 5, 144);
    let mut backend = EthosUBackend::new(Fake::new(Accelerator::U55_128), &mut []);
    with_method(&direct.aligned(), &[], &mut backend, None, |r| assert!(r.is_ok()));
    // regions without memory
    for region in [0, 2, 5, 6, 7] {
        let mut direct = Direct::new();
        direct.io("inputs", 8, region);
        let error = direct.refused();
        assert_eq!((error.code, error.numbers[1]), (115, u64::from(region)));
    }
    // another number of them
    let mut direct = Direct::new();
    let (at, size) = direct.block("inputs");
    direct.set(at, 0);
    direct.set(at - 16, 4);
    // The block shrank to its count; move the rest of the blob up and pad at the end.
    let rest = at + 16..direct.at + blobs(Direct::new().aligned().bytes())[0].1.len();
    let moved = direct.file[at + size.next_multiple_of(16)..rest.end].to_vec();
    let gap = size.next_multiple_of(16) - 16;
    direct.file[at + 16..at + 16 + moved.len()].copy_from_slice(&moved);
    direct.file[rest.end - gap..rest.end].fill(0);
    assert_eq!(direct.refused().code, 100, "bytes behind the end of the blob");
}

/// What the stream touches is held against the memory there is.
#[test]
fn streams_that_leave_their_memory() {
    let mut direct = Direct::new();
    let needed = direct.word(direct.block("scratch_size").0);
    direct.scratch(needed - 64);
    let error = direct.refused();
    // Either a tensor of the blob or the stream leaves the scratch buffer, whichever is larger.
    assert!([100, 105].contains(&error.code), "{error}");
    // The weights' block shorter than the stream reads: as if the tail were cut off.
    let mut direct = Direct::new();
    let (at, size) = direct.block("weight_data");
    let short = size as u32 - 16;
    direct.set(at - 16, short);
    // what is left of the block must look like the next one: shift the rest forward
    let end = direct.at + blobs(Direct::new().aligned().bytes())[0].1.len();
    let tail = direct.file[at + size..end].to_vec();
    direct.file[at + size - 16..at + size - 16 + tail.len()].copy_from_slice(&tail);
    assert_eq!(direct.refused().code, 100, "16 bytes behind the end");
}

/// Commands of the stream replaced so that they do harm.
#[test]
fn harmful_streams() {
    use tombolo_ethosu::cmd::{self, Command, Opcode};
    let patch = |change: &dyn Fn(&mut Vec<Command>)| {
        let mut direct = Direct::new();
        let (at, size) = direct.block("cmd_data");
        let payload = tombolo_ethosu::payload::Payload::parse(&direct.file[at..at + size]).unwrap();
        let from = at + payload.stream_offset;
        let mut commands: Vec<Command> =
            cmd::decode(tombolo_ethosu::Generation::U55, payload.stream).map(|c| c.unwrap().1).collect();
        change(&mut commands);
        let bytes: Vec<u8> = commands
            .iter()
            .flat_map(|c| {
                let (words, count) = c.encode();
                words.into_iter().take(count).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
            })
            .collect();
        direct.file[from..from + bytes.len()].copy_from_slice(&bytes);
        direct.refused()
    };
    let first = |commands: &mut Vec<Command>, opcode: Opcode| {
        commands.iter().position(|c| c.opcode == opcode).unwrap_or_else(|| panic!("{opcode:?}"))
    };
    let error = patch(&|commands| {
        let i = first(commands, Opcode::OfmBase0);
        commands[i].payload = 0x4000_0000;
    });
    assert_eq!((error.code, error.numbers[0]), (105, 1), "{error}");
    let error = patch(&|commands| {
        let i = first(commands, Opcode::OfmRegion);
        commands[i].param = 0;
    });
    assert_eq!(
        (error.code, error.to_string().as_str()),
        (108, "its command stream writes to its constants (region 0)")
    );
    let error = patch(&|commands| {
        let i = first(commands, Opcode::OfmRegion);
        commands[i].param = 6;
    });
    assert_eq!((error.code, error.numbers[0], error.numbers[2]), (105, 6, 0), "{error}");
    let error = patch(&|commands| {
        let i = first(commands, Opcode::OfmRegion);
        commands[i].param = 2;
    });
    assert_eq!(error.code, 106, "{error}");
    let error = patch(&|commands| {
        let i = first(commands, Opcode::IfmStrideY);
        commands[i] = Command::with_address(Opcode::IfmStrideY, -100_000);
    });
    assert_eq!(error.code, 109, "{error}");
    let error = patch(&|commands| {
        let i = first(commands, Opcode::IfmStrideY);
        commands[i].opcode = Opcode::Weight1Base; // not on U55
    });
    assert_eq!(error.code, 104, "{error}");
    assert!(error.to_string().contains("no command of Ethos-U55"), "{error}");
}

#[test]
fn the_wrong_npu() {
    let file = variant("quantized_io");
    for accelerator in Accelerator::ALL.into_iter().filter(|a| *a != Accelerator::U55_128) {
        let mut backend = EthosUBackend::new(Fake::new(accelerator), &mut []);
        let error = with_method(&file, &[], &mut backend, None, refusal);
        assert_eq!(
            format!("{error}; {}", error.help()),
            format!(
                "this stream was compiled for ethos-u55-128, this NPU is {accelerator}; recompile with --target {accelerator}"
            )
        );
    }
}

#[test]
fn external_blocks_that_are_not_given() {
    let file = variant("external_blocks");
    let files = data_files("external_blocks");
    let load = |which: &[usize]| {
        let data: Vec<DataFile<'_>> =
            which.iter().map(|i| DataFile::parse(files[*i].bytes()).unwrap()).collect();
        let mut backend = EthosUBackend::new(Fake::new(Accelerator::U55_128), &mut []);
        with_method(&file, &data, &mut backend, None, |r| r.map(|_| ()).map_err(|e| e.to_string()))
    };
    assert_eq!(load(&[0, 1]), Ok(()));
    assert!(
        load(&[0]).unwrap_err().contains("its block weight_data is in an external file that was not given")
    );
    assert!(load(&[1]).unwrap_err().contains("its block cmd_data is in an external file that was not given"));
}

#[test]
fn misaligned_fast_scratch() {
    let file = Aligned::read(corpus().join("conv3x3_relu/u65-256.pte"));
    let mut fast = Aligned::zeroed(8192);
    let mut backend = EthosUBackend::new(Fake::new(Accelerator::U65_256), &mut fast.bytes_mut()[4..]);
    let error = with_method(&file, &[], &mut backend, None, refusal);
    assert_eq!(
        error.to_string(),
        "its fast scratch lies at address 0x40000004, which is not a multiple of 16"
    );
}

/// A program compiled for inputs and outputs in regions of their own.
#[test]
fn direct_regions() {
    let file = variant("cop2_direct_drive_u85");
    let mut npu = Fake::new(Accelerator::U85_256);
    let sizes = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&sizes);
    npu.run = Box::new(move |job| {
        log.borrow_mut().extend(job.regions.iter().map(|r| r.bytes().len()));
    });
    let mut backend = EthosUBackend::new(npu, &mut []);
    with_method(&file, &[], &mut backend, None, |method| {
        let method = method.unwrap();
        set_inputs(method);
        method.execute().unwrap();
        assert_eq!(method.usage().temp.needed, 2304 + 1152 + 2304);
    });
    let sizes = sizes.borrow();
    assert_eq!(sizes[1..], [2304, 0, 1152, 2304, 0, 0, 0]);
}

/// What a program keeps between runs: its memory starts with what the blob says, and stays. (No
/// exporter at hand writes such a blob; the blocks are put into one whose data is a segment at the end
/// of the file.)
#[test]
fn memory_that_stays() {
    let mut file = variant("segment").bytes().to_vec();
    let blob = blobs(Aligned::new(&file).bytes())[0].1.clone();
    let block = |name: &str, data: &[u8]| {
        let mut bytes = vec![0; 32];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytes[16..20].copy_from_slice(&(data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        bytes
    };
    let added =
        [block("persistent_size", &40u32.to_le_bytes()), block("persistent_init", &[7, 8, 9])].concat();
    // The size of the segment, and of all segments in the header.
    let (old, new) = ((blob.len() as u64).to_le_bytes(), ((blob.len() + added.len()) as u64).to_le_bytes());
    let start = file.len() - blob.len();
    let places: Vec<usize> = (0..start - 8).filter(|at| file[*at..].starts_with(&old)).collect();
    assert_eq!(places.len(), 2);
    for at in places {
        file[at..at + 8].copy_from_slice(&new);
    }
    let end = file.len() - 32;
    file.splice(end..end, added);
    let file = Aligned::new(&file);

    let mut backend = EthosUBackend::new(Fake::new(Accelerator::U55_128), &mut []);
    let error = with_method(&file, &[], &mut backend, None, refusal);
    assert_eq!(error.to_string(), "it keeps 40 bytes between runs (region 5), 0 are available");

    let mut npu = Fake::new(Accelerator::U55_128);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&seen);
    npu.run = Box::new(move |job| {
        let Region::ReadWrite(memory) = &mut job.regions[5] else { panic!("region 5 is absent") };
        log.borrow_mut().push(memory.to_vec());
        memory[39] += 1;
    });
    let mut memory = Aligned::new(&[0xee; 64]);
    let mut backend = EthosUBackend::new(npu, &mut []).with_persistent(memory.bytes_mut());
    with_method(&file, &[], &mut backend, None, |method| {
        let method = method.unwrap();
        for _ in 0..2 {
            set_inputs(method);
            method.execute().unwrap();
        }
    });
    // A second method that keeps something gets what is left, which is too little.
    let error = with_method(&file, &[], &mut backend, None, refusal);
    assert_eq!(error.to_string(), "it keeps 40 bytes between runs (region 5), 16 are available");
    let seen = seen.borrow();
    let mut first = vec![0; 40];
    first[..3].copy_from_slice(&[7, 8, 9]);
    let mut second = first.clone();
    second[39] = 1;
    assert_eq!(*seen, [first, second]);
}

/// What the NPU reports at a run comes out of `execute`.
#[test]
fn faults_at_a_run() {
    let file = variant("quantized_io");
    let mut npu = Fake::new(Accelerator::U55_128);
    (npu.outcome, npu.position) = (Some(0x6 | 1 << 11 | 2 << 12), 0x1c4);
    let mut backend = EthosUBackend::new(npu, &mut []);
    backend.driver_mut().set_pmu(PmuConfig::CYCLES).unwrap();
    with_method(&file, &[], &mut backend, None, |method| {
        let method = method.unwrap();
        set_inputs(method);
        match method.execute() {
            Err(ExecuteError::Delegate { error, .. }) => assert_eq!(
                (error.code, error.to_string().as_str()),
                (11, "bus error on AXI1 while fetching weights; command at byte 0x1c4 of the stream")
            ),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(backend.stats(), None);
    backend.driver_mut().npu_mut().outcome = Some(common::DONE);
    with_method(&file, &[], &mut backend, None, |method| {
        let method = method.unwrap();
        set_inputs(method);
        method.execute().unwrap();
    });
    assert_eq!(backend.stats().unwrap().cycles, Some(0));
}

/// Damage of any byte is refused or leads to a method that runs; nothing panics. The blob without
/// its weights is 3 KiB: every byte of it takes three values.
#[test]
fn damaged_blobs() {
    let direct = Direct::new();
    let (weights, weights_size) = direct.block("weight_data");
    let length = blobs(direct.aligned().bytes())[0].1.len();
    let mut outcomes = BTreeMap::<u16, usize>::new();
    for at in (direct.at..direct.at + length).filter(|at| !(weights..weights + weights_size).contains(at)) {
        for flip in [0x01, 0x80, 0xff] {
            let mut file = direct.aligned();
            file.bytes_mut()[at] ^= flip;
            if Program::parse(file.bytes()).is_err() {
                continue;
            }
            let mut backend = EthosUBackend::new(Fake::new(Accelerator::U55_128), &mut []);
            let code = with_method(&file, &[], &mut backend, None, |method| match method {
                Ok(method) => {
                    set_inputs(method);
                    method.execute().unwrap();
                    0
                }
                Err(LoadError::Delegate { error, .. }) => {
                    let text = format!("{error}; {}", error.help());
                    assert!(!text.contains(['{', '}']), "{text}");
                    error.code
                }
                Err(LoadError::TempArena(_)) => 1000,
                Err(other) => panic!("{other}"),
            });
            *outcomes.entry(code).or_default() += 1;
        }
    }
    println!("{outcomes:?}");
    for code in [5, 7, 100, 103, 104, 105, 113] {
        assert!(outcomes.contains_key(&code), "{code}: {outcomes:?}");
    }
}

#[test]
fn dtypes_of_the_corpus_are_the_ones_that_fit() {
    // 16-bit activations: 2 bytes on both sides.
    for name in ["a16w8_u55", "a16w8_u85"] {
        let file = variant(name);
        let blob = Aligned::new(&blobs(file.bytes())[0].1);
        let stream = BinStream::parse(blob.bytes()).unwrap();
        assert!(stream.inputs.iter().chain(stream.outputs.iter()).all(|io| io.elem_size == 2), "{name}");
        let mut backend = EthosUBackend::new(Fake::new(accelerator_of(name)), &mut []);
        with_method(&file, &[], &mut backend, None, |r| {
            assert_eq!(r.unwrap().input_spec(0).unwrap().dtype, Dtype::Float);
        });
    }
}
