//! A stream of PDN as an iterator over games.

use std::collections::VecDeque;
use std::io::BufRead;
use std::mem;

use super::game::{PdnSetup, is_decisive, is_of_position, is_player};
use super::lexer::{Lexer, Token, unclosed_variation};
use super::words::{self, Word, push_text};
use super::{MAX_MOVES, MAX_TAGS, PdnError, PdnGame, PdnMove};

/// Reads games one by one. After an error it continues with the next game.
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
pub struct PdnReader<R: ?Sized> {
    /// Tags already read that belong to the next game: their lines, names and values.
    tags: VecDeque<(usize, String, String)>,
    /// The token after these tags.
    ahead: Option<Token>,
    /// The game being read.
    game: PdnGame,
    /// True after an error: words up to the next tag belong to the broken game.
    is_lost: bool,
    /// The first invalid tag of the game; it does not end the game.
    bad_tag: Option<PdnError>,
    /// The same of the tags already read that belong to the next game.
    next_bad_tag: Option<PdnError>,
    is_done: bool,
    lexer: Lexer<R>,
}

/// The maximum depth of nested variations; deeper ones are skipped.
const MAX_DEPTH: usize = 16;

/// The state of reading a game's moves.
#[derive(Default)]
struct Body {
    n_moves: usize,
    /// The open variations: the line of the sign, and the moves so far.
    open: Vec<(usize, Vec<PdnMove>)>,
    /// A word that the next one may complete, and its line.
    held: Option<(String, usize)>,
    /// A position to set up before the next move.
    setup: Option<PdnSetup>,
    /// The number of the last move.
    number: Option<usize>,
    /// True if the last word was a number without a dot.
    is_numbered: bool,
    /// A result in parentheses after the last move.
    aside: Option<String>,
}

impl<R: BufRead> PdnReader<R> {
    /// Reads from a stream, such as a buffered file or the bytes of a text.
    pub fn new(input: R) -> PdnReader<R> {
        PdnReader {
            tags: VecDeque::new(),
            ahead: None,
            game: PdnGame::default(),
            is_lost: false,
            bad_tag: None,
            next_bad_tag: None,
            is_done: false,
            lexer: Lexer::new(input),
        }
    }

    /// The stream.
    pub fn input(&self) -> &R {
        &self.lexer.input
    }

    /// The game of the last error, up to it.
    pub fn take_broken(&mut self) -> PdnGame {
        mem::take(&mut self.game)
    }
}

/// Compiled once, for streams of any kind.
impl PdnReader<dyn BufRead + '_> {
    /// The next game with moves, tags or text; `None` at the end of the stream.
    fn next_game(&mut self) -> Option<Result<PdnGame, PdnError>> {
        while !self.is_done || !self.tags.is_empty() || self.ahead.is_some() {
            match self.read_game() {
                // A second result, or an empty text.
                Ok(()) if self.game.is_empty() => {}
                Ok(()) => return Some(Ok(mem::take(&mut self.game))),
                Err(error) => {
                    self.is_lost = true;
                    self.is_done |= matches!(error, PdnError::Io { .. });
                    return Some(Err(error));
                }
            }
        }
        None
    }

    /// Reads the next game into `self.game`; an empty one at the end of the stream.
    fn read_game(&mut self) -> Result<(), PdnError> {
        self.lexer.begin_game();
        self.game = PdnGame {
            line: self.lexer.line,
            ..PdnGame::default()
        };
        self.bad_tag = self.next_bad_tag.take();
        let mut body = Body::default();
        let read = self.read_body(&mut body);
        let held = match body.held.take() {
            Some((held, line)) => self.add_word(&mut body, &held, line).map(drop),
            None => Ok(()),
        };
        let finished = read.and(match body.open.first() {
            Some((line, _)) => Err(unclosed_variation(*line)),
            None => held,
        });
        self.game.setup = self.game.setup.take().or(body.setup);
        self.game.end = self.game.end.take().or(body.aside);
        finished?;
        if let Some(bad_tag) = self.bad_tag.take() {
            // Without their position the moves mean nothing.
            if matches!(&bad_tag, PdnError::Tag { text, .. } if is_of_position(text)) {
                self.game.moves.clear();
            }
            return Err(bad_tag);
        }
        words::end_by_tag(&mut self.game);
        self.game.check_tags()
    }

    fn read_body(&mut self, body: &mut Body) -> Result<(), PdnError> {
        if !self.tags.is_empty() {
            self.is_lost = false;
            self.take_tags()?;
        }
        loop {
            // Tags come before the moves.
            let ends = !self.game.moves.is_empty() || body.held.is_some() || !body.open.is_empty();
            let next = match self.ahead.take() {
                Some(token) => Ok(Some(token)),
                None => self.lexer.next_token(),
            };
            let mut token = match next {
                Ok(Some(token)) => token,
                Ok(None) => break,
                Err(bad_tag @ PdnError::Tag { .. }) if !ends && !self.is_lost => {
                    self.bad_tag.get_or_insert(bad_tag);
                    continue;
                }
                Err(bad_tag @ PdnError::Tag { .. }) if self.lexer.is_tag_apart => {
                    self.is_lost = false;
                    self.next_bad_tag.get_or_insert(bad_tag);
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let mut line = self.lexer.line;
            if let Token::Tag { .. } = token {
                if !self.gather_tags(token, ends)? {
                    return Ok(());
                }
                continue;
            }
            if self.is_lost {
                continue;
            }
            if self.game.is_empty() && body.held.is_none() {
                self.game.line = line;
            }
            if let Some((held, held_line)) = body.held.take() {
                let joined = match &token {
                    Token::Word(word) => words::join(&held, word),
                    _ => None,
                };
                if let Some(joined) = joined {
                    (token, line) = (Token::Word(joined), held_line);
                } else if self.add_word(body, &held, held_line)? {
                    self.ahead = Some(token);
                    return Ok(());
                }
            }
            match token {
                Token::Word(word) if words::is_complete(&word) => {
                    if self.add_word(body, &word, line)? {
                        self.add_last_words();
                        return Ok(());
                    }
                }
                Token::Word(word) => body.held = Some((word, line)),
                sign => self.add_sign(body, sign, line)?,
            }
        }
        self.is_done = true;
        Ok(())
    }

    /// Reads the tags from this one up to a blank line or another token. Returns false if they
    /// belong to the next game: they come after moves, or after a blank line and repeat a tag, or
    /// name both players again.
    fn gather_tags(&mut self, first: Token, ends: bool) -> Result<bool, PdnError> {
        let was_lost = mem::take(&mut self.is_lost);
        let mut next = Ok(Some(first));
        let mut is_block_apart = None;
        let mut bad_tag = None;
        loop {
            match next {
                Ok(Some(Token::Tag {
                    name,
                    value,
                    is_apart,
                })) if is_block_apart.is_none() || !is_apart => {
                    is_block_apart.get_or_insert(is_apart);
                    let line = self.lexer.line;
                    check_count(self.tags.len(), MAX_TAGS, "tags", line)?;
                    self.tags.push_back((line, name, value));
                }
                Ok(other) => {
                    self.ahead = other;
                    break;
                }
                Err(error @ PdnError::Tag { .. }) => drop(bad_tag.get_or_insert(error)),
                Err(error) => {
                    self.take_tags()?;
                    return Err(error);
                }
            }
            next = self.lexer.next_token();
        }
        let is_next = ends
            || was_lost && !self.game.is_empty()
            || is_block_apart == Some(true) && self.repeats_tags();
        if !is_next {
            self.take_tags()?;
        }
        let is_same = !is_next && self.tags.is_empty();
        let place = if is_same {
            &mut self.bad_tag
        } else {
            &mut self.next_bad_tag
        };
        *place = place.take().or(bad_tag);
        Ok(is_same)
    }

    /// True if the tags after a blank line repeat some of the game. A block without players that
    /// repeats only what a game may have twice belongs to the players before it.
    fn repeats_tags(&self) -> bool {
        let names = || self.tags.iter().map(|(_, name, _)| name.as_str());
        let repeats = |name: &str| self.game.tag(name).is_some();
        let has_players = self.game.tag("White").is_some() || self.game.tag("Black").is_some();
        match has_players && !names().any(is_player) {
            true => names().any(|name| is_decisive(name) && repeats(name)),
            false => names().any(repeats),
        }
    }

    /// Moves the tags read into the game, up to the one from which both players are named again.
    fn take_tags(&mut self) -> Result<(), PdnError> {
        while let Some((line, name, _)) = self.tags.front() {
            let is_named = |player: &str| {
                let is_it = |(_, name, _): &(usize, String, String)| {
                    name.eq_ignore_ascii_case(player)
                        || player == "Black" && name.eq_ignore_ascii_case("Red")
                };
                self.game.tag(player).is_some() && self.tags.iter().any(is_it)
            };
            if self.game.tag(name).is_some() && is_named("White") && is_named("Black") {
                return Ok(());
            }
            check_count(self.game.tags.len(), MAX_TAGS, "tags", *line)?;
            if self.game.is_empty() {
                self.game.line = *line;
            }
            if let Some((_, name, value)) = self.tags.pop_front() {
                self.game.add_tag(name, value);
            }
        }
        Ok(())
    }

    /// Adds a word to the moves; returns true if it ends the game.
    fn add_word(&mut self, body: &mut Body, word: &str, line: usize) -> Result<bool, PdnError> {
        let is_bare = word.bytes().all(|byte| byte.is_ascii_digit());
        let was_numbered = mem::replace(&mut body.is_numbered, is_bare);
        match words::read(word, body.number) {
            // Two numbers are not a move number: a separator may be missing between them.
            Word::Number(_) if is_bare && was_numbered => {
                let mv = PdnMove::new(word, "", line);
                current(&mut self.game, &mut body.open).push(mv);
            }
            Word::End(end) if !body.open.is_empty() => {
                let [(_, moves)] = &body.open[..] else {
                    return Ok(false);
                };
                if moves.is_empty() && end != "*" {
                    body.aside = Some(end);
                }
            }
            // A star with a space before it, for the only move.
            Word::End(end) if end == "*" && self.continues(body) => {}
            Word::End(end) => {
                self.game.end = Some(end);
                return Ok(true);
            }
            Word::Number(number) => body.number = Some(number),
            Word::Mark(glyph) => self.mark(body, glyph),
            Word::Move {
                number,
                text,
                glyph,
            } => {
                body.number = number.or(body.number);
                check_count(body.n_moves, MAX_MOVES, "moves", line)?;
                body.n_moves += 1;
                if body.open.is_empty() {
                    body.aside = None;
                }
                let moves = current(&mut self.game, &mut body.open);
                if let (Some(last), None) = (moves.last_mut(), &body.setup)
                    && let Some(joined) = words::join_jumps(&last.text, text)
                {
                    last.text = joined;
                    let glyph = Some(glyph).filter(|glyph| !glyph.is_empty());
                    self.mark(body, glyph);
                    return Ok(false);
                }
                let mut mv = PdnMove::new(text, glyph, line);
                mv.setup = body.setup.take();
                moves.push(mv);
            }
        }
        Ok(false)
    }

    /// True if a move or the result of this game follows on the line.
    fn continues(&self, body: &Body) -> bool {
        let Some(word) = self.lexer.word_ahead().filter(|_| body.n_moves > 0) else {
            return false;
        };
        match words::read(word, None) {
            Word::Number(number)
            | Word::Move {
                number: Some(number),
                ..
            } => {
                // `1.` again begins the next game; `1...` does not.
                let is_reply = word.contains("..") || word.contains('…');
                body.number.map(|last| last + usize::from(!is_reply)) == Some(number)
            }
            // Without numbers it may be the first move of the next game.
            Word::Move { text, .. } => {
                body.number.is_some() && text.starts_with(|c: char| c.is_alphanumeric())
            }
            Word::End(_) => true,
            Word::Mark(_) => false,
        }
    }

    /// Adds the text after the result on its line, such as `agreed`, to the last comment.
    fn add_last_words(&mut self) {
        if let Some(text) = self.lexer.take_text() {
            let last = self.game.moves.last_mut().map(|mv| &mut mv.comment);
            push_text(last.unwrap_or(&mut self.game.comment), &text);
        }
    }

    fn add_sign(&mut self, body: &mut Body, token: Token, line: usize) -> Result<(), PdnError> {
        let is_main = body.open.is_empty();
        match token {
            Token::Comment(text) => {
                let (data, text) = words::commands(&text);
                match current(&mut self.game, &mut body.open).last_mut() {
                    Some(mv) => {
                        push_text(&mut mv.comment, &text);
                        mv.data.extend(data);
                    }
                    None if is_main => push_text(&mut self.game.comment, &text),
                    None => {}
                }
            }
            Token::Glyph(glyph) => self.mark(body, glyph),
            Token::Setup(text) => body.setup = Some(PdnSetup { text, line }),
            Token::Open if body.open.len() == MAX_DEPTH => self.lexer.skip_variation()?,
            Token::Open => body.open.push((line, Vec::new())),
            Token::Close => {
                if let Some((_, moves)) = body.open.pop()
                    && let Some(mv) = current(&mut self.game, &mut body.open).last_mut()
                    && !moves.is_empty()
                {
                    mv.variations.push(moves);
                }
            }
            Token::Tag { .. } | Token::Word(_) => {}
        }
        Ok(())
    }

    fn mark(&mut self, body: &mut Body, glyph: Option<&str>) {
        if let (Some(glyph), Some(mv)) = (glyph, current(&mut self.game, &mut body.open).last_mut())
        {
            mv.glyph = glyph.to_owned();
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

/// Checks that `count` is below its limit.
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

impl<R: BufRead> Iterator for PdnReader<R> {
    type Item = Result<PdnGame, PdnError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader: &mut PdnReader<dyn BufRead + '_> = self;
        reader.next_game()
    }
}
