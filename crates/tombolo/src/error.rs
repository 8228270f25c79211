//! What went wrong, where, and what to do about it.

use std::fmt;
use std::path::Path;

/// Result of everything on the host side.
pub type Result<T> = std::result::Result<T, Error>;

/// Bad use or bad input: one sentence that says what is wrong, the file and the place in it, and the
/// remedy. The command line prints it as two lines and leaves with status 2.
///
/// ```
/// use tombolo::error::Error;
/// let error = Error::new("the file ends after 12 of 128 bytes")
///     .in_file("model.pte")
///     .at("offset 12")
///     .help("copy the file again");
/// assert_eq!(
///     error.to_string(),
///     "error: model.pte: the file ends after 12 of 128 bytes (offset 12)\nhelp: copy the file again"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file that is at fault, as the user named it.
    pub file: Option<String>,
    /// What is wrong, without a full stop.
    pub what: String,
    /// Where in the file: an offset, a field, an array.
    pub place: Option<String>,
    /// What the user can do.
    pub help: Option<String>,
}

impl Error {
    /// An error that has only its sentence yet.
    pub fn new(what: impl Into<String>) -> Error {
        Error { file: None, what: what.into(), place: None, help: None }
    }

    /// Names the file, unless an inner layer already named a more exact one.
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Error {
        self.file.get_or_insert_with(|| file.as_ref().display().to_string());
        self
    }

    /// Names the place inside the file. A place that is there already is kept inside the new one.
    pub fn at(mut self, place: impl Into<String>) -> Error {
        let outer = place.into();
        self.place = Some(match self.place.take() {
            Some(inner) => format!("{outer}, {inner}"),
            None => outer,
        });
        self
    }

    /// Says the remedy, unless an inner layer already knew a better one.
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help.get_or_insert_with(|| help.into());
        self
    }

    /// An operating system's error about `file`.
    pub fn io(file: impl AsRef<Path>, doing: &str, error: &std::io::Error) -> Error {
        use std::io::ErrorKind;
        let (what, help) = match error.kind() {
            ErrorKind::NotFound => (
                "no such file".to_string(),
                "check the path; relative paths start at the directory where the command runs".to_string(),
            ),
            ErrorKind::PermissionDenied => (
                format!("no permission to {doing} it"),
                "check the owner and the mode of the file".to_string(),
            ),
            ErrorKind::IsADirectory => {
                ("this is a directory, not a file".to_string(), "name the file itself".to_string())
            }
            _ => (format!("cannot {doing} it: {error}"), "check the file and the disk it is on".to_string()),
        };
        Error::new(what).in_file(file).help(help)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: ")?;
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}", self.what)?;
        if let Some(place) = &self.place {
            write!(f, " ({place})")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
