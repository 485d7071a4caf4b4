//! Engines as child processes.

use std::io::{self, BufReader};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::deadline::Deadline;
use super::group::Group;
use super::lines::for_each_line;

/// The number of bytes of the engine's error output to keep.
const MAX_ERROR_OUTPUT: usize = 1000;
/// The time for an engine to exit after `quit`.
const EXIT_TIMEOUT: Duration = Duration::from_millis(300);

/// An engine that runs as a child process. When dropped, it is killed with all its descendants.
pub(super) struct Process {
    child: Child,
    group: Group,
    /// The end of the child's error output.
    error_output: Arc<Mutex<String>>,
    /// Disconnected at the end of the error output.
    error_end: Receiver<()>,
}

impl Process {
    /// Starts a program. Its error output is not shown.
    pub(super) fn start(
        program: &str,
        arguments: &[String],
    ) -> io::Result<(Process, ChildStdin, ChildStdout)> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let group = Group::start(&mut command)?;
        let mut child = command.spawn()?;
        // A process that has exited cannot be added, nor killed.
        if let Err(error) = group.add(&child)
            && child.try_wait()?.is_none()
        {
            let _ = child.kill();
            return Err(error);
        }
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::Error::other("its streams are missing"));
        };
        let (error_output, error_end) = kept_end(stderr);
        let process = Process {
            child,
            group,
            error_output,
            error_end,
        };
        Ok((process, stdin, stdout))
    }

    /// The processor time of all threads of the child, without programs that it has started. `None`
    /// if the system does not report it.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn processor_time(&self) -> Option<Duration> {
        use nix::time::ClockId;
        let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        let time = ClockId::pid_cpu_clock_id(pid).and_then(ClockId::now).ok()?;
        Some(time.into())
    }

    /// This system does not report the processor time of other processes.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn processor_time(&self) -> Option<Duration> {
        None
    }

    /// Gives the child a moment to exit, then kills it and its remaining descendants. Returns its
    /// status if it exited by then.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
        let deadline = Deadline::after(EXIT_TIMEOUT);
        let mut status = self.child.try_wait().ok().flatten();
        while status.is_none() && !deadline.rest().is_zero() {
            thread::sleep(Duration::from_millis(2));
            status = self.child.try_wait().ok().flatten();
        }
        self.group.end();
        // Both fail only if it has exited in the meantime.
        let _ = self.child.kill();
        let _ = self.child.wait();
        status
    }

    /// `exited: exit status: 1; it wrote: ...`
    pub(super) fn describe_end(&mut self) -> String {
        let end = match self.end() {
            Some(status) => format!("exited: {status}"),
            None => "closed its input or output and did not exit".to_owned(),
        };
        // Processes that left its group may keep the stream open.
        let _ = self.error_end.recv_timeout(EXIT_TIMEOUT);
        match self.error_output.lock() {
            Ok(words) if !words.trim().is_empty() => format!("{end}; it wrote: {}", words.trim()),
            _ => end,
        }
    }
}

/// Reads a stream on a thread: the end of its text, and a channel that is disconnected after it.
fn kept_end(stream: ChildStderr) -> (Arc<Mutex<String>>, Receiver<()>) {
    let text = Arc::new(Mutex::new(String::new()));
    let (at_end, end) = mpsc::channel::<()>();
    let kept = Arc::clone(&text);
    thread::spawn(move || {
        let _at_end = at_end;
        for_each_line(BufReader::new(stream), |line| {
            let Ok(mut kept) = kept.lock() else {
                return false;
            };
            kept.push_str(&line.unwrap_or_default());
            let cut = kept.ceil_char_boundary(kept.len().saturating_sub(MAX_ERROR_OUTPUT));
            kept.drain(..cut);
            true
        });
    });
    (text, end)
}
