//! Graph to flatbuffer.

use crate::attr::Attr;
use crate::dtype::Dtype;
use crate::flat::{Slot, Writer};
use crate::graph::{Block, Graph, Operation, SoftwareVersion, Tensor, TensorId};
use crate::schema;

/// Why a graph cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// A flatbuffer's references reach 2 GiB.
    TooLong,
    /// An operator or a block refers to a tensor or region that is not there.
    Dangling {
        /// The block.
        block: String,
        /// The operator's place, or `None` for the block's own inputs and outputs.
        operator: Option<usize>,
    },
    /// Two tensors of a block have the same name, which is how a file refers to them.
    SameName {
        /// The block.
        block: String,
        /// The name.
        name: String,
    },
    /// A shape must have one dimension: how many numbers it has.
    NotAShape {
        /// The block.
        block: String,
        /// The shape.
        name: String,
    },
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WriteError::TooLong => {
                f.write_str("the file would have more than 2 GiB, which a flatbuffer cannot have")
            }
            WriteError::Dangling { block, operator: Some(i) } => {
                write!(
                    f,
                    "block '{block}': operator {i} refers to a tensor or region that is not in the graph"
                )
            }
            WriteError::Dangling { block, operator: None } => {
                write!(f, "block '{block}': an input or output refers to a tensor that is not in the block")
            }
            WriteError::SameName { block, name } => {
                write!(
                    f,
                    "block '{block}': two tensors are called '{name}'; a file refers to tensors by name"
                )
            }
            WriteError::NotAShape { block, name } => {
                write!(f, "block '{block}': the shape '{name}' must have one dimension, which is known")
            }
        }
    }
}

impl std::error::Error for WriteError {}

/// Writes a graph. The same graph gives the same bytes. A file keeps shapes apart from tensors: read again, they
/// have moved behind them in [`Block::tensors`], and the ids with them.
///
/// # Errors
/// [`WriteError`].
pub fn write(graph: &Graph<'_>) -> Result<Vec<u8>, WriteError> {
    check(graph)?;
    let mut w = Writer::new(schema::IDENTIFIER);
    let present = |there: bool| if there { Slot::Ref } else { Slot::Absent };
    let mut refs = w
        .table(
            0,
            &[
                Slot::Ref,
                Slot::Ref,
                present(graph.software.is_some()),
                present(graph.compatibility.is_some()),
            ],
        )
        .into_iter();
    let mut next = move || refs.next().expect("as many references as asked for");
    let version = graph.version;
    w.table(
        next(),
        &[
            Slot::U32(version.major as u32),
            Slot::U32(version.minor as u32),
            Slot::U32(version.patch as u32),
            Slot::U8(version.draft.into()),
        ],
    );
    let regions = w.references(next(), graph.regions.len());
    for (region, at) in graph.regions.iter().zip(regions) {
        let fields = w.table(at, &[Slot::Ref, Slot::Ref]);
        w.text(fields[0], &region.name);
        let blocks = w.references(fields[1], region.blocks.len());
        for (block, at) in region.blocks.iter().zip(blocks) {
            write_block(&mut w, at, block, graph);
        }
    }
    if let Some(software) = &graph.software {
        write_software(&mut w, next(), software);
    }
    if let Some(compatibility) = &graph.compatibility {
        let min = &compatibility.min_reader;
        let fields = w.table(next(), &[present(min.is_some()), Slot::U64(compatibility.features)]);
        if let (Some(min), Some(at)) = (min, fields.first()) {
            write_software(&mut w, *at, min);
        }
    }
    w.finish().ok_or(WriteError::TooLong)
}

fn check(graph: &Graph<'_>) -> Result<(), WriteError> {
    let total: u64 = graph
        .regions
        .iter()
        .flat_map(|r| &r.blocks)
        .flat_map(|b| &b.tensors)
        .map(|t| t.data.as_ref().map_or(0, |d| d.len() as u64))
        .sum();
    if total >= i32::MAX as u64 {
        return Err(WriteError::TooLong);
    }
    for block in graph.regions.iter().flat_map(|r| &r.blocks) {
        let mut names = std::collections::BTreeSet::new();
        for tensor in &block.tensors {
            if !names.insert(&tensor.name) {
                return Err(WriteError::SameName { block: block.name.clone(), name: tensor.name.clone() });
            }
            if tensor.dtype == Dtype::Shape && !matches!(tensor.shape.as_deref(), Some(&[n]) if n >= 0) {
                return Err(WriteError::NotAShape { block: block.name.clone(), name: tensor.name.clone() });
            }
        }
        let dangling = |operator| Err(WriteError::Dangling { block: block.name.clone(), operator });
        let missing = |ids: &[TensorId]| ids.iter().any(|id| id.index() >= block.tensors.len());
        if missing(&block.inputs) || missing(&block.outputs) {
            return dangling(None);
        }
        for (i, operation) in block.operators.iter().enumerate() {
            let no_region = operation
                .op
                .to_attrs()
                .iter()
                .any(|a| matches!(a, Attr::Region(r) if r.index() >= graph.regions.len()));
            if missing(&operation.inputs) || missing(&operation.outputs) || no_region {
                return dangling(Some(i));
            }
        }
    }
    Ok(())
}

fn write_software(w: &mut Writer, at: usize, version: &SoftwareVersion) {
    let fields = w.table(
        at,
        &[
            Slot::U32(version.major as u32),
            Slot::U32(version.minor as u32),
            Slot::U32(version.micro as u32),
            Slot::Ref,
        ],
    );
    w.text(fields[0], &version.modifier);
}

fn write_block(w: &mut Writer, at: usize, block: &Block<'_>, graph: &Graph<'_>) {
    let fields = w.table(at, &[Slot::Ref; 6]);
    w.text(fields[schema::block::NAME], &block.name);
    let operators = w.references(fields[schema::block::OPERATORS], block.operators.len());
    for (operation, at) in block.operators.iter().zip(operators) {
        write_operation(w, at, operation, block, graph);
    }
    let (shapes, tensors): (Vec<&Tensor<'_>>, Vec<_>) =
        block.tensors.iter().partition(|t| t.dtype == Dtype::Shape);
    let places = w.references(fields[schema::block::TENSORS], tensors.len());
    for (tensor, at) in tensors.into_iter().zip(places) {
        write_tensor(w, at, tensor);
    }
    write_names(w, fields[schema::block::INPUTS], &block.inputs, block);
    write_names(w, fields[schema::block::OUTPUTS], &block.outputs, block);
    let places = w.references(fields[schema::block::SHAPES], shapes.len());
    for (shape, at) in shapes.into_iter().zip(places) {
        let rank = shape.shape.as_ref().and_then(|s| s.first()).copied().unwrap_or(0);
        let fields = w.table(at, &[Slot::Ref, Slot::U32(rank as u32), Slot::Ref]);
        w.text(fields[0], &shape.name);
        w.blob(fields[1], shape.data.as_deref().unwrap_or(&[]));
    }
}

fn write_names(w: &mut Writer, at: usize, ids: &[TensorId], block: &Block<'_>) {
    let places = w.references(at, ids.len());
    for (id, at) in ids.iter().zip(places) {
        w.text(at, &block.tensor(*id).name);
    }
}

fn write_tensor(w: &mut Writer, at: usize, tensor: &Tensor<'_>) {
    let scale = tensor.scale.as_ref();
    let mut fields = [Slot::Absent; 14];
    use schema::tensor as slot;
    fields[slot::NAME] = Slot::Ref;
    fields[slot::SHAPE] = Slot::Ref;
    fields[slot::TYPE] = Slot::U32(tensor.dtype.id());
    fields[slot::DATA] = Slot::Ref;
    if tensor.variable {
        fields[slot::VARIABLE] = Slot::U8(1);
    }
    if tensor.shape.is_none() {
        fields[slot::IS_UNRANKED] = Slot::U8(1);
    }
    fields[slot::VARIABLE_NAME] = Slot::Ref;
    if let Some(scale) = scale {
        fields[slot::SCALE_TYPE] = Slot::U32(scale.dtype.id());
        fields[slot::SCALE_DATA] = Slot::Ref;
        fields[slot::BLOCK_SHAPE] = Slot::U32(scale.block.id());
    }
    let refs = w.table(at, &fields);
    w.text(refs[0], &tensor.name);
    w.ints(refs[1], tensor.shape.as_deref().unwrap_or(&[]));
    w.blob(refs[2], tensor.data.as_deref().unwrap_or(&[]));
    w.text(refs[3], &tensor.variable_name);
    if let Some(scale) = scale {
        w.blob(refs[4], scale.data.as_deref().unwrap_or(&[]));
    }
}

fn write_operation(w: &mut Writer, at: usize, operation: &Operation, block: &Block<'_>, graph: &Graph<'_>) {
    let code = operation.op.code();
    let location = if operation.location.is_some() { Slot::Ref } else { Slot::Absent };
    let refs =
        w.table(at, &[Slot::U32(code), Slot::U8(code as u8), Slot::Ref, Slot::Ref, Slot::Ref, location]);
    let attrs = operation.op.to_attrs();
    let fields: Vec<Slot> = attrs
        .iter()
        .map(|attr| match attr {
            Attr::Int(n) => Slot::U32(*n as u32),
            Attr::Bool(b) => Slot::U8((*b).into()),
            Attr::Word(id) => Slot::U32(*id),
            Attr::Ints(_) | Attr::Bytes(_) | Attr::Text(_) | Attr::Region(_) => Slot::Ref,
        })
        .collect();
    let mut places = w.table(refs[0], &fields).into_iter();
    for attr in &attrs {
        if let Attr::Int(_) | Attr::Bool(_) | Attr::Word(_) = attr {
            continue;
        }
        let at = places.next().expect("a reference for each of them");
        match attr {
            Attr::Ints(ints) => w.ints(at, ints),
            Attr::Bytes(bytes) => w.blob(at, bytes),
            Attr::Text(text) => w.text(at, text),
            Attr::Region(id) => w.text(at, &graph.regions[id.index()].name),
            Attr::Int(_) | Attr::Bool(_) | Attr::Word(_) => {}
        }
    }
    write_names(w, refs[1], &operation.inputs, block);
    write_names(w, refs[2], &operation.outputs, block);
    if let (Some(location), Some(at)) = (&operation.location, refs.get(3)) {
        let fields = w.table(*at, &[Slot::Ref]);
        w.text(fields[0], location);
    }
}
