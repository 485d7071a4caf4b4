//! The game named by PDN tags.

use super::PdnResult;
use crate::{Color, UnknownVariant, Variant};

/// Unsupported types of PDN: number and name.
const OTHER_TYPES: [(u16, &str); 8] = [
    (0, "chess"),
    (1, "Chinese chess"),
    (27, "Canadian draughts"),
    (30, "Turkish draughts"),
    (41, "Spantsiretti draughts"),
    (50, "Othello"),
    (97, "Frysk!"),
    (99, "a private type of another program"),
];

/// The types in which Black moves first by PDN's table. Our rules differ for Thai checkers.
const BLACK_BEGINS: [u16; 4] = [21, 23, 31, 50];

/// The types with games that begin with White and games that begin with Black: the table has
/// several kinds of pool checkers under one number, and our Thai checkers differ from it.
const EITHER_BEGINS: [u16; 2] = [23, 31];

/// The value of a `GameType` tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GameType<'a> {
    pub(super) number: u16,
    /// The side that moves first, if specified.
    pub(super) first: Option<Color>,
    /// The rest, as far as present: width, height, notation and the invert flag.
    details: [Option<&'a str>; 4],
}

impl<'a> GameType<'a> {
    /// Parses the value, in its short form or with any number of details.
    pub(super) fn read(text: &'a str) -> Option<GameType<'a>> {
        let mut fields = text.split(',').map(str::trim);
        let number = fields.next()?.parse().ok()?;
        let mut next = || fields.next().filter(|field| !field.is_empty());
        let first = match next() {
            None => None,
            Some("W" | "w") => Some(Color::White),
            Some("B" | "b") => Some(Color::Black),
            Some(_) => return None,
        };
        let details = [next(), next(), next(), next()];
        fields.next().is_none().then_some(GameType {
            number,
            first,
            details,
        })
    }

    /// The game with this number.
    pub(super) fn variant(&self) -> Option<Variant> {
        Variant::ALL
            .into_iter()
            .find(|variant| number_of(*variant) == Some(self.number))
    }

    /// The detail that contradicts the variant with this number, if any.
    pub(super) fn contradiction(&self, variant: Variant) -> Option<&'a str> {
        let own = GameType::read(variant.rules().game_type)?;
        let wrong = |(found, usual): (Option<&'a str>, Option<&str>)| match found? {
            // The letter gives the usual notation of squares; both notations are accepted for each
            // game.
            "N1" | "N2" | "A0" | "n1" | "n2" | "a0" => None,
            other => Some(other).filter(|_| found != usual),
        };
        self.details.into_iter().zip(own.details).find_map(wrong)
    }

    /// The side that moves first: from the tag, else from PDN's table.
    pub(super) fn first_player(&self) -> Color {
        let by_table = || match self.variant() {
            _ if BLACK_BEGINS.contains(&self.number) => Color::Black,
            Some(variant) => variant.rules().first_player,
            None => Color::White,
        };
        self.first.unwrap_or_else(by_table)
    }

    /// A name for an unsupported game.
    pub(super) fn other_name(&self) -> String {
        let is_it = |(number, _): &&(u16, _)| *number == self.number;
        let known = OTHER_TYPES.iter().find(is_it);
        let name = known.map_or("a game that is not known", |(_, name)| name);
        format!("GameType {} is {name}", self.number)
    }
}

fn number_of(variant: Variant) -> Option<u16> {
    Some(GameType::read(variant.rules().game_type)?.number)
}

/// True if either side may move first in games of a variant.
pub(super) fn either_begins(variant: Variant) -> bool {
    number_of(variant).is_some_and(|number| EITHER_BEGINS.contains(&number))
}

/// The `GameType` tag for a game from the usual start position, possibly with sides exchanged.
pub(super) fn game_type(variant: Variant, first: Color) -> String {
    let usual = variant.rules().game_type;
    let from = variant.rules().first_player.letter();
    usual.replacen(&format!(",{from},"), &format!(",{},", first.letter()), 1)
}

/// The result of a game in PDN's form for its type when `first` moves first.
pub(super) fn result_text(variant: Variant, first: Color, result: PdnResult) -> &'static str {
    // Only results of international draughts are counted in two points.
    let has_points = number_of(variant) == Some(20);
    match result {
        PdnResult::Open => "*",
        PdnResult::Drawn if has_points => "1-1",
        PdnResult::Drawn => "1/2-1/2",
        PdnResult::Won(Color::White) if has_points => "2-0",
        PdnResult::Won(Color::Black) if has_points => "0-2",
        PdnResult::Won(winner) if winner == first => "1-0",
        PdnResult::Won(_) => "0-1",
    }
}

/// The variant named by a `Variant` tag; `None` if it is empty or has a value that fits any game.
/// Sites write `Standard` for any `GameType`.
pub(super) fn named(text: &str) -> Result<Option<Variant>, UnknownVariant> {
    let text = text.trim();
    let says_nothing = ["", "?", "-", "standard", "from position", "fromposition"];
    if says_nothing.contains(&text.to_lowercase().as_str()) {
        return Ok(None);
    }
    // PlayStrategy writes `American/English`.
    let mut names: Vec<_> = text.split('/').map(str::parse).collect();
    names.dedup();
    match names[..] {
        [Ok(variant)] => Ok(Some(variant)),
        _ => Err(UnknownVariant {
            name: text.to_owned(),
        }),
    }
}
