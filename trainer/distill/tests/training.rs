//! Tests of the whole distillation, on games of random moves.

use distill::{Collector, Config, Examples, Training};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use store::{GameId, Header, Ply, Record, RecordedSearch, Wdl8};

const CONFIG: Config = Config {
    batch: 512,
    steps: 120,
    ..Config::DEFAULT
};

/// A game of random moves whose searched values are its result, slightly too high.
fn record(variant: Variant, number: u32) -> Record {
    let mut rng = ChaCha8Rng::seed_from_u64(number.into());
    let start = Position::start(variant);
    let mut game = Game::new(start);
    let mut moves = Vec::new();
    while game.outcome().is_none() {
        let legal = game.legal_moves();
        let mv = legal[rng.random_range(0..legal.len())];
        moves.push((game.position().turn(), mv));
        game.play(mv);
    }
    let result = game.outcome();
    let value = |color| match result.map(|outcome| outcome.half_points(color)) {
        Some(2) => [1.0, 0.0, 0.0],
        Some(0) => [0.1, 0.0, 0.9],
        _ => [0.1, 0.9, 0.0],
    };
    let plies = moves.into_iter().map(|(color, mv)| {
        let value = Wdl8::new(value(color));
        let search = RecordedSearch::Fast { value };
        Ply { mv, search }
    });
    Record {
        header: Header {
            variant,
            rules_version: variant.rules_version(),
            seed: 1,
            id: GameId {
                generation: 1,
                number,
            },
            network: String::new(),
            config_hash: 0,
        },
        start,
        plies: plies.collect(),
        result,
    }
}

fn examples(variant: Variant, n_games: u32) -> Examples {
    let mut collector = Collector::new(variant, &CONFIG);
    for number in 0..n_games {
        collector.add(&record(variant, number));
    }
    collector.finish(&CONFIG)
}

#[test]
fn whole_games_are_held_out_and_no_position_is_there_twice() {
    let examples = examples(Variant::English, 200);
    let summary = examples.summary;
    assert_eq!(summary.games, 200);
    assert_eq!(summary.training, examples.training.len());
    assert!(summary.training + summary.held_out < summary.positions);
    // One of twenty games.
    let share = summary.held_out as f64 / summary.positions as f64;
    assert!((0.02..0.07).contains(&share), "{share}");
    assert_eq!(summary.by_bucket.iter().sum::<usize>(), summary.training);
    for bias in summary.value_bias {
        assert!((0.02..0.12).contains(&bias), "{bias}");
    }
}

#[test]
fn it_learns_from_games_what_is_true_of_others() {
    for variant in [Variant::English, Variant::Frisian] {
        let examples = examples(variant, 600);
        let mut training = Training::new(variant, CONFIG);
        let before = training.loss(&examples.held_out);
        while !training.is_finished() {
            training.advance(&examples, 20);
        }
        let after = training.loss(&examples.held_out);
        // Between random movers the side ahead in material usually wins, increasingly so later in
        // the game.
        assert!(after.result < 0.9 * before.result, "{before:?} {after:?}");
        let ending = [before, after].map(|loss| loss.result_by_bucket[0]);
        assert!(ending[1] < 0.7 * ending[0], "{before:?} {after:?}");
        let network = training.network().unwrap();
        let ahead = match variant {
            Variant::English => "W:W21,22,23,24,30,31:B1,2,3",
            _ => "W:W31,32,33,34,35,36,47,48:B1,2,3,4",
        };
        let ahead = Position::from_fen(variant, ahead).unwrap();
        assert!(network.score(&ahead) > 50, "{}", network.score(&ahead));
        assert!(network.score(&ahead.turned()) == network.score(&ahead));
    }
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let variant = Variant::Thai;
    let examples = examples(variant, 60);
    let bytes = |threads, interrupted: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut training = Training::new(variant, CONFIG);
            training.advance(&examples, 7);
            if interrupted {
                training = Training::from_bytes(&training.to_bytes().unwrap()).unwrap();
            }
            training.advance(&examples, 5);
            training.to_bytes().unwrap()
        })
    };
    let reference = bytes(1, false);
    assert_eq!(bytes(3, false), reference);
    assert_eq!(bytes(2, true), reference);
}

#[test]
fn a_damaged_state_is_refused() {
    let training = Training::new(Variant::English, CONFIG);
    let bytes = training.to_bytes().unwrap();
    assert_eq!(Training::from_bytes(&bytes).unwrap(), training);
    let error = |bytes: &[u8]| Training::from_bytes(bytes).unwrap_err().to_string();
    assert!(error(&bytes[..bytes.len() - 4]).contains("not a whole safetensors file"));
    let changed = |from: &str, to: &str| {
        let mut words = bytes.windows(from.len());
        let at = words.position(|word| word == from.as_bytes()).unwrap();
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        error(&bytes)
    };
    let message = changed("english", "enklish");
    assert!(message.contains("did you mean"), "{message}");
    assert!(changed("crownhead-distillation", "crownhead-distillatiom").contains("no entry"));
    assert!(changed("batch", "botch").contains("botch"));
}

#[test]
fn the_integers_stay_close_to_what_was_trained() {
    let variant = Variant::Ringboard;
    let examples = examples(variant, 100);
    let mut training = Training::new(variant, CONFIG);
    training.advance(&examples, 60);
    let (weights, network) = (training.weights(), training.network().unwrap());
    for number in 0..10 {
        let mut position = record(variant, 1_000 + number).start;
        for ply in record(variant, 1_000 + number).plies {
            let exact = 100.0 * weights.logit(&position);
            let found = network.score(&position) as f32;
            assert!((found - exact).abs() < 8.0, "{position}: {found}, {exact}");
            position = position.play(ply.mv);
        }
    }
}
