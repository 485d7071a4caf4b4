//! PUCT: a value plus an exploration bonus. Utilities are in -1..=1.

use crate::config::{Mode, SearchConfig};

/// `c(N) = c + c_log * ln((N + base) / base)`: the exploration weight after N visits to the parent.
/// Larger values explore more.
pub(crate) fn exploration(config: &SearchConfig, visits: u32) -> f32 {
    let base = config.puct_exploration_base;
    config.puct_exploration
        + config.puct_exploration_log * libm::logf((visits as f32 + base) / base)
}

/// `c(N) * sqrt(max(1, N))` for N visits in total to the moves of a node. The lower bound makes the
/// first visit follow the prior.
fn weight(config: &SearchConfig, visits: u32) -> f32 {
    exploration(config, visits) * (visits.max(1) as f32).sqrt()
}

/// Precomputed weights: one logarithm takes as long as comparing all moves.
pub(crate) struct Weights {
    /// [visits] weights for small visit counts.
    few: Vec<f32>,
    /// Weights for larger counts: `STEPS` evenly spaced values per power of two.
    many: Vec<f32>,
}

impl Weights {
    const FEW: u32 = 256;
    const STEPS: u32 = 32;
    /// The mantissa bits of an `f32` below those that select the step.
    const FRACTION_BITS: u32 = f32::MANTISSA_DIGITS - 1 - Weights::STEPS.ilog2();

    /// Precomputes the weights of PUCT; none in Gumbel mode.
    pub(crate) fn new(config: &SearchConfig) -> Weights {
        let (mut few, mut many) = (Vec::new(), Vec::new());
        if config.mode == Mode::Puct {
            few.extend((0..Weights::FEW).map(|n| weight(config, n)));
            let steps = Weights::step(Weights::FEW as f32)..=Weights::step(u32::MAX as f32) + 1;
            let visits = steps.map(|step| f32::from_bits(step << Weights::FRACTION_BITS));
            many.extend(visits.map(|visits| weight(config, visits as u32)));
        }
        Weights { few, many }
    }

    /// The index of the step at or below this visit count.
    fn step(visits: f32) -> u32 {
        visits.to_bits() >> Weights::FRACTION_BITS
    }

    /// The weight for a visit count: exact for small counts, otherwise interpolated between two
    /// steps, with a relative error below 1e-4.
    pub(crate) fn of(&self, visits: u32) -> f32 {
        if let Some(&weight) = self.few.get(visits as usize) {
            return weight;
        }
        let visits = visits as f32;
        let step = (Weights::step(visits) - Weights::step(Weights::FEW as f32)) as usize;
        let one = 1 << Weights::FRACTION_BITS;
        let share = (visits.to_bits() & (one - 1)) as f32 / one as f32;
        self.many[step] + share * (self.many[step + 1] - self.many[step])
    }
}

/// First-play urgency, `U(parent) - reduction * sqrt(visited policy mass)`: the utility of an unvisited
/// move. Lower values explore less.
pub(crate) fn first_play_urgency(parent_utility: f32, reduction: f32, visited_mass: f32) -> f32 {
    parent_utility - reduction * visited_mass.sqrt()
}

/// `U(a) + weight * P(a) / (1 + N(a))`, with a weight from [`Weights`].
pub(crate) fn upper_bound(utility: f32, weight: f32, prior: f32, visits: u32) -> f32 {
    utility + weight * prior / (1 + visits) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_grows_slowly() {
        let config = SearchConfig::KATAGO;
        assert_eq!(exploration(&config, 0), 1.0);
        // 1 + 0.45 ln(2) and 1 + 0.45 ln(21).
        assert!((exploration(&config, 500) - 1.311_916).abs() < 1e-5);
        assert!((exploration(&config, 10_000) - 2.370_035).abs() < 1e-5);
    }

    #[test]
    fn weights_are_the_same_remembered_or_not() {
        let config = SearchConfig::KATAGO;
        let weights = Weights::new(&config);
        for visits in [0, 1, 255] {
            assert_eq!(weights.of(visits), weight(&config, visits));
        }
        for visits in [
            256,
            263,
            500,
            1023,
            1024,
            10_007,
            1 << 24,
            u32::MAX - 1,
            u32::MAX,
        ] {
            let (remembered, exact) = (weights.of(visits), weight(&config, visits));
            assert!((remembered / exact - 1.0).abs() < 1e-4, "{visits}");
        }
        // 1.311916 * sqrt(500), and 2.370035 * 100.
        assert_eq!(weight(&config, 0), 1.0);
        assert!((weight(&config, 500) - 29.335).abs() < 1e-3);
        assert!((weight(&config, 10_000) - 237.0035).abs() < 1e-3);
    }

    #[test]
    fn urgency_falls_with_the_mass_tried() {
        assert_eq!(first_play_urgency(0.1, 0.2, 0.0), 0.1);
        assert!((first_play_urgency(0.1, 0.2, 0.25) - 0.0).abs() < 1e-7);
        assert_eq!(first_play_urgency(0.1, 0.0, 0.9), 0.1);
    }

    #[test]
    fn bonus_by_hand() {
        // 0.2 + 1.5 * 0.4 * sqrt(16) / (1 + 3) = 0.8.
        assert!((upper_bound(0.2, 1.5 * 4.0, 0.4, 3) - 0.8).abs() < 1e-6);
        // Without visits, the prior decides.
        assert!(upper_bound(0.0, 1.0, 0.3, 0) > upper_bound(0.0, 1.0, 0.2, 0));
    }
}
