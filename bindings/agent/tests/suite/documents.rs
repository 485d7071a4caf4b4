//! The programs in docs/reference/libraries.md are the example files.

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_the_programs_that_are_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/reference/libraries.md")).unwrap();
    let mut n_programs = 0;
    for section in page.split("\n## ").skip(1) {
        // Sections about one function have no program.
        let Some(link) = section.split('`').nth(1).filter(|link| link.contains('/')) else {
            continue;
        };
        let program = fs::read_to_string(root.join(link)).unwrap();
        assert!(
            section.contains(program.trim()),
            "docs/reference/libraries.md does not show {link}"
        );
        n_programs += 1;
    }
    assert!(n_programs >= 3);
}
