//! Errors of this crate.

use engine::PlayerError;
use ratings::RatingError;
use rules::Move;
use rules::pdn::PdnError;

/// Errors of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// No baseline has this name.
    #[error(
        "unknown baseline {text:?}: write random, alphabeta:depth=4, learned:depth=4 (1 to 30) or \
         diluted:random=20 (1 to 99)"
    )]
    UnknownBaseline {
        /// The name.
        text: String,
    },
    /// A player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Pairs could not be played elsewhere.
    #[error(transparent)]
    Runner(Box<dyn std::error::Error + Send + Sync>),
    /// Too many games say nothing about a player's moves.
    #[error(
        "{player} forfeited {n_forfeits} of {n_games} games, by time, illegal moves or its end: that \
         is not a measure of strength"
    )]
    Forfeits {
        /// The player.
        player: String,
        /// Games that it forfeited.
        n_forfeits: usize,
        /// Games that it played.
        n_games: usize,
    },
    /// A player chose an illegal move.
    #[error("{player} played an illegal move in {fen}: {mv:?}")]
    IllegalMove {
        /// The player.
        player: String,
        /// The move.
        mv: Move,
        /// The position.
        fen: String,
    },
    /// A player returned the wrong number of moves.
    #[error("{player} returned {choices} moves for {turns} games")]
    WrongNumberOfChoices {
        /// The player.
        player: String,
        /// Games that it was asked about.
        turns: usize,
        /// Moves that it returned.
        choices: usize,
    },
    /// A file of games cannot be read.
    #[error(transparent)]
    Pdn(#[from] PdnError),
    /// The file of openings cannot be read.
    #[error("failed to read the openings")]
    OpeningsUnreadable(#[source] std::io::Error),
    /// A file of openings cannot be used, or one of its openings. The message says why.
    #[error("{0}")]
    Openings(String),
    /// A tournament cannot be resumed with other terms.
    #[error(
        "the tournament has {what} {stored}, not {asked}: resume it with {what} {stored}, or start \
         another one"
    )]
    OtherTerms {
        /// The term that differs.
        what: &'static str,
        /// Its value in the tournament.
        stored: String,
        /// The requested value.
        asked: String,
    },
    /// Two players of a tournament have the same name.
    #[error("player {player} is listed twice")]
    NamedTwice {
        /// The name.
        player: String,
    },
    /// A stored tournament is inconsistent.
    #[error("meeting {meeting} of the stored tournament has invalid players or points")]
    BrokenTournament {
        /// Its number, counted from 0.
        meeting: usize,
    },
    /// The games cannot be rated.
    #[error(transparent)]
    Rating(#[from] RatingError),
}
