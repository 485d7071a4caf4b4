//! Training on a device; weights, moments and averages stay there.
//!
//! All parameters form one vector, so that a step is a handful of operations regardless of the
//! number of tensors: burn's gradient clipping uses the norm over all of them, and burn's AdamW is
//! called once for the parameters with weight decay and once for the others. Muon is computed for
//! all hidden matrices of a shape together. Losses are summed on the device and read rarely, since
//! a read waits for all pending work.
//!
//! The learning rate is passed with each step: burn has no schedule that decays with 1 / sqrt(1 +
//! step / decay_steps) after a linear warm-up.

use std::collections::BTreeMap;
use std::ops::Range;

use burn::grad_clipping::GradientClipping;
use burn::optim::{AdamWConfig, AdamWState, AdaptiveMomentumState, Optimizer as _};
use burn::tensor::{Bool, Device, FloatDType, Tensor, TensorData, Transaction};

use super::lattice::{Convolution, Lattice};
use super::linear::Linear;
use super::losses::{DeviceLosses, Uploaded, target_entropy};
use super::muon::orthogonal;
use super::network::{DeviceNetwork, device_error, rows_and_columns};
use crate::backend::{Backend, LearnerShape, LearnerState, StepSettings, StepSums};
use crate::batch::TrainBatch;
use crate::cpu::muon::{MOMENTUM, STEP};
use crate::cpu::{BETA1, BETA2, EPSILON, average_share};
use crate::graph::{Layer, Op, graph};
use crate::loss::Losses;
use crate::tensor::TensorSpec;
use crate::{HeadId, ModelError, Optimizer, PerHead, StepPrecision};

/// The maximum factor of the loss in f16, where numbers below 6e-8 are 0. The gradient of a mean
/// over a batch is that small; the gradient of the sum fits, far below the largest number.
const MAX_SCALE: usize = 1024;

/// A network in training on a device.
pub(crate) struct DeviceLearner {
    ops: Vec<Op>,
    order: Order,
    /// The device, with autodiff.
    device: Device,
    lattice: Lattice,
    weights: Tensor<1>,
    average: Tensor<1>,
    /// The running mean of the gradient.
    mean: Tensor<1>,
    /// The running mean of its square.
    square: Tensor<1>,
    /// The number of updates of both means, including steps skipped since the last report.
    n_updates: u64,
    /// The same for `average`.
    n_averaged: u64,
    sums: Sums,
}

/// The order of tensors in the device's vectors: hidden matrices first, by shape, then other
/// tensors with weight decay, then the rest.
struct Order {
    /// The tensors in this order, each with its range in the layout's vectors.
    places: Vec<(TensorSpec, Range<usize>)>,
    /// The number of values in hidden matrices.
    n_hidden: usize,
    /// The number of values with weight decay, including hidden matrices.
    n_decayed: usize,
    n_values: usize,
}

impl Order {
    fn new(shape: &LearnerShape) -> Self {
        let mut places = shape.layout.tensors.clone();
        places.sort_by_key(|(spec, _)| {
            let shape = spec.is_hidden.then(|| spec.shape.clone());
            (!spec.is_hidden, !spec.decays, shape)
        });
        let count = |is_counted: fn(&TensorSpec) -> bool| {
            let counted = places.iter().filter(|(spec, _)| is_counted(spec));
            counted.map(|(spec, _)| spec.n_values()).sum()
        };
        Self {
            n_hidden: count(|spec| spec.is_hidden),
            n_decayed: count(|spec| spec.decays),
            n_values: shape.layout.n_values,
            places,
        }
    }

    /// Converts from the layout's order to the device's.
    fn upload(&self, values: &[f32], device: &Device) -> Tensor<1> {
        let places = self.places.iter();
        let values: Vec<f32> = places
            .flat_map(|(_, range)| &values[range.clone()])
            .copied()
            .collect();
        Tensor::from_data(TensorData::new(values, [self.n_values]), device)
    }

    /// Converts from the device's order to the layout's.
    fn download(&self, data: TensorData) -> Result<Vec<f32>, ModelError> {
        let found = data.try_into_vec_as::<f32>().map_err(device_error)?;
        let (mut values, mut start) = (vec![0.0; self.n_values], 0);
        for (_, range) in &self.places {
            values[range.clone()].copy_from_slice(&found[start..start + range.len()]);
            start += range.len();
        }
        Ok(values)
    }

    /// The tensors, sliced from a vector on the device.
    fn cut(&self, vector: &Tensor<1>) -> Vec<(&str, Tensor<2>)> {
        let mut start = 0;
        let places = self.places.iter();
        places
            .map(|(spec, range)| {
                let part = vector.clone().narrow(0, start, range.len());
                start += range.len();
                (spec.name.as_str(), part.reshape(rows_and_columns(spec)))
            })
            .collect()
    }
}

/// Sums over the steps since the last report, on the device.
struct Sums {
    n_steps: u64,
    /// Sums over the good steps: `[head..., value accuracy, gradient norm, clipped, target entropy,
    /// steps]`.
    values: Tensor<1>,
    /// `[1]` consecutive steps skipped most recently.
    n_skipped_last: Tensor<1>,
}

impl Sums {
    fn new(device: &Device) -> Self {
        const N_OTHERS: usize = 5;
        let device = device.clone().without_autodiff();
        Self {
            n_steps: 0,
            values: Tensor::zeros([HeadId::all().count() + N_OTHERS], &device),
            n_skipped_last: Tensor::zeros([1], &device),
        }
    }

    /// Adds a step with these `values`; they count if it was `good`.
    fn add(&mut self, values: Tensor<1>, good: &Tensor<1, Bool>) {
        self.n_steps += 1;
        let bad = good.clone().bool_not();
        let n_values = values.dims();
        let values = values.mask_fill(bad.clone().expand(n_values), 0.0);
        self.values = self.values.clone() + values;
        self.n_skipped_last = (self.n_skipped_last.clone() + 1.0) * bad.float();
    }

    fn read(&self) -> Result<StepSums, ModelError> {
        let transaction = Transaction::default()
            .register(self.values.clone())
            .register(self.n_skipped_last.clone());
        let data = transaction.try_execute().map_err(device_error)?;
        let mut numbers = Vec::new();
        for data in data {
            numbers.extend(data.try_into_vec_as::<f32>().map_err(device_error)?);
        }
        let mut numbers = numbers.into_iter().map(f64::from);
        let mut next = || numbers.next().expect("as many numbers as were summed up");
        let heads = PerHead::new(|_| next());
        let (value_accuracy, gradient_norm) = (next(), next());
        let (n_clipped, target_entropy, n_good, n_skipped_last) = (next(), next(), next(), next());
        Ok(StepSums {
            n_steps: self.n_steps,
            n_skipped: self.n_steps - n_good as u64,
            n_skipped_last: n_skipped_last as u64,
            n_clipped: n_clipped as u64,
            losses: Losses {
                policy_divergence: heads[HeadId::POLICY] - target_entropy,
                heads,
                value_accuracy,
            },
            gradient_norm,
        })
    }
}

impl DeviceLearner {
    pub(crate) fn new(shape: LearnerShape, state: &LearnerState, device: &Device) -> Self {
        let order = Order::new(&shape);
        let plain = device.clone().without_autodiff();
        let upload = |values: &[f32]| order.upload(values, &plain);
        let device = device.clone().autodiff();
        Self {
            ops: graph(&shape.config, &shape.heads),
            lattice: Lattice::new(&shape.config, Convolution::default(), &device),
            weights: upload(&state.weights),
            average: upload(&state.average),
            mean: upload(&state.gradient_mean),
            square: upload(&state.gradient_square),
            n_updates: state.optimiser_updates,
            n_averaged: state.average_updates,
            sums: Sums::new(&device),
            order,
            device,
        }
    }

    /// The losses of a batch and the gradient of their weighted sum, in the device's order.
    fn gradient(&self, batch: &TrainBatch, settings: &StepSettings) -> (DeviceLosses, Tensor<1>) {
        let cut = self.order.cut(&self.weights).into_iter();
        let leaves: Vec<_> = cut
            .map(|(name, tensor)| (name, tensor.autodiff().require_grad()))
            .collect();
        let by_name: BTreeMap<_, _> = leaves.iter().map(|(name, leaf)| (*name, leaf)).collect();
        let linear = |layer: &Layer| Linear::new(layer, |spec| by_name[spec.name.as_str()].clone());
        let ops = self.ops.iter().map(|op| op.map(linear)).collect();
        let products = self.products(settings.precision);
        let network = DeviceNetwork {
            ops,
            lattice: self.lattice.clone().cast(products),
            stream: FloatDType::F32,
        };

        let uploaded = Uploaded::new(batch, &self.device);
        let (planes, globals) = uploaded.inputs();
        let losses = uploaded.losses(network.forward(planes, globals), &settings.loss_weights);
        let scale = match products {
            FloatDType::F16 => batch.len().min(MAX_SCALE) as f32,
            _ => 1.0,
        };
        let mut gradients = (losses.total.clone() * scale).backward();
        let flat = |leaf: &Tensor<2>| {
            let gradient = leaf.grad_remove(&mut gradients);
            let n_values: usize = leaf.dims().iter().product();
            // A loss of weight 0 gives its head no gradient.
            gradient.map_or_else(
                || Tensor::zeros([n_values], &self.weights.device()),
                |gradient| gradient.reshape([n_values]),
            )
        };
        let gradient = leaves.iter().map(|(_, leaf)| leaf).map(flat).collect();
        (losses, Tensor::cat(gradient, 0) / scale)
    }

    /// The precision of the products of convolutions.
    fn products(&self, precision: StepPrecision) -> FloatDType {
        let sixteen_bits = match precision {
            StepPrecision::F32 => None,
            StepPrecision::Bf16 => [FloatDType::BF16, FloatDType::F16]
                .into_iter()
                .find(|&dtype| self.device.supports_dtype(dtype)),
        };
        sixteen_bits.unwrap_or(FloatDType::F32)
    }

    /// The weights and both means after a step.
    fn updated(&self, gradient: &Tensor<1>, settings: &StepSettings) -> [Tensor<1>; 3] {
        let Order {
            n_hidden,
            n_decayed,
            n_values,
            ..
        } = self.order;
        let decay = settings.weight_decay;
        let (first, hidden) = match settings.optimiser {
            Optimizer::Muon => (n_hidden, Some(self.muon(gradient, settings))),
            Optimizer::AdamW => (0, None),
        };
        let decayed = self.adamw(gradient, first..n_decayed, decay, settings);
        let others = self.adamw(gradient, n_decayed..n_values, 0.0, settings);
        let parts = hidden.into_iter().chain([decayed, others]);
        let parts: Vec<[Tensor<1>; 3]> = parts.collect();
        [0, 1, 2]
            .map(|which| Tensor::cat(parts.iter().map(|part| part[which].clone()).collect(), 0))
    }

    /// The weights and moments of some parameters after a step of burn's AdamW.
    fn adamw(
        &self,
        gradient: &Tensor<1>,
        range: Range<usize>,
        weight_decay: f32,
        settings: &StepSettings,
    ) -> [Tensor<1>; 3] {
        let part = |vector: &Tensor<1>| vector.clone().narrow(0, range.start, range.len());
        let adamw = AdamWConfig::new()
            .with_beta_1(BETA1)
            .with_beta_2(BETA2)
            .with_epsilon(EPSILON)
            .with_weight_decay(weight_decay)
            .build();
        let (mean, square) = (part(&self.mean), part(&self.square));
        let moments = AdaptiveMomentumState::new(self.n_updates as usize, mean, square);
        let (weights, state) = adamw.step(
            f64::from(settings.learning_rate),
            part(&self.weights),
            part(gradient),
            Some(AdamWState::new(moments)),
        );
        let moments = state.expect("AdamW keeps its moments").momentum;
        [weights, moments.moment_1, moments.moment_2]
    }

    /// The weights and moments of the hidden matrices after a step of Muon.
    fn muon(&self, gradient: &Tensor<1>, settings: &StepSettings) -> [Tensor<1>; 3] {
        let part = |vector: &Tensor<1>| vector.clone().narrow(0, 0, self.order.n_hidden);
        let gradient = part(gradient);
        let take = |mean: Tensor<1>| mean.clone() + (gradient.clone() - mean) * (1.0 - MOMENTUM);
        let mean = take(part(&self.mean));
        let ahead = take(mean.clone());
        let hidden = self.order.places.iter().map(|(spec, _)| spec);
        let hidden: Vec<_> = hidden.take_while(|spec| spec.is_hidden).collect();
        let mut start = 0;
        let groups = hidden.chunk_by(|a, b| a.shape == b.shape).map(|group| {
            let [n_rows, n_columns] = rows_and_columns(group[0]);
            let shape = [group.len(), n_rows, n_columns];
            let n_values = shape.iter().product();
            let matrices = ahead.clone().narrow(0, start, n_values).reshape(shape);
            start += n_values;
            let length = STEP * (n_rows.max(n_columns) as f32).sqrt();
            (orthogonal(matrices) * length).reshape([n_values])
        });
        let direction = Tensor::cat(groups.collect(), 0);
        let rate = settings.learning_rate;
        let kept = part(&self.weights) * (1.0 - rate * settings.weight_decay);
        let weights = kept - direction * rate;
        // A run may change to AdamW, which needs a running mean of squares.
        let square = part(&self.square);
        let square = square.clone() + (gradient.square() - square) * (1.0 - BETA2);
        [weights, mean, square]
    }
}

impl Backend for DeviceLearner {
    fn step(
        &mut self,
        batch: &TrainBatch,
        settings: &StepSettings,
    ) -> Result<Option<StepSums>, ModelError> {
        let (losses, gradient) = self.gradient(batch, settings);
        let norm = gradient.clone().square().sum().sqrt();
        let total = losses.total.inner();
        let good = norm.clone().is_finite().bool_and(total.is_finite());
        let is_clipped = norm.clone().greater_scalar(settings.gradient_clip).float();
        let known = [target_entropy(batch) as f32, 1.0];
        let known = Tensor::from_floats(known, &norm.device());
        let values = vec![losses.heads, losses.value_accuracy, norm, is_clipped, known];
        self.sums.add(Tensor::cat(values, 0), &good);

        let gradient = GradientClipping::Norm(settings.gradient_clip).clip_gradient(gradient);
        let [weights, mean, square] = self.updated(&gradient, settings);
        self.n_updates += 1;
        self.n_averaged += 1;
        let good = good.expand([self.order.n_values]);
        let keep = |old: &mut Tensor<1>, new: Tensor<1>| {
            *old = old.clone().mask_where(good.clone(), new);
        };
        keep(&mut self.weights, weights);
        keep(&mut self.mean, mean);
        keep(&mut self.square, square);
        let share = average_share(settings.ema_decay, self.n_averaged);
        let difference = self.weights.clone() - self.average.clone();
        let average = self.average.clone() + difference * share;
        keep(&mut self.average, average);
        if self.sums.n_steps < settings.steps_between_reports {
            return Ok(None);
        }
        self.report()
    }

    fn report(&mut self) -> Result<Option<StepSums>, ModelError> {
        if self.sums.n_steps == 0 {
            return Ok(None);
        }
        let sums = self.sums.read()?;
        self.sums = Sums::new(&self.device);
        // Skipped steps are not updates, which is only known now.
        self.n_updates -= sums.n_skipped;
        self.n_averaged -= sums.n_skipped;
        Ok(Some(sums))
    }

    fn state(&self) -> Result<LearnerState, ModelError> {
        let vectors = [&self.weights, &self.average, &self.mean, &self.square];
        let register =
            |transaction: Transaction, vector: &Tensor<1>| transaction.register(vector.clone());
        let transaction = vectors.into_iter().fold(Transaction::default(), register);
        let data = transaction.try_execute().map_err(device_error)?;
        let mut data = data.into_iter().map(|data| self.order.download(data));
        let mut next = || data.next().expect("the transaction has read every vector");
        Ok(LearnerState {
            weights: next()?,
            average: next()?,
            gradient_mean: next()?,
            gradient_square: next()?,
            optimiser_updates: self.n_updates,
            average_updates: self.n_averaged,
        })
    }
}
