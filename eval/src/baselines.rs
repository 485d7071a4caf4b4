//! Players that never change: what ratings are measured against.

use std::fmt;
use std::str::FromStr;

use engine::{Analyzer, Choice, Findings, Player, PlayerError, Task, Turn, choose_in_turn};
use rand::RngExt;
use rules::{Game, Move, Variant};
use search::Seed;

use crate::alphabeta::AlphaBeta;
use crate::error::EvalError;

/// The maximum depth, which would take hours a move.
const MAX_DEPTH: u32 = 30;

/// A baseline by its name on the command line: `random`, `alphabeta:depth=N` or `learned:depth=N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// A uniformly random legal move. Its rating is 0.
    Random,
    /// [`AlphaBeta`] to this depth.
    AlphaBeta {
        /// Plies.
        depth: u32,
    },
    /// [`AlphaBeta::learned`] to this depth.
    Learned {
        /// Plies.
        depth: u32,
    },
}

impl Baseline {
    /// `random`, then every alpha-beta level up to `max_depth`, then those with a learned evaluation up to
    /// `learned_depth`: each stronger than the ones before it of its kind.
    pub fn levels(max_depth: u32, learned_depth: u32) -> Vec<Baseline> {
        let deeper = (1..=max_depth).map(|depth| Self::AlphaBeta { depth });
        let learned = (1..=learned_depth).map(|depth| Self::Learned { depth });
        let first = std::iter::once(Self::Random);
        first.chain(deeper).chain(learned).collect()
    }

    /// The games that it plays.
    pub fn games(self) -> Vec<Variant> {
        let mut games = Variant::ALL.to_vec();
        if let Self::Learned { .. } = self {
            games.retain(|variant| AlphaBeta::has_learned(*variant));
        }
        games
    }

    /// A new player of this kind.
    pub fn player(self) -> Box<dyn Player> {
        match self {
            Self::Random => Box::new(Random),
            Self::AlphaBeta { depth } => Box::new(AlphaBeta::new(depth)),
            Self::Learned { depth } => Box::new(AlphaBeta::learned(depth)),
        }
    }

    /// The same as somebody who can be stopped.
    pub fn analyzer(self) -> Box<dyn Analyzer> {
        match self {
            Self::Random => Box::new(Random),
            Self::AlphaBeta { depth } => Box::new(AlphaBeta::new(depth)),
            Self::Learned { depth } => Box::new(AlphaBeta::learned(depth)),
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => write!(f, "random"),
            Self::AlphaBeta { depth } => write!(f, "alphabeta:depth={depth}"),
            Self::Learned { depth } => write!(f, "learned:depth={depth}"),
        }
    }
}

impl FromStr for Baseline {
    type Err = EvalError;

    fn from_str(text: &str) -> Result<Self, EvalError> {
        if text == "random" {
            return Ok(Self::Random);
        }
        let depth_after = |kind| {
            let depth = text.strip_prefix(kind)?.parse().ok();
            depth.filter(|depth| (1..=MAX_DEPTH).contains(depth))
        };
        let material = depth_after("alphabeta:depth=").map(|depth| Self::AlphaBeta { depth });
        let learned = || depth_after("learned:depth=").map(|depth| Self::Learned { depth });
        let unknown = || EvalError::UnknownBaseline {
            text: text.to_owned(),
        };
        material.or_else(learned).ok_or_else(unknown)
    }
}

/// The player `random`.
struct Random;

impl Player for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choose_in_turn(turns, choices, |turn| {
            Ok(Choice {
                mv: random_move(turn.game, turn.seed)?,
                value: None,
                nodes: 0,
            })
        })
    }
}

impl Analyzer for Random {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        _: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        random_move(task.game, task.seed).map(Findings::bare)
    }
}

fn random_move(game: &Game, seed: Seed) -> Result<Move, PlayerError> {
    let legal = game.legal_moves();
    if legal.is_empty() {
        return Err(PlayerError::NoMoves {
            fen: game.position().to_fen(),
        });
    }
    Ok(legal[seed.rng().random_range(0..legal.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for baseline in Baseline::levels(6, 2) {
            assert_eq!(baseline.to_string().parse::<Baseline>().unwrap(), baseline);
            assert_eq!(baseline.player().name(), baseline.to_string());
        }
        for bad in [
            "",
            "Random",
            "alphabeta",
            "alphabeta:depth=0",
            "alphabeta:depth=x",
            "learned:depth=31",
        ] {
            let message = bad.parse::<Baseline>().unwrap_err().to_string();
            assert!(message.contains("alphabeta:depth=4"), "{message}");
        }
    }
}
