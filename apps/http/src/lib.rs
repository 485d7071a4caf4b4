//! A small HTTP server, in which no client takes the place of others: [`Limits`]. The page and the
//! gateway of a fleet have their routes; errors are replies in JSON.
//!
//! The handlers of a [`Server`] get the [`Place`] of their connection and its [`Limits`] as
//! extensions. A client is a stranger until [`Place::admit`].

mod connections;
mod error;
mod reply;
mod server;

pub use connections::{Limits, Place};
pub use error::ServerError;
pub use reply::{ApiError, ApiResult, answer, aside, closing, too_many};
pub use server::{Server, secret, with_refusals};
