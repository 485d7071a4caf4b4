//! The settings in this folder, as part of the program: `base.toml` has all of them with their
//! documentation, the other files are layers over it, one for each game and each preset.
//!
//! A crate of its own, because a package contains only its own folder.

use include_dir::{Dir, include_dir};

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR");

/// The names of the files, without `.toml`.
pub fn names() -> impl Iterator<Item = &'static str> {
    let names = FOLDER.files().filter_map(|file| file.path().to_str());
    let names = names.filter_map(|name| name.strip_suffix(".toml"));
    names.filter(|name| !is_of_cargo(name))
}

/// The text of `configs/<name>.toml`.
pub fn text(name: &str) -> Option<&'static str> {
    let file = FOLDER.get_file(format!("{name}.toml"))?;
    file.contents_utf8().filter(|_| !is_of_cargo(name))
}

/// The crate's own manifest, which is no settings.
fn is_of_cargo(name: &str) -> bool {
    name == "Cargo"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_is_no_settings() {
        assert!(names().any(|name| name == "base") && names().all(|name| name != "Cargo"));
        assert!(text("base").is_some() && text("Cargo").is_none());
    }
}
