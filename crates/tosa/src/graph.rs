//! The graph: regions, blocks, tensors, operators.
//!
//! # Semantics
//! A [`Graph`] has [`Region`]s; the first is what runs, the others are bodies of COND_IF and WHILE_LOOP, which
//! refer to them. A region has one [`Block`]. A block owns its [`Tensor`]s, and everything in it refers to them
//! by [`TensorId`], an index. Shapes (the schema keeps them apart) are tensors of type [`Dtype::Shape`] with one
//! dimension: how many numbers they have.
//!
//! Operators run in the order of the list. Each tensor gets its value once: as an input of the block, or from
//! the operator that has it as output. CONST and CONST_SHAPE take it from the tensor's own `data`.
//!
//! What is in a graph came from a file or a program and may be wrong in any way but one: ids are inside of their
//! arenas in what [`crate::read`] and [`crate::parse`] return. [`crate::validate`] checks the rest; the
//! interpreter checks what it relies on by itself.

use crate::dtype::{BlockShape, Dtype};
use crate::op::Op;
use std::borrow::Cow;

/// A tensor of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub u32);

/// A region of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

impl TensorId {
    /// The place in [`Block::tensors`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RegionId {
    /// The place in [`Graph::regions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The version of the specification that a file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Major number.
    pub major: i32,
    /// Minor number.
    pub minor: i32,
    /// Patch number.
    pub patch: i32,
    /// Whether that version was not final.
    pub draft: bool,
}

impl Version {
    /// 1.0.0.
    pub const V1_0: Version = Version { major: 1, minor: 0, patch: 0, draft: false };
    /// 1.1.0, a draft at the time of writing.
    pub const V1_1: Version = Version { major: 1, minor: 1, patch: 0, draft: true };
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let draft = if self.draft { "-draft" } else { "" };
        write!(f, "{}.{}.{}{draft}", self.major, self.minor, self.patch)
    }
}

/// The version of a serialization library.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SoftwareVersion {
    /// Major number.
    pub major: i32,
    /// Minor number.
    pub minor: i32,
    /// Third number.
    pub micro: i32,
    /// Anything behind it.
    pub modifier: String,
}

/// What a reader needs to read the file safely.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Compatibility {
    /// The oldest library that can.
    pub min_reader: Option<SoftwareVersion>,
    /// Features that it must know, one bit each.
    pub features: u64,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph<'a> {
    /// The specification that it follows.
    pub version: Version,
    /// What wrote it.
    pub software: Option<SoftwareVersion>,
    /// What is needed to read it.
    pub compatibility: Option<Compatibility>,
    /// The first one runs.
    pub regions: Vec<Region<'a>>,
}

/// A named list of blocks; always of one so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region<'a> {
    /// What COND_IF and WHILE_LOOP call it.
    pub name: String,
    /// One.
    pub blocks: Vec<Block<'a>>,
}

/// A list of operators and what they work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// Usually the region's.
    pub name: String,
    /// The arena of [`TensorId`].
    pub tensors: Vec<Tensor<'a>>,
    /// What must be given.
    pub inputs: Vec<TensorId>,
    /// What is returned.
    pub outputs: Vec<TensorId>,
    /// In the order in which they run.
    pub operators: Vec<Operation>,
}

/// A tensor, or a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// Unique in its block.
    pub name: String,
    /// Of its elements.
    pub dtype: Dtype,
    /// Its dimensions, -1 for one that is not known; `None` if not even their number is.
    pub shape: Option<Vec<i32>>,
    /// The value of a constant as in the file. May be longer than needed: the rest means nothing.
    pub data: Option<Cow<'a, [u8]>>,
    /// Whether it keeps its value from run to run.
    pub variable: bool,
    /// The name of that variable; usually empty.
    pub variable_name: String,
    /// Scales of blocks of values, for microscaling formats.
    pub scale: Option<Scale<'a>>,
}

/// The scales of a tensor whose values share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale<'a> {
    /// Of the scales.
    pub dtype: Dtype,
    /// How many values share one.
    pub block: BlockShape,
    /// Of a constant.
    pub data: Option<Cow<'a, [u8]>>,
}

/// An operator with its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Which, and its attributes.
    pub op: Op,
    /// What it reads.
    pub inputs: Vec<TensorId>,
    /// What it makes.
    pub outputs: Vec<TensorId>,
    /// Where it came from; opaque.
    pub location: Option<String>,
}

impl<'a> Graph<'a> {
    /// The block that runs.
    pub fn main(&self) -> Option<&Block<'a>> {
        self.regions.first()?.blocks.first()
    }

    /// The block of a region.
    pub fn body(&self, region: RegionId) -> Option<&Block<'a>> {
        self.regions.get(region.index())?.blocks.first()
    }

    /// The region with this name.
    pub fn region(&self, name: &str) -> Option<RegionId> {
        let index = self.regions.iter().position(|r| r.name == name)?;
        Some(RegionId(u32::try_from(index).ok()?))
    }

    /// A graph of its own: constants are copied out of the file.
    pub fn into_owned(self) -> Graph<'static> {
        Graph {
            version: self.version,
            software: self.software,
            compatibility: self.compatibility,
            regions: self
                .regions
                .into_iter()
                .map(|r| Region {
                    name: r.name,
                    blocks: r.blocks.into_iter().map(Block::into_owned).collect(),
                })
                .collect(),
        }
    }
}

impl<'a> Block<'a> {
    /// A tensor. Panics for an id of another block.
    pub fn tensor(&self, id: TensorId) -> &Tensor<'a> {
        &self.tensors[id.index()]
    }

    /// The tensor with this name.
    pub fn find(&self, name: &str) -> Option<TensorId> {
        let index = self.tensors.iter().position(|t| t.name == name)?;
        Some(TensorId(u32::try_from(index).ok()?))
    }

    /// Adds a tensor. Its name must be new in this block.
    pub fn add_tensor(&mut self, tensor: Tensor<'a>) -> TensorId {
        let id = TensorId(u32::try_from(self.tensors.len()).expect("fewer than 2^32 tensors"));
        self.tensors.push(tensor);
        id
    }

    fn into_owned(self) -> Block<'static> {
        fn own(data: Cow<'_, [u8]>) -> Cow<'static, [u8]> {
            Cow::Owned(data.into_owned())
        }
        Block {
            name: self.name,
            tensors: self
                .tensors
                .into_iter()
                .map(|t| Tensor {
                    name: t.name,
                    dtype: t.dtype,
                    shape: t.shape,
                    data: t.data.map(own),
                    variable: t.variable,
                    variable_name: t.variable_name,
                    scale: t.scale.map(|s| Scale { dtype: s.dtype, block: s.block, data: s.data.map(own) }),
                })
                .collect(),
            inputs: self.inputs,
            outputs: self.outputs,
            operators: self.operators,
        }
    }
}

impl<'a> Tensor<'a> {
    /// A tensor that is no constant.
    pub fn new(name: impl Into<String>, dtype: Dtype, shape: Vec<i32>) -> Tensor<'a> {
        Tensor {
            name: name.into(),
            dtype,
            shape: Some(shape),
            data: None,
            variable: false,
            variable_name: String::new(),
            scale: None,
        }
    }

    /// Its dimensions, if all are known. A dimension of 0 is only possible for a shape.
    pub fn dims(&self) -> Option<Vec<usize>> {
        self.shape.as_ref()?.iter().map(|&d| usize::try_from(d).ok()).collect()
    }

    /// Its type and shape, as in the text form: `i8[1, 8, 8, 3]`.
    pub fn type_name(&self) -> String {
        match &self.shape {
            None => format!("{}[*]", self.dtype),
            Some(shape) => {
                let dims: Vec<String> =
                    shape.iter().map(|&d| if d == -1 { "?".to_owned() } else { d.to_string() }).collect();
                format!("{}[{}]", self.dtype, dims.join(", "))
            }
        }
    }
}
