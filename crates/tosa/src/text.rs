//! The text form: printed and parsed, exactly.
//!
//! ```text
//! tosa 1.0.0
//! region main {
//!   block main {
//!     tensor x: i8[1, 2]
//!     tensor w: i8[2] = (-1, 7)
//!     shape s: [1] = (2)
//!     inputs x
//!     outputs y
//!     y = RESHAPE(x, s) {axis = 1} @ "where it came from"
//!   }
//! }
//! ```
//! Names that are not letters, digits and `_ . $ / -` are quoted, with Rust's escapes. Data is a list of numbers
//! where its bytes are exactly those of the tensor's type and shape and there are few; otherwise its bytes in
//! hexadecimal, `x"00ff"`. A `#` starts a comment.

use crate::attr::{Attr, Kind};
use crate::dtype::{BlockShape, Dtype};
use crate::graph::{
    Block, Compatibility, Graph, Operation, Region, RegionId, Scale, SoftwareVersion, Tensor, TensorId,
    Version,
};
use crate::op::Op;
use crate::value::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Numbers that are printed in decimal at most.
const FEW: usize = 16;

/// Prints a graph. With `elide`, long data is left out (`...`): for people, [`parse`] refuses it.
pub fn print(graph: &Graph<'_>, elide: bool) -> String {
    let mut out = format!("tosa {}\n", graph.version);
    let version = |v: &SoftwareVersion| {
        let modifier = if v.modifier.is_empty() { String::new() } else { format!(" {:?}", v.modifier) };
        format!("{}.{}.{}{modifier}", v.major, v.minor, v.micro)
    };
    // Writing to a String cannot fail.
    if let Some(software) = &graph.software {
        let _ = writeln!(out, "software {}", version(software));
    }
    if let Some(compatibility) = &graph.compatibility {
        let _ = writeln!(out, "features {}", compatibility.features);
        if let Some(min) = &compatibility.min_reader {
            let _ = writeln!(out, "min_reader {}", version(min));
        }
    }
    for region in &graph.regions {
        let _ = writeln!(out, "region {} {{", name(&region.name));
        for block in &region.blocks {
            print_block(&mut out, block, graph, elide);
        }
        out.push_str("}\n");
    }
    out
}

fn name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.$/-".contains(c);
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { format!("{name:?}") }
}

fn names(block: &Block<'_>, ids: &[TensorId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| name(&block.tensor(*id).name)).collect();
    names.join(", ")
}

fn hex(bytes: &[u8], elide: bool) -> String {
    if elide && bytes.len() > 32 {
        return format!("... # {} bytes", bytes.len());
    }
    let mut out = String::with_capacity(2 * bytes.len() + 3);
    out.push_str("x\"");
    for b in bytes {
        let _ = write!(out, "{b:02x}");
    }
    out.push('"');
    out
}

fn print_block(out: &mut String, block: &Block<'_>, graph: &Graph<'_>, elide: bool) {
    let _ = writeln!(out, "  block {} {{", name(&block.name));
    for tensor in &block.tensors {
        print_tensor(out, tensor, elide);
    }
    if !block.inputs.is_empty() {
        let _ = writeln!(out, "    inputs {}", names(block, &block.inputs));
    }
    if !block.outputs.is_empty() {
        let _ = writeln!(out, "    outputs {}", names(block, &block.outputs));
    }
    for operation in &block.operators {
        out.push_str("    ");
        if !operation.outputs.is_empty() {
            let _ = write!(out, "{} = ", names(block, &operation.outputs));
        }
        let _ = write!(out, "{}({})", operation.op.name(), names(block, &operation.inputs));
        let fields = Op::fields_of(operation.op.code());
        let attrs = operation.op.to_attrs();
        if !fields.is_empty() {
            let shown: Vec<String> = fields
                .iter()
                .zip(&attrs)
                .map(|(field, attr)| format!("{} = {}", field.name, print_attr(field.kind, attr, graph)))
                .collect();
            let _ = write!(out, " {{{}}}", shown.join(", "));
        }
        if let Some(location) = &operation.location {
            let _ = write!(out, " @ {location:?}");
        }
        out.push('\n');
    }
    out.push_str("  }\n");
}

fn print_attr(kind: Kind, attr: &Attr, graph: &Graph<'_>) -> String {
    match attr {
        Attr::Int(n) => n.to_string(),
        Attr::Bool(b) => b.to_string(),
        Attr::Ints(ints) => {
            let ints: Vec<String> = ints.iter().map(i32::to_string).collect();
            format!("[{}]", ints.join(", "))
        }
        Attr::Bytes(bytes) => hex(bytes, false),
        Attr::Text(text) => format!("{text:?}"),
        Attr::Word(id) => match kind {
            Kind::Word(known) => known.iter().find(|(_, k)| k == id).map_or("unknown", |(n, _)| n).to_owned(),
            _ => id.to_string(),
        },
        Attr::Region(id) => name(graph.regions.get(id.index()).map_or("", |r| &r.name)),
    }
}

fn print_tensor(out: &mut String, tensor: &Tensor<'_>, elide: bool) {
    let is_shape = tensor.dtype == Dtype::Shape;
    let kind = match (is_shape, tensor.variable) {
        (true, _) => "shape",
        (false, true) => "variable",
        (false, false) => "tensor",
    };
    let shape = tensor.type_name();
    let shape = if is_shape { shape.trim_start_matches("shape") } else { &shape };
    let _ = write!(out, "    {kind} {}: {shape}", name(&tensor.name));
    if !tensor.variable_name.is_empty() {
        let _ = write!(out, " named {}", name(&tensor.variable_name));
    }
    if let Some(scale) = &tensor.scale {
        let _ = write!(out, " scale {} by {}", scale.dtype, scale.block);
        if let Some(data) = &scale.data {
            let _ = write!(out, " with {}", hex(data, elide));
        }
    }
    if let Some(data) = &tensor.data {
        let value = tensor
            .dims()
            .filter(|d| crate::value::count(d).is_some_and(|n| (1..=FEW).contains(&n)))
            .and_then(|d| Value::from_bytes(tensor.dtype, d, data).ok())
            .filter(|v| v.to_bytes() == **data);
        match value {
            Some(value) => {
                let ints: Vec<String> = value.ints().iter().map(i64::to_string).collect();
                let _ = write!(out, " = ({})", ints.join(", "));
            }
            None => {
                let _ = write!(out, " = {}", hex(data, elide));
            }
        }
    }
    out.push('\n');
}

/// Why a text is no graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = core::result::Result<T, ParseError>;

/// Parses the text form.
///
/// # Errors
/// At the first place that is not as the form says; nothing else is checked.
pub fn parse(text: &str) -> Result<Graph<'static>> {
    let mut p = Parser { text, at: 0 };
    p.word("tosa")?;
    let version = p.version()?;
    let software = if p.take_word("software") { Some(p.software()?) } else { None };
    let compatibility = if p.take_word("features") {
        let features = p.number::<u64>()?;
        let min_reader = if p.take_word("min_reader") { Some(p.software()?) } else { None };
        Some(Compatibility { min_reader, features })
    } else {
        None
    };
    // Bodies may stand behind the operators that run them: their names are looked up when all are known.
    let mut later = Vec::new();
    let mut regions: Vec<Region<'static>> = Vec::new();
    while !p.end() {
        p.word("region")?;
        let region_name = p.name()?;
        if regions.iter().any(|r| r.name == region_name) {
            return p.fail(format!("there is a region '{region_name}' already"));
        }
        p.symbol('{')?;
        let mut blocks = Vec::new();
        while !p.take('}') {
            blocks.push(p.block(regions.len(), blocks.len(), &mut later)?);
        }
        regions.push(Region { name: region_name, blocks });
    }
    for Later { region, block, code, mut attrs, operation, names } in later {
        for (slot, (wanted, at)) in names {
            let Some(id) = regions.iter().position(|r| r.name == wanted) else {
                p.at = at;
                return p.fail(format!("there is no region '{wanted}'"));
            };
            attrs[slot] = Attr::Region(RegionId(id as u32));
        }
        if let Some(op) = Op::from_attrs(code, &attrs) {
            regions[region].blocks[block].operators[operation].op = op;
        }
    }
    Ok(Graph { version, software, compatibility, regions })
}

/// An operator whose regions are not known yet.
struct Later {
    region: usize,
    block: usize,
    operation: usize,
    code: u32,
    attrs: Vec<Attr>,
    names: BTreeMap<usize, (String, usize)>,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn fail<T>(&self, what: impl Into<String>) -> Result<T> {
        let before = &self.text[..self.at.min(self.text.len())];
        Err(ParseError {
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1,
            what: what.into(),
        })
    }

    fn rest(&mut self) -> &'t str {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return trimmed;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn end(&mut self) -> bool {
        self.rest().is_empty()
    }

    fn take(&mut self, symbol: char) -> bool {
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len_utf8();
        }
        found
    }

    fn symbol(&mut self, symbol: char) -> Result<()> {
        if self.take(symbol) { Ok(()) } else { self.fail(format!("'{symbol}' is expected")) }
    }

    /// Letters, digits and the like.
    fn peek(&mut self) -> &'t str {
        let rest = self.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$/-".contains(c))).unwrap_or(rest.len());
        &rest[..end]
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { self.fail(format!("'{word}' is expected")) }
    }

    fn plain(&mut self) -> Result<&'t str> {
        let word = self.peek();
        if word.is_empty() {
            return self.fail("a name is expected");
        }
        self.at += word.len();
        Ok(word)
    }

    fn name(&mut self) -> Result<String> {
        if self.rest().starts_with('"') { self.quoted() } else { Ok(self.plain()?.to_owned()) }
    }

    /// A text as Rust prints it.
    fn quoted(&mut self) -> Result<String> {
        self.symbol('"')?;
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(out);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('r') => out.push('\r'),
                    Some('t') => out.push('\t'),
                    Some('0') => out.push('\0'),
                    Some(c @ ('"' | '\\' | '\'')) => out.push(c),
                    Some('u') => {
                        let digits: String = chars
                            .by_ref()
                            .map(|(_, c)| c)
                            .skip(1)
                            .take(7)
                            .take_while(|c| *c != '}')
                            .collect();
                        match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                            Some(c) => out.push(c),
                            None => return self.fail("a text has an unknown escape"),
                        }
                    }
                    _ => return self.fail("a text has an unknown escape"),
                },
                c => out.push(c),
            }
        }
        self.fail("a text does not end; '\"' is missing")
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let word = self.peek();
        match word.parse() {
            Ok(n) => {
                self.at += word.len();
                Ok(n)
            }
            Err(_) => self.fail(format!("a number in range is expected, not '{word}'")),
        }
    }

    fn list<T>(&mut self, end: char, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(end) {
                return Ok(items);
            }
            self.symbol(',')?;
        }
    }

    fn numbers(&mut self, word: &str) -> Result<[i32; 3]> {
        let parts: Vec<Option<i32>> = word.split('.').map(|n| n.parse().ok()).collect();
        match parts.as_slice() {
            [Some(a), Some(b), Some(c)] => Ok([*a, *b, *c]),
            _ => self.fail(format!("a version of three numbers is expected, not '{word}'")),
        }
    }

    fn version(&mut self) -> Result<Version> {
        let word = self.peek();
        let draft = word.ends_with("-draft");
        let [major, minor, patch] = self.numbers(word.trim_end_matches("-draft"))?;
        self.at += word.len();
        Ok(Version { major, minor, patch, draft })
    }

    fn software(&mut self) -> Result<SoftwareVersion> {
        let word = self.peek();
        let [major, minor, micro] = self.numbers(word)?;
        self.at += word.len();
        let modifier = if self.rest().starts_with('"') { self.quoted()? } else { String::new() };
        Ok(SoftwareVersion { major, minor, micro, modifier })
    }

    fn hex(&mut self) -> Result<Vec<u8>> {
        let rest = self.rest();
        let digits = rest.strip_prefix("x\"").and_then(|r| r.split_once('"')).map(|(digits, _)| digits);
        let Some(digits) = digits else {
            return self.fail("bytes are expected: x\"00ff\" (data that was left out with '...' is lost)");
        };
        let bytes: Option<Vec<u8>> = digits
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let [high, low] = pair.try_into().ok()?;
                let digit = |c: u8| (c as char).to_digit(16);
                Some((digit(high)? * 16 + digit(low)?) as u8)
            })
            .collect();
        match bytes {
            Some(bytes) => {
                self.at += digits.len() + 3;
                Ok(bytes)
            }
            None => self.fail("bytes are pairs of hexadecimal digits"),
        }
    }

    fn dtype(&mut self) -> Result<Dtype> {
        let word = self.peek();
        match Dtype::from_name(word) {
            Some(dtype) => {
                self.at += word.len();
                Ok(dtype)
            }
            None => self.fail(format!("'{word}' is no element type")),
        }
    }

    fn tensor(&mut self, kind: &str) -> Result<Tensor<'static>> {
        let name = self.name()?;
        self.symbol(':')?;
        let dtype = if kind == "shape" { Dtype::Shape } else { self.dtype()? };
        self.symbol('[')?;
        let shape = if self.take('*') {
            self.symbol(']')?;
            None
        } else {
            Some(self.list(']', |p| if p.take('?') { Ok(-1) } else { p.number() })?)
        };
        let mut tensor = Tensor::new(name, dtype, Vec::new());
        tensor.shape = shape;
        tensor.variable = kind == "variable";
        if self.take_word("named") {
            tensor.variable_name = self.name()?;
        }
        if self.take_word("scale") {
            let dtype = self.dtype()?;
            self.word("by")?;
            let word = self.plain()?;
            let Some(block) = BlockShape::from_name(word) else {
                return self.fail(format!("'{word}' is no block of scales"));
            };
            let data = if self.take_word("with") { Some(Cow::Owned(self.hex()?)) } else { None };
            tensor.scale = Some(Scale { dtype, block, data });
        }
        if self.take('=') {
            let data = if self.take('(') {
                let ints: Vec<i64> = self.list(')', |p| p.number())?;
                let dims = tensor.dims();
                let Some(value) = dims.and_then(|d| Value::from_ints(dtype, d, &ints).ok()) else {
                    return self.fail(format!(
                        "{} numbers are no value of {}",
                        ints.len(),
                        tensor.type_name()
                    ));
                };
                value.to_bytes()
            } else {
                self.hex()?
            };
            tensor.data = Some(Cow::Owned(data));
        }
        Ok(tensor)
    }

    fn block(&mut self, region: usize, index: usize, later: &mut Vec<Later>) -> Result<Block<'static>> {
        self.word("block")?;
        let name = self.name()?;
        self.symbol('{')?;
        let mut block = Block {
            name,
            tensors: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            operators: Vec::new(),
        };
        let mut ids: BTreeMap<String, TensorId> = BTreeMap::new();
        while let kind @ ("tensor" | "shape" | "variable") = self.peek() {
            self.at += kind.len();
            let tensor = self.tensor(kind)?;
            if ids.insert(tensor.name.clone(), TensorId(block.tensors.len() as u32)).is_some() {
                return self.fail(format!("there is a tensor '{}' already", tensor.name));
            }
            block.tensors.push(tensor);
        }
        let reference = |p: &mut Self| -> Result<TensorId> {
            let name = p.name()?;
            match ids.get(&name) {
                Some(id) => Ok(*id),
                None => p.fail(format!("'{name}' is no tensor of this block")),
            }
        };
        let comma_list = |p: &mut Self| -> Result<Vec<TensorId>> {
            let mut list = vec![reference(p)?];
            while p.take(',') {
                list.push(reference(p)?);
            }
            Ok(list)
        };
        if self.take_word("inputs") {
            block.inputs = comma_list(self)?;
        }
        if self.take_word("outputs") {
            block.outputs = comma_list(self)?;
        }
        while !self.take('}') {
            // An operator without outputs starts with its name, which is followed by '('.
            let start = self.at;
            let word = self.peek();
            self.at += word.len();
            let none = !word.is_empty() && self.rest().starts_with('(');
            self.at = start;
            let outputs = if none {
                Vec::new()
            } else {
                let list = comma_list(self)?;
                self.symbol('=')?;
                list
            };
            let word = self.peek();
            let Some(code) = Op::code_of(word) else {
                return self.fail(format!("'{word}' is no operator"));
            };
            self.at += word.len();
            self.symbol('(')?;
            let inputs = self.list(')', reference)?;
            let fields = Op::fields_of(code);
            let mut attrs = Vec::with_capacity(fields.len());
            let mut names = BTreeMap::new();
            if !fields.is_empty() {
                self.symbol('{')?;
            }
            for (slot, field) in fields.iter().enumerate() {
                if slot > 0 {
                    self.symbol(',')?;
                }
                self.word(field.name)?;
                self.symbol('=')?;
                if let Kind::Region = field.kind {
                    self.rest();
                    let at = self.at;
                    names.insert(slot, (self.name()?, at));
                    attrs.push(Attr::Region(RegionId(0)));
                } else {
                    attrs.push(self.attr(field.kind)?);
                }
            }
            if !fields.is_empty() {
                self.symbol('}')?;
            }
            let location = if self.take('@') { Some(self.quoted()?) } else { None };
            let Some(op) = Op::from_attrs(code, &attrs) else {
                return self.fail("attributes of the wrong kind");
            };
            if !names.is_empty() {
                let operation = block.operators.len();
                later.push(Later { region, block: index, operation, code, attrs, names });
            }
            block.operators.push(Operation { op, inputs, outputs, location });
        }
        Ok(block)
    }

    fn attr(&mut self, kind: Kind) -> Result<Attr> {
        Ok(match kind {
            Kind::Int => Attr::Int(self.number()?),
            Kind::Bool => match self.plain()? {
                "true" => Attr::Bool(true),
                "false" => Attr::Bool(false),
                other => return self.fail(format!("'{other}' is neither true nor false")),
            },
            Kind::Ints(count) => {
                self.symbol('[')?;
                let ints: Vec<i32> = self.list(']', |p| p.number())?;
                if let Some(count) = count
                    && ints.len() != count
                {
                    return self.fail(format!("{} numbers; {count} are needed", ints.len()));
                }
                Attr::Ints(ints)
            }
            Kind::Bytes => Attr::Bytes(self.hex()?),
            Kind::Text => Attr::Text(self.quoted()?),
            Kind::Word(known) => {
                let word = self.plain()?;
                match known.iter().find(|(n, _)| *n == word) {
                    Some((_, id)) => Attr::Word(*id),
                    None => {
                        let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
                        return self.fail(format!("'{word}' is none of {}", names.join(", ")));
                    }
                }
            }
            Kind::Region => Attr::Region(RegionId(0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, print};

    #[test]
    fn scales_and_data_are_told_apart() {
        // Found by fuzzing: data of a tensor with scales, but without data of the scales.
        let text = "tosa 1.1.0-draft
region main {
  block main {
    tensor a: f8e4m3[2] scale f8ue8m0 by 32 = x\"0102\"
    tensor b: f8e4m3[2] scale f8ue8m0 by unknown with x\"03\"
    variable c: i8[2] named \"a \\\"name\\\"\" = (-1, 2)
    tensor d: i32[*]
    tensor e: i32[?, 3]
  }
}
";
        let graph = parse(text).unwrap();
        assert_eq!(print(&graph, false), text);
        assert_eq!(parse(&print(&graph, false)).unwrap(), graph);
    }

    #[test]
    fn errors_have_a_place() {
        let error = parse("tosa 1.0.0\nregion main {\n  block main { y = ADD(a, b) }\n}").unwrap_err();
        assert_eq!(error.to_string(), "line 3, column 17: 'y' is no tensor of this block");
        assert!(
            parse("tosa 1.0.0 region r { block b { tensor t: i8[40] = ... } }")
                .unwrap_err()
                .what
                .contains("left out")
        );
    }
}
