//! Version 1 of the protocol, in which JoclyBoard and the oldest clients talk: the same conversation in other words.
//! Arguments have no names, and a position is sent as a start and one `move` after the other.
//!
//! Sources: what Scan 2.0, for which it was made, and JoclyBoard do, and the beginning of its author's description
//! of 2017 (damforum.nl, "Hub-1 protocol").

use super::line::Line;
use super::serve::MAX_LINE;

/// A client's lines in the words of version 2.
#[derive(Default)]
pub(super) struct Reader {
    /// The start of the game; none for the usual one.
    start: Option<String>,
    /// Its moves, with spaces between them: as long as a line at most.
    moves: String,
    /// Whether a limit has come since the last start.
    has_level: bool,
}

impl Reader {
    /// What a line means; unknown ones mean nothing.
    pub(super) fn read(&mut self, text: &str) -> Vec<Line> {
        let mut words = text.split_whitespace();
        let command = words.next().unwrap_or_default();
        let mut word = || words.next().unwrap_or_default();
        match command {
            "hub" | "init" | "ping" | "stop" | "ponder-hit" | "quit" => vec![Line::new(command)],
            "new" => vec![Line::new("new-game")],
            "variant" => vec![parameter("variant", word())],
            "set" => vec![parameter(word(), word())],
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

    /// A game that is too long ends in a word that is no move, and is refused with it.
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

    /// The position, the limit where there is none, and the search.
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

fn parameter(name: &str, value: &str) -> Line {
    Line::new("set-param")
        .with("name", name)
        .with("value", value)
}

/// The side to move is a small letter in version 1.
fn first_in_capitals(position: &str) -> String {
    let mut letters = position.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Seconds for milliseconds; what is no number stays as it is, and is refused as such.
fn seconds(milliseconds: &str) -> String {
    let number = milliseconds.parse::<u64>();
    number.map_or_else(
        |_| milliseconds.to_owned(),
        |number| (number as f64 / 1000.0).to_string(),
    )
}

/// An engine's message in the words of version 1, if it has any for it.
pub(super) fn write(line: &Line) -> Option<String> {
    let value = |name| line.value(name).unwrap_or_default();
    let number = |name| line.value(name).and_then(|text| text.parse::<f64>().ok());
    match line.command() {
        "id" => Some(format!("name {} {}", value("name"), value("version"))),
        "wait" | "ready" | "pong" => Some(line.command().to_owned()),
        // Lines but for the best one are unknown there.
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
        // JoclyBoard takes the word after `move `, wherever it stands, for one.
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
