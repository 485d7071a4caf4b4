//! The programs of docs/bindings.md are the files that are run.

use std::fs;
use std::path::Path;

#[test]
fn the_page_shows_the_programs_that_are_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/bindings.md")).unwrap();
    let mut n_programs = 0;
    for section in page.split("\n## ").skip(1) {
        let (_, link) = section.split_once("](../").unwrap();
        let program = fs::read_to_string(root.join(link.split_once(')').unwrap().0)).unwrap();
        assert!(
            section.contains(program.trim()),
            "docs/bindings.md is not {link:.40}"
        );
        n_programs += 1;
    }
    assert!(n_programs >= 3);
}
