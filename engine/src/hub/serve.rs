//! The engine's side: a thread that reads, a thread that searches, and the session between them.

use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::thread;

use rules::{LineRead, Variant, read_line};
use types::Seed;

use super::frame::Frame;
use super::session::{Event, SearchJob, Session};
use super::version1;
use crate::analyzer::{Analyzer, Task};

/// Bytes of a line at most, enough for a game of several thousand moves.
pub const MAX_LINE: usize = 1 << 16;
/// Events at most that wait for the session; who has more of them waits.
const MAX_EVENTS: usize = 64;

/// What an engine reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, without `=`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The variants it plays, at least one; the first is the default.
    pub variants: Vec<Variant>,
    /// The default frame of positions.
    pub frame: Frame,
}

/// Serves one client until it quits or its stream ends, which stops a running search.
///
/// Every `go` is followed by a `done`; if the search fails, the `done` has no move and follows an
/// `error` message. Messages that arrive during a search and do not concern it wait until it is done.
///
/// Without a `level` the engine searches for one second.
///
/// Lines of more than [`MAX_LINE`] bytes are ignored, and so are those that come when 64 wait already, each with
/// an `error` message.
///
/// # Errors
/// When writing to `output` fails, which is reported when `input` ends.
pub fn serve<T: Analyzer>(
    input: impl BufRead + Send,
    output: impl Write,
    identity: &Identity,
    analyzer: &mut T,
) -> io::Result<()> {
    converse(Version::Two, input, output, identity, analyzer)
}

/// As [`serve`], in version 1 of the protocol, which has no lines and no parameters that a client could read; the
/// frame is the identity's.
///
/// # Errors
/// As [`serve`].
pub fn serve_version_1<T: Analyzer>(
    input: impl BufRead + Send,
    output: impl Write,
    identity: &Identity,
    analyzer: &mut T,
) -> io::Result<()> {
    converse(Version::One, input, output, identity, analyzer)
}

/// A version of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// That of Scan 2.0 and JoclyBoard.
    One,
    /// That of Scan 3.
    Two,
}

impl Version {
    /// How players begin that are engines of it: `hub1:COMMAND` or `hub:COMMAND`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Version::One => "hub1",
            Version::Two => "hub",
        }
    }
}

fn converse<T: Analyzer>(
    version: Version,
    input: impl BufRead + Send,
    output: impl Write,
    identity: &Identity,
    analyzer: &mut T,
) -> io::Result<()> {
    let (events, inbox) = mpsc::sync_channel(MAX_EVENTS);
    let (jobs, queue) = mpsc::channel();
    thread::scope(|scope| {
        let lines = events.clone();
        scope.spawn(move || {
            let mut reader = version1::Reader::default();
            for_each_line(input, |line| {
                let is_last = line.as_deref().is_some_and(|line| line.trim() == "quit");
                let meant = match (version, line) {
                    (Version::One, Some(line)) => {
                        let meant = reader.read(&line);
                        meant.iter().map(|line| Some(line.to_string())).collect()
                    }
                    (_, line) => vec![line],
                };
                let mut meant = meant.into_iter();
                meant.all(|line| lines.send(Event::Line(line)).is_ok()) && !is_last
            });
            // The receiver is gone only after an error.
            let _ = lines.send(Event::End);
        });
        scope.spawn(move || work(analyzer, &queue, &events));
        Session::new(version, identity, output, jobs).run(inbox)
    })
}

/// Analyzes one position after the other, until there are no more.
fn work(
    analyzer: &mut impl Analyzer,
    queue: &mpsc::Receiver<SearchJob>,
    events: &mpsc::SyncSender<Event>,
) {
    for job in queue {
        let task = Task {
            game: &job.game,
            seed: Seed::new(job.game.position().hash()).derive("hub", &[job.game.plies().into()]),
            stopper: job.stopper,
        };
        let answer = analyzer.analyze(&task, &mut |findings| {
            let _ = events.send(Event::Findings(findings.clone()));
        });
        if events.send(Event::Answer(answer)).is_err() {
            return;
        }
    }
}

/// Passes on lines, decoded lossily, until the stream ends or fails or `take` returns false. It gets none for a
/// line of more than [`MAX_LINE`] bytes.
pub(super) fn for_each_line(mut input: impl BufRead, mut take: impl FnMut(Option<String>) -> bool) {
    let mut bytes = Vec::new();
    loop {
        let line = match read_line(&mut input, MAX_LINE, &mut bytes) {
            Ok(LineRead::Line) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(LineRead::TooLong) => None,
            Ok(LineRead::End) | Err(_) => return,
        };
        if !take(line) {
            return;
        }
    }
}
