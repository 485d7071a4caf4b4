//! Phases of a game by the number of pieces.

use std::array;

use rules::{Position, Variant};

/// The number of phases.
pub const N_PHASES: usize = 4;
/// The phases: each begins below this share of the pieces of the start position.
const SHARES: [(usize, usize); N_PHASES] = [(1, 1), (3, 4), (1, 2), (1, 3)];

/// The fewest and the most pieces of each phase, the one with the most pieces first.
pub fn phases(variant: Variant) -> [[usize; 2]; N_PHASES] {
    let all = Position::start(variant).occupied().count() as usize;
    let most = SHARES.map(|(share, of)| all * share / of);
    array::from_fn(|phase| {
        let fewest = most.get(phase + 1).map_or(1, |next| next + 1);
        [fewest, most[phase]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other() {
        let english = [[19, 24], [13, 18], [9, 12], [1, 8]];
        assert_eq!(phases(Variant::English), english);
    }
}
