//! The page that a browser opens: its files, and what it shows of games and searches.
//!
//! The page knows no rules. It sends a game as its start and its moves, and gets back what it shows. These are
//! the requests and the replies as plain values, without a server: `crownhead serve` answers with them over HTTP,
//! an exported page in WebAssembly, inside the browser.

mod assets;
mod game;
mod pdn;
mod players;
mod thinking;
mod truth;
mod value;
mod variants;

pub use assets::{ASSETS, Asset};
pub use game::{GameText, GameView, PlyView, is_ending, number, variant};
pub use pdn::{PdnGameView, PdnOrder, PdnText, PlyText, WrittenPdn, read_pdn, write_pdn};
pub use players::{Label, PlayerCatalog, PlayerInfo};
pub use thinking::{FindingsView, Question, SearchedGame};
pub use value::WhiteValue;
pub use variants::{CardView, VariantView, variants};

/// Why a request is refused, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(message: T) -> Refusal {
        Refusal(message.into())
    }
}
