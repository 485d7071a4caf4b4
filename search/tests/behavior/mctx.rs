//! Whole searches that DeepMind's `mctx` 0.0.71 made on the same positions with the same evaluator:
//! `gumbel_muzero_policy` with `gumbel_scale` 0, values in -1..=1 and
//! `qtransform_completed_by_mix_value(value_scale=0.5, maxvisit_init=50, rescale_values=False)`,
//! where forced moves were played out before each evaluation.
//!
//! Two programs can differ where simulations run out in the middle of a round of sequential
//! halving: `mctx` then takes only the most visited moves into the final choice. The file holds
//! cases where that does not matter, none of which reaches the end of a game.

use rules::Variant;
use search::{GumbelConfig, Mode, Search, SearchConfig};

use crate::support::Hashed;
use crate::{game_from, search};

fn config(max_considered: u32) -> SearchConfig {
    let gumbel = GumbelConfig {
        max_considered,
        gumbel_scale: 0.0,
        ..GumbelConfig::PAPER
    };
    SearchConfig {
        mode: Mode::Gumbel(gumbel),
        draw_score: 0.0,
    }
}

/// Each line: variant, FEN, simulations, considered moves, chosen move, visits, improved policy.
#[test]
fn visits_policies_and_choices_equal_mctx() {
    for line in include_str!("mctx.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let game = game_from(fields[0].parse().unwrap(), fields[1]);
        let (simulations, max_considered) =
            (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        let result = search(config(max_considered), &game, simulations, &mut Hashed);
        assert_eq!(result.best, fields[4].parse::<usize>().unwrap(), "{line}");
        let visits: Vec<u32> = fields[5].split(',').map(|n| n.parse().unwrap()).collect();
        assert_eq!(result.visits, visits, "{line}");
        for (weight, expected) in result.policy.iter().zip(fields[6].split(',')) {
            let expected: f32 = expected.parse().unwrap();
            assert!(
                (weight - expected).abs() < 1e-4,
                "{:?}: {line}",
                result.policy
            );
        }
    }
}

/// Moves, visits and mean utilities of a whole tree.
#[test]
fn a_tree_equals_mctx() {
    let game = game_from(Variant::English, "B:W8,23,24:B1,9:H0:F21");
    let mut searches = [Search::new(config(4), 1 << 16)];
    let mut rng = <rand_chacha::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(1);
    searches[0].begin(&game, 16, &mut rng);
    search::search_all(&mut searches, &mut Hashed, &mut search::Batch::new()).unwrap();
    let expected = "\
1-5 6 0.4073
  8-3 1 0.4304
  23-18 1 0.3303
  24-19 3 0.6918
    9-13 1 0.3197
    9-14 1 0.1383
9-13 2 0.3991
  24-20 1 0.5920
1-6 6 0.5016
  8-4 2 0.4695
    9-13 1 0.5977
  24-20 2 0.5380
    9-13 1 0.5065
  24-19 1 0.3377
9-14 2 0.3546
  24-20 1 0.7826
";
    assert_eq!(searches[0].tree_text(), expected);
}
