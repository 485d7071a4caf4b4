//! Replaying a record's game, checked by the rules.

use rules::{Game, Move, MoveList, Outcome, Position};

use super::{RecordError, RecordedSearch};

/// A game being replayed.
pub(crate) struct Replay {
    game: Game,
    moves: MoveList,
}

impl Replay {
    pub(crate) fn new(start: Position) -> Replay {
        let mut replay = Replay {
            game: Game::new(start),
            moves: MoveList::new(),
        };
        replay.generate();
        replay
    }

    /// The game so far.
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// The legal moves in canonical order.
    pub(crate) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The result, if the game is over.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let has_moves = !self.moves.is_empty();
        self.game.outcome_with(has_moves)
    }

    /// Plays one of the legal moves.
    pub(crate) fn play(&mut self, mv: Move) {
        self.game.play(mv);
        self.generate();
    }

    /// Rejects a ply after the end of the game.
    pub(super) fn check_goes_on(&self) -> Result<(), RecordError> {
        match self.outcome() {
            None => Ok(()),
            Some(outcome) => {
                let (ply, reason) = (self.ply(), outcome.reason());
                let fault = format!("ply {ply}: the game is already over ({reason})");
                Err(RecordError::new(fault))
            }
        }
    }

    /// Rejects a search that does not fit the legal moves.
    pub(super) fn check_search(&self, search: &RecordedSearch) -> Result<(), RecordError> {
        let (ply, n_legal) = (self.ply(), self.moves.len());
        let fault = match search {
            RecordedSearch::Forced { .. } if n_legal != 1 => {
                "the move is marked as forced".to_owned()
            }
            RecordedSearch::Full { policy, .. } if policy.n_moves() != n_legal => {
                format!("the policy has {} moves", policy.n_moves())
            }
            _ => return Ok(()),
        };
        Err(RecordError::new(format!(
            "ply {ply}: {fault}, but there are {n_legal} legal moves"
        )))
    }

    /// The number of the next ply.
    pub(super) fn ply(&self) -> usize {
        self.game.plies() as usize
    }

    fn generate(&mut self) {
        self.game.position().generate(&mut self.moves);
        self.moves.sort_canonical();
    }
}
