//! Texts that are almost a configuration: seeds of the fuzz target `config`.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

#[path = "../../../fuzz/bodies/config.rs"]
mod body;
#[path = "../../../fuzz/bodies/seeds.rs"]
mod seeds;

use config::{ConfigSources, RunFile};
use rules::Variant;

/// Resolves the bytes of a file as a configuration.
fn resolve(bytes: &[u8]) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, bytes).unwrap();
    let sources = ConfigSources {
        config: Some(path),
        ..ConfigSources::default()
    };
    let resolved = sources.resolve(Variant::ALL[0]);
    resolved.map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn every_byte_of_a_run_file_may_be_another_one() {
    let resolved = ConfigSources::default().resolve(Variant::ALL[0]).unwrap();
    let text = RunFile::new(Variant::ALL[0], resolved).render();
    body::config(text.as_bytes());
    for at in (0..text.len()).step_by(7) {
        for byte in b"\"[]={}.\n9" {
            let mut changed = text.clone().into_bytes();
            changed[at] = *byte;
            body::config(&changed);
        }
    }
}

/// As much of everything as fits into a file.
#[test]
fn depth_and_length_are_no_matter() {
    let fill = |text: &str| text.repeat(60_000 / text.len());
    for text in [
        format!("a = {}", fill("[")),
        format!("a = {}", fill("{a=")),
        format!("{}a = 1", fill("a.")),
        format!("[{}a]", fill("a.")),
        format!("[[{}a]]", fill("a.")),
        fill("[[a]]\n"),
        fill("[a.a]\n"),
        fill("\"\\u0000\".a=1\n"),
        format!("seed = {}", fill("9")),
        format!("seed = 1e{}", fill("9")),
        format!("seed = 0x{}", fill("f")),
        format!("seed = \"{}\"", fill("x")),
        format!("seed = \"\"\"{}", fill("\n")),
        format!("extends = \"{}\"", fill("../")),
        format!("{} = 1", fill("x")),
        fill("\0"),
        "seed = 1\nseed = 2".to_owned(),
        "[search]\n[search]".to_owned(),
    ] {
        body::config(text.as_bytes());
        let error = resolve(text.as_bytes()).unwrap_err();
        assert!(error.len() < 200_000, "{}", error.len());
    }
    let error = resolve(b"seed = \xff").unwrap_err();
    assert!(error.contains("utf-8"), "{error}");
}

#[test]
fn what_fuzzing_has_kept() {
    seeds::each(include_str!("../../../fuzz/seeds/config.hex"), body::config);
}
