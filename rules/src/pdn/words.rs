//! The words between tags and comments: moves, their numbers and marks, results.

use super::result::{ends_game, plain};
use super::{GLYPHS, PdnGame};
use crate::notation::{is_capture, is_separator};

/// The kind of a word.
pub(super) enum Word<'a> {
    Move {
        /// The number before it.
        number: Option<usize>,
        text: &'a str,
        glyph: &'static str,
    },
    /// The number of the next move.
    Number(usize),
    /// Evaluation signs; only a glyph among them is kept.
    Mark(Option<&'static str>),
    /// A result or `*`.
    End(String),
}

/// Classifies a word; `last` is the number of the last move.
pub(super) fn read(word: &str, last: Option<usize>) -> Word<'_> {
    // `1-0F` is a forfeit.
    let end = word.trim_end_matches(['.', ',', '!', '?', 'F', 'f']);
    if ends_game(end) {
        return Word::End(end.to_owned());
    }
    let is_after = |c: char| matches!(c, '!' | '?' | '.' | ',' | '#' | '*' | '□') || is_sign(c);
    let before_marks = word.trim_end_matches(['!', '?', '.', ',', '*']);
    let before_sign = ["+/-", "-/+", "+-", "-+"].into_iter().find_map(|sign| {
        let text = before_marks.strip_suffix(sign)?;
        text.ends_with(|c: char| c.is_ascii_digit()).then_some(text)
    });
    let mut text = before_sign.unwrap_or(word).trim_end_matches(is_after);
    let mark = word[text.len()..].trim_matches(|c| !matches!(c, '!' | '?'));
    let glyph = GLYPHS.into_iter().find(|glyph| *glyph == mark);
    let mut number = None;
    while let Some((digits, rest)) = text.split_once(['.', '…'])
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        number = digits.parse().ok().or(number);
        text = rest.trim_start_matches('…');
    }
    text = text.trim_matches('…');
    let n_dots = word.contains(['.', '…']);
    // `--` is a null move.
    if text != "--" && text.chars().all(|c| c == '-' || is_sign(c)) {
        return number.map_or(Word::Mark(glyph), Word::Number);
    }
    // A number without a dot must be the expected one: `32` may be a part of a broken move.
    if number.is_none()
        && let Ok(due) = text.parse()
        && (n_dots || last.is_none_or(|last| due == last || due == last + 1))
    {
        return Word::Number(due);
    }
    Word::Move {
        number,
        text,
        glyph: glyph.unwrap_or_default(),
    }
}

/// Joins two words that form one move or result with spaces in it: `1- 7`, `28 x 19`, `1/2 - 1/2`.
pub(super) fn join(held: &str, word: &str) -> Option<String> {
    let is_square_end = |c: char| c.is_alphanumeric() || c == '½';
    let last = held.chars().next_back()?;
    let first = word.chars().next()?;
    // `+-` and `+/-` are evaluations.
    let ends_square = |held: &str| held.ends_with(|c| is_square_end(c) || c.is_whitespace());
    let joins = if is_separator(last) && ends_square(&held[..held.len() - last.len_utf8()]) {
        is_square_end(first)
    } else {
        let next = word.chars().nth(1);
        is_separator(first)
            && !matches!(last, 'x' | 'X')
            && is_square_end(last)
            && next.is_none_or(is_square_end)
    };
    // Excludes `1. x`, and a move that is complete before an evaluation sign.
    joins.then(|| format!("{held}{word}"))
}

/// Joins a capture and the next word, which continues it: some sites write each jump as a move.
/// Nothing else can start where a piece has just landed.
pub(super) fn join_jumps(capture: &str, word: &str) -> Option<String> {
    let (_, landed) = capture.rsplit_once(is_capture)?;
    let (from, rest) = word.split_once(is_capture)?;
    (landed == from).then(|| format!("{capture}x{rest}"))
}

/// Tests if a word is a whole result.
pub(super) fn is_complete(word: &str) -> bool {
    word != "1/2" && word != "½" && ends_game(word)
}

/// True for characters of evaluation signs, `-` excepted.
fn is_sign(c: char) -> bool {
    "+=/±∓⩲⩱∞~<>".contains(c)
}

/// Takes the last word as the result if the `Result` tag agrees and nothing else ends the game:
/// sites write their own counts, such as `4-6`.
pub(super) fn end_by_tag(game: &mut PdnGame) {
    let is_result = game.moves.last().is_some_and(|last| {
        let is_bare = last.variations.is_empty() && last.setup.is_none();
        is_bare && game.tag("Result").map(plain) == Some(plain(&last.text))
    });
    if game.end.is_none() && is_result {
        game.end = game.moves.pop().map(|mv| mv.text);
    }
}

/// The commands in a comment, `[%clk 0:01:02]`, and the text without them.
pub(super) fn commands(comment: &str) -> (Vec<(String, String)>, String) {
    let mut data = Vec::new();
    let mut text = String::new();
    let mut rest = comment;
    while let Some((before, after)) = rest.split_once("[%")
        && let Some((command, after)) = after.split_once(']')
    {
        let command = command.trim();
        let (name, value) = command
            .split_once(char::is_whitespace)
            .unwrap_or((command, ""));
        data.push((name.to_owned(), value.trim().to_owned()));
        push_text(&mut text, before);
        rest = after;
    }
    push_text(&mut text, rest);
    (data, text)
}

/// Adds to a text, after a space.
pub(super) fn push_text(text: &mut String, more: &str) {
    let more = more.trim();
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}
