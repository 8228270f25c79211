//! NumPy's `.npz` files: a zip archive with one `.npy` file an array.
//!
//! The archive is untrusted: an array is unpacked only when it is asked for, up to the size that the
//! archive declares for it, and that declaration must be possible: deflate packs no better than
//! 1032 : 1, and an array may have [`MAX_ARRAY`] bytes.

use crate::error::{Error, Result};
use crate::npy::{self, Array};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use zip::result::ZipError;

/// Most bytes that one array may have unpacked: 1 GiB, far above any model's input.
pub const MAX_ARRAY: u64 = 1 << 30;
/// Deflate's best ratio is 1032 : 1 (258 bytes from two bits); a few bytes of slack for tiny entries.
const MAX_RATIO: u64 = 1032;
const RATIO_SLACK: u64 = 4096;

/// An open archive.
pub struct Npz {
    archive: zip::ZipArchive<Cursor<Vec<u8>>>,
    /// Names without `.npy`, in the archive's order.
    names: Vec<String>,
}

impl Npz {
    /// Opens an archive that is in memory. Nothing is unpacked yet.
    ///
    /// # Errors
    /// Not a zip archive, or a damaged directory.
    pub fn open(bytes: Vec<u8>) -> Result<Npz> {
        if !bytes.starts_with(b"PK\x03\x04") && !bytes.starts_with(b"PK\x05\x06") {
            return Err(Error::new("not an .npz archive: it does not begin as a zip file")
                .at("offset 0")
                .help("numpy writes such files with np.savez(file, name=array)"));
        }
        let archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| damaged(&e))?;
        let names =
            archive.file_names().filter_map(|name| name.strip_suffix(".npy")).map(str::to_string).collect();
        Ok(Npz { archive, names })
    }

    /// Reads the archive from a file.
    ///
    /// # Errors
    /// The file does not read, or see [`Npz::open`].
    pub fn read(path: &Path) -> Result<Npz> {
        Npz::open(crate::files::read(path)?).map_err(|e| e.in_file(path))
    }

    /// The arrays' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The array `name`, or `None` if the archive has none of that name.
    ///
    /// # Errors
    /// The entry does not unpack to an array that is supported.
    pub fn get(&mut self, name: &str) -> Result<Option<Array>> {
        if !self.names.iter().any(|n| n == name) {
            return Ok(None);
        }
        let bytes = self.unpack(name, u64::MAX)?;
        npy::parse(&bytes).map(Some).map_err(|e| e.at(format!("array '{name}'")))
    }

    /// The array `name`.
    ///
    /// # Errors
    /// The archive has no such array, or see [`Npz::get`].
    pub fn require(&mut self, name: &str) -> Result<Array> {
        match self.get(name)? {
            Some(array) => Ok(array),
            None => Err(Error::new(format!("the archive has no array '{name}'")).help(format!(
                "it has: {}",
                if self.names.is_empty() { "none at all".to_string() } else { self.names.join(", ") }
            ))),
        }
    }

    /// Type and shape of the array `name`, without unpacking its elements.
    ///
    /// # Errors
    /// There is no such array, or its header does not read.
    pub fn header(&mut self, name: &str) -> Result<npy::Header> {
        // The longest header that `npy::header` accepts, and its prefix.
        let bytes = self.unpack(name, 65 * 1024)?;
        npy::header(&bytes).map_err(|e| e.at(format!("array '{name}'")))
    }

    /// Unpacks an entry, but no more than `most` bytes of it.
    fn unpack(&mut self, name: &str, most: u64) -> Result<Vec<u8>> {
        let place = format!("array '{name}'");
        let mut entry =
            self.archive.by_name(&format!("{name}.npy")).map_err(|e| damaged(&e).at(place.clone()))?;
        let (declared, packed) = (entry.size(), entry.compressed_size());
        let possible = packed.saturating_mul(MAX_RATIO).saturating_add(RATIO_SLACK).min(MAX_ARRAY);
        if declared > possible {
            return Err(Error::new(format!(
                "the array would unpack from {packed} to {declared} bytes, more than the {possible} that are accepted"
            ))
            .at(place)
            .help("the archive is damaged or made to exhaust memory; write it again with np.savez"));
        }
        let mut bytes = Vec::new();
        // One byte more than declared, to notice entries that hold more than they say; reading to the
        // end also lets the zip reader compare the checksum.
        entry
            .by_ref()
            .take(declared.saturating_add(1).min(most))
            .read_to_end(&mut bytes)
            .map_err(|e| damaged(&ZipError::Io(e)).at(place.clone()))?;
        if most > declared && bytes.len() as u64 != declared {
            return Err(Error::new(format!(
                "the array has {} bytes, where the archive declares {declared}",
                if bytes.len() as u64 > declared { "more".to_string() } else { bytes.len().to_string() }
            ))
            .at(place)
            .help("the archive is damaged; write it again with np.savez"));
        }
        Ok(bytes)
    }
}

fn damaged(error: &ZipError) -> Error {
    let what = match error {
        ZipError::UnsupportedArchive(what) => {
            return Error::new(format!("the archive uses what numpy never does: {what}"))
                .help("write it with np.savez or np.savez_compressed, without a password");
        }
        ZipError::FileNotFound => "an entry is missing".to_string(),
        ZipError::InvalidArchive(what) => what.to_string(),
        ZipError::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    Error::new(format!("the archive is damaged: {what}"))
        .help("the file was cut or changed; write or copy it again")
}

/// The archive of some arrays, stored without compression as `np.savez` does.
///
/// # Errors
/// A name twice, or an archive beyond zip's limits.
pub fn write(arrays: &[(&str, &Array)]) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| {
        Error::new(format!("the arrays do not fit an .npz archive: {e}"))
            .help("write each array to an .npy file of its own")
    };
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    // The default date: the same arrays give the same bytes whenever they are written.
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    for (name, array) in arrays {
        archive.start_file(format!("{name}.npy"), options).map_err(|e| failed(&e))?;
        archive.write_all(&npy::write(array)).map_err(|e| failed(&e))?;
    }
    Ok(archive.finish().map_err(|e| failed(&e))?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::Dtype;

    fn sample() -> Vec<u8> {
        let a = Array::new(Dtype::Int8, vec![2, 2], vec![1, 2, 3, 4]).unwrap();
        let b = Array::new(Dtype::Bytes(3), vec![], b"abc".to_vec()).unwrap();
        write(&[("a", &a), ("b", &b)]).unwrap()
    }

    fn deflated(name: &str, data: &[u8]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        archive.start_file(name, options).unwrap();
        archive.write_all(data).unwrap();
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn round_trip() {
        let mut npz = Npz::open(sample()).unwrap();
        assert_eq!(npz.names(), ["a", "b"]);
        assert_eq!(npz.require("a").unwrap().bytes(), [1, 2, 3, 4]);
        assert_eq!(npz.require("b").unwrap().bytes(), b"abc");
        assert_eq!(npz.header("a").unwrap().shape, [2, 2]);
        let error = npz.require("c").unwrap_err();
        assert!(error.help.unwrap().contains("a, b"));
        assert_eq!(sample(), sample(), "the bytes depend on the arrays only");
    }

    #[test]
    fn what_upstream_wrote_is_read() {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus/");
        let mut npz = Npz::read(Path::new(&format!("{fixtures}add/u65-256.0.vela.npz"))).unwrap();
        let stream = npz.require("cmd_data").unwrap();
        assert_eq!(stream.dtype(), Dtype::Bytes(376));
        assert_eq!(stream.bytes()[..4], *b"COP1");
        assert!(npz.require("weight_data").unwrap().bytes() == [0]);
        let error = npz.require("input_quantization").unwrap_err();
        assert!(error.what.contains("pickled"), "{error}");
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
        let mut digits = Npz::read(Path::new(&format!("{examples}digits/test.npz"))).unwrap();
        assert_eq!(digits.require("images").unwrap().shape(), [450, 1, 8, 8]);
        assert_eq!(digits.require("labels").unwrap().integer(0), Some(2));
    }

    /// A kilobyte that unpacks to a megabyte of zeros is fine; one that lies about it is not.
    #[test]
    fn bombs_are_refused() {
        let zeros = Array::new(Dtype::UInt8, vec![1 << 20], vec![0; 1 << 20]).unwrap();
        let honest = deflated("z.npy", &npy::write(&zeros));
        assert!(honest.len() < 4096);
        assert_eq!(Npz::open(honest.clone()).unwrap().require("z").unwrap().len(), 1 << 20);
        // The central directory's field "uncompressed size" lies 24 bytes behind its signature.
        let central = honest.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        for (claim, message) in
            [(u32::MAX - 1, "would unpack"), (1000, "declares 1000"), ((1 << 20) + 1000, "declares")]
        {
            let mut lie = honest.clone();
            lie[central + 24..central + 28].copy_from_slice(&claim.to_le_bytes());
            let error = Npz::open(lie).unwrap().require("z").unwrap_err();
            assert!(error.what.contains(message), "{error}");
            assert!(error.place.is_some() && error.help.is_some());
        }
    }

    #[test]
    fn no_damage_panics() {
        let good = sample();
        let read_all = |bytes: Vec<u8>| {
            if let Ok(mut npz) = Npz::open(bytes) {
                for name in npz.names().to_vec() {
                    let _ = npz.header(&name);
                    let _ = npz.get(&name);
                }
            }
        };
        for cut in 0..good.len() {
            assert!(Npz::open(good[..cut].to_vec()).is_err(), "cut at {cut}");
        }
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] = value;
                read_all(bad);
            }
        }
        assert!(Npz::open(b"PK\x05\x06".to_vec()).is_err());
        assert!(Npz::open(b"hello".to_vec()).is_err());
    }
}
