//! Losses and gradients on the processor, by hand-written passes through the network.

use std::sync::{Mutex, PoisonError};

use ndarray::s;
use rayon::prelude::*;

use super::backprop::{CHUNK, Gradient, Layers, Tape};
use crate::backend::StepSettings;
use crate::batch::TrainBatch;
use crate::heads::Kind;
use crate::loss::{self, Losses};
use crate::{HeadId, InstructionSet, ModelConfig, ModelError, ModelWeights, PerHead};

/// The number of parts of a batch that are summed separately and then added in order, so that the
/// result does not depend on the number of threads. It limits the number of threads, and each part
/// has a gradient to clear and to add. Another number would change the order of summation and
/// therefore every run.
const N_SHARDS: usize = 16;

/// Computes gradients, keeping the memory of the passes from step to step.
#[derive(Default)]
pub(crate) struct CpuGradient {
    layers: Option<Layers>,
    shards: Vec<Shard>,
    /// At most one per concurrent thread. The most recently used one is used next, because it is
    /// still in a cache.
    scratches: Mutex<Vec<Scratch>>,
}

/// The result of one part of a batch.
struct Shard {
    gradient: Gradient,
    losses: Losses,
}

/// The buffers of a thread.
struct Scratch {
    tape: Tape,
    losses: Losses,
    logits: Vec<f32>,
    logits_gradient: Vec<f32>,
}

/// Data shared by the shards.
struct Step<'a> {
    layers: &'a Layers,
    batch: &'a TrainBatch,
    loss_weights: &'a PerHead<f32>,
    /// The weight of one target of each head.
    shares: PerHead<f64>,
}

/// A position of a chunk and its sample.
#[derive(Clone, Copy)]
struct Place {
    position: usize,
    sample: usize,
}

impl CpuGradient {
    /// The losses of the network with these weights on a batch, and the gradient of their weighted
    /// sum. `weights` must include the heads that the batch has targets for.
    pub(crate) fn gradient(
        &mut self,
        config: &ModelConfig,
        weights: &ModelWeights,
        batch: &TrainBatch,
        settings: &StepSettings,
    ) -> Result<(Losses, ModelWeights), ModelError> {
        let StepSettings {
            precision,
            loss_weights,
            ..
        } = settings;
        match &mut self.layers {
            Some(layers) if layers.precision() == *precision => layers.load(weights)?,
            other => {
                let best = InstructionSet::best();
                *other = Some(Layers::new(config, weights, best, *precision)?);
                self.shards.clear();
                self.scratches = Mutex::default();
            }
        }
        let layers = self.layers.as_ref().expect("loaded above");
        let step = Step {
            layers,
            batch,
            loss_weights,
            shares: PerHead::new(|head| batch.targets[head].share()),
        };
        if self.shards.is_empty() {
            let empty = || Shard {
                gradient: layers.zero_gradient(),
                losses: Losses::default(),
            };
            self.shards.resize_with(N_SHARDS, empty);
        }
        let shards = self.shards.par_iter_mut().with_max_len(1).enumerate();
        shards.for_each(|(index, shard)| {
            let lock = || {
                self.scratches
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
            };
            let free = lock().pop();
            let mut scratch = free.unwrap_or_else(|| Scratch::new(layers));
            shard.losses = scratch.run(&step, index, &mut shard.gradient);
            lock().push(scratch);
        });
        let mut losses = Losses::default();
        for shard in &self.shards {
            losses.add(&shard.losses);
        }
        let gradients = self.shards.iter().map(|shard| &shard.gradient);
        Ok((losses, layers.sum(gradients)))
    }
}

impl Scratch {
    fn new(layers: &Layers) -> Self {
        Self {
            tape: Tape::new(layers),
            losses: Losses::default(),
            logits: Vec::new(),
            logits_gradient: Vec::new(),
        }
    }

    /// Computes the losses of one part of the batch and their gradient.
    fn run(&mut self, step: &Step<'_>, index: usize, gradient: &mut Gradient) -> Losses {
        gradient.clear();
        self.losses = Losses::default();
        let batch = step.batch;
        let n_chunks = batch.len().div_ceil(CHUNK);
        for chunk in index * n_chunks / N_SHARDS..(index + 1) * n_chunks / N_SHARDS {
            let samples = chunk * CHUNK..((chunk + 1) * CHUNK).min(batch.len());
            let planes = batch.planes.slice(s![samples.clone(), .., ..]);
            let globals = batch.globals.slice(s![samples.clone(), ..]);
            self.tape.forward(step.layers, planes, globals);
            for (position, sample) in samples.enumerate() {
                for head in batch.heads() {
                    if batch.targets[head].present[sample] {
                        self.head(step, head, Place { position, sample });
                    }
                }
            }
            self.tape.backward(step.layers, gradient);
        }
        self.losses
    }

    /// Adds a sample's contribution to a head's loss, and sets the gradient of its outputs.
    fn head(&mut self, step: &Step<'_>, head: HeadId, Place { position, sample }: Place) {
        let (layers, batch, kind) = (step.layers, step.batch, head.row().kind);
        let places = batch.moves_of(sample);
        let moves = &batch.moves[places.clone()];
        let target = match kind {
            Kind::Moves => &batch.targets[head].values[places],
            Kind::Result => batch.targets[head].of(sample),
        };
        self.logits.resize(target.len(), 0.0);
        self.logits_gradient.resize(target.len(), 0.0);
        match kind {
            Kind::Moves => self
                .tape
                .score(layers, head, position, moves, &mut self.logits),
            Kind::Result => {
                let outputs = self.tape.outputs(layers, head, position);
                self.logits.copy_from_slice(outputs);
            }
        }
        let loss = loss::cross_entropy(&self.logits, target, &mut self.logits_gradient);
        let share = step.shares[head];
        self.losses.heads[head] += share * loss;
        match head {
            HeadId::POLICY => {
                self.losses.policy_divergence += share * loss - share * types::entropy(target);
            }
            HeadId::VALUE => {
                let is_hit = loss::most_likely(&self.logits) == loss::most_likely(target);
                self.losses.value_accuracy += share * f64::from(u8::from(is_hit));
            }
            _ => {}
        }
        let scale = step.loss_weights[head] * share as f32;
        self.logits_gradient.iter_mut().for_each(|g| *g *= scale);
        let gradient = &self.logits_gradient;
        match kind {
            Kind::Moves => self
                .tape
                .score_back(layers, head, position, moves, gradient),
            Kind::Result => self
                .tape
                .set_outputs_gradient(layers, head, position, gradient),
        }
    }
}
