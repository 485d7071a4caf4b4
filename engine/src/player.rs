//! What a player is: somebody who answers "what do you play here?" for many games at once.

use std::error::Error;
use std::time::Duration;

use rules::{Game, Move};
use search::{EvaluatorError, Wdl};

use crate::time::TimeLeft;

/// One question: a game that is not over.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game; its mover is asked.
    pub game: &'a Game,
    /// Seeds whatever the player leaves to chance here. Different for every game and ply.
    pub seed: u64,
    /// What the mover's clock shows, in games with a time limit.
    pub time: Option<TimeLeft>,
}

/// One answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move, a legal one.
    pub mv: Move,
    /// What the mover expects of the game, if the player has an opinion.
    pub value: Option<Wdl>,
    /// Positions looked at: a measure of the work done.
    pub nodes: u64,
}

/// Somebody who plays.
pub trait Player: Send {
    /// How the player is called in tables and game records.
    fn name(&self) -> &str;

    /// Replaces `choices` by one choice per turn, in the order of `turns`.
    ///
    /// Each choice is a function of its turn alone: neither the other turns nor earlier calls
    /// change it. That is what makes matches independent of threads and batches. Only who plays
    /// against a clock depends on the machine.
    ///
    /// After [`PlayerError::Forfeit`] `choices` holds the answers to the turns before the one
    /// whose game is lost; the player can be asked about the turns behind it.
    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError>;
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        (**self).choose(turns, choices)
    }
}

/// How a player lost a game that was not over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It answered something that is not a legal move.
    #[error("illegal move `{text}` in {fen}")]
    IllegalMove {
        /// The answer.
        text: String,
        /// The position.
        fen: String,
    },
    /// It used more time than it had.
    #[error(
        "out of time: {:.3} s used of {:.3} s",
        used.as_secs_f64(),
        limit.as_secs_f64()
    )]
    OutOfTime {
        /// What it used until the game was broken off.
        used: Duration,
        /// What it had.
        limit: Duration,
    },
    /// It ended in the middle of the game.
    #[error("broke down: {detail}")]
    Breakdown {
        /// What is known of it.
        detail: String,
    },
}

/// Why a player gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The network could not evaluate.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The player was asked about a game that is over.
    #[error("no legal move in {fen}: ask for the outcome before asking a player")]
    NoMoves {
        /// The position.
        fen: String,
    },
    /// The game of the first turn without a choice is lost for this player; others are not.
    #[error("player {name} forfeits a game: {fault}")]
    Forfeit {
        /// Who.
        name: String,
        /// Why.
        fault: Fault,
    },
    /// The player could not be made, or broke down for good.
    #[error("player {name}: {reason}")]
    Broken {
        /// Who.
        name: String,
        /// Why.
        reason: Box<dyn Error + Send + Sync>,
    },
}
