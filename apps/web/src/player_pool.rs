//! The available players, and idle players kept for the next request.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use endgame::Database;
use engine::Analyzer;
use http::ApiError;
use page::{Label, PlayerCatalog, PlayerInfo};
use rules::Variant;
use serde::{Deserialize, Serialize};
use serde_json::Value as Document;
use store::ModelId;

use crate::runs::{NamedRun, Runs};

/// Maximum number of idle players, each with its tree in memory.
const MAX_IDLE: usize = 2;

/// A player to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// Its specification.
    pub(crate) player: String,
    /// The game that it plays: it has memory for no other.
    pub(crate) variant: Variant,
    /// Its number of threads.
    pub(crate) threads: usize,
}

/// The players of the caller's catalog and the models of the runs.
pub(crate) struct PlayerPool {
    catalog: Box<dyn PlayerCatalog>,
    idle: Mutex<Vec<(Order, Box<dyn Analyzer>)>>,
}

impl PlayerPool {
    pub(crate) fn new(catalog: Box<dyn PlayerCatalog>) -> PlayerPool {
        PlayerPool {
            catalog,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// All players of a variant.
    pub(crate) fn list(&self, runs: &Runs, variant: Variant) -> Vec<PlayerInfo> {
        let mut players = self.catalog.players(variant);
        for run in runs.list().iter().filter(|run| run.variant == variant) {
            players.extend(models(run));
        }
        players
    }

    /// The specification of a listed player, for [`PlayerCatalog::analyzer`]. Others are rejected:
    /// a page must not be able to start programs or to read files.
    pub(crate) fn resolve(
        &self,
        runs: &Runs,
        variant: Variant,
        id: &str,
    ) -> Result<String, ApiError> {
        if self.catalog.players(variant).iter().any(|own| own.id == id) {
            return Ok(id.to_owned());
        }
        let unknown = || {
            ApiError::missing(format!(
                "no player of {variant} is called {id:?}: GET /api/players lists them"
            ))
        };
        let place = id.strip_prefix("run:").ok_or_else(unknown)?;
        let (name, number) = match place.rsplit_once('@') {
            Some((name, number)) => (name, Some(number)),
            None => (place, None),
        };
        let run = runs.find(name)?;
        if run.variant != variant {
            return Err(ApiError::bad(format!(
                "run {name} plays {}, not {variant}",
                run.variant
            )));
        }
        let model = match number {
            Some(number) => ModelId(number.parse().map_err(|_| unknown())?),
            None => run
                .dir
                .champion()
                .map_err(ApiError::failed)?
                .ok_or_else(|| ApiError::missing(format!("run {name} has no champion yet")))?,
        };
        run.dir
            .model(model)
            .map_err(|error| ApiError::missing(error.to_string()))?;
        Ok(format!("run:{}@{}", run.dir.path().display(), model.0))
    }

    /// The endgame database of a variant.
    pub(crate) fn endgames(&self, runs: &Runs, variant: Variant) -> Option<Arc<Database>> {
        let runs = runs.list().into_iter().filter(|run| run.variant == variant);
        let of_runs: Vec<PathBuf> = runs.map(|run| run.dir.endgames_path()).collect();
        self.catalog.endgames(variant, &of_runs)
    }

    /// An idle player, or a new one.
    pub(crate) fn take(&self, order: &Order) -> Result<Box<dyn Analyzer>, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = idle.iter().position(|(known, _)| known == order) {
            return Ok(idle.remove(place).1);
        }
        drop(idle);
        self.catalog
            .analyzer(&order.player, order.variant, order.threads)
    }

    /// Keeps a player for the next request.
    pub(crate) fn put_back(&self, order: Order, analyzer: Box<dyn Analyzer>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((order, analyzer));
        if idle.len() > MAX_IDLE {
            idle.remove(0);
        }
    }
}

/// The part of `ratings.json` that the page shows.
#[derive(Default, Serialize)]
pub(crate) struct StoredRatings {
    pub(crate) points: Vec<StoredRating>,
}

/// One rating of a model.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub(crate) struct StoredRating {
    #[serde(default)]
    generation: u32,
    pub(crate) model: u32,
    pub(crate) elo: f64,
    ci95: f64,
    ci95_on_scale: Option<f64>,
}

impl StoredRating {
    /// The half-width of the interval to show: on the scale of the baselines, if it is known.
    pub(crate) fn interval(&self) -> f64 {
        self.ci95_on_scale.unwrap_or(self.ci95)
    }
}

impl StoredRatings {
    /// The ratings of a run; empty before the first one. A point that cannot be read is left out.
    pub(crate) fn of(run: &NamedRun) -> StoredRatings {
        let document: Document = run.dir.ratings().ok().flatten().unwrap_or_default();
        let points = document["points"].as_array().into_iter().flatten();
        let point = |point: &Document| StoredRating::deserialize(point).ok();
        StoredRatings {
            points: points.filter_map(point).collect(),
        }
    }

    /// The newest rating of a model.
    pub(crate) fn find(&self, model: ModelId) -> Option<StoredRating> {
        let newest_first = self.points.iter().rev();
        newest_first.copied().find(|point| point.model == model.0)
    }
}

/// A run's champion, then all its models, newest first.
fn models(run: &NamedRun) -> Vec<PlayerInfo> {
    let ratings = StoredRatings::of(run);
    let group = Label::new("run", [&run.name]);
    let player = |id: String, kind, model: ModelId| {
        let name = Label::new(kind, [&run.name, &model.0.to_string()]);
        let rating = ratings.find(model);
        PlayerInfo {
            takes_simulations: true,
            analyses: true,
            elo: rating.map(|rating| rating.elo),
            ci95: rating.map(|rating| rating.interval()),
            ..PlayerInfo::new(id, name, group.clone())
        }
    };
    let mut players = Vec::new();
    if let Ok(Some(champion)) = run.dir.champion() {
        players.push(player(format!("run:{}", run.name), "champion", champion));
    }
    for model in run.dir.models().unwrap_or_default().into_iter().rev() {
        let id = format!("run:{}@{}", run.name, model.0);
        players.push(player(id, "model", model));
    }
    players
}
