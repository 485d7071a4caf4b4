//! A tiny network and samples from random games for tests.

use model::batch::TrainBatch;
use model::{Compute, Inputs, ModelConfig, Optimizer, StepPrecision};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use store::Sample;

use crate::{TrainConfig, Trainer, targets};

pub(crate) fn model_config() -> ModelConfig {
    ModelConfig {
        inputs: Inputs::Exchanges,
        n_squares: 32,
        n_taps: 5,
        channels: 32,
        blocks: 2,
        policy_dim: 4,
        value_channels: 2,
        value_hidden: 8,
    }
}

pub(crate) fn config() -> TrainConfig {
    TrainConfig {
        device: "same".to_owned(),
        precision: StepPrecision::F32,
        batch_size: 8,
        samples_per_position: 1.0,
        optimiser: Optimizer::Muon,
        learning_rate: 0.01,
        warmup_steps: 0,
        decay_steps: 0,
        small_after_steps: 0,
        weight_decay: 0.01,
        gradient_clip: 5.0,
        ema_decay: 0.9,
        value_root_fraction: 0.0,
        value_root_steps: 0,
        value_weight: 1.0,
        soft_policy_weight: 0.5,
        steps_between_reports: 4,
    }
}

pub(crate) fn trainer(compute: &Compute) -> Trainer {
    Trainer::new(&model_config(), config(), 11, compute).unwrap()
}

/// Random english samples for [`model_config`].
pub(crate) fn batch(n_samples: usize, seed: u64) -> TrainBatch {
    batch_of(&samples(n_samples, seed), &model_config())
}

pub(crate) fn batch_of(samples: &[Sample], model: &ModelConfig) -> TrainBatch {
    let shape = config().shape(model).unwrap();
    targets::batch(samples, &shape, 0.0).unwrap()
}

pub(crate) fn samples(n_samples: usize, seed: u64) -> Vec<Sample> {
    samples_of(Variant::English, n_samples, seed)
}

/// Positions with a choice from a random game, with random targets; every fourth has no policy
/// target.
pub(crate) fn samples_of(variant: Variant, n_samples: usize, seed: u64) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new(Position::start(variant));
    let mut samples = Vec::new();
    while samples.len() < n_samples {
        let moves = game.legal_moves();
        if game.outcome().is_some() {
            game = Game::new(Position::start(variant));
            continue;
        }
        if moves.len() > 1 {
            let has_policy = samples.len() % 4 < 3;
            samples.push(sample(&game, has_policy, &mut rng));
        }
        game.play(moves[rng.random_range(0..moves.len())]);
    }
    samples
}

fn sample(game: &Game, has_policy: bool, rng: &mut impl Rng) -> Sample {
    let moves = game.legal_moves().to_vec();
    let mut outcome = [0.0; 3];
    outcome[rng.random_range(0..3)] = 1.0;
    let n_targets = if has_policy { moves.len() } else { 0 };
    Sample {
        position: *game.position(),
        repetitions: game.repetitions() as u8,
        policy: (0..n_targets)
            .map(|_| rng.random::<f32>().powi(3))
            .collect(),
        moves,
        outcome,
        root: [0.25, 0.5, 0.25],
    }
}
