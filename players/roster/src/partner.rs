//! Games with other programs: the supported variants, and results.

use std::fmt;

use engine::dxp::{PlayedGame, carries};
use rules::Variant;
use serde::Serialize;

use crate::{LoadedPlayer, RequestError};

/// A game with another program, from the player's point of view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartnerGame {
    opponent: String,
    color: &'static str,
    plies: usize,
    /// The player's points; `None` if the game was ended early.
    points: Option<f64>,
    ended: String,
}

impl From<&PlayedGame> for PartnerGame {
    fn from(played: &PlayedGame) -> PartnerGame {
        let outcome = played.game.outcome();
        let points = outcome.map(|outcome| f64::from(outcome.half_points(played.color)) / 2.0);
        PartnerGame {
            opponent: played.opponent.clone(),
            color: played.color.name(),
            plies: played.game.moves().len(),
            points,
            ended: match (points, played.is_ended_here) {
                (Some(_), _) => "on the board".to_owned(),
                (None, true) => "after the agreed number of moves".to_owned(),
                (None, false) => format!("by the other program: {}", played.reason),
            },
        }
    }
}

impl fmt::Display for PartnerGame {
    /// Formats the game as a line.
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
    /// The player's games, the requested one first.
    ///
    /// # Errors
    /// If it does not play the requested one.
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

    /// The game for DXP: the requested one, or the only one that the protocol supports.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn dxp_game(&self, asked: Option<Variant>) -> Result<Variant, RequestError> {
        let mut carried = self.games_from(asked)?;
        if let Some(asked) = asked {
            return match carries(asked) {
                true => Ok(asked),
                false => Err(RequestError(format!(
                    "DXP supports boards of 50 squares on which White moves first, but not {asked}"
                ))),
            };
        }
        carried.retain(|game| carries(*game));
        let name = &self.name;
        match &carried[..] {
            &[only] => Ok(only),
            [] => Err(RequestError(format!(
                "{name} plays no game that DXP supports: it needs boards of 50 squares"
            ))),
            several => {
                let names: Vec<&str> = several.iter().map(|game| game.name()).collect();
                Err(RequestError(format!(
                    "{name} plays several games that DXP supports: choose one with --variant {}",
                    names.join(" or ")
                )))
            }
        }
    }
}
