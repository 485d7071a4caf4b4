//! From the configuration's sections to the settings of each crate.

use engine::SearchPlayerConfig;
use search::{GumbelConfig, Mode, PuctConfig, RootNoise, SearchConfig};
use selfplay::SelfplayConfig;

use crate::config::{RunConfig, SearchMode, SearchSection};
use crate::players::PAIRS_AT_ONCE;

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Self-play explores.
    Explore,
    /// A match plays the best move found.
    Play,
}

/// The number of threads that is meant: 0 is one per core.
pub fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// The search of `section` in its own mode, for `purpose`.
pub fn search(section: &SearchSection, purpose: Purpose) -> SearchConfig {
    search_in(section.mode, section, purpose)
}

/// The search of `section` in `mode`.
fn search_in(mode: SearchMode, section: &SearchSection, purpose: Purpose) -> SearchConfig {
    let explore = purpose == Purpose::Explore;
    let mode = match mode {
        SearchMode::Gumbel => Mode::Gumbel(GumbelConfig {
            c_visit: section.c_visit,
            c_scale: section.c_scale,
            max_considered: section.max_considered,
            considered_simulations: section.considered_simulations,
            gumbel_scale: if explore { section.gumbel_scale } else { 0.0 },
        }),
        SearchMode::Puct => Mode::Puct(PuctConfig {
            exploration: section.puct_exploration,
            exploration_log: section.puct_exploration_log,
            exploration_base: section.puct_exploration_base,
            fpu_reduction: section.puct_fpu_reduction,
            root_fpu_reduction: section.puct_root_fpu_reduction,
            root_noise: explore.then_some(RootNoise {
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

/// A network player in a match. Unless a mode is asked for, it searches as in training with few
/// simulations and by PUCT with many.
pub fn play(config: &RunConfig, simulations: u32, mode: Option<SearchMode>) -> SearchPlayerConfig {
    let search = |usual| search_in(mode.unwrap_or(usual), &config.search, Purpose::Play);
    SearchPlayerConfig {
        few: search(config.search.mode),
        many: search(SearchMode::Puct),
        simulations,
        games_at_once: 2 * PAIRS_AT_ONCE,
    }
}

/// Self-play as configured.
pub fn selfplay(config: &RunConfig) -> SelfplayConfig {
    let section = &config.selfplay;
    SelfplayConfig {
        search: search(&config.search, Purpose::Explore),
        full_simulations: config.search.simulations,
        fast_simulations: section.fast_simulations.min(config.search.simulations),
        full_fraction: section.full_fraction,
        concurrent_games: section.concurrent_games,
        opening_plies: section.opening_plies,
        max_plies: section.max_plies,
    }
}
