//! PUCT: value plus an exploration bonus. Utilities are in -1..=1.

use crate::config::{Mode, PuctConfig};

/// `c(N) = c + c_log * ln((N + base) / base)`: the weight of the exploration bonus after N visits to
/// the parent. Larger values explore more.
pub(crate) fn exploration(config: &PuctConfig, visits: u32) -> f32 {
    let base = config.exploration_base;
    config.exploration + config.exploration_log * libm::logf((visits as f32 + base) / base)
}

/// `c(N) * sqrt(max(1, N))` for the visits N to all moves of a node. The lower bound makes the first visit
/// follow the prior.
fn weight(config: &PuctConfig, visits: u32) -> f32 {
    exploration(config, visits) * (visits.max(1) as f32).sqrt()
}

/// [visits] the weight of few visits: a logarithm takes as long as it takes to compare all moves.
pub(crate) struct Weights(Vec<f32>);

impl Weights {
    const FEW: u32 = 1024;

    pub(crate) fn new(mode: &Mode) -> Weights {
        Weights(match mode {
            Mode::Puct(config) => (0..Weights::FEW).map(|n| weight(config, n)).collect(),
            Mode::Gumbel(_) => Vec::new(),
        })
    }

    /// The weight of any number of visits, with the settings that these are for.
    pub(crate) fn of(&self, config: &PuctConfig, visits: u32) -> f32 {
        match self.0.get(visits as usize) {
            Some(&known) => known,
            None => weight(config, visits),
        }
    }
}

/// First-play urgency, `U(parent) - reduction * sqrt(visited policy mass)`: the utility of an unvisited
/// move. Lower values explore less.
pub(crate) fn first_play_urgency(parent_utility: f32, reduction: f32, visited_mass: f32) -> f32 {
    parent_utility - reduction * visited_mass.sqrt()
}

/// `U(a) + weight * P(a) / (1 + N(a))` with the weight of [`Weights`].
pub(crate) fn upper_bound(utility: f32, weight: f32, prior: f32, visits: u32) -> f32 {
    utility + weight * prior / (1 + visits) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_grows_slowly() {
        let config = PuctConfig::KATAGO;
        assert_eq!(exploration(&config, 0), 1.0);
        // 1 + 0.45 ln(2) and 1 + 0.45 ln(21).
        assert!((exploration(&config, 500) - 1.311_916).abs() < 1e-5);
        assert!((exploration(&config, 10_000) - 2.370_035).abs() < 1e-5);
    }

    #[test]
    fn weights_are_the_same_remembered_or_not() {
        let config = PuctConfig::KATAGO;
        let weights = Weights::new(&Mode::Puct(config));
        for visits in [0, 1, 500, 1023, 1024, 10_000] {
            assert_eq!(weights.of(&config, visits), weight(&config, visits));
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
        // Nothing visited: the prior decides.
        assert!(upper_bound(0.0, 1.0, 0.3, 0) > upper_bound(0.0, 1.0, 0.2, 0));
    }
}
