//! Flatbuffer to graph.

use crate::attr::{Attr, Kind};
use crate::dtype::{BlockShape, Dtype};
use crate::flat::{Fault, Flat, Table};
use crate::graph::{
    Block, Compatibility, Graph, Operation, Region, RegionId, Scale, SoftwareVersion, Tensor, TensorId,
    Version,
};
use crate::op::Op;
use crate::schema;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Why a file is no TOSA graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The byte of the file that it is about.
    pub offset: usize,
    /// The thing of the schema: `block 'main': operator 3 CONV2D: pad`.
    pub place: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a valid TOSA file: {}: {} (byte {})", self.place, self.what, self.offset)
    }
}

impl std::error::Error for ReadError {}

impl From<Fault> for ReadError {
    fn from(fault: Fault) -> ReadError {
        ReadError { offset: fault.offset, place: fault.field.to_owned(), what: fault.what }
    }
}

impl ReadError {
    fn within(mut self, place: &str) -> ReadError {
        self.place = format!("{place}: {}", self.place);
        self
    }
}

type Result<T> = core::result::Result<T, ReadError>;

/// Reads a graph; constants stay where they are in `file`.
///
/// # Errors
/// If `file` is no TOSA flatbuffer of version 1, has an operator, type or attribute unknown to it, refers to
/// something that is not there, or refers to the same bytes so often that reading would take unreasonably long.
/// Whether the graph makes sense is for [`crate::validate`].
pub fn read(file: &[u8]) -> Result<Graph<'_>> {
    let refuse = |what: String| Err(ReadError { offset: 4, place: "file".into(), what });
    match file.get(4..8) {
        None => return refuse(format!("{} bytes are too few for a flatbuffer", file.len())),
        Some(id) if id != schema::IDENTIFIER => {
            return refuse(format!(
                "a TOSA flatbuffer has the identifier \"TOSA\" at byte 4, this has \"{}\"",
                id.escape_ascii()
            ));
        }
        Some(_) => {}
    }
    let flat = Flat::new(file);
    let root = flat.table(0, "root table")?;
    let Some(version) = root.table(schema::graph::VERSION, "version")? else {
        return Ok(root.fault("version", "is missing; a TOSA graph must tell its version")?);
    };
    let version = Version {
        major: version.i32_or(0, -1, "version")?,
        minor: version.i32_or(1, -1, "version")?,
        patch: version.i32_or(2, -1, "version")?,
        draft: !version.has(3) || version.u8(3, "version")? != 0,
    };
    if version.major != 1 {
        return refuse(format!("TOSA {version} is not supported; versions 1.x are"));
    }
    let software = root
        .table(schema::graph::SOFTWARE_VERSION, "software_version")?
        .map(|t| software_version(&t, "software_version"))
        .transpose()?;
    let compatibility = root
        .table(schema::graph::COMPATIBILITY, "compatibility")?
        .map(|t| {
            Ok::<_, ReadError>(Compatibility {
                min_reader: t
                    .table(0, "min_reader_version")?
                    .map(|t| software_version(&t, "min_reader_version"))
                    .transpose()?,
                features: t.u64(1, "features")?,
            })
        })
        .transpose()?;
    let tables = root.tables(schema::graph::REGIONS, "regions")?;
    let mut names = BTreeMap::new();
    for (i, table) in tables.iter().enumerate() {
        let name = table.text(schema::region::NAME, "region name")?;
        if names.insert(name, RegionId(i as u32)).is_some() {
            return Ok(table.fault("regions", format!("there are two regions '{name}'; names must differ"))?);
        }
    }
    let regions = tables
        .iter()
        .map(|table| {
            let name = table.text(schema::region::NAME, "region name")?.to_owned();
            let blocks = table.tables(schema::region::BLOCKS, "blocks")?;
            let blocks = blocks
                .iter()
                .map(|t| block(file, t, &names).map_err(|e| e.within(&format!("region '{name}'"))))
                .collect::<Result<_>>()?;
            Ok(Region { name, blocks })
        })
        .collect::<Result<_>>()?;
    Ok(Graph { version, software, compatibility, regions })
}

fn software_version(table: &Table<'_, '_>, field: &'static str) -> Result<SoftwareVersion> {
    Ok(SoftwareVersion {
        major: table.i32_or(0, -1, field)?,
        minor: table.i32_or(1, -1, field)?,
        micro: table.i32_or(2, -1, field)?,
        modifier: table.text(3, field)?.to_owned(),
    })
}

fn block<'a>(file: &'a [u8], table: &Table<'_, 'a>, regions: &BTreeMap<&str, RegionId>) -> Result<Block<'a>> {
    let name = table.text(schema::block::NAME, "block name")?.to_owned();
    let mut tensors = Vec::new();
    let mut ids: BTreeMap<&str, TensorId> = BTreeMap::new();
    for t in table.tables(schema::block::TENSORS, "tensors")? {
        let tensor_name = t.text(schema::tensor::NAME, "tensor name")?;
        let made = tensor(file, &t, tensor_name).map_err(|e| e.within(&format!("tensor '{tensor_name}'")))?;
        if ids.insert(tensor_name, TensorId(tensors.len() as u32)).is_some() {
            return Ok(
                t.fault("tensors", format!("there are two tensors '{tensor_name}'; names must differ"))?
            );
        }
        tensors.push(made);
    }
    for t in table.tables(schema::block::SHAPES, "shapes")? {
        let shape_name = t.text(schema::shape::NAME, "shape name")?;
        let rank = t.u32(schema::shape::RANK, "rank")?;
        let Ok(rank) = i32::try_from(rank) else {
            return Ok(t.fault(
                "shapes",
                format!("shape '{shape_name}' has {rank} numbers; 2^31 - 1 are possible"),
            )?);
        };
        let data = t.blob(schema::shape::DATA, "data")?;
        let mut made = Tensor::new(shape_name, Dtype::Shape, vec![rank]);
        made.data = (!data.is_empty()).then_some(Cow::Borrowed(data));
        if ids.insert(shape_name, TensorId(tensors.len() as u32)).is_some() {
            return Ok(t.fault(
                "shapes",
                format!("there are two tensors or shapes '{shape_name}'; names must differ"),
            )?);
        }
        tensors.push(made);
    }
    let resolve =
        |table: &Table<'_, '_>, slot: usize, field: &'static str| -> Result<Vec<TensorId>> {
            table
                .texts(slot, field)?
                .into_iter()
                .map(|name| match ids.get(name) {
                    Some(id) => Ok(*id),
                    None => Ok(table
                        .fault(field, format!("'{name}' is neither a tensor nor a shape of this block"))?),
                })
                .collect()
        };
    let inputs = resolve(table, schema::block::INPUTS, "inputs")?;
    let outputs = resolve(table, schema::block::OUTPUTS, "outputs")?;
    let mut operators = Vec::new();
    for (i, t) in table.tables(schema::block::OPERATORS, "operators")?.iter().enumerate() {
        let code = t.u32(schema::operator::OP, "op")?;
        let Some(op_name) = Op::name_of(code) else {
            return Ok(t.fault(
                "operators",
                format!("operator {i} has the number {code}, which no TOSA up to 1.1 has"),
            )?);
        };
        let made = (|| {
            let op = operator(t, code, regions)?;
            let location = match t.table(schema::operator::LOCATION, "location")? {
                Some(l) => Some(l.text(0, "location")?.to_owned()),
                None => None,
            };
            Ok(Operation {
                op,
                inputs: resolve(t, schema::operator::INPUTS, "inputs")?,
                outputs: resolve(t, schema::operator::OUTPUTS, "outputs")?,
                location,
            })
        })();
        operators.push(made.map_err(|e: ReadError| e.within(&format!("operator {i} {op_name}")))?);
    }
    Ok(Block { name, tensors, inputs, outputs, operators })
}

fn dtype(table: &Table<'_, '_>, slot: usize, field: &'static str) -> Result<Dtype> {
    let id = table.u32(slot, field)?;
    match Dtype::from_id(id) {
        Some(dtype) => Ok(dtype),
        None => Ok(table.fault(field, format!("{id} is no element type of TOSA up to 1.1"))?),
    }
}

/// Constant data: in the table, or elsewhere in a file that is too long for a flatbuffer's references.
fn data<'a>(
    file: &'a [u8],
    table: &Table<'_, 'a>,
    slots: [usize; 3],
    field: &'static str,
) -> Result<Option<Cow<'a, [u8]>>> {
    let bytes = table.blob(slots[0], field)?;
    if !bytes.is_empty() {
        return Ok(Some(Cow::Borrowed(bytes)));
    }
    let (offset, size) = (table.u64(slots[1], field)?, table.u64(slots[2], field)?);
    // 0 and 1 mean that there is none.
    if offset <= 1 {
        return Ok(None);
    }
    let found = usize::try_from(offset)
        .ok()
        .zip(usize::try_from(size).ok())
        .and_then(|(offset, size)| file.get(offset..)?.get(..size));
    match found {
        Some(bytes) => {
            table.charge(bytes.len(), field)?;
            Ok((!bytes.is_empty()).then_some(Cow::Borrowed(bytes)))
        }
        None => {
            Ok(table
                .fault(field, format!("its {size} bytes at {offset} leave the file of {}", file.len()))?)
        }
    }
}

fn tensor<'a>(file: &'a [u8], t: &Table<'_, 'a>, name: &str) -> Result<Tensor<'a>> {
    use schema::tensor as slot;
    let scale_type = dtype(t, slot::SCALE_TYPE, "scale_type")?;
    let scale_data = data(file, t, [slot::SCALE_DATA, slot::SCALE_OFFSET, slot::SCALE_SIZE], "scale_data")?;
    let block_id = t.u32(slot::BLOCK_SHAPE, "block_shape")?;
    let Some(block) = BlockShape::from_id(block_id) else {
        let known: Vec<u32> = BlockShape::NAMES.iter().map(|(_, id)| *id).collect();
        return Ok(t.fault("block_shape", format!("is {block_id}; known are {known:?}"))?);
    };
    let dtype_of = dtype(t, slot::TYPE, "type")?;
    if dtype_of == Dtype::Shape {
        return Ok(t.fault("type", "a shape stands in the block's list of shapes, not among its tensors")?);
    }
    let has_scale = scale_type != Dtype::Unknown || scale_data.is_some() || block != BlockShape::Unknown;
    Ok(Tensor {
        name: name.to_owned(),
        dtype: dtype_of,
        shape: if t.u8(slot::IS_UNRANKED, "is_unranked")? != 0 {
            None
        } else {
            Some(t.ints(slot::SHAPE, "shape")?)
        },
        data: data(file, t, [slot::DATA, slot::OFFSET, slot::SIZE], "data")?,
        variable: t.u8(slot::VARIABLE, "variable")? != 0,
        variable_name: t.text(slot::VARIABLE_NAME, "variable_name")?.to_owned(),
        scale: has_scale.then_some(Scale { dtype: scale_type, block, data: scale_data }),
    })
}

fn operator(t: &Table<'_, '_>, code: u32, regions: &BTreeMap<&str, RegionId>) -> Result<Op> {
    use schema::operator as slot;
    let kind = t.u8(slot::ATTRIBUTE_TYPE, "attribute_type")?;
    let table = t.table(slot::ATTRIBUTE, "attribute")?;
    if kind != 0 && u32::from(kind) != code {
        return Ok(t.fault(
            "attribute_type",
            format!(
                "the attributes are those of {}",
                Op::name_of(kind.into()).unwrap_or("an unknown operator")
            ),
        )?);
    }
    let table = if kind == 0 { None } else { table };
    let fields = Op::fields_of(code);
    let mut attrs = Vec::with_capacity(fields.len());
    for (slot, field) in fields.iter().enumerate() {
        let Some(table) = &table else {
            return Ok(t.fault(field.name, "the operator has no attributes; it needs some")?);
        };
        attrs.push(match field.kind {
            Kind::Int => Attr::Int(table.i32_or(slot, 0, field.name)?),
            Kind::Bool => Attr::Bool(table.u8(slot, field.name)? != 0),
            Kind::Ints(count) => {
                let ints = table.ints(slot, field.name)?;
                if let Some(count) = count
                    && ints.len() != count
                {
                    let what = format!("has {} numbers and must have {count}", ints.len());
                    return Ok(table.fault(field.name, what)?);
                }
                Attr::Ints(ints)
            }
            Kind::Bytes => Attr::Bytes(table.blob(slot, field.name)?.to_vec()),
            Kind::Text => Attr::Text(table.text(slot, field.name)?.to_owned()),
            Kind::Word(names) => {
                let id = table.u32(slot, field.name)?;
                if !names.iter().any(|(_, known)| *known == id) {
                    let known: Vec<String> = names.iter().map(|(n, id)| format!("{id} ({n})")).collect();
                    return Ok(table.fault(field.name, format!("is {id}; known are {}", known.join(", ")))?);
                }
                Attr::Word(id)
            }
            Kind::Region => {
                let name = table.text(slot, field.name)?;
                match regions.get(name) {
                    Some(id) => Attr::Region(*id),
                    None => {
                        let known: Vec<&str> = regions.keys().copied().take(20).collect();
                        let what = format!("there is no region '{name}'; the file has: {}", known.join(", "));
                        return Ok(table.fault(field.name, what)?);
                    }
                }
            }
        });
    }
    Ok(Op::from_attrs(code, &attrs).expect("attributes of the described types"))
}
