//! One game of a match: while it is played, and as a record.

use rules::{Color, Game, Move, Outcome};
use search::Wdl;

use crate::openings::Opening;

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchGame {
    /// Number of the pair in the match.
    pub pair: usize,
    /// False: side 0 made the first move. True: side 1 did.
    pub swapped: bool,
    /// Start position and forced first moves.
    pub opening: Opening,
    /// What the players played after the opening.
    pub moves: Vec<Move>,
    /// [move of `moves`] what its player expected, from its own view.
    pub values: Vec<Option<Wdl>>,
    /// The result.
    pub outcome: Outcome,
    /// Whether the same game occurred earlier in the match, with the same side moving first.
    pub duplicate: bool,
}

impl MatchGame {
    /// The opening's moves, then the players'.
    pub fn all_moves(&self) -> impl Iterator<Item = Move> {
        self.opening.moves.iter().chain(&self.moves).copied()
    }

    /// The colour of side 0 or 1.
    pub fn color(&self, side: usize) -> Color {
        let first = self.opening.start.turn();
        if (side == 1) == self.swapped {
            first
        } else {
            !first
        }
    }

    /// Points of side 0, in halves.
    pub fn half_points(&self) -> u32 {
        self.outcome.half_points(self.color(0))
    }
}

/// A game in progress.
pub(super) struct LiveGame {
    pub(super) game: Game,
    pub(super) outcome: Option<Outcome>,
    pub(super) swapped: bool,
    first: Color,
    moves: Vec<Move>,
    values: Vec<Option<Wdl>>,
}

impl LiveGame {
    pub(super) fn new(opening: &Opening, swapped: bool) -> Self {
        let game = opening.game();
        Self {
            outcome: game.outcome(),
            game,
            swapped,
            first: opening.start.turn(),
            moves: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The side to move, 0 or 1; `None` when the game is over.
    pub(super) fn side_to_move(&self) -> Option<usize> {
        let first_moves = self.game.position().turn() == self.first;
        self.outcome
            .is_none()
            .then_some(usize::from(first_moves == self.swapped))
    }

    /// Plays a legal move.
    pub(super) fn play(&mut self, mv: Move, value: Option<Wdl>) {
        self.game.play(mv);
        self.moves.push(mv);
        self.values.push(value);
        self.outcome = self.game.outcome();
    }

    /// The record, once there is an outcome.
    pub(super) fn into_record(self, pair: usize, opening: &Opening) -> Option<MatchGame> {
        Some(MatchGame {
            pair,
            swapped: self.swapped,
            opening: opening.clone(),
            moves: self.moves,
            values: self.values,
            outcome: self.outcome?,
            duplicate: false,
        })
    }
}
