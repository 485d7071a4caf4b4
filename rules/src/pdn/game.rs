//! One game as it stands in a file, and what it means.

use super::PdnError;
use crate::{Color, Move, Position, Variant};

/// Tags and moves of a game, as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PdnGame {
    /// Line of the first tag or word.
    pub line: usize,
    /// Names and values, in order.
    pub tags: Vec<(String, String)>,
    /// What is said before the first move.
    pub comment: String,
    /// The moves of the main line.
    pub moves: Vec<PdnMove>,
    /// The result or `*` after the moves.
    pub end: Option<String>,
}

/// The text of a move, where it stands, and what is said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdnMove {
    /// Without move number and annotations.
    pub text: String,
    /// Line in the file.
    pub line: usize,
    /// One of [`GLYPHS`](super::GLYPHS), or empty.
    pub glyph: String,
    /// The comments after it, or empty.
    pub comment: String,
    /// Lines that could have been played instead. Their moves may be anything: [`PdnGame::replay`] looks at
    /// the main line only.
    pub variations: Vec<Vec<PdnMove>>,
}

impl PdnMove {
    pub(super) fn new(text: &str, glyph: &str, line: usize) -> PdnMove {
        PdnMove {
            text: text.to_owned(),
            line,
            glyph: glyph.to_owned(),
            comment: String::new(),
            variations: Vec::new(),
        }
    }
}

/// How a game ended, as far as PDN says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PdnResult {
    /// This side won.
    Won(Color),
    /// Nobody won.
    Drawn,
    /// Unfinished or unknown.
    Open,
}

impl PdnGame {
    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.moves.is_empty()
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Which variant is played: the `Variant` tag if it is one of our names, else by the number in
    /// the `GameType` tag.
    pub fn variant(&self) -> Result<Variant, PdnError> {
        let by_name = self.tag("Variant").and_then(|name| name.parse().ok());
        let by_type = || {
            let number = self.game_type().next()?;
            let is_of_type = |v: &Variant| v.rules().game_type.split(',').next() == Some(number);
            Variant::ALL.into_iter().find(is_of_type)
        };
        by_name
            .or_else(by_type)
            .ok_or(PdnError::NoVariant { line: self.line })
    }

    /// The fields of the `GameType` tag.
    fn game_type(&self) -> impl Iterator<Item = &str> {
        self.tag("GameType")
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
    }

    /// The side that begins, if the `GameType` tag tells.
    fn stated_first_player(&self) -> Option<Color> {
        match self.game_type().nth(1)? {
            "W" => Some(Color::White),
            "B" => Some(Color::Black),
            _ => None,
        }
    }

    /// The side that begins by the rules, to which `1-0` refers: as `GameType` says, else by the
    /// variant, else as the first move tells, else White.
    fn first_player(&self) -> Color {
        let by_rules = || Some(self.variant().ok()?.rules().first_player);
        self.stated_first_player()
            .or_else(by_rules)
            .or_else(|| self.first_player_by_move())
            .unwrap_or(Color::White)
    }

    /// Black if the first move is from one of his squares, in a game from the start position that does
    /// not say what it is: Black's men stand on the low numbers of every board.
    fn first_player_by_move(&self) -> Option<Color> {
        if self.tag("FEN").is_some() {
            return None;
        }
        let (square, _) = self.moves.first()?.text.split_once(['-', 'x'])?;
        match square.parse().ok()? {
            1..=20_u8 => Some(Color::Black),
            _ => None,
        }
    }

    /// The side that makes the first move: as the FEN says, in draughts (`B:W22:B9`) or in chess
    /// (`8/8/8/8 b`), else the side that begins by the rules.
    pub fn first_mover(&self) -> Color {
        let in_fen = self.tag("FEN").and_then(|fen| {
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
            Some("black") => return PdnResult::Won(Color::Black),
            _ => {}
        }
        let known = |text: &&str| *text != "*";
        let text = self
            .tag("Result")
            .filter(known)
            .or(self.end.as_deref())
            .unwrap_or("*");
        match text.trim() {
            "1-0" => PdnResult::Won(self.first_player()),
            "0-1" => PdnResult::Won(!self.first_player()),
            "2-0" => PdnResult::Won(Color::White),
            "0-2" => PdnResult::Won(Color::Black),
            "1/2-1/2" | "1-1" => PdnResult::Drawn,
            _ => PdnResult::Open,
        }
    }

    /// The position before the first move: that of the `FEN` tag, else the start position.
    pub fn start(&self, variant: Variant) -> Result<Position, PdnError> {
        if let Some(fen) = self.tag("FEN") {
            return Position::from_fen(variant, fen).map_err(|source| PdnError::Fen {
                line: self.line,
                source,
            });
        }
        // The official table lets Black begin in Thai games, our rules White.
        let start = Position::start(variant);
        let is_other_way = self
            .stated_first_player()
            .is_some_and(|color| color != start.turn());
        Ok(if is_other_way { start.turned() } else { start })
    }

    /// The start position and the moves, each checked to be legal.
    pub fn replay(&self, variant: Variant) -> Result<(Position, Vec<Move>), PdnError> {
        let start = self.start(variant)?;
        let mut position = start;
        let mut moves = Vec::with_capacity(self.moves.len());
        for (i, PdnMove { text, line, .. }) in self.moves.iter().enumerate() {
            let mv = position.parse_move(text).map_err(|source| PdnError::Move {
                line: *line,
                ply: i + 1,
                source,
            })?;
            moves.push(mv);
            position = position.play(mv);
        }
        Ok((start, moves))
    }
}
