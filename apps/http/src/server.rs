//! The server: address, start and stop.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::{StatusCode, Uri};
use axum::{Extension, Router};

use crate::connections::{self, Limits};
use crate::{ApiError, ServerError};

/// Interval at which the server checks whether to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(50);
/// Time limit for requests to end after that.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// A server that is bound to its address and not running yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    /// The routes; none at first.
    pub router: Router,
    /// The limits for clients.
    pub limits: Limits,
}

impl Server {
    /// Binds to an address.
    ///
    /// # Errors
    /// If the address is not available.
    pub fn bind(address: SocketAddr) -> Result<Server, ServerError> {
        let port = address.port();
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => ServerError::PortInUse { port },
            _ => ServerError::Listen { address, source },
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Server {
            address: listener.local_addr().map_err(failed)?,
            listener,
            router: Router::new(),
            limits: Limits::default(),
        })
    }

    /// The address it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for a browser on this machine.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.address.port())
    }

    /// Serves until `stop` becomes true, which ends open streams too.
    ///
    /// # Errors
    /// If the system runs out of resources.
    pub fn run(self, stop: &AtomicBool) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let outcome: io::Result<()> = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let router = self.router.layer(Extension(self.limits));
            tokio::spawn(connections::serve(listener, router, self.limits));
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(STOP_INTERVAL).await;
            }
            Ok(())
        });
        // Dropping the streams stops their work.
        runtime.shutdown_timeout(STOP_PATIENCE);
        Ok(outcome?)
    }
}

/// Adds errors for paths and methods without a route. Layers that are added later see these
/// requests too.
pub fn with_refusals<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    let routes = routes.fallback(unknown);
    routes.method_not_allowed_fallback(wrong_method)
}

async fn unknown(uri: Uri) -> ApiError {
    ApiError::missing(format!("{} does not exist", uri.path()))
}

async fn wrong_method(uri: Uri) -> ApiError {
    let message = format!("{} does not support this method", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// 128 random bits in hexadecimal.
///
/// # Errors
/// If the system provides no random numbers.
pub fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}
