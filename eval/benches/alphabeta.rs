//! Time of one alpha-beta move, over the positions of one game that the level plays with itself.

use divan::Bencher;
use engine::Turn;
use eval::Baseline;
use rules::{Game, Position, Variant};
use types::Seed;

fn main() {
    divan::main();
}

#[divan::bench(args = Variant::GAMES, consts = [1, 2, 4, 6], max_time = 2)]
fn one_move<const DEPTH: u32>(bencher: Bencher<'_, '_>, variant: Variant) {
    let mut player = Baseline::AlphaBeta { depth: DEPTH }.player();
    let game = std::cell::RefCell::new(Game::new(Position::start(variant)));
    let mut choices = Vec::new();
    bencher.bench_local(|| {
        let mut game = game.borrow_mut();
        let turn = Turn {
            game: &game,
            seed: Seed::new(game.plies().into()),
            time: None,
        };
        player
            .choose(&[turn], &mut choices)
            .expect("a game that goes on");
        game.play(choices[0].mv);
        if game.outcome().is_some() {
            *game = Game::new(Position::start(variant));
        }
    });
}
