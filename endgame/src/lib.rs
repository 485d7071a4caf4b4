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
//! A value belongs to the pieces and the side to move alone; counters and history are left out. Rules
//! that need neither are obeyed, also the thai draw of one king each (5.7). Left out are repetition
//! and the limits of plies without progress (1.6), frisian's king rest (4.6), and its draws of few
//! kings after some moves (4.8, 4.9).
//!
//! * **Repetition** changes no value: a side that wins gets closer with each of its moves and needs no
//!   position twice; a side that can only draw is not hurt by one more way to draw.
//! * **No progress** makes a draw of a win that takes too long. With a fresh counter, a win that takes
//!   no more plies than the limit is safe; [`Slice::longest`] says how many it can take. In all
//!   databases of up to four pieces that is below the limit, except frisian's, where it is 72 plies
//!   and the limit 50. Where the counter stands higher, a long win may be a draw.
//! * **Frisian**'s own counters are left out too, so the database of `frisian` is that of
//!   `frisian-plain`. It is an approximation where a side has both men and kings (king rest), and in
//!   two kings against one, where a win must take at most 14 plies and some take 19.
//!
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
