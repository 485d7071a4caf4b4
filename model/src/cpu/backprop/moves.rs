//! Move logits from per-square heads, in both directions.

use super::layers::{Layers, ValuePlace};
use super::tape::Tape;
use crate::HeadId;
use crate::encoding::MoveTokens;

impl Layers {
    fn slot(&self, token: usize) -> usize {
        self.lattice.slots()[token]
    }
}

impl Tape {
    /// Writes the logits of a position's moves: `f[from] . t[to] / sqrt(d)` + sum of `k[captured]`.
    pub fn score(
        &self,
        layers: &Layers,
        head: HeadId,
        position: usize,
        moves: &[MoveTokens],
        logits: &mut [f32],
    ) {
        let (first, d) = (layers.squares.columns[head].start, layers.config.policy_dim);
        let scale = 1.0 / (d as f32).sqrt();
        let value = |token, column| {
            let slot = layers.slot(token);
            let place = layers.head_value(position, slot, first + column);
            self.heads[place.cell].0[place.lane]
        };
        for (mv, logit) in moves.iter().zip(logits) {
            let products = (0..d).map(|i| value(mv.from, i) * value(mv.to, d + i));
            let captures = mv.captured().map(|token| value(token, 2 * d));
            *logit = scale * products.sum::<f32>() + captures.sum::<f32>();
        }
    }

    /// The backward pass of [`Tape::score`]: adds the gradient of the logits to the gradients of
    /// the heads.
    pub fn score_back(
        &mut self,
        layers: &Layers,
        head: HeadId,
        position: usize,
        moves: &[MoveTokens],
        gradients: &[f32],
    ) {
        let (first, d) = (layers.squares.columns[head].start, layers.config.policy_dim);
        let scale = 1.0 / (d as f32).sqrt();
        let place = |token, column| layers.head_value(position, layers.slot(token), first + column);
        let value = |place: ValuePlace| self.heads[place.cell].0[place.lane];
        for (mv, &gradient) in moves.iter().zip(gradients) {
            for i in 0..d {
                let (from, to) = (place(mv.from, i), place(mv.to, d + i));
                let (f, t) = (value(from), value(to));
                self.heads_gradient[from.cell].0[from.lane] += scale * gradient * t;
                self.heads_gradient[to.cell].0[to.lane] += scale * gradient * f;
            }
            for token in mv.captured() {
                let captured = place(token, 2 * d);
                self.heads_gradient[captured.cell].0[captured.lane] += gradient;
            }
        }
    }
}
