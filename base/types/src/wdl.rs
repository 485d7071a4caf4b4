//! Values: probabilities of win, draw and loss.

use serde::Serialize;

use crate::softmax;

/// The minimum weight of another value in a mean: a smaller one would be lost in rounding, and the
/// mean would stop moving.
const LEAST_SHARE: f32 = 1.0 / (1 << 18) as f32;

/// Probabilities of win, draw and loss, for the side to move unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Wdl {
    /// Probability of a win.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability of a loss.
    pub loss: f32,
}

impl Wdl {
    /// A certain win.
    pub const WIN: Wdl = Wdl {
        win: 1.0,
        draw: 0.0,
        loss: 0.0,
    };
    /// A certain draw.
    pub const DRAW: Wdl = Wdl {
        win: 0.0,
        draw: 1.0,
        loss: 0.0,
    };
    /// A certain loss.
    pub const LOSS: Wdl = Wdl {
        win: 0.0,
        draw: 0.0,
        loss: 1.0,
    };

    /// The softmax of the logits of win, draw and loss.
    #[inline]
    pub fn from_logits(mut logits: [f32; 3]) -> Wdl {
        softmax(&mut logits);
        let [win, draw, loss] = logits;
        Wdl { win, draw, loss }
    }

    /// `win - loss`, in -1..=1.
    #[inline]
    pub fn value(self) -> f32 {
        self.win - self.loss
    }

    /// `win - loss + draw_score * draw`, in -1..=1: a larger `draw_score` favors draws.
    #[inline]
    pub fn utility(self, draw_score: f32) -> f32 {
        self.win - self.loss + draw_score * self.draw
    }

    /// The same probabilities from the opponent's point of view.
    #[inline]
    pub fn flipped(self) -> Wdl {
        Wdl {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }

    /// True if all three are finite numbers.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.win.is_finite() && self.draw.is_finite() && self.loss.is_finite()
    }

    /// The mean of weighted values; `None` if all weights are 0.
    #[inline]
    pub fn mean(values: impl Iterator<Item = (f32, Wdl)>) -> Option<Wdl> {
        let [mut win, mut draw, mut loss, mut mass] = [0.0; 4];
        for (weight, value) in values {
            mass += weight;
            win += weight * value.win;
            draw += weight * value.draw;
            loss += weight * value.loss;
        }
        (mass > 0.0).then(|| Wdl {
            win: win / mass,
            draw: draw / mass,
            loss: loss / mass,
        })
    }

    /// The mean of `n` values: `self` is the mean of the first `n - times`, `next` the value of
    /// each of the last `times`. With very many values, the latest ones get a larger weight.
    #[inline]
    #[must_use]
    pub fn averaged(self, next: Wdl, times: u32, n: u32) -> Wdl {
        let share = (times as f32 / n as f32).max(LEAST_SHARE);
        let mix = |mean: f32, next: f32| mean + (next - mean) * share;
        Wdl {
            win: mix(self.win, next.win),
            draw: mix(self.draw, next.draw),
            loss: mix(self.loss, next.loss),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_of_many_values_still_moves() {
        let [before, after] = [(0.4, 0.6), (0.6, 0.4)].map(|(win, loss)| Wdl {
            win,
            draw: 0.0,
            loss,
        });
        let n = 1 << 27;
        let mean = (0..n / 16).fold(before, |mean, i| mean.averaged(after, 1, n + i));
        assert!((mean.win - after.win).abs() < 0.01, "{mean:?}");
    }

    #[test]
    fn views_of_one_estimate() {
        let wdl = Wdl {
            win: 0.5,
            draw: 0.25,
            loss: 0.25,
        };
        assert_eq!(wdl.value(), 0.25);
        assert_eq!(wdl.flipped().value(), -0.25);
        assert_eq!(wdl.utility(-0.5), 0.125);
        assert_eq!(wdl.flipped().flipped(), wdl);
    }

    #[test]
    fn running_mean() {
        let mean = Wdl::WIN.averaged(Wdl::LOSS, 1, 2).averaged(Wdl::DRAW, 1, 3);
        for part in [mean.win, mean.draw, mean.loss] {
            assert!((part - 1.0 / 3.0).abs() < 1e-6);
        }
        assert_eq!(Wdl::LOSS.averaged(Wdl::DRAW, 1, 1), Wdl::DRAW);
        let mean = Wdl::WIN.averaged(Wdl::LOSS, 3, 4);
        assert_eq!((mean.win, mean.loss), (0.25, 0.75));
    }
}
