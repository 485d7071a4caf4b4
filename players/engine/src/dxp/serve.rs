//! The follower: an analyzer that plays with any initiator.

use std::time::{Duration, Instant};

use rules::{Color, Game, Outcome, Variant};
use types::Seed;

use super::connection::{Connection, DxpError};
use super::message::{Acceptance, GameRequest, Message, MoveMessage, Reason, VERSION};
use super::player::unexpected;
use crate::analyzer::{Analyzer, SearchLimits, Stopper, Task};
use crate::hub::Deadline;
use crate::time::TimeLeft;

/// The timeout for messages of the other program, if its time for a game is not longer.
const PATIENCE: Duration = Duration::from_secs(3600);
/// The time per move in games without a time limit.
const MOVE_TIME: Duration = Duration::from_secs(1);
/// Time between the acceptance of a game and the follower's first move at least.
const FIRST_MOVE_PAUSE: Duration = Duration::from_millis(200);

/// A finished or aborted game.
pub struct PlayedGame {
    /// The other program's name.
    pub opponent: String,
    /// The follower's color.
    pub color: Color,
    /// The game. It has no outcome if the programs agreed to end it early.
    pub game: Game,
    /// The reason for the end, from the point of view of the program that ended it.
    pub reason: Reason,
    /// True if the follower ended it.
    pub is_ended_here: bool,
}

/// Serves one initiator until it leaves or announces that it wants no further games.
///
/// The analyzer uses the time given by the initiator, or one second per move if there is none. Its
/// seed is a function of the position. Moves are taken back on request. At the agreed number of
/// moves the game ends without a result.
///
/// # Errors
/// When the initiator violates the protocol, makes an illegal move, or is silent for an hour or for
/// longer than a game may last. A chat message tells it the reason.
pub fn serve(
    connection: &mut Connection,
    name: &str,
    variant: Variant,
    analyzer: &mut dyn Analyzer,
    after_game: &mut dyn FnMut(&PlayedGame),
) -> Result<(), DxpError> {
    let mut seat = Seat {
        connection,
        name,
        variant,
        analyzer,
        after_game,
        table: None,
        awaits_receipt: false,
    };
    let followed = seat.follow();
    if let Some(table) = seat.table.take() {
        (seat.after_game)(&table.played(Reason::Unknown, false));
    }
    match followed {
        Err(DxpError::Gone { .. }) => Ok(()),
        Err(error) => {
            // A failure to send this is ignored.
            let _ = seat.connection.send(&Message::Chat(error.to_string()));
            Err(error)
        }
        Ok(()) => Ok(()),
    }
}

struct Seat<'a> {
    connection: &'a mut Connection,
    name: &'a str,
    variant: Variant,
    analyzer: &'a mut dyn Analyzer,
    after_game: &'a mut dyn FnMut(&PlayedGame),
    /// The game in progress.
    table: Option<Table>,
    /// True if the initiator has yet to acknowledge the end of a game.
    awaits_receipt: bool,
}

/// A game in progress.
struct Table {
    opponent: String,
    color: Color,
    game: Game,
    /// When the game was accepted.
    accepted: Instant,
    /// The follower's time for the game, and the time used.
    time: Duration,
    used: Duration,
    /// The number of moves after which the game may be ended, if any.
    moves: Option<u32>,
}

impl Seat<'_> {
    fn follow(&mut self) -> Result<(), DxpError> {
        loop {
            self.take_turn()?;
            let patience = self.table.as_ref().map_or(PATIENCE, |table| {
                // Twice the time, because a program may exceed it.
                PATIENCE.max(table.time * 2)
            });
            let deadline = Deadline::after(patience);
            match self.connection.receive("message", deadline)? {
                Message::Request(request) => self.consider(&request)?,
                Message::Move(message) => self.hear_move(message)?,
                Message::End { reason, is_last } => {
                    if std::mem::take(&mut self.awaits_receipt) {
                        // This acknowledges the end sent earlier.
                    } else if let Some(table) = self.table.take() {
                        self.connection.send(&Message::End {
                            reason: Reason::Unknown,
                            is_last,
                        })?;
                        (self.after_game)(&table.played(reason, false));
                    }
                    if is_last {
                        return Ok(());
                    }
                }
                Message::Back { number, color } => self.take_back(number, color)?,
                other => return Err(unexpected(&other, "a request, a move or the end")),
            }
        }
    }

    /// Moves, or ends the game, on the follower's turn.
    fn take_turn(&mut self) -> Result<(), DxpError> {
        let Some(table) = self.table.as_mut().filter(|table| table.is_own_turn()) else {
            return Ok(());
        };
        if let Some(reason) = table.end() {
            self.connection.send(&Message::End {
                reason,
                is_last: false,
            })?;
            self.awaits_receipt = true;
            if let Some(table) = self.table.take() {
                (self.after_game)(&table.played(reason, true));
            }
            return Ok(());
        }
        let started = Instant::now();
        let game = &table.game;
        let limits = SearchLimits {
            time: Some(table.time_left()),
            from_book: true,
            ..SearchLimits::default()
        };
        let task = Task {
            game,
            seed: Seed::new(game.position().hash()).derive("dxp", &[game.plies().into()]),
            stopper: Stopper::within(limits),
        };
        let findings = self.analyzer.analyze(&task, &mut |_| {})?;
        let mv = findings.best().moves[0];
        let used = started.elapsed();
        let message = MoveMessage::new(game.position(), mv, used.as_secs());
        if table.game.moves().is_empty() {
            // Some clients take two messages in one read for one.
            std::thread::sleep(FIRST_MOVE_PAUSE.saturating_sub(table.accepted.elapsed()));
        }
        table.game.play(mv);
        table.used += used;
        self.connection.send(&Message::Move(message))
    }

    fn consider(&mut self, request: &GameRequest) -> Result<(), DxpError> {
        let start = request.position(self.variant).map_err(|e| e.to_string());
        let start = start.and_then(|start| {
            let game = Game::new(start);
            match game.outcome() {
                None => Ok(game),
                Some(_) => Err("the game is over before it begins".to_owned()),
            }
        });
        let acceptance = match &start {
            _ if request.version != VERSION => Acceptance::OtherVersion,
            Ok(_) => Acceptance::Accepted,
            Err(_) => Acceptance::NotThisGame,
        };
        let name = self.name.to_owned();
        self.connection
            .send(&Message::Answer { name, acceptance })?;
        // A request implies that no game is in progress, whatever is missing.
        self.awaits_receipt = false;
        self.table = None;
        match start {
            Ok(game) if acceptance == Acceptance::Accepted => {
                self.table = Some(Table {
                    opponent: request.name.clone(),
                    color: request.follower,
                    game,
                    accepted: Instant::now(),
                    time: Duration::from_mins(request.minutes.into()),
                    used: Duration::ZERO,
                    moves: Some(request.moves).filter(|moves| *moves > 0),
                });
                Ok(())
            }
            Err(reason) if acceptance == Acceptance::NotThisGame => {
                self.connection.send(&Message::Chat(reason))
            }
            _ => Ok(()),
        }
    }

    fn hear_move(&mut self, message: MoveMessage) -> Result<(), DxpError> {
        let Some(table) = &mut self.table else {
            // It may have been sent before the end of the game arrived.
            return match self.awaits_receipt {
                true => Ok(()),
                false => Err(unexpected(&Message::Move(message), "a request for a game")),
            };
        };
        let position = table.game.position();
        let mv = message.read(position).map_err(|_| DxpError::IllegalMove {
            fen: position.to_fen(),
            message: Message::Move(message).to_string(),
        })?;
        table.game.play(mv);
        Ok(())
    }

    /// Returns to an earlier move, if it exists.
    fn take_back(&mut self, number: u32, color: Color) -> Result<(), DxpError> {
        let back = self
            .table
            .as_ref()
            .and_then(|table| table.before(number, color));
        let is_accepted = back.is_some();
        if let (Some(table), Some(game)) = (&mut self.table, back) {
            table.game = game;
        }
        self.connection.send(&Message::BackAnswer { is_accepted })
    }
}

impl Table {
    fn is_own_turn(&self) -> bool {
        self.game.position().turn() == self.color
    }

    /// The reason for the follower to end the game, if any.
    fn end(&self) -> Option<Reason> {
        if let Some(outcome) = self.game.outcome() {
            return Some(match outcome {
                Outcome::Win(winner, _) if winner == self.color => Reason::Won,
                Outcome::Win(..) => Reason::Lost,
                Outcome::Draw(_) => Reason::Drawn,
            });
        }
        let made = self.own_moves();
        let is_enough = self.moves.is_some_and(|moves| made >= moves);
        is_enough.then_some(Reason::Unknown)
    }

    /// The number of moves made by the follower.
    fn own_moves(&self) -> u32 {
        let plies = self.game.moves().len() as u32;
        let began = self.game.start().turn() == self.color;
        if began { plies.div_ceil(2) } else { plies / 2 }
    }

    fn time_left(&self) -> TimeLeft {
        if self.time.is_zero() {
            return TimeLeft::Move(MOVE_TIME);
        }
        TimeLeft::Game {
            time: self.time.saturating_sub(self.used),
            increment: Duration::ZERO,
            moves: self.moves.map(|moves| moves - self.own_moves().min(moves)),
        }
    }

    /// The game at the time of `color`'s turn in this move, if there was one.
    fn before(&self, number: u32, color: Color) -> Option<Game> {
        let first = self.game.start().turn();
        let is_second = usize::from(color != Color::White);
        // If Black moves first, White's first move belongs to the second number.
        let skipped = usize::from(first != Color::White);
        let plies = (number.checked_sub(1)? as usize * 2 + is_second).checked_sub(skipped)?;
        let mut game = Game::new(*self.game.start());
        let kept = self.game.moves().get(..plies)?;
        kept.iter().for_each(|mv| game.play(*mv));
        Some(game)
    }

    fn played(self, reason: Reason, is_ended_here: bool) -> PlayedGame {
        PlayedGame {
            opponent: self.opponent,
            color: self.color,
            game: self.game,
            reason,
            is_ended_here,
        }
    }
}
