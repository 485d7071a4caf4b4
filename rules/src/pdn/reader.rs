//! A stream of PDN as an iterator over games.

use std::io::BufRead;

use super::lexer::{Lexer, Token};
use super::{PdnError, PdnGame, PdnMove};

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
        let mut game = PdnGame {
            line: self.lexer.line(),
            ..PdnGame::default()
        };
        game.tags.extend(self.next_tag.take());
        while let Some(token) = self.lexer.next_token()? {
            if game.is_empty() {
                game.line = self.lexer.line();
            }
            match token {
                Token::Tag { name, value } => {
                    self.is_lost = false;
                    // Tags come before the moves, each once.
                    if !game.moves.is_empty() || game.tag(&name).is_some() {
                        self.next_tag = Some((name, value));
                        return Ok(game);
                    }
                    game.tags.push((name, value));
                }
                Token::Word(_) if self.is_lost => {}
                Token::Word(word) => {
                    if is_result(&word) {
                        game.end = Some(word);
                        return Ok(game);
                    }
                    let text = move_text(&word);
                    if !text.is_empty() {
                        let line = self.lexer.line();
                        game.moves.push(PdnMove {
                            text: text.to_owned(),
                            line,
                        });
                    }
                }
            }
        }
        self.is_done = true;
        Ok(game)
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

/// A word without move numbers and without marks such as `!`.
fn move_text(word: &str) -> &str {
    let mut text = word.trim_end_matches(['!', '?', '.', '+', '#']);
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    while let Some(rest) = text[digits(text)..].strip_prefix('.') {
        text = rest;
    }
    if digits(text) == text.len() { "" } else { text }
}
