//! Files in and out, with errors that name them.

use crate::aligned::AlignedBytes;
use crate::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest file that is read: a flatbuffer ends at 2 GiB, and so does everything else here.
pub const MAX_FILE: u64 = 1 << 31;
/// Most bytes that are taken from a pipe or a device, whose length nobody knows before.
pub const MAX_STREAMED: u64 = 1 << 28;

/// The file, its length, and the most that is read from it.
fn open(path: &Path) -> Result<(File, u64, u64)> {
    let file = File::open(path).map_err(|e| Error::io(path, "read", &e))?;
    let metadata = file.metadata().map_err(|e| Error::io(path, "read", &e))?;
    if metadata.is_dir() {
        return Err(Error::io(path, "read", &std::io::ErrorKind::IsADirectory.into()));
    }
    if metadata.len() > MAX_FILE {
        return Err(Error::new(format!(
            "the file has {} bytes, more than the {MAX_FILE} that are accepted",
            metadata.len()
        ))
        .in_file(path)
        .help("give the model or array itself"));
    }
    let most = if metadata.is_file() { MAX_FILE } else { MAX_STREAMED };
    Ok((file, metadata.len(), most))
}

/// Reads a whole file.
///
/// # Errors
/// It does not exist, does not read, or has more than [`MAX_FILE`] bytes ([`MAX_STREAMED`] if it is a pipe or a
/// device).
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let (file, len, most) = open(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, "read", &e))?;
    if bytes.len() as u64 > most {
        return Err(Error::new(format!("more than {most} bytes came"))
            .in_file(path)
            .help("give a file, not a device"));
    }
    Ok(bytes)
}

/// Reads a whole file to an address that programs and command streams may lie at.
///
/// # Errors
/// See [`read`].
pub fn read_aligned(path: &Path) -> Result<AlignedBytes> {
    read(path).map(|bytes| AlignedBytes::from(bytes.as_slice()))
}

/// Writes a file, and the directories to it.
///
/// # Errors
/// The directory or the file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|e| Error::io(parent, "create", &e))?;
    }
    std::fs::write(path, bytes).map_err(|e| Error::io(path, "write", &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file_and_the_remedy() {
        for (path, message) in
            [("no/such/file.npy", "no such file"), (env!("CARGO_MANIFEST_DIR"), "directory")]
        {
            let error = read(Path::new(path)).unwrap_err();
            assert_eq!(error.file.as_deref(), Some(path));
            assert!(error.what.contains(message), "{error}");
            assert!(error.help.is_some());
        }
    }
}
