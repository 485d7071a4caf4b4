//! Random networks and positions, and a plain implementation of the network.

use model::encoding::{encode, move_tokens};
use model::{GLOBALS, ModelConfig, ModelWeights};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, Position, Variant};
use types::Wdl;

/// Weights without zeros: unlike with initial ones, every term counts.
pub(crate) fn random_weights(config: &ModelConfig, seed: u64) -> ModelWeights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let initial = ModelWeights::initial(config, &mut rng);
    let mut weights = ModelWeights::new();
    for (name, array) in initial.iter() {
        let is_zero = array.values.iter().all(|&value| value == 0.0);
        let scale = if is_zero {
            0.7 / (array.shape[0] as f32).sqrt()
        } else {
            0.0
        };
        let mut value = |x: &f32| x + scale * rng.random_range(-1.0..1.0);
        weights.insert(
            name,
            array.shape.clone(),
            array.values.iter().map(&mut value).collect(),
        );
    }
    weights
}

/// A position from a random game, the number of its earlier occurrences, and its moves.
pub(crate) struct Case {
    pub(crate) position: Position,
    pub(crate) repetitions: u32,
    pub(crate) moves: Vec<Move>,
}

/// Positions from random games, including moves back and forth and counters.
pub(crate) fn random_cases(variant: Variant, n_cases: usize, seed: u64) -> Vec<Case> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut cases = Vec::new();
    while cases.len() < n_cases {
        let mut game = Game::new(Position::start(variant));
        while game.outcome().is_none() && cases.len() < n_cases {
            let moves = game.legal_moves().to_vec();
            if rng.random_bool(0.2) {
                let repetitions = rng.random_range(0..3);
                cases.push(Case {
                    position: *game.position(),
                    repetitions,
                    moves: moves.clone(),
                });
            }
            game.play(*moves.choose(&mut rng).expect("the game goes on"));
        }
    }
    cases
}

/// The network's function in f64, one number at a time: value and one logit per move.
pub(crate) fn reference(
    config: &ModelConfig,
    weights: &ModelWeights,
    case: &Case,
) -> (Wdl, Vec<f64>) {
    let net = Reference { config, weights };
    let trunk = net.trunk(case);
    (net.value(&trunk), net.logits(&trunk, case))
}

struct Reference<'a> {
    config: &'a ModelConfig,
    weights: &'a ModelWeights,
}

/// [square][channel]
type Squares = Vec<Vec<f64>>;

impl Reference<'_> {
    fn tensor(&self, name: &str) -> (&[f32], usize) {
        let array = self.weights.get(name).expect("checked weights");
        (&array.values, *array.shape.last().expect("no scalars"))
    }

    /// input * weight, without a bias.
    fn product(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weight, n_outputs) = self.tensor(&format!("{name}.weight"));
        assert_eq!(weight.len(), input.len() * n_outputs, "{name}");
        let mut output = vec![0.0; n_outputs];
        for (x, row) in input.iter().zip(weight.chunks(n_outputs)) {
            for (sum, w) in output.iter_mut().zip(row) {
                *sum += x * f64::from(*w);
            }
        }
        output
    }

    fn layer(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let bias = self.tensor(&format!("{name}.bias")).0;
        let product = self.product(name, input);
        product
            .iter()
            .zip(bias)
            .map(|(sum, b)| sum + f64::from(*b))
            .collect()
    }

    fn embed(&self, case: &Case) -> Squares {
        let n_squares = self.config.n_squares;
        let n_planes = self.config.n_planes();
        let mut planes = vec![0.0; n_squares * n_planes];
        let mut globals = vec![0.0; GLOBALS];
        encode(
            self.config.inputs,
            &case.position,
            case.repetitions,
            &mut planes,
            &mut globals,
        );
        let (position, n_channels) = self.tensor("input.position");
        let global = self.tensor("input.global").0;
        let of_globals = |channel: usize| -> f64 {
            let terms = globals.iter().enumerate();
            terms
                .map(|(g, x)| f64::from(*x) * f64::from(global[g * n_channels + channel]))
                .sum()
        };
        let square = |s: usize| {
            let input: Vec<f64> = planes[s * n_planes..(s + 1) * n_planes]
                .iter()
                .map(|x| f64::from(*x))
                .collect();
            let sum = self.layer("input", &input);
            let identity = |c: usize| f64::from(position[s * n_channels + c]);
            (0..n_channels)
                .map(|c| (sum[c] + identity(c) + of_globals(c)).max(0.0))
                .collect()
        };
        (0..n_squares).map(square).collect()
    }

    /// The input square of a tap, found by row and column.
    fn neighbor(&self, square: usize, tap: usize) -> Option<usize> {
        const STEPS: [(isize, isize); 9] = [
            (0, 0),
            (-1, -1),
            (-1, 1),
            (1, -1),
            (1, 1),
            (0, -2),
            (0, 2),
            (-2, 0),
            (2, 0),
        ];
        let width = if self.config.n_squares == 32 { 4 } else { 5 };
        let size = 2 * width as isize;
        let row = (square / width) as isize;
        let column = 2 * (square % width) as isize + (row + 1) % 2;
        let (row, column) = (row + STEPS[tap].0, column + STEPS[tap].1);
        let is_inside = (0..size).contains(&row) && (0..size).contains(&column);
        is_inside.then(|| row as usize * width + column as usize / 2)
    }

    fn convolve(&self, name: &str, input: &Squares) -> Squares {
        let nothing = vec![0.0; self.config.channels];
        let square = |s: usize| {
            let taps = (0..self.config.n_taps).map(|tap| self.neighbor(s, tap));
            let gathered: Vec<f64> = taps
                .flat_map(|s| s.map_or(&nothing, |s| &input[s]).clone())
                .collect();
            self.layer(name, &gathered)
        };
        (0..input.len()).map(square).collect()
    }

    fn trunk(&self, case: &Case) -> Squares {
        let mut x = self.embed(case);
        for block in 0..self.config.blocks {
            let mut y = self.convolve(&format!("blocks.{block}.conv1"), &x);
            y.iter_mut()
                .flatten()
                .for_each(|value| *value = value.max(0.0));
            if block % 2 == 1 {
                let channels = 0..self.config.channels;
                let mean =
                    |c: usize| y.iter().map(|square| square[c]).sum::<f64>() / y.len() as f64;
                let max = |c: usize| y.iter().map(|square| square[c]).fold(0.0, f64::max);
                let pooled: Vec<f64> = channels
                    .clone()
                    .map(mean)
                    .chain(channels.map(max))
                    .collect();
                let bias = self.product(&format!("blocks.{block}.pool"), &pooled);
                y.iter_mut()
                    .for_each(|s| s.iter_mut().zip(&bias).for_each(|(v, b)| *v += b));
            }
            let sum = self.convolve(&format!("blocks.{block}.conv2"), &y);
            for (x, sum) in x.iter_mut().flatten().zip(sum.iter().flatten()) {
                *x = (*x + sum).max(0.0);
            }
        }
        x
    }

    fn value(&self, trunk: &Squares) -> Wdl {
        let relu = |values: Vec<f64>| values.into_iter().map(|x| x.max(0.0)).collect::<Vec<_>>();
        let flat: Vec<f64> = trunk
            .iter()
            .flat_map(|square| relu(self.layer("value.square", square)))
            .collect();
        let logits = self.layer("value.out", &relu(self.layer("value.hidden", &flat)));
        let powers: Vec<f64> = logits.iter().map(|logit| logit.exp()).collect();
        let share = |index: usize| (powers[index] / powers.iter().sum::<f64>()) as f32;
        Wdl {
            win: share(0),
            draw: share(1),
            loss: share(2),
        }
    }

    fn logits(&self, trunk: &Squares, case: &Case) -> Vec<f64> {
        let d = self.config.policy_dim;
        let heads: Squares = trunk
            .iter()
            .map(|square| self.layer("policy", square))
            .collect();
        let score = |mv: &Move| {
            let tokens = move_tokens(&case.position, *mv);
            let (f, t) = (&heads[tokens.from][..d], &heads[tokens.to][d..2 * d]);
            let product: f64 = f.iter().zip(t).map(|(f, t)| f * t).sum();
            product / (d as f64).sqrt() + tokens.captured().map(|c| heads[c][2 * d]).sum::<f64>()
        };
        case.moves.iter().map(score).collect()
    }
}
