//! Estimates the time of a generation from the first seconds of its self-play.

use std::time::Duration;

use crate::config::RunConfig;

/// The plies of a game of networks that have learned little, as a share of the most allowed.
const SHARE_OF_PLIES: f64 = 0.25;

/// The pace of self-play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Evaluations of the network a second, those that were remembered included.
    pub evaluations_per_s: f64,
    /// Expected time of the self-play of a whole generation.
    pub self_play: Duration,
}

impl Pace {
    /// Time of self-play after which its pace is known.
    pub const KNOWN_AFTER: Duration = Duration::from_secs(10);

    /// The pace of a self-play that has asked for this number of evaluations; `None` before the
    /// first one.
    #[must_use]
    pub fn new(config: &RunConfig, evaluations: u64, elapsed: Duration) -> Option<Pace> {
        let evaluations_per_s = evaluations as f64 / elapsed.as_secs_f64();
        let seconds = evaluations_of_a_generation(config) / evaluations_per_s;
        Some(Pace {
            evaluations_per_s,
            self_play: Duration::try_from_secs_f64(seconds).ok()?,
        })
    }
}

/// Evaluations that the self-play of a generation is expected to take.
fn evaluations_of_a_generation(config: &RunConfig) -> f64 {
    let plies = SHARE_OF_PLIES * f64::from(config.selfplay.max_plies);
    f64::from(config.selfplay.games_per_generation) * plies * mean_simulations(config)
}

/// Simulations of a search in self-play, on average.
#[must_use]
pub fn mean_simulations(config: &RunConfig) -> f64 {
    let full = config.selfplay.full_fraction;
    let fast = f64::from(config.selfplay.fast_simulations);
    full * f64::from(config.search.simulations) + (1.0 - full) * fast
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;
    use crate::config::ConfigSources;

    #[test]
    fn the_pace_follows_from_the_evaluations() {
        let variant = Variant::ALL[0];
        let config = ConfigSources::default().resolve(variant).unwrap().config;
        let all = evaluations_of_a_generation(&config);
        let pace = Pace::new(&config, (all / 6.0) as u64, Pace::KNOWN_AFTER).unwrap();
        assert_eq!(pace.self_play.as_secs_f64().round(), 60.0);
        assert_eq!(Pace::new(&config, 0, Pace::KNOWN_AFTER), None);
    }
}
