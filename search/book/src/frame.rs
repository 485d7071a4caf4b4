//! Positions from the view of the side that begins the game.

use rules::{Move, Position};

/// A position turned, if necessary, so that the side to move is the one that begins the game: a
/// position and its mirror image are the same.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    position: Position,
    is_turned: bool,
}

impl Frame {
    pub(crate) fn of(position: &Position) -> Frame {
        let is_turned = position.turn() != position.variant().rules().first_player;
        Frame {
            position: match is_turned {
                true => position.turned(),
                false => *position,
            },
            is_turned,
        }
    }

    /// The turned position.
    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    /// Equal for positions that are one entry of a book.
    pub(crate) fn key(&self) -> u64 {
        self.position.hash()
    }

    /// True if this is the same position, whatever its counters.
    pub(crate) fn is_of(&self, position: &Position) -> bool {
        let parts = |position: &Position| {
            let setup = position.setup();
            (setup.men, setup.kings, setup.turn, position.variant())
        };
        parts(&self.position) == parts(position)
    }

    /// A move of the position as one of the turned position, or the reverse.
    pub(crate) fn turn(&self, mv: Move) -> Move {
        match self.is_turned {
            true => Move {
                from: mv.from.turned(),
                to: mv.to.turned(),
                captured: mv.captured.turned(),
            },
            false => mv,
        }
    }
}
