//! Errors of a server.

use std::io;
use std::net::SocketAddr;

/// Error of starting or running a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
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
    #[error("failed to listen at {address}, which must be an address of this machine")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The server failed while running.
    #[error("internal server error")]
    Broken(#[from] io::Error),
}
