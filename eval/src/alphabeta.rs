//! The classical baseline: alpha-beta to a fixed depth, material, quiescence over captures.
//!
//! * Score: a man is 1, a short king 1½, a flying king 3 ([`material`]). Nothing positional, so the
//!   level depends on the depth alone and stays comparable forever. The players `learned:depth=N`
//!   use the score of a small network that never changes either.
//! * Depth counts plies; beyond it the search continues while the side to move can capture. If
//!   capturing is optional, the side may take the material value instead.
//! * Every draw rule holds inside the tree, including repetition, counted over the game and the
//!   line. Therefore scores are not stored across lines, only which move to try first.
//! * Faster wins score higher. Among equally good moves the seed decides.

mod analysis;
mod judge;
mod material;
mod negamax;
mod order;

use engine::{Choice, Findings, PlayerError, Task, Turn};
use rules::{Game, Variant};
use types::Wdl;

use judge::Judge;
use negamax::Searcher;

pub use analysis::{FixedDepthAnalysis, WIN, is_decided};
pub use material::{MAN, material};

/// The search of the players `alphabeta:depth=N` and `learned:depth=N`.
pub struct AlphaBeta {
    depth: u32,
    is_learned: bool,
    searcher: Searcher,
}

impl AlphaBeta {
    /// A search of `depth` plies, at least one.
    pub fn new(depth: u32) -> Self {
        Self {
            depth: depth.max(1),
            is_learned: false,
            searcher: Searcher::new(),
        }
    }

    /// A search of `depth` plies with the frozen evaluation of its game.
    pub(crate) fn learned(depth: u32) -> Self {
        Self {
            is_learned: true,
            ..Self::new(depth)
        }
    }

    /// True if a game has a frozen evaluation.
    pub fn has_learned(variant: Variant) -> bool {
        Judge::learned(variant).is_some()
    }

    /// Searches a position; `None` when the side to move has no moves.
    pub fn analyse(&mut self, game: &Game) -> Option<FixedDepthAnalysis> {
        let report = &mut |_: u32, _: &FixedDepthAnalysis| {};
        self.searcher.analyse(game, self.depth, None, report)
    }

    /// Sets the evaluation of the game.
    fn judge(&mut self, variant: Variant) -> Result<(), PlayerError> {
        if !self.is_learned {
            return Ok(());
        }
        let broken = || PlayerError::Broken {
            name: format!("learned:depth={}", self.depth),
            reason: format!("there is no frozen evaluation of {variant}").into(),
        };
        self.searcher.judge = Judge::learned(variant).ok_or_else(broken)?;
        Ok(())
    }

    /// The choice of one turn.
    pub(crate) fn answer(&mut self, turn: &Turn<'_>) -> Result<Choice, PlayerError> {
        let position = turn.game.position();
        self.judge(position.variant())?;
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
        let mv = analysis.pick(turn.seed);
        let value = is_decided(analysis.score).then_some(if analysis.score.is_positive() {
            Wdl::WIN
        } else {
            Wdl::LOSS
        });
        Ok(Choice {
            mv,
            value,
            nodes: analysis.nodes,
        })
    }

    /// A node is a visited position. No search exceeds the player's depth; a stopped search returns
    /// the result of the last complete depth.
    pub(crate) fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let deepest = task.stopper.limits.depth.unwrap_or(u32::MAX).max(1);
        let (depth, seed) = (self.depth.min(deepest), task.seed);
        self.judge(task.game.position().variant())?;
        let man = self.searcher.judge.man();
        let mut reached = 0;
        let mut after_depth = |depth, analysis: &FixedDepthAnalysis| {
            reached = depth;
            report(&analysis.findings(depth, seed, man));
        };
        let stopper = Some(task.stopper.clone());
        let searcher = &mut self.searcher;
        let analysis = searcher.analyse(task.game, depth, stopper, &mut after_depth);
        let no_moves = || PlayerError::NoMoves {
            fen: task.game.position().to_fen(),
        };
        Ok(analysis.ok_or_else(no_moves)?.findings(reached, seed, man))
    }
}
