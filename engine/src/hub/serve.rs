//! The engine's side: three threads, one that reads, one that thinks, and the session between them.

use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::thread;

use rules::Variant;

use super::frame::Frame;
use super::session::{Event, Job, Session};
use crate::think::{Task, Thinker};

/// The longest line that is read as one.
const MAX_LINE: u64 = 1 << 20;

/// What an engine says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, without `=`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The games it plays, at least one; the first until the client asks for another.
    pub variants: Vec<Variant>,
    /// How it takes positions until the client says otherwise.
    pub frame: Frame,
}

/// Serves one client until it quits or its stream ends, which stops a search that goes on.
///
/// Every `go` is followed by a `done`, also when something went wrong; then it has no move, after
/// an `error` that says why. Messages that come while the engine thinks and do not belong there
/// wait until it is done. An error is one of `output`; it is noticed when something is written, and
/// reported when `input` ends.
///
/// Without a `level` the engine thinks one second.
pub fn serve<T: Thinker>(
    input: impl BufRead + Send,
    output: impl Write,
    identity: &Identity,
    thinker: &mut T,
) -> io::Result<()> {
    let (events, inbox) = mpsc::channel();
    let (jobs, queue) = mpsc::channel();
    thread::scope(|scope| {
        let lines = events.clone();
        scope.spawn(move || {
            for_each_line(input, |line| {
                let is_last = line.trim() == "quit";
                lines.send(Event::Line(line)).is_ok() && !is_last
            });
            // Nobody listens any more only after an error.
            let _ = lines.send(Event::End);
        });
        scope.spawn(move || work(thinker, &queue, &events));
        Session::new(identity, output, jobs).run(&inbox)
    })
}

/// Thinks about one position after the other, until there are no more.
fn work(thinker: &mut impl Thinker, queue: &mpsc::Receiver<Job>, events: &mpsc::Sender<Event>) {
    for job in queue {
        let task = Task {
            game: &job.game,
            seed: job.game.position().hash() ^ u64::from(job.game.plies()),
            watch: job.watch,
        };
        let answer = thinker.think(&task, &mut |thought| {
            let _ = events.send(Event::Thought(thought.clone()));
        });
        if events.send(Event::Answer(answer)).is_err() {
            return;
        }
    }
}

/// Hands on line after line, as text whatever the bytes are, until the stream ends or fails or
/// `take` has had enough.
pub(super) fn for_each_line(mut input: impl BufRead, mut take: impl FnMut(String) -> bool) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match io::Read::take(&mut input, MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        if !take(String::from_utf8_lossy(&bytes).into_owned()) {
            return;
        }
    }
}
