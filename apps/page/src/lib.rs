//! The page in the browser: its files, and its views of games and searches.
//!
//! The page knows no rules. It sends a game as its start and its moves, and receives what to show.
//! These are the requests and replies as plain values, independent of a server: `crownhead serve`
//! answers them over HTTP, an exported page in WebAssembly, inside the browser.

mod assets;
mod basics;
mod game;
mod openings;
mod pdn;
mod players;
mod thinking;
mod truth;
mod value;
mod variants;

pub use assets::{ASSETS, Asset, POLICY};
pub use game::{GameText, GameView, PlyView, is_ending, variant};
pub use openings::{GamesText, OpeningMove, Openings, count_openings};
pub use pdn::{PdnGameView, PdnOrder, PdnReply, PdnText, PlyText, WrittenPdn, read_pdn, write_pdn};
pub use players::{Label, PlayerCatalog, PlayerInfo};
pub use thinking::{FindingsView, MoveShare, Question, SearchedGame};
pub use value::WhiteValue;
pub use variants::{CardView, VariantView, variants};

/// The reason for rejecting a request, for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(message: T) -> Refusal {
        Refusal(message.into())
    }
}
