//! What can go wrong in matches and ratings.

use engine::PlayerError;
use rules::Move;
use rules::pdn::PdnError;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// No fixed player has this name.
    #[error("unknown baseline {text:?}: write random, or alphabeta:depth=4 (1 to 30)")]
    UnknownBaseline {
        /// What was asked for.
        text: String,
    },
    /// A player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A player answered with a move that the rules do not allow.
    #[error("{player} plays an illegal move in {fen}: {mv:?}")]
    IllegalMove {
        /// Who.
        player: String,
        /// The move.
        mv: Move,
        /// The position.
        fen: String,
    },
    /// A player left questions unanswered.
    #[error("{player} was asked about {turns} games and answered {choices}")]
    WrongNumberOfChoices {
        /// Who.
        player: String,
        /// Questions.
        turns: usize,
        /// Answers.
        choices: usize,
    },
    /// A file of games cannot be read.
    #[error(transparent)]
    Pdn(#[from] PdnError),
    /// More players than the joint covariance has room for.
    #[error("rate {players} players: at most {limit} can be rated together")]
    TooManyPlayers {
        /// How many players were to be rated.
        players: usize,
        /// How many can be.
        limit: usize,
    },
    /// The likelihood could not be maximised.
    #[error("rate {players} players: the fit broke down; check the results for absurd counts")]
    NoFit {
        /// How many players were to be rated.
        players: usize,
    },
}
