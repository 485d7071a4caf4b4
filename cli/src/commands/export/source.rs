//! What is exported, and what a run knows about it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use model::Model;
use model::export::Elo;
use rules::Move;
use rules::pdn::PdnRecord;
use store::{Games, ModelId, Record, RunDir};

use crate::output::Usage;
use crate::train::Ratings;

/// Games of a run that go into the folder.
const N_GAMES: usize = 20;

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A model of a run; the champion if no number is given.
    Run(PathBuf, Option<ModelId>),
    /// A model anywhere.
    Model(PathBuf),
}

/// A model with what is known about it.
pub(super) struct Found {
    pub(super) model: Model,
    /// What to call it.
    pub(super) name: String,
    /// Its newest rating.
    pub(super) elo: Option<Elo>,
    /// Its games in PDN, or the newest of its run.
    pub(super) games: Option<String>,
}

impl FromStr for Source {
    type Err = Usage;

    fn from_str(text: &str) -> Result<Source, Usage> {
        let numbered = |place: &str| {
            let (dir, number) = place.rsplit_once('@')?;
            Some(Source::Run(dir.into(), Some(number.parse().ok()?)))
        };
        match text.split_once(':') {
            Some(("run", place)) => {
                Ok(numbered(place).unwrap_or_else(|| Source::Run(place.into(), None)))
            }
            Some(("model", path)) => Ok(Source::Model(path.into())),
            _ => Err(Usage(format!(
                "{text:?} is no model: write run:DIR, run:DIR@42 or model:DIR"
            ))),
        }
    }
}

impl Source {
    /// Reads the model and what its run says about it.
    pub(super) fn load(&self) -> anyhow::Result<Found> {
        match self {
            Source::Run(dir, number) => load_from_run(dir, *number)
                .with_context(|| format!("failed to export from the run {}", dir.display())),
            Source::Model(path) => Ok(Found {
                model: load_model(path)?,
                name: folder_name(path),
                elo: None,
                games: None,
            }),
        }
    }
}

fn load_from_run(dir: &Path, number: Option<ModelId>) -> anyhow::Result<Found> {
    let run = RunDir::open(dir)?;
    let number = match number {
        Some(number) => number,
        None => run.champion()?.context("it has no champion yet")?,
    };
    let model = load_model(&run.model(number)?)?;
    let ratings: Ratings = run.ratings()?.unwrap_or_default();
    let point = ratings
        .points
        .iter()
        .rev()
        .find(|point| point.model == number.0);
    let elo = point.map(|point| Elo {
        elo: point.elo,
        ci95: point.ci95,
        zero: ratings.zero.clone(),
        games: point.games,
        simulations: point.simulations,
    });
    let name = format!("{}@{}", folder_name(dir), number.0);
    let games = sample_games(&run, &model, &name)?;
    Ok(Found {
        model,
        name,
        elo,
        games,
    })
}

fn load_model(path: &Path) -> anyhow::Result<Model> {
    Model::load(path).with_context(|| format!("failed to load the model {}", path.display()))
}

/// The last part of a path, also of one such as `.`.
fn folder_name(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The first games of self-play that the model finished, in the newest generation that has some;
/// none if it has not played.
fn sample_games(run: &RunDir, model: &Model, name: &str) -> anyhow::Result<Option<String>> {
    let (games, net_id) = (Games::new(&run.games_path(), model.variant), model.net_id());
    for generation in games.generations()?.into_iter().rev() {
        let records = games.read(generation)?.records;
        let own = records
            .iter()
            .filter(|record| record.header.network == net_id && record.result.is_some());
        let text: String = own
            .take(N_GAMES)
            .map(|record| to_pdn(record, name))
            .collect();
        if !text.is_empty() {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

fn to_pdn(record: &Record, name: &str) -> String {
    let round = record.header.id.to_string();
    let tags = [
        ("Event", "crownhead self-play"),
        ("Round", round.as_str()),
        ("White", name),
        ("Black", name),
    ];
    let moves: Vec<Move> = record.plies.iter().map(|ply| ply.mv).collect();
    PdnRecord {
        tags: &tags,
        start: &record.start,
        moves: &moves,
        outcome: record.result,
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let source = |text: &str| text.parse::<Source>().unwrap();
        assert_eq!(source("run:runs/a"), Source::Run("runs/a".into(), None));
        let numbered = Source::Run("runs/a@b".into(), Some(ModelId(42)));
        assert_eq!(source("run:runs/a@b@42"), numbered);
        assert_eq!(source("model:m"), Source::Model("m".into()));
        let error = "random".parse::<Source>().unwrap_err().to_string();
        assert!(error.contains("write run:DIR"), "{error}");
    }
}
