//! Errors of the servers.

use std::io;
use std::net::SocketAddr;

/// Error of the server.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The port is in use.
    #[error(
        "port {port} is in use: stop the other program, or choose a port with --port N (--port 0 \
         uses any free port)"
    )]
    PortInUse {
        /// The port.
        port: u16,
    },
    /// The port is not available.
    #[error("failed to listen at {address}: {source}. It must be an address of this machine")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The server failed while running.
    #[error("internal server error: {0}")]
    Broken(#[from] io::Error),
}
