//! The engine's side: a reading thread, a searching thread, and the session between them.

use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::thread;

use types::Seed;

use super::identity::{Identity, Version};
use super::lines::for_each_line;
use super::session::{Event, Job, Session};
use super::version1;
use crate::analyzer::{Analyzer, Task};

/// The maximum number of events waiting for the session; further senders are blocked.
const MAX_EVENTS: usize = 64;

/// Serves one client in a version of the protocol until it quits or its stream ends, which stops a
/// running search.
///
/// Every `go` is answered with `done`. If the search fails, an `error` message comes first and the
/// `done` has no move. Messages that arrive during a search and do not concern it are deferred
/// until it is done.
///
/// Without a `level` the engine searches for one second.
///
/// Version 1 has no multiple lines and no parameters visible to a client; its frame is the
/// identity's.
///
/// Lines of more than [`MAX_LINE`](super::MAX_LINE) bytes are ignored with an `error` message, and
/// so are further messages when 64 are already deferred.
///
/// # Errors
/// If writing to `output` fails; reported when `input` ends.
pub fn serve(
    version: Version,
    input: impl BufRead + Send,
    output: impl Write,
    identity: &Identity,
    analyzer: &mut dyn Analyzer,
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

/// Analyzes positions until there are no more.
fn work(
    analyzer: &mut dyn Analyzer,
    queue: &mpsc::Receiver<Job>,
    events: &mpsc::SyncSender<Event>,
) {
    for job in queue {
        let event = match job {
            Job::Search(game, stopper) => {
                let seed = Seed::new(game.position().hash());
                let task = Task {
                    game: &game,
                    seed: seed.derive("hub", &[game.plies().into()]),
                    stopper,
                };
                let answer = analyzer.analyze(&task, &mut |findings| {
                    let _ = events.send(Event::Findings(findings.clone()));
                });
                Some(Event::Answer(answer))
            }
            Job::Option(name, value) => {
                let set = analyzer.set_option(name, &value);
                set.err().map(Event::Fault)
            }
            Job::NewGame => {
                analyzer.forget(u64::MAX);
                None
            }
        };
        if event.is_some_and(|event| events.send(event).is_err()) {
            return;
        }
    }
}
