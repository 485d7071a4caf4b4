//! Proven results of positions, and how they propagate up the tree.
//!
//! Draws by repetition or lack of progress depend on the path to a position. Proofs are
//! nevertheless valid, because paths merge only in positions whose history does not matter
//! (`Tree::shared`).

use std::fmt::Debug;

use rules::{Color, Outcome, Position};
use types::Wdl;

/// A source of exact results, such as an endgame database.
pub trait Prover: Debug + Send + Sync {
    /// The game result from a position, if known. It must hold for every game history and for the
    /// position's draw counters.
    fn prove(&self, position: &Position) -> Option<Proof>;
}

/// The result with best play, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// A win in at most this many plies.
    Win(u16),
    /// A draw.
    Draw,
    /// A loss in at most this many plies.
    Loss(u16),
}

impl Proof {
    /// The result of a finished game, for the side to move.
    pub(crate) fn of(outcome: Outcome, mover: Color) -> Proof {
        match outcome.winner() {
            Some(winner) if winner == mover => Proof::Win(0),
            Some(_) => Proof::Loss(0),
            None => Proof::Draw,
        }
    }

    /// Converts a proof of a position to a proof of the move that leads to it.
    pub fn before_the_move(self) -> Proof {
        match self {
            Proof::Win(plies) => Proof::Loss(plies.saturating_add(1)),
            Proof::Draw => Proof::Draw,
            Proof::Loss(plies) => Proof::Win(plies.saturating_add(1)),
        }
    }

    /// Converts a proof of a move to a proof of the resulting position.
    pub(crate) fn after_the_move(self) -> Proof {
        match self {
            Proof::Win(plies) => Proof::Loss(plies.saturating_sub(1)),
            Proof::Draw => Proof::Draw,
            Proof::Loss(plies) => Proof::Win(plies.saturating_sub(1)),
        }
    }

    /// The exact value.
    pub fn wdl(self) -> Wdl {
        match self {
            Proof::Win(_) => Wdl::WIN,
            Proof::Draw => Wdl::DRAW,
            Proof::Loss(_) => Wdl::LOSS,
        }
    }

    /// The proof of a position, given the proofs of its moves.
    ///
    /// One win suffices; otherwise every move must be proven, and the best one counts. Wins are as
    /// short, losses as long as possible.
    pub(crate) fn of_moves(moves: impl Iterator<Item = Option<Proof>> + Clone) -> Option<Proof> {
        match Sound::of(moves.clone()) {
            Sound::Win(plies) => Some(Proof::Win(plies)),
            Sound::Loss(plies) => Some(Proof::Loss(plies)),
            Sound::NotLost => {
                let settled = moves.into_iter().all(|proof| proof.is_some());
                settled.then_some(Proof::Draw)
            }
        }
    }
}

/// The moves of a position that no proof rules out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sound {
    /// Some move wins: the moves that win in this minimum number of plies.
    Win(u16),
    /// No known win: all moves except those that lose.
    NotLost,
    /// All moves lose: the moves that last this maximum number of plies.
    Loss(u16),
}

impl Sound {
    /// Determines the sound moves from the proofs of all moves.
    pub(crate) fn of(moves: impl Iterator<Item = Option<Proof>>) -> Sound {
        let (mut shortest_win, mut longest_loss, mut all_lost) = (None::<u16>, 0, true);
        for proof in moves {
            match proof {
                Some(Proof::Win(plies)) => {
                    shortest_win = Some(shortest_win.map_or(plies, |best| best.min(plies)));
                }
                Some(Proof::Loss(plies)) => longest_loss = longest_loss.max(plies),
                Some(Proof::Draw) | None => all_lost = false,
            }
        }
        match shortest_win {
            Some(plies) => Sound::Win(plies),
            None if all_lost => Sound::Loss(longest_loss),
            None => Sound::NotLost,
        }
    }

    /// True if a move with this proof is sound.
    pub(crate) fn allows(self, proof: Option<Proof>) -> bool {
        match self {
            Sound::Win(plies) => proof == Some(Proof::Win(plies)),
            Sound::NotLost => !matches!(proof, Some(Proof::Loss(_))),
            Sound::Loss(plies) => proof == Some(Proof::Loss(plies)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Proof::{Draw, Loss, Win};

    fn proven(moves: &[Option<Proof>]) -> Option<Proof> {
        Proof::of_moves(moves.iter().copied())
    }

    #[test]
    fn one_win_is_enough_and_the_shortest_counts() {
        assert_eq!(
            proven(&[None, Some(Win(5)), Some(Loss(2)), Some(Win(3))]),
            Some(Win(3))
        );
    }

    #[test]
    fn a_draw_or_a_loss_needs_every_move() {
        assert_eq!(proven(&[Some(Draw), None]), None);
        assert_eq!(proven(&[Some(Loss(4)), None]), None);
        assert_eq!(proven(&[Some(Loss(4)), Some(Draw)]), Some(Draw));
        assert_eq!(
            proven(&[Some(Loss(4)), Some(Loss(8)), Some(Loss(2))]),
            Some(Loss(8))
        );
    }

    #[test]
    fn moving_adds_a_ply_and_changes_sides() {
        assert_eq!(Loss(0).before_the_move(), Win(1));
        assert_eq!(Win(3).before_the_move(), Loss(4));
        assert_eq!(Draw.before_the_move(), Draw);
        for proof in [Loss(0), Win(3), Draw] {
            assert_eq!(proof.before_the_move().after_the_move(), proof);
        }
    }

    #[test]
    fn sound_moves() {
        let moves = [
            Some(Win(3)),
            Some(Win(1)),
            Some(Draw),
            Some(Loss(2)),
            Some(Loss(6)),
            None,
        ];
        let allowed = |range: std::ops::Range<usize>| {
            let sound = Sound::of(moves[range.clone()].iter().copied());
            range
                .filter(|&i| sound.allows(moves[i]))
                .collect::<Vec<_>>()
        };
        assert_eq!(allowed(0..6), [1]);
        assert_eq!(allowed(2..6), [2, 5]);
        assert_eq!(allowed(3..5), [4]);
    }
}
