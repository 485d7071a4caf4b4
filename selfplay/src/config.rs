//! Settings of self-play.

use search::SearchConfig;
use settings::settings;
use types::MAX_SIMULATIONS;

settings! {
    /// Self-play.
    pub struct SelfplayConfig {
        /// Finished games that make a generation.
        games_per_generation: u32 = 1000, range(1, 10_000_000);
        /// Games that a thread plays at a time, which is also its largest batch. On a device all
        /// threads together play at most half of a generation at a time.
        concurrent_games: usize = 32, range(1, 4096);
        /// Share of the searched moves that get a full search and are learned from; the remaining
        /// searches are fast ones, not used for training (playout cap randomisation). KataGo: 0.25.
        full_fraction: f64 = 0.5, range(0.01, 1), may_change();
        /// Simulations of a fast search. KataGo: a sixth of a full search.
        fast_simulations: u32 = 8, range(1, MAX_SIMULATIONS), may_change();
        /// A game starts after 0 to this many uniformly random moves, so that games differ.
        opening_plies: u32 = 6, range(0, 64);
        /// Moves of both sides, without the opening, at which an unfinished game is cut off. It has no
        /// result, and its last positions learn from the search's value.
        max_plies: u32 = 500, range(10, 10_000);
    }
}

/// Games of a generation on a device for each that is played at the same time, at least.
///
/// More games at a time make fewer batches, and more of them mostly empty, because at the end nothing follows games
/// that are over. Computed with the times of an H100, 4 ms for a batch of `medium` and 5 us more for each position,
/// 4,000 games take three quarters of the time if 2,000 are played at a time, not 1,000; where each position takes
/// its time and a batch none, a tenth more.
const GAMES_A_PLACE: usize = 2;

impl SelfplayConfig {
    /// The same games on a device that this many threads ask, with fewer at a time where a generation is small.
    #[must_use]
    pub fn on_device(&self, threads: usize) -> SelfplayConfig {
        let places = self.games_per_generation as usize / (GAMES_A_PLACE * threads);
        SelfplayConfig {
            concurrent_games: self.concurrent_games.min(places).max(1),
            ..self.clone()
        }
    }

    /// Faults between the values; each alone is within its range.
    #[must_use]
    pub fn contradictions(&self) -> Vec<String> {
        let is_short = self.opening_plies < self.max_plies;
        let fault = "`selfplay.opening_plies` must be below `selfplay.max_plies`";
        let faults = (!is_short).then(|| fault.to_owned());
        faults.into_iter().collect()
    }

    /// Simulations of a fast search, which has at most as many as a full one.
    #[must_use]
    pub fn fast_simulations(&self, search: &SearchConfig) -> u32 {
        self.fast_simulations.min(search.simulations)
    }
}
