//! The server: address, routes, start and stop.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use page::{PlayerCatalog, PlayerInfo};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::books::Books;
use crate::connections::{self, Limits};
use crate::door::{Door, Entrance, Lan, enter};
use crate::error::WebError;
use crate::guard::{Hosts, guard};
use crate::memory::Memory;
use crate::player_pool::PlayerPool;
use crate::reply::{ApiError, ApiResult, aside};
use crate::runs::{Judge, Runs};
use crate::state::AppState;
use crate::{assets, games, log, prometheus, record, snapshot, think};

/// Maximum number of pages that watch runs.
const MAX_VIEWERS: usize = 16;
/// Interval at which the server checks whether to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(50);
/// Time limit for searches to end after that.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// Settings of the server.
pub struct ServerOptions {
    /// The port; 0 for any free one.
    pub port: u16,
    /// Access from other machines, if allowed.
    pub lan: Option<Lan>,
    /// Directories whose children may be runs. They need not exist.
    pub run_dirs: Vec<PathBuf>,
    /// Other runs.
    pub other_runs: Vec<PathBuf>,
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

/// A server that is bound to its port and not running yet.
pub struct Server {
    listener: TcpListener,
    port: u16,
    router: Router,
    limits: Limits,
}

impl Server {
    /// Binds to 127.0.0.1, which only programs on this machine can reach, or to the addresses of
    /// its [`Lan`].
    ///
    /// # Errors
    /// If the port is not available.
    pub fn bind(options: ServerOptions) -> Result<Server, WebError> {
        let address = options.lan.as_ref().map(|lan| lan.address);
        let (listener, bound) = listen((own_address(options.lan.as_ref()), options.port).into())?;
        let port = bound.port();
        let door = options.lan.map(|lan| Door::new(lan, port)).transpose()?;
        let max_searches = options.max_searches.max(1);
        let shared = Arc::new(AppState {
            players: PlayerPool::new(options.players),
            ponders: Arc::default(),
            runs: Runs::new(options.run_dirs, options.other_runs),
            judge: options.judge,
            lines: Memory::new(),
            puzzles: options.puzzles,
            books: options.books,
            max_searches,
            searches: Arc::new(Semaphore::new(max_searches)),
            viewers: Arc::new(Semaphore::new(MAX_VIEWERS)),
        });
        // Hundreds of runs are read before the first request for them.
        let early = Arc::clone(&shared);
        thread::spawn(move || snapshot::lines(&early));
        Ok(Server {
            listener,
            port,
            router: router(shared, Hosts::new(port, address), door.map(Arc::new)),
            limits: Limits::default(),
        })
    }

    /// Replaces the default limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Server {
        Server { limits, ..self }
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Serves until `stop` becomes true, which ends open streams and searches too.
    pub fn run(self, stop: &AtomicBool) -> Result<(), WebError> {
        serve(self.listener, self.router, self.limits, stop)
    }
}

/// Listens at an address, and returns the actual one.
pub(crate) fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), WebError> {
    let port = address.port();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => WebError::PortInUse { port },
        _ => WebError::Listen { address, source },
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Serves until `stop` becomes true.
pub(crate) fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: &AtomicBool,
) -> Result<(), WebError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    let outcome: io::Result<()> = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = router.layer(Extension(limits));
        tokio::spawn(connections::serve(listener, router, limits));
        while !stop.load(Ordering::Relaxed) {
            tokio::time::sleep(STOP_INTERVAL).await;
        }
        Ok(())
    });
    // Dropping the streams stops their searches.
    runtime.shutdown_timeout(STOP_PATIENCE);
    Ok(outcome?)
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
    Router::new()
        .route("/", get(assets::index))
        .route("/manifest.webmanifest", get(assets::beside))
        .route("/service-worker.js", get(assets::beside))
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
        )
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(door, enter))
        .layer(middleware::from_fn_with_state(hosts, guard))
        .with_state(shared)
}

pub(crate) async fn unknown(uri: Uri) -> ApiError {
    ApiError::missing(format!("{} does not exist", uri.path()))
}

pub(crate) async fn wrong_method(uri: Uri) -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{} does not support this method", uri.path()),
    )
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
    let variant = page::variant(&variant)?;
    let players = aside(move || Ok(shared.players.list(&shared.runs, variant)));
    Ok(Json(players.await?))
}
