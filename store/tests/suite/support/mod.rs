//! Games to store: random moves with made-up searches of a realistic shape.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use store::{GameId, Header, Ply, Policy8, Record, RecordedSearch, Surprise, Wdl8};

/// Long enough for most random games, short enough to cut some off.
pub(crate) const MAX_PLIES: usize = 150;

/// A game from the variant's start, cut off after some plies.
pub(crate) fn record(variant: Variant, id: GameId, seed: u64, max_plies: usize) -> Record {
    record_from(Position::start(variant), id, seed, max_plies)
}

/// A game from any position.
pub(crate) fn record_from(start: Position, id: GameId, seed: u64, max_plies: usize) -> Record {
    let variant = start.variant();
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (u64::from(id.number) << 32));
    let mut game = Game::new(start);
    let mut plies = Vec::new();
    while game.outcome().is_none() && plies.len() < max_plies {
        let moves = game.legal_moves();
        let mv = moves[rng.random_range(0..moves.len())];
        let search = search(&game, plies.len(), &mut rng);
        plies.push(Ply { mv, search });
        game.play(mv);
    }
    Record {
        header: header(variant, id, seed),
        start,
        plies,
        result: game.outcome(),
    }
}

pub(crate) fn id(generation: u32, number: u32) -> GameId {
    GameId { generation, number }
}

pub(crate) fn header(variant: Variant, id: GameId, seed: u64) -> Header {
    Header {
        variant,
        rules_version: variant.rules_version(),
        seed,
        id,
        network: format!("{:06}", id.generation.saturating_sub(1)),
        config_hash: 0x0123_4567_89ab_cdef,
    }
}

fn search(game: &Game, ply: usize, rng: &mut impl Rng) -> RecordedSearch {
    let moves = game.legal_moves();
    match (moves.len(), ply) {
        (1, _) => RecordedSearch::Forced {
            value: rng.random_bool(0.5).then(|| value(rng)),
        },
        (_, 0..3) => RecordedSearch::Opening,
        _ if rng.random_bool(0.25) => RecordedSearch::Fast { value: value(rng) },
        _ => RecordedSearch::Full {
            value: value(rng),
            raw_value: value(rng),
            surprise: Surprise::new(rng.random_range(0.0..0.5)),
            policy: Policy8::new(&moves, &policy(moves.len(), rng)),
        },
    }
}

fn value(rng: &mut impl Rng) -> Wdl8 {
    let wdl: [f32; 3] = std::array::from_fn(|_| rng.random_range(0.01..1.0));
    Wdl8::new(wdl)
}

/// Softmax of random logits: peaked, like the targets of a search.
fn policy(n_moves: usize, rng: &mut impl Rng) -> Vec<f32> {
    (0..n_moves)
        .map(|_| rng.random_range(-4.0_f32..4.0).exp())
        .collect()
}
