//! One update of all weights, with the formula that fits each tensor.

use rayon::prelude::*;

use super::adamw::{self, AdamW};
use super::muon;
use crate::Optimizer;
use crate::backend::StepSettings;
use crate::shape::Layout;
use crate::tensor::TensorSpec;

/// The optimizer state. Vectors are `[parameter]`, in the order of a [`Layout`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Memory {
    /// The running mean of the gradient.
    pub(super) mean: Vec<f32>,
    /// The running mean of the squared gradient.
    pub(super) square: Vec<f32>,
    /// The number of updates.
    pub(super) n_updates: u64,
}

/// One tensor's part of all vectors.
struct Tensor<'a> {
    spec: &'a TensorSpec,
    values: &'a mut [f32],
    mean: &'a mut [f32],
    square: &'a mut [f32],
    gradient: &'a [f32],
}

impl Memory {
    /// Performs one update; the result does not depend on the number of threads.
    pub(super) fn update(
        &mut self,
        values: &mut [f32],
        gradient: &[f32],
        layout: &Layout,
        settings: &StepSettings,
    ) {
        self.n_updates += 1;
        let adamw = AdamW::new(settings, self.n_updates);
        let mut rest = [values, &mut self.mean, &mut self.square];
        let tensors = layout.iter().map(|(spec, range)| {
            let [values, mean, square] = rest.each_mut().map(|rest| cut_off(rest, range.len()));
            Tensor {
                spec,
                values,
                mean,
                square,
                gradient: &gradient[range],
            }
        });
        let tensors: Vec<Tensor<'_>> = tensors.collect();
        let tensors = tensors.into_par_iter().with_max_len(1);
        tensors.for_each(|tensor| tensor.update(&adamw, settings));
    }
}

/// Removes and returns the front of a slice.
fn cut_off<'a>(rest: &mut &'a mut [f32], len: usize) -> &'a mut [f32] {
    let (front, back) = std::mem::take(rest).split_at_mut(len);
    *rest = back;
    front
}

impl Tensor<'_> {
    fn update(self, adamw: &AdamW, settings: &StepSettings) {
        let Self {
            spec,
            values,
            mean,
            square,
            gradient,
        } = self;
        if settings.optimiser == Optimizer::AdamW || !spec.is_hidden {
            adamw.update(values, mean, square, gradient, spec.decays);
            return;
        }
        muon::update(values, mean, gradient, spec.shape[1], settings);
        // A run may change to AdamW, which needs a running mean of squares.
        adamw::take_squares(square, gradient);
    }
}
