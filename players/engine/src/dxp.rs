//! The DamExchange protocol (DXP): games between two draughts programs over TCP.
//!
//! One program, the initiator, requests games; the other is the follower.
//!
//! * [`serve`] makes an [`Analyzer`](crate::Analyzer) a follower.
//! * [`DxpPlayer`] makes a follower a [`Player`](crate::Player), acting as its initiator.
//!
//! The protocol supports boards of 50 squares and does not name the game, so both programs must be
//! configured for the same one. Positions have no counters, and times are whole minutes per game.
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

/// The protocol's default port.
pub const PORT: u16 = 27_531;
/// The number of squares of its board.
const N_SQUARES: usize = 50;
/// The maximum time in minutes and the maximum number of moves that a request can state.
pub const MAX_NUMBER: u32 = 999;

/// True if the protocol supports this variant: the board has 50 squares, and White moves first.
pub fn carries(variant: Variant) -> bool {
    let rules = variant.rules();
    variant.board().n_squares() == N_SQUARES && rules.first_player == rules::Color::White
}
