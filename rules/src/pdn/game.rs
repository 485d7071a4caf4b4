//! A game as written in a file, and the meaning of its tags.

use super::PdnError;
use super::kind::{self, GameType, Named};
use super::result::{PdnResult, Score, score};
use crate::{Color, Variant};

/// The tags and moves of a game, as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PdnGame {
    /// The line of the first tag or word.
    pub line: usize,
    /// Names and values, in order. Names defined by PDN have its spelling.
    pub tags: Vec<(String, String)>,
    /// The comment before the first move.
    pub comment: String,
    /// The moves of the main line.
    pub moves: Vec<PdnMove>,
    /// A position set up after the last move.
    pub setup: Option<PdnSetup>,
    /// The result or `*` after the moves.
    pub end: Option<String>,
}

/// The text of a move with its annotations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PdnMove {
    /// The move without number and annotations.
    pub text: String,
    /// The line in the file.
    pub line: usize,
    /// One of [`GLYPHS`](super::GLYPHS), or empty.
    pub glyph: String,
    /// The comments after it without the commands in them, or empty.
    pub comment: String,
    /// The commands in its comments: `[%clk 0:01:02]` has the name `clk` and this value.
    pub data: Vec<(String, String)>,
    /// A position set up before the move.
    pub setup: Option<PdnSetup>,
    /// Alternatives to the move. Their moves are not checked: [`PdnGame::play`] uses only the main
    /// line.
    pub variations: Vec<Vec<PdnMove>>,
}

/// A position set up between moves: `/FEN "B:W28:B19"/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdnSetup {
    /// The text between the slashes.
    pub text: String,
    /// The line in the file.
    pub line: usize,
}

impl PdnMove {
    pub(super) fn new(text: &str, glyph: &str, line: usize) -> PdnMove {
        PdnMove {
            text: text.to_owned(),
            line,
            glyph: glyph.to_owned(),
            ..PdnMove::default()
        }
    }
}

/// Tags in the spelling of PDN; names are compared without case.
const TAGS: [&str; 16] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "GameType",
    "Variant",
    "FEN",
    "SetUp",
    "Winner",
    "Termination",
    "Annotator",
    "WhiteElo",
    "BlackElo",
];

/// Tags derived from the game, so that only one value can be right.
const DECISIVE: [&str; 7] = [
    "White", "Black", "Result", "GameType", "Variant", "FEN", "Winner",
];

impl PdnGame {
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.moves.is_empty() && self.setup.is_none()
    }

    /// The first value of a tag, whose name is compared without case. Red is Black.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let value = |name: &str| {
            self.tags
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.as_str())
        };
        let red = || value("Red").filter(|_| name.eq_ignore_ascii_case("Black"));
        value(name).or_else(red)
    }

    /// A tag's value, unless it is empty, `?` or `-`.
    fn known(&self, name: &str) -> Option<&str> {
        self.tag(name)
            .map(str::trim)
            .filter(|value| !["", "?", "-"].contains(value))
    }

    /// The value of the `FEN` tag, if any.
    pub fn fen(&self) -> Option<&str> {
        self.known("FEN")
    }

    /// Adds a tag; a name that PDN knows is spelled as PDN does.
    pub(super) fn add_tag(&mut self, name: String, value: String) {
        let known = TAGS.iter().find(|known| known.eq_ignore_ascii_case(&name));
        let name = known.map_or(name, |known| (*known).to_owned());
        self.tags.push((name, value));
    }

    /// Rejects duplicate tags with different values if only one can be right.
    pub(super) fn check_tags(&self) -> Result<(), PdnError> {
        for (at, (name, value)) in self.tags.iter().enumerate() {
            let first = self.tags[..at].iter().find(|(other, _)| other == name);
            if let Some((_, first)) = first
                && first != value
                && DECISIVE.contains(&name.as_str())
            {
                return Err(PdnError::Contradiction {
                    line: self.line,
                    what: format!("the tag {name} comes twice, as `{first}` and as `{value}`"),
                });
            }
        }
        Ok(())
    }

    /// The variant named by the tags, `None` if they name none. A `Variant` tag with one of our
    /// names distinguishes rulesets with the same `GameType`.
    ///
    /// # Errors
    /// When they name an unsupported game, or contradict each other.
    pub fn stated_variant(&self) -> Result<Option<Variant>, PdnError> {
        let line = self.line;
        let by_name = match self.tag("Variant").map_or(Named::Nothing, kind::named) {
            Named::Nothing => None,
            Named::Known(variant) => Some(variant),
            Named::Other => {
                let name = self.tag("Variant").unwrap_or_default().trim();
                let what = format!("the Variant tag names `{name}`");
                return Err(PdnError::OtherGame { line, what });
            }
        };
        let Some(stated) = self.game_type()? else {
            return Ok(by_name);
        };
        let Some(by_type) = stated.variant() else {
            let what = stated.other_name();
            return Err(PdnError::OtherGame { line, what });
        };
        if let Some(detail) = stated.contradiction(by_type) {
            let what = format!(
                "GameType {} and its detail `{detail}` do not go together",
                stated.number
            );
            return Err(PdnError::Contradiction { line, what });
        }
        match by_name {
            Some(variant) if variant.rules().game_type != by_type.rules().game_type => {
                let what = format!(
                    "GameType {} is {by_type}, but the Variant tag names {variant}",
                    stated.number
                );
                Err(PdnError::Contradiction { line, what })
            }
            by_name => Ok(by_name.or(Some(by_type))),
        }
    }

    fn game_type(&self) -> Result<Option<GameType<'_>>, PdnError> {
        let Some(text) = self.known("GameType") else {
            return Ok(None);
        };
        match GameType::read(text) {
            Some(stated) => Ok(Some(stated)),
            None => Err(PdnError::GameType {
                line: self.line,
                text: text.to_owned(),
            }),
        }
    }

    /// The side that moves first, if the `GameType` tag specifies it.
    pub(super) fn stated_first_player(&self) -> Option<Color> {
        self.game_type().ok()??.first
    }

    /// The side that moves first by the rules, which is the one that `1-0` refers to: from
    /// `GameType`, else from the variant, else from the first move, else White. If either side may
    /// move first, the first move takes precedence.
    fn first_player(&self) -> Color {
        let variant = self.stated_variant().ok().flatten();
        if variant.is_some_and(kind::either_begins)
            && let Some(first) = self.first_player_by_move()
        {
            return first;
        }
        if let Ok(Some(stated)) = self.game_type() {
            return stated.first_player();
        }
        variant
            .map(|variant| variant.rules().first_player)
            .or_else(|| self.first_player_by_move())
            .unwrap_or(Color::White)
    }

    /// Black if the first move starts from one of Black's squares, in a game from the start
    /// position: Black's men have the low numbers on most boards, in the upper rows.
    pub(super) fn first_player_by_move(&self) -> Option<Color> {
        if self.fen().is_some() {
            return None;
        }
        let text = &self.moves.first()?.text;
        let number: u8 = match text.split_once(crate::notation::is_separator) {
            Some((square, _)) if square.bytes().all(|byte| byte.is_ascii_digit()) => {
                square.parse().ok()?
            }
            _ => return None,
        };
        let size = self
            .stated_variant()
            .ok()
            .flatten()
            .map(|variant| variant.board());
        let black = size.map_or(20, |board| board.n_squares() as u8 * 2 / 5);
        match number {
            0 => None,
            number if number <= black => Some(Color::Black),
            _ => size.map(|_| Color::White),
        }
    }

    /// The side that makes the first move: from the FEN, in draughts (`B:W22:B9`) or chess
    /// (`8/8/8/8 b`) notation, else the side that moves first by the rules.
    pub fn first_mover(&self) -> Color {
        let in_fen = self.fen().and_then(|fen| {
            let turn = match fen.split_once(':') {
                Some((turn, _)) => turn,
                None => fen.split_whitespace().nth(1)?,
            };
            match turn.trim() {
                "W" | "w" => Some(Color::White),
                "B" | "b" => Some(Color::Black),
                _ => None,
            }
        });
        in_fen.unwrap_or_else(|| self.first_player())
    }

    /// The result: from the tags `Winner` and `Result`, else from the end of the moves.
    pub fn result(&self) -> PdnResult {
        match self.tag("Winner").map(str::to_ascii_lowercase).as_deref() {
            Some("white") => return PdnResult::Won(Color::White),
            Some("black" | "red") => return PdnResult::Won(Color::Black),
            _ => {}
        }
        let text = self
            .known("Result")
            .filter(|text| *text != "*")
            .or(self.end.as_deref())
            .unwrap_or("*");
        match score(text) {
            Score::FirstWon => PdnResult::Won(self.first_player()),
            Score::SecondWon => PdnResult::Won(!self.first_player()),
            Score::Won(color) => PdnResult::Won(color),
            Score::Drawn => PdnResult::Drawn,
            Score::Unknown => PdnResult::Open,
        }
    }
}
