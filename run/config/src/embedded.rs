//! The files of `configs/`, which are part of the binary.

use include_dir::{Dir, include_dir};

/// The layer under all others.
pub(crate) const BASE: &str = "base";

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../configs");

/// The text of `configs/<name>.toml`.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    FOLDER.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// Names for `--preset`: everything except the base and the variants' own files.
pub(crate) fn preset_names() -> impl Iterator<Item = &'static str> {
    let names = FOLDER
        .files()
        .filter_map(|file| file.path().file_stem()?.to_str());
    let mut names: Vec<&str> = names
        .filter(|name| *name != BASE && name.parse::<rules::Variant>().is_err())
        .collect();
    names.sort_unstable();
    names.into_iter()
}

/// The presets, each with the first sentence of its file.
pub fn preset_summaries() -> impl Iterator<Item = (&'static str, String)> {
    let summary = |name| {
        let first_line = text(name)
            .and_then(|text| text.lines().next())
            .unwrap_or_default();
        first_line.trim_start_matches(['#', ' ']).to_owned()
    };
    preset_names().map(move |name| (name, summary(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_the_other_files() {
        let names: Vec<&str> = preset_names().collect();
        assert_eq!(names, ["large", "medium", "nano", "small", "tiny"]);
        assert!(text(BASE).is_some() && text("unknown").is_none());
    }

    #[test]
    fn every_variant_has_a_file() {
        for variant in rules::Variant::ALL {
            assert!(
                text(variant.name()).is_some(),
                "configs/{variant}.toml is missing"
            );
        }
    }
}
