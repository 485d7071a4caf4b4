//! The server of the page: address and routes.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use http::{ApiResult, Server, ServerError, answer, with_refusals};
use page::{PlayerCatalog, PlayerInfo};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::body::refused;
use crate::books::Books;
use crate::door::{Door, Entrance, Lan, enter};
use crate::guard::{Hosts, guard};
use crate::memory::Memory;
use crate::player_pool::PlayerPool;
use crate::runs::{Judge, Runs};
use crate::state::AppState;
use crate::{assets, games, log, prometheus, record, snapshot, think};

/// Maximum number of pages that watch runs.
const MAX_VIEWERS: usize = 16;

/// Settings of the server.
pub struct ServerOptions {
    /// The port; 0 for any free one.
    pub port: u16,
    /// Access from other machines, if allowed.
    pub lan: Option<Lan>,
    /// The directory whose children may be runs. It need not exist.
    pub runs: PathBuf,
    /// A run elsewhere.
    pub other_run: Option<PathBuf>,
    /// Maximum number of simultaneous searches, at least one; endless analysis searches on that
    /// many threads.
    pub max_searches: usize,
    /// The available players.
    pub players: Box<dyn PlayerCatalog>,
    /// Judges runs.
    pub judge: Judge,
    /// A file of puzzles, as JSON.
    pub puzzles: Option<Value>,
    /// Opening books to look into.
    pub books: Books,
}

/// The server of the page, bound to 127.0.0.1, which only programs on this machine can reach, or to
/// the addresses of its [`Lan`].
///
/// # Errors
/// If the port is not available.
pub fn bind(options: ServerOptions) -> Result<Server, ServerError> {
    let address = options.lan.as_ref().map(|lan| lan.address);
    let mut server = Server::bind((own_address(options.lan.as_ref()), options.port).into())?;
    let port = server.address().port();
    let door = options.lan.map(|lan| Door::new(lan, port)).transpose()?;
    let max_searches = options.max_searches.max(1);
    let shared = Arc::new(AppState {
        players: PlayerPool::new(options.players),
        ponders: Arc::default(),
        runs: Runs::new(options.runs, options.other_run),
        judge: options.judge,
        lines: Memory::new(),
        puzzles: options.puzzles,
        books: options.books,
        max_searches,
        searches: Arc::new(Semaphore::new(max_searches)),
        viewers: Arc::new(Semaphore::new(MAX_VIEWERS)),
        collections: Semaphore::new(1),
    });
    // Hundreds of runs are read before the first request for them.
    let early = Arc::clone(&shared);
    thread::spawn(move || snapshot::lines(&early));
    server.router = router(shared, Hosts::new(port, address), door.map(Arc::new));
    Ok(server)
}

/// The address to listen at.
fn own_address(lan: Option<&Lan>) -> IpAddr {
    match lan.map(|lan| (lan.address, lan.is_only)) {
        None => Ipv4Addr::LOCALHOST.into(),
        Some((address, true)) => address,
        Some((IpAddr::V4(_), false)) => Ipv4Addr::UNSPECIFIED.into(),
        Some((IpAddr::V6(_), false)) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

fn router(shared: Arc<AppState>, hosts: Hosts, door: Entrance) -> Router {
    let routes = Router::new()
        .route("/", get(assets::file))
        .route("/manifest.webmanifest", get(assets::file))
        .route("/service-worker.js", get(assets::file))
        .route("/assets/{name}", get(assets::file))
        .route("/metrics", get(prometheus::metrics))
        .route("/api/variants", get(games::variants))
        .route("/api/players/{variant}", get(players))
        .route("/api/game", post(games::show))
        .route("/api/think", post(think::think))
        .route("/api/pdn/read", post(games::read))
        .route("/api/pdn/write", post(games::write))
        .route("/api/openings", post(games::openings))
        .route("/api/book", post(games::book))
        .route("/api/puzzles", get(puzzles))
        .route("/api/runs", get(snapshot::runs))
        .route("/api/runs/{run}", get(snapshot::run))
        .route("/api/runs/{run}/live", get(snapshot::live))
        .route("/api/runs/{run}/log", get(log::log))
        .route("/api/runs/{run}/gates/{model}", get(snapshot::gate))
        .route("/api/runs/{run}/games/{generation}", get(snapshot::games))
        .route(
            "/api/runs/{run}/games/{generation}/{number}",
            get(record::game),
        );
    with_refusals(routes)
        .layer(middleware::from_fn_with_state(door, enter))
        .layer(middleware::from_fn_with_state(hosts, guard))
        .with_state(shared)
}

/// `GET /api/puzzles`.
async fn puzzles(State(shared): State<Arc<AppState>>) -> Json<Option<Value>> {
    Json(shared.puzzles.clone())
}

/// `GET /api/players/{variant}`.
async fn players(
    State(shared): State<Arc<AppState>>,
    Path(variant): Path<String>,
) -> ApiResult<Vec<PlayerInfo>> {
    let variant = page::variant(&variant).map_err(refused)?;
    answer(move || Ok(shared.players.list(&shared.runs, variant))).await
}
