//! Checkers variants: positions, legal moves, results, notation.
//!
//! The crate consists of pure computations: no files, no randomness, no floating point. The
//! specification is `RULES.md` in this crate's folder; numbers such as "2.7" in comments are its
//! articles.
//!
//! ```
//! use rules::{Game, Position, Variant};
//!
//! let mut game = Game::new(Position::start(Variant::English));
//! let mv = game.position().parse_move("11-15")?;
//! game.play(mv);
//! assert_eq!(game.legal_moves().len(), 7);
//! assert_eq!(game.outcome(), None);
//! # Ok::<(), rules::MoveTextError>(())
//! ```
//!
//! A variant is a table of constants ([`Rules`]) in `src/variants/`. The move generator is compiled
//! once per table, selected by one `match` behind the plain type [`Position`]; nothing else names a
//! variant.

mod about;
mod bitboard;
mod board;
mod card;
mod color;
mod draws;
mod fen;
mod finish;
mod game;
mod generate;
mod geometry;
mod hash;
mod lines;
mod move_text;
mod moves;
mod notation;
mod outcome;
mod path;
pub mod pdn;
mod perft;
mod piece;
mod position;
mod priority;
mod ruleset;
mod setup;
mod square;
mod suggest;
mod variants;

pub use about::{About, Illustration, Point};
pub use bitboard::Bitboard;
pub use board::Board;
pub use card::Card;
pub use color::Color;
pub use draws::{Army, DrawRule, Draws, Ending, Restart, Side, Span};
pub use fen::FenError;
pub use game::Game;
pub use lines::{LineRead, read_line};
pub use move_text::MoveTextError;
pub use moves::{Move, MoveList};
pub use notation::Notation;
pub use outcome::{DrawReason, Outcome, WinReason, status};
pub use perft::perft;
pub use piece::{Directions, Piece, Reach};
pub use position::Position;
pub use priority::Criterion;
pub use ruleset::{Goal, Lifting, Promotion, Rules};
pub use setup::{Setup, SetupError};
pub use square::Square;
pub use suggest::did_you_mean;
pub use variants::{UnknownVariant, Variant};
