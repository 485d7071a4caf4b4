//! What can go wrong in matches and ratings.

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The likelihood could not be maximised.
    #[error("rate {players} players: the fit broke down; check the results for absurd counts")]
    NoFit {
        /// How many players were to be rated.
        players: usize,
    },
}
