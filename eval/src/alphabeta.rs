//! The classical baseline: alpha-beta to a fixed depth, material, quiescence over captures.
//!
//! * Score: a man is 1, a short king 1½, a flying king 3 ([`material`]). Nothing positional, so the
//!   level depends on the depth alone and stays comparable for ever.
//! * Depth counts plies; behind it the search goes on while the side to move can capture. Where
//!   capturing is optional, it may stand pat on the material instead.
//! * Every draw rule holds inside the tree, repetition included, counted over the game and the line.
//!   Therefore no score is remembered across lines, only which move to try first.
//! * A win counts more the sooner it comes. Among equally good moves the seed decides.

mod material;
mod negamax;
mod order;
mod path;

use engine::{Choice, Player, PlayerError, Turn};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move};
use search::Wdl;

use negamax::Searcher;

pub use material::{MAN, material};
pub use negamax::{WIN, is_decided};

/// What the search found out about a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Value for the side to move in units of [`MAN`] = 2; beyond [`is_decided`] a forced win or loss.
    pub score: i32,
    /// All moves with that value, in the order of `legal_moves`.
    pub best: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}

/// The player `alphabeta:depth=N`.
pub struct AlphaBeta {
    name: String,
    depth: u32,
    searcher: Searcher,
}

impl AlphaBeta {
    /// A player that looks `depth` plies ahead, at least one.
    pub fn new(depth: u32) -> Self {
        let depth = depth.max(1);
        Self {
            name: format!("alphabeta:depth={depth}"),
            depth,
            searcher: Searcher::new(),
        }
    }

    /// Searches a position; `None` when the game is over for want of moves.
    pub fn analyse(&mut self, game: &Game) -> Option<Analysis> {
        self.searcher.analyse(game, self.depth)
    }

    fn answer(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let position = turn.game.position();
        if let [mv] = position.legal_moves()[..] {
            return Ok(Choice {
                mv,
                value: None,
                nodes: 0,
            });
        }
        let no_moves = || PlayerError::NoMoves {
            fen: position.to_fen(),
        };
        let analysis = self.analyse(turn.game).ok_or_else(no_moves)?;
        let pick = ChaCha8Rng::seed_from_u64(turn.seed).random_range(0..analysis.best.len());
        let value = is_decided(analysis.score).then_some(if analysis.score > 0 {
            Wdl::WIN
        } else {
            Wdl::LOSS
        });
        Ok(Choice {
            mv: analysis.best[pick],
            value,
            nodes: analysis.nodes,
        })
    }
}

impl Player for AlphaBeta {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        for turn in turns {
            choices.push(self.answer(turn)?);
        }
        Ok(())
    }
}
