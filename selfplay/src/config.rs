//! Settings of self-play.

use search::SearchConfig;
use settings::settings;
use types::MAX_SIMULATIONS;

settings! {
    /// Self-play.
    pub struct SelfplayConfig {
        /// Finished games per generation.
        games_per_generation: u32 = 1000, range(1, 10_000_000);
        /// Concurrent games per thread, which is also the maximum batch size of a thread. On a
        /// device, all threads together play at most half of a generation at a time.
        concurrent_games: usize = 32, range(1, 4096);
        /// Share of the searched moves that get a full search and become training samples; the
        /// remaining searches are fast ones, not used for training (playout cap randomization).
        /// KataGo: 0.25.
        full_fraction: f64 = 0.5, range(0.01, 1), may_change();
        /// Simulations of a fast search. KataGo: a sixth of a full search.
        fast_simulations: u32 = 8, range(1, MAX_SIMULATIONS), may_change();
        /// Maximum number of uniformly random moves at the start of a game, which diversify games;
        /// the number is random as well.
        opening_plies: u32 = 6, range(0, 64);
        /// Ply cap, without the opening. A truncated game has no result; its last positions are
        /// trained on the search value.
        max_plies: u32 = 500, range(10, 10_000);
    }
}

/// The minimum number of games per generation for each game played concurrently on a device.
///
/// More concurrent games make fewer batches, but more of them mostly empty, because finished games
/// are not replaced at the end. Estimated for an H100 with 4 ms per batch of `medium` and 5 us per
/// position, 4,000 games take three quarters of the time with 2,000 concurrent games instead of
/// 1,000; if only positions took time, they would take a tenth more.
const GAMES_A_PLACE: usize = 2;

impl SelfplayConfig {
    /// The settings for playing on a device with this many threads, with fewer concurrent games if
    /// a generation is small.
    #[must_use]
    pub fn on_device(&self, threads: usize) -> SelfplayConfig {
        let places = self.games_per_generation as usize / (GAMES_A_PLACE * threads);
        SelfplayConfig {
            concurrent_games: self.concurrent_games.min(places).max(1),
            ..self.clone()
        }
    }

    /// Contradictions between values that are each within range.
    #[must_use]
    pub fn contradictions(&self) -> Vec<String> {
        let is_short = self.opening_plies < self.max_plies;
        let fault = "`selfplay.opening_plies` must be below `selfplay.max_plies`";
        let faults = (!is_short).then(|| fault.to_owned());
        faults.into_iter().collect()
    }

    /// Simulations of a fast search, at most as many as in a full one.
    #[must_use]
    pub fn fast_simulations(&self, search: &SearchConfig) -> u32 {
        self.fast_simulations.min(search.simulations)
    }
}
