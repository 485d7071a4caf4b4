//! Version 1 of the protocol, used by JoclyBoard and the oldest clients: the same dialogue with
//! other words. Arguments have no names, and a position is sent as a start followed by single
//! `move` messages. [`Reader`] and [`write`] translate for our engine, [`request`] and [`reply`]
//! for our client.
//!
//! Sources: the behavior of Scan 2.0, for which it was made, and of JoclyBoard, and the beginning
//! of its author's description of 2017 (damforum.nl, "Hub-1 protocol").

use rules::{Position, Variant};

use super::frame::Frame;
use super::line::Line;
use super::lines::MAX_LINE;
use super::notation::position_text;

/// Translates a client's lines to version 2.
#[derive(Default)]
pub(super) struct Reader {
    /// The start of the game; `None` for the usual one.
    start: Option<String>,
    /// Its moves, separated by spaces, limited to the length of a line.
    moves: String,
    /// True if a limit was received since the last start.
    has_level: bool,
}

impl Reader {
    /// Translates a line; unknown ones are dropped.
    pub(super) fn read(&mut self, text: &str) -> Vec<Line> {
        let mut words = text.split_whitespace();
        let command = words.next().unwrap_or_default();
        let mut word = || words.next().unwrap_or_default();
        match command {
            "hub" | "init" | "ping" | "stop" | "ponder-hit" | "quit" => vec![Line::new(command)],
            "new" => vec![Line::new("new-game")],
            "variant" => vec![Line::parameter("variant", word())],
            "set" => vec![Line::parameter(word(), word())],
            "start" => self.begin(None),
            "pos" => self.begin(Some(first_in_capitals(word()))),
            "move" => {
                self.add_move(word());
                Vec::new()
            }
            "level" => {
                let (moves, time, increment) = (word(), word(), word());
                let mut line = Line::new("level").with("time", seconds(time));
                if moves != "0" {
                    line = line.with("moves", moves);
                }
                self.limit(line.with("inc", seconds(increment)))
            }
            "time" => self.limit(Line::new("level").with("move-time", seconds(word()))),
            "depth" => self.limit(Line::new("level").with("depth", word())),
            "go" => self.go("think", Line::new("level").with("move-time", 1)),
            "ponder" => self.go("ponder", Line::new("level").with("move-time", 1)),
            "analyse" => self.go("analyze", Line::new("level").with_flag("infinite")),
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, start: Option<String>) -> Vec<Line> {
        *self = Reader {
            start,
            ..Reader::default()
        };
        Vec::new()
    }

    /// A game that is too long gets an invalid word as its last move, and is therefore refused.
    fn add_move(&mut self, text: &str) {
        if self.moves.len() > MAX_LINE {
            return;
        }
        if !self.moves.is_empty() {
            self.moves.push(' ');
        }
        let is_short = self.moves.len() + text.len() <= MAX_LINE;
        self.moves += if is_short { text } else { "too-many" };
    }

    fn limit(&mut self, level: Line) -> Vec<Line> {
        self.has_level = true;
        vec![level]
    }

    /// The position, a default limit if none was received, and the search.
    fn go(&self, how: &str, usual_level: Line) -> Vec<Line> {
        let position = match &self.start {
            Some(start) => Line::new("pos").with("pos", start),
            None => Line::new("pos"),
        };
        let level = (!self.has_level).then_some(usual_level);
        [position.with("moves", &self.moves)]
            .into_iter()
            .chain(level)
            .chain([Line::new("go").with_flag(how)])
            .collect()
    }
}

/// Version 1 uses a lower-case letter for the side to move.
fn first_in_capitals(position: &str) -> String {
    let mut letters = position.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Translates a client's message of version 2 to lines of version 1, with the position in
/// JoclyBoard's form. A node limit is dropped, because version 1 has none.
pub(super) fn request(line: &Line, variant: Variant) -> String {
    let value = |name| line.value(name).unwrap_or_default();
    let said = match line.command() {
        "new-game" => vec!["new".to_owned()],
        "set-param" => vec![format!("set {} {}", value("name"), value("value"))],
        "pos" => {
            let mut start = value("pos").to_owned();
            // The usual start is the same in every frame if it is omitted.
            let is_usual = start == position_text(&Position::start(variant), Frame::Native);
            if let Some(side) = start.get_mut(..1) {
                side.make_ascii_lowercase();
            }
            let moves = value("moves").split_whitespace();
            ["start".to_owned(), format!("variant {variant}")]
                .into_iter()
                .chain((!is_usual).then(|| format!("pos {start}")))
                .chain(moves.map(|mv| format!("move {mv}")))
                .collect()
        }
        "level" => {
            let depth = line.value("depth").map(|depth| format!("depth {depth}"));
            let time = line
                .value("move-time")
                .map(|time| format!("time {}", milliseconds(time)));
            let game = line.value("time").map(|time| {
                let moves = line.value("moves").unwrap_or("0");
                let [time, increment] = [time, value("inc")].map(milliseconds);
                format!("level {moves} {time} {increment}")
            });
            depth.into_iter().chain(time).chain(game).collect()
        }
        command => vec![command.to_owned()],
    };
    said.iter().flat_map(|text| [text, "\n"]).collect()
}

/// Converts seconds to milliseconds.
fn milliseconds(seconds: &str) -> u64 {
    let number = seconds.parse::<f64>();
    number.map_or(0, |number| (number * 1000.0).round() as u64)
}

/// Translates an engine's line to version 2, as far as possible.
pub(super) fn reply(text: &str) -> Line {
    let (command, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let mut words = rest.split_whitespace();
    match command {
        "info" => {
            let names = ["depth", "mean-depth", "score", "nodes", "time"];
            let named = names.into_iter().zip(words);
            named.fold(Line::new("info"), |line, (name, word)| {
                // Scores are in hundredths of a man.
                match word.parse::<f32>() {
                    Ok(score) if name == "score" => line.with(name, score / 100.0),
                    _ => line.with(name, word),
                }
            })
        }
        "move" => Line::new("done").with("move", words.next().unwrap_or_default()),
        "error" => Line::new("error").with("message", rest),
        "wait" | "ready" | "pong" => Line::new(command),
        _ => Line::new(""),
    }
}

/// Converts milliseconds to seconds; text that is not a number is kept, and later refused.
fn seconds(milliseconds: &str) -> String {
    let number = milliseconds.parse::<u64>();
    number.map_or_else(
        |_| milliseconds.to_owned(),
        |number| (number as f64 / 1000.0).to_string(),
    )
}

/// Translates an engine's message to version 1, if possible.
pub(super) fn write(line: &Line) -> Option<String> {
    let value = |name| line.value(name).unwrap_or_default();
    let number = |name| line.value(name).and_then(|text| text.parse::<f64>().ok());
    match line.command() {
        "id" => Some(format!("name {} {}", value("name"), value("version"))),
        "wait" | "ready" | "pong" => Some(line.command().to_owned()),
        // Lines other than the best one do not exist in version 1.
        "info" if line.has("line") => None,
        "info" => Some(format!(
            "info {depth} {depth}.0 {score:.0} {nodes} {time:.2} {speed:.1} {moves}",
            depth = value("depth"),
            score = number("score").unwrap_or_default() * 100.0,
            nodes = value("nodes"),
            time = number("time").unwrap_or_default(),
            speed = number("nps").unwrap_or_default(),
            moves = value("pv"),
        )),
        "done" => {
            let moves = ["move", "ponder"]
                .into_iter()
                .filter_map(|name| line.value(name));
            let moves: Vec<&str> = moves.collect();
            (!moves.is_empty()).then(|| format!("move {}", moves.join(" ")))
        }
        // JoclyBoard takes the word after `move ` for a move, wherever it appears.
        "error" => Some(format!(
            "error {}",
            value("message").replace("move ", "move: ")
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_answer_in_the_words_of_version_1() {
        for (line, words) in [
            ("id name=Scan version=2.0 author=x", Some("name Scan 2.0")),
            ("param name=variant value=thai", None),
            (
                "info depth=9 score=-0.05 nodes=123 time=1.256 nps=0.123 pv=\"32-28 19x28x23\"",
                Some("info 9 9.0 -5 123 1.26 0.1 32-28 19x28x23"),
            ),
            ("info depth=9 pv=32-28 line=2", None),
            ("done move=32-28 ponder=19-23", Some("move 32-28 19-23")),
            ("done", None),
            ("error message=\"no move 1-2\"", Some("error no move: 1-2")),
        ] {
            assert_eq!(write(&Line::parse(line)).as_deref(), words);
        }
    }

    #[test]
    fn clients_are_understood() {
        let mut reader = Reader::default();
        let mut said = Vec::new();
        for text in [
            "hub",
            "set threads 2",
            "init",
            "start",
            "variant english",
            "move 11-15",
            "move 22-18",
            "level 0 5000 0",
            "go",
            "nonsense",
            "pos wbe",
            "depth 3",
            "analyse",
            "start",
            "analyse",
            "time 250",
            "ponder",
            "level 40 x 10",
        ] {
            said.extend(reader.read(text).iter().map(Line::to_string));
        }
        let expected = [
            "hub",
            "set-param name=threads value=2",
            "init",
            "set-param name=variant value=english",
            "level time=5 inc=0",
            "pos moves=\"11-15 22-18\"",
            "go think",
            "level depth=3",
            "pos pos=Wbe moves=\"\"",
            "go analyze",
            "pos moves=\"\"",
            "level infinite",
            "go analyze",
            "level move-time=0.25",
            "pos moves=\"\"",
            "go ponder",
            "level time=x moves=40 inc=0.01",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn engines_are_asked_in_the_words_of_version_1() {
        for (line, words) in [
            ("hub", "hub\n"),
            ("new-game", "new\n"),
            (
                "set-param name=english-frame value=native",
                "set english-frame native\n",
            ),
            ("level depth=9 nodes=7", "depth 9\n"),
            ("level nodes=7", ""),
            ("level move-time=0.25", "time 250\n"),
            ("level time=-1 inc=2", "level 0 0 2000\n"),
            ("level moves=40 time=300.0004", "level 40 300000 0\n"),
            ("go think", "go\n"),
            (
                "pos pos=Bbe moves=\"11-15 22-18\"",
                "start\nvariant thai\npos bbe\nmove 11-15\nmove 22-18\n",
            ),
        ] {
            assert_eq!(request(&Line::parse(line), Variant::Thai), words);
        }
        for variant in Variant::ALL {
            let start = position_text(&Position::start(variant), Frame::Native);
            let line = Line::new("pos").with("pos", start);
            assert_eq!(
                request(&line, variant),
                format!("start\nvariant {variant}\n")
            );
        }
    }

    #[test]
    fn engines_are_understood() {
        for (text, line) in [
            ("name Scan 2.0", ""),
            ("done move=32-28", ""),
            (" wait ", "wait"),
            ("pong", "pong"),
            (
                "info 9 9.0 -5 123 1.26 0.1 32-28 19x28x23",
                "info depth=9 mean-depth=9.0 score=-0.05 nodes=123 time=1.26",
            ),
            ("info x nan inf", "info depth=x mean-depth=nan score=inf"),
            ("info", "info"),
            ("move 32-28 19-23", "done move=32-28"),
            ("move", "done move=\"\""),
            ("error bad move", "error message=\"bad move\""),
            ("", ""),
        ] {
            assert_eq!(reply(text).to_string(), line);
        }
    }

    #[test]
    fn games_without_end_are_refused() {
        let mut reader = Reader::default();
        for _ in 0..MAX_LINE {
            assert!(reader.read("move 12-16").is_empty());
        }
        let lines = reader.read("go");
        let moves = lines[0].value("moves").unwrap();
        assert!(moves.ends_with(" too-many") && moves.len() <= MAX_LINE + 9);
    }
}
