//! Errors of this crate.

/// Games that cannot be rated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RatingError {
    /// There are too many players for a joint covariance.
    #[error("{players} players are too many: at most {limit} can be rated together")]
    TooManyPlayers {
        /// The number of players.
        players: usize,
        /// The maximum.
        limit: usize,
    },
    /// The likelihood could not be maximized.
    #[error("the rating fit of {players} players diverged: check the results for absurd counts")]
    NoFit {
        /// The number of players.
        players: usize,
    },
}
