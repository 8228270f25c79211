//! What is wrong with a graph, and where.

pub use crate::rule::ErrorKind;

/// An error about a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind.
    pub kind: ErrorKind,
    /// Where.
    pub place: Box<Place>,
    /// The rule, and what would be right.
    pub text: String,
    /// What happened in a region that the operator ran.
    pub inner: Option<Box<Error>>,
}

/// Where in a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The block, if it is about one.
    pub block: Option<String>,
    /// The operator, if it is about one.
    pub operator: Option<OperatorPlace>,
    /// The tensor: its role, name, type and shape.
    pub tensor: Option<String>,
}

/// An operator of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPlace {
    /// Its place in the block.
    pub index: usize,
    /// Its name in the schema.
    pub name: &'static str,
    /// Where it came from, if the file tells.
    pub location: Option<String>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, place: Box::default(), text: text.into(), inner: None }
    }

    /// About a block, and a tensor of it.
    pub(crate) fn of_block(kind: ErrorKind, block: &str, tensor: Option<String>, text: String) -> Error {
        let place = Place { block: Some(block.to_owned()), operator: None, tensor };
        Error { kind, place: Box::new(place), text, inner: None }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            ErrorKind::Invalid => "invalid",
            ErrorKind::Level => "beyond the level",
            ErrorKind::Profile => "beyond the target",
            ErrorKind::Unpredictable => "unpredictable",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Budget => "too large",
            ErrorKind::Unknown => "unknown",
        };
        f.write_str(kind)?;
        if let Some(OperatorPlace { index, name, location }) = &self.place.operator {
            write!(f, ": operator {index} {name}")?;
            if let Some(location) = location
                && !location.is_empty()
            {
                write!(f, " ({location})")?;
            }
        }
        if let Some(block) = &self.place.block {
            write!(f, " in '{block}'")?;
        }
        if let Some(tensor) = &self.place.tensor {
            write!(f, ": {tensor}")?;
        }
        write!(f, ": {}", self.text)?;
        if let Some(inner) = &self.inner {
            write!(f, ": {inner}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
