//! The stored form of a gate's games: enough to read them, and to resume the gate.

use serde::{Deserialize, Serialize};

use crate::matches::MatchGame;
use crate::openings::{Opening, read_moves};

/// The two games of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatePair {
    /// The pair's number, from 0.
    pub pair: usize,
    /// The start position in FEN.
    pub start: String,
    /// The opening's moves.
    pub opening: String,
    /// The candidate moves first in the first game, the champion in the second.
    pub games: [GateGame; 2],
}

/// One game of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateGame {
    /// The players' moves after the opening.
    pub moves: String,
    /// Points of the candidate, in halves.
    pub half_points: u32,
    /// The reason for the game's end.
    pub reason: String,
}

impl GatePair {
    /// The stored form of two games.
    pub fn new(games: &[MatchGame; 2]) -> Self {
        let opening = &games[0].opening;
        let begun = opening.game();
        Self {
            pair: games[0].pair,
            start: opening.start.to_fen(),
            opening: opening.moves_text(),
            games: games.each_ref().map(|game| GateGame {
                moves: begun.position().move_texts(&game.moves).join(" "),
                half_points: game.half_points(),
                reason: game.outcome.reason().to_owned(),
            }),
        }
    }

    /// Restores the games, without the players' evaluations; `None` if they are not two finished
    /// games from `opening` with these results.
    pub fn restore(&self, opening: &Opening) -> Option<[MatchGame; 2]> {
        let [first, second] = [false, true].map(|swapped| {
            let moves = read_moves(opening.game(), &self.games[usize::from(swapped)].moves)?;
            Some(MatchGame {
                pair: self.pair,
                swapped,
                opening: opening.clone(),
                values: vec![None; moves.0.len()],
                moves: moves.0,
                outcome: moves.1.outcome()?,
                fault: None,
                resignation: None,
                duplicate: false,
            })
        });
        let games = [first?, second?];
        (Self::new(&games) == *self).then_some(games)
    }
}
