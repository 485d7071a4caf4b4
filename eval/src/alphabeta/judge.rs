//! What the search judges quiet positions by.

use std::sync::{Arc, LazyLock};

use nnue::Network;
use rules::{Position, Variant};

use super::material::{MAN, material};

macro_rules! embed {
    ($($name:literal),+ $(,)?) => {
        [$(include_bytes!(concat!("../../data/learned/", $name, ".safetensors")).as_slice()),+]
    };
}

/// The evaluations of the players `learned:depth=N`. They never change, since ratings rest on them: better
/// ones are other players.
static LEARNED: LazyLock<Vec<Arc<Network>>> = LazyLock::new(|| {
    let files = embed!["english", "customary", "frisian", "thai", "ringboard"];
    let networks = files.iter().map(|bytes| Network::from_bytes(bytes));
    networks.flatten().map(Arc::new).collect()
});

/// What a learned evaluation counts for a man, about.
const LEARNED_MAN: i32 = 100;

/// The evaluation at the leaves.
#[derive(Clone)]
pub(super) enum Judge {
    /// [`material`].
    Material,
    /// The frozen evaluation of a game.
    Learned(Arc<Network>),
}

impl Judge {
    /// The frozen evaluation of a game, if there is one.
    pub(super) fn learned(variant: Variant) -> Option<Judge> {
        let network = LEARNED.iter().find(|network| network.variant() == variant);
        network.map(|network| Judge::Learned(Arc::clone(network)))
    }

    /// The score for the side to move.
    #[inline]
    pub(super) fn score(&self, position: &Position) -> i32 {
        match self {
            Judge::Material => material(position),
            Judge::Learned(network) => network.score(position),
        }
    }

    /// The score of a man.
    pub(super) fn man(&self) -> i32 {
        match self {
            Judge::Material => MAN,
            Judge::Learned(_) => LEARNED_MAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that was ever rated depends on these bytes.
    #[test]
    fn the_frozen_evaluations_are_what_they_were() {
        let score = |name: &str| {
            let variant = name.parse().unwrap();
            Judge::learned(variant).map(|judge| judge.score(&Position::start(variant)))
        };
        let games = ["english", "customary", "frisian", "thai", "ringboard"];
        assert_eq!(games.map(score), [-4, -2, 4, -1, -4].map(Some));
    }
}
