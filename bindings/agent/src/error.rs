//! Errors, with the same messages as the command line.

use engine::PlayerError;
use model::ModelError;
use nnue::NetworkError;
use rules::pdn::PdnError;
use rules::{FenError, MoveTextError, Outcome, UnknownVariant, Variant};
use search::EvaluatorError;
use types::OutOfRange;

/// Error of this crate. Messages state the problem and how to fix it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Unknown variant.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// Unknown encoding.
    #[error(transparent)]
    Encoding(#[from] encoding::UnknownEncoding),
    /// Invalid FEN.
    #[error("cannot read the FEN {fen:?}: {source}")]
    Fen {
        /// The text.
        fen: String,
        /// The error in it.
        source: FenError,
    },
    /// Invalid or illegal move.
    #[error(transparent)]
    Move(#[from] MoveTextError),
    /// Invalid PDN.
    #[error("cannot read the PDN: {0}")]
    Pdn(#[from] PdnError),
    /// The network cannot be used.
    #[error("the network {name} cannot be used: {source}")]
    Model {
        /// Its file name, or the name given instead.
        name: String,
        /// The cause.
        source: ModelError,
    },
    /// The learned evaluation cannot be used.
    #[error("the evaluation {name} cannot be used: {source}")]
    Evaluation {
        /// Its file name, or the name given instead.
        name: String,
        /// The cause.
        source: NetworkError,
    },
    /// The agent plays other games.
    #[error("{name} plays {}, not {asked}", names(plays))]
    OtherGame {
        /// The agent.
        name: String,
        /// Its games.
        plays: Vec<Variant>,
        /// The requested game.
        asked: Variant,
    },
    /// The game is over.
    #[error("the game is over: {}", ending(*outcome))]
    Over {
        /// The outcome.
        outcome: Outcome,
    },
    /// There is no move to take back.
    #[error("there is no move to take back: this is the start of the game")]
    AtStart,
    /// Only networks have move probabilities.
    #[error(
        "{name} has no policy: use an agent with a network, without options such as sims=16 after \
         its name"
    )]
    NoPolicy {
        /// The agent.
        name: String,
    },
    /// The agent has no measured strengths.
    #[error(
        "the strength of {name} was not measured: crownhead export SOURCE --to DIR --strength \
         creates an agent with measured strengths"
    )]
    NotMeasured {
        /// The agent.
        name: String,
    },
    /// The requested strength is out of range.
    #[error("{name}: {source}")]
    Strength {
        /// The agent.
        name: String,
        /// The valid range.
        source: OutOfRange,
    },
    /// The player cannot be loaded.
    #[cfg(feature = "players")]
    #[error(transparent)]
    Load(#[from] roster::RosterError),
    /// An invalid limit.
    #[error("{0}")]
    Limits(String),
    /// An illegal action of an environment.
    #[error(
        "action {action} of game {game} is not legal in {fen}: choose one that is set in its mask"
    )]
    Action {
        /// Index of the game.
        game: usize,
        /// The action.
        action: i64,
        /// The position.
        fen: String,
    },
    /// A network's search was stopped before its node limit.
    #[error("the search was stopped before it reached its node limit")]
    Stopped,
    /// A client of the Hub protocol is gone.
    #[error("cannot write to the Hub client: {0}")]
    Hub(std::io::Error),
    /// The network failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The search failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

#[cfg(feature = "players")]
impl From<roster::RequestError> for Error {
    fn from(error: roster::RequestError) -> Error {
        Error::Load(error.into())
    }
}

fn names(games: &[Variant]) -> String {
    let names: Vec<&str> = games.iter().map(|game| game.name()).collect();
    names.join(", ")
}

fn ending(outcome: Outcome) -> String {
    match outcome.winner() {
        Some(winner) => format!("{winner} has won ({})", outcome.reason()),
        None => format!("a draw ({})", outcome.reason()),
    }
}
