//! The client's end of the lines to an engine.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rules::Variant;

use super::line::Line;
use super::serve::for_each_line;

/// Lines of the engine that may wait to be read.
const MAX_WAITING: usize = 1024;
/// How much of what the engine says on its error stream is kept, in bytes.
const MAX_LAST_WORDS: usize = 1000;
/// How long an engine may take to leave by itself.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(300);

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// The command is empty or its quotes are not closed.
    #[error("`{command}` is not a command: write a program and its arguments, quotes closed")]
    Command {
        /// The command.
        command: String,
    },
    /// The program cannot be started.
    #[error("cannot start `{command}`: {reason}")]
    Start {
        /// The command.
        command: String,
        /// Why not.
        reason: io::Error,
    },
    /// The engine has ended or closed its streams.
    #[error("the engine is gone{detail}")]
    Gone {
        /// How it ended and its last words, as far as known.
        detail: String,
    },
    /// The engine does not answer.
    #[error("no answer to `{asked}` in {:.1} s", waited.as_secs_f64())]
    Silent {
        /// What was asked.
        asked: String,
        /// How long it had.
        waited: Duration,
    },
    /// The engine says that it plays other games.
    #[error("the engine does not play {variant}; it plays {played}")]
    Variant {
        /// The game that was asked for.
        variant: Variant,
        /// The games that it names.
        played: String,
    },
}

/// Lines to and from an engine.
pub struct Connection {
    writer: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    process: Option<Process>,
}

/// An engine that runs as a child of ours. It does not outlive this value.
struct Process {
    child: Child,
    last_words: LastWords,
}

/// The end of what a child says on its error stream.
struct LastWords {
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
        // It ends with the stream, or with the first line that nobody wants.
        thread::spawn(move || {
            for_each_line(BufReader::new(reader), |line| sender.send(line).is_ok());
        });
        Connection {
            writer: Some(Box::new(writer)),
            lines,
            process: None,
        }
    }

    /// Starts a program, given with its arguments as in a shell, though no shell is involved. What
    /// it writes to its error stream is kept out of the way.
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
            return Err(failed(io::Error::other("it has no streams")));
        };
        let last_words = LastWords::listen(stderr);
        let mut connection = Connection::new(stdout, stdin);
        connection.process = Some(Process { child, last_words });
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

    /// The next message, if it comes in time; `asked` is what it is expected to answer.
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
                // An engine that cannot hear it is ended all the same.
                let _ = writer.write_all(b"quit\n").and_then(|()| writer.flush());
            }
            self.writer = None;
            process.end();
        }
    }
}

impl Process {
    /// Gives the child a moment to leave, then kills it.
    fn end(&mut self) {
        let deadline = Deadline::after(PATIENCE_AT_THE_END);
        while !matches!(self.child.try_wait(), Ok(Some(_))) {
            if deadline.rest().is_zero() {
                // Both fail only when it has ended meanwhile.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// `: exit status: 1; it said: ...`
    fn describe_end(&mut self) -> String {
        self.end();
        let status = self.child.try_wait().ok().flatten();
        let status = status.map_or_else(String::new, |status| format!(": {status}"));
        match self.last_words.take() {
            words if words.is_empty() => status,
            words => format!("{status}; it said: {words}"),
        }
    }
}

/// A command whose process a Ctrl-C in the terminal does not reach: the match decides when its
/// engines end.
fn in_background(program: &str) -> Command {
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

impl LastWords {
    /// Reads the stream on a thread of its own.
    fn listen(stderr: ChildStderr) -> LastWords {
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
                let cut = kept.ceil_char_boundary(kept.len().saturating_sub(MAX_LAST_WORDS));
                kept.drain(..cut);
                true
            });
        });
        LastWords { text, end }
    }

    /// What was said. The child has ended; children of its own may hold the stream open.
    fn take(&self) -> String {
        let _ = self.end.recv_timeout(PATIENCE_AT_THE_END);
        self.text
            .lock()
            .map_or_else(|_| String::new(), |text| text.trim().to_owned())
    }
}

/// A moment to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    since: Instant,
    patience: Duration,
}

impl Deadline {
    /// So long from now.
    pub fn after(patience: Duration) -> Deadline {
        Deadline {
            since: Instant::now(),
            patience,
        }
    }

    /// Time since this was made.
    pub fn waited(self) -> Duration {
        self.since.elapsed()
    }

    fn rest(self) -> Duration {
        self.patience.saturating_sub(self.waited())
    }
}
