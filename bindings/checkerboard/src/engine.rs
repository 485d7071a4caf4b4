//! The engine: what CheckerBoard asks it, without C.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use agent::{Agent, Control, Findings, Options, SearchLimits};
use engine::TimeLeft;
use rules::{Color, Game, Position, Variant};

use crate::board::{self, Cells};
use crate::moves::{self, CheckerBoardMove};

/// The game of this build.
pub(crate) const VARIANT: &str = match option_env!("CROWNHEAD_GAME") {
    Some(name) => name,
    None => "english",
};

/// Time between two looks at CheckerBoard's "play now".
const GLANCE: Duration = Duration::from_millis(5);
/// The shortest time for a move.
const SHORTEST: Duration = Duration::from_millis(1);

/// A claim about the result, from the engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Verdict {
    /// A draw.
    Draw = 0,
    /// The engine wins.
    Win = 1,
    /// The engine loses.
    Loss = 2,
    /// Neither.
    Unknown = 3,
}

/// Reads the time for a move as CheckerBoard sends it: a mean time for each move, or a clock with
/// an increment, whose unit bits 2 and 3 of `info` name: 1, 10 or 100 ms. `more_info` has the time
/// left in its upper 16 bits and the increment in its lower 16.
pub fn time_left(seconds: f64, info: c_int, more_info: c_int) -> TimeLeft {
    let unit = match (info >> 2) & 3 {
        1 => 1,
        2 => 10,
        3 => 100,
        _ => {
            let seconds = if seconds.is_finite() {
                seconds.clamp(0.0, 86_400.0)
            } else {
                1.0
            };
            return TimeLeft::Move(Duration::from_secs_f64(seconds).max(SHORTEST));
        }
    };
    let units = |n: u32| Duration::from_millis(u64::from(n) * unit);
    let more_info = more_info as u32;
    TimeLeft::Game {
        time: units(more_info >> 16).max(SHORTEST),
        increment: units(more_info & 0xffff),
        moves: None,
    }
}

/// A move that was chosen.
pub(crate) struct Answer {
    /// The board after the move.
    pub(crate) cells: Cells,
    /// The move; `None` if there was none.
    pub(crate) played: Option<CheckerBoardMove>,
    /// The claim about the result.
    pub(crate) verdict: Verdict,
}

/// The engine and what CheckerBoard has told it.
pub struct Engine {
    variant: Variant,
    options: Options,
    agent: Option<Agent>,
    /// The game as far as it can be repeated, from `set gamehist`.
    history: Option<Game>,
}

impl Engine {
    /// An engine for a game.
    ///
    /// # Panics
    ///
    /// Panics if CheckerBoard does not know the game.
    pub fn new(variant: &str) -> Engine {
        let variant: Variant = variant.parse().expect("the game of the build");
        assert!(
            game_type(variant).is_some(),
            "CheckerBoard does not play {variant}"
        );
        Engine {
            variant,
            options: Options::default(),
            agent: None,
            history: None,
        }
    }

    /// The bytes of the evaluation of the game, if the program has one.
    fn evaluation(&self) -> Option<&'static [u8]> {
        let mut all = bundled::EVALUATIONS.iter();
        let (_, bytes) = all.find(|(of, _)| *of == self.variant.name())?;
        Some(bytes)
    }

    fn make_agent(&self) -> Result<Agent, String> {
        let agent = match self.evaluation() {
            Some(bytes) => Agent::from_bytes("Crownhead", bytes, &self.options),
            None => Agent::load(&format!("material:{}", self.variant), &self.options),
        };
        agent.map_err(|error| error.to_string())
    }

    /// The agent, which is made when it is first needed.
    fn agent(&mut self) -> Result<&mut Agent, String> {
        let agent = match self.agent.take() {
            Some(agent) => agent,
            None => self.make_agent()?,
        };
        Ok(self.agent.insert(agent))
    }

    /// The game that leads to a board: that of `set gamehist` if it ends there.
    fn game(&self, cells: &Cells, turn: c_int) -> Result<Game, String> {
        let position = board::read(self.variant, cells, turn)?;
        let is_same = |game: &&Game| {
            game.position().turn() == position.turn() && board::write(game.position()) == *cells
        };
        let known = self.history.as_ref().filter(is_same);
        Ok(known.cloned().unwrap_or_else(|| Game::new(position)))
    }

    /// Chooses a move.
    ///
    /// # Errors
    ///
    /// Returns a message if the board is no position, or the engine fails.
    pub(crate) fn choose(
        &mut self,
        cells: &Cells,
        turn: c_int,
        time: TimeLeft,
        play_now: Option<&AtomicI32>,
        report: &mut dyn FnMut(&str),
    ) -> Result<Answer, String> {
        let mut game = self.game(cells, turn)?;
        let legal = game.legal_moves();
        let mv = match legal[..] {
            [] => {
                return Ok(Answer {
                    cells: *cells,
                    played: None,
                    verdict: Verdict::Loss,
                });
            }
            [only] => only,
            _ => {
                let control = Arc::new(Control::running());
                let limits = SearchLimits {
                    time: Some(time),
                    ..SearchLimits::default()
                };
                let agent = self.agent()?;
                let found = thread::scope(|scope| {
                    // The end of this closure, by a panic too, ends the thread that watches.
                    let (searching, search) = channel::<()>();
                    let watched = Arc::clone(&control);
                    let watcher = scope.spawn(move || {
                        while search.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                            if play_now.is_some_and(|flag| flag.load(Ordering::Relaxed) != 0) {
                                watched.stop();
                            }
                        }
                    });
                    let found = agent.search(&game, limits, control, &mut |findings| {
                        report(&status(&game, findings));
                    });
                    // A scope does not wait for the end of its threads in the system, and
                    // CheckerBoard may unload their code as soon as it has the move.
                    drop(searching);
                    let _ = watcher.join();
                    found
                });
                let found = found.map_err(|error| error.to_string())?;
                report(&status(&game, &found));
                found.best().moves[0]
            }
        };
        let mover = game.position().turn();
        let played = CheckerBoardMove::new(game.position(), mv);
        game.play(mv);
        Ok(Answer {
            cells: board::write(game.position()),
            played: Some(played),
            verdict: verdict(&game, mover),
        })
    }

    /// The legal move between two squares, if there is one.
    pub(crate) fn legal(
        &self,
        cells: &Cells,
        turn: c_int,
        from: c_int,
        to: c_int,
    ) -> Option<CheckerBoardMove> {
        let position = board::read(self.variant, cells, turn).ok()?;
        let number = |square| self.variant.board().number(square) as c_int;
        let legal = Game::new(position).legal_moves();
        let found = legal
            .iter()
            .find(|mv| number(mv.from) == from && number(mv.to) == to)?;
        Some(CheckerBoardMove::new(&position, *found))
    }

    /// Answers a command; `None` if it is not known, or its value is refused.
    pub fn command(&mut self, command: &str) -> Option<String> {
        let (verb, rest) = command
            .trim()
            .split_once(' ')
            .unwrap_or((command.trim(), ""));
        let (name, value) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let value = value.trim();
        match (verb, name) {
            ("name", _) => Some(format!("Crownhead {}", env!("CARGO_PKG_VERSION"))),
            ("about", _) => Some(format!(
                "Crownhead {}\n{}: alpha-beta search with {}.\nMIT OR Apache-2.0",
                env!("CARGO_PKG_VERSION"),
                self.variant.name(),
                match self.evaluation() {
                    Some(_) => "an evaluation learned from self-play",
                    None => "the balance of material",
                }
            )),
            ("get", "protocolversion") => Some("2".to_owned()),
            ("get", "gametype") => game_type(self.variant).map(|number| number.to_string()),
            ("get", "hashsize") => Some(self.options.hash.to_string()),
            ("get", "searchthreads") => Some(self.options.threads.to_string()),
            ("get", "movelist") => {
                let position = Position::from_fen(self.variant, value);
                let position = position.ok();
                Some(position.map_or("movelist 0".to_owned(), |position| {
                    moves::list(&position, &Game::new(position).legal_moves())
                }))
            }
            ("set", "hashsize") => self.set(value, |options, n| options.hash = n),
            ("set", "searchthreads") => self.set(value, |options, n| options.threads = n),
            ("set", "gamehist") => {
                self.history = None;
                self.history = Some(self.read_history(value)?);
                Some("ok".to_owned())
            }
            _ => None,
        }
    }

    /// Changes an option; a value out of range is refused.
    fn set(&mut self, value: &str, change: impl Fn(&mut Options, usize)) -> Option<String> {
        let value: usize = value.parse().ok().filter(|&value| value > 0)?;
        let before = self.options;
        change(&mut self.options, value);
        match self.make_agent() {
            Ok(agent) => {
                self.agent = Some(agent);
                Some(value.to_string())
            }
            Err(_) => {
                self.options = before;
                None
            }
        }
    }

    /// Reads a FEN and the moves after it.
    fn read_history(&self, text: &str) -> Option<Game> {
        let mut words = text.split_whitespace();
        let mut game = Game::new(Position::from_fen(self.variant, words.next()?).ok()?);
        for word in words {
            game.play(game.position().parse_move(word).ok()?);
        }
        Some(game)
    }
}

/// CheckerBoard's number of a game, that of PDN.
fn game_type(variant: Variant) -> Option<u8> {
    match variant.name() {
        "english" => Some(21),
        "italian" => Some(22),
        "spanish" => Some(24),
        "russian" => Some(25),
        "brazilian" => Some(26),
        "czech" => Some(29),
        _ => None,
    }
}

/// The result for the side that has moved.
fn verdict(game: &Game, mover: Color) -> Verdict {
    match game.outcome().map(|outcome| outcome.winner()) {
        None => Verdict::Unknown,
        Some(None) => Verdict::Draw,
        Some(Some(winner)) if winner == mover => Verdict::Win,
        Some(Some(_)) => Verdict::Loss,
    }
}

/// The line for CheckerBoard's status bar.
fn status(game: &Game, findings: &Findings) -> String {
    let best = findings.best();
    let line = game.position().move_texts(&best.moves).join(" ");
    let value = best
        .value
        .map_or(50.0, |value| 50.0 * (1.0 + value.value()));
    format!(
        "depth {}  {} nodes  expected score {value:.1}%  {line}",
        best.depth, findings.nodes
    )
}
