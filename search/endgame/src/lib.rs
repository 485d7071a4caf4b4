//! Endgame databases: win, draw or loss of every position with few pieces.
//!
//! [`Database::build`] solves all positions of a variant with up to [`MAX_PIECES`] pieces by retrograde
//! analysis, [`Database::probe`] looks one up, [`Database::verify`] proves all values anew without the
//! code that found them, [`Database::sample`] picks positions to test a player on.
//!
//! ```
//! use endgame::{Database, GameValue};
//! use rules::{Position, Variant};
//!
//! let database = Database::build(Variant::English, 3, |_| ())?;
//! let two_against_one = Position::from_fen(Variant::English, "W:WK14,K15:BK1")?;
//! assert_eq!(database.probe(&two_against_one), Some(GameValue::Win));
//! assert_eq!(database.probe(&Position::start(Variant::English)), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the values mean
//!
//! A value belongs to the pieces, the side to move and, in frisian, to the kings that may have to rest (4.6): it is
//! that of the game directly after a capture or a man move, without what stood on the board before. So it
//! obeys all rules, the thai draw of one king each (5.7) and frisian's draws of few kings (4.8, 4.9) among them, but
//!
//! * **Repetition**, which changes no value: a side that wins gets closer with each of its moves and needs no
//!   position twice; a side that can only draw is not hurt by one more way to draw.
//! * **No progress** where there are men. A win that takes no more plies than the limit is safe;
//!   [`Slice::longest`] says how many it can take. In the databases of all games with up to four pieces that is
//!   within the limit (frisian's 49 of 50 plies are the closest). Without men, a win that takes too long is a
//!   draw in the database too.
//!
//! Where plies without progress have been counted already, a long win may be a draw, and without men what
//! the moves of a position are worth may not be what the position is: the plies that they take are missing.
//! [`Database::settled`] says which values hold all the same, [`Distances`] how long a win takes.
//!
//! A position and its turned twin, the same for the other colour (1.7), have one entry.

mod combinations;
mod database;
mod distance;
mod error;
mod frame;
mod index;
mod material;
mod placement;
mod rest;
mod sample;
mod settled;
mod solve;
mod unmoves;
mod v1;
mod value;
mod values;
mod verify;

pub use database::{Database, Slice};
pub use distance::Distances;
pub use error::EndgameError;
pub use material::Material;
pub use rules::Army;
pub use sample::Solved;
pub use settled::Settled;
pub use value::GameValue;

/// The most pieces of both sides that a database has.
pub const MAX_PIECES: usize = 5;
