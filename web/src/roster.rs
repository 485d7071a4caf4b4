//! Who can be played against, and players that are kept ready.

use std::sync::{Mutex, PoisonError};

use engine::Thinker;
use rules::Variant;
use serde::Deserialize;
use store::ModelId;

use crate::players::{Offer, Players};
use crate::reply::Problem;
use crate::runs::{NamedRun, Runs};

/// Players that wait for the next question, each with its tree in memory.
const MAX_IDLE: usize = 2;

/// The offers of the caller and the models of the runs.
pub(crate) struct Roster {
    players: Box<dyn Players>,
    idle: Mutex<Vec<(String, Box<dyn Thinker>)>>,
}

impl Roster {
    pub(crate) fn new(players: Box<dyn Players>) -> Roster {
        Roster {
            players,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Everyone who plays a variant.
    pub(crate) fn offers(&self, runs: &Runs, variant: Variant) -> Vec<Offer> {
        let mut offers = self.players.offers(variant);
        for run in runs.list().iter().filter(|run| run.variant == variant) {
            offers.extend(models(run));
        }
        offers
    }

    /// What [`Players::thinker`] is to be asked for. Only what is on offer can be had: a page must not
    /// be able to start programs or to read files.
    pub(crate) fn resolve(
        &self,
        runs: &Runs,
        variant: Variant,
        id: &str,
    ) -> Result<String, Problem> {
        if self.players.offers(variant).iter().any(|own| own.id == id) {
            return Ok(id.to_owned());
        }
        let unknown = || {
            Problem::missing(format!(
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
            return Err(Problem::bad(format!(
                "run {name} plays {}, not {variant}",
                run.variant
            )));
        }
        let model = match number {
            Some(number) => ModelId(number.parse().map_err(|_| unknown())?),
            None => run
                .dir
                .champion()
                .map_err(Problem::failed)?
                .ok_or_else(|| Problem::missing(format!("run {name} has no champion yet")))?,
        };
        run.dir
            .model(model)
            .map_err(|error| Problem::missing(format!("failed to {error}")))?;
        Ok(run.player(model))
    }

    /// A player, kept ready or new.
    pub(crate) fn take(&self, text: &str) -> Result<Box<dyn Thinker>, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = idle.iter().position(|(name, _)| name == text) {
            return Ok(idle.remove(place).1);
        }
        drop(idle);
        self.players.thinker(text)
    }

    /// Keeps a player for the next question.
    pub(crate) fn put_back(&self, text: String, thinker: Box<dyn Thinker>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((text, thinker));
        if idle.len() > MAX_IDLE {
            idle.remove(0);
        }
    }
}

/// What the page is told of ratings.
#[derive(Default, Deserialize)]
pub(crate) struct Ratings {
    pub(crate) points: Vec<RatingPoint>,
}

/// One rating of a model.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct RatingPoint {
    pub(crate) model: u32,
    pub(crate) elo: f64,
    ci95: f64,
    ci95_on_scale: Option<f64>,
}

impl RatingPoint {
    /// The half-width of the interval to show: with the baselines' ratings as given, where that is
    /// known.
    pub(crate) fn interval(&self) -> f64 {
        self.ci95_on_scale.unwrap_or(self.ci95)
    }
}

impl Ratings {
    /// The ratings of a run; none where there are none yet.
    pub(crate) fn of(run: &NamedRun) -> Ratings {
        run.dir.ratings().ok().flatten().unwrap_or_default()
    }

    /// The newest rating of a model.
    pub(crate) fn find(&self, model: ModelId) -> Option<RatingPoint> {
        let newest_first = self.points.iter().rev();
        newest_first.copied().find(|point| point.model == model.0)
    }
}

/// A run's champion, then all its models, newest first.
fn models(run: &NamedRun) -> Vec<Offer> {
    let ratings = Ratings::of(run);
    let group = format!("Run {}", run.name);
    let offer = |id: String, name: String, model: ModelId| {
        let rating = ratings.find(model);
        Offer {
            takes_simulations: true,
            elo: rating.map(|rating| rating.elo),
            ci95: rating.map(|rating| rating.interval()),
            ..Offer::new(id, name, group.clone())
        }
    };
    let mut offers = Vec::new();
    if let Ok(Some(champion)) = run.dir.champion() {
        let name = format!("{}, champion (model {})", run.name, champion.0);
        offers.push(offer(format!("run:{}", run.name), name, champion));
    }
    for model in run.dir.models().unwrap_or_default().into_iter().rev() {
        let id = format!("run:{}@{}", run.name, model.0);
        offers.push(offer(id, format!("{}, model {}", run.name, model.0), model));
    }
    offers
}
