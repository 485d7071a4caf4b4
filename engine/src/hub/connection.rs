//! The client's connection to an engine.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rules::Variant;

use super::line::Line;
use super::serve::for_each_line;

/// Maximum of unread lines of the engine.
const MAX_WAITING: usize = 1024;
/// Bytes of the engine's error output that are kept.
const MAX_ERROR_OUTPUT: usize = 1000;
/// Time for an engine to exit after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_millis(300);

/// Why an engine is unusable.
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
    #[error("the engine exited{detail}")]
    Gone {
        /// Exit status and error output, as far as known.
        detail: String,
    },
    /// The engine does not answer.
    #[error("no answer to `{asked}` in {:.1} s", waited.as_secs_f64())]
    Silent {
        /// The message without a reply.
        asked: String,
        /// The time waited.
        waited: Duration,
    },
    /// The engine does not play the variant.
    #[error("the engine does not play {variant}; it plays {played}")]
    Variant {
        /// The variant.
        variant: Variant,
        /// The variants that it lists.
        played: String,
    },
}

/// Lines to and from an engine.
pub struct Connection {
    writer: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    process: Option<Process>,
}

/// An engine that runs as a child process. It is killed when this is dropped.
struct Process {
    child: Child,
    error_output: ErrorOutput,
}

/// The end of a child's error output.
struct ErrorOutput {
    text: Arc<Mutex<String>>,
    /// Disconnected when the stream has ended.
    end: Receiver<()>,
}

impl Connection {
    /// A connection over any two streams.
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
        }
    }

    /// Starts a program; the command is split as a shell does, but no shell is involved. Its error
    /// output is not shown.
    pub fn start(command: &str) -> Result<Connection, HubError> {
        let words = shlex::split(command).unwrap_or_default();
        let [program, arguments @ ..] = words.as_slice() else {
            let command = command.to_owned();
            return Err(HubError::Command { command });
        };
        let failed = |reason| HubError::Start {
            command: command.to_owned(),
            reason,
        };
        let mut child = in_background(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(failed(io::Error::other("its streams are missing")));
        };
        let error_output = ErrorOutput::listen(stderr);
        let mut connection = Connection::new(stdout, stdin);
        connection.process = Some(Process {
            child,
            error_output,
        });
        Ok(connection)
    }

    /// Sends a message.
    pub fn send(&mut self, line: &Line) -> Result<(), HubError> {
        let text = format!("{line}\n");
        let sent = self.writer.as_mut().is_some_and(|writer| {
            writer
                .write_all(text.as_bytes())
                .and_then(|()| writer.flush())
                .is_ok()
        });
        if sent { Ok(()) } else { Err(self.gone()) }
    }

    /// The next message, if it comes in time; `asked` is the message that it should reply to.
    pub fn receive(&mut self, asked: &str, deadline: Deadline) -> Result<Line, HubError> {
        match self.lines.recv_timeout(deadline.rest()) {
            Ok(text) => Ok(Line::parse(&text)),
            Err(RecvTimeoutError::Timeout) => Err(HubError::Silent {
                asked: asked.to_owned(),
                waited: deadline.waited(),
            }),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    fn gone(&mut self) -> HubError {
        let detail = self.process.as_mut().map(Process::describe_end);
        HubError::Gone {
            detail: detail.unwrap_or_default(),
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

impl Process {
    /// Gives the child a moment to exit, then kills it.
    fn end(&mut self) {
        let deadline = Deadline::after(EXIT_TIMEOUT);
        while !matches!(self.child.try_wait(), Ok(Some(_))) {
            if deadline.rest().is_zero() {
                // Both fail only if it has exited meanwhile.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// `: exit status: 1; it wrote: ...`
    fn describe_end(&mut self) -> String {
        self.end();
        let status = self.child.try_wait().ok().flatten();
        let status = status.map_or_else(String::new, |status| format!(": {status}"));
        match self.error_output.take() {
            words if words.is_empty() => status,
            words => format!("{status}; it wrote: {words}"),
        }
    }
}

/// A command whose process gets no Ctrl-C from the terminal: the match ends its engines itself.
fn in_background(program: &str) -> Command {
    let command = Command::new(program);
    #[cfg(unix)]
    let command = {
        let mut command = command;
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    };
    command
}

impl ErrorOutput {
    /// Reads the stream on its own thread.
    fn listen(stderr: ChildStderr) -> ErrorOutput {
        let text = Arc::new(Mutex::new(String::new()));
        let (at_end, end) = mpsc::channel::<()>();
        let kept = Arc::clone(&text);
        thread::spawn(move || {
            let _at_end = at_end;
            for_each_line(BufReader::new(stderr), |line| {
                let Ok(mut kept) = kept.lock() else {
                    return false;
                };
                kept.push_str(&line);
                let cut = kept.ceil_char_boundary(kept.len().saturating_sub(MAX_ERROR_OUTPUT));
                kept.drain(..cut);
                true
            });
        });
        ErrorOutput { text, end }
    }

    /// The output. The child has exited, but its own children may keep the stream open.
    fn take(&self) -> String {
        let _ = self.end.recv_timeout(EXIT_TIMEOUT);
        self.text
            .lock()
            .map_or_else(|_| String::new(), |text| text.trim().to_owned())
    }
}

/// A point in time to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    since: Instant,
    patience: Duration,
}

impl Deadline {
    /// After this time from now.
    pub fn after(patience: Duration) -> Deadline {
        Deadline {
            since: Instant::now(),
            patience,
        }
    }

    /// Time since the start.
    pub fn waited(self) -> Duration {
        self.since.elapsed()
    }

    fn rest(self) -> Duration {
        self.patience.saturating_sub(self.waited())
    }
}
