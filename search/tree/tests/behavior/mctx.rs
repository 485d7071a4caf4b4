//! Complete searches by DeepMind's `mctx` 0.0.71 on the same positions with the same evaluator:
//! `gumbel_muzero_policy` with `gumbel_scale` 0, values in -1..=1 and
//! `qtransform_completed_by_mix_value(value_scale=0.5, maxvisit_init=50, rescale_values=False)`,
//! where forced moves were played out before each evaluation.
//!
//! The two programs can differ if simulations run out in the middle of a round of sequential
//! halving: `mctx` then considers only the most visited moves for the final choice. The file
//! contains cases where this does not matter and no game ends.

use rules::{Position, Variant};
use search::{Batch, Evaluator, EvaluatorError, SearchConfig};

use crate::support::Hashed;
use crate::{PLAY, game_from, search};

fn config(max_considered: u32) -> SearchConfig {
    SearchConfig {
        max_considered,
        ..PLAY
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

/// [`Hashed`], recording the positions that it evaluates.
#[derive(Default)]
struct Recording(Vec<Position>);

impl Evaluator for Recording {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let positions = (0..batch.len()).map(|index| *batch.request(index).position);
        self.0.extend(positions);
        Hashed.evaluate(batch)
    }
}

/// Every simulation evaluates one new node, so the evaluated positions form the whole tree.
#[test]
fn a_tree_equals_mctx() {
    const MOVES: &str = "\
1-5
  8-3
  23-18
  24-19
    9-13
    9-14
9-13
  24-20
1-6
  8-4
    9-13
  24-20
    9-13
  24-19
9-14
  24-20";
    let game = game_from(Variant::English, "B:W8,23,24:B1,9:H0:F21");
    let mut path = vec![*game.position()];
    let mut expected = vec![game.position().to_fen()];
    for line in MOVES.lines() {
        let name = line.trim_start();
        path.truncate((line.len() - name.len()) / 2 + 1);
        let parent = path[path.len() - 1];
        path.push(parent.play(parent.parse_move(name).unwrap()));
        expected.push(path[path.len() - 1].to_fen());
    }
    let mut evaluator = Recording::default();
    search(config(4), &game, 16, &mut evaluator);
    let mut evaluated: Vec<String> = evaluator.0.iter().map(Position::to_fen).collect();
    evaluated.sort();
    expected.sort();
    assert_eq!(evaluated, expected);
}
