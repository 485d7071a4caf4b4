//! Helpers shared by several tests.

use std::ops::ControlFlow;

use alphabeta::{
    AlphaBetaSearch, Analysis, Limits, MaterialBalance, Observer, Parameters, Resources,
};
use rand::{Rng, RngExt};
use rules::{Game, Position, Variant};

/// No pruning, no reductions, no scores from the table: the minimax value of the full tree.
pub(crate) const PLAIN: Parameters = Parameters {
    table_cutoffs: false,
    aspiration: 0,
    reduction_base: 0,
    reduction_divisor: 0,
    static_margin: 0,
    static_depth: 0,
    futility_margin: 0,
    futility_depth: 0,
    probcut_margin: 0,
    probcut_reduction: 0,
    unknown_move_depth: 0,
    singular_depth: 0,
    singular_margin: 0,
    forced_extensions: 0,
    threat_plies: 0,
};

/// A small single-threaded search with material evaluation.
pub(crate) fn search(parameters: Parameters) -> AlphaBetaSearch<MaterialBalance> {
    let resources = Resources {
        table_bytes: 1 << 20,
        threads: 1,
    };
    AlphaBetaSearch::new(MaterialBalance, &resources).with_parameters(parameters)
}

/// Searches within the limits.
pub(crate) fn analyse(
    search: &mut AlphaBetaSearch<MaterialBalance>,
    game: &Game,
    limits: &Limits,
) -> Analysis {
    let mut observer = Observer {
        is_over: &|_| false,
        report: &mut |_| ControlFlow::Continue(()),
    };
    search
        .analyse(game, limits, &mut observer)
        .expect("a legal move")
}

/// An unfinished random game of at most `most` plies.
pub(crate) fn random_game(variant: Variant, most: u32, rng: &mut impl Rng) -> Game {
    let mut game = Game::new(Position::start(variant));
    for _ in 0..rng.random_range(0..most) {
        let moves = game.legal_moves();
        let mut next = game.clone();
        next.play(moves[rng.random_range(0..moves.len())]);
        if next.outcome().is_some() {
            break;
        }
        game = next;
    }
    game
}
