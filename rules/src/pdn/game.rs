//! A game as written in a file, and the meaning of its tags.

use super::PdnError;
use super::kind::{self, GameType};
use super::result::{PdnResult, Score, score};
use crate::notation::{digits, is_separator};
use crate::{Color, UnknownVariant, Variant};

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
const TAGS: [&str; 17] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Red",
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
const DECISIVE: [&str; 8] = [
    "White", "Black", "Red", "Result", "GameType", "Variant", "FEN", "Winner",
];

/// Tags with the start position: PDN's own, and others that some programs have instead.
const OF_POSITION: [&str; 5] = [
    "FEN",
    "SetUp",
    "Position",
    "StartPosition",
    "InitialPosition",
];

/// True if a tag, as written, is meant to have the start position.
pub(super) fn is_of_position(tag: &str) -> bool {
    is_among(&OF_POSITION, written_name(tag)) && tag.contains(':')
}

/// The name in a tag as written.
pub(super) fn written_name(tag: &str) -> &str {
    let name = tag.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = name.find(|c: char| !c.is_alphanumeric());
    &name[..end.unwrap_or(name.len())]
}

/// The spelling of a tag that PDN defines.
pub(super) fn known_tag(name: &str) -> Option<&'static str> {
    let mut tags = TAGS.into_iter();
    tags.find(|known| known.eq_ignore_ascii_case(name))
}

/// Tests if only one value of a tag can be right.
pub(super) fn is_decisive(name: &str) -> bool {
    is_among(&DECISIVE, name)
}

/// True for a tag that names a player.
pub(super) fn is_player(name: &str) -> bool {
    is_among(&["White", "Black", "Red"], name)
}

/// True if a name is one of these, whatever its case.
pub(super) fn is_among(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// True if a tag's value says something.
fn is_known(value: &str) -> bool {
    !["", "?", "-"].contains(&value.trim())
}

/// True if both values of a tag mean the same.
fn means_the_same(name: &str, first: &str, second: &str) -> bool {
    let is_same = match name {
        "Result" => score(first) == score(second) && score(first) != Score::Unknown,
        "GameType" => {
            let [first, second] = [first, second].map(|text| {
                let stated = GameType::read(text)?;
                Some((stated.number, stated.first_player()))
            });
            first.is_some() && first == second
        }
        _ => false,
    };
    is_same || first == second
}

impl PdnGame {
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.moves.is_empty() && self.setup.is_none()
    }

    /// The first value of a tag, whose name is compared without case. Red is Black. Without tags of
    /// colors, `P1` and `P2` name the players in the order of their moves.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let is_black = name.eq_ignore_ascii_case("Black");
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        let first = || Some(self.tags.iter().find(is_it)?.1.as_str());
        self.known(name)
            .or_else(|| self.known("Red").filter(|_| is_black))
            .or_else(|| self.player_by_turn(name))
            .or_else(first)
    }

    /// The player of a color, named by the order of moves as PlayStrategy does: `P1` moves first.
    fn player_by_turn(&self, name: &str) -> Option<&str> {
        let is_called = |color: &Color| color.to_string().eq_ignore_ascii_case(name);
        let color = Color::ALL.into_iter().find(is_called)?;
        self.known("P1").or_else(|| self.known("P2"))?;
        match color == self.first_player() {
            true => self.known("P1"),
            false => self.known("P2"),
        }
    }

    /// The first value of a tag that is not empty, `?` or `-`.
    fn known(&self, name: &str) -> Option<&str> {
        let mut values = self.tags.iter().filter_map(|(known, value)| {
            (known.eq_ignore_ascii_case(name) && is_known(value)).then_some(value.trim())
        });
        values.next()
    }

    /// The value of the `FEN` tag, if any, or of another tag that some programs have instead.
    pub fn fen(&self) -> Option<&str> {
        let other = |name: &&str| {
            let value = self.known(name)?;
            value.contains(':').then_some(value)
        };
        self.known("FEN")
            .or_else(|| OF_POSITION[1..].iter().find_map(other))
    }

    /// Adds a tag; a name that PDN knows is spelled as PDN does.
    pub(super) fn add_tag(&mut self, name: String, value: String) {
        let name = known_tag(&name).map_or(name, str::to_owned);
        self.tags.push((name, value));
    }

    /// Rejects duplicate tags with different meanings if only one can be right.
    pub(super) fn check_tags(&self) -> Result<(), PdnError> {
        let decisive = |(name, value): &'_ (String, String)| {
            let name = if name == "Red" { "Black" } else { name };
            let name = DECISIVE.into_iter().find(|known| *known == name)?;
            is_known(value).then_some(name)
        };
        for (at, tag) in self.tags.iter().enumerate() {
            let Some(name) = decisive(tag) else { continue };
            let others = &self.tags[..at];
            let first = others.iter().find(|other| decisive(other) == Some(name));
            if let Some((_, first)) = first
                && !means_the_same(name, first, &tag.1)
            {
                let value = &tag.1;
                return Err(PdnError::Contradiction {
                    line: self.line,
                    what: format!("the tag {name} comes twice, as `{first}` and as `{value}`"),
                });
            }
        }
        self.check_results()
    }

    /// Rejects a `Result` tag and a result after the moves that name different winners.
    fn check_results(&self) -> Result<(), PdnError> {
        let (Some(tag), Some(end), None) = (self.known("Result"), &self.end, self.winner()) else {
            return Ok(());
        };
        let [by_tag, by_end] = [tag, end].map(|text| self.meaning(text));
        if by_tag == by_end || by_tag == PdnResult::Open || by_end == PdnResult::Open {
            return Ok(());
        }
        Err(PdnError::Contradiction {
            line: self.line,
            what: format!("the Result tag is `{tag}`, but the moves end with `{end}`"),
        })
    }

    /// The variant named by the tags, `None` if they name none. A `Variant` tag with one of our
    /// names distinguishes rulesets with the same `GameType`.
    ///
    /// # Errors
    /// When they name an unsupported game, or contradict each other.
    pub fn stated_variant(&self) -> Result<Option<Variant>, PdnError> {
        let line = self.line;
        let by_name = kind::named(self.tag("Variant").unwrap_or_default());
        let by_name = by_name.map_err(|UnknownVariant { name }| {
            let what = format!("the Variant tag names `{name}`");
            PdnError::OtherGame { line, what }
        })?;
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
        let stated = self.known("GameType").map(|text| {
            GameType::read(text).ok_or_else(|| PdnError::GameType {
                line: self.line,
                text: text.to_owned(),
            })
        });
        stated.transpose()
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
        let (square, _) = self.moves.first()?.text.split_once(is_separator)?;
        let number = u8::try_from(digits(square)?).ok()?;
        let variant = self.stated_variant().ok().flatten();
        let black = variant.map_or(20, |variant| variant.board().n_squares() as u8 * 2 / 5);
        match number {
            0 => None,
            number if number <= black => Some(Color::Black),
            _ => variant.map(|_| Color::White),
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
        if let Some(winner) = self.winner() {
            return PdnResult::Won(winner);
        }
        let text = self
            .known("Result")
            .filter(|text| *text != "*")
            .or(self.end.as_deref())
            .unwrap_or("*");
        self.meaning(text)
    }

    /// The side named by the `Winner` tag.
    fn winner(&self) -> Option<Color> {
        match self.tag("Winner")?.to_ascii_lowercase().as_str() {
            "white" => Some(Color::White),
            "black" | "red" => Some(Color::Black),
            _ => None,
        }
    }

    /// The meaning of a result as text.
    fn meaning(&self, text: &str) -> PdnResult {
        match score(text) {
            Score::FirstWon => PdnResult::Won(self.first_player()),
            Score::SecondWon => PdnResult::Won(!self.first_player()),
            Score::Won(color) => PdnResult::Won(color),
            Score::Drawn => PdnResult::Drawn,
            Score::Unknown => PdnResult::Open,
        }
    }
}
