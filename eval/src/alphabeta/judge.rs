//! Evaluations of quiet positions.

use std::sync::{Arc, LazyLock};

use alphabeta::LOGIT;
use nnue::Network;
use rules::{Position, Variant};

use super::material::{MAN, material};

macro_rules! embed {
    ($($name:literal),+ $(,)?) => {
        [$(include_bytes!(concat!("../../data/learned/", $name, ".safetensors")).as_slice()),+]
    };
}

/// The evaluations of the players `learned:depth=N`. They never change, because ratings depend on
/// them: better ones are other players.
const FILES: [&[u8]; 5] = embed!["english", "customary", "frisian", "thai", "ringboard"];

static LEARNED: LazyLock<Vec<Arc<Network>>> = LazyLock::new(|| {
    let networks = FILES.iter().map(|bytes| Network::from_bytes(bytes));
    networks.flatten().map(Arc::new).collect()
});

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
            Judge::Learned(_) => LOGIT,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use fnv::FnvHasher;

    use super::*;

    /// Every rating depends on these bytes.
    #[test]
    fn the_frozen_evaluations_are_what_they_were() {
        let hash = |bytes: &[u8]| {
            let mut hash = FnvHasher::default();
            hash.write(bytes);
            hash.finish()
        };
        let expected = [
            0x3e0d_9917_f3ad_5e27,
            0x694f_eaa5_e452_37b9,
            0xd74a_8f46_f932_8fdf,
            0xe642_2798_160d_b862,
            0x3989_bfc1_2305_3362,
        ];
        assert_eq!(FILES.map(hash), expected);
        assert_eq!(LEARNED.len(), FILES.len(), "all of them can be read");
    }
}
