//! A game: a position with the history needed for repetition.

use crate::{DrawReason, Move, MoveList, Outcome, Position};

/// A position, the moves that led to it, and the hashes of the positions that can still be
/// repeated.
#[derive(Clone)]
pub struct Game {
    start: Position,
    moves: Vec<Move>,
    position: Position,
    /// Hashes of the positions since the last capture or man move, oldest first, without the
    /// current one.
    earlier: Vec<u64>,
    /// The number of plies after which a lone king was on the main road against three pieces.
    on_main_road: u32,
}

impl Game {
    /// The initial capacity for moves: growing with the game takes a tenth of a random game's time.
    const ROOM: usize = 128;
    /// The initial capacity for repeatable positions.
    const ROOM_EARLIER: usize = 32;

    /// A game that starts here, without known history.
    pub fn new(start: Position) -> Game {
        Game {
            start,
            moves: Vec::with_capacity(Game::ROOM),
            position: start,
            earlier: Vec::with_capacity(Game::ROOM_EARLIER),
            on_main_road: 0,
        }
    }

    /// The position before the first move.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Plays a legal move.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.play_borrowed(&mv);
    }

    /// Borrows the move for the reason given at [`Position::play_by`].
    fn play_borrowed(&mut self, mv: &Move) {
        if mv.is_capture() || !self.position.all_kings().contains(mv.from) {
            self.earlier.clear();
        } else {
            self.earlier.push(self.position.hash());
        }
        self.position.play_here(mv);
        self.moves.push(*mv);
        self.on_main_road += u32::from(self.main_road().is_some());
    }

    /// Hashes of the positions that can still recur, oldest first, without the current one.
    pub fn earlier_hashes(&self) -> &[u64] {
        &self.earlier
    }

    /// The number of earlier occurrences of the current position.
    #[inline]
    pub fn repetitions(&self) -> u32 {
        // A repetition takes at least four plies, with the same side to move.
        if self.earlier.len() < 4 {
            return 0;
        }
        let current = self.position.hash();
        let same_side = self.earlier.iter().rev().skip(3).step_by(2);
        same_side.filter(|&&hash| hash == current).count() as u32
    }

    /// The number of moves since the start of this game.
    pub fn plies(&self) -> u32 {
        self.moves.len() as u32
    }

    /// The legal moves, even if a draw rule has ended the game.
    pub fn legal_moves(&self) -> MoveList {
        self.position.legal_moves()
    }

    /// The result, if the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_with(self.position.has_moves())
    }

    /// Like [`Game::outcome`], for callers that know whether there are legal moves.
    #[inline]
    pub fn outcome_with(&self, has_moves: bool) -> Option<Outcome> {
        let is_known = |limit: &u32| self.on_main_road >= *limit;
        let drawn = || Outcome::Draw(DrawReason::FewPieces);
        self.position
            .outcome_with(has_moves, self.repetitions())
            .or_else(|| self.main_road().filter(is_known).map(|_| drawn()))
    }

    /// The limit of the rule about the main road, if it applies to the current position.
    #[inline]
    fn main_road(&self) -> Option<u32> {
        let limit = self.position.variant().rules().draws.main_road?;
        let is_small = self.position.occupied().count() == 4;
        (is_small && self.position.is_main_road_ending()).then_some(limit)
    }
}
