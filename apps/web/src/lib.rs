//! The web page: play, analyse, replay games, watch a run. [`fleet_metrics`] is a separate server,
//! for Prometheus.
//!
//! [`bind`] listens on 127.0.0.1, or for the network with a [`Lan`], and answers only its own
//! pages. Everything that the browser needs is embedded. The rules stay on the server: the page
//! gets the legal moves and their paths, and sends a game as its start and its moves, so the server
//! stores no game. The caller provides the players as a [`PlayerCatalog`]. A request has at most 32
//! KiB of headers and 64 KiB of content; [`http::Limits`] has the rest.
//!
//! | route | reply |
//! |---|---|
//! | `GET /api/variants` | the games and their boards |
//! | `GET /api/players/{variant}` | the available opponents |
//! | `POST /api/game` | the position after some moves: legal moves, history, endgame database
//! result |
//! | `POST /api/think` | events: intermediate results of a search, then its move |
//! | `POST /api/pdn/read`, `/api/pdn/write` | a game from PDN and to PDN |
//! | `POST /api/book` | the moves of an opening book in a position, or null |
//! | `POST /api/openings` | how games continued from their positions |
//! | `GET /api/runs`, `/api/runs?first` | the runs, or the first one |
//! | `GET /api/runs/{run}` | one run with curves, models, newest games |
//! | `GET /api/runs/{run}/live` | events: the same, whenever it changes |
//! | `GET /api/runs/{run}/log` | the newest lines of its log, and where it was resumed |
//! | `GET /api/puzzles` | the puzzles of a file, or null |
//! | `GET /api/runs/{run}/games/{generation}` | the games of a generation |
//! | `GET /api/runs/{run}/games/{generation}/{number}` | one game with the values of its moves |

mod assets;
mod body;
mod books;
mod door;
mod fleet_metrics;
mod games;
mod guard;
mod log;
mod memory;
mod offered;
mod player_pool;
mod ponder;
mod prometheus;
mod record;
mod runs;
mod server;
mod snapshot;
mod state;
mod stream;
mod think;

pub use books::Books;
pub use door::{Lan, lan_address};
pub use fleet_metrics::fleet_metrics;
pub use offered::OfferedPlayers;
pub use page::{Label, PlayerCatalog, PlayerInfo};
pub use runs::{Judge, RunVerdict};
pub use server::{ServerOptions, bind};
