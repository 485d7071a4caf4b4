//! One update of all weights, with the formula that fits each tensor.

use rayon::prelude::*;

use super::adamw::{self, AdamW};
use super::muon;
use crate::Optimizer;
use crate::backend::{LearnerState, StepSettings};
use crate::shape::Layout;
use crate::tensor::TensorSpec;

/// One tensor's part of all vectors.
struct Tensor<'a> {
    spec: &'a TensorSpec,
    values: &'a mut [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
    gradient: &'a [f32],
}

/// Performs one update of the weights and their moments; the result does not depend on the number
/// of threads.
pub(super) fn update(
    state: &mut LearnerState,
    gradient: &[f32],
    layout: &Layout,
    settings: &StepSettings,
) {
    state.optimiser_updates += 1;
    let adamw = AdamW::new(settings, state.optimiser_updates);
    let (mean, square) = (&mut state.gradient_mean, &mut state.gradient_square);
    let mut rest = [&mut state.weights[..], mean, square];
    let tensors = layout.tensors.iter().map(|(spec, range)| {
        let parts = rest
            .each_mut()
            .map(|rest| rest.split_off_mut(..range.len()));
        let [values, mean, square] = parts.map(|part| part.expect("one value a parameter"));
        Tensor {
            spec,
            values,
            mean,
            square,
            gradient: &gradient[range.clone()],
        }
    });
    let tensors: Vec<Tensor<'_>> = tensors.collect();
    let tensors = tensors.into_par_iter().with_max_len(1);
    tensors.for_each(|tensor| tensor.update(&adamw, settings));
}

impl Tensor<'_> {
    fn update(self, adamw: &AdamW, settings: &StepSettings) {
        if settings.optimiser == Optimizer::AdamW || !self.spec.is_hidden {
            let decays = self.spec.decays;
            adamw.update(self.values, self.mean, self.square, self.gradient, decays);
            return;
        }
        let n_columns = self.spec.shape[1];
        muon::update(self.values, self.mean, self.gradient, n_columns, settings);
        // A run may change to AdamW, which needs a running mean of squares.
        adamw::take_squares(self.square, self.gradient);
    }
}
