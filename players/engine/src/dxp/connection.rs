//! Messages over TCP, each terminated by a zero byte.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::message::{MAX_MESSAGE, Message, MessageError};
use crate::hub::Deadline;
use crate::player::PlayerError;

/// The timeout for connecting and for sending a message.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval at which a wait checks if it is still needed.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Errors of a game or a connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DxpError {
    /// The address cannot be reached.
    #[error("failed to connect to {address}: {reason}")]
    Connect {
        /// The address.
        address: String,
        /// The system's error.
        reason: io::Error,
    },
    /// The other program has closed the connection or is unreachable.
    #[error("the other program is gone{detail}")]
    Gone {
        /// The system's error, if any.
        detail: String,
    },
    /// The other program sent nothing.
    #[error("no {expected} in {:.1} s", waited.as_secs_f64())]
    Silent {
        /// The expected message.
        expected: &'static str,
        /// The time waited.
        waited: Duration,
    },
    /// A message exceeds the size limit.
    #[error("a message of more than {MAX_MESSAGE} bytes, the limit")]
    TooLong,
    /// A malformed message.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// An unexpected message.
    #[error("`{message}` came where {expected} was expected")]
    Unexpected {
        /// The message.
        message: String,
        /// The expected message.
        expected: &'static str,
    },
    /// An illegal move.
    #[error("illegal move `{message}` in {fen}")]
    IllegalMove {
        /// The message.
        message: String,
        /// The position.
        fen: String,
    },
    /// The game was refused.
    #[error("{name} refuses the game {request}")]
    Refused {
        /// The follower's name.
        name: String,
        /// The request.
        request: String,
    },
    /// The other program ended the game.
    #[error("the other program ended the game: {reason}")]
    Ended {
        /// The stated reason.
        reason: super::Reason,
    },
    /// The answer is no longer needed.
    #[error("stopped while the other program was thinking")]
    Stopped,
    /// The local player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// A connection to another program.
pub struct Connection {
    stream: TcpStream,
    /// Data read after the last message; at most a message and a zero byte.
    unread: Vec<u8>,
}

impl Connection {
    /// Creates a connection over a stream.
    pub fn new(stream: TcpStream) -> Result<Connection, DxpError> {
        let set = || {
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(NETWORK_TIMEOUT))
        };
        set().map_err(gone)?;
        let unread = Vec::new();
        Ok(Connection { stream, unread })
    }

    /// Connects to `HOST:PORT`.
    pub fn open(address: &str) -> Result<Connection, DxpError> {
        let failed = |reason| DxpError::Connect {
            address: address.to_owned(),
            reason,
        };
        let mut last = io::Error::other("no machine has this name");
        for address in address.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, NETWORK_TIMEOUT) {
                Ok(stream) => return Connection::new(stream),
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Message) -> Result<(), DxpError> {
        let text = format!("{message}\0");
        self.stream.write_all(text.as_bytes()).map_err(gone)
    }

    /// The next message other than chat, if it arrives in time.
    pub fn receive(
        &mut self,
        expected: &'static str,
        deadline: Deadline,
    ) -> Result<Message, DxpError> {
        self.receive_until(expected, deadline, &AtomicBool::new(false))
    }

    /// [`Connection::receive`], given up soon after `stop` is set.
    pub(super) fn receive_until(
        &mut self,
        expected: &'static str,
        deadline: Deadline,
        stop: &AtomicBool,
    ) -> Result<Message, DxpError> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(DxpError::Stopped);
            }
            if let Some(end) = self.unread.iter().position(|byte| *byte == 0) {
                // Field widths count bytes, whatever the encoding of a name.
                let plain = |byte: u8| if byte.is_ascii() { byte.into() } else { '?' };
                let text: String = self.unread.drain(..=end).take(end).map(plain).collect();
                match Message::parse(&text)? {
                    Message::Chat(_) => continue,
                    message => return Ok(message),
                }
            }
            if self.unread.len() > MAX_MESSAGE {
                return Err(DxpError::TooLong);
            }
            // The system does not accept a timeout of zero.
            let rest = deadline.rest();
            if rest.is_zero() {
                let waited = deadline.waited();
                return Err(DxpError::Silent { expected, waited });
            }
            let mut bytes = [0; MAX_MESSAGE + 1];
            let free = bytes.len() - self.unread.len();
            let waits = self.stream.set_read_timeout(Some(rest.min(STOP_INTERVAL)));
            match waits.and_then(|()| self.stream.read(&mut bytes[..free])) {
                Ok(0) => {
                    let detail = String::new();
                    return Err(DxpError::Gone { detail });
                }
                Ok(n) => self.unread.extend(&bytes[..n]),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => {}
                    _ => return Err(gone(error)),
                },
            }
        }
    }
}

fn gone(error: io::Error) -> DxpError {
    DxpError::Gone {
        detail: format!(": {error}"),
    }
}
