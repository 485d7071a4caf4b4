//! What can go wrong, in the words of the command line.

use std::path::PathBuf;

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
    /// A file cannot be read.
    #[error("failed to read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A folder holds nothing that plays.
    #[error(
        "{} holds no agent: give a folder with model.safetensors (crownhead export writes one) or \
         evaluation.safetensors (crownhead distill writes one)",
        path.display()
    )]
    NoAgent {
        /// The folder.
        path: PathBuf,
    },
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
    /// No such agent comes with the program.
    #[error("no {kind} of {variant} is bundled, only of {known}")]
    NotBundled {
        /// A network or an evaluation.
        kind: &'static str,
        /// The game.
        variant: Variant,
        /// The games that have one.
        known: String,
    },
    /// The agent plays another game.
    #[error("{name} plays {plays}, not {asked}")]
    OtherGame {
        /// The agent.
        name: String,
        /// Its game.
        plays: Variant,
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

fn ending(outcome: Outcome) -> String {
    match outcome.winner() {
        Some(winner) => format!("{winner} has won ({})", outcome.reason()),
        None => format!("a draw ({})", outcome.reason()),
    }
}
