//! Players, which choose moves in many games at once.

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rules::{Game, Move};
use search::EvaluatorError;
use types::{Seed, Wdl};

use crate::time::TimeLeft;

/// A request for a move in an unfinished game.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game.
    pub game: &'a Game,
    /// The seed of the player's random choices, different for every game and ply.
    pub seed: Seed,
    /// The time on the clock of the side to move, in games with a time limit.
    pub time: Option<TimeLeft>,
}

/// A chosen move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// A legal move.
    pub mv: Move,
    /// The evaluation for the side to move, if the player has one.
    pub value: Option<Wdl>,
    /// Nodes searched.
    pub nodes: u64,
}

impl Choice {
    /// A move that was chosen without a search.
    pub fn bare(mv: Move) -> Choice {
        Choice {
            mv,
            value: None,
            nodes: 0,
        }
    }
}

/// Chooses moves in many games at once.
pub trait Player: Send {
    /// The name in tables and game records.
    fn name(&self) -> &str;

    /// Replaces `choices` by one choice per turn, in the order of `turns`.
    ///
    /// Each choice depends only on its turn, not on other turns or earlier calls, so matches are
    /// independent of threads and batches. Only with a clock does it depend on the machine.
    ///
    /// After [`PlayerError::Forfeit`], `choices` contains the choices of the turns before the
    /// forfeited game; the player can be called again with the turns after it.
    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError>;

    /// Replaces the system's clock, by which the player measures the time of its moves. The origin
    /// of the new clock is arbitrary. A player that does not measure time ignores it.
    fn use_clock(&mut self, _clock: fn() -> Duration) {}

    /// The processor time of the process that computes the player's moves; `None` if it is this
    /// process, or if the system does not report it.
    fn processor_time(&self) -> Option<Duration> {
        None
    }

    /// [`Player::choose`], given up with [`PlayerError::Stopped`] soon after `stop` is set: players
    /// that wait for another program do not wait any longer. Others finish their choices.
    ///
    /// # Errors
    /// As there.
    fn choose_until(
        &mut self,
        turns: &[Turn<'_>],
        choices: &mut Vec<Choice>,
        _stop: &AtomicBool,
    ) -> Result<(), PlayerError> {
        self.choose(turns, choices)
    }
}

/// Fills `choices` turn by turn, for players that handle one game at a time.
///
/// # Errors
/// The first error of `choose`.
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

/// The reason for a forfeit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An illegal move.
    #[error("illegal move `{text}` in {fen}")]
    IllegalMove {
        /// Its choice.
        text: String,
        /// The position.
        fen: String,
    },
    /// Time limit exceeded.
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
    /// The player ended the game instead of moving.
    #[error("ended the game: {reason}")]
    Ended {
        /// The stated reason.
        reason: String,
    },
    /// The player exited during the game, or refused to continue with a message.
    #[error("crashed: {detail}")]
    Crash {
        /// Its exit status and error output, if known, or its message.
        detail: String,
    },
}

/// The reason why a player returned no choice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The evaluation failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// A move was requested in a finished game.
    #[error("there is no legal move in {fen}: the game is over")]
    NoMoves {
        /// The position.
        fen: String,
    },
    /// The player forfeits the game of the first turn without a choice, and no other.
    #[error("player {name} forfeits a game: {fault}")]
    Forfeit {
        /// The player.
        name: String,
        /// The reason.
        fault: Fault,
    },
    /// The choice is no longer needed.
    #[error("stopped while another program was thinking")]
    Stopped,
    /// The player could not be started, or failed permanently.
    #[error("player {name}: {reason}")]
    Broken {
        /// The player.
        name: String,
        /// The reason.
        reason: Box<dyn Error + Send + Sync>,
    },
}

impl PlayerError {
    /// The error of a game that is over.
    pub fn no_moves(game: &Game) -> PlayerError {
        let fen = game.position().to_fen();
        PlayerError::NoMoves { fen }
    }
}
