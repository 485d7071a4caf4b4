//! Sources of learned evaluations for alpha-beta search.

use std::fmt;
use std::path::{Path, PathBuf};

use nnue::Network;
use rules::Variant;
use store::{DistillDir, EVALUATION_FILE};

use crate::error::{EvaluationError, RequestError, Result, RosterError, Within as _};

/// The variant and bytes of every bundled evaluation; a test compares them with the folder.
use bundled::EVALUATIONS as BUNDLED;

/// A source of evaluations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationSource {
    /// The bundled one of a game, or all bundled ones if no game is named.
    Bundled(Option<Variant>),
    /// The one in this directory or file.
    Path(PathBuf),
}

/// The variants with a bundled evaluation.
pub fn bundled_variants() -> impl Iterator<Item = Variant> {
    let names = BUNDLED.iter().map(|(name, _)| *name);
    names.filter_map(|name| name.parse().ok())
}

impl fmt::Display for EvaluationSource {
    /// Formats the source as in a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationSource::Bundled(None) => write!(f, "ab:bundled"),
            EvaluationSource::Bundled(Some(variant)) => write!(f, "ab:bundled:{variant}"),
            EvaluationSource::Path(path) => write!(f, "ab:{}", path.display()),
        }
    }
}

impl EvaluationSource {
    /// Parses the text after `ab:`: `bundled`, `bundled:VARIANT`, a path, or the name of a game if
    /// there is no such path.
    pub fn parse(text: &str) -> EvaluationSource {
        let bundled = text
            .strip_prefix("bundled:")
            .and_then(|name| name.parse().ok());
        match text {
            "bundled" => EvaluationSource::Bundled(None),
            _ if bundled.is_some() => EvaluationSource::Bundled(bundled),
            path if Path::new(path).exists() => EvaluationSource::Path(path.into()),
            name => match name.parse() {
                Ok(variant) => EvaluationSource::Bundled(Some(variant)),
                Err(_) => EvaluationSource::Path(name.into()),
            },
        }
    }

    /// The evaluation in a folder or file, if any.
    pub(crate) fn at(path: &Path) -> Option<EvaluationSource> {
        let is_one = match path.is_dir() {
            true => path.join(EVALUATION_FILE).is_file(),
            false => path.is_file() && is_evaluation(path),
        };
        is_one.then(|| EvaluationSource::Path(path.to_owned()))
    }

    /// Reads the evaluations, one per game.
    ///
    /// # Errors
    /// If a file cannot be read or is invalid.
    pub fn load_all(&self) -> Result<Vec<Network>> {
        match self {
            EvaluationSource::Bundled(Some(variant)) => match bundled(*variant)? {
                Some(network) => Ok(vec![network]),
                None => Err(RequestError(format!(
                    "no evaluation of {variant} is bundled yet: make one with `crownhead distill \
                     {variant} --to {variant}-ab` and write ab:{variant}-ab, or write \
                     material:{variant} for a player that counts pieces"
                ))
                .into()),
            },
            EvaluationSource::Bundled(None) => bundled_variants()
                .filter_map(|variant| bundled(variant).transpose())
                .collect(),
            EvaluationSource::Path(path) => Ok(vec![read_evaluation(path)?]),
        }
    }

    /// Reads the evaluation of one game.
    ///
    /// # Errors
    /// If the file cannot be read, is invalid, or is for another game.
    pub fn load(&self, variant: Variant) -> Result<Network> {
        let mut networks = self.load_all()?;
        let found = networks
            .iter()
            .position(|network| network.variant() == variant);
        let found = found.ok_or_else(|| {
            let games: Vec<_> = networks
                .iter()
                .map(|network| network.variant().name())
                .collect();
            RequestError(format!(
                "there is no evaluation of {variant}, only of {}",
                games.join(", ")
            ))
        })?;
        Ok(networks.swap_remove(found))
    }
}

/// The bundled evaluation of a game, if there is one.
///
/// # Errors
/// If it is damaged.
fn bundled(variant: Variant) -> Result<Option<Network>> {
    let mut all = BUNDLED.iter();
    let found = all.find(|(name, _)| *name == variant.name());
    let network = found.map(|(name, bytes)| {
        parse(bytes).within(|| format!("the bundled evaluation of {name} cannot be used"))
    });
    network.transpose()
}

/// Reads the evaluation in a file, or in a directory written by `crownhead distill`.
///
/// # Errors
/// If the file cannot be read or is invalid.
pub fn read_evaluation(path: &Path) -> Result<Network> {
    let file = match path.is_dir() {
        true => path.join(EVALUATION_FILE),
        false => PathBuf::from(path),
    };
    if DistillDir::is_at(path) && !file.exists() {
        return Err(RosterError::Missing(format!(
            "the distillation in {} has kept no round, so it has no evaluation: the same \
             crownhead distill continues it",
            path.display()
        )));
    }
    let bytes = store::read_bounded(&file, nnue::MAX_FILE_BYTES).map_err(EvaluationError::from)?;
    parse(&bytes).within(|| format!("the evaluation {} cannot be used", file.display()))
}

/// True if a file is an evaluation rather than a network, even a damaged one.
fn is_evaluation(file: &Path) -> bool {
    let bytes = store::read_bounded(file, nnue::MAX_FILE_BYTES);
    bytes.is_ok_and(|bytes| {
        let network = Network::from_bytes(&bytes);
        !matches!(network, Err(nnue::NetworkError::NoManifest { .. }))
    })
}

fn parse(bytes: &[u8]) -> Result<Network, EvaluationError> {
    Ok(Network::from_bytes(bytes)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_evaluation_of_the_folder_is_there_and_judges_its_game() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bundled/evaluations");
        assert_eq!(fs::read_dir(folder).unwrap().count(), BUNDLED.len());
        let networks = EvaluationSource::Bundled(None).load_all().unwrap();
        for (network, (name, _)) in networks.iter().zip(BUNDLED) {
            assert_eq!(network.variant().name(), *name);
        }
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |path: &Path| read_evaluation(path).err().unwrap().to_string();
        assert!(error(Path::new("/nowhere")).contains("crownhead distill RUN --to DIR"));
        let dir = tempfile::tempdir().unwrap();
        assert!(error(dir.path()).contains(EVALUATION_FILE));
        fs::write(dir.path().join("distillation.json"), "{}").unwrap();
        assert!(error(dir.path()).contains("has kept no round"));
        fs::write(dir.path().join(EVALUATION_FILE), b"no tensors").unwrap();
        assert!(
            error(dir.path()).contains("cannot be used"),
            "{}",
            error(dir.path())
        );
    }
}
