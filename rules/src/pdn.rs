//! Games as text: Portable Draughts Notation (PDN 3.0), and PGN as far as results go.
//!
//! Reading has two steps. [`PdnReader`] splits a stream into games of tags and words, and knows no
//! rules; games are limited to [`MAX_GAME_BYTES`], [`MAX_MOVES`] and [`MAX_TAGS`], so that no text takes much
//! memory. [`PdnGame::replay`] then makes moves of the words.
//!
//! [`PdnGames`] does both and is the reader for all users of games: it returns what can be read of
//! each game, and what is wrong with it.
//!
//! Programs do not agree on what the result `1-0` means. We write and read it as "the side that the
//! variant's rules let move first has won", as CheckerBoard does, and put the colour into a `Winner`
//! tag, which counts more. Where no tag names the game, the first move tells who begins. `2-0`, which
//! other programs write for all variants, is a win of White.

mod game;
mod games;
mod kind;
mod lexer;
mod play;
mod reader;
mod result;
mod words;
mod write;

pub use game::{PdnGame, PdnMove, PdnSetup};
pub use games::{PdnGames, ReadGame, read_games};
pub use play::PlayedGame;
pub use reader::PdnReader;
pub use result::PdnResult;
pub use write::{PdnEnd, PdnPly, PdnRecord, PdnTree};

use crate::{FenError, MoveTextError, Variant};

/// Bytes of a game at most, with its tags and comments, counted in whole lines.
pub const MAX_GAME_BYTES: usize = 1 << 20;
/// Moves of a game at most, with those of its variations.
pub const MAX_MOVES: usize = 10_000;
/// Tags of a game at most.
pub const MAX_TAGS: usize = 200;

/// The marks of moves, in the order of their numbers: `$1` is `!`.
pub const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Why PDN cannot be read. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdnError {
    /// The stream failed.
    #[error("cannot read PDN after line {line}")]
    Io {
        /// The last line that was read.
        line: usize,
        /// What the stream said.
        source: std::io::Error,
    },
    /// A game is larger than any that is played.
    #[error("line {line}: the game has more than {limit} {what}, the limit: leave some out")]
    TooLarge {
        /// The line where the limit is exceeded.
        line: usize,
        /// The limit.
        limit: usize,
        /// What is counted.
        what: &'static str,
    },
    /// A comment, variation or setup has no end.
    #[error("line {line}: `{opening}` has no `{closing}` after it")]
    Unclosed {
        /// The line where it starts.
        line: usize,
        /// The character it starts with.
        opening: char,
        /// The character that is missing.
        closing: char,
    },
    /// A tag is not of the form `[Name "value"]`.
    #[error("line {line}: `{text}` is not a tag: write [Name \"value\"]")]
    Tag {
        /// The line of the tag.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// The tags do not tell which game is played, and the moves do not either.
    #[error(
        "line {line}: no tag names the game, and {}: add a tag such as [GameType \"21\"] or [Variant \"english\"], or state the variant",
        fitting(fits)
    )]
    NoVariant {
        /// The first line of the game.
        line: usize,
        /// The games whose moves they could be.
        fits: Vec<Variant>,
    },
    /// The tags name a game that is not played here.
    #[error(
        "line {line}: {what}, which is not played here: the games are {}",
        names()
    )]
    OtherGame {
        /// The first line of the game.
        line: usize,
        /// What the tags name.
        what: String,
    },
    /// Tags contradict each other.
    #[error("line {line}: {what}: leave one of them out")]
    Contradiction {
        /// The first line of the game.
        line: usize,
        /// What they say.
        what: String,
    },
    /// The value of a `GameType` tag is no number, perhaps with details.
    #[error("line {line}: `{text}` is no GameType: write a number such as 20, or 20,W,10,10,N2,0")]
    GameType {
        /// The first line of the game.
        line: usize,
        /// The value.
        text: String,
    },
    /// A setup between slashes is no position.
    #[error("line {line}: setup `{text}`: {source}")]
    Setup {
        /// Its line.
        line: usize,
        /// What stands between the slashes.
        text: String,
        /// What is wrong.
        source: FenError,
    },
    /// The position in the FEN tag is wrong.
    #[error("line {line}: start position: {source}")]
    Fen {
        /// The first line of the game.
        line: usize,
        /// What is wrong.
        source: FenError,
    },
    /// A move is wrong.
    #[error("line {line}: ply {ply}: {source}")]
    Move {
        /// The line of the move.
        line: usize,
        /// Its number, counted from 1 for each side's move.
        ply: usize,
        /// What is wrong.
        source: MoveTextError,
    },
}

impl PdnError {
    /// The line in the text.
    pub fn line(&self) -> usize {
        match self {
            PdnError::Io { line, .. }
            | PdnError::TooLarge { line, .. }
            | PdnError::Unclosed { line, .. }
            | PdnError::Tag { line, .. }
            | PdnError::NoVariant { line, .. }
            | PdnError::OtherGame { line, .. }
            | PdnError::Contradiction { line, .. }
            | PdnError::GameType { line, .. }
            | PdnError::Setup { line, .. }
            | PdnError::Fen { line, .. }
            | PdnError::Move { line, .. } => *line,
        }
    }
}

fn fitting(games: &[Variant]) -> String {
    let names: Vec<_> = games.iter().map(|variant| variant.name()).collect();
    match names.as_slice() {
        [] => "its moves fit no game".to_owned(),
        [only] => format!("its moves fit {only}"),
        [others @ .., last] => format!("its moves fit {} and {last}", others.join(", ")),
    }
}

fn names() -> String {
    Variant::GAMES.map(Variant::name).join(", ")
}
