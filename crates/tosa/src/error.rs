//! What is wrong with a graph, and where.

pub use crate::rule::ErrorKind;

/// An error about a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind.
    pub kind: ErrorKind,
    /// The block, if it is about one.
    pub block: Option<String>,
    /// The operator's place in the block, its name and its location.
    pub operator: Option<(usize, &'static str, Option<String>)>,
    /// The tensor: its role, name, type and shape.
    pub tensor: Option<String>,
    /// The rule, and what would be right.
    pub text: String,
    /// What happened in a region that the operator ran.
    pub inner: Option<Box<Error>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, block: None, operator: None, tensor: None, text: text.into(), inner: None }
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
        if let Some((i, name, location)) = &self.operator {
            write!(f, ": operator {i} {name}")?;
            if let Some(location) = location
                && !location.is_empty()
            {
                write!(f, " ({location})")?;
            }
        }
        if let Some(block) = &self.block {
            write!(f, " in '{block}'")?;
        }
        if let Some(tensor) = &self.tensor {
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
