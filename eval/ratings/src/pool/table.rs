//! Input options and output of ratings.

use serde::{Deserialize, Serialize};

use super::likelihood::DrawModel;

/// A weak prior, for [`RatingOptions::prior`]: BayesElo's default.
pub const USUAL_PRIOR: f64 = 2.0;

/// Options of a rating.
#[derive(Clone, Debug)]
pub struct RatingOptions {
    /// Virtual draws per player, spread over the opponents in proportion to games, half with each
    /// color (BayesElo's prior; its default is 2). 0 is plain maximum likelihood.
    pub prior: f64,
    /// The player whose rating is 0 by definition. Without one (or in a component without that
    /// player) the mean rating is 0.
    pub anchor: Option<String>,
    /// The model of draws.
    pub draw_model: DrawModel,
}

impl RatingOptions {
    /// The usual prior and model of draws, relative to `anchor` or to the mean.
    pub fn usual(anchor: Option<&str>) -> RatingOptions {
        RatingOptions {
            prior: USUAL_PRIOR,
            anchor: anchor.map(str::to_owned),
            draw_model: DrawModel::BayesElo,
        }
    }
}

/// One player's line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRating {
    /// The player's name.
    pub name: String,
    /// The rating.
    pub elo: f64,
    /// Half the width of the 95 % interval, relative to the anchor or the component's mean.
    pub ci95: f64,
    /// Games played.
    pub games: u64,
    /// Share of the points taken, 0 to 1.
    pub score: f64,
    /// Share of the games drawn, 0 to 1.
    pub draws: f64,
    /// Probability of being stronger than the next player of the component; none for its last.
    pub los_next: Option<f64>,
}

/// Players that can be compared with each other, strongest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Names, strongest first.
    pub players: Vec<String>,
    /// False if some players took no point from the others, directly or indirectly: then the games
    /// alone do not bound the ratings, and only the prior keeps them finite.
    pub bounded: bool,
}

/// Ratings of a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingTable {
    /// By component, strongest first in each.
    pub players: Vec<PlayerRating>,
    /// Elo advantage of moving first.
    pub advantage: f64,
    /// The draw Elo D: equal players draw a share of tanh(D/2), D in natural units. 0 means no
    /// draws. In BayesElo's model it is the parameter itself.
    pub draw_elo: f64,
    /// Groups of players connected by games; ratings of different groups cannot be compared.
    pub components: Vec<Component>,
    /// The model of draws, on whose scale all numbers are.
    pub draw_model: DrawModel,
}

impl RatingTable {
    /// The line of a player.
    pub fn player(&self, name: &str) -> Option<&PlayerRating> {
        self.players.iter().find(|player| player.name == name)
    }
}
