//! Losses and gradients on the CPU, by hand-written passes through the network.

use model::cpu::backprop::{CHUNK, Gradient, Layers, PolicyHead, Tape};
use model::{GLOBALS, Instructions, ModelConfig, PLANES, Weights};
use rayon::prelude::*;

use crate::batch::TrainBatch;
use crate::loss::{self, Losses};
use crate::{TrainConfig, TrainError};

/// Parts of a batch that are summed up apart and then added in their order, so that the result
/// does not depend on the number of threads. More parts than threads cost memory and time.
const N_SHARDS: usize = 8;

/// Keeps the memory of the passes from step to step.
#[derive(Default)]
pub(crate) struct CpuGradient {
    shards: Vec<Shard>,
}

/// What one thread needs.
struct Shard {
    tape: Tape,
    gradient: Gradient,
    losses: Losses,
    logits: Vec<f32>,
    logits_gradient: Vec<f32>,
    soft: Vec<f32>,
}

/// Everything that the shards share.
struct Step<'a> {
    layers: Layers,
    model: &'a ModelConfig,
    batch: &'a TrainBatch,
    config: &'a TrainConfig,
    /// 1 / number of policy targets, or 0 without any.
    policy_share: f64,
    /// 1 / number of samples.
    value_share: f64,
}

impl CpuGradient {
    /// Losses of the network with these weights on a batch, and the gradient of their weighted sum.
    /// The auxiliary heads are trained if `weights` has them.
    pub(crate) fn gradient(
        &mut self,
        model: &ModelConfig,
        weights: &Weights,
        batch: &TrainBatch,
        config: &TrainConfig,
    ) -> Result<(Losses, Weights), TrainError> {
        let n_policies = batch.n_policies();
        let step = Step {
            layers: Layers::new(model, weights, Instructions::best())?,
            model,
            batch,
            config,
            policy_share: if n_policies > 0 {
                1.0 / n_policies as f64
            } else {
                0.0
            },
            value_share: 1.0 / batch.len() as f64,
        };
        if self.shards.is_empty() {
            self.shards
                .resize_with(N_SHARDS, || Shard::new(&step.layers));
        }
        let shards = self.shards.par_iter_mut().enumerate();
        shards.for_each(|(index, shard)| shard.run(&step, index));
        let (first, others) = self.shards.split_at_mut(1);
        for shard in others {
            first[0].gradient.add(&shard.gradient);
            first[0].losses.add(&shard.losses);
        }
        Ok((first[0].losses, step.layers.unpack(&first[0].gradient)))
    }
}

impl Shard {
    fn new(layers: &Layers) -> Self {
        Self {
            tape: Tape::new(layers),
            gradient: layers.zero_gradient(),
            losses: Losses::default(),
            logits: Vec::new(),
            logits_gradient: Vec::new(),
            soft: Vec::new(),
        }
    }

    /// Sums up losses and gradient of one part of the batch.
    fn run(&mut self, step: &Step<'_>, index: usize) {
        self.gradient.clear();
        self.losses = Losses::default();
        let n_chunks = step.batch.len().div_ceil(CHUNK);
        for chunk in index * n_chunks / N_SHARDS..(index + 1) * n_chunks / N_SHARDS {
            let samples = chunk * CHUNK..((chunk + 1) * CHUNK).min(step.batch.len());
            let n_planes = step.model.n_squares * PLANES;
            let planes = &step.batch.planes[samples.start * n_planes..samples.end * n_planes];
            let globals = &step.batch.globals[samples.start * GLOBALS..samples.end * GLOBALS];
            self.tape.forward(&step.layers, planes, globals);
            for (position, sample) in samples.enumerate() {
                self.values(step, position, sample);
                if step.batch.has_policy[sample] {
                    self.policies(step, position, sample);
                }
            }
            self.tape.backward(&step.layers, &mut self.gradient);
        }
    }

    fn values(&mut self, step: &Step<'_>, position: usize, sample: usize) {
        let (batch, config) = (step.batch, step.config);
        let target = &batch.value[sample];
        let logits = self.tape.value(&step.layers, position, 0);
        let is_hit = loss::most_likely(&logits) == loss::most_likely(target);
        self.losses.value_accuracy += step.value_share * f64::from(u8::from(is_hit));
        self.losses.value += self.value(step, (position, 0), target, config.value_weight);
        for (index, target) in batch.short_values_of(sample).iter().enumerate() {
            let horizon = (position, index + 1);
            self.losses.short_value += self.value(step, horizon, target, config.short_value_weight);
        }
    }

    /// The sample's part of the loss of one horizon, whose gradient is set times `weight`.
    fn value(
        &mut self,
        step: &Step<'_>,
        (position, horizon): (usize, usize),
        target: &[f32; 3],
        weight: f32,
    ) -> f64 {
        let logits = self.tape.value(&step.layers, position, horizon);
        let mut gradient = [0.0; 3];
        let loss = loss::cross_entropy(&logits, target, &mut gradient);
        let gradient = gradient.map(|g| weight * step.value_share as f32 * g);
        self.tape
            .set_value_gradient(&step.layers, position, horizon, gradient);
        step.value_share * loss
    }

    fn policies(&mut self, step: &Step<'_>, position: usize, sample: usize) {
        let target = &step.batch.policy[step.batch.moves_of(sample)];
        let loss = self.policy(step, PolicyHead::Policy, (position, sample), target, 1.0);
        self.losses.policy += loss;
        self.losses.policy_divergence += loss - step.policy_share * loss::entropy(target);
        if step.layers.has_soft_policy() {
            let mut soft = std::mem::take(&mut self.soft);
            soft.resize(target.len(), 0.0);
            loss::soften(target, &mut soft);
            let weight = step.config.soft_policy_weight;
            self.losses.soft_policy +=
                self.policy(step, PolicyHead::Soft, (position, sample), &soft, weight);
            self.soft = soft;
        }
    }

    /// The sample's part of the loss of a policy head, whose gradient is set times `weight`.
    fn policy(
        &mut self,
        step: &Step<'_>,
        head: PolicyHead,
        (position, sample): (usize, usize),
        target: &[f32],
        weight: f32,
    ) -> f64 {
        let moves = &step.batch.moves[step.batch.moves_of(sample)];
        self.logits.resize(moves.len(), 0.0);
        self.logits_gradient.resize(moves.len(), 0.0);
        self.tape
            .score(&step.layers, head, position, moves, &mut self.logits);
        let loss = loss::cross_entropy(&self.logits, target, &mut self.logits_gradient);
        let scale = weight * step.policy_share as f32;
        self.logits_gradient.iter_mut().for_each(|g| *g *= scale);
        self.tape
            .score_back(&step.layers, head, position, moves, &self.logits_gradient);
        step.policy_share * loss
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use model::Preset;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rules::Variant;

    use super::*;
    use crate::{burn_gradient, fixtures};

    /// Initial weights with noise on all of them, since those that begin as zero hide mistakes.
    fn noisy_weights(model: &ModelConfig) -> Weights {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut initial = Weights::initial(model, &mut rng);
        let n_hidden = model.value_hidden;
        initial.insert(
            "short_value.weight",
            vec![n_hidden, 6],
            vec![0.1; 6 * n_hidden],
        );
        initial.insert("short_value.bias", vec![6], vec![0.1; 6]);
        let mut weights = Weights::new();
        for (name, array) in initial.iter() {
            let noise = |value| value + 0.1 * (rng.random::<f32>() - 0.5);
            let values = array.values.iter().map(noise).collect();
            weights.insert(name, array.shape.clone(), values);
        }
        weights
    }

    fn each(losses: Losses) -> impl Iterator<Item = f64> {
        let policies = [losses.policy, losses.policy_divergence, losses.soft_policy];
        let values = [losses.value, losses.value_accuracy, losses.short_value];
        policies.into_iter().chain(values)
    }

    fn assert_agreement(model: &ModelConfig, variant: Variant, n_samples: usize) {
        let (weights, config) = (noisy_weights(model), fixtures::config());
        let samples = fixtures::samples_of(variant, n_samples, 9);
        let mut batch = TrainBatch::new(&samples, model, &config).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        batch
            .globals
            .iter_mut()
            .for_each(|value| *value = rng.random());
        let (losses, gradient) = CpuGradient::default()
            .gradient(model, &weights, &batch, &config)
            .unwrap();
        let (expected_losses, expected) =
            burn_gradient::gradient(model, &weights, &batch, &config, &Device::flex()).unwrap();
        for (name, array) in expected.iter() {
            let found = &gradient.get(name).unwrap();
            assert_eq!(found.shape, array.shape, "{name}");
            let largest = array.values.iter().fold(0.0f32, |max, g| max.max(g.abs()));
            assert!(largest > 0.0, "{name} has no gradient");
            for (found, expected) in found.values.iter().zip(&array.values) {
                let error = (found - expected).abs();
                assert!(
                    error <= 1e-4 * largest,
                    "{name}: {found} {expected} {largest}"
                );
            }
        }
        assert_eq!(gradient.len(), expected.len());
        for (found, expected) in each(losses).zip(each(expected_losses)) {
            assert!(
                (found - expected).abs() < 1e-5,
                "{losses:?} {expected_losses:?}"
            );
        }
    }

    #[test]
    fn gradients_agree_with_burn() {
        // 70 samples leave the last chunk half empty and the shards of unequal size.
        assert_agreement(&fixtures::model_config(), Variant::English, 70);
        let mut model = Preset::Nano.config(50, 9);
        model.blocks = 2;
        model.channels = 64;
        assert_agreement(&model, Variant::Frisian, 5);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let (model, config) = (fixtures::model_config(), fixtures::config());
        let (weights, batch) = (noisy_weights(&model), fixtures::batch(100, 4));
        let run = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(n_threads)
                .build()
                .unwrap();
            pool.install(|| {
                let mut cpu = CpuGradient::default();
                cpu.gradient(&model, &weights, &batch, &config).unwrap();
                cpu.gradient(&model, &weights, &batch, &config).unwrap()
            })
        };
        let expected = run(1);
        assert_eq!(run(2), expected);
        assert_eq!(run(3), expected);
    }
}
