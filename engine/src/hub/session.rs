//! One client's session: what it has set up, and what is being thought about.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use rules::{Game, Move, Position, Variant};

use super::frame::Frame;
use super::level::read_level;
use super::line::Line;
use super::notation::{read_move, read_position, write_move};
use super::score::score_of;
use super::serve::Identity;
use crate::player::PlayerError;
use crate::think::{Control, Limits, Thought, Watch};
use crate::time::TimeLeft;

/// How long to think before anything was said about it.
const FIRST_LIMITS: Limits = Limits {
    depth: None,
    nodes: None,
    time: Some(TimeLeft::Move(Duration::from_secs(1))),
};

/// What the session waits for.
pub(super) enum Event {
    /// A message of the client.
    Line(String),
    /// The client is gone.
    End,
    /// News of the search.
    Thought(Thought),
    /// The end of the search.
    Answer(Result<Thought, PlayerError>),
}

/// A position to think about.
pub(super) struct Job {
    pub(super) game: Game,
    pub(super) watch: Watch,
}

pub(super) struct Session<'a, W> {
    identity: &'a Identity,
    output: W,
    jobs: Sender<Job>,
    variant: Variant,
    frame: Frame,
    /// The game so far; none after a position that made no sense.
    game: Option<Game>,
    limits: Limits,
    thinking: Option<Thinking>,
    /// Messages that came too early.
    deferred: VecDeque<Line>,
}

/// A search that was asked for and not answered.
struct Thinking {
    position: Position,
    control: Arc<Control>,
    since: Instant,
    /// Whether the answer has to wait for the client: in analysis without a limit, and while the
    /// opponent thinks.
    is_held: bool,
    /// Whether it has to wait also after the opponent's move.
    is_endless: bool,
    answer: Option<Result<Thought, PlayerError>>,
}

impl<'a, W: Write> Session<'a, W> {
    pub(super) fn new(identity: &'a Identity, output: W, jobs: Sender<Job>) -> Self {
        let variant = identity.variants.first().copied();
        let variant = variant.unwrap_or(Variant::ALL[0]);
        Self {
            identity,
            output,
            jobs,
            variant,
            frame: identity.frame,
            game: Some(Game::new(Position::start(variant))),
            limits: FIRST_LIMITS,
            thinking: None,
            deferred: VecDeque::new(),
        }
    }

    /// Does what the events say, until the client quits or is gone.
    pub(super) fn run(mut self, inbox: &Receiver<Event>) -> io::Result<()> {
        let ended = self.follow(inbox);
        // The thread that thinks must come back, whatever happened.
        if let Some(thinking) = &self.thinking {
            thinking.control.stop();
        }
        ended
    }

    fn follow(&mut self, inbox: &Receiver<Event>) -> io::Result<()> {
        let mut is_leaving = false;
        while !is_leaving || self.thinking.is_some() {
            let Ok(event) = inbox.recv() else {
                return Ok(());
            };
            match event {
                Event::Line(line) => is_leaving |= self.hear(Line::parse(&line))?.is_break(),
                Event::End => is_leaving = true,
                Event::Thought(thought) => self.write_info(&thought)?,
                Event::Answer(answer) => self.note(answer)?,
            }
            if is_leaving {
                self.deferred.clear();
                self.stop()?;
            }
        }
        Ok(())
    }

    /// One message; break when the client quits.
    fn hear(&mut self, line: Line) -> io::Result<ControlFlow<()>> {
        match line.command() {
            "quit" => return Ok(ControlFlow::Break(())),
            "ping" => self.write(&Line::new("pong"))?,
            "stop" => self.stop()?,
            "ponder-hit" => self.ponder_hit()?,
            _ if self.thinking.is_some() => self.deferred.push_back(line),
            _ => self.obey(&line)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A message for an engine that does not think. What is unknown means nothing.
    fn obey(&mut self, line: &Line) -> io::Result<()> {
        match line.command() {
            "hub" => self.introduce(),
            "init" => self.write(&Line::new("ready")),
            "set-param" => self.set_parameter(line),
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
        } = self.identity;
        let id = Line::new("id")
            .with("name", name)
            .with("version", version)
            .with("author", "")
            .with("country", "");
        self.write(&id)?;
        let names: Vec<&str> = variants.iter().map(|variant| variant.name()).collect();
        self.write(&choice("variant", self.variant.name(), &names))?;
        self.write(&choice(
            Frame::PARAMETER,
            frame.name(),
            &Frame::ALL.map(Frame::name),
        ))?;
        self.write(&Line::new("wait"))
    }

    fn set_parameter(&mut self, line: &Line) -> io::Result<()> {
        let value = line.value("value").unwrap_or_default();
        match line.value("name") {
            Some("variant") => match value.parse::<Variant>() {
                Ok(variant) if self.identity.variants.contains(&variant) => {
                    self.variant = variant;
                    self.game = Some(Game::new(Position::start(variant)));
                }
                Ok(variant) => self.write_error(format!("this engine does not play {variant}"))?,
                Err(error) => self.write_error(error)?,
            },
            Some(Frame::PARAMETER) => match value.parse() {
                Ok(frame) => self.frame = frame,
                Err(error) => self.write_error(error)?,
            },
            _ => {}
        }
        Ok(())
    }

    fn set_position(&mut self, line: &Line) -> io::Result<()> {
        self.game = None;
        let text = line.value("pos").unwrap_or_default();
        let mut game = match read_position(self.variant, text, self.frame) {
            Ok(position) => Game::new(position),
            Err(error) => return self.write_error(error),
        };
        for text in line.value("moves").unwrap_or_default().split_whitespace() {
            match read_move(game.position(), text) {
                Ok(mv) => game.play(mv),
                Err(error) => return self.write_error(error),
            }
        }
        self.game = Some(game);
        Ok(())
    }

    fn go(&mut self, line: &Line) -> io::Result<()> {
        let Some(game) = self.game.clone() else {
            self.write_error("go without a position that makes sense")?;
            return self.write(&Line::new("done"));
        };
        let mut limits = self.limits;
        if line.has("analyze") {
            // Nobody's clock runs.
            limits.time = limits.time.filter(|time| matches!(time, TimeLeft::Move(_)));
        }
        let is_pondering = line.has("ponder");
        let control = Arc::new(if is_pondering {
            Control::pondering()
        } else {
            Control::running()
        });
        let is_endless = limits == Limits::default();
        self.thinking = Some(Thinking {
            position: *game.position(),
            control: Arc::clone(&control),
            since: Instant::now(),
            is_held: is_endless || is_pondering,
            is_endless,
            answer: None,
        });
        let watch = Watch { limits, control };
        let job = Job { game, watch };
        self.jobs
            .send(job)
            .map_err(|_| io::Error::other("the thread that thinks is gone"))
    }

    fn stop(&mut self) -> io::Result<()> {
        if let Some(thinking) = &mut self.thinking {
            thinking.control.stop();
            thinking.is_held = false;
        }
        self.answer_if_ready()
    }

    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(thinking) = &mut self.thinking {
            thinking.control.start();
            thinking.is_held = thinking.is_endless;
        }
        self.answer_if_ready()
    }

    fn note(&mut self, answer: Result<Thought, PlayerError>) -> io::Result<()> {
        if let Ok(thought) = &answer {
            self.write_info(thought)?;
        }
        if let Some(thinking) = &mut self.thinking {
            thinking.answer = Some(answer);
        }
        self.answer_if_ready()
    }

    /// Writes the answer when it is there and may be known, and goes on with what had to wait.
    fn answer_if_ready(&mut self) -> io::Result<()> {
        let is_ready = |thinking: &mut Thinking| !thinking.is_held && thinking.answer.is_some();
        let Some(Thinking {
            position,
            answer: Some(answer),
            ..
        }) = self.thinking.take_if(is_ready)
        else {
            return Ok(());
        };
        match answer {
            Ok(thought) => self.write(&done(&position, &thought.principal_variation))?,
            Err(error) => {
                self.write_error(error)?;
                self.write(&Line::new("done"))?;
            }
        }
        while self.thinking.is_none() {
            let Some(line) = self.deferred.pop_front() else {
                break;
            };
            self.obey(&line)?;
        }
        Ok(())
    }

    fn write_info(&mut self, thought: &Thought) -> io::Result<()> {
        let Some(thinking) = &self.thinking else {
            return Ok(());
        };
        let seconds = thinking.since.elapsed().as_secs_f64();
        let mut info = Line::new("info").with("depth", thought.depth);
        if let Some(value) = thought.value {
            let score = score_of(value, thought.proof);
            info = info.with("score", format_args!("{score:.2}"));
        }
        let speed = thought.nodes as f64 / seconds.max(1e-6) / 1e6;
        let moves = move_texts(&thinking.position, &thought.principal_variation);
        let info = info
            .with("nodes", thought.nodes)
            .with("time", format_args!("{seconds:.3}"))
            .with("nps", format_args!("{speed:.6}"))
            .with("pv", moves.join(" "));
        self.write(&info)
    }

    fn write_error(&mut self, error: impl ToString) -> io::Result<()> {
        // pydraughts splits at every `=`.
        let message = error.to_string().replace('=', " ");
        self.write(&Line::new("error").with("message", message))
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }
}

/// A parameter that takes one of several words.
fn choice(name: &str, value: &str, values: &[&str]) -> Line {
    Line::new("param")
        .with("name", name)
        .with("value", value)
        .with("type", "enum")
        .with("values", values.join(" "))
}

/// The answer, and the reply that is expected.
fn done(position: &Position, principal_variation: &[Move]) -> Line {
    let moves = move_texts(position, principal_variation);
    ["move", "ponder"]
        .into_iter()
        .zip(moves)
        .fold(Line::new("done"), |line, (name, mv)| line.with(name, mv))
}

fn move_texts(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = *position;
    let mut write = |&mv: &Move| {
        let text = write_move(&position, mv);
        position = position.play(mv);
        text
    };
    moves.iter().map(&mut write).collect()
}
