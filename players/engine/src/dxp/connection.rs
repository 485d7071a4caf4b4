//! Messages over TCP, each ended by a zero.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::message::{MAX_MESSAGE, Message, MessageError};
use crate::hub::Deadline;
use crate::player::PlayerError;

/// The longest that a connection may take to be made, and a message to be taken.
const NETWORK_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a game or a connection is over that should not be.
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
    /// The other program has closed the connection, or cannot be reached any more.
    #[error("the other program is gone{detail}")]
    Gone {
        /// The system's error, if there is one.
        detail: String,
    },
    /// It says nothing.
    #[error("no {expected} in {:.1} s", waited.as_secs_f64())]
    Silent {
        /// What should have come.
        expected: &'static str,
        /// The time waited.
        waited: Duration,
    },
    /// It has written more than a message can be.
    #[error("a message of more than {MAX_MESSAGE} bytes, the limit")]
    TooLong,
    /// It has written something that is no message.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// It has written something that has no place here.
    #[error("`{message}` came where {expected} was expected")]
    Unexpected {
        /// The message.
        message: String,
        /// What should have come.
        expected: &'static str,
    },
    /// It has made an illegal move.
    #[error("illegal move `{message}` in {fen}")]
    IllegalMove {
        /// The message.
        message: String,
        /// The position.
        fen: String,
    },
    /// It does not want the game.
    #[error("{name} refuses the game {request}")]
    Refused {
        /// The follower's name.
        name: String,
        /// What was asked for.
        request: String,
    },
    /// It has ended the game.
    #[error("the other program ended the game: {reason}")]
    Ended {
        /// The reason that it gave.
        reason: super::Reason,
    },
    /// The player on this side failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// A connection to another program.
pub struct Connection {
    stream: TcpStream,
    /// What was read after the last message; at most a message and a zero.
    unread: Vec<u8>,
}

impl Connection {
    /// A connection over a stream.
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
        let mut last = io::Error::other("it is the name of no machine");
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

    /// The next message that is not for people, if it comes in time.
    pub fn receive(
        &mut self,
        expected: &'static str,
        deadline: Deadline,
    ) -> Result<Message, DxpError> {
        loop {
            let text = self.receive_text(expected, deadline)?;
            match Message::parse(&text)? {
                Message::Chat(_) => {}
                message => return Ok(message),
            }
        }
    }

    fn receive_text(
        &mut self,
        expected: &'static str,
        deadline: Deadline,
    ) -> Result<String, DxpError> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == 0) {
                // Fields have their widths in bytes, whatever a name is written in.
                let plain = |byte: u8| {
                    if byte.is_ascii() {
                        char::from(byte)
                    } else {
                        '?'
                    }
                };
                let text = self.unread.drain(..=end).take(end).map(plain).collect();
                return Ok(text);
            }
            if self.unread.len() > MAX_MESSAGE {
                return Err(DxpError::TooLong);
            }
            let silent = || DxpError::Silent {
                expected,
                waited: deadline.waited(),
            };
            // The system takes no time-out of zero.
            let rest = deadline.rest();
            if rest.is_zero() {
                return Err(silent());
            }
            let mut bytes = [0; MAX_MESSAGE + 1];
            let free = bytes.len() - self.unread.len();
            let waits = self.stream.set_read_timeout(Some(rest));
            match waits.and_then(|()| self.stream.read(&mut bytes[..free])) {
                Ok(0) => {
                    let detail = String::new();
                    return Err(DxpError::Gone { detail });
                }
                Ok(n) => self.unread.extend(&bytes[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => return Err(silent()),
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
