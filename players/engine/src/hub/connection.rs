//! The client's connection to an engine.

use std::io::{self, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rules::Variant;

use super::command::split_command;
use super::deadline::Deadline;
use super::line::Line;
use super::lines::{MAX_LINE, for_each_line};
use super::process::Process;
use super::version1;

/// The maximum number of unread lines; an engine that writes more is blocked until some are read.
const MAX_WAITING: usize = 64;
/// The interval at which a wait checks if it is still needed.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// The reason why an engine is unusable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// The command is empty or has an unclosed quote.
    #[error("`{command}` is not a command: write a program and its arguments")]
    Command {
        /// The command.
        command: String,
    },
    /// The program cannot be started.
    #[error("failed to start `{command}`: {reason}")]
    Start {
        /// The command.
        command: String,
        /// The system's error.
        reason: io::Error,
    },
    /// The engine has exited or closed its streams.
    #[error("the engine {detail}")]
    Gone {
        /// One of the two, with the exit status and the error output, if known.
        detail: String,
    },
    /// A line exceeds the length limit.
    #[error("the engine wrote a line of more than {MAX_LINE} bytes, the limit")]
    TooLong,
    /// The engine does not answer.
    #[error("no answer to `{asked}` in {:.1} s", waited.as_secs_f64())]
    Silent {
        /// The message without a reply.
        asked: String,
        /// The time waited.
        waited: Duration,
    },
    /// The answer is no longer needed.
    #[error("stopped while the engine was thinking")]
    Stopped,
    /// The engine does not play the variant.
    #[error("the engine does not play {variant}; it plays {played}")]
    Variant {
        /// The variant.
        variant: Variant,
        /// The variants that it lists.
        played: String,
    },
}

/// Lines to and from an engine, each of at most [`MAX_LINE`] bytes.
pub struct Connection {
    writer: Option<Box<dyn Write + Send>>,
    /// `None` for a line that is too long.
    lines: Receiver<Option<String>>,
    /// The engine, if it is a program of this machine.
    pub(super) process: Option<Process>,
    /// The variant, if the engine speaks version 1 of the protocol. Callers use messages of version
    /// 2 in any case.
    pub(super) version_1: Option<Variant>,
}

impl Connection {
    /// Creates a connection over any two streams.
    pub fn new(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Connection {
        let (sender, lines) = mpsc::sync_channel(MAX_WAITING);
        // The thread ends with the stream, or when the receiver is dropped.
        thread::spawn(move || {
            for_each_line(BufReader::new(reader), |line| sender.send(line).is_ok());
        });
        Connection {
            writer: Some(Box::new(writer)),
            lines,
            process: None,
            version_1: None,
        }
    }

    /// Starts a program. The command is split as in a shell, but no shell is involved. Its error
    /// output is not shown.
    pub fn start(command: &str) -> Result<Connection, HubError> {
        let words = split_command(command).unwrap_or_default();
        let [program, arguments @ ..] = words.as_slice() else {
            let command = command.to_owned();
            return Err(HubError::Command { command });
        };
        let failed = |reason| HubError::Start {
            command: command.to_owned(),
            reason,
        };
        let (process, stdin, stdout) = Process::start(program, arguments).map_err(failed)?;
        let mut connection = Connection::new(stdout, stdin);
        connection.process = Some(process);
        Ok(connection)
    }

    /// Sends a message.
    pub fn send(&mut self, line: &Line) -> Result<(), HubError> {
        let text = match self.version_1 {
            Some(variant) => version1::request(line, variant),
            None => format!("{line}\n"),
        };
        let sent = self.writer.as_mut().is_some_and(|writer| {
            writer
                .write_all(text.as_bytes())
                .and_then(|()| writer.flush())
                .is_ok()
        });
        if sent { Ok(()) } else { Err(self.gone()) }
    }

    /// Passes over the messages that are there.
    pub(super) fn pass_over(&mut self) {
        while self.lines.try_recv().is_ok() {}
    }

    /// The next message, if it arrives in time; `asked` is the message that it should answer.
    pub fn receive(&mut self, asked: &str, deadline: Deadline) -> Result<Line, HubError> {
        self.receive_until(asked, deadline, &AtomicBool::new(false))
    }

    /// [`Connection::receive`], given up soon after `stop` is set.
    pub(super) fn receive_until(
        &mut self,
        asked: &str,
        deadline: Deadline,
        stop: &AtomicBool,
    ) -> Result<Line, HubError> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(HubError::Stopped);
            }
            // An engine that writes endlessly always has another line.
            if deadline.rest().is_zero() {
                return Err(HubError::Silent {
                    asked: asked.to_owned(),
                    waited: deadline.waited(),
                });
            }
            return match self.lines.recv_timeout(deadline.rest().min(STOP_INTERVAL)) {
                Ok(Some(text)) if self.version_1.is_some() => Ok(version1::reply(&text)),
                Ok(Some(text)) => Ok(Line::parse(&text)),
                Ok(None) => Err(HubError::TooLong),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
            };
        }
    }

    fn gone(&mut self) -> HubError {
        let detail = self.process.as_mut().map(Process::describe_end);
        HubError::Gone {
            detail: detail.unwrap_or_else(|| "closed its streams".to_owned()),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            if let Some(writer) = &mut self.writer {
                // An engine that cannot read this is killed below.
                let _ = writer.write_all(b"quit\n").and_then(|()| writer.flush());
            }
            self.writer = None;
            process.end();
        }
    }
}
