//! The bodies of the fuzz targets. The test suite runs the same on seeded inputs.

use engine::dxp::Message;
use engine::hub::{Frame, Identity, Line, Version, read_level, read_move, read_position, serve};
use engine::{Analyzer, Findings, PlayerError, Task};
use rules::{Position, Variant};

/// Each line, and everything derived from it, survives reading, writing and reading again.
pub fn line(data: &[u8]) {
    for text in String::from_utf8_lossy(data).lines() {
        let line = Line::parse(text);
        let written = line.to_string();
        assert_eq!(Line::parse(&written).to_string(), written);
        let _ = read_level(&line);
        if let Ok(message) = Message::parse(text) {
            let written = message.to_string();
            assert_eq!(
                Message::parse(&written).map(|again| again.to_string()),
                Ok(written)
            );
        }
        for variant in Variant::ALL {
            let text = line.value("pos").unwrap_or_default();
            let position = read_position(variant, text, Frame::Pydraughts);
            let mut position = position.unwrap_or(Position::start(variant));
            for text in line.value("moves").unwrap_or_default().split_whitespace() {
                let Ok(mv) = read_move(&position, text, Frame::Pydraughts) else {
                    break;
                };
                position = position.play(mv);
            }
        }
    }
}

/// Answers immediately with the first legal move.
struct FirstMove;

impl Analyzer for FirstMove {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        _: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let moves = task.game.legal_moves();
        let first = moves.first();
        let first = first.ok_or_else(|| PlayerError::no_moves(task.game))?;
        Ok(Findings::bare(*first))
    }
}

/// Whatever a client sends, the engine runs until the client leaves, and answers every `go` with a
/// `done`.
pub fn session(data: &[u8]) {
    let identity = Identity {
        name: "fuzzed".to_owned(),
        version: "0".to_owned(),
        variants: Variant::ALL.to_vec(),
        frame: Frame::Pydraughts,
        parameters: Vec::new(),
    };
    let mut output = Vec::new();
    serve(Version::Two, data, &mut output, &identity, &mut FirstMove)
        .expect("memory takes everything");
    let output = String::from_utf8(output).expect("text");
    serve(
        Version::One,
        data,
        &mut Vec::new(),
        &identity,
        &mut FirstMove,
    )
    .expect("as above");
    let n_said = |text: &str, command: &str| {
        text.lines()
            .filter(|line| Line::parse(line).command() == command)
            .count()
    };
    let heard = String::from_utf8_lossy(data);
    assert!(n_said(&output, "done") <= n_said(&heard, "go"));
    if n_said(&heard, "go") == 1 && n_said(&heard, "quit") == 0 {
        assert_eq!(n_said(&output, "done"), 1, "{heard}");
    }
}
