//! The lexer, which splits PDN into tags, words, comments and the signs around variations.

use std::io::BufRead;

use super::game::known_tag;
use super::words::push_text;
use super::{GLYPHS, MAX_GAME_BYTES, PdnError};
use crate::lines::{LineRead, read_text_line};
use crate::notation::is_separator;

/// A token of PDN.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Token {
    Tag {
        name: String,
        value: String,
        /// True after a blank line or at the beginning of the text.
        is_apart: bool,
    },
    Word(String),
    /// The text of a comment in braces or after a semicolon; line breaks become spaces.
    Comment(String),
    /// An annotation: the glyph of a number, such as `$2`, or of marks in parentheses, such as
    /// `(!)`, if it is one of [`GLYPHS`].
    Glyph(Option<&'static str>),
    /// A position between slashes.
    Setup(String),
    /// The start of a variation.
    Open,
    /// The end of a variation.
    Close,
}

/// Reads a stream line by line, so that a file of any size takes little memory.
pub(super) struct Lexer<R: ?Sized> {
    /// The current line.
    text: String,
    /// The number of bytes of `text` consumed.
    used: usize,
    /// Number of the current line, from 1: that of the last token.
    pub(super) line: usize,
    /// True if there was a blank line after the last token.
    is_apart: bool,
    /// True if the last tag began a line after a blank one, as the first of a game does.
    pub(super) is_tag_apart: bool,
    /// The number of bytes of all lines before the current one.
    n_before: usize,
    /// The number of bytes of the stream before the game.
    game_start: usize,
    pub(super) input: R,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Lexer<R> {
        Lexer {
            text: String::new(),
            used: 0,
            line: 0,
            is_apart: true,
            is_tag_apart: false,
            n_before: 0,
            game_start: 0,
            input,
        }
    }
}

impl Lexer<dyn BufRead + '_> {
    /// Starts a game: the limit applies to everything read from now on.
    pub(super) fn begin_game(&mut self) {
        self.game_start = self.n_before + self.used;
    }

    /// The next token, or `None` at the end of the stream. After an error the rest of the line is
    /// skipped.
    pub(super) fn next_token(&mut self) -> Result<Option<Token>, PdnError> {
        while let Some(first) = self.next_char()? {
            match first {
                '{' => return Ok(Some(Token::Comment(self.read_to('{', '}')?))),
                ';' => {
                    let rest = &self.rest()[1..];
                    let comment = rest.split(is_line_end).next().unwrap_or(rest);
                    let (used, comment) =
                        (self.used + 1 + comment.len(), comment.trim().to_owned());
                    self.used = used;
                    return Ok(Some(Token::Comment(comment)));
                }
                '/' => return Ok(Some(Token::Setup(self.read_to('/', '/')?))),
                '%' if self.text[..self.used].trim().is_empty() => self.used = self.text.len(),
                '[' => return self.tag().map(Some),
                '$' => {
                    self.used += 1;
                    let number = self.rest().trim_start_matches(' ');
                    let after = number.trim_start_matches('-').trim_start_matches(is_digit);
                    // With a dot it is the number of a move.
                    if after.starts_with('.') {
                        continue;
                    }
                    let number = number[..number.len() - after.len()].parse::<u8>();
                    self.used = self.text.len() - after.len();
                    if let Ok(number) = number {
                        let glyph = GLYPHS.get(usize::from(number).wrapping_sub(1));
                        return Ok(Some(Token::Glyph(glyph.copied())));
                    }
                }
                '(' => {
                    self.used += 1;
                    return Ok(Some(self.marks().unwrap_or(Token::Open)));
                }
                ')' => {
                    self.used += 1;
                    return Ok(Some(Token::Close));
                }
                // Closing characters without an opening one.
                '}' | ']' => self.used += 1,
                // Text that follows a move at once.
                _ if self.text[..self.used].ends_with(is_digit) && is_text(self.rest()) => {
                    return Ok(Some(Token::Comment(self.word())));
                }
                _ => return Ok(Some(Token::Word(self.word()))),
            }
        }
        Ok(None)
    }

    /// The next character that is not white space, without consuming it.
    fn next_char(&mut self) -> Result<Option<char>, PdnError> {
        loop {
            let rest = self.rest().trim_start();
            if let Some(first) = rest.chars().next() {
                self.used = self.text.len() - rest.len();
                return Ok(Some(first));
            }
            if !self.next_line()? {
                return Ok(None);
            }
            self.is_apart |= self.text.trim().is_empty();
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.used..]
    }

    fn next_line(&mut self) -> Result<bool, PdnError> {
        // Reuses the memory of the last line.
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        self.n_before += bytes.len();
        self.used = 0;
        let line = self.line;
        let read = read_text_line(&mut self.input, MAX_GAME_BYTES, &mut bytes)
            .map_err(|source| PdnError::Io { line, source })?;
        if read == LineRead::End {
            return Ok(false);
        }
        self.line += 1;
        let n_bytes = self.n_before + bytes.len() - self.game_start;
        if read == LineRead::TooLong || n_bytes > MAX_GAME_BYTES {
            return Err(PdnError::TooLarge {
                line: self.line,
                limit: MAX_GAME_BYTES,
                what: "bytes",
            });
        }
        self.text = match String::from_utf8(bytes) {
            Ok(text) if text.is_ascii() && !text.as_bytes().contains(&END_OF_FILE) => text,
            Ok(text) => text.replace(is_invisible, " "),
            // Squares are ASCII in all encodings. Different names stay different.
            Err(error) => error
                .as_bytes()
                .iter()
                .map(|&byte| char::from(byte))
                .collect(),
        };
        Ok(true)
    }

    /// The text between the opening character and the closing one, consuming both. A blank line
    /// followed by a tag counts as the start of the next game.
    fn read_to(&mut self, opening: char, closing: char) -> Result<String, PdnError> {
        let line = self.line;
        let unclosed = PdnError::Unclosed {
            line,
            opening,
            closing,
        };
        self.used += opening.len_utf8();
        let mut said = String::new();
        loop {
            let end = self.rest().find(closing);
            let text = &self.rest()[..end.unwrap_or(self.rest().len())];
            for word in text.split_whitespace() {
                push_text(&mut said, word);
            }
            if let Some(end) = end {
                self.used += end + closing.len_utf8();
                return Ok(said);
            }
            let was_blank = self.text.trim().is_empty();
            self.used = self.text.len();
            if !self.next_line()? || was_blank && parse_tag(self.text.trim_start()).is_some() {
                return Err(unclosed);
            }
        }
    }

    /// Consumes annotation marks up to a closing parenthesis, if there is nothing else before it.
    fn marks(&mut self) -> Option<Token> {
        let (inside, _) = self.rest().split_once(')')?;
        let marks = inside.trim();
        if marks.is_empty() || !marks.chars().all(|c| matches!(c, '!' | '?' | '*')) {
            return None;
        }
        let glyph = GLYPHS.into_iter().find(|glyph| *glyph == marks);
        self.used += inside.len() + 1;
        Some(Token::Glyph(glyph))
    }

    /// Skips the rest of an open variation with all its contents.
    pub(super) fn skip_variation(&mut self) -> Result<(), PdnError> {
        let line = self.line;
        let mut depth = 1;
        while let Some(first) = self.next_char()? {
            match first {
                '{' => {
                    self.read_to('{', '}')?;
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.used += first.len_utf8();
            if depth == 0 {
                return Ok(());
            }
        }
        Err(unclosed_variation(line))
    }

    /// Consumes the words up to a sign or the end of the line if none of them has a digit: text
    /// after the result of a game.
    pub(super) fn take_text(&mut self) -> Option<String> {
        let line = self.rest();
        let end = line.find(is_sign).unwrap_or(line.len());
        let text = &line[..end];
        let is_prose = |c: char| c.is_alphabetic() || c.is_whitespace() || ".,!?'-".contains(c);
        let is_text = text.contains(char::is_alphabetic) && text.chars().all(is_prose);
        let said = is_text.then(|| text.trim().to_owned())?;
        self.used += end;
        Some(said)
    }

    /// The next word, if it is on the same line.
    pub(super) fn word_ahead(&self) -> Option<&str> {
        self.rest().split_whitespace().next()
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || is_sign(c));
        let mut end = end.unwrap_or(rest.len());
        // A setup without a space before it.
        if let Some(at) = rest[..end].rfind('/')
            && rest[at + 1..]
                .get(..3)
                .is_some_and(|name| name.eq_ignore_ascii_case("FEN"))
        {
            end = at;
        }
        let end = end_of_move(&rest[..end]).unwrap_or(end);
        let word = rest[..end].to_owned();
        self.used += end;
        word
    }

    /// Parses a tag, which must be on one line. Quotes inside its value need not be escaped.
    fn tag(&mut self) -> Result<Token, PdnError> {
        let is_apart = std::mem::take(&mut self.is_apart);
        self.is_tag_apart = is_apart && self.text[..self.used].trim().is_empty();
        let rest = self.rest();
        let Some(((name, value), length)) = parse_tag(rest) else {
            let text = rest.trim_end().chars().take(60).collect();
            self.used = self.text.len();
            let line = self.line;
            return Err(PdnError::Tag { line, text });
        };
        self.used += length;
        Ok(Token::Tag {
            name,
            value,
            is_apart,
        })
    }
}

/// The fault of a variation that starts in this line.
pub(super) fn unclosed_variation(line: usize) -> PdnError {
    PdnError::Unclosed {
        line,
        opening: '(',
        closing: ')',
    }
}

/// The length of a move by numbers that text follows at once: `26-22White resigns`.
fn end_of_move(word: &str) -> Option<usize> {
    let is_move = |c: char| is_digit(c) || c == '.' || is_separator(c);
    let text = word.trim_start_matches(is_move);
    let mv = &word[..word.len() - text.len()];
    (mv.contains(is_separator) && mv.ends_with(is_digit) && is_text(text)).then_some(mv.len())
}

/// True if a text begins with more letters than any sign or square.
fn is_text(text: &str) -> bool {
    let letters = text.chars().take(3).filter(|c| c.is_alphabetic());
    letters.count() == 3
}

/// The last byte of text files of DOS.
const END_OF_FILE: u8 = 0x1a;

/// True for invisible characters: the byte order mark, spaces of no width, and the end of a
/// file of DOS.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}') || c == char::from(END_OF_FILE)
}

/// True for characters that end a word: signs around comments, variations and tags.
fn is_sign(c: char) -> bool {
    "{}()[];$".contains(c)
}

/// True for the line ends of other systems, which [`read_text_line`] does not know.
fn is_line_end(c: char) -> bool {
    matches!(c, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The name, the value and the length of the tag at the beginning of a text.
fn parse_tag(text: &str) -> Option<((String, String), usize)> {
    let inside = text.strip_prefix('[')?;
    if let Some((name, after)) = inside.split_once(']')
        && let Some(name) = known_tag(name.trim())
    {
        // A tag without a value.
        return Some(((name.to_owned(), String::new()), text.len() - after.len()));
    }
    let (name, quoted) = inside.split_once('"')?;
    let name = name.trim().trim_end_matches([':', '=']).trim_end();
    if name.is_empty() || !name.chars().all(is_of_name) {
        return None;
    }
    let (end, after) = quoted.match_indices('"').find_map(|(at, _)| {
        let after = quoted[at + 1..].trim_start().strip_prefix(']')?;
        let before = &quoted[..at];
        let n_backslashes = before.len() - before.trim_end_matches('\\').len();
        n_backslashes.is_multiple_of(2).then_some((at, after))
    })?;
    let value = unescaped(quoted[..end].trim());
    Some(((name.to_owned(), value), text.len() - after.len()))
}

/// True for the characters of tag names.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// A quoted text without the backslashes before quotes and backslashes.
fn unescaped(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(c) = rest.next() {
        let escaped = rest.next_if(|next| c == '\\' && matches!(next, '"' | '\\'));
        plain.push(escaped.unwrap_or(c));
    }
    plain
}
