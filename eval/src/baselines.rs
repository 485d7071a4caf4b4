//! Players that never change: what ratings are measured against.

use std::fmt;
use std::str::FromStr;

use engine::{Analyzer, Choice, Player, PlayerError, SearchInfo, Task, Turn};
use rand::RngExt;
use rules::{Game, Move};
use search::Seed;

use crate::alphabeta::AlphaBeta;
use crate::error::EvalError;

/// The maximum depth, which would take hours a move.
const MAX_DEPTH: u32 = 30;

/// A baseline by its name on the command line: `random` or `alphabeta:depth=N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// A uniformly random legal move. Its rating is 0.
    Random,
    /// [`AlphaBeta`] to this depth.
    AlphaBeta {
        /// Plies.
        depth: u32,
    },
}

impl Baseline {
    /// `random`, then every alpha-beta level up to `max_depth`: weakest first.
    pub fn levels(max_depth: u32) -> Vec<Baseline> {
        let deeper = (1..=max_depth).map(|depth| Self::AlphaBeta { depth });
        std::iter::once(Self::Random).chain(deeper).collect()
    }

    /// A new player of this kind.
    pub fn player(self) -> Box<dyn Player> {
        match self {
            Self::Random => Box::new(Random),
            Self::AlphaBeta { depth } => Box::new(AlphaBeta::new(depth)),
        }
    }

    /// The same as somebody who can be stopped.
    pub fn analyzer(self) -> Box<dyn Analyzer> {
        match self {
            Self::Random => Box::new(Random),
            Self::AlphaBeta { depth } => Box::new(AlphaBeta::new(depth)),
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => write!(f, "random"),
            Self::AlphaBeta { depth } => write!(f, "alphabeta:depth={depth}"),
        }
    }
}

impl FromStr for Baseline {
    type Err = EvalError;

    fn from_str(text: &str) -> Result<Self, EvalError> {
        if text == "random" {
            return Ok(Self::Random);
        }
        let depth = text
            .strip_prefix("alphabeta:depth=")
            .and_then(|depth| depth.parse().ok());
        match depth {
            Some(depth @ 1..=MAX_DEPTH) => Ok(Self::AlphaBeta { depth }),
            _ => Err(EvalError::UnknownBaseline {
                text: text.to_owned(),
            }),
        }
    }
}

/// The player `random`.
struct Random;

impl Player for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        for turn in turns {
            choices.push(Choice {
                mv: random_move(turn.game, turn.seed)?,
                value: None,
                nodes: 0,
            });
        }
        Ok(())
    }
}

impl Analyzer for Random {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        _: &mut dyn FnMut(&SearchInfo),
    ) -> Result<SearchInfo, PlayerError> {
        random_move(task.game, task.seed).map(SearchInfo::bare)
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
        for baseline in Baseline::levels(6) {
            assert_eq!(baseline.to_string().parse::<Baseline>().unwrap(), baseline);
            assert_eq!(baseline.player().name(), baseline.to_string());
        }
        for bad in [
            "",
            "Random",
            "alphabeta",
            "alphabeta:depth=0",
            "alphabeta:depth=x",
        ] {
            let message = bad.parse::<Baseline>().unwrap_err().to_string();
            assert!(message.contains("alphabeta:depth=4"), "{message}");
        }
    }
}
