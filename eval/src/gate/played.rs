//! The games of a gate as they are stored: enough to read them, and to resume the gate.

use rules::{Game, Move};
use serde::{Deserialize, Serialize};

use crate::matches::MatchGame;
use crate::openings::Opening;

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
    /// How the game ended.
    pub reason: String,
}

impl GatePair {
    /// The stored form of two games.
    pub(crate) fn new(games: &[MatchGame; 2]) -> Self {
        let opening = &games[0].opening;
        let mut start = Game::new(opening.start);
        Self {
            pair: games[0].pair,
            start: opening.start.to_fen(),
            opening: play_out(&mut start, &opening.moves),
            games: [0, 1].map(|number: usize| GateGame {
                moves: play_out(&mut start.clone(), &games[number].moves),
                half_points: games[number].half_points(),
                reason: games[number].outcome.reason().to_owned(),
            }),
        }
    }

    /// Restores the games, without the players' evaluations; `None` if they are not two finished games
    /// from `opening` with these results.
    pub(crate) fn restore(&self, opening: &Opening) -> Option<[MatchGame; 2]> {
        let [first, second] = [false, true].map(|swapped| {
            let moves = replay(opening, &self.games[usize::from(swapped)].moves)?;
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

/// Plays moves and writes them, separated by spaces.
fn play_out(game: &mut Game, moves: &[Move]) -> String {
    let words: Vec<String> = moves
        .iter()
        .map(|&mv| {
            let word = game.position().move_text(mv);
            game.play(mv);
            word
        })
        .collect();
    words.join(" ")
}

/// Plays written moves.
fn replay(opening: &Opening, text: &str) -> Option<(Vec<Move>, Game)> {
    let mut game = opening.game();
    let words = text.split(' ').filter(|word| !word.is_empty());
    let moves = words
        .map(|word| {
            let mv = game.position().parse_move(word).ok()?;
            game.play(mv);
            Some(mv)
        })
        .collect::<Option<_>>()?;
    Some((moves, game))
}
