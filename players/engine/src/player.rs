//! Players: they choose moves in many games at once.

use std::error::Error;
use std::time::Duration;

use rules::{Game, Move};
use search::EvaluatorError;
use types::{Seed, Wdl};

use crate::time::TimeLeft;

/// A query: a game that is not over.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game.
    pub game: &'a Game,
    /// Seeds the player's random choices. Different for every game and ply.
    pub seed: Seed,
    /// The time on the mover's clock, in games with a time limit.
    pub time: Option<TimeLeft>,
}

/// A chosen move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// A legal move.
    pub mv: Move,
    /// The evaluation from the mover's view, if the player has one.
    pub value: Option<Wdl>,
    /// Nodes searched.
    pub nodes: u64,
}

/// Chooses moves in many games at once.
pub trait Player: Send {
    /// The name in tables and game records.
    fn name(&self) -> &str;

    /// Replaces `choices` by one choice per turn, in the order of `turns`.
    ///
    /// Each choice is a function of its turn alone, not of other turns or earlier calls, which makes
    /// matches independent of threads and batches. Only with a clock it depends on the machine.
    ///
    /// After [`PlayerError::Forfeit`] `choices` holds the choices of the turns before the one whose game
    /// is forfeited; the player can be called again with the turns after it.
    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError>;
}

/// Fills `choices` turn by turn, for players that think about one game at a time.
///
/// # Errors
/// The first one of `choose`.
pub fn choose_in_turn(
    turns: &[Turn<'_>],
    choices: &mut Vec<Choice>,
    mut choose: impl FnMut(&Turn<'_>) -> Result<Choice, PlayerError>,
) -> Result<(), PlayerError> {
    choices.clear();
    for turn in turns {
        choices.push(choose(turn)?);
    }
    Ok(())
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        (**self).choose(turns, choices)
    }
}

/// Why a player forfeited a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It did not choose a legal move.
    #[error("illegal move `{text}` in {fen}")]
    IllegalMove {
        /// Its choice.
        text: String,
        /// The position.
        fen: String,
    },
    /// It exceeded its time limit.
    #[error(
        "out of time: {:.3} s used of {:.3} s",
        used.as_secs_f64(),
        limit.as_secs_f64()
    )]
    OutOfTime {
        /// The time used.
        used: Duration,
        /// The limit.
        limit: Duration,
    },
    /// It ended the game instead of making a move.
    #[error("ended the game: {reason}")]
    Ended {
        /// The reason that it gave.
        reason: String,
    },
    /// It ended during the game, or gave up with a message.
    #[error("crashed: {detail}")]
    Crash {
        /// Exit status and error output, as far as known, or its message.
        detail: String,
    },
}

/// Why a player made no choice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The evaluation failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// The player was asked for a move in a game that is over.
    #[error("there is no legal move in {fen}: the game is over")]
    NoMoves {
        /// The position.
        fen: String,
    },
    /// The player forfeits the game of the first turn without a choice, and no other one.
    #[error("player {name} forfeits a game: {fault}")]
    Forfeit {
        /// The player.
        name: String,
        /// The reason.
        fault: Fault,
    },
    /// The player could not be started, or failed permanently.
    #[error("player {name}: {reason}")]
    Broken {
        /// The player.
        name: String,
        /// The reason.
        reason: Box<dyn Error + Send + Sync>,
    },
}
