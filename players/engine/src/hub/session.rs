//! A client's session: its settings and the running search.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use rules::{Game, Move, Position, Variant};

use super::frame::Frame;
use super::identity::{Identity, Parameter, Version};
use super::level::read_level;
use super::line::Line;
use super::lines::MAX_LINE;
use super::notation::{read_move, read_position, write_moves};
use super::score::score_of;
use super::version1;
use crate::analyzer::{Control, MAX_LINES, SearchLimits, Stopper};
use crate::findings::Findings;
use crate::player::PlayerError;
use crate::time::TimeLeft;

/// The time of a move before the first `level`.
const FIRST_TIME: Duration = Duration::from_secs(1);
/// The maximum number of messages deferred during a search.
const MAX_DEFERRED: usize = 64;
/// The parameter for the number of lines of an analysis.
const LINES: &str = "lines";

/// Events handled by the session.
pub(super) enum Event {
    /// A message from the client; `None` if it was too long.
    Line(Option<String>),
    /// The client's stream has ended.
    End,
    /// An intermediate result of the search.
    Findings(Findings),
    /// A job other than a search failed.
    Fault(String),
    /// The result of the search.
    Answer(Result<Findings, PlayerError>),
}

/// Work for the searching thread.
pub(super) enum Job {
    /// A position to analyze, until it is stopped.
    Search(Box<Game>, Stopper),
    /// An option of the analyzer, and its value from now on.
    Option(&'static str, String),
    /// Earlier searches are forgotten.
    NewGame,
}

pub(super) struct Session<'a, W> {
    version: Version,
    identity: &'a Identity,
    output: W,
    jobs: Sender<Job>,
    variant: Variant,
    frame: Frame,
    /// The current game; `None` after an invalid position.
    game: Option<Game>,
    limits: SearchLimits,
    /// The number of lines in analysis.
    lines: usize,
    running: Option<RunningSearch>,
    /// Messages deferred until the end of the search.
    deferred: VecDeque<String>,
}

/// A search whose result has not been sent.
struct RunningSearch {
    position: Position,
    control: Arc<Control>,
    since: Instant,
    /// True if the result must wait: in infinite analysis, and while pondering.
    is_held: bool,
    /// True if it must wait even after `ponder-hit`.
    is_endless: bool,
    answer: Option<Result<Findings, PlayerError>>,
}

impl<'a, W: Write> Session<'a, W> {
    pub(super) fn new(
        version: Version,
        identity: &'a Identity,
        output: W,
        jobs: Sender<Job>,
    ) -> Self {
        let variant = identity.variants.first().copied();
        let variant = variant.unwrap_or(Variant::ALL[0]);
        Self {
            version,
            identity,
            output,
            jobs,
            variant,
            frame: identity.frame,
            game: Some(Game::new(Position::start(variant))),
            limits: SearchLimits {
                time: Some(TimeLeft::Move(FIRST_TIME)),
                ..SearchLimits::default()
            },
            lines: 1,
            running: None,
            deferred: VecDeque::new(),
        }
    }

    /// Handles events until the client quits or its stream ends.
    pub(super) fn run(mut self, inbox: Receiver<Event>) -> io::Result<()> {
        let ended = self.follow(&inbox);
        // The searching thread must end in any case.
        if let Some(running) = &self.running {
            running.control.stop();
        }
        ended
    }

    fn follow(&mut self, inbox: &Receiver<Event>) -> io::Result<()> {
        let mut is_leaving = false;
        while !is_leaving || self.running.is_some() {
            let Ok(event) = inbox.recv() else {
                return Ok(());
            };
            match event {
                Event::Line(Some(line)) => is_leaving |= self.hear(line)?.is_break(),
                Event::Line(None) => {
                    self.write_error(format!("a line of more than {MAX_LINE} bytes is ignored"))?;
                }
                Event::End => is_leaving = true,
                Event::Fault(error) => self.write_error(error)?,
                Event::Findings(findings) => self.write_findings(&findings)?,
                Event::Answer(answer) => self.note(answer)?,
            }
            if is_leaving {
                self.deferred.clear();
                self.stop()?;
            }
        }
        Ok(())
    }

    /// Handles one message; breaks when the client quits.
    fn hear(&mut self, text: String) -> io::Result<ControlFlow<()>> {
        let line = Line::parse(&text);
        match line.command() {
            "quit" => return Ok(ControlFlow::Break(())),
            "ping" => self.write(&Line::new("pong"))?,
            "stop" => self.stop()?,
            "ponder-hit" => self.ponder_hit()?,
            _ if self.running.is_none() => self.obey(&line)?,
            _ if self.deferred.len() < MAX_DEFERRED => self.deferred.push_back(text),
            command => {
                let error =
                    format!("{command} is ignored: {MAX_DEFERRED} messages are waiting already");
                self.write_error(error)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Handles a message when no search is running. Unknown messages are ignored.
    fn obey(&mut self, line: &Line) -> io::Result<()> {
        match line.command() {
            "hub" => self.introduce(),
            "init" => self.write(&Line::new("ready")),
            "set-param" => self.set_parameter(line),
            "new-game" => self.send(Job::NewGame),
            "pos" => self.set_position(line),
            "level" => match read_level(line) {
                Ok(limits) => {
                    self.limits = limits;
                    Ok(())
                }
                Err(error) => self.write_error(error),
            },
            "go" => self.go(line),
            _ => Ok(()),
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        let Identity {
            name,
            version,
            variants,
            frame,
            parameters,
        } = self.identity;
        let id = Line::new("id")
            .with("name", name)
            .with("version", version)
            .with("author", "")
            .with("country", "");
        self.write(&id)?;
        let names = variants.iter().flat_map(|variant| {
            let others = variant.rules().hub_name;
            std::iter::once(variant.name()).chain(others)
        });
        let names: Vec<&str> = names.collect();
        self.write(&choice("variant", self.variant.name(), &names))?;
        self.write(&choice(
            Frame::PARAMETER,
            frame.name(),
            &Frame::ALL.map(Frame::name),
        ))?;
        let lines = Parameter {
            name: LINES,
            value: self.lines.to_string(),
            range: Some(1..=MAX_LINES as u32),
        };
        for Parameter { name, value, range } in std::iter::once(&lines).chain(parameters) {
            let line = Line::new("param").with("name", name).with("value", value);
            self.write(&match range {
                None => line.with("type", "string"),
                Some(range) => line
                    .with("type", "int")
                    .with("min", range.start())
                    .with("max", range.end()),
            })?;
        }
        self.write(&Line::new("wait"))
    }

    fn set_parameter(&mut self, line: &Line) -> io::Result<()> {
        let value = line.value("value").unwrap_or_default();
        match line.value("name") {
            Some("variant") => {
                match Variant::by_hub_name(value).map_or_else(|| value.parse(), Ok) {
                    Ok(variant) if self.identity.variants.contains(&variant) => {
                        self.variant = variant;
                        self.game = Some(Game::new(Position::start(variant)));
                    }
                    Ok(variant) => {
                        self.write_error(format!("this engine does not play {variant}"))?
                    }
                    Err(error) => self.write_error(error)?,
                }
            }
            Some(Frame::PARAMETER) => match value.parse() {
                Ok(frame) => self.frame = frame,
                Err(error) => self.write_error(error)?,
            },
            Some(LINES) => match value.parse() {
                Ok(lines) if (1..=MAX_LINES).contains(&lines) => self.lines = lines,
                _ => self.write_error(format!(
                    "lines is {value:?}: set a whole number from 1 to {MAX_LINES}"
                ))?,
            },
            Some(name) => {
                let mut parameters = self.identity.parameters.iter();
                if let Some(known) = parameters.find(|known| known.name == name) {
                    self.send(Job::Option(known.name, value.to_owned()))?;
                }
            }
            None => {}
        }
        Ok(())
    }

    fn set_position(&mut self, line: &Line) -> io::Result<()> {
        self.game = None;
        let start = match line.value("pos") {
            Some(text) => read_position(self.variant, text, self.frame),
            // In version 1 the usual start is not written.
            None => Ok(Position::start(self.variant)),
        };
        let mut game = match start {
            Ok(position) => Game::new(position),
            Err(error) => return self.write_error(error),
        };
        for text in line.value("moves").unwrap_or_default().split_whitespace() {
            match read_move(game.position(), text, self.frame) {
                Ok(mv) => game.play(mv),
                Err(error) => return self.write_error(error),
            }
        }
        self.game = Some(game);
        Ok(())
    }

    fn go(&mut self, line: &Line) -> io::Result<()> {
        let Some(game) = self.game.clone() else {
            self.write_error("go without a valid position")?;
            return self.write(&Line::new("done"));
        };
        let mut limits = self.limits;
        if line.has("analyze") {
            // Analysis has no clock.
            limits.time = limits.time.filter(|time| matches!(time, TimeLeft::Move(_)));
        }
        let is_endless = limits == SearchLimits::default();
        match line.has("analyze") {
            true => limits.lines = self.lines,
            false => limits.from_book = true,
        }
        let is_pondering = line.has("ponder");
        let control = Arc::new(if is_pondering {
            Control::pondering()
        } else {
            Control::running()
        });
        self.running = Some(RunningSearch {
            position: *game.position(),
            control: Arc::clone(&control),
            since: Instant::now(),
            is_held: is_endless || is_pondering,
            is_endless,
            answer: None,
        });
        self.send(Job::Search(Box::new(game), Stopper { limits, control }))
    }

    fn send(&self, job: Job) -> io::Result<()> {
        self.jobs
            .send(job)
            .map_err(|_| io::Error::other("the searching thread has ended"))
    }

    fn stop(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running {
            running.control.stop();
            running.is_held = false;
        }
        self.answer_if_ready()
    }

    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running {
            running.control.start();
            running.is_held = running.is_endless;
        }
        self.answer_if_ready()
    }

    fn note(&mut self, answer: Result<Findings, PlayerError>) -> io::Result<()> {
        if let Ok(findings) = &answer {
            self.write_findings(findings)?;
        }
        if let Some(running) = &mut self.running {
            running.answer = Some(answer);
        }
        self.answer_if_ready()
    }

    /// Writes the result if it exists and may be sent, then handles deferred messages.
    fn answer_if_ready(&mut self) -> io::Result<()> {
        let is_ready = |running: &mut RunningSearch| !running.is_held && running.answer.is_some();
        let Some(RunningSearch {
            position,
            answer: Some(answer),
            ..
        }) = self.running.take_if(is_ready)
        else {
            return Ok(());
        };
        match answer {
            Ok(findings) => {
                self.write(&done(&position, &findings.best().moves, self.frame))?;
            }
            Err(error) => {
                self.write_error(error)?;
                self.write(&Line::new("done"))?;
            }
        }
        while self.running.is_none() {
            let Some(line) = self.deferred.pop_front() else {
                break;
            };
            self.obey(&Line::parse(&line))?;
        }
        Ok(())
    }

    /// Writes a line for each variation. The best one comes last and without a number, so that a
    /// client that ignores the numbers ends up with the best one.
    fn write_findings(&mut self, findings: &Findings) -> io::Result<()> {
        let Some(running) = &self.running else {
            return Ok(());
        };
        let position = running.position;
        let seconds = running.since.elapsed().as_secs_f64();
        let speed = findings.nodes as f64 / seconds.max(1e-6) / 1e6;
        for (index, variation) in findings.variations.iter().enumerate().rev() {
            let mut line = Line::new("info").with("depth", variation.depth);
            if let Some(value) = variation.value {
                let score = score_of(value, variation.proof);
                line = line.with("score", format_args!("{score:.2}"));
            }
            let moves = write_moves(&position, &variation.moves, self.frame);
            line = line
                .with("nodes", findings.nodes)
                .with("time", format_args!("{seconds:.3}"))
                .with("nps", format_args!("{speed:.6}"))
                .with("pv", moves.join(" "));
            if index > 0 {
                line = line.with("line", index + 1);
            }
            self.write(&line)?;
        }
        Ok(())
    }

    fn write_error(&mut self, error: impl ToString) -> io::Result<()> {
        // pydraughts splits lines at every `=`.
        let message = error.to_string().replace('=', " ");
        self.write(&Line::new("error").with("message", message))
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        match self.version {
            Version::Two => writeln!(self.output, "{line}")?,
            Version::One => match version1::write(line) {
                Some(words) => writeln!(self.output, "{words}")?,
                None => return Ok(()),
            },
        }
        self.output.flush()
    }
}

/// A parameter with one of several names as its value.
fn choice(name: &str, value: &str, values: &[&str]) -> Line {
    Line::new("param")
        .with("name", name)
        .with("value", value)
        .with("type", "enum")
        .with("values", values.join(" "))
}

/// A `done` message with the chosen move and the expected reply.
fn done(position: &Position, principal_variation: &[Move], frame: Frame) -> Line {
    let moves = write_moves(position, principal_variation, frame);
    ["move", "ponder"]
        .into_iter()
        .zip(moves)
        .fold(Line::new("done"), |line, (name, mv)| line.with(name, mv))
}
