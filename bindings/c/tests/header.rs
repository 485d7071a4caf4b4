//! The committed header matches the code. `UPDATE=1 cargo test -p crownhead-c` rewrites it.

use std::fs;
use std::path::Path;

#[test]
fn the_header_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut header = Vec::new();
    cbindgen::generate_with_config(folder, config)
        .unwrap()
        .write(&mut header);
    let path = folder.join("include/crownhead.h");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &header).unwrap();
    }
    let found = fs::read(&path).unwrap_or_default();
    assert!(
        found == header,
        "include/crownhead.h is stale: run UPDATE=1 cargo test -p crownhead-c"
    );
}
