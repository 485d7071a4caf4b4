//! Baselines: players that never change, the references of ratings.

use std::fmt;
use std::str::FromStr;

use engine::{Analyzer, Choice, Findings, Player, PlayerError, Task, Turn, choose_in_turn};
use rand::RngExt;
use rules::{Game, Move, Variant};
use types::Seed;

use crate::alphabeta::AlphaBeta;
use crate::error::EvalError;

/// The maximum depth, which would take hours per move.
const MAX_DEPTH: u32 = 30;

/// Percentage of random moves of the baselines between `random` and `alphabeta:depth=1`, the
/// weakest first. Each baseline scores against the one before it and sometimes loses to the one
/// after it.
const RANDOM_MOVES: [u32; 4] = [65, 40, 22, 9];

/// A baseline by its name on the command line: `random`, `diluted:random=N`, `alphabeta:depth=N` or
/// `learned:depth=N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// A uniformly random legal move. Its rating is 0.
    Random,
    /// [`AlphaBeta`] to depth 1, but some of its moves are random.
    Diluted {
        /// Percentage of random moves.
        random: u32,
    },
    /// [`AlphaBeta`] to this depth.
    AlphaBeta {
        /// Depth in plies.
        depth: u32,
    },
    /// [`AlphaBeta`] to this depth with the frozen evaluation of its game.
    Learned {
        /// Depth in plies.
        depth: u32,
    },
}

impl Baseline {
    /// `random`, the diluted ones, then every alpha-beta level up to `max_depth`, then those with a
    /// learned evaluation up to `learned_depth`: each stronger than the ones before it of its kind.
    pub fn levels(max_depth: u32, learned_depth: u32) -> Vec<Baseline> {
        let diluted = RANDOM_MOVES.map(|random| Self::Diluted { random });
        let deeper = (1..=max_depth).map(|depth| Self::AlphaBeta { depth });
        let learned = (1..=learned_depth).map(|depth| Self::Learned { depth });
        let first = std::iter::once(Self::Random);
        first.chain(diluted).chain(deeper).chain(learned).collect()
    }

    /// The games it plays.
    pub fn games(self) -> Vec<Variant> {
        let mut games = Variant::ALL.to_vec();
        if let Self::Learned { .. } = self {
            games.retain(|variant| AlphaBeta::has_learned(*variant));
        }
        games
    }

    /// A new player of this kind.
    pub fn player(self) -> Box<dyn Player> {
        Box::new(BaselinePlayer::new(self))
    }

    /// The same player as an analyzer that can be stopped.
    pub fn analyzer(self) -> Box<dyn Analyzer> {
        Box::new(BaselinePlayer::new(self))
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => write!(f, "random"),
            Self::Diluted { random } => write!(f, "diluted:random={random}"),
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
        let number_after = |kind, most| {
            let number = text.strip_prefix(kind)?.parse().ok();
            number.filter(|number| (1..=most).contains(number))
        };
        let depth_after = |kind| number_after(kind, MAX_DEPTH);
        let material = depth_after("alphabeta:depth=").map(|depth| Self::AlphaBeta { depth });
        let learned = || depth_after("learned:depth=").map(|depth| Self::Learned { depth });
        let diluted = || number_after("diluted:random=", 99).map(|random| Self::Diluted { random });
        let unknown = || EvalError::UnknownBaseline {
            text: text.to_owned(),
        };
        let known = material.or_else(learned).or_else(diluted);
        known.ok_or_else(unknown)
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

/// A search that plays a percentage of its moves at random.
struct BaselinePlayer {
    name: String,
    /// Percentage of random moves.
    random: u32,
    alphabeta: AlphaBeta,
}

impl BaselinePlayer {
    fn new(baseline: Baseline) -> BaselinePlayer {
        let (random, alphabeta) = match baseline {
            Baseline::Random => (100, AlphaBeta::new(1)),
            Baseline::Diluted { random } => (random, AlphaBeta::new(1)),
            Baseline::AlphaBeta { depth } => (0, AlphaBeta::new(depth)),
            Baseline::Learned { depth } => (0, AlphaBeta::learned(depth)),
        };
        BaselinePlayer {
            name: baseline.to_string(),
            random,
            alphabeta,
        }
    }

    /// True if the seed decides for a random move.
    fn plays_at_random(&self, seed: Seed) -> bool {
        match self.random {
            0 => false,
            100 => true,
            random => seed.derive("diluted", &[]).rng().random_range(0..100) < random,
        }
    }
}

impl Player for BaselinePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choose_in_turn(turns, choices, |turn| {
            match self.plays_at_random(turn.seed) {
                true => Ok(Choice {
                    mv: random_move(turn.game, turn.seed)?,
                    value: None,
                    nodes: 0,
                }),
                false => self.alphabeta.answer(turn),
            }
        })
    }
}

impl Analyzer for BaselinePlayer {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        match self.plays_at_random(task.seed) {
            true => random_move(task.game, task.seed).map(Findings::bare),
            false => self.alphabeta.analyze(task, report),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_is_for_some_games() {
        let [random, learned] = ["random", "learned:depth=2"].map(|name| name.parse::<Baseline>());
        assert_eq!(random.unwrap().games(), Variant::ALL);
        let games = learned.unwrap().games();
        assert!(games.contains(&Variant::English));
        assert!(games.len() < Variant::ALL.len(), "{games:?}");
    }

    #[test]
    fn about_so_many_moves_are_random() {
        let count = |random| {
            let player = BaselinePlayer::new(Baseline::Diluted { random });
            let seeds = (0..100_000).map(Seed::new);
            seeds.filter(|seed| player.plays_at_random(*seed)).count() as i64
        };
        // Three standard deviations are at most 475.
        for random in RANDOM_MOVES {
            let error = count(random) - 1000 * i64::from(random);
            assert!(error.abs() < 475, "{random} % and {error}");
        }
    }

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
            "diluted:random=0",
            "diluted:random=100",
        ] {
            let message = bad.parse::<Baseline>().unwrap_err().to_string();
            assert!(message.contains("alphabeta:depth=4"), "{message}");
        }
    }
}
