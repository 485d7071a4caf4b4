//! Ratings of the champions against the fixed baselines and each other, from separate games.
//!
//! All rating games of a run are fitted together, so a champion's rating may still change when
//! later champions play it, and all points of `ratings.json` are rewritten each time. The ratings
//! of the baselines are fixed.

use std::collections::BTreeSet;

use eval::anchors::Anchors;
use ratings::{DirectScore, GoodnessOfFit, RunRatings, Tallies};
use serde::{Deserialize, Serialize};
use store::ModelId;

use crate::Result;

/// Prefix of model names in matches.
const MODEL: &str = "model ";

/// Name of one of the run's models in matches.
pub(crate) fn player_name(id: ModelId) -> String {
    format!("{MODEL}{id}")
}

/// The model of a run that a player name in matches denotes; `None` for other players.
#[must_use]
pub fn model_number(name: &str) -> Option<ModelId> {
    name.strip_prefix(MODEL)?.parse().ok()
}

/// Maximum number of earlier champions used as opponents, newest first; older ones are far weaker.
const MAX_PAST: usize = 12;

/// `ratings.json`: the champion's rating over time, fitted to all rating games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratings {
    /// Meaning of 0 Elo.
    pub zero: String,
    /// Oldest first.
    pub points: Vec<RatingPoint>,
    /// Goodness of fit of the newest ratings; absent in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<GoodnessOfFit>,
}

/// One rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingPoint {
    /// The generation in progress.
    pub generation: u32,
    /// The champion's number.
    pub model: u32,
    /// Training time of the run at the rating, in seconds.
    pub seconds: f64,
    /// Elo above `random`.
    pub elo: f64,
    /// Half-width of the 95 % interval.
    pub ci95: f64,
    /// Half-width of the 95 % interval with the baselines' ratings taken as exact; absent in older
    /// runs.
    #[serde(default)]
    pub ci95_on_scale: Option<f64>,
    /// Score against the nearest baseline it played; absent in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<DirectScore>,
    /// Games played for this rating.
    pub games: u64,
    /// Results of these games; absent in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Tallies>,
    /// Self-play games of the run at the rating; absent in older runs.
    #[serde(default)]
    pub selfplay_games: Option<u64>,
    /// Simulations per move.
    pub simulations: u32,
}

impl RatingPoint {
    /// The half-width to show: the uncertainty from this run's games, where it is known.
    pub fn interval(&self) -> f64 {
        self.ci95_on_scale.unwrap_or(self.ci95)
    }
}

impl Ratings {
    /// All results, without the points that `generation` is about to replace.
    pub(crate) fn results_before(&self, generation: u32) -> Tallies {
        let others = self.points.iter().filter(|p| p.generation != generation);
        results(others)
    }

    /// Recomputes the ratings on the scale of these baselines, which may belong to another version.
    ///
    /// # Errors
    /// If the games do not determine ratings.
    pub fn on_scale_of(mut self, anchors: &Anchors) -> Result<Ratings> {
        self.follow(&RunRatings::new(&anchors.games, &results(&self.points))?);
        Ok(self)
    }

    /// The newest champions with known games, except `champion`.
    pub(crate) fn past(&self, champion: ModelId) -> impl Iterator<Item = ModelId> {
        let known = self.points.iter().filter(|point| point.results.is_some());
        let models: BTreeSet<u32> = known.map(|point| point.model).collect();
        let others = models.into_iter().rev().filter(move |&m| m != champion.0);
        others.take(MAX_PAST).map(ModelId)
    }

    /// The newest rating from before `generation`, in Elo.
    pub(crate) fn newest_before(&self, generation: u32) -> Option<f64> {
        let mut earlier = self
            .points
            .iter()
            .rev()
            .filter(|p| p.generation != generation);
        earlier.next().map(|point| point.elo)
    }

    /// These ratings with `point` for its generation, and all of them updated from `ratings`, the
    /// fit to all games.
    pub(crate) fn with(mut self, point: RatingPoint, ratings: &RunRatings) -> Ratings {
        ratings::ZERO.clone_into(&mut self.zero);
        self.points
            .retain(|other| other.generation != point.generation);
        self.points.push(point);
        self.follow(ratings);
        self
    }

    /// Takes over the ratings fitted to all games.
    fn follow(&mut self, ratings: &RunRatings) {
        self.fit = Some(ratings.fit);
        for point in self.points.iter_mut().filter(|p| p.results.is_some()) {
            let name = player_name(ModelId(point.model));
            if let Some(rating) = ratings.player(&name) {
                point.direct = ratings.direct(&name);
                point.elo = rating.elo;
                point.ci95 = rating.ci95;
                point.ci95_on_scale = Some(rating.ci95_on_scale);
            }
        }
    }
}

/// All results of some points.
fn results<'a>(points: impl IntoIterator<Item = &'a RatingPoint>) -> Tallies {
    let mut all = Tallies::default();
    let known = points
        .into_iter()
        .filter_map(|point| point.results.as_ref());
    known.for_each(|results| all.extend(results));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_of_earlier_versions_are_read() {
        let text = r#"{"zero":"random","points":[{"generation":5,"model":4,"seconds":60.0,"elo":900.0,
            "ci95":80.0,"ci95_on_scale":40.0,"games":80,"results":[{"first":"model 4","second":
            "alphabeta:depth=2","wins":30,"draws":5,"losses":5}],"selfplay_games":5000,
            "simulations":64},{"generation":1,"model":1,"seconds":9.0,"elo":300.0,"ci95":80.0,
            "games":80,"simulations":64}]}"#;
        let ratings: Ratings = serde_json::from_str(text).unwrap();
        assert_eq!((&ratings.fit, &ratings.points[0].direct), (&None, &None));
        assert_eq!(ratings.points[0].interval(), 40.0);
        assert_eq!(ratings.results_before(9).games(), 40);
    }
}
