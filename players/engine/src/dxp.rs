//! The DamExchange protocol (DXP): games between two draughts programs over TCP.
//!
//! One program is the initiator, which asks for games, the other the follower.
//!
//! * [`serve`] makes a follower of an [`Analyzer`](crate::Analyzer).
//! * [`DxpPlayer`] makes a [`Player`](crate::Player) of a follower, as its initiator.
//!
//! The protocol knows boards of 50 squares and names no game: both programs must have been told the same one.
//! Positions come without counters, times are whole minutes for a game.
//!
//! Source: the protocol's description, version 01, at mesander.nl/damexchange.

mod connection;
mod message;
mod player;
mod serve;

use rules::Variant;

pub use connection::{Connection, DxpError};
pub use message::{
    Acceptance, GameRequest, MAX_MESSAGE, Message, MessageError, MoveMessage, Reason,
};
pub use player::{DxpPlayer, DxpPlayerConfig};
pub use serve::{PlayedGame, serve};

/// The port that the protocol uses.
pub const PORT: u16 = 27_531;
/// The squares of its board.
const N_SQUARES: usize = 50;
/// The longest time for a game, and the highest number of moves, that a request can name.
pub const MAX_NUMBER: u32 = 999;

/// Whether the protocol can carry games of this variant: its board has 50 squares, and White moves first.
pub fn carries(variant: Variant) -> bool {
    let rules = variant.rules();
    variant.board().n_squares() == N_SQUARES && rules.first_player == rules::Color::White
}
