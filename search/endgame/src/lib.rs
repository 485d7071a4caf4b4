//! Endgame databases: win, draw or loss for every position with few pieces.
//!
//! [`Database::build`] solves all positions of a variant with up to [`MAX_PIECES`] pieces by
//! retrograde analysis, [`Database::probe`] looks one up, [`Database::verify`] proves all values
//! independently of the code that found them, and [`Database::sample`] selects positions for
//! testing players.
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
//! # Meaning of the values
//!
//! A value depends on the pieces, the side to move and, in frisian, the kings that may have to rest
//! (4.6). It is the value of the game directly after a capture or a man move, ignoring earlier
//! positions. It respects all rules, including the thai draw of one king each (5.7) and frisian's
//! draws of few kings (4.8, 4.9), with two exceptions:
//!
//! * **Repetition**, which changes no value: a winning side gets closer with each move and needs no
//!   position twice; a side that can only draw is not hurt by another way to draw.
//! * **No progress**, in positions with men. A win within the limit is safe; [`Slice::longest`]
//!   gives the longest one. In the databases of all games with up to four pieces it is within the
//!   limit (frisian is closest with 49 of 50 plies). In positions without men, a win that takes too
//!   long is a draw in the database too. The same holds with men in the endings of russian and
//!   brazilian whose count man moves do not restart. A count that a promotion does not restart
//!   either starts at 0 in the database; [`Database::settled`] takes that into account.
//!
//! If plies without progress have already been counted, a long win may be a draw. In positions
//! without men, the values of the moves may then differ from the value of the position, because
//! these plies are missing. [`Database::settled`] determines which values hold anyway,
//! [`Distances`] how long a win takes.
//!
//! A position and its color-swapped twin, rotated and with the other side to move (1.7), share one
//! entry.

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

/// The maximum number of pieces in a database.
pub const MAX_PIECES: usize = 5;
