//! Declaration of settings in one place.
//!
//! [`settings!`] declares a struct and, for each field, its default, range, documentation and
//! whether it may change in a run. Everything else is derived: the struct passed to a crate,
//! [`Key`]s for files and documentation, and a check of external values.
//!
//! ```
//! settings::choice! {
//!     /// How moves are searched.
//!     pub enum Mode { Gumbel = "gumbel", Puct = "puct" }
//! }
//!
//! settings::settings! {
//!     /// The search.
//!     pub struct Search {
//!         /// Visits of the root.
//!         simulations: u32 = 32, range(1, 65_536);
//!         /// Which formula chooses.
//!         mode: Mode = Mode::Gumbel, one_of(Mode::NAMES);
//!         /// Threads; 0 is one per core.
//!         threads: usize = 0, range(0, 1024), free();
//!     }
//! }
//!
//! let keys = Search::keys();
//! assert_eq!(keys[0].name, "simulations");
//! assert_eq!(keys[0].domain.to_string(), "1 to 65536");
//! assert_eq!(keys[2].change, settings::Change::Anytime);
//! let mut search = Search::usual();
//! assert_eq!(search.mode, Mode::Gumbel);
//! search.simulations = 0;
//! assert_eq!(search.faults(), ["`simulations` is 0, not 1 to 65536"]);
//! ```

mod declare;
mod key;

pub use key::{Change, Domain, Key, ToValue, Value};
#[doc(hidden)]
pub use serde;
