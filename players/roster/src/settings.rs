//! Defaults of players, and the search of a network that plays.

use config::{RunConfig, SearchMode, SearchSection};
use engine::SearchPlayerConfig;
use search::{GumbelConfig, Mode, PuctConfig, RootNoise, SearchConfig};

use crate::PAIRS_AT_ONCE;

/// Simulations a move of a network without other limits.
pub const USUAL_SIMULATIONS: u32 = 64;
/// Positions a move of alpha-beta search without other limits.
pub const USUAL_NODES: u64 = 100_000;
/// Bytes of the transposition table of alpha-beta search without an option `hash`.
pub const TABLE_MEMORY: usize = 64 << 20;
/// Bytes in which each thread remembers evaluations of a network. In trained self-play of english a
/// megabyte holds 31 % of them, eight 35 % and 64 only 37 %.
pub const CACHE_MEMORY: usize = 8 << 20;
/// The most threads that may search one position.
pub const MAX_THREADS: u32 = 256;
/// The most megabytes for one position.
pub const MAX_HASH: u32 = 65_536;

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
