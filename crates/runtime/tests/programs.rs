//! Real programs through the runtime, with kernels of this test: what loads, what is refused, and why.

use std::string::ToString;
use tombolo_runtime::*;

const ADD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus/add/");

/// Bytes that start at a multiple of 16.
struct Aligned(Vec<u128>, usize);

impl Aligned {
    fn new(bytes: &[u8]) -> Aligned {
        let mut words = vec![0u128; bytes.len().div_ceil(16)];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(16)) {
            let mut le = [0; 16];
            le[..chunk.len()].copy_from_slice(chunk);
            *word = u128::from_ne_bytes(le);
        }
        Aligned(words, bytes.len())
    }

    fn zeroed(len: usize) -> Aligned {
        Aligned(vec![0; len.div_ceil(16)], len)
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the words are `len().div_ceil(16) * 16` initialised bytes, of which `.1` are shown.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.1) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, held exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.1) }
    }
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(format!("{ADD}{name}")).unwrap()
}

/// The data of a `.npy` file of version 1.
fn npy(name: &str) -> Vec<u8> {
    let file = read(name);
    let header = usize::from(u16::from_le_bytes([file[8], file[9]]));
    file[10 + header..].to_vec()
}

fn add(context: &KernelContext<'_, '_>) -> Result<(), KernelError> {
    let (a, b) = (context.tensor(0)?, context.tensor(1)?);
    let mut out = context.out(3)?;
    let (a, b) = (a.as_slice::<f32>()?, b.as_slice::<f32>()?);
    for ((o, a), b) in out.as_mut_slice::<f32>()?.iter_mut().zip(a).zip(b) {
        *o = a + b;
    }
    Ok(())
}

const ADD_OUT: KernelDef = KernelDef::new("aten::add.out", 4, &[3], DtypeSet::FLOAT, add);
static KERNELS: &[KernelDef] = kernels![ADD_OUT];

struct Pools {
    method: Aligned,
    planned: Aligned,
}

impl Pools {
    fn of(program: &Program<'_>) -> Pools {
        let plan = program.find_method("forward").unwrap();
        assert_eq!(plan.buffer_count(), 1);
        Pools {
            method: Aligned::zeroed(Method::arena_bytes(program, "forward").unwrap()),
            planned: Aligned::zeroed(plan.buffer_size(0) as usize),
        }
    }
}

#[test]
fn the_add_program_gives_torch_s_numbers_in_pools_of_exactly_the_size() {
    let file = Aligned::new(&read("cpu_float.pte"));
    let program = Program::parse(file.bytes()).unwrap();
    let mut pools = Pools::of(&program);
    let memory =
        Memory { method: pools.method.bytes_mut(), planned: &mut [pools.planned.bytes_mut()], temp: &mut [] };
    let mut method = Method::load(&program, "forward", KERNELS, &mut [], memory, Options::default()).unwrap();
    let usage = method.usage();
    assert_eq!(usage.method.peak, usage.method.needed, "the computed size is what loading used");
    assert_eq!(usage.method.given, usage.method.needed);

    assert_eq!(method.execute(), Err(ExecuteError::InputNotSet { index: 0 }));
    let spec = method.input_spec(0).unwrap();
    let (a, b) = (npy("in0.npy"), npy("in1.npy"));
    for _ in 0..2 {
        method.set_input(0, Dtype::Float, &spec.shape, &a).unwrap();
        method.set_input(1, Dtype::Float, &spec.shape, &b).unwrap();
        let mut seen = Vec::new();
        method
            .execute_with(&mut |event: Event<'_>| {
                if let Event::Begin { at, .. } = event {
                    seen.push(at);
                }
            })
            .unwrap();
        assert_eq!(seen, [(0, 0)]);
        assert_eq!(method.output(0).unwrap().bytes(), npy("float_out.npy"));
    }
    assert_eq!(method.output(1).unwrap_err_kind(), InputError::Index { count: 1 });
}

trait ErrKind {
    fn unwrap_err_kind(self) -> InputError;
}

impl<T> ErrKind for Result<T, InputError> {
    fn unwrap_err_kind(self) -> InputError {
        self.err().expect("an error")
    }
}

#[test]
fn wrong_inputs_are_refused_with_what_is_needed() {
    let file = Aligned::new(&read("cpu_float.pte"));
    let program = Program::parse(file.bytes()).unwrap();
    let mut pools = Pools::of(&program);
    let memory =
        Memory { method: pools.method.bytes_mut(), planned: &mut [pools.planned.bytes_mut()], temp: &mut [] };
    let mut method = Method::load(&program, "forward", KERNELS, &mut [], memory, Options::default()).unwrap();
    let shape = method.input_spec(0).unwrap().shape;
    let bytes = npy("in0.npy");
    let mut wrong = shape.to_vec();
    wrong[1] += 1;
    assert_eq!(
        method.set_input(0, Dtype::Char, &shape, &bytes),
        Err(InputError::Dtype { expected: Dtype::Float, given: Dtype::Char })
    );
    assert_eq!(
        method.set_input(0, Dtype::Float, &wrong, &bytes),
        Err(InputError::Shape { dim: 1, expected: shape[1], given: shape[1] + 1 })
    );
    assert!(matches!(method.set_input(0, Dtype::Float, &shape[1..], &bytes), Err(InputError::Shape { .. })));
    assert_eq!(
        method.set_input(0, Dtype::Float, &shape, &bytes[4..]),
        Err(InputError::Bytes { expected: bytes.len(), given: bytes.len() - 4 })
    );
    assert_eq!(method.set_input(2, Dtype::Float, &shape, &bytes), Err(InputError::Index { count: 2 }));
    let lent = bytes.clone();
    assert_eq!(method.bind_input(0, Dtype::Float, &shape, &lent), Err(InputError::Planned));
}

#[test]
fn everything_missing_is_named_at_once_with_the_remedy() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus/softmax/u65-256.pte");
    let file = Aligned::new(&std::fs::read(path).unwrap());
    let program = Program::parse(file.bytes()).unwrap();
    let memory = Memory { method: &mut [], planned: &mut [], temp: &mut [] };
    let error =
        Method::load(&program, "forward", KERNELS, &mut [], memory, Options::default()).err().unwrap();
    let LoadError::Missing(missing) = error else { panic!("{error}") };
    assert_eq!(missing.iter().count(), 3);
    let text = error.to_string();
    for part in [
        "delegate EthosUBackend",
        "quantized_decomposed::quantize_per_tensor.out (float32, int8",
        "quantized_decomposed::dequantize_per_tensor.out (int8, float32",
        "kernels!",
    ] {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

#[test]
fn a_kernel_that_takes_other_types_counts_as_missing() {
    const BYTES: KernelDef = KernelDef { dtypes: DtypeSet::of(&[Dtype::Char]), ..ADD_OUT };
    static WRONG: &[KernelDef] = kernels![BYTES];
    let file = Aligned::new(&read("cpu_float.pte"));
    let program = Program::parse(file.bytes()).unwrap();
    let memory = Memory { method: &mut [], planned: &mut [], temp: &mut [] };
    let error = Method::load(&program, "forward", WRONG, &mut [], memory, Options::default()).err().unwrap();
    assert!(error.to_string().contains("aten::add.out for (float32"), "{error}");
}

#[test]
fn pools_that_are_too_small_say_by_how_much() {
    let file = Aligned::new(&read("cpu_float.pte"));
    let program = Program::parse(file.bytes()).unwrap();
    let mut pools = Pools::of(&program);
    let needed = pools.method.1;
    let small =
        Memory { method: &mut pools.method.bytes_mut()[..needed - 1], planned: &mut [], temp: &mut [] };
    let error = Method::load(&program, "forward", KERNELS, &mut [], small, Options::default()).err().unwrap();
    assert!(error.to_string().contains(&format!("{needed} bytes needed, {} left", needed - 1)), "{error}");

    let planned = pools.planned.1;
    let small = Memory {
        method: pools.method.bytes_mut(),
        planned: &mut [&mut pools.planned.bytes_mut()[..planned - 1]],
        temp: &mut [],
    };
    let error = Method::load(&program, "forward", KERNELS, &mut [], small, Options::default()).err().unwrap();
    assert!(matches!(error, LoadError::PlannedBuffer { index: 0, .. }), "{error}");

    let mut pools = Pools { method: Aligned::zeroed(needed + 1), planned: Aligned::zeroed(planned + 16) };
    let odd = Memory {
        method: &mut pools.method.bytes_mut()[1..],
        planned: &mut [pools.planned.bytes_mut()],
        temp: &mut [],
    };
    let error = Method::load(&program, "forward", KERNELS, &mut [], odd, Options::default()).err().unwrap();
    assert!(matches!(error, LoadError::Misaligned { index: 0 }), "{error}");
}

#[test]
fn an_output_that_overlaps_an_input_is_an_error_not_a_wrong_result() {
    // Wherever the file states an offset, state another: in one of the variants the output lies on an input.
    let original = read("cpu_float.pte");
    let size = (npy("in0.npy").len()) as u32;
    let mut overlaps = 0;
    for position in (0..original.len() - 3).step_by(4) {
        let word = u32::from_le_bytes(original[position..position + 4].try_into().unwrap());
        if word == 0 || word % size != 0 || word > 4 * size {
            continue;
        }
        for other in [0, 16, size, size + 16] {
            let mut bytes = original.clone();
            bytes[position..position + 4].copy_from_slice(&other.to_le_bytes());
            let file = Aligned::new(&bytes);
            let Ok(program) = Program::parse(file.bytes()) else { continue };
            if program.find_method("forward").is_none() {
                continue;
            }
            let mut pools = Pools::of(&program);
            let memory = Memory {
                method: pools.method.bytes_mut(),
                planned: &mut [pools.planned.bytes_mut()],
                temp: &mut [],
            };
            let Ok(mut method) =
                Method::load(&program, "forward", KERNELS, &mut [], memory, Options::default())
            else {
                continue;
            };
            for i in 0..2 {
                let shape = method.input_spec(i).unwrap().shape;
                method.set_input(i, Dtype::Float, &shape, &npy(["in0.npy", "in1.npy"][i])).unwrap();
            }
            if let Err(ExecuteError::Kernel { error: KernelError::Overlap { .. }, .. }) = method.execute() {
                overlaps += 1;
            }
        }
    }
    assert!(overlaps > 0, "no variant made the output overlap an input");
}
