//! Measures the baselines of a variant match by match, in a file that holds all variants.

use std::ops::ControlFlow;
use std::path::Path;

use eval::anchors::{Anchors, AnchorsFile};
use eval::{AlphaBeta, Arena};
use rules::Variant;
use store::{AtomicFile, StoreError};

use run::{RequestError, Result};

/// Resumes the measurement `asked` from the file's results, and rewrites the file after each match
/// before `after_match` is called. The caller checks whether the result is complete.
///
/// # Errors
/// If learned levels are requested but missing, the file has results of another measurement of the
/// variant, a match fails, or the disk fails.
pub fn measure(
    path: &Path,
    variant: Variant,
    asked: Anchors,
    arena: &Arena<'_>,
    after_match: &mut dyn FnMut(&Anchors),
) -> Result<Anchors> {
    if asked.learned_depth > 0 && !AlphaBeta::has_learned(variant) {
        let message = format!("there is no frozen evaluation of {variant}");
        return Err(RequestError(message).into());
    }
    let mut file = read(path)?;
    let mut anchors = match file.0.get(variant.name()) {
        None => asked,
        Some(known) if known.continues(&asked) => Anchors {
            learned_depth: known.learned_depth.max(asked.learned_depth),
            ..known.clone()
        },
        Some(known) => return Err(other_measurement(path, variant, known).into()),
    };
    let mut written = Ok(());
    anchors.complete(variant, arena, &mut |anchors| {
        file.0.insert(variant.name().to_owned(), anchors.clone());
        written = AtomicFile::write_whole(path, file.to_string().as_bytes());
        if written.is_err() {
            return ControlFlow::Break(());
        }
        after_match(anchors);
        ControlFlow::Continue(())
    })?;
    written?;
    Ok(anchors)
}

fn other_measurement(path: &Path, variant: Variant, known: &Anchors) -> RequestError {
    RequestError(format!(
        "{} has results of {variant} with --pairs {} --depth {} --seed {} under version {} of its \
         rules: use the same options or another file",
        path.display(),
        known.pairs,
        known.max_depth,
        known.seed,
        known.rules_version,
    ))
}

/// Maximum size of the file in bytes; the measurement of all variants takes a hundredth of it.
const MAX_BYTES: u64 = 16 << 20;

/// Reads the file; empty if it does not exist.
fn read(path: &Path) -> Result<AnchorsFile> {
    if !path.exists() {
        return Ok(AnchorsFile::default());
    }
    let bytes = store::read_bounded(path, MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    AnchorsFile::parse(&text).map_err(|source| {
        let path = path.to_owned();
        StoreError::Json { path, source }.into()
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchors.json");
        let mut text = format!("{}", AnchorsFile::default()).into_bytes();
        text.resize(MAX_BYTES as usize, b' ');
        fs::write(&path, &text).unwrap();
        read(&path).unwrap();
        text.push(b' ');
        fs::write(&path, &text).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("larger"));
    }
}
