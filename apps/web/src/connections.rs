//! Connections, and how much of the server each may take.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// Bytes of a request's head at most; twice as many are kept of what is read ahead or not read by the client.
const MAX_HEAD: usize = 32 << 10;
/// Time before the next attempt when the system has no connection to give.
const RETRY: Duration = Duration::from_millis(100);

/// What clients may take of the server. Times are those of one client that sends or reads nothing.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open connections; more wait until one of them ends.
    pub connections: usize,
    /// Time for the head of a request, the wait for it included: idle connections end then.
    pub head: Duration,
    /// Time for the body of a request.
    pub body: Duration,
    /// Time in which a client must read some of its answer.
    pub unread: Duration,
}

impl Default for Limits {
    /// 256 connections, 15 s for each part of a request, 60 s for an answer.
    fn default() -> Limits {
        Limits {
            connections: 256,
            head: Duration::from_secs(15),
            body: Duration::from_secs(15),
            unread: Duration::from_secs(60),
        }
    }
}

/// Answers all connections, without end.
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
            // What fails here is the client's affair.
            let _ = connection.await;
            drop(place);
        });
    }
}
