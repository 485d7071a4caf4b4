//! Portable Draughts Notation (PDN 3.0), and PGN as far as results are concerned.
//!
//! Parsing has two steps. [`PdnReader`] splits a stream into games of tags and words without
//! knowing any rules; games are limited to [`MAX_GAME_BYTES`], [`MAX_MOVES`] and [`MAX_TAGS`], so
//! that memory use is bounded. [`PdnGame::play`] then converts the words to moves.
//!
//! [`PdnGames`] does both and is the reader for all users of games: it returns the readable part of
//! each game, and its fault if any.
//!
//! Programs disagree about the meaning of the result `1-0`. We read and write it as a win of the
//! side that moves first by the variant's rules, as CheckerBoard does, and write the color into a
//! `Winner` tag, which takes precedence. If no tag names the game, the first move determines the
//! side that begins. `2-0`, which other programs write for all variants, is a win of White.

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
pub use games::{PdnGames, ReadGame, read_games, shared_variant};
pub use play::PlayedGame;
pub use reader::PdnReader;
pub use result::PdnResult;
pub use write::{PdnEnd, PdnPly, PdnRecord};

use crate::{FenError, MoveTextError, Variant};

/// The maximum size of a game in bytes, including tags and comments, counted in whole lines.
pub const MAX_GAME_BYTES: usize = 1 << 20;
/// The maximum number of moves of a game, including variations.
pub const MAX_MOVES: usize = 10_000;
/// The maximum number of tags of a game.
pub const MAX_TAGS: usize = 200;

/// The annotation glyphs in the order of their numbers: `$1` is `!`.
pub const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// The reason why PDN cannot be read. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdnError {
    /// The stream failed.
    #[error("cannot read PDN after line {line}")]
    Io {
        /// The last line read.
        line: usize,
        /// The system's error.
        source: std::io::Error,
    },
    /// A game exceeds a limit.
    #[error("line {line}: the game has more than {limit} {what}, the limit: leave some out")]
    TooLarge {
        /// The line where the limit is exceeded.
        line: usize,
        /// The limit.
        limit: usize,
        /// The unit of the limit.
        what: &'static str,
    },
    /// An unterminated comment, variation or setup.
    #[error("line {line}: `{opening}` has no `{closing}` after it")]
    Unclosed {
        /// The line where it starts.
        line: usize,
        /// The opening character.
        opening: char,
        /// The missing closing character.
        closing: char,
    },
    /// A tag is not of the form `[Name "value"]`.
    #[error("line {line}: `{text}` is not a tag: write [Name \"value\"]")]
    Tag {
        /// The line of the tag.
        line: usize,
        /// The invalid text.
        text: String,
    },
    /// Neither the tags nor the moves determine the game.
    #[error(
        "line {line}: no tag names the game, and {}: add a tag such as [GameType \"21\"] or [Variant \"english\"], or state the variant",
        fitting(fits)
    )]
    NoVariant {
        /// The first line of the game.
        line: usize,
        /// The games that the moves fit.
        fits: Vec<Variant>,
    },
    /// The tags name an unsupported game.
    #[error(
        "line {line}: {what}, which is not played here: the games are {}",
        names()
    )]
    OtherGame {
        /// The first line of the game.
        line: usize,
        /// The game that the tags name.
        what: String,
    },
    /// Contradictory tags.
    #[error("line {line}: {what}: leave one of them out")]
    Contradiction {
        /// The first line of the game.
        line: usize,
        /// The contradiction.
        what: String,
    },
    /// An invalid `GameType` tag.
    #[error("line {line}: `{text}` is no GameType: write a number such as 20, or 20,W,10,10,N2,0")]
    GameType {
        /// The first line of the game.
        line: usize,
        /// The value.
        text: String,
    },
    /// An invalid setup between slashes.
    #[error("line {line}: setup `{text}`: {source}")]
    Setup {
        /// Its line.
        line: usize,
        /// The text between the slashes.
        text: String,
        /// The error.
        source: FenError,
    },
    /// An invalid position in the FEN tag.
    #[error("line {line}: start position: {source}")]
    Fen {
        /// The first line of the game.
        line: usize,
        /// The error.
        source: FenError,
    },
    /// An invalid move.
    #[error("line {line}: ply {ply}: {source}")]
    Move {
        /// The line of the move.
        line: usize,
        /// Its number, counting each side's moves from 1.
        ply: usize,
        /// The error.
        source: MoveTextError,
    },
}

impl PdnError {
    /// True if the fault leaves the players and the result of a game as its tags have them.
    pub fn keeps_result(&self) -> bool {
        match self {
            PdnError::Unclosed { .. } => true,
            PdnError::Tag { text, .. } => !game::is_decisive(game::written_name(text)),
            _ => false,
        }
    }

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
        [] => "it has no moves that fit a game".to_owned(),
        [only] => format!("its moves fit {only}"),
        [others @ .., last] => format!("its moves fit {} and {last}", others.join(", ")),
    }
}

fn names() -> String {
    Variant::GAMES.map(Variant::name).join(", ")
}
