//! Connections, and their limits.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// Maximum size of a request's head in bytes; twice as many are buffered of pipelined requests and
/// unread responses.
const MAX_HEAD: usize = 32 << 10;
/// Time before the next attempt when the system cannot accept a connection.
const RETRY: Duration = Duration::from_millis(100);

/// Limits for clients. Times are for one client that sends or reads nothing.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of open connections; further ones wait.
    pub connections: usize,
    /// Time limit for the head of a request, including the wait for it: idle connections end then.
    pub head: Duration,
    /// Time limit for the body of a request.
    pub body: Duration,
    /// Time limit for a client to read some of the response.
    pub unread: Duration,
}

impl Default for Limits {
    /// 256 connections, 15 s for each part of a request, 60 s for a response.
    fn default() -> Limits {
        Limits {
            connections: 256,
            head: Duration::from_secs(15),
            body: Duration::from_secs(15),
            unread: Duration::from_secs(60),
        }
    }
}

/// Serves all connections, endlessly.
pub(crate) async fn serve(listener: TcpListener, router: Router, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let service = TowerToHyperService::new(router);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_header_size(MAX_HEAD)
        .max_buf_size(2 * MAX_HEAD);
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY).await;
            continue;
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.unread));
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service.clone());
        tokio::spawn(async move {
            // An error here only concerns the client.
            let _ = connection.await;
            drop(place);
        });
    }
}
