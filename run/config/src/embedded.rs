//! The files of `configs/`, which are part of the binary: layers for games, and presets.

pub(crate) use configs::text;

/// The layer under all others.
pub(crate) const BASE: &str = "base";

/// Names for `--preset`: everything except the base and the variants' own files.
pub(crate) fn preset_names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = configs::names()
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
