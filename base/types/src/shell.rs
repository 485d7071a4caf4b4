//! Words of command lines that messages suggest.

use std::borrow::Cow;
use std::path::MAIN_SEPARATOR;

/// A word, in quotes where a shell would take it for something else: a path with spaces.
///
/// ```
/// assert_eq!(types::shell_word("runs/english"), "runs/english");
/// assert_eq!(types::shell_word("my runs/o'clock"), r"'my runs/o'\''clock'");
/// ```
#[must_use]
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || c == MAIN_SEPARATOR || "._/-:@+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}
