//! What can go wrong, in the words of the command line.

use engine::PlayerError;
use model::ModelError;
use nnue::NetworkError;
use rules::pdn::PdnError;
use rules::{FenError, MoveTextError, Outcome, UnknownVariant, Variant};
use search::EvaluatorError;
use types::OutOfRange;

/// Why something could not be done. Messages are statements that say how to mend it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such game.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// A text is not a position.
    #[error("cannot read the FEN {fen:?}: {source}")]
    Fen {
        /// The text.
        fen: String,
        /// What is wrong with it.
        source: FenError,
    },
    /// A text is not a legal move.
    #[error(transparent)]
    Move(#[from] MoveTextError),
    /// A text is not a game.
    #[error("cannot read the PDN: {0}")]
    Pdn(#[from] PdnError),
    /// The network cannot be used.
    #[error("the network {name} cannot be used: {source}")]
    Model {
        /// Its file, or what stands for it.
        name: String,
        /// What is wrong.
        source: ModelError,
    },
    /// The learned evaluation cannot be used.
    #[error("the evaluation {name} cannot be used: {source}")]
    Evaluation {
        /// Its file, or what stands for it.
        name: String,
        /// What is wrong.
        source: NetworkError,
    },
    /// The agent plays another game.
    #[error("{name} plays {}, not {asked}", names(plays))]
    OtherGame {
        /// The agent.
        name: String,
        /// Its games.
        plays: Vec<Variant>,
        /// The game that it was asked about.
        asked: Variant,
    },
    /// There is nothing left to choose.
    #[error("the game is over: {}", ending(*outcome))]
    Over {
        /// How it ended.
        outcome: Outcome,
    },
    /// There is no move to take back.
    #[error("there is no move to take back: this is the start of the game")]
    AtStart,
    /// Alpha-beta search does not weigh moves by probability.
    #[error("{name} has no policy: it searches by alpha-beta; take an agent with a network")]
    NoPolicy {
        /// The agent.
        name: String,
    },
    /// It is not known what the agent is worth when it is held back.
    #[error(
        "the strength of {name} was not measured: crownhead export SOURCE --to DIR --strength writes an agent of \
         which it is known"
    )]
    NotMeasured {
        /// The agent.
        name: String,
    },
    /// The agent does not have the strength that it was asked for.
    #[error("{name}: {source}")]
    Strength {
        /// The agent.
        name: String,
        /// Its range.
        source: OutOfRange,
    },
    /// The player cannot be loaded.
    #[cfg(feature = "players")]
    #[error(transparent)]
    Load(#[from] roster::RosterError),
    /// A limit makes no sense.
    #[error("{0}")]
    Limits(String),
    /// An action of an environment is not legal.
    #[error(
        "action {action} of game {game} is not legal in {fen}: choose one that its mask allows"
    )]
    Action {
        /// The game, from 0.
        game: usize,
        /// The action.
        action: i64,
        /// The position.
        fen: String,
    },
    /// A network was stopped before it had made its nodes.
    #[error("the search was stopped before it had made its nodes")]
    Stopped,
    /// A client of the Hub protocol no longer listens.
    #[error("cannot write to the Hub client: {0}")]
    Hub(std::io::Error),
    /// A network failed.
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
