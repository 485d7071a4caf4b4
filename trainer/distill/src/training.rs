//! Training: randomly drawn batches, AdamW, a resumable state.

use nnue::{BUCKETS, HIDDEN, Instructions, LAST, Network, NetworkError, Shape, WIDTH, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rules::Variant;

use crate::config::Config;
use crate::examples::{Example, Examples};
use crate::gradient::Pass;

/// The number of parts of a batch whose gradients are summed in order, so that the sum does not
/// depend on the number of threads.
const SHARDS: usize = 8;
/// The decay rates of AdamW's moments.
const BETAS: [f32; 2] = [0.9, 0.999];
/// The learning rate for a pretrained network, relative to a new one.
const LATER_RATE: f32 = 0.5;
/// Keeps quotients finite.
const EPSILON: f32 = 1e-8;

/// A network in training.
#[derive(Clone, PartialEq, Debug)]
pub struct Training {
    pub(crate) variant: Variant,
    pub(crate) config: Config,
    /// The number of steps completed.
    pub(crate) step: u64,
    pub(crate) weights: Weights,
    /// AdamW's moments: the means of the gradients and of their squares.
    pub(crate) moments: [Vec<f32>; 2],
}

/// Mean squared errors.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Loss {
    /// The squared error against the target, with the examples' weights.
    pub target: f64,
    /// The squared error against the result, unweighted.
    pub result: f64,
    /// \[bucket\] the same for each phase, fewest pieces first.
    pub result_by_bucket: [f64; BUCKETS],
}

impl Training {
    /// An untrained network.
    pub fn new(variant: Variant, config: Config) -> Training {
        let shape = Shape::of(variant);
        Training {
            variant,
            config,
            step: 0,
            weights: initial_weights(shape, config.seed),
            moments: [vec![0.0; shape.n_weights()], vec![0.0; shape.n_weights()]],
        }
    }

    /// Continues training a network, at a lower learning rate.
    pub fn from_network(network: &Network, config: Config) -> Training {
        let learning_rate = config.learning_rate * LATER_RATE;
        let config = Config {
            learning_rate,
            ..config
        };
        Training {
            weights: network.to_weights(),
            ..Training::new(network.variant(), config)
        }
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The number of steps completed.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Changes the total number of steps, before the first step.
    pub fn set_steps(&mut self, steps: u64) {
        debug_assert_eq!(
            self.step, 0,
            "the learning rate follows the number of steps"
        );
        self.config.steps = steps.max(1);
    }

    /// True if all steps are completed.
    pub fn is_finished(&self) -> bool {
        self.step >= self.config.steps
    }

    /// Performs `n_steps` steps on rayon's threads and returns the mean loss of their batches. The
    /// result does not depend on the number of threads.
    ///
    /// # Panics
    /// If there are no examples.
    pub fn advance(&mut self, examples: &Examples, n_steps: u64) -> f64 {
        let mut loss = 0.0;
        for _ in 0..n_steps {
            loss += self.make_step(&examples.training);
        }
        loss / n_steps.max(1) as f64
    }

    fn make_step(&mut self, examples: &[Example]) -> f64 {
        assert!(!examples.is_empty(), "nothing to learn from");
        let (weights, config) = (&self.weights, &self.config);
        let (step, len) = (self.step, config.batch.div_ceil(SHARDS));
        let mut shards: Vec<Shard> = (0..SHARDS as u64)
            .into_par_iter()
            .map(|shard| {
                let rng = &mut batch_rng(config.seed, step, shard);
                let batch = (0..len).map(|_| &examples[rng.random_range(0..examples.len())]);
                Shard::of(weights, batch)
            })
            .collect();
        let mut sum = shards.swap_remove(0);
        // `swap_remove` has moved the last one to the front; the order is still fixed.
        for shard in &shards {
            sum.add(shard);
        }
        self.update(&sum);
        self.step += 1;
        sum.loss / sum.weight
    }

    /// AdamW (Loshchilov and Hutter, 2019): weight decay is applied separately from the adaptive
    /// step.
    fn update(&mut self, sum: &Shard) {
        let rate = self.config.learning_rate_at(self.step);
        let decay = 1.0 - rate * self.config.weight_decay;
        let t = (self.step + 1) as f32;
        let [unbias_mean, unbias_square] = BETAS.map(|beta| 1.0 / (1.0 - libm::powf(beta, t)));
        let scale = 1.0 / sum.weight as f32;
        let [means, squares] = &mut self.moments;
        let moments = means.iter_mut().zip(squares);
        for ((weight, (mean, square)), gradient) in self
            .weights
            .values
            .iter_mut()
            .zip(moments)
            .zip(&sum.gradient)
        {
            let gradient = gradient * scale;
            *mean += (1.0 - BETAS[0]) * (gradient - *mean);
            *square += (1.0 - BETAS[1]) * (gradient * gradient - *square);
            let size = (*square * unbias_square).sqrt() + EPSILON;
            *weight = *weight * decay - rate * *mean * unbias_mean / size;
        }
    }

    /// The current weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The network quantized to integers.
    ///
    /// # Errors
    /// If training has diverged.
    pub fn network(&self) -> Result<Network, NetworkError> {
        Network::from_weights(self.variant, &self.weights)
    }

    /// The loss on any examples.
    pub fn loss(&self, examples: &[Example]) -> Loss {
        // Sums over parts of fixed size, in order.
        let parts: Vec<[[f64; 4]; BUCKETS]> = examples
            .par_chunks(4_096)
            .map(|part| sums(&self.weights, part))
            .collect();
        let mut total = [[0.0; 4]; BUCKETS];
        for part in parts {
            for (sums, part) in total.iter_mut().zip(part) {
                for (sum, value) in sums.iter_mut().zip(part) {
                    *sum += value;
                }
            }
        }
        let over = |index: usize| total.iter().map(|sums| sums[index]).sum::<f64>();
        Loss {
            target: over(0) / over(1).max(1e-9),
            result: over(2) / over(3).max(1.0),
            result_by_bucket: total.map(|sums| sums[2] / sums[3].max(1.0)),
        }
    }
}

/// For each bucket: weighted squared errors against the target, weights, squared errors against the
/// result, number of examples.
fn sums(weights: &Weights, examples: &[Example]) -> [[f64; 4]; BUCKETS] {
    let mut sums = [[0.0; 4]; BUCKETS];
    let mut pass = Pass::EMPTY;
    Instructions::best().run(
        #[inline(always)]
        || {
            for example in examples {
                let answer = f64::from(pass.forward(weights, example));
                let square = |goal: f32| (answer - f64::from(goal)) * (answer - f64::from(goal));
                let weight = f64::from(example.weight);
                let sums = &mut sums[weights.shape.bucket(example.n_pieces())];
                sums[0] += weight * square(example.target);
                sums[1] += weight;
                sums[2] += square(example.result);
                sums[3] += 1.0;
            }
        },
    );
    sums
}

/// A part of a batch.
struct Shard {
    gradient: Vec<f32>,
    loss: f64,
    weight: f64,
}

impl Shard {
    fn of<'a>(weights: &Weights, examples: impl Iterator<Item = &'a Example>) -> Shard {
        let mut shard = Shard {
            gradient: vec![0.0; weights.values.len()],
            loss: 0.0,
            weight: 0.0,
        };
        let mut pass = Pass::EMPTY;
        Instructions::best().run(
            #[inline(always)]
            || {
                for example in examples {
                    let answer = pass.forward(weights, example);
                    let distance = answer - example.target;
                    // The loss is a squared error; this is its derivative through the sigmoid.
                    let slope = 2.0 * distance * answer * (1.0 - answer);
                    let d_logit = example.weight * slope;
                    pass.backward(weights, example, d_logit, &mut shard.gradient);
                    shard.loss += f64::from(example.weight * distance * distance);
                    shard.weight += f64::from(example.weight);
                }
            },
        );
        shard
    }

    fn add(&mut self, other: &Shard) {
        for (sum, value) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum += value;
        }
        self.loss += other.loss;
        self.weight += other.weight;
    }
}

/// The random stream that selects a part of a batch.
fn batch_rng(seed: u64, step: u64, shard: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, number) in key
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip([seed, step, shard])
    {
        *bytes = number.to_le_bytes();
    }
    ChaCha8Rng::from_seed(key)
}

/// Uniform weights that keep sums over the usual number of inputs in the unclipped range.
pub(crate) fn initial_weights(shape: Shape, seed: u64) -> Weights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = vec![0.0; shape.n_weights()];
    let limit = |n_inputs: usize| (6.0 / n_inputs as f32).sqrt();
    for (tensor, limit) in [
        (shape.first(), limit(4 * shape.n_pieces)),
        (shape.hidden(), limit(2 * WIDTH)),
        (shape.last(), limit(HIDDEN)),
        (shape.output(), limit(LAST)),
    ] {
        for weight in &mut values[tensor] {
            *weight = rng.random_range(-limit..limit);
        }
    }
    for bias in [shape.first_bias(), shape.hidden_bias(), shape.last_bias()] {
        values[bias].fill(0.1);
    }
    Weights { shape, values }
}
