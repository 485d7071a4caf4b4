//! The files of `configs/`, which are part of the binary.

/// The layer under all others.
pub(crate) const BASE: &str = "base";

macro_rules! embed {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../configs/", $name, ".toml")))),+]
    };
}

/// Name and text of every file in `configs/`; a test compares it with the folder.
const FILES: &[(&str, &str)] = embed![
    "base",
    "customary",
    "customary-finish",
    "english",
    "frisian",
    "frisian-plain",
    "large",
    "medium",
    "nano",
    "ringboard",
    "small",
    "thai",
    "thai-lift-after",
    "tiny",
];

/// The text of `configs/<name>.toml`.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    FILES
        .iter()
        .find(|(file, _)| *file == name)
        .map(|(_, text)| *text)
}

/// The names `--preset` accepts: everything but the base and the variants' own files.
pub(crate) fn preset_names() -> impl Iterator<Item = &'static str> {
    FILES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| *name != BASE && name.parse::<rules::Variant>().is_err())
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
    fn every_file_in_the_folder_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                entry
                    .unwrap()
                    .path()
                    .file_stem()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        assert_eq!(
            names,
            FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>()
        );
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
