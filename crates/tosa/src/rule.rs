//! What each operator tells about itself: operands, types, shapes, kernel.

use crate::dtype::Dtype;
use crate::graph::{Block, Graph, RegionId};
use crate::interp::Machine;
use crate::spec::{Extensions, Level};
use crate::value::{Data, Value, count};

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A rule of the specification (an `ERROR_IF`) is broken.
    Invalid,
    /// A limit of the level is exceeded.
    Level,
    /// Needs a profile, extension or version that the target has not.
    Profile,
    /// The specification leaves open what happens (a `REQUIRE` is broken).
    Unpredictable,
    /// Fine, but not something that this crate can compute.
    Unsupported,
    /// Would take more memory or time than allowed.
    Budget,
    /// Not an error: a shape or constant that is needed is not known.
    #[doc(hidden)]
    Unknown,
}

/// Which operand of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    Input(usize),
    Output(usize),
}

/// What is wrong with an operator; where it stands is added outside.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) kind: ErrorKind,
    pub(crate) port: Option<Port>,
    pub(crate) text: String,
    /// From inside of a region that the operator runs: the place there.
    pub(crate) inner: Option<Box<crate::error::Error>>,
}

impl Problem {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Problem {
        Problem { kind, port: None, text: text.into(), inner: None }
    }
    pub(crate) fn invalid(text: impl Into<String>) -> Problem {
        Problem::new(ErrorKind::Invalid, text)
    }
    pub(crate) fn unpredictable(text: impl Into<String>) -> Problem {
        Problem::new(ErrorKind::Unpredictable, text)
    }
    pub(crate) fn level(text: impl Into<String>) -> Problem {
        Problem::new(ErrorKind::Level, text)
    }
    pub(crate) fn unknown() -> Problem {
        Problem::new(ErrorKind::Unknown, "")
    }
    pub(crate) fn input(mut self, i: usize) -> Problem {
        self.port = Some(Port::Input(i));
        self
    }
    pub(crate) fn output(mut self, i: usize) -> Problem {
        self.port = Some(Port::Output(i));
        self
    }
}

/// `Err(invalid)` unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err($crate::rule::Problem::invalid(format!($($text)*)));
        }
    };
}
pub(crate) use ensure;

/// An input of an operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input {
    pub(crate) name: &'static str,
    /// Must be a constant unless the extension `dynamic` is there.
    pub(crate) constant: bool,
}

pub(crate) const fn input(name: &'static str) -> Input {
    Input { name, constant: false }
}

pub(crate) const fn constant(name: &'static str) -> Input {
    Input { name, constant: true }
}

/// A combination of element types that an operator has, and what of TOSA it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Types {
    /// The last one stands for any further input.
    pub(crate) ins: &'static [Dtype],
    pub(crate) outs: &'static [Dtype],
    pub(crate) needs: Needs,
}

/// Extensions, all of them, and the minor version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) extensions: Extensions,
    pub(crate) minor: i32,
}

impl Needs {
    pub(crate) const INT: Needs = Needs { extensions: Extensions::NONE, minor: 0 };
    pub(crate) const INT16: Needs = Needs { extensions: Extensions::INT16, minor: 0 };
    pub(crate) const INT4: Needs = Needs { extensions: Extensions::INT4, minor: 0 };
    pub(crate) const INT64: Needs = Needs { extensions: Extensions::INT64, minor: 1 };
    pub(crate) const V11: Needs = Needs { extensions: Extensions::NONE, minor: 1 };
    pub(crate) const V11_INT16: Needs = Needs { extensions: Extensions::INT16, minor: 1 };
    pub(crate) const SHAPE: Needs = Needs { extensions: Extensions::SHAPE, minor: 1 };
    pub(crate) const SHAPE_INT64: Needs =
        Needs { extensions: Extensions::SHAPE.and(Extensions::INT64), minor: 1 };
}

macro_rules! types {
    ($( $($i:ident)* -> $($o:ident)* : $need:ident );* $(;)?) => {
        &[ $( $crate::rule::Types {
            ins: &[ $( $crate::dtype::Dtype::$i ),* ],
            outs: &[ $( $crate::dtype::Dtype::$o ),* ],
            needs: $crate::rule::Needs::$need,
        } ),* ]
    };
}
pub(crate) use types;

/// Operands and types of an operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    pub(crate) inputs: &'static [Input],
    pub(crate) outputs: &'static [&'static str],
    /// Whether the last input may come any number of times, once at least.
    pub(crate) variadic: bool,
    pub(crate) types: Typing,
    /// Extensions of the operator itself.
    pub(crate) needs: Extensions,
}

/// How the types of operands are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Typing {
    /// One of these.
    Table(&'static [Types]),
    /// Any number of operands of any type: the operator has its own rule.
    Any,
    /// No combination of integers: only for floating point.
    Float,
}

impl Signature {
    pub(crate) const fn new(
        inputs: &'static [Input],
        outputs: &'static [&'static str],
        types: &'static [Types],
    ) -> Signature {
        Signature { inputs, outputs, variadic: false, types: Typing::Table(types), needs: Extensions::NONE }
    }

    pub(crate) const fn float(inputs: &'static [Input], outputs: &'static [&'static str]) -> Signature {
        Signature { inputs, outputs, variadic: false, types: Typing::Float, needs: Extensions::NONE }
    }

    pub(crate) const fn variadic(self) -> Signature {
        Signature { variadic: true, ..self }
    }

    pub(crate) fn input_name(&self, i: usize) -> &'static str {
        self.inputs.get(i).or(self.inputs.last()).map_or("", |p| p.name)
    }
}

/// An input as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arg<'c> {
    pub(crate) dtype: Dtype,
    pub(crate) dims: Option<&'c [usize]>,
    pub(crate) value: Option<&'c Value>,
}

/// What rules look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cx<'c> {
    pub(crate) ins: &'c [Arg<'c>],
    /// Types of the outputs, and their declared shapes.
    pub(crate) outs: &'c [Arg<'c>],
    pub(crate) graph: &'c Graph<'c>,
}

pub(crate) type Dims = Vec<usize>;
pub(crate) type Inferred = Result<Vec<Dims>, Problem>;

impl<'c> Cx<'c> {
    /// The dimensions of an input.
    pub(crate) fn dims(&self, i: usize) -> Result<&'c [usize], Problem> {
        self.ins.get(i).and_then(|a| a.dims).ok_or_else(Problem::unknown)
    }

    /// The dimensions of an input with so many of them.
    pub(crate) fn rank<const N: usize>(&self, i: usize) -> Result<[usize; N], Problem> {
        let dims = self.dims(i)?;
        dims.try_into().map_err(|_| {
            Problem::invalid(format!("must have {N} dimensions and has {}", dims.len())).input(i)
        })
    }

    pub(crate) fn dtype(&self, i: usize) -> Dtype {
        self.ins.get(i).map_or(Dtype::Unknown, |a| a.dtype)
    }

    /// The numbers of an input.
    pub(crate) fn ints(&self, i: usize) -> Result<Vec<i64>, Problem> {
        Ok(self.ins.get(i).and_then(|a| a.value).ok_or_else(Problem::unknown)?.ints())
    }

    /// The numbers of an input that has so many.
    pub(crate) fn some_ints<const N: usize>(&self, i: usize) -> Result<[i64; N], Problem> {
        let ints = self.ints(i)?;
        let n = ints.len();
        ints.try_into().map_err(|_| Problem::invalid(format!("must have {N} numbers and has {n}")).input(i))
    }

    /// Checks that an input has this shape.
    pub(crate) fn shape_is(&self, i: usize, dims: &[usize]) -> Result<(), Problem> {
        match self.ins.get(i).and_then(|a| a.dims) {
            Some(found) if found != dims => {
                Err(Problem::invalid(format!("must have the shape {dims:?} and has {found:?}")).input(i))
            }
            _ => Ok(()),
        }
    }

    /// Checks that an input is a zero point: one number, 0 for all types but `i8`.
    pub(crate) fn zero_point(&self, i: usize) -> Result<(), Problem> {
        self.shape_is(i, &[1])?;
        if self.dtype(i) != Dtype::I8
            && let Some(value) = self.ins.get(i).and_then(|a| a.value)
            && value.ints().iter().any(|&n| n != 0)
        {
            let text = format!("a zero point of {} must be 0 and is {:?}", self.dtype(i), value.ints());
            return Err(Problem::invalid(text).input(i));
        }
        Ok(())
    }

    /// The block of a region.
    pub(crate) fn body(&self, region: RegionId) -> Result<&'c Block<'c>, Problem> {
        self.graph.body(region).ok_or_else(|| Problem::invalid("refers to a region without a block"))
    }
}

/// What a kernel gets. Rules were checked: types are one of the operator's, shapes are as inferred.
pub(crate) struct Run<'r, 'm> {
    pub(crate) ins: &'r [&'r Value],
    pub(crate) outs: &'r [(Dtype, Dims)],
    pub(crate) machine: &'r mut Machine<'m>,
}

impl Run<'_, '_> {
    pub(crate) fn data(&self, i: usize) -> &Data {
        self.ins[i].data()
    }
    pub(crate) fn dims(&self, i: usize) -> &[usize] {
        self.ins[i].dims()
    }
    /// The only number of an input.
    pub(crate) fn scalar(&self, i: usize) -> i64 {
        self.ins[i].ints().first().copied().unwrap_or(0)
    }
    pub(crate) fn out_dims(&self) -> &[usize] {
        &self.outs[0].1
    }
    pub(crate) fn out_dtype(&self) -> Dtype {
        self.outs[0].0
    }
    /// The result with these elements.
    pub(crate) fn done(&self, data: Data) -> Result<Vec<Value>, Problem> {
        let (dtype, dims) = &self.outs[0];
        Ok(vec![Value::made(*dtype, dims.clone(), data)])
    }
}

/// An operator. One file of `src/ops` each.
pub(crate) trait Operator {
    fn signature(&self) -> &'static Signature;

    /// The shapes of the outputs; checks every rule (`ERROR_IF`) about attributes, shapes and constants.
    fn infer(&self, cx: &Cx<'_>) -> Inferred;

    /// Checks the limits that a level sets to this operator.
    fn level(&self, _cx: &Cx<'_>, _level: &Level) -> Result<(), Problem> {
        Ok(())
    }

    /// Needs beyond those of its types.
    fn needs(&self) -> Extensions {
        self.signature().needs
    }

    /// About how many elementary steps the kernel takes.
    fn work(&self, cx: &Cx<'_>, outs: &[Dims]) -> u64 {
        let ins: u64 =
            cx.ins.iter().map(|a| a.dims.map_or(0, |d| count(d).unwrap_or(usize::MAX) as u64)).sum();
        outs.iter().fold(ins, |n, d| n.saturating_add(count(d).unwrap_or(usize::MAX) as u64))
    }

    /// Computes the outputs.
    fn run(&self, _run: &mut Run<'_, '_>) -> Result<Vec<Value>, Problem> {
        Err(Problem::new(ErrorKind::Unsupported, "not supported by the interpreter yet"))
    }
}
