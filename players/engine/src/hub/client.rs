//! Hub engines as players.

use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rules::{Game, Position, Variant};

use super::connection::{Connection, HubError};
use super::deadline::Deadline;
use super::frame::Frame;
use super::identity::Version;
use super::level::write_level;
use super::line::Line;
use super::notation::{position_text, read_move, write_moves};
use super::score::value_of_score;
use crate::analyzer::{Analyzer, SearchLimits, Task};
use crate::findings::Findings;
use crate::player::{Choice, Fault, Player, PlayerError, Turn, choose_in_turn};
use crate::time::TimeLeft;

/// The timeout for starting an engine.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The time after its clock has run out at which an engine counts as hung. Time forfeits are
/// decided by the match.
const GRACE: Duration = Duration::from_secs(1);
/// Time for the first answer to `ping`.
const PING_TIMEOUT: Duration = Duration::from_millis(500);

/// Settings of a [`HubPlayer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubPlayerConfig {
    /// The variant.
    pub variant: Variant,
    /// The protocol version of the engine. In version 1 it gets no node limit.
    pub version: Version,
    /// The limits sent to the engine in games without a clock.
    pub limits: SearchLimits,
    /// The time that it may take beyond its limit in games without a clock.
    pub timeout: Duration,
}

/// Starts an engine and connects to it.
type Connect = dyn FnMut() -> Result<Connection, HubError> + Send;

/// An engine at the other end of a [`Connection`].
///
/// It gets `new-game` before every move, so that no choice depends on an earlier one; with a clock
/// only at the start of a game, so that it may keep its hash table. The protocol cannot transmit
/// the counters of a start position. Positions use the native [`Frame`] if the engine has that
/// parameter, otherwise the frame of pydraughts. Engines of version 1 do not list their parameters,
/// so the native frame is requested from them. An engine that hangs, crashes, or answers with an
/// error message instead of a move forfeits the game and is restarted for the next one.
pub struct HubPlayer {
    name: String,
    config: HubPlayerConfig,
    connect: Box<Connect>,
    /// `None` after a crash.
    engine: Option<Engine>,
    /// The game as of the last turn.
    last: Option<Game>,
    /// `true` if its clock is not the system's: then the system's only detects an engine that
    /// hangs.
    has_other_clock: bool,
}

/// A connected and initialized engine.
struct Engine {
    connection: Connection,
    frame: Frame,
    /// True if it answers `ping`; `None` until tested.
    has_ping: Option<bool>,
    /// True after a move, which it may repeat late.
    has_answered: bool,
}

impl HubPlayer {
    /// The player `hub:COMMAND` or `hub1:COMMAND`, whose program is started by the first position.
    pub fn of_command(command: &str, config: HubPlayerConfig) -> HubPlayer {
        let words = command.to_owned();
        let name = format!("{}:{command}", config.version.prefix());
        HubPlayer::new(name, config, move || Connection::start(&words))
    }

    /// The player with the engine that `connect` starts, for the first position and after a crash.
    pub fn new(
        name: impl Into<String>,
        config: HubPlayerConfig,
        connect: impl FnMut() -> Result<Connection, HubError> + Send + 'static,
    ) -> HubPlayer {
        HubPlayer {
            name: name.into(),
            config,
            connect: Box::new(connect),
            engine: None,
            last: None,
            has_other_clock: false,
        }
    }

    /// Starts the engine now.
    pub fn started(mut self) -> Result<HubPlayer, PlayerError> {
        self.engine = Some(self.start()?);
        Ok(self)
    }

    fn start(&mut self) -> Result<Engine, PlayerError> {
        let HubPlayerConfig {
            variant, version, ..
        } = self.config;
        let connected = (self.connect)().and_then(|mut connection| {
            connection.version_1 = (version == Version::One).then_some(variant);
            Engine::start(connection, variant)
        });
        connected.map_err(|error| self.broken(error))
    }

    fn broken(&self, reason: impl Into<Box<dyn Error + Send + Sync>>) -> PlayerError {
        PlayerError::Broken {
            name: self.name.clone(),
            reason: reason.into(),
        }
    }

    fn answer(
        &mut self,
        turn: &Turn<'_>,
        limits: &SearchLimits,
        stop: &AtomicBool,
    ) -> Result<Choice, PlayerError> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        let last = self.last.replace(turn.game.clone());
        let is_next = last.is_some_and(|last| continues(&last, turn.game));
        let told = limits.time.map_or(Duration::ZERO, TimeLeft::limit);
        let patience = match turn.time {
            Some(_) if !self.has_other_clock => GRACE,
            _ => self.config.timeout,
        };
        let deadline = Deadline::after(told + patience);
        let heard = engine
            .synchronize(deadline, stop)
            .and_then(|()| engine.send_turn(turn.game, limits, turn.time.is_none() || !is_next))
            .and_then(|()| engine.hear(turn.game.position(), deadline, stop));
        let answer = match heard {
            Ok(answer) => answer,
            Err(HubError::Stopped) => return Err(PlayerError::Stopped),
            Err(HubError::Silent { .. }) => Err(Fault::OutOfTime {
                used: deadline.waited(),
                limit: turn.time.map_or(told + patience, |_| told),
            }),
            Err(error) => Err(Fault::Crash {
                detail: error.to_string(),
            }),
        };
        if matches!(answer, Ok(_) | Err(Fault::IllegalMove { .. })) {
            self.engine = Some(engine);
        } else {
            drop(engine);
            // No clock is running now. If the restart fails, the next turn reports it.
            self.engine = self.start().ok();
        }
        answer.map_err(|fault| PlayerError::Forfeit {
            name: self.name.clone(),
            fault,
        })
    }
}

/// True if `game` continues `earlier`.
fn continues(earlier: &Game, game: &Game) -> bool {
    earlier.start() == game.start() && game.moves().starts_with(earlier.moves())
}

impl Player for HubPlayer {
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
        choose_in_turn(turns, choices, |turn| {
            let limits = SearchLimits {
                time: turn.time.or(self.config.limits.time),
                ..self.config.limits
            };
            self.answer(turn, &limits, stop)
        })
    }

    fn use_clock(&mut self, _: fn() -> Duration) {
        self.has_other_clock = true;
    }

    fn processor_time(&self) -> Option<Duration> {
        let connection = &self.engine.as_ref()?.connection;
        connection.process.as_ref()?.processor_time()
    }
}

/// Finds the engine's move and value within the limits of the task, or of the configuration if the
/// task has none.
impl Analyzer for HubPlayer {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        _: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let asked = &task.stopper.limits;
        let limits = match (asked.depth, asked.nodes, asked.time) {
            (None, None, None) => self.config.limits,
            (None, Some(_), None) if self.config.version == Version::One => {
                let reason = "version 1 of the Hub protocol has no limit of nodes: set a time";
                return Err(self.broken(reason));
            }
            _ => *asked,
        };
        let turn = Turn {
            game: task.game,
            seed: task.seed,
            time: None,
        };
        let answer = self.answer(&turn, &limits, task.stopper.control.stop_flag());
        let choice = answer.map_err(|error| match error {
            PlayerError::Forfeit { fault, .. } => self.broken(fault),
            error => error,
        })?;
        Ok(choice.into())
    }
}

impl Engine {
    /// Performs the initialization dialogue.
    fn start(mut connection: Connection, variant: Variant) -> Result<Engine, HubError> {
        let deadline = Deadline::after(START_TIMEOUT);
        connection.send(&Line::new("hub"))?;
        let mut frame = Frame::Pydraughts;
        loop {
            let line = connection.receive("hub", deadline)?;
            match (line.command(), line.value("name")) {
                ("wait", _) => break,
                ("param", Some("variant")) => {
                    let played = line.value("values").unwrap_or_default();
                    let mut names = played.split_whitespace();
                    let Some(name) = names.find(|name| Variant::by_hub_name(name) == Some(variant))
                    else {
                        let played = played.to_owned();
                        return Err(HubError::Variant { variant, played });
                    };
                    connection.send(&Line::parameter("variant", name))?;
                }
                ("param", Some(Frame::PARAMETER)) => {
                    frame = Frame::Native;
                    connection.send(&Line::parameter(Frame::PARAMETER, frame.name()))?;
                }
                _ => {}
            }
        }
        let is_version_1 = connection.version_1.is_some();
        if is_version_1 {
            frame = Frame::Native;
            connection.send(&Line::parameter(Frame::PARAMETER, frame.name()))?;
        }
        connection.send(&Line::new("init"))?;
        while connection.receive("init", deadline)?.command() != "ready" {}
        Ok(Engine {
            has_ping: is_version_1.then_some(false),
            has_answered: false,
            connection,
            frame,
        })
    }

    /// Skips late answers about the last move, so that a move that it repeats late is
    /// not taken for the next one.
    fn synchronize(&mut self, deadline: Deadline, stop: &AtomicBool) -> Result<(), HubError> {
        self.connection.pass_over();
        if !self.has_answered || self.has_ping == Some(false) {
            return Ok(());
        }
        self.connection.send(&Line::new("ping"))?;
        // An engine that does not know the message is not asked again.
        let deadline = match self.has_ping {
            Some(_) => deadline,
            None => Deadline::after(PING_TIMEOUT.min(deadline.rest())),
        };
        loop {
            match self.connection.receive_until("ping", deadline, stop) {
                Ok(line) if line.command() == "pong" => self.has_ping = Some(true),
                Ok(_) => continue,
                Err(HubError::Silent { .. }) if self.has_ping.is_none() => {
                    self.has_ping = Some(false);
                }
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }

    fn send_turn(
        &mut self,
        game: &Game,
        limits: &SearchLimits,
        is_new: bool,
    ) -> Result<(), HubError> {
        if is_new {
            self.connection.send(&Line::new("new-game"))?;
        }
        let mut line = Line::new("pos").with("pos", position_text(game.start(), self.frame));
        if !game.moves().is_empty() {
            let moves = write_moves(game.start(), game.moves(), self.frame);
            line = line.with("moves", moves.join(" "));
        }
        self.connection.send(&line)?;
        self.connection.send(&write_level(limits))?;
        self.connection.send(&Line::new("go").with_flag("think"))
    }

    /// Waits for the move, and for the score and the nodes before it. An error message instead of a
    /// move is a fault.
    fn hear(
        &mut self,
        position: &Position,
        deadline: Deadline,
        stop: &AtomicBool,
    ) -> Result<Result<Choice, Fault>, HubError> {
        let (mut score, mut nodes, mut error) = (None, 0, None);
        let text = loop {
            let line = match self.connection.receive_until("go", deadline, stop) {
                // An engine of version 1 that will not answer can only send an error.
                Err(HubError::Silent { .. }) if error.is_some() => break String::new(),
                received => received?,
            };
            let read = |name| line.value(name);
            match line.command() {
                "info" => {
                    score = read("score").and_then(|text| text.parse().ok()).or(score);
                    nodes = read("nodes")
                        .and_then(|text| text.parse().ok())
                        .unwrap_or(nodes);
                }
                "error" => error = read("message").map(str::to_owned).or(error),
                "done" => break read("move").unwrap_or_default().to_owned(),
                _ => {}
            }
        };
        self.has_answered = true;
        Ok(match (read_move(position, &text, self.frame), error) {
            (_, Some(detail)) if text.is_empty() => Err(Fault::Crash { detail }),
            (Ok(mv), _) => Ok(Choice {
                mv,
                value: score.and_then(value_of_score),
                nodes,
            }),
            (Err(_), _) => Err(Fault::IllegalMove {
                text,
                fen: position.to_fen(),
            }),
        })
    }
}
