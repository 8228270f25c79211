//! A linked firmware image: what it is made of, and what must not be in it.

use crate::Result;
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A section that takes memory on the device.
struct Section {
    name: String,
    address: u64,
    size: u64,
    /// Its bytes; none for memory that is only reserved.
    data: Vec<u8>,
}

/// A function of the image.
struct Function {
    /// Readable name, without the compiler's hash.
    name: String,
    address: u64,
    size: u64,
}

/// A linked image.
pub(crate) struct Image {
    path: PathBuf,
    sections: Vec<Section>,
    functions: Vec<Function>,
}

/// Parts of the names of functions that exist to panic. The panic handler itself is one of them.
const PANIC: [&str; 7] = [
    "panic",
    "rust_begin_unwind",
    "unwrap_failed",
    "expect_failed",
    "index_fail",
    "len_fail",
    "mismatch_fail",
];

/// The formatting machinery of `core`: an image has no use for it, and it is where panics bring kilobytes.
const FORMATTING: &str = "core::fmt::";

impl Image {
    /// Reads the ELF file at `path`.
    pub(crate) fn read(path: &Path) -> Result<Image> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
        let file = object::File::parse(&*bytes).map_err(|error| failed(&error))?;
        let mut sections = Vec::new();
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            if !sh_flags.contains(object::elf::SHF_ALLOC) || section.size() == 0 {
                continue;
            }
            sections.push(Section {
                name: section.name().map_err(|error| failed(&error))?.to_owned(),
                address: section.address(),
                size: section.size(),
                data: section.data().map_err(|error| failed(&error))?.to_vec(),
            });
        }
        let mut functions: Vec<Function> = file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .filter_map(|symbol| Some((symbol.name().ok()?, symbol.address(), symbol.size())))
            // Bit 0 of a function's address says that its code is Thumb.
            .map(|(name, address, size)| Function {
                name: format!("{:#}", rustc_demangle::demangle(name)),
                address: address & !1,
                size,
            })
            .collect();
        functions.sort_by_key(|function| function.address);
        if !functions.iter().any(|function| function.name == "reset") {
            return Err(failed(
                &"it has no symbols, so that nothing can be proven about it: do not strip it",
            ));
        }
        Ok(Image { path: path.to_path_buf(), sections, functions })
    }

    fn size_of(&self, name: &str) -> u64 {
        self.sections.iter().filter(|section| section.name == name).map(|section| section.size).sum()
    }

    /// Text and read-only data, without the program and the test inputs.
    pub(crate) fn code_bytes(&self) -> u64 {
        self.size_of(".text") + self.size_of(".rodata")
    }

    /// A line per section, and what flash and RAM hold in sum.
    pub(crate) fn size_table(&self) -> String {
        let mut table = String::from("  section       address      bytes\n");
        let mut line = |name: &str, address: &str, bytes: u64| {
            let _ = writeln!(table, "  {name:<10} {address:>10} {bytes:>10}");
        };
        for section in &self.sections {
            line(&section.name, &format!("{:#010x}", section.address), section.size);
        }
        // Sections that images usually have are told when empty, too.
        for name in [".text", ".rodata", ".data", ".bss"] {
            if self.size_of(name) == 0 {
                line(name, "-", 0);
            }
        }
        let in_ram = |section: &&Section| [".data", ".bss", ".stack"].contains(&section.name.as_str());
        let ram: u64 = self.sections.iter().filter(in_ram).map(|section| section.size).sum();
        let flash: u64 =
            self.sections.iter().filter(|s| !in_ram(s) || s.name == ".data").map(|s| s.size).sum();
        line("flash", "", flash);
        line("RAM", "", ram);
        table
    }

    /// A line for each of the `count` largest functions.
    pub(crate) fn largest_functions(&self, count: usize) -> String {
        let mut functions: Vec<&Function> = self.functions.iter().collect();
        functions.sort_by_key(|function| std::cmp::Reverse(function.size));
        let mut text = String::from("  bytes  function\n");
        for function in functions.iter().take(count) {
            let _ = writeln!(text, "  {:>5}  {}", function.size, function.name);
        }
        text
    }

    /// Refuses an image in which any path leads to a panic: the linker keeps only what is reachable, so
    /// that there must be no function that panics, and no source location for one to tell.
    pub(crate) fn check_no_panic(&self) -> Result<()> {
        let mut found = String::new();
        for function in &self.functions {
            let panics = PANIC.iter().any(|part| function.name.contains(part));
            if panics || function.name.contains(FORMATTING) {
                let callers = self.callers(function.address);
                let callers = if callers.is_empty() { "nothing directly".into() } else { callers.join(", ") };
                let _ = write!(found, "\n  {}, called by {callers}", function.name);
            }
        }
        // A panic that was inlined still names its source file.
        for section in self.sections.iter().filter(|section| section.name == ".rodata") {
            for text in section.data.split(|byte| !(b' '..=b'~').contains(byte)) {
                let text = String::from_utf8_lossy(text);
                if text.contains(".rs") {
                    let _ = write!(found, "\n  the source location '{text}'");
                }
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{}: the image holds panic or formatting code:{found}\nReplace what panics in the callers (indexing, \
             unwrap, division by a value that may be 0, slices of different length) by a checked form",
            self.path.display()
        ))
    }

    /// The functions that branch to `target`.
    fn callers(&self, target: u64) -> Vec<String> {
        let mut names = Vec::new();
        for section in self.sections.iter().filter(|section| section.name == ".text") {
            for (i, pair) in section.data.windows(4).step_by(2).enumerate() {
                let at = section.address + 2 * i as u64;
                let half = |i: usize| u32::from(u16::from_le_bytes([pair[i], pair[i + 1]]));
                if branch_target(at, half(0), half(2)) != Some(target) {
                    continue;
                }
                let after = self.functions.partition_point(|function| function.address <= at);
                if let Some(caller) = after.checked_sub(1).and_then(|i| self.functions.get(i))
                    && !names.contains(&caller.name)
                {
                    names.push(caller.name.clone());
                }
            }
        }
        names
    }
}

/// Where the Thumb instruction `BL` or `B.W` (encodings T1 and T4 of the Armv8-M manual) at `at` leads;
/// `None` if the two halfwords are another instruction.
fn branch_target(at: u64, first: u32, second: u32) -> Option<u64> {
    let linked = second & 0xd000 == 0xd000;
    let plain = second & 0xd000 == 0x9000;
    if first & 0xf800 != 0xf000 || !(linked || plain) {
        return None;
    }
    let sign = first >> 10 & 1;
    let i1 = !(second >> 13 ^ sign) & 1;
    let i2 = !(second >> 11 ^ sign) & 1;
    let offset = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
    let offset = (offset << 7) as i32 >> 7;
    Some(at.wrapping_add(4).wrapping_add_signed(i64::from(offset)))
}

#[cfg(test)]
mod tests {
    use super::branch_target;

    // Halfwords as GNU `as` and `objdump` have them.
    #[test]
    fn branches_are_decoded() {
        assert_eq!(branch_target(0x1000_0000, 0xf000, 0xf800), Some(0x1000_0004)); // bl .+4
        assert_eq!(branch_target(0x1000_0000, 0xf7ff, 0xfffe), Some(0x1000_0000)); // bl .
        assert_eq!(branch_target(0x1000_0000, 0xf7ff, 0xbffe), Some(0x1000_0000)); // b.w .
        assert_eq!(branch_target(0x1000_0000, 0xf04f, 0x0001), None); // mov.w r0, #1
    }
}
