//! Compares the integer network with its definition, and tests its file format.

use alphabeta::Evaluation;
use nnue::{Instructions, MAX_FILE_BYTES, Manifest, Network, NetworkError, Shape, Weights};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};

/// Random weights of realistic size.
fn random_weights(variant: Variant, rng: &mut impl Rng) -> Weights {
    let shape = Shape::of(variant);
    let mut values: Vec<f32> = (0..shape.n_weights())
        .map(|_| rng.random_range(-1.0..1.0_f32))
        .collect();
    let mut scale = |tensor: std::ops::Range<usize>, by: f32| {
        for value in &mut values[tensor] {
            *value *= by;
        }
    };
    scale(shape.first(), 0.3);
    scale(shape.hidden(), 0.2);
    scale(shape.last(), 0.4);
    Weights { shape, values }
}

fn random_network(variant: Variant, seed: u64) -> (Weights, Network) {
    let weights = random_weights(variant, &mut ChaCha8Rng::seed_from_u64(seed));
    let network = Network::from_weights(variant, &weights).expect("small weights");
    (weights, network)
}

/// Positions of random games.
fn positions(variant: Variant, n_games: usize, seed: u64) -> Vec<Vec<Position>> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut games = Vec::new();
    for _ in 0..n_games {
        let mut game = Game::new(Position::start(variant));
        let mut line = vec![*game.position()];
        while game.outcome().is_none() && line.len() < 150 {
            let moves = game.legal_moves();
            game.play(moves[rng.random_range(0..moves.len())]);
            line.push(*game.position());
        }
        games.push(line);
    }
    games
}

#[test]
fn updated_sums_are_the_recomputed_ones() {
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    for variant in Variant::ALL {
        let (_, network) = random_network(variant, 1);
        for line in positions(variant, 20, 2) {
            let mut near = network.state();
            for position in &line {
                let mut state = network.state();
                let updated = network.evaluate(position, &near, &mut state);
                let (empty, mut fresh) = (network.state(), network.state());
                assert_eq!(updated, network.evaluate(position, &empty, &mut fresh));
                assert_eq!(state, fresh, "{variant} {position}");
                // Sometimes the next update starts from a more distant position.
                if rng.random_bool(0.7) {
                    near = state;
                }
            }
        }
    }
}

#[test]
fn integers_stay_close_to_floating_point() {
    for variant in Variant::GAMES {
        let (weights, network) = random_network(variant, 3);
        let (mut sum, mut n) = (0.0, 0.0);
        for position in positions(variant, 20, 4).concat() {
            let exact = 100.0 * weights.logit(&position);
            let difference = (f64::from(exact) - f64::from(network.score(&position))).abs();
            assert!(
                difference < 8.0,
                "{variant} {position}: {exact} and {difference}"
            );
            sum += difference;
            n += 1.0;
        }
        assert!(sum / n < 2.0, "{variant}: {} on average", sum / n);
    }
}

#[test]
fn all_instructions_give_the_same_scores() {
    for variant in Variant::GAMES {
        let (_, network) = random_network(variant, 13);
        for position in positions(variant, 3, 14).concat() {
            for instructions in Instructions::available() {
                let other = network.clone().with_instructions(instructions);
                assert_eq!(
                    other.score(&position),
                    network.score(&position),
                    "{instructions:?}"
                );
            }
        }
    }
}

#[test]
fn both_colors_are_judged_alike() {
    for variant in Variant::ALL {
        let (_, network) = random_network(variant, 5);
        for position in positions(variant, 3, 6).concat() {
            assert_eq!(network.score(&position), network.score(&position.turned()));
        }
    }
}

#[test]
fn the_network_in_floating_point_is_the_same_network() {
    for variant in [Variant::English, Variant::Frisian] {
        let (_, network) = random_network(variant, 3);
        let back = Network::from_weights(variant, &network.to_weights()).expect("its own weights");
        assert_eq!(back, network);
    }
}

#[test]
fn files_come_back() {
    for variant in Variant::ALL {
        let (_, network) = random_network(variant, 8);
        let bytes = network.to_bytes().unwrap();
        assert_eq!(Network::from_bytes(&bytes).unwrap(), network);
        assert_eq!(
            bytes,
            network.to_bytes().unwrap(),
            "the same bytes each time"
        );
    }
}

#[test]
fn the_manifest_spells_everything_out() {
    let (_, network) = random_network(Variant::Thai, 9);
    let examples = [Position::start(Variant::Thai)];
    let manifest = Manifest::new(&network, serde_json::json!({"positions": 5}), &examples);
    let json: serde_json::Value = serde_json::from_str(&manifest.to_json().unwrap()).unwrap();
    assert_eq!(json["bucket_pieces"], serde_json::json!([4, 8, 12, 16]));
    let golden = &json["golden_positions"][0];
    assert_eq!(golden["score"], network.score(&examples[0]));
    assert_eq!(golden["mover_inputs"], golden["opponent_inputs"]);
    assert_eq!(json["inputs"][2]["first"], 64);
}

/// A file with part of its header replaced by text of the same length.
fn with(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes
        .windows(from.len())
        .position(|window| window == from.as_bytes())
        .unwrap_or_else(|| panic!("{from}"));
    let mut changed = bytes.to_vec();
    changed[at..at + to.len()].copy_from_slice(to.as_bytes());
    changed
}

#[test]
fn what_is_wrong_is_said() {
    let (_, network) = random_network(Variant::English, 10);
    let bytes = network.to_bytes().unwrap();
    let error = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err().to_string();
    assert!(error(&bytes[..bytes.len() - 1]).contains("not a whole safetensors file"));
    for other in ["", "a text, not an evaluation"] {
        assert!(error(other.as_bytes()).contains("not a whole safetensors file"));
    }
    for (from, to, message) in [
        (
            "crownhead-evaluation",
            "crownhead-evaluatiom",
            "no entry `crownhead-evaluation`",
        ),
        (
            r#"format_version\":1"#,
            r#"format_version\":7"#,
            "`format_version` is 7",
        ),
        (r#"\"english\""#, r#"\"bnglish\""#, "did you mean `english`"),
        (
            r#"rules_version\":1"#,
            r#"rules_version\":9"#,
            "version 9 of the rules",
        ),
        (r#"width\":128"#, r#"width\":256"#, "`width` is 256"),
        (r#"buckets\":4"#, r#"buckets\":3"#, "`buckets` is 3"),
        ("last.bias", "lost.bias", "no tensor `last.bias`"),
        (
            r#""I32","shape":[4,16]"#,
            r#""U32","shape":[4,16]"#,
            "`hidden.bias` is U32",
        ),
        (r#""shape":[4,16]"#, r#""shape":[8,08]"#, "safetensors"),
        (r#"\"width\""#, r#"\"wodth\""#, "wodth"),
    ] {
        let found = error(&with(&bytes, from, to));
        assert!(found.contains(message), "{from}: {found}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let (_, network) = random_network(Variant::English, 10);
    let bytes = network.to_bytes().unwrap();
    let (n_header, rest) = bytes.split_first_chunk().unwrap();
    let n_header = u64::from_le_bytes(*n_header);
    // Padding after the header's JSON does not count as part of it.
    let padded = |n: u64| {
        let (json, tensors) = rest.split_at(n_header as usize);
        let blanks = vec![b' '; (n - n_header) as usize];
        [&n.to_le_bytes()[..], json, &blanks, tensors].concat()
    };
    let longest = n_header + MAX_FILE_BYTES - bytes.len() as u64;
    assert!(Network::from_bytes(&padded(longest)).is_ok());
    for (n, message) in [
        (longest + 1, "at most 1048576"),
        (MAX_FILE_BYTES + 1, "header too large"),
    ] {
        let error = Network::from_bytes(&padded(n)).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn weights_that_integers_cannot_hold_are_refused() {
    let variant = Variant::English;
    let (weights, _) = random_network(variant, 11);
    let with = |at: usize, value: f32| {
        let mut weights = weights.clone();
        weights.values[at] = value;
        Network::from_weights(variant, &weights).unwrap_err()
    };
    let nan = with(0, f32::NAN);
    assert!(
        matches!(
            nan,
            NetworkError::Weight {
                tensor: "first.weight",
                ..
            }
        ),
        "{nan}"
    );
    let large = with(Shape::of(variant).hidden().start, 200.0);
    assert!(
        matches!(
            large,
            NetworkError::Weight {
                tensor: "hidden.weight",
                ..
            }
        ),
        "{large}"
    );
    let sum = with(0, 127.0);
    assert!(
        matches!(
            sum,
            NetworkError::Overflow {
                layer: "first",
                neuron: 0
            }
        ),
        "{sum}"
    );
    let other = Network::from_weights(Variant::Frisian, &weights).unwrap_err();
    assert!(matches!(other, NetworkError::Size { .. }), "{other}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Reading arbitrary bytes returns an error or a network and never panics.
    #[test]
    fn no_bytes_make_it_panic(flips in prop::collection::vec((0_usize..1_200, any::<u8>()), 1..12), cut in 0_usize..3) {
        let (_, network) = random_network(Variant::Thai, 12);
        let mut bytes = network.to_bytes().unwrap();
        for (at, byte) in flips {
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len() - cut * 1_000);
        if let Ok(network) = Network::from_bytes(&bytes) {
            network.score(&Position::start(network.variant()));
        }
    }
}
