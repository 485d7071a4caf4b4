//! Suggestions for misspelled names.

/// The maximum number of edits between a typed word and a suggestion.
const MAX_EDITS: usize = 2;

/// The name that a misspelled word most likely means: at most two edits away, and at most one for
/// every three letters of the word. An edit adds, drops or replaces a letter, or swaps two
/// neighbors.
fn suggest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = |text: &str| text.chars().count();
    let allowed = (length(word) / 3).min(MAX_EDITS);
    names
        .into_iter()
        // This also bounds the cost for long words.
        .filter(|name| length(name).abs_diff(length(word)) <= allowed)
        .map(|name| (strsim::osa_distance(word, name), name))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// ` (did you mean ..?)` if one of `names` is close to a misspelled word, otherwise empty.
#[must_use]
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    suggest(word, names).map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 9] = [
        "english",
        "customary",
        "customary-finish",
        "russian",
        "frisian",
        "seed",
        "small",
        "time",
        "search.simulations",
    ];

    #[test]
    fn only_similar_names_are_suggested() {
        for (word, name) in [
            // One edit of each kind.
            ("englisch", Some("english")),
            ("englsh", Some("english")),
            ("frisiam", Some("frisian")),
            ("rusisan", Some("russian")),
            ("sede", Some("seed")),
            ("tim", Some("time")),
            ("smal", Some("small")),
            // Two edits, in words of six letters or more.
            ("frysain", Some("frisian")),
            ("frisein", Some("frisian")),
            ("rusian", Some("russian")),
            ("rushan", Some("russian")),
            ("search.simulatoin", Some("search.simulations")),
            ("custumery", Some("customary")),
            ("seeed!", Some("seed")),
            // Three edits are too many, and so is one in a word of two letters.
            ("serch.simulatoin", None),
            ("ti", None),
            ("sed.", None),
            ("sd", None),
            // Words that other distance measures considered similar.
            ("draughts", None),
            ("american", None),
            ("simulations", None),
            ("", None),
        ] {
            assert_eq!(suggest(word, NAMES), name, "{word}");
        }
    }

    #[test]
    fn the_nearest_name_wins() {
        assert_eq!(
            suggest("thaiss", ["thailand", "thai", "thais"]),
            Some("thais")
        );
    }
}
