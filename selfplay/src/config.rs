//! Settings of self-play.

use search::SearchConfig;

/// Settings of self-play.
#[derive(Clone, Debug)]
pub struct SelfplayConfig {
    /// The search of every move that is not forced.
    pub search: SearchConfig,
    /// Simulations of a full search, whose result becomes a policy target.
    pub full_simulations: u32,
    /// Simulations of a fast search, which gives no policy target (playout-cap randomisation, Wu 2019,
    /// section 3.1).
    pub fast_simulations: u32,
    /// Probability that a search is a full one, 0 to 1. KataGo: 0.25.
    pub full_fraction: f64,
    /// Games each worker plays at once, which is also its largest evaluation batch.
    pub concurrent_games: usize,
    /// A game begins with 0 to this many uniformly random plies, so that games differ.
    pub opening_plies: u32,
    /// Plies after the opening at which an unfinished game is truncated. A truncated game has no result: the last
    /// search's value takes its place.
    pub max_plies: u32,
}
