//! Ratings of the champions against the fixed baselines and each other, with fresh games.
//!
//! All games of a run's ratings are rated together. So a champion's rating may still move when
//! later ones meet it, and all points of `ratings.json` are written anew each time. The baselines
//! do not move.

use std::collections::BTreeSet;

use eval::anchors::Anchors;
use ratings::{DirectScore, GoodnessOfFit, RunRatings, Tallies};
use serde::{Deserialize, Serialize};
use store::ModelId;

use crate::Result;

/// The beginning of the names of models in matches.
pub(crate) const MODEL: &str = "model ";

/// The name of a model of the run in matches.
pub(crate) fn player_name(id: ModelId) -> String {
    format!("{MODEL}{id}")
}

/// The newest earlier champions who are opponents; older ones are far below.
const MAX_PAST: usize = 12;

/// `ratings.json`: the champion's rating over time, by all games that rated champions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratings {
    /// The meaning of 0 Elo.
    pub zero: String,
    /// Oldest first.
    pub points: Vec<RatingPoint>,
    /// How well the newest ratings explain all results; older runs did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<GoodnessOfFit>,
}

/// One rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingPoint {
    /// The generation that was being worked on.
    pub generation: u32,
    /// The champion's number.
    pub model: u32,
    /// Training time of the run when it was measured.
    pub seconds: f64,
    /// Elo above `random`.
    pub elo: f64,
    /// Half-width of the 95 % interval.
    pub ci95: f64,
    /// The same with the baselines' ratings taken as given; older runs did not note it.
    #[serde(default)]
    pub ci95_on_scale: Option<f64>,
    /// What the champion scored against the nearest baseline that it met; older runs did not note
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<DirectScore>,
    /// Games played for it.
    pub games: u64,
    /// Their results; older runs did not keep them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Tallies>,
    /// Self-play games of the run when it was measured; older runs did not note it.
    #[serde(default)]
    pub selfplay_games: Option<u64>,
    /// Simulations a move.
    pub simulations: u32,
}

impl RatingPoint {
    /// The half-width to show: what the games of this run leave open, where that is known.
    pub fn interval(&self) -> f64 {
        self.ci95_on_scale.unwrap_or(self.ci95)
    }
}

impl Ratings {
    /// All results, but those of points that `generation` is about to replace.
    pub(crate) fn results_before(&self, generation: u32) -> Tallies {
        let others = self.points.iter().filter(|p| p.generation != generation);
        results(others)
    }

    /// The ratings of the same games on the scale of these baselines, which may be those of another
    /// version.
    ///
    /// # Errors
    /// When the games do not determine ratings.
    pub fn on_scale_of(mut self, anchors: &Anchors) -> Result<Ratings> {
        self.follow(&RunRatings::new(&anchors.games, &results(&self.points))?);
        Ok(self)
    }

    /// The newest champions whose games are known, `champion` left out.
    pub(crate) fn past(&self, champion: ModelId) -> impl Iterator<Item = ModelId> {
        let known = self.points.iter().filter(|point| point.results.is_some());
        let models: BTreeSet<u32> = known.map(|point| point.model).collect();
        let others = models.into_iter().rev().filter(move |&m| m != champion.0);
        others.take(MAX_PAST).map(ModelId)
    }

    /// The newest rating that is no part of `generation`, in Elo.
    pub(crate) fn newest_before(&self, generation: u32) -> Option<f64> {
        let mut earlier = self
            .points
            .iter()
            .rev()
            .filter(|p| p.generation != generation);
        earlier.next().map(|point| point.elo)
    }

    /// These ratings with `point` as the one of its generation, and all of them as `ratings`, of
    /// all games together, has them.
    pub(crate) fn with(mut self, point: RatingPoint, ratings: &RunRatings) -> Ratings {
        ratings::ZERO.clone_into(&mut self.zero);
        self.points
            .retain(|other| other.generation != point.generation);
        self.points.push(point);
        self.follow(ratings);
        self
    }

    /// Takes over what all games together say.
    fn follow(&mut self, ratings: &RunRatings) {
        self.fit = Some(ratings.goodness_of_fit());
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
