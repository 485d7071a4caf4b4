//! Files of games, one game at a time.

mod filter;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use analyst::{SourceGame, rewritten};
use encoding::{TextEncoding, TextReader};
use rules::Variant;
use rules::pdn::{PdnError, PdnGame, PdnReader};
use serde::{Deserialize, Serialize};
use store::disk::File;
use store::{AtomicFile, StoreError};
use xxhash_rust::xxh3::Xxh3;

pub use self::filter::GameFilter;

use crate::check_is_new;
use run::{Result, RunError};

/// A fault in a file of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The message: the fault, its place, and how to fix it.
    pub what: String,
}

/// A game of a file, as far as it can be read.
#[derive(Clone, Debug)]
pub struct FileGame {
    /// The game; nothing if its text cannot be read, or does not say which game it is.
    pub game: Option<SourceGame>,
    /// Its faults. Its moves are those before the first one.
    pub faults: Vec<Fault>,
}

impl FileGame {
    /// Plays the moves of a text up to its first fault; `broken` is that of the text itself.
    pub fn new(mut text: PdnGame, broken: Option<&PdnError>, variant: Option<Variant>) -> FileGame {
        let variant = text.variant_or(variant);
        let played = match variant.and_then(|variant| text.play(variant)) {
            Ok(played) => played,
            Err(error) => {
                return FileGame {
                    game: None,
                    faults: vec![Fault::from(broken.unwrap_or(&error))],
                };
            }
        };
        // Where a position was set up between moves, the game begins there.
        text.moves.drain(..played.first);
        // Each move in full: an ambiguous one may need the moves after it to be read.
        let mut position = played.start;
        for (word, &mv) in text.moves.iter_mut().zip(&played.moves) {
            word.text = position.move_text(mv);
            position = position.play(mv);
        }
        let faults = played.fault.iter().chain(broken);
        FileGame {
            faults: faults.map(Fault::from).collect(),
            game: Some(SourceGame {
                text,
                start: played.start,
                moves: played.moves,
            }),
        }
    }
}

impl From<&PdnError> for Fault {
    fn from(error: &PdnError) -> Fault {
        let what = match error {
            PdnError::Io { source, .. } => format!("{error}: {source}"),
            _ => error.to_string(),
        };
        Fault { what }
    }
}

/// The fault of a game of a file. That of the file itself is an error: what follows it is missing.
pub(crate) fn fault_of_game(path: &Path, broken: Option<PdnError>) -> Result<Option<PdnError>> {
    match broken {
        Some(PdnError::Io { source, .. }) => Err(StoreError::io("read", path)(source).into()),
        broken => Ok(broken),
    }
}

/// The texts of the games of a file, in order, each with the fault that ends it, if any.
pub struct Texts {
    path: PathBuf,
    reader: PdnReader<TextReader<Box<dyn io::Read + Send>>>,
}

impl Texts {
    /// Opens a file; `-` is standard input. Its encoding is guessed unless it is stated.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path, encoding: Option<TextEncoding>) -> Result<Texts> {
        let input: Box<dyn io::Read + Send> = match path == Path::new("-") {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path).map_err(StoreError::io("read", path))?),
        };
        Ok(Texts::new(path, input, encoding))
    }

    /// Reads what comes; the path is for messages.
    pub(crate) fn new(
        path: &Path,
        input: Box<dyn io::Read + Send>,
        encoding: Option<TextEncoding>,
    ) -> Texts {
        Texts {
            path: path.to_owned(),
            reader: PdnReader::new(TextReader::new(input, encoding)),
        }
    }

    /// The encoding found so far, if it is not UTF-8, as a message for the user.
    pub fn notice(&self) -> Option<String> {
        let notice = self.reader.input().notice()?;
        Some(format!("{}: {notice}", self.path.display()))
    }

    /// The games of these texts. `variant` is the game of those that do not say.
    pub fn games(self, variant: Option<Variant>) -> impl Iterator<Item = FileGame> + Send {
        self.map(move |(text, fault)| FileGame::new(text, fault.as_ref(), variant))
    }
}

impl Iterator for Texts {
    type Item = (PdnGame, Option<PdnError>);

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.reader.next()? {
            Ok(text) => (text, None),
            Err(fault) => (self.reader.take_broken(), Some(fault)),
        })
    }
}

/// The error of a result that could not be printed.
pub fn output_error(source: io::Error) -> RunError {
    StoreError::io("write", Path::new("standard output"))(source).into()
}

/// A request about the games of several files.
#[derive(Clone, Debug)]
pub struct CollectionRequest {
    /// The files; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// The encoding of the files, if it is stated.
    pub encoding: Option<TextEncoding>,
    /// The game of those that do not say.
    pub usual: Option<Variant>,
    /// The games that are meant.
    pub filter: GameFilter,
    /// True if repeated games are left out.
    pub is_distinct: bool,
    /// True if every move is checked.
    pub is_checked: bool,
    /// The file to which the games are written.
    pub to: Option<PathBuf>,
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedGame {
    /// The file.
    pub file: String,
    /// Its number in the file, from 1.
    pub game: u64,
    /// The line where it begins.
    pub line: usize,
    /// The player of the white pieces.
    pub white: String,
    /// The player of the black pieces.
    pub black: String,
    /// `white`, `black`, `draw` or `ongoing`.
    pub result: &'static str,
    /// Its plies.
    pub plies: usize,
    /// The event.
    pub event: String,
    /// The date.
    pub date: String,
    /// Its faults, if moves were checked.
    pub faults: Vec<Fault>,
}

impl fmt::Display for ListedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (game, white, black) = (self.game, &self.white, &self.black);
        write!(
            f,
            "{game}. {white} - {black}  {}  {} plies",
            self.result, self.plies
        )?;
        let others = [&self.event, &self.date].into_iter();
        let mut others = others.filter(|text| !text.is_empty());
        others.try_for_each(|text| write!(f, "  {text}"))?;
        writeln!(f)?;
        let mut faults = self.faults.iter();
        faults.try_for_each(|fault| writeln!(f, "  {}: {}", self.file, fault.what))
    }
}

/// The numbers of games in a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CollectionSummary {
    /// Games that were read.
    pub games: u64,
    /// Games that were meant.
    pub listed: u64,
    /// Games that were met before.
    pub repeated: u64,
    /// Games with faults.
    pub faulty: u64,
    /// Games that cannot be read, so that nothing compares them with a filter or writes them.
    pub unreadable: u64,
    /// Games that were written up to a fault only.
    pub shortened: u64,
    /// The files whose encoding had to be guessed, as messages for the user.
    pub notices: Vec<String>,
}

impl fmt::Display for CollectionSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "games: {}, listed: {}", self.games, self.listed)?;
        for (what, n) in [
            ("repeated", self.repeated),
            ("with faults", self.faulty),
            ("unreadable", self.unreadable),
            ("written up to a fault", self.shortened),
        ] {
            if n > 0 {
                write!(f, ", {what}: {n}")?;
            }
        }
        writeln!(f)
    }
}

/// Lists the games of files, and writes them to another one. One game is in memory at a time;
/// finding repeated games takes eight bytes for each game.
///
/// # Errors
/// When a file cannot be read, `to` exists, or `each` fails.
pub fn list(
    request: &CollectionRequest,
    each: &mut dyn FnMut(&ListedGame) -> io::Result<()>,
) -> Result<CollectionSummary> {
    request.filter.check()?;
    let mut summary = CollectionSummary::default();
    let mut seen = HashSet::new();
    let mut to = None;
    if let Some(path) = &request.to {
        check_is_new(path)?;
        to = Some((path, AtomicFile::create(path)?));
    }
    let needs_moves = request.is_checked
        || request.is_distinct
        || request.to.is_some()
        || request.filter.needs_moves();
    for path in &request.files {
        let mut texts = Texts::open(path, request.encoding)?;
        for (index, (text, broken)) in texts.by_ref().enumerate() {
            let broken = fault_of_game(path, broken)?;
            summary.games += 1;
            if broken.is_none() && !request.filter.fits_text(&text) {
                continue;
            }
            let mut listed = ListedGame::new(path, index, &text);
            listed.faults.extend(broken.iter().map(Fault::from));
            if needs_moves {
                let FileGame { game, faults } = FileGame::new(text, broken.as_ref(), request.usual);
                listed.faults = faults;
                summary.unreadable += u64::from(game.is_none());
                if let Some(game) = &game {
                    if !request.filter.fits_moves(game) {
                        continue;
                    }
                    // Faulty games may differ where they cannot be read.
                    let is_known = request.is_distinct && listed.faults.is_empty();
                    if is_known && !seen.insert(fingerprint(game)) {
                        summary.repeated += 1;
                        continue;
                    }
                    if let Some((path, file)) = &mut to {
                        summary.shortened += u64::from(game.moves.len() < listed.plies);
                        let written = file.write_all(rewritten(game).as_bytes());
                        written.map_err(StoreError::io("write", path))?;
                    }
                }
            }
            summary.listed += 1;
            summary.faulty += u64::from(!listed.faults.is_empty());
            each(&listed).map_err(output_error)?;
        }
        summary.notices.extend(texts.notice());
    }
    if let Some((_, file)) = to {
        file.finish()?;
    }
    Ok(summary)
}

/// The start and the moves of a game as a number: two games that share it are the same.
fn fingerprint(game: &SourceGame) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(game.start.to_fen().as_bytes());
    hash.update(game.start.variant().name().as_bytes());
    let mut position = game.start;
    for mv in &game.moves {
        position = position.play(*mv);
        hash.update(&position.hash().to_le_bytes());
    }
    hash.digest()
}

impl ListedGame {
    fn new(path: &Path, index: usize, text: &PdnGame) -> ListedGame {
        let tag = |name| text.tag(name).unwrap_or_default().to_owned();
        ListedGame {
            file: path.display().to_string(),
            game: index as u64 + 1,
            line: text.line,
            white: tag("White"),
            black: tag("Black"),
            result: text.result().word(),
            plies: text.moves.len(),
            event: tag("Event"),
            date: tag("Date"),
            faults: Vec::new(),
        }
    }
}
