//! From the configuration's sections to the settings of each crate.

use selfplay::SelfplayConfig;

use roster::settings::search;

use crate::config::RunConfig;
use crate::evaluators::DOUBLE_BUFFER;

/// The number of threads that is meant: 0 is one per core.
pub fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Games of a generation on a device for each that is played at the same time, at least.
///
/// More places make fewer batches, and more of them mostly empty, because at the end nothing takes the places of games
/// that are over. Reckoned with the times of an H100, 4 ms for a batch of `medium` and 5 us more for each position, 4,000
/// games take three quarters of the time if 2,000 are played at a time, not 1,000; where each position takes its
/// time and a batch none, a tenth more.
const GAMES_A_PLACE: usize = 2;

/// Games that a thread plays side by side.
fn games_side_by_side(config: &RunConfig) -> usize {
    let section = &config.selfplay;
    if config.device == "cpu" {
        return section.concurrent_games;
    }
    let askers = DOUBLE_BUFFER * threads(config.threads);
    let places = section.games_per_generation as usize / (GAMES_A_PLACE * askers);
    section.concurrent_games.min(places).max(1)
}

/// Self-play as configured.
pub fn selfplay(config: &RunConfig) -> SelfplayConfig {
    let section = &config.selfplay;
    SelfplayConfig {
        search: search(&config.search),
        full_simulations: config.search.simulations,
        fast_simulations: section.fast_simulations.min(config.search.simulations),
        full_fraction: section.full_fraction,
        concurrent_games: games_side_by_side(config),
        opening_plies: section.opening_plies,
        max_plies: section.max_plies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigSources;

    #[test]
    fn a_device_plays_half_of_a_generation_at_a_time() {
        let places = |set: &[&str]| {
            let sources = ConfigSources {
                set: set.iter().map(|text| (*text).to_owned()).collect(),
                ..ConfigSources::default()
            };
            let config = sources.resolve(rules::Variant::ALL[0]).unwrap().config;
            selfplay(&config).concurrent_games
        };
        let (many, wgpu) = ("selfplay.concurrent_games=256", "device=wgpu");
        assert_eq!(places(&["threads=16", many]), 256);
        // Two askers a thread.
        assert_eq!(
            places(&[
                "threads=16",
                many,
                wgpu,
                "selfplay.games_per_generation=4096"
            ]),
            64
        );
        assert_eq!(
            places(&[
                "threads=1",
                many,
                wgpu,
                "selfplay.games_per_generation=4096"
            ]),
            256
        );
        assert_eq!(
            places(&["threads=16", wgpu, "selfplay.games_per_generation=10"]),
            1
        );
    }
}
