//! The networks of `agents/`, which are included in the binary.

use std::path::Path;

/// The variant and weights of every agent; a test compares them with the folder.
use bundled::NETWORKS as AGENTS;
use model::Model;
use rules::Variant;

use super::LoadedModel;
use crate::error::{Result, Within as _};
use crate::{RequestError, SecondOpinion};

/// The variants with a bundled network.
pub fn variants() -> impl Iterator<Item = Variant> {
    Variant::ALL
        .into_iter()
        .filter(|variant| bytes(*variant).is_some())
}

pub(super) fn load(variant: Variant) -> Result<LoadedModel> {
    let bytes = bytes(variant).ok_or_else(|| {
        let known: Vec<&str> = variants().map(Variant::name).collect();
        let known = known.join(", ");
        RequestError(format!(
            "no network for {variant} is bundled, only for {known}: train one with \
             `crownhead train {variant}`, or write {variant} for the strongest player that comes \
             with the program"
        ))
    })?;
    let file = format!("{variant}.safetensors");
    let model = Model::from_bytes(bytes, Path::new(&file))
        .within(|| format!("the bundled network {file} cannot be used"))?;
    Ok(LoadedModel {
        evaluation: SecondOpinion::bundled(variant),
        ..LoadedModel::alone(format!("bundled:{variant}"), model)
    })
}

fn bytes(variant: Variant) -> Option<&'static [u8]> {
    let (_, bytes) = AGENTS.iter().find(|(name, _)| *name == variant.name())?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn every_agent_of_the_folder_is_there_and_plays_its_game() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bundled");
        let files = fs::read_dir(folder).unwrap();
        let n_files = files
            .filter(|file| {
                file.as_ref()
                    .unwrap()
                    .path()
                    .extension()
                    .is_some_and(|e| e == "safetensors")
            })
            .count();
        assert_eq!(n_files, AGENTS.len());
        assert_eq!(variants().count(), AGENTS.len());
        for variant in variants() {
            let model = load(variant).unwrap().model;
            assert_eq!(model.variant, variant);
        }
    }

    #[test]
    fn the_others_are_named() {
        let missing = Variant::ALL
            .into_iter()
            .find(|v| bytes(*v).is_none())
            .unwrap();
        let error = load(missing).err().unwrap().to_string();
        assert!(
            error.contains(missing.name()) && error.contains("ringboard"),
            "{error}"
        );
    }
}
