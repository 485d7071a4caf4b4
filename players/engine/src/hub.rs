//! The Hub protocol, versions 2 and 1: lines of text between a draughts engine and its client.
//!
//! * [`serve`] makes an engine of an [`Analyzer`](crate::Analyzer), which reads one stream and writes
//!   another; [`serve_version_1`] one for clients that speak the older version.
//! * [`HubPlayer`] makes a [`Player`](crate::Player) of an engine of either version, usually a child process.
//! * [`Line`] is the common form of all messages. Reading is lenient: malformed lines are read as far as
//!   possible, and unknown messages are ignored.
//!
//! A message is a command and its arguments, `pos pos=Wbbb... moves="32-28 19-23"`. Positions are
//! a letter for the side to move and one for each square; [`Frame`] is the view that they are written
//! from. Moves are `from-to`, or `fromxtox` and the captured squares.
//!
//! How an engine gives several lines is not standardised. Ours has a parameter `lines`, 1 to 10, that
//! counts in `go analyze`: then each result is one `info` a line, the best one last. It is as it always is;
//! the others have a key `line=2` and so on besides.

mod client;
mod connection;
mod deadline;
mod frame;
mod identity;
mod level;
mod line;
mod lines;
mod notation;
mod process;
mod score;
mod serve;
mod session;
mod version1;

pub use client::{HubPlayer, HubPlayerConfig};
pub use connection::{Connection, HubError};
pub use deadline::Deadline;
pub use frame::{Frame, UnknownFrame};
pub use identity::{Identity, Version};
pub use level::{LevelError, read_level, write_level};
pub use line::{Argument, Line};
pub use lines::MAX_LINE;
pub use notation::{PositionTextError, position_text, read_move, read_position, write_move};
pub use score::{score_of, value_of_score};
pub use serve::{serve, serve_version_1};
