//! A stream of PDN as an iterator over games.

use std::io::BufRead;

use super::lexer::{Lexer, Token};
use super::{GLYPHS, MAX_MOVES, MAX_TAGS, PdnError, PdnGame, PdnMove};

/// Reads games one by one. After an error it goes on with the next game.
///
/// ```
/// use rules::pdn::PdnReader;
///
/// let text = "[GameType \"21\"] 1. 11-15 {the old fourteenth} 23-19 *";
/// for game in PdnReader::new(text.as_bytes()) {
///     let game = game?;
///     let (_, moves) = game.replay(game.variant()?)?;
///     assert_eq!(moves.len(), 2);
/// }
/// # Ok::<(), rules::pdn::PdnError>(())
/// ```
pub struct PdnReader<R> {
    lexer: Lexer<R>,
    /// The first tag of the next game, which ended the last one.
    next_tag: Option<(String, String)>,
    /// An error was reported: words up to the next tag belong to the broken game.
    is_lost: bool,
    is_done: bool,
}

/// Variations in variations that are kept; deeper ones are passed over.
const MAX_DEPTH: usize = 16;

impl<R: BufRead> PdnReader<R> {
    /// Reads from a stream, such as a buffered file or the bytes of a text.
    pub fn new(input: R) -> PdnReader<R> {
        PdnReader {
            lexer: Lexer::new(input),
            next_tag: None,
            is_lost: false,
            is_done: false,
        }
    }

    /// The next game; an empty one at the end of the stream.
    fn read_game(&mut self) -> Result<PdnGame, PdnError> {
        self.lexer.begin_game();
        let mut n_moves = 0;
        let mut game = PdnGame {
            line: self.lexer.line(),
            ..PdnGame::default()
        };
        if let Some(tag) = self.next_tag.take() {
            self.is_lost = false;
            game.tags.push(tag);
        }
        // The variations that have begun: the line of the sign, and the moves so far.
        let mut open: Vec<(usize, Vec<PdnMove>)> = Vec::new();
        while let Some(token) = self.lexer.next_token()? {
            if game.is_empty() {
                game.line = self.lexer.line();
            }
            let line = self.lexer.line();
            match token {
                Token::Tag { name, value } => {
                    self.is_lost = false;
                    if let Some((line, _)) = open.first() {
                        self.next_tag = Some((name, value));
                        return Err(unclosed(*line));
                    }
                    // Tags come before the moves, each once.
                    if !game.moves.is_empty() || game.tag(&name).is_some() {
                        self.next_tag = Some((name, value));
                        return Ok(game);
                    }
                    check_count(game.tags.len(), MAX_TAGS, "tags", line)?;
                    game.tags.push((name, value));
                }
                _ if self.is_lost => {}
                Token::Word(word) if is_result(&word) => {
                    if open.is_empty() {
                        game.end = Some(word);
                        return Ok(game);
                    }
                }
                Token::Word(word) => {
                    let (text, glyph) = move_text(&word);
                    if !text.is_empty() {
                        check_count(n_moves, MAX_MOVES, "moves", line)?;
                        n_moves += 1;
                        current(&mut game, &mut open).push(PdnMove::new(text, glyph, line));
                    }
                }
                Token::Comment(text) => {
                    let is_first = open.is_empty();
                    match current(&mut game, &mut open).last_mut() {
                        Some(mv) => join(&mut mv.comment, &text),
                        None if is_first => join(&mut game.comment, &text),
                        None => {}
                    }
                }
                Token::Glyph(number) => {
                    let glyph = GLYPHS.get(usize::from(number).wrapping_sub(1));
                    if let (Some(glyph), Some(mv)) =
                        (glyph, current(&mut game, &mut open).last_mut())
                    {
                        mv.glyph = (*glyph).to_owned();
                    }
                }
                Token::Open if open.len() == MAX_DEPTH => self.lexer.skip_variation()?,
                Token::Open => open.push((line, Vec::new())),
                Token::Close => {
                    if let Some((_, moves)) = open.pop()
                        && let Some(mv) = current(&mut game, &mut open).last_mut()
                        && !moves.is_empty()
                    {
                        mv.variations.push(moves);
                    }
                }
            }
        }
        self.is_done = true;
        match open.first() {
            Some((line, _)) => Err(unclosed(*line)),
            None => Ok(game),
        }
    }
}

/// The moves of the innermost variation, or of the game.
fn current<'a>(
    game: &'a mut PdnGame,
    open: &'a mut [(usize, Vec<PdnMove>)],
) -> &'a mut Vec<PdnMove> {
    match open.last_mut() {
        Some((_, moves)) => moves,
        None => &mut game.moves,
    }
}

fn join(comment: &mut String, more: &str) {
    if !comment.is_empty() && !more.is_empty() {
        comment.push(' ');
    }
    comment.push_str(more);
}

/// Refuses one more of what there are `count` of already.
fn check_count(
    count: usize,
    limit: usize,
    what: &'static str,
    line: usize,
) -> Result<(), PdnError> {
    match count < limit {
        true => Ok(()),
        false => Err(PdnError::TooLarge { line, limit, what }),
    }
}

fn unclosed(line: usize) -> PdnError {
    PdnError::Unclosed {
        line,
        opening: '(',
        closing: ')',
    }
}

impl<R: BufRead> Iterator for PdnReader<R> {
    type Item = Result<PdnGame, PdnError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_done {
            match self.read_game() {
                // A second result, or nothing at all.
                Ok(game) if game.is_empty() => {}
                Ok(game) => return Some(Ok(game)),
                Err(error) => {
                    self.is_lost = true;
                    self.is_done = matches!(error, PdnError::Io { .. });
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// Whether a word ends a game. None of these could be a move: there is no square 0.
fn is_result(word: &str) -> bool {
    matches!(
        word,
        "*" | "1-0" | "0-1" | "1/2-1/2" | "2-0" | "0-2" | "1-1" | "0-0"
    )
}

/// A word without move numbers, and the mark after it, such as `!`.
fn move_text(word: &str) -> (&str, &'static str) {
    let mut text = word.trim_end_matches(['!', '?', '.', '+', '#']);
    let mark = word[text.len()..].trim_matches(['.', '+', '#']);
    let glyph = GLYPHS.into_iter().find(|glyph| *glyph == mark);
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    while let Some(rest) = text[digits(text)..].strip_prefix('.') {
        text = rest;
    }
    let text = if digits(text) == text.len() { "" } else { text };
    (text, glyph.unwrap_or_default())
}
