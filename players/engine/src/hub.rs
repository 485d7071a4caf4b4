//! The Hub protocol, versions 2 and 1: lines of text between a draughts engine and its client.
//!
//! * [`serve`] makes an [`Analyzer`](crate::Analyzer) an engine that reads one stream and writes
//!   another.
//! * [`HubPlayer`] makes an engine of either version, usually a child process, a
//!   [`Player`](crate::Player).
//! * [`Line`] is the common form of all messages. Parsing is lenient: malformed lines are parsed as
//!   far as possible, and unknown messages are ignored.
//!
//! A message is a command with arguments, `pos pos=Wbbb... moves="32-28 19-23"`. A position is a
//! letter for the side to move and one for each square, in the orientation given by [`Frame`].
//! Moves are `from-to`, or `fromxto` followed by the captured squares.
//!
//! The protocol does not standardize multiple lines. Our engine has a parameter `lines`, 1 to 10,
//! used by `go analyze`: each result is then one `info` per line, with the best one last. The best
//! one has the standard form; the others have an additional key `line=2` and so on.

mod client;
mod command;
mod connection;
mod deadline;
mod frame;
mod group;
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
pub use command::split_command;
pub use connection::{Connection, HubError};
pub use deadline::Deadline;
pub use frame::{Frame, UnknownFrame};
pub use identity::{Identity, Parameter, Version};
pub use level::{LevelError, read_level, write_level};
pub use line::{Argument, Line};
pub use lines::MAX_LINE;
pub use notation::{PositionTextError, position_text, read_move, read_position, write_move};
pub use score::{score_of, value_of_score};
pub use serve::serve;
