//! The shell blocks of the documents, run as they are written.
//!
//! A block takes less than half a minute, or has a mark behind its language: `long` runs with
//! `CROWNHEAD_BOOK=long` only, `parse` needs more than this program and is only read (by the unit
//! tests). The blocks of a page run in order in one folder, which begins with a small run of
//! english.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::copy;

/// Prepares a shell: `crownhead` is the tested program, `cargo run .. -- X` runs it too.
const PRELUDE: &str = r#"set -eu
cargo() { while [ "$1" != -- ]; do shift; done; shift; crownhead "$@"; }
"#;

/// A shell block: its line, its mark and its text.
struct Block {
    line: usize,
    mark: String,
    text: String,
}

/// All documents below a folder.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let mut found: Vec<PathBuf> = folders.iter().flat_map(|path| documents(path)).collect();
    found.extend(
        files
            .into_iter()
            .filter(|path| path.extension().is_some_and(|name| name == "md")),
    );
    found.sort();
    found
}

fn blocks(text: &str) -> Vec<Block> {
    let (mut found, mut open): (Vec<Block>, Option<Block>) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (fence, &mut open) {
            (Some(""), Some(_)) => found.extend(open.take().filter(|block| block.mark != "other")),
            (Some(info), None) => {
                let mut words = info.split_whitespace();
                let is_shell = words.next() == Some("sh");
                let mark = words.next().unwrap_or_default();
                let mark = if is_shell { mark } else { "other" }.to_owned();
                open = Some(Block {
                    line: number + 1,
                    mark,
                    text: String::new(),
                });
            }
            (None, Some(block)) => block.text.extend([line, "\n"]),
            _ => {}
        }
    }
    found
}

/// Runs a block of a page; the error is all that it printed.
fn run(block: &Block, folder: &Path) -> Result<(), String> {
    let program = Path::new(env!("CARGO_BIN_EXE_crownhead"));
    let path = env::join_paths(
        [program.parent().unwrap().to_owned()]
            .into_iter()
            .chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let output = Command::new("sh")
        .args(["-c", &format!("{PRELUDE}{}", block.text)])
        .env("PATH", path.unwrap())
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let all = text(&output.stdout) + &text(&output.stderr);
    output.status.success().then_some(()).ok_or(all)
}

#[test]
fn commands_of_the_documents_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let is_long = env::var("CROWNHEAD_BOOK").is_ok_and(|value| value == "long");
    let start = tempfile::tempdir().unwrap();
    let small = "crownhead train english --preset tiny --generations 3 --threads 1 \
                 --set selfplay.max_plies=400 --set selfplay.games_per_generation=64";
    let first = Block {
        line: 0,
        mark: String::new(),
        text: small.to_owned(),
    };
    run(&first, start.path()).unwrap();

    let mut pages = documents(&root.join("docs"));
    pages.push(root.join("README.md"));
    let mut faults = Vec::new();
    for page in pages {
        let blocks = blocks(&fs::read_to_string(&page).unwrap());
        let is_wanted = |block: &&Block| block.mark.is_empty() || is_long && block.mark == "long";
        let wanted: Vec<&Block> = blocks.iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        copy(start.path(), folder.path());
        for block in wanted {
            let begin = std::time::Instant::now();
            let ended = run(block, folder.path());
            println!(
                "{:5.1} s  {}:{}",
                begin.elapsed().as_secs_f64(),
                page.display(),
                block.line
            );
            if let Err(output) = ended {
                faults.push(format!(
                    "{}:{}:\n{}{output}",
                    page.display(),
                    block.line,
                    block.text
                ));
                break;
            }
        }
        let known = ["", "long", "parse"];
        let unknown = blocks
            .iter()
            .find(|block| !known.contains(&block.mark.as_str()));
        assert!(unknown.is_none_or(|block| panic!(
            "{}:{}: mark {}",
            page.display(),
            block.line,
            block.mark
        )));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
