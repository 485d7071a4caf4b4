//! The exported model, and the data of its run.

use std::path::Path;

use model::Model;
use model::export::Elo;
use store::{ModelId, RunDir};

use crate::Result;
use roster::ModelSource;
use run::Ratings;

/// Number of a run's games in the folder.
const N_GAMES: usize = 20;

/// A model with related data.
pub(crate) struct Found {
    pub(crate) model: Model,
    /// Its name.
    pub(crate) name: String,
    /// Its newest rating.
    pub(crate) elo: Option<Elo>,
    /// Its games in PDN, or the newest of its run.
    pub(crate) games: Option<String>,
}

impl Found {
    /// Reads the model and the data of its run.
    pub(crate) fn load(source: &ModelSource) -> Result<Found> {
        let loaded = source.load()?;
        let folder = match source {
            ModelSource::Run(place, _) | ModelSource::Path(place) => folder_name(place),
            ModelSource::Bundled(_) => loaded.name.replace(':', "-"),
        };
        let mut found = Found {
            model: loaded.model,
            name: folder,
            elo: None,
            games: None,
        };
        if let Some((run, number)) = loaded.run {
            found.name += &format!("@{}", number.0);
            found.elo = newest_elo(&run, number)?;
            found.games = sample_games(&run, &found.model, &found.name)?;
        }
        Ok(found)
    }
}

fn newest_elo(run: &RunDir, number: ModelId) -> Result<Option<Elo>> {
    let ratings: Ratings = run.ratings()?.unwrap_or_default();
    let mut points = ratings.points.iter();
    let point = points.rfind(|point| point.model == number.0);
    Ok(point.map(|point| Elo {
        elo: point.elo,
        ci95: point.ci95,
        zero: ratings.zero.clone(),
        games: point.games,
        simulations: point.simulations,
    }))
}

/// The last component of a path, even of one such as `.`.
fn folder_name(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The first finished self-play games of the model, from the newest generation that has some;
/// `None` if it has not played.
fn sample_games(run: &RunDir, model: &Model, name: &str) -> Result<Option<String>> {
    let (games, net_id) = (run.games(model.variant), model.net_id());
    for generation in games.generations()?.into_iter().rev() {
        let records = games.read(generation)?.records;
        let own = records
            .iter()
            .filter(|record| record.header.network == net_id && record.result.is_some());
        let text: String = own
            .take(N_GAMES)
            .map(|record| record.to_pdn(name))
            .collect();
        if !text.is_empty() {
            return Ok(Some(text));
        }
    }
    Ok(None)
}
