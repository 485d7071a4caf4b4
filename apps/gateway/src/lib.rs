//! Access to a fleet's share for the machines of volunteers, which cannot reach it themselves, by
//! name and secret. A program of its own: few fleets need it.
//!
//! [`bind`] makes the server. [`Volunteers`] are invited by an [`Invitation`]; [`may_read`] and
//! [`Upload`] define their permissions, and [`Quota`] how much they may keep in the share. The side
//! of a volunteer's machine is `share::open`.

mod error;
mod invitation;
mod program;
mod quota;
mod server;
mod upload;
mod volunteers;

pub use error::GatewayError;
pub use invitation::Invitation;
pub use program::Program;
pub use quota::{Quota, Usage};
pub use server::bind;
pub use upload::{Upload, may_read};
pub use volunteers::Volunteers;
