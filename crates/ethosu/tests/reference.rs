//! `docs/ethosu-reference.md` is what the tables say now.

use std::path::Path;

#[test]
fn reference_page_is_current() {
    let mut page = String::new();
    tombolo_ethosu::reference::write(&mut page).unwrap();
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ethosu-reference.md"));
    if std::env::var_os("TOMBOLO_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored == page,
        "docs/ethosu-reference.md is stale; write it with TOMBOLO_BLESS=1 cargo test -p tombolo-ethosu --test reference"
    );
}
