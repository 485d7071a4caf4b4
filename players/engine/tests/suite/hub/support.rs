//! An engine on the other end of two pipes.

use std::io::{BufReader, PipeWriter, Write, pipe};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use engine::Analyzer;
use engine::hub::{Connection, Deadline, Frame, Identity, Line, Version, serve};
use rules::Variant;

/// Longer than any operation here, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// An engine for all games.
pub(crate) fn identity() -> Identity {
    Identity {
        name: "test".to_owned(),
        version: "1".to_owned(),
        variants: Variant::ALL.to_vec(),
        frame: Frame::Pydraughts,
        parameters: Vec::new(),
    }
}

/// An engine on its own thread, and the client's end of its streams.
pub(crate) fn connect(analyzer: impl Analyzer + 'static) -> (Connection, JoinHandle<()>) {
    connect_in(Version::Two, Box::new(analyzer))
}

/// The same, in a given protocol version.
pub(crate) fn connect_in(
    version: Version,
    mut analyzer: Box<dyn Analyzer>,
) -> (Connection, JoinHandle<()>) {
    let (engine_in, client_out) = pipe().unwrap();
    let (client_in, engine_out) = pipe().unwrap();
    let engine = thread::spawn(move || {
        let (input, identity) = (BufReader::new(engine_in), identity());
        serve(version, input, engine_out, &identity, &mut *analyzer).unwrap();
    });
    (Connection::new(client_in, client_out), engine)
}

/// A scripted engine: writes some text for each message of the client.
pub(crate) fn scripted(mut reply: impl FnMut(&Line) -> String + Send + 'static) -> Connection {
    let (engine_in, client_out) = pipe().unwrap();
    let (client_in, mut engine_out): (_, PipeWriter) = pipe().unwrap();
    thread::spawn(move || {
        for line in std::io::BufRead::lines(BufReader::new(engine_in)) {
            let Ok(line) = line else { return };
            let text = reply(&Line::parse(&line));
            if engine_out.write_all(text.as_bytes()).is_err() || text.contains("quit") {
                return;
            }
        }
    });
    Connection::new(client_in, client_out)
}

/// Sends a line as it is.
pub(crate) fn say(connection: &mut Connection, text: &str) {
    connection.send(&Line::parse(text)).unwrap();
}

/// The next line with this command; others are skipped.
pub(crate) fn wait_for(connection: &mut Connection, command: &str) -> Line {
    loop {
        let line = hear(connection);
        if line.command() == command {
            return line;
        }
    }
}

/// The next line.
pub(crate) fn hear(connection: &mut Connection) -> Line {
    connection
        .receive("a test", Deadline::after(PATIENCE))
        .unwrap()
}
