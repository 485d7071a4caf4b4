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
mod path;

use engine::{Analyzer, Choice, Findings, Player, PlayerError, Task, Turn, choose_in_turn};
use rules::{Game, Variant};
use types::Wdl;

use judge::Judge;
use negamax::Searcher;

pub use analysis::{FixedDepthAnalysis, WIN, is_decided};
pub use material::{MAN, material};

/// The players `alphabeta:depth=N` and `learned:depth=N`.
pub struct AlphaBeta {
    name: String,
    depth: u32,
    is_learned: bool,
    searcher: Searcher,
}

impl AlphaBeta {
    /// A player that searches `depth` plies, at least one.
    pub fn new(depth: u32) -> Self {
        let depth = depth.max(1);
        Self {
            name: format!("alphabeta:depth={depth}"),
            depth,
            is_learned: false,
            searcher: Searcher::new(),
        }
    }

    /// A player that searches `depth` plies and uses the frozen evaluation of its game.
    pub fn learned(depth: u32) -> Self {
        let depth = depth.max(1);
        Self {
            name: format!("learned:depth={depth}"),
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
        self.searcher.analyse(game, self.depth)
    }

    /// Sets the evaluation of the game.
    fn judge(&mut self, variant: Variant) -> Result<(), PlayerError> {
        if !self.is_learned {
            return Ok(());
        }
        let broken = || PlayerError::Broken {
            name: self.name.clone(),
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
}

impl Player for AlphaBeta {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choose_in_turn(turns, choices, |turn| self.answer(turn))
    }
}

/// A node is a visited position. No search exceeds the player's depth; a stopped search returns the
/// result of the last complete depth.
impl Analyzer for AlphaBeta {
    fn analyze(
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
        let analysis =
            self.searcher
                .analyse_until(task.game, depth, task.stopper.clone(), &mut after_depth);
        let no_moves = || PlayerError::NoMoves {
            fen: task.game.position().to_fen(),
        };
        Ok(analysis.ok_or_else(no_moves)?.findings(reached, seed, man))
    }
}
