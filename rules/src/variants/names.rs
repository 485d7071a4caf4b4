//! Parsing of variant names.

use std::fmt;
use std::iter;
use std::str::FromStr;

use crate::{Variant, did_you_mean};

/// Names of games that are not supported, with their difference from the similar variant.
const OTHER_GAMES: [(&str, &str); 6] = [
    (
        "frysk",
        "Frysk! is a game of its own, Frisian draughts with five men a side, and is not played \
         here: write frisian for the usual game",
    ),
    (
        "turkish",
        "Turkish draughts uses all squares of the board and is not played here",
    ),
    (
        "canadian",
        "Canadian draughts has a board of 12x12 and is not played here: write international for \
         the same rules on 10x10",
    ),
    (
        "killer",
        "Killer draughts is not played here: write international for the usual game",
    ),
    (
        "poddavki",
        "poddavki, on 8x8, is not played here: write antidraughts for the same goal on 10x10",
    ),
    (
        "giveaway",
        "giveaway checkers, on 8x8, is not played here: write antidraughts for the same goal on \
         10x10",
    ),
];

/// The error of an unknown variant name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct UnknownVariant {
    /// The given name.
    pub name: String,
}

impl UnknownVariant {
    /// True if the name belongs to a board or to an unsupported game: the message then says more.
    #[must_use]
    pub fn is_of_something_else(&self) -> bool {
        let key = key(&self.name);
        games_on(&key).is_some() || OTHER_GAMES.iter().any(|(other, _)| *other == key)
    }
}

impl fmt::Display for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, key) = (&self.name, key(&self.name));
        if let Some(games) = games_on(&key) {
            return write!(f, "`{name}` is a board, not a game: write {games}");
        }
        if let Some((_, reason)) = OTHER_GAMES.iter().find(|(other, _)| *other == key) {
            return write!(f, "unknown variant `{name}`: {reason} (one of {})", names());
        }
        let known = Variant::ALL.into_iter().flat_map(|variant| {
            iter::once(variant.name()).chain(variant.about().aliases.iter().copied())
        });
        let hint = did_you_mean(name, known);
        write!(
            f,
            "unknown variant `{name}`{hint}: write one of {}",
            names()
        )
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    /// Parses a name or an alias, ignoring case and a following "checkers" or "draughts".
    fn from_str(name: &str) -> Result<Variant, UnknownVariant> {
        let key = key(name);
        let is_meant = |variant: &Variant| {
            variant.name() == key || variant.about().aliases.contains(&key.as_str())
        };
        let found = Variant::ALL.into_iter().find(is_meant);
        found.ok_or_else(|| UnknownVariant {
            name: name.to_owned(),
        })
    }
}

/// The name in lower case with hyphens, without a following "checkers" or "draughts".
fn key(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace(['_', ' '], "-");
    let name = name.trim_end_matches('!');
    let short = ["-checkers", "-draughts"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    short.unwrap_or(name).to_owned()
}

/// The games on the board named by a text such as `10x10`.
fn games_on(size: &str) -> Option<String> {
    let games = Variant::GAMES.into_iter().filter(|game| {
        let n_rows = game.board().size();
        size == format!("{n_rows}x{n_rows}")
    });
    let games: Vec<_> = games.map(Variant::name).collect();
    let (last, others) = games.split_last()?;
    Some(format!("{} or {last}", others.join(", ")))
}

fn names() -> String {
    Variant::ALL.map(Variant::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_understood() {
        for (text, name) in [
            ("english", "english"),
            ("English", "english"),
            ("checkers", "english"),
            ("Checkers", "english"),
            ("draughts", "english"),
            ("american", "english"),
            ("American checkers", "english"),
            ("english-draughts", "english"),
            ("makhos", "thai"),
            ("MAKHOS", "thai"),
            ("thai-checkers", "thai"),
            ("Thai_Checkers", "thai"),
            ("shashki", "russian"),
            ("russian draughts", "russian"),
            ("polish", "international"),
            ("American pool checkers", "pool"),
            ("Dama Italiana", "italian"),
            ("damas", "portuguese"),
            ("Losing draughts", "antidraughts"),
            ("Breakthrough draughts", "breakthrough"),
            ("ring board checkers", "ringboard"),
            ("frisian_plain", "frisian-plain"),
        ] {
            assert_eq!(
                text.parse::<Variant>().map(Variant::name),
                Ok(name),
                "{text}"
            );
        }
    }

    #[test]
    fn every_name_means_one_variant() {
        for variant in Variant::ALL {
            for alias in variant.about().aliases {
                assert_eq!(key(alias), *alias, "the form in which names are compared");
                assert_eq!(alias.parse(), Ok(variant), "{alias}");
            }
        }
    }

    #[test]
    fn unknown_names_are_explained() {
        for (text, message) in [
            (
                "frisan",
                "unknown variant `frisan` (did you mean `frisian`?): write one of english, ",
            ),
            ("englsih", "(did you mean `english`?)"),
            ("chekers", "(did you mean `checkers`?)"),
            (
                "chess",
                "unknown variant `chess`: write one of english, customary, ",
            ),
            ("", "unknown variant ``: write one of "),
            (
                "10x10",
                "`10x10` is a board, not a game: write frisian, ringboard, international, antidraughts or breakthrough",
            ),
            (
                "8x8",
                "write english, customary, thai, russian, brazilian, pool, czech, spanish, \
                 portuguese or italian",
            ),
            (
                "frysk",
                "five men a side, and is not played here: write frisian for the usual game",
            ),
            ("Turkish draughts", "all squares of the board"),
            (
                "canadian",
                "has a board of 12x12 and is not played here: write international",
            ),
            ("Giveaway checkers", "giveaway checkers, on 8x8, is not"),
            ("Frysk!", "(one of english, customary, frisian, "),
        ] {
            let error = text.parse::<Variant>().map_err(|error| error.to_string());
            let error = error.expect_err(text);
            assert!(error.contains(message), "{error}");
        }
    }
}
