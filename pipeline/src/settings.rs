//! From the configuration's sections to the settings of each crate.

use engine::SearchPlayerConfig;
use search::{GumbelConfig, Mode, PuctConfig, RootNoise, SearchConfig};
use selfplay::SelfplayConfig;

use crate::config::{RunConfig, SearchMode, SearchSection};
use crate::evaluators::DOUBLE_BUFFER;
use crate::players::PAIRS_AT_ONCE;

/// The number of threads that is meant: 0 is one per core.
pub fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// The search of `section` in its own mode.
pub fn search(section: &SearchSection) -> SearchConfig {
    search_in(section.mode, section)
}

/// The search of `section` in `mode`.
pub(crate) fn search_in(mode: SearchMode, section: &SearchSection) -> SearchConfig {
    let mode = match mode {
        SearchMode::Gumbel => Mode::Gumbel(GumbelConfig {
            c_visit: section.c_visit,
            c_scale: section.c_scale,
            max_considered: section.max_considered,
            considered_simulations: section.considered_simulations,
            gumbel_scale: section.gumbel_scale,
        }),
        SearchMode::Puct => Mode::Puct(PuctConfig {
            exploration: section.puct_exploration,
            exploration_log: section.puct_exploration_log,
            exploration_base: section.puct_exploration_base,
            fpu_reduction: section.puct_fpu_reduction,
            root_fpu_reduction: section.puct_root_fpu_reduction,
            policy_temperature: section.puct_policy_temperature,
            root_noise: (section.puct_noise_weight > 0.0).then_some(RootNoise {
                total_alpha: section.puct_noise_alpha,
                weight: section.puct_noise_weight,
            }),
        }),
    };
    SearchConfig {
        mode,
        draw_score: section.draw_score,
    }
}

/// A network player in a match, which plays the best move found. It searches as in training with few
/// simulations and by PUCT with many.
pub fn play(config: &RunConfig, simulations: u32) -> SearchPlayerConfig {
    play_in(&config.search.without_noise(), simulations, None)
}

/// A network player that searches as `section` says, in a mode that was asked for or in the usual ones.
pub(crate) fn play_in(
    section: &SearchSection,
    simulations: u32,
    mode: Option<SearchMode>,
) -> SearchPlayerConfig {
    let search = |usual| search_in(mode.unwrap_or(usual), section);
    SearchPlayerConfig {
        few: search(section.mode),
        many: search(SearchMode::Puct),
        simulations,
        games_at_once: 2 * PAIRS_AT_ONCE,
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
