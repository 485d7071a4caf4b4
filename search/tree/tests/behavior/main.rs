//! Tests of the search from outside: its guarantees, and comparisons with other programs.

mod contract;
mod draws;
mod mctx;
mod proofs;
mod ranking;
mod sampling;
mod support;
mod together;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use search::{Batch, Evaluator, Search, SearchConfig, SearchResult, search_all};

/// Gumbel search that plays the best move it finds.
const PLAY: SearchConfig = SearchConfig {
    gumbel_scale: 0.0,
    ..SearchConfig::PAPER
};
/// Gumbel search for self-play.
const EXPLORE: SearchConfig = SearchConfig::PAPER;
const PUCT: SearchConfig = SearchConfig::KATAGO;
/// PUCT for self-play.
const NOISY_PUCT: SearchConfig = SearchConfig {
    puct_noise_weight: 0.25,
    ..PUCT
};

fn game_from(variant: Variant, fen: &str) -> Game {
    Game::new(Position::from_fen(variant, fen).expect("a legal FEN"))
}

/// A game in which Black must capture.
fn forced_game() -> Game {
    let mut game = Game::new(Position::start(Variant::English));
    for text in ["11-15", "22-18"] {
        let mv = game.position().parse_move(text).expect("legal");
        game.play(mv);
    }
    game
}

/// Searches a single game.
fn search(
    config: SearchConfig,
    game: &Game,
    simulations: u32,
    evaluator: &mut dyn Evaluator,
) -> SearchResult {
    let mut searches = [Search::new(config, Search::memory_for(simulations))];
    searches[0].begin(game, simulations, &mut ChaCha8Rng::seed_from_u64(1));
    search_all(&mut searches, evaluator, &mut Batch::new()).expect("finite numbers");
    searches[0].result()
}
