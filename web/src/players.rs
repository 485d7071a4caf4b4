//! What the caller hands in: somebody who knows players by their names.

use engine::Thinker;
use rules::Variant;
use serde::Serialize;

/// A player that can be chosen as an opponent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer {
    /// What the page sends to choose it.
    pub id: String,
    /// What people read.
    pub name: String,
    /// The heading it stands under.
    pub group: String,
    /// Whether it can be told a number of simulations.
    pub takes_simulations: bool,
    /// Its rating above the player `random`, if it was measured.
    pub elo: Option<f64>,
    /// Half-width of the rating's 95 % interval.
    pub ci95: Option<f64>,
}

impl Offer {
    /// A player without a rating.
    pub fn new(id: impl Into<String>, name: impl Into<String>, group: impl Into<String>) -> Offer {
        Offer {
            id: id.into(),
            name: name.into(),
            group: group.into(),
            takes_simulations: false,
            elo: None,
            ci95: None,
        }
    }
}

/// Somebody who makes players. The server offers the models of runs by itself, and asks for them by
/// texts such as `run:DIR@42`.
pub trait Players: Send + Sync {
    /// The players that do not come from the runs, the one to begin with first. Their ids are texts
    /// that [`Players::thinker`] takes.
    fn offers(&self, variant: Variant) -> Vec<Offer>;

    /// Makes a player, or says in words why that cannot be done.
    fn thinker(&self, text: &str) -> Result<Box<dyn Thinker>, String>;
}
