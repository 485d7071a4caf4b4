//! Players as partners of other programs: the games that these can have with them, and how they ended.

use std::fmt;

use engine::dxp::{PlayedGame, carries};
use rules::{Color, Outcome, Variant};
use serde::Serialize;

use crate::{LoadedPlayer, RequestError};

/// A game with another program, as the player sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartnerGame {
    opponent: String,
    color: &'static str,
    plies: usize,
    /// Points of the player; nothing where the game was ended early.
    points: Option<f64>,
    ended: String,
}

impl From<&PlayedGame> for PartnerGame {
    fn from(played: &PlayedGame) -> PartnerGame {
        let points = played.game.outcome().map(|outcome| match outcome {
            Outcome::Win(winner, _) if winner == played.color => 1.0,
            Outcome::Win(..) => 0.0,
            Outcome::Draw(_) => 0.5,
        });
        PartnerGame {
            opponent: played.opponent.clone(),
            color: match played.color {
                Color::White => "white",
                Color::Black => "black",
            },
            plies: played.game.moves().len(),
            points,
            ended: match (points, played.is_ended_here) {
                (Some(_), _) => "on the board".to_owned(),
                (None, true) => "after the number of moves that was agreed on".to_owned(),
                (None, false) => format!("by the other program: {}", played.reason),
            },
        }
    }
}

impl fmt::Display for PartnerGame {
    /// A line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = match self.points {
            Some(1.0) => "won",
            Some(0.0) => "lost",
            Some(_) => "drawn",
            None => "no result",
        };
        let PartnerGame {
            opponent,
            color,
            plies,
            ended,
            ..
        } = self;
        writeln!(
            f,
            "{result} as {color} against {opponent}, {plies} plies, ended {ended}"
        )
    }
}

impl LoadedPlayer {
    /// The games of the player, the one asked for first.
    ///
    /// # Errors
    /// When it does not play that one.
    pub fn games_from(&self, asked: Option<Variant>) -> Result<Vec<Variant>, RequestError> {
        let mut games = self.games.clone();
        if let Some(asked) = asked {
            if !games.contains(&asked) {
                return Err(self.does_not_play(asked));
            }
            games.sort_by_key(|game| *game != asked);
        }
        Ok(games)
    }

    /// The game that is played by DXP: the one asked for, or the only one that the protocol can carry.
    ///
    /// # Errors
    /// When there is none, or not only one.
    pub fn dxp_game(&self, asked: Option<Variant>) -> Result<Variant, RequestError> {
        let mut carried = self.games_from(asked)?;
        if let Some(asked) = asked {
            return match carries(asked) {
                true => Ok(asked),
                false => Err(RequestError(format!(
                    "DXP knows boards of 50 squares on which White moves first, and {asked} has another"
                ))),
            };
        }
        carried.retain(|game| carries(*game));
        let name = &self.name;
        match &carried[..] {
            &[only] => Ok(only),
            [] => Err(RequestError(format!(
                "{name} plays no game that DXP can carry: they need boards of 50 squares"
            ))),
            several => {
                let names: Vec<&str> = several.iter().map(|game| game.name()).collect();
                Err(RequestError(format!(
                    "{name} plays several games that DXP can carry: say which with --variant {}",
                    names.join(" or ")
                )))
            }
        }
    }
}
