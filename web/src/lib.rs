//! The page that a browser opens: play, analyse, replay games, watch a run.
//!
//! [`Server`] answers on 127.0.0.1 and only to pages that it has served itself. Everything that the
//! browser needs is embedded; nothing comes from elsewhere. The rules stay here: the page is told
//! which moves are legal and by which squares they go, and sends a game as its start and its moves,
//! so the server keeps no game. Who plays is handed in by the caller as [`Players`].
//!
//! | route | what it answers |
//! |---|---|
//! | `GET /api/variants` | the games and their boards |
//! | `GET /api/players/{variant}` | the opponents on offer |
//! | `POST /api/game` | the position after some moves, its legal moves, the game so far |
//! | `POST /api/think` | events: what a player thinks, and at last its move |
//! | `POST /api/pdn/read`, `/api/pdn/write` | a game from PDN and to PDN |
//! | `GET /api/runs`, `/api/runs/{run}` | the runs; one run with curves, models, newest games |
//! | `GET /api/runs/{run}/live` | events: the same whenever it changes |
//! | `GET /api/runs/{run}/games/{generation}` | the games of a generation |
//! | `GET /api/runs/{run}/games/{generation}/{number}` | one game with the values of its moves |

mod assets;
mod game;
mod guard;
mod pdn;
mod players;
mod record;
mod reply;
mod roster;
mod runs;
mod server;
mod snapshot;
mod stream;
mod think;
mod value;

pub use players::{Offer, Players};
pub use server::{Options, Server, WebError};
