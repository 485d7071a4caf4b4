//! Simulations per second with an evaluator that costs next to nothing: what search and rules take.

#[path = "../tests/behavior/support.rs"]
mod support;

use divan::Bencher;
use divan::counter::ItemsCount;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant};
use search::{Batch, Search, SearchConfig, search_all};

const N_GAMES: u64 = 64;

fn main() {
    divan::main();
}

#[divan::bench(args = Variant::GAMES, consts = [16, 64, 400])]
fn gumbel<const SIMULATIONS: u32>(bencher: Bencher, variant: Variant) {
    run(bencher, variant, SearchConfig::PAPER, SIMULATIONS);
}

#[divan::bench(args = Variant::GAMES)]
fn puct(bencher: Bencher, variant: Variant) {
    run(bencher, variant, SearchConfig::KATAGO, 64);
}

/// Searches many games at once, as self-play does, from openings to endings.
fn run(bencher: Bencher, variant: Variant, config: SearchConfig, simulations: u32) {
    let games: Vec<Game> = (0..N_GAMES)
        .map(|seed| support::random_game(variant, seed as u32, seed))
        .collect();
    let mut searches: Vec<Search> = games
        .iter()
        .map(|_| Search::new(config, Search::memory_for(simulations)))
        .collect();
    let mut batch = Batch::new();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut play = || {
        for (search, game) in searches.iter_mut().zip(&games) {
            search.begin(game, simulations, &mut rng);
        }
        search_all(&mut searches, &mut support::Hashed, &mut batch).expect("finite numbers");
        searches
            .iter()
            .map(|search| search.result().simulations)
            .sum::<u64>()
    };
    let total = play();
    bencher.counter(ItemsCount::new(total)).bench_local(play);
}
