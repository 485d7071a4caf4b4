//! The server: its address, its routes and its life.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, Uri};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use tokio::sync::Semaphore;

use crate::guard::{Hosts, guard};
use crate::players::{Offer, Players};
use crate::reply::{Answer, MAX_BODY, Problem, aside};
use crate::roster::Roster;
use crate::runs::Runs;
use crate::{assets, game, pdn, record, snapshot, think};

/// Pages that may watch runs at once.
const MAX_VIEWERS: usize = 16;
/// How soon the server notices that it is to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(50);
/// How long searches may take to end then.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// What the server is made of.
pub struct Options {
    /// The port on 127.0.0.1; 0 is any free one.
    pub port: u16,
    /// Directories whose children may be runs. They need not exist.
    pub run_dirs: Vec<PathBuf>,
    /// Runs elsewhere.
    pub other_runs: Vec<PathBuf>,
    /// Searches that may run at once, at least one.
    pub max_searches: usize,
    /// Who plays.
    pub players: Box<dyn Players>,
}

/// Why the server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// Somebody else listens there.
    #[error(
        "port {port} is in use: stop the other program, or choose a port with --port N \
         (--port 0 takes any that is free)"
    )]
    PortInUse {
        /// The port.
        port: u16,
    },
    /// The port cannot be had.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port.
        port: u16,
        /// The system's answer.
        source: io::Error,
    },
    /// The server broke down.
    #[error("the server broke down: {0}")]
    Broken(#[from] io::Error),
}

/// What all handlers share.
pub(crate) struct Shared {
    pub(crate) roster: Roster,
    pub(crate) runs: Runs,
    pub(crate) max_searches: usize,
    pub(crate) searches: Arc<Semaphore>,
    pub(crate) viewers: Arc<Semaphore>,
}

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    port: u16,
    router: Router,
}

impl Server {
    /// Listens on 127.0.0.1, which only programs on this machine reach.
    pub fn bind(options: Options) -> Result<Server, WebError> {
        let asked = options.port;
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => WebError::PortInUse { port: asked },
            _ => WebError::Listen {
                port: asked,
                source,
            },
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, asked)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let max_searches = options.max_searches.max(1);
        let shared = Arc::new(Shared {
            roster: Roster::new(options.players),
            runs: Runs::new(options.run_dirs, options.other_runs),
            max_searches,
            searches: Arc::new(Semaphore::new(max_searches)),
            viewers: Arc::new(Semaphore::new(MAX_VIEWERS)),
        });
        Ok(Server {
            listener,
            port,
            router: router(shared, Hosts::new(port)),
        })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers until `stop` becomes true. Open streams and searches end then too.
    pub fn run(self, stop: &AtomicBool) -> Result<(), WebError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let outcome = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let serving = tokio::spawn(async move { axum::serve(listener, self.router).await });
            while !stop.load(Ordering::Relaxed) && !serving.is_finished() {
                tokio::time::sleep(STOP_INTERVAL).await;
            }
            match serving.is_finished() {
                true => serving.await.map_err(io::Error::other)?,
                false => Ok(()),
            }
        });
        // What is dropped here stops its search.
        runtime.shutdown_timeout(STOP_PATIENCE);
        Ok(outcome?)
    }
}

fn router(shared: Arc<Shared>, hosts: Hosts) -> Router {
    Router::new()
        .route("/", get(assets::index))
        .route("/assets/{name}", get(assets::file))
        .route("/api/variants", get(game::variants))
        .route("/api/players/{variant}", get(players))
        .route("/api/game", post(game::show))
        .route("/api/think", post(think::think))
        .route("/api/pdn/read", post(pdn::read))
        .route("/api/pdn/write", post(pdn::write))
        .route("/api/runs", get(snapshot::runs))
        .route("/api/runs/{run}", get(snapshot::run))
        .route("/api/runs/{run}/live", get(snapshot::live))
        .route("/api/runs/{run}/games/{generation}", get(snapshot::games))
        .route(
            "/api/runs/{run}/games/{generation}/{number}",
            get(record::game),
        )
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(hosts, guard))
        .with_state(shared)
}

async fn unknown(uri: Uri) -> Problem {
    Problem::missing(format!("there is nothing at {}", uri.path()))
}

async fn wrong_method(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{} is asked with another method", uri.path()),
    )
}

/// `GET /api/players/{variant}`.
async fn players(
    State(shared): State<Arc<Shared>>,
    Path(variant): Path<String>,
) -> Answer<Vec<Offer>> {
    let variant = game::variant(&variant)?;
    let offers = aside(move || Ok(shared.roster.offers(&shared.runs, variant)));
    Ok(Json(offers.await?))
}
