//! Followers as players.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rules::{Game, Variant};

use super::connection::{Connection, DxpError};
use super::message::{Acceptance, GameRequest, Message, MoveMessage, Reason};
use crate::hub::Deadline;
use crate::player::{Choice, Fault, Player, PlayerError, Turn, choose_in_turn};

/// The initiator's name.
const NAME: &str = "Crownhead";
/// The timeout for answers other than moves.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The time after its clock has run out at which a follower counts as hung. Time forfeits are
/// decided by the match.
const GRACE: Duration = Duration::from_secs(1);

/// Settings of a [`DxpPlayer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DxpPlayerConfig {
    /// The follower's `HOST:PORT`.
    pub address: String,
    /// The variant.
    pub variant: Variant,
    /// The follower's time for a game in minutes, 1 to 999.
    pub minutes: u32,
}

/// A follower at some address.
///
/// It plays one game at a time. As long as the turns belong to one game, the follower has the
/// complete game from its first move, including at most one move of the opponent before it;
/// otherwise a new game is requested from the current position. The follower forfeits the game if
/// it does not answer, makes an illegal move, or ends the game.
pub struct DxpPlayer {
    name: String,
    config: DxpPlayerConfig,
    /// `None` after an error.
    connection: Option<Connection>,
    /// The current game from the follower's point of view.
    game: Option<Game>,
}

impl DxpPlayer {
    /// Connects to the follower.
    pub fn new(name: impl Into<String>, config: DxpPlayerConfig) -> Result<DxpPlayer, PlayerError> {
        let mut player = DxpPlayer {
            name: name.into(),
            config,
            connection: None,
            game: None,
        };
        player.connection = Some(player.connect()?);
        Ok(player)
    }

    fn connect(&self) -> Result<Connection, PlayerError> {
        Connection::open(&self.config.address).map_err(|error| self.broken(error))
    }

    fn broken(&self, error: DxpError) -> PlayerError {
        PlayerError::Broken {
            name: self.name.clone(),
            reason: error.into(),
        }
    }

    fn answer(&mut self, turn: &Turn<'_>, stop: &AtomicBool) -> Result<Choice, PlayerError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let limit = turn.time.map_or(
            Duration::from_mins(self.config.minutes.into()) + ANSWER_TIMEOUT,
            |time| time.limit(),
        );
        let grace = turn.time.map_or(Duration::ZERO, |_| GRACE);
        let deadline = Deadline::after(limit + grace);
        let known = self.game.take();
        let asked = self
            .tell(&mut connection, known, turn.game)
            .and_then(|()| listen(&mut connection, turn.game, deadline, stop));
        let fault = match asked {
            Ok(choice) => {
                let mut game = turn.game.clone();
                game.play(choice.mv);
                self.game = Some(game);
                self.connection = Some(connection);
                return Ok(choice);
            }
            Err(DxpError::Ended { reason }) => {
                // The connection is still usable.
                self.connection = Some(connection);
                Fault::Ended {
                    reason: reason.to_string(),
                }
            }
            Err(DxpError::Stopped) => return Err(PlayerError::Stopped),
            Err(error @ DxpError::Refused { .. }) => return Err(self.broken(error)),
            Err(DxpError::IllegalMove { message, fen }) => {
                Fault::IllegalMove { text: message, fen }
            }
            Err(DxpError::Silent { waited, .. }) => Fault::OutOfTime {
                used: waited,
                limit,
            },
            Err(error) => Fault::Crash {
                detail: error.to_string(),
            },
        };
        Err(PlayerError::Forfeit {
            name: self.name.clone(),
            fault,
        })
    }

    /// Brings the follower to a position with its turn to move.
    fn tell(
        &self,
        connection: &mut Connection,
        known: Option<Game>,
        game: &Game,
    ) -> Result<(), DxpError> {
        let is_next = |known: &Game| {
            known.start() == game.start()
                && known.moves().len() + 1 == game.moves().len()
                && game.moves().starts_with(known.moves())
        };
        if known.as_ref().is_some_and(is_next) {
            return send_last_move(connection, game);
        }
        if known.is_some() {
            end(connection)?;
        }
        let mover = game.position().turn();
        let begins = game.moves().len() <= 1;
        let start = if begins {
            game.start()
        } else {
            game.position()
        };
        let (minutes, moves) = (self.config.minutes, 0);
        let request = Message::Request(GameRequest::new(NAME, mover, minutes, moves, start));
        connection.send(&request)?;
        let deadline = Deadline::after(ANSWER_TIMEOUT);
        match connection.receive("answer to a request", deadline)? {
            Message::Answer {
                acceptance: Acceptance::Accepted,
                ..
            } => {}
            Message::Answer { name, .. } => {
                let request = request.to_string();
                return Err(DxpError::Refused { name, request });
            }
            other => return Err(unexpected(&other, "the answer to a request")),
        }
        if begins && !game.moves().is_empty() {
            send_last_move(connection, game)?;
        }
        Ok(())
    }
}

fn send_last_move(connection: &mut Connection, game: &Game) -> Result<(), DxpError> {
    let mut before = Game::new(*game.start());
    let Some((&last, earlier)) = game.moves().split_last() else {
        return Ok(());
    };
    earlier.iter().for_each(|mv| before.play(*mv));
    let message = MoveMessage::new(before.position(), last, 0);
    connection.send(&Message::Move(message))
}

/// Ends the game on the initiator's turn.
fn end(connection: &mut Connection) -> Result<(), DxpError> {
    connection.send(&END)?;
    let deadline = Deadline::after(ANSWER_TIMEOUT);
    match connection.receive("end of the game", deadline)? {
        Message::End { .. } => Ok(()),
        other => Err(unexpected(&other, "the end of the game")),
    }
}

const END: Message = Message::End {
    reason: Reason::Unknown,
    is_last: false,
};

/// Waits for the follower's move.
fn listen(
    connection: &mut Connection,
    game: &Game,
    deadline: Deadline,
    stop: &AtomicBool,
) -> Result<Choice, DxpError> {
    loop {
        match connection.receive_until("move", deadline, stop)? {
            Message::Move(message) => {
                let position = game.position();
                let mv = message.read(position).map_err(|_| DxpError::IllegalMove {
                    fen: position.to_fen(),
                    message: Message::Move(message).to_string(),
                })?;
                return Ok(Choice::bare(mv));
            }
            Message::End { reason, .. } => {
                connection.send(&END)?;
                return Err(DxpError::Ended { reason });
            }
            Message::Back { .. } => {
                connection.send(&Message::BackAnswer { is_accepted: false })?;
            }
            other => return Err(unexpected(&other, "a move")),
        }
    }
}

pub(super) fn unexpected(message: &Message, expected: &'static str) -> DxpError {
    DxpError::Unexpected {
        message: message.to_string(),
        expected,
    }
}

impl Player for DxpPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        self.choose_until(turns, choices, &AtomicBool::new(false))
    }

    fn choose_until(
        &mut self,
        turns: &[Turn<'_>],
        choices: &mut Vec<Choice>,
        stop: &AtomicBool,
    ) -> Result<(), PlayerError> {
        choose_in_turn(turns, choices, |turn| self.answer(turn, stop))
    }
}

impl Drop for DxpPlayer {
    /// Ends a game in progress, as it is the initiator's turn.
    fn drop(&mut self) {
        if let (Some(connection), Some(_)) = (&mut self.connection, &self.game) {
            // If this fails, the follower still notices the closed connection.
            let _ = connection.send(&Message::End {
                reason: Reason::Unknown,
                is_last: true,
            });
        }
    }
}
