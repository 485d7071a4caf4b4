//! Openings: how games continued from their positions.

use std::collections::BTreeMap;

use rules::pdn::{PdnResult, read_games};
use rules::{Color, Game, Move, Position, Variant};
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::game::{board_text, variant};
use crate::pdn::result_of;

/// Plies of a game that are counted.
const MAX_PLIES: usize = 60;

/// A move of a position, with the games in which it was played, by their results.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OpeningMove {
    /// The move.
    pub notation: String,
    /// Games that White won.
    pub white: u32,
    /// Drawn games.
    pub draw: u32,
    /// Games that Black won.
    pub black: u32,
    /// Games without a result.
    pub open: u32,
    /// White's expected score by searches, from 0 to 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f32>,
}

/// Games of one variant to count: as PDN, or by their moves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesText {
    variant: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    games: Vec<PlayedText>,
}

/// A game by its moves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayedText {
    #[serde(default)]
    fen: Option<String>,
    moves: Vec<String>,
    /// `white`, `black` or `draw`; anything else is a game without a result.
    #[serde(default)]
    result: Option<String>,
}

/// The counted games.
#[derive(Debug, Default, Serialize)]
pub struct Openings {
    /// Number of games with a move.
    games: u32,
    /// By position: the side to move, `w` or `b`, then the pieces by square number.
    positions: BTreeMap<String, Vec<OpeningMove>>,
}

/// Counts the moves of games. Games of other variants are left out, and so is the rest of a game
/// after a fault.
///
/// # Errors
/// If there is no such variant.
pub fn count_openings(games: &GamesText) -> Result<Openings, Refusal> {
    let variant = variant(&games.variant)?;
    let mut openings = Openings::default();
    for read in read_games(&games.text, Some(variant)) {
        let result = read.game.result();
        let played = read.played.filter(|_| read.variant == Some(variant));
        if let Some(played) = played {
            openings.add(played.start, &played.moves, result);
        }
    }
    for game in &games.games {
        let result = game.result.as_deref().and_then(result_of);
        let result = result.unwrap_or(PdnResult::Open);
        if let Some((start, moves)) = game.play(variant) {
            openings.add(start, &moves, result);
        }
    }
    Ok(openings)
}

impl PlayedText {
    /// The start and the moves up to the first fault.
    fn play(&self, variant: Variant) -> Option<(Position, Vec<Move>)> {
        let start = match &self.fen {
            None => Position::start(variant),
            Some(fen) => Position::from_fen(variant, fen).ok()?,
        };
        let mut game = Game::new(start);
        for text in self.moves.iter().take(MAX_PLIES) {
            let Ok(mv) = game.position().parse_move(text) else {
                break;
            };
            game.play(mv);
        }
        Some((start, game.moves().to_vec()))
    }
}

impl Openings {
    fn add(&mut self, start: Position, moves: &[Move], result: PdnResult) {
        self.games += u32::from(!moves.is_empty());
        let mut position = start;
        for &mv in moves.iter().take(MAX_PLIES) {
            let notation = position.move_text(mv);
            let turn = position.turn().letter().to_ascii_lowercase();
            let key = format!("{turn}{}", board_text(&position));
            let known = self.positions.entry(key).or_default();
            let at = known.iter().position(|own| own.notation == notation);
            let at = at.unwrap_or_else(|| {
                known.push(OpeningMove {
                    notation,
                    ..OpeningMove::default()
                });
                known.len() - 1
            });
            let own = &mut known[at];
            *match result {
                PdnResult::Won(Color::White) => &mut own.white,
                PdnResult::Won(Color::Black) => &mut own.black,
                PdnResult::Drawn => &mut own.draw,
                PdnResult::Open => &mut own.open,
            } += 1;
            position = position.play(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_by_position() {
        let text = "[GameType \"21\"]\n[Result \"0-1\"]\n1. 11-15 23-19 2. 9-14 0-1\n\n\
                    [GameType \"21\"]\n1. 9-14 23-19 2. 11-15 1/2-1/2\n\n\
                    [GameType \"20\"]\n1. 32-28 2-0\n\n[GameType \"21\"]\n1. 11-15 5-9 1-0\n";
        let order = serde_json::json!({"variant": Variant::ALL[0].name(), "text": text, "games": [
            {"moves": ["11-15", "23-19", "9-9"], "result": "white"},
            {"fen": "W:W32:B1", "moves": ["32-28"]},
            {"fen": "nothing", "moves": ["32-28"]},
        ]});
        let openings = count_openings(&serde_json::from_value(order).unwrap()).unwrap();
        assert_eq!(openings.games, 5);
        let of = |key: &str| {
            let moves = openings.positions.get(key).into_iter().flatten();
            let mut counts: Vec<_> = moves
                .map(|own| {
                    (
                        own.notation.as_str(),
                        [own.white, own.draw, own.black, own.open],
                    )
                })
                .collect();
            counts.sort_unstable();
            counts
        };
        let start = format!("b{}{}{}", "b".repeat(12), ".".repeat(8), "w".repeat(12));
        assert_eq!(
            of(&start),
            [("11-15", [2, 0, 1, 0]), ("9-14", [0, 1, 0, 0])]
        );
        let ending = format!("wb{}w", ".".repeat(30));
        assert_eq!(of(&ending), [("32-28", [0, 0, 0, 1])]);
        // Two ways to one position; its moves are counted together.
        let reached = openings
            .positions
            .iter()
            .filter(|(key, _)| key.starts_with('w'));
        assert_eq!(reached.count(), 3);
    }
}
