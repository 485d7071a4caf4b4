//! Messages: a letter, followed by fields of fixed width.

use std::fmt;

use rules::{Color, Move, MoveTextError, Position, Variant};

use super::N_SQUARES;
use crate::hub::{Frame, PositionTextError, position_text, read_move, read_position, write_move};

/// The maximum length of a message in bytes, without the terminating zero.
pub const MAX_MESSAGE: usize = 127;
/// The length of a program's name.
const NAME_WIDTH: usize = 32;
/// The maximum number of captured pieces per move.
const MAX_VICTIMS: u32 = 20;
/// The supported protocol version.
pub(super) const VERSION: u32 = 1;

/// A message of either program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The initiator's request for a game.
    Request(GameRequest),
    /// The follower's answer.
    Answer {
        /// The follower's name.
        name: String,
        /// True if it accepts.
        acceptance: Acceptance,
    },
    /// A move of the program whose turn it is.
    Move(MoveMessage),
    /// The end of the game, instead of a move, or the acknowledgment of it.
    End {
        /// The reason from the sender's point of view.
        reason: Reason,
        /// True if the sender wants no further games.
        is_last: bool,
    },
    /// Text for people.
    Chat(String),
    /// A request to take moves back, to `color`'s turn in this move, counted from 1.
    Back {
        /// The number of the move.
        number: u32,
        /// The side to move there.
        color: Color,
    },
    /// The answer to a request to take moves back.
    BackAnswer {
        /// True if it is accepted.
        is_accepted: bool,
    },
}

/// The terms of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRequest {
    /// The protocol version.
    pub version: u32,
    /// The initiator's name.
    pub name: String,
    /// The follower's color.
    pub follower: Color,
    /// Minutes per player for the game.
    pub minutes: u32,
    /// The number of moves of each player after which either may end the game; 0 for no limit.
    pub moves: u32,
    /// Side to move and squares, as read by [`GameRequest::position`]; `None` for the usual start.
    pub start: Option<String>,
}

/// A move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveMessage {
    /// The time used, in seconds.
    pub seconds: u32,
    /// The numbers of the origin, the destination, and the captured squares in any order.
    pub squares: Vec<u32>,
}

/// The follower's answer to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// Accepts the game.
    Accepted,
    /// Supports another protocol version.
    OtherVersion,
    /// Rejects these terms.
    NotThisGame,
    /// Rejects all games.
    NoGame,
}

/// The reason for the end of a game, from the sender's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No reason given.
    Unknown,
    /// The sender resigns.
    Lost,
    /// A draw.
    Drawn,
    /// The sender has won.
    Won,
}

impl Acceptance {
    const ALL: [Acceptance; 4] = [
        Acceptance::Accepted,
        Acceptance::OtherVersion,
        Acceptance::NotThisGame,
        Acceptance::NoGame,
    ];
}

impl Reason {
    const ALL: [Reason; 4] = [Reason::Unknown, Reason::Lost, Reason::Drawn, Reason::Won];
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Unknown => "it gives no reason",
            Reason::Lost => "it resigns",
            Reason::Drawn => "it claims a draw",
            Reason::Won => "it claims a win",
        })
    }
}

/// The error of a malformed message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is not a DXP message: {problem}")]
pub struct MessageError {
    /// The message.
    pub text: String,
    /// The problem.
    pub problem: String,
}

impl GameRequest {
    /// The terms of a game that starts here; the position's counters are lost.
    pub fn new(
        name: &str,
        follower: Color,
        minutes: u32,
        moves: u32,
        start: &Position,
    ) -> GameRequest {
        let is_usual = *start == Position::start(start.variant());
        // The protocol's letters are Dutch: zwart is black.
        let letters = || position_text(start, Frame::Native).replace('b', "z");
        GameRequest {
            version: VERSION,
            name: name.to_owned(),
            follower,
            minutes,
            moves,
            start: (!is_usual).then(|| letters().replace('B', "Z")),
        }
    }

    /// The start position of the game.
    pub fn position(&self, variant: Variant) -> Result<Position, PositionTextError> {
        let Some(start) = &self.start else {
            return Ok(Position::start(variant));
        };
        let letters = start.replace('z', "b").replace('Z', "B");
        read_position(variant, &letters, Frame::Native)
    }
}

impl MoveMessage {
    /// Converts a legal move.
    pub fn new(position: &Position, mv: Move, seconds: u64) -> MoveMessage {
        let text = write_move(position, mv, Frame::Native);
        MoveMessage {
            seconds: seconds.min(9999) as u32,
            squares: text.split(['-', 'x']).flat_map(str::parse).collect(),
        }
    }

    /// The legal move described. Captured squares may be omitted if the move is unambiguous.
    pub fn read(&self, position: &Position) -> Result<Move, MoveTextError> {
        let numbers: Vec<String> = self.squares.iter().map(u32::to_string).collect();
        let read = |separator| read_move(position, &numbers.join(separator), Frame::Native);
        if self.squares.len() == 2
            && let Ok(mv) = read("-")
        {
            return Ok(mv);
        }
        read("x")
    }
}

impl Message {
    /// Parses a message; anything after its fields is ignored.
    pub fn parse(text: &str) -> Result<Message, MessageError> {
        let mut fields = Fields(text);
        fields.message().map_err(|problem| MessageError {
            text: text.to_owned(),
            problem,
        })
    }
}

/// The rest of a message.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn message(&mut self) -> Result<Message, String> {
        Ok(match self.take(1, "the type")? {
            "R" => Message::Request(self.request()?),
            "A" => Message::Answer {
                name: self.name()?,
                acceptance: self.choice("the acceptance code", Acceptance::ALL)?,
            },
            "M" => {
                let seconds = self.number(4, "the time")?;
                let mut squares = vec![self.square("from")?, self.square("to")?];
                let victims = self.number(2, "the number of captured pieces")?;
                if victims > MAX_VICTIMS {
                    return Err(format!("{victims} captured pieces, {MAX_VICTIMS} at most"));
                }
                for _ in 0..victims {
                    squares.push(self.square("a captured piece")?);
                }
                Message::Move(MoveMessage { seconds, squares })
            }
            "E" => Message::End {
                reason: self.choice("the reason", Reason::ALL)?,
                is_last: self.choice("the stop code", [false, true])?,
            },
            "C" => Message::Chat(self.0.to_owned()),
            "B" => Message::Back {
                number: self.number(3, "the number of the move")?,
                color: self.color("the side to move")?,
            },
            "K" => Message::BackAnswer {
                is_accepted: self.choice("the acceptance code", [true, false, false])?,
            },
            letter => return Err(format!("there is no message type {letter}")),
        })
    }

    fn request(&mut self) -> Result<GameRequest, String> {
        let version = self.number(2, "the version")?;
        let name = self.name()?;
        let follower = self.color("the follower's color")?;
        let minutes = self.number(3, "the thinking time")?;
        let moves = self.number(3, "the number of moves")?;
        let start = match self.take(1, "the starting position")? {
            "A" => None,
            "B" => {
                let letters = self.take(1 + N_SQUARES, "the position")?;
                let is_letter = |letter| matches!(letter, 'w' | 'z' | 'W' | 'Z' | 'e');
                if let Some(odd) = letters.chars().find(|letter| !is_letter(*letter)) {
                    return Err(format!("the position has `{odd}`, not w, z, W, Z or e"));
                }
                Some(letters.to_owned())
            }
            letter => return Err(format!("the starting position is {letter}, not A or B")),
        };
        Ok(GameRequest {
            version,
            name,
            follower,
            minutes,
            moves,
            start,
        })
    }

    fn take(&mut self, width: usize, field: &str) -> Result<&'a str, String> {
        let (text, rest) = self
            .0
            .split_at_checked(width)
            .ok_or_else(|| format!("it ends in {field}"))?;
        self.0 = rest;
        Ok(text)
    }

    fn number(&mut self, width: usize, field: &str) -> Result<u32, String> {
        let text = self.take(width, field)?;
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| format!("{field} is `{text}`, not {width} digits"))
    }

    fn square(&mut self, field: &str) -> Result<u32, String> {
        let number = self.number(2, field)?;
        let is_square = (1..=N_SQUARES as u32).contains(&number);
        let wrong = || format!("{field} is {number}, not a square from 1 to {N_SQUARES}");
        is_square.then_some(number).ok_or_else(wrong)
    }

    fn choice<T: Copy, const N: usize>(&mut self, field: &str, all: [T; N]) -> Result<T, String> {
        let number = self.number(1, field)? as usize;
        let chosen = all.get(number).copied();
        chosen.ok_or_else(|| format!("{field} is {number}, not 0 to {}", N - 1))
    }

    fn color(&mut self, field: &str) -> Result<Color, String> {
        match self.take(1, field)? {
            "W" => Ok(Color::White),
            "Z" => Ok(Color::Black),
            letter => Err(format!("{field} is {letter}, not W or Z")),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        Ok(self.take(NAME_WIDTH, "the name")?.trim().to_owned())
    }
}

fn letter_of(color: Color) -> char {
    match color {
        Color::White => 'W',
        Color::Black => 'Z',
    }
}

/// The index of a value in the list of values that a digit encodes.
fn digit<T: PartialEq>(value: &T, all: &[T]) -> usize {
    all.iter().position(|one| one == value).unwrap_or_default()
}

/// A name as a field of the protocol.
fn name_field(name: &str) -> String {
    let name = plain(name.trim_start());
    format!("{name:<NAME_WIDTH$.NAME_WIDTH$}")
}

/// The text restricted to the characters permitted in messages.
fn plain(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii() && !letter.is_ascii_control();
    text.replace(|letter| !is_plain(letter), "?")
}

impl fmt::Display for Message {
    /// Formats the message without the terminating zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Request(request) => {
                let (name, color) = (name_field(&request.name), letter_of(request.follower));
                let GameRequest {
                    version,
                    minutes,
                    moves,
                    ..
                } = request;
                write!(f, "R{version:02}{name}{color}{minutes:03}{moves:03}")?;
                match &request.start {
                    None => write!(f, "A"),
                    Some(start) => write!(f, "B{start}"),
                }
            }
            Message::Answer { name, acceptance } => {
                let code = digit(acceptance, &Acceptance::ALL);
                write!(f, "A{}{code}", name_field(name))
            }
            Message::Move(MoveMessage { seconds, squares }) => {
                let numbers = |squares: &[u32]| -> String {
                    let numbers = squares.iter().map(|square| format!("{square:02}"));
                    numbers.collect()
                };
                let (ends, victims) = squares.split_at(squares.len().min(2));
                let (n, ends, victims) = (victims.len(), numbers(ends), numbers(victims));
                write!(f, "M{seconds:04}{ends}{n:02}{victims}")
            }
            Message::End { reason, is_last } => {
                let code = digit(reason, &Reason::ALL);
                write!(f, "E{code}{}", u8::from(*is_last))
            }
            Message::Chat(text) => {
                let width = MAX_MESSAGE - 1;
                write!(f, "C{:.width$}", plain(text))
            }
            Message::Back { number, color } => write!(f, "B{number:03}{}", letter_of(*color)),
            // 2: the game continues.
            Message::BackAnswer { is_accepted } => {
                write!(f, "K{}", if *is_accepted { 0 } else { 2 })
            }
        }
    }
}
