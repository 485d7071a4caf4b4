//! Foreign text on a terminal.

use std::borrow::Cow;

/// The text with everything escaped that could steer a terminal or reorder a line: control
/// characters but tabs and line ends, and Unicode's marks for the direction of text. Names of
/// files, words of engines and errors about them can contain any of these.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        match steers(letter) && !ends_line {
            true => shown.extend(letter.escape_unicode()),
            false => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Returns `true` for letters that steer a terminal, unless they lay out lines.
#[must_use]
pub fn steers(letter: char) -> bool {
    let is_layout = matches!(letter, '\n' | '\t');
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() && !is_layout || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        for text in ["", "plain\n\ttext\r\n", "W:W31-50:B1-20", "Zoë ♛"] {
            assert!(matches!(printable(text), Cow::Borrowed(_)) || text.contains('\r'));
            assert_eq!(printable(text), text);
        }
        for (text, expected) in [
            ("\u{1b}[31mred", r"\u{1b}[31mred"),
            ("a\rb\r\n", "a\\u{d}b\r\n"),
            ("\u{9b}2J\u{7f}\0\u{7}", r"\u{9b}2J\u{7f}\u{0}\u{7}"),
            ("moc\u{202e}exe", r"moc\u{202e}exe"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }
}
