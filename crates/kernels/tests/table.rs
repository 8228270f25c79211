//! The table of all kernels: complete, unambiguous, and as `docs/operators.md` shows it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tombolo_kernels::ALL;
use tombolo_runtime::{Dtype, KernelDef};

fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

fn read(relative: &str) -> String {
    let path = path(relative);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The modules of `table!` in `lib.rs`, once for each of their kernels: in the order of [`ALL`].
fn modules() -> Vec<String> {
    let source = read("src/lib.rs");
    let (_, table) = source.split_once("\ntable! {").unwrap();
    let (table, _) = table.split_once('}').unwrap();
    let mut modules = Vec::new();
    for row in table.split(';').filter(|row| !row.trim().is_empty()) {
        let (module, kernels) = row.split_once(':').unwrap();
        modules.extend(kernels.split(',').map(|_| module.trim().to_string()));
    }
    modules
}

/// What the operator does: the first sentence of its module's documentation.
fn sentence(module: &str) -> String {
    let source = read(&format!("src/ops/{module}.rs"));
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let text = lines.map(str::trim).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let text = text.split_once("`: ").map_or(&text[..], |(_, text)| text);
    let end = text.match_indices(". ").map(|(at, _)| at).next();
    text[..end.unwrap_or(text.len())].trim_end_matches('.').replace('|', "\\|")
}

fn types(kernel: &KernelDef) -> String {
    let all: Vec<Dtype> = Dtype::ALL.into_iter().filter(|&dtype| kernel.dtypes.contains(dtype)).collect();
    if all.len() == Dtype::ALL.len() {
        return "any".to_string();
    }
    let names = all.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(" ");
    match names.as_str() {
        NUMBERS => "numbers".to_string(),
        WHOLE => "integers".to_string(),
        _ => names,
    }
}

const NUMBERS: &str = "uint8 int8 int16 int32 int64 float16 float32 bool bfloat16";
const WHOLE: &str = "uint8 int8 int16 int32 int64 bool";

fn page() -> String {
    let mut page = String::from(
        "# Operators\n\n\
         The kernels of `tombolo_kernels`, for the CPU. An entry is a name, as in the message about what a \
         program lacks, and a constant to put into the kernel table of a firmware. A host takes all of them \
         (`tombolo_kernels::ALL`). What each promises, and how close it is to torch, stands in its module.\n\n\
         This page is checked by a test of the crate; `UPDATE=1 cargo test -p tombolo-kernels --test table` \
         writes it anew.\n\n\
         *Numbers* are float32, float16, bfloat16, bool and the integers from 8 to 64 bits (uint8 is the \
         only unsigned one); *integers* are those without the floats.\n\n\
         | kernel | constant | element types | does |\n|---|---|---|---|\n",
    );
    let constants = constants();
    for ((kernel, module), constant) in ALL.iter().zip(modules()).zip(constants) {
        let does = sentence(&module);
        let entry =
            format!("| `{}` | `ops::{module}::{constant}` | {} | {does} |", kernel.name, types(kernel));
        writeln!(page, "{entry}").unwrap();
    }
    writeln!(page, "\n{} kernels in {} modules.", ALL.len(), modules().iter().collect::<BTreeSet<_>>().len())
        .unwrap();
    page
}

fn constants() -> Vec<String> {
    let source = read("src/lib.rs");
    let (_, table) = source.split_once("\ntable! {").unwrap();
    let (table, _) = table.split_once('}').unwrap();
    let rows = table.split(';').filter_map(|row| row.split_once(':'));
    rows.flat_map(|(_, kernels)| kernels.split(',')).map(|kernel| kernel.trim().to_string()).collect()
}

#[test]
fn the_page_of_operators_is_up_to_date() {
    let page = page();
    let file = path("../../docs/operators.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    let differing = page.lines().zip(there.lines()).find(|(new, old)| new != old);
    assert!(
        page == there,
        "docs/operators.md is not what the table of kernels gives; write it anew with \
         `UPDATE=1 cargo test -p tombolo-kernels --test table`. First difference: {differing:?}"
    );
}

#[test]
fn every_file_of_an_operator_is_in_the_table() {
    let mut files: Vec<String> = std::fs::read_dir(path("src/ops"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".rs").to_string())
        .filter(|name| name != "mod")
        .collect();
    files.sort();
    let mut modules = modules();
    assert_eq!(modules.len(), ALL.len());
    modules.sort();
    modules.dedup();
    assert_eq!(files, modules);
}

#[test]
fn names_are_unique_and_outputs_are_arguments() {
    let names: BTreeSet<&str> = ALL.iter().map(|kernel| kernel.name).collect();
    assert_eq!(names.len(), ALL.len(), "two kernels of one name");
    for kernel in ALL {
        assert!(kernel.name.contains("::"), "{}", kernel.name);
        for &out in kernel.outs {
            assert!(out < kernel.args, "{} writes argument {out} of {}", kernel.name, kernel.args);
        }
    }
}

#[test]
fn the_example_of_the_guide_is_the_file_in_the_tree() {
    let guide = read("../../docs/adding-an-operator.md");
    let mut examples = 0;
    for block in guide.split("```rust,ignore\n// crates/kernels/").skip(1) {
        let (file, code) = block.split_once('\n').unwrap();
        let (code, _) = code.split_once("\n```").unwrap();
        assert_eq!(code.trim_end(), read(file).trim_end(), "{file} differs from docs/adding-an-operator.md");
        examples += 1;
    }
    assert_eq!(examples, 1);
}
