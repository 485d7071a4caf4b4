//! Books from the games of runs and of files.

use std::path::{Path, PathBuf};

use book::{Book, MAX_POSITIONS};
use encoding::TextEncoding;
use rules::pdn::{PdnEnd, PdnResult};
use rules::{Game, Variant};
use run::config::RunFile;
use store::{RunDir, is_book, read_book, write_book};

use super::{BookSummary, needed};
use crate::check_is_new;
use crate::collection::{FileGame, Texts, fault_of_game};
use run::{RequestError, Result, StageProgress};

/// Games to make a book of.
#[derive(Clone, Debug)]
pub struct BookSources {
    /// Runs, PDN files and books; `-` is standard input.
    pub sources: Vec<PathBuf>,
    /// The game, if the sources do not say.
    pub variant: Option<Variant>,
    /// The encoding of files, if it is stated.
    pub encoding: Option<TextEncoding>,
    /// Plies of each game that are counted.
    pub plies: usize,
    /// The fewest games of a move in the book.
    pub min_games: u32,
}

/// The book while games are added.
struct Builder<'a> {
    sources: &'a BookSources,
    book: Option<Book>,
    stage: StageProgress,
    left_out: u64,
    /// Games of files with faults, and the first of these.
    faulty: u64,
    first_fault: Option<String>,
    notices: Vec<String>,
    on_progress: &'a mut dyn FnMut(&StageProgress),
}

/// Builds a book from games and other books, and writes it. Games of other kinds, from other starts
/// and without a legal move are left out. Also returns notices for the user.
///
/// # Errors
/// If a source cannot be read, the file exists, or the book would be too large.
pub fn build(
    sources: &BookSources,
    to: &Path,
    on_progress: &mut dyn FnMut(&StageProgress),
) -> Result<(BookSummary, Vec<String>)> {
    check_is_new(to)?;
    let mut builder = Builder {
        sources,
        book: sources.variant.map(Book::new),
        stage: StageProgress::new("reading games", 0, 0, String::new()),
        left_out: 0,
        faulty: 0,
        first_fault: None,
        notices: Vec::new(),
        on_progress,
    };
    for source in &sources.sources {
        let run = source.to_str().and_then(|text| text.strip_prefix("run:"));
        match run.map_or(source.as_path(), Path::new) {
            dir if dir.is_dir() => builder.add_run(dir)?,
            file if is_book(file) => builder.merge(file)?,
            file => builder.add_file(file)?,
        }
    }
    let mut book = builder
        .book
        .map_or_else(|| needed(None).map(Book::new), Ok)?;
    book.prune(sources.min_games);
    if book.is_empty() {
        let min = sources.min_games;
        return Err(RequestError(format!(
            "the book would be empty: no move was played in {min} games; use more games or --min-games 1"
        ))
        .into());
    }
    write_book(to, &book)?;
    let mut notices = builder.notices;
    if builder.left_out > 0 {
        notices.push(format!(
            "games left out: {} (of other kinds, from other starts, or not readable)",
            builder.left_out
        ));
    }
    if let Some(first) = builder.first_fault {
        notices.push(format!(
            "games with faults, counted up to them: {} (the first: {first})",
            builder.faulty
        ));
    }
    Ok((BookSummary::new(to, &book), notices))
}

impl Builder<'_> {
    fn add_run(&mut self, dir: &Path) -> Result<()> {
        let run = RunDir::open(dir)?;
        let variant = RunFile::read(&run)?.variant;
        let games = run.games(variant);
        for generation in games.generations()? {
            for record in games.read(generation)?.records {
                let mut game = Game::new(record.start);
                let first = record.plies.iter().take(self.sources.plies);
                first.for_each(|ply| game.play(ply.mv));
                self.add(&game, PdnEnd::from(record.result).result)?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let mut texts = Texts::open(path, self.sources.encoding)?;
        // The notice is complete when everything is read.
        for (text, broken) in texts.by_ref() {
            let broken = fault_of_game(path, broken)?;
            let read = FileGame::new(text, broken.as_ref(), self.sources.variant);
            if let Some(fault) = read.faults.first() {
                self.faulty += 1;
                self.first_fault
                    .get_or_insert_with(|| format!("{}: {}", path.display(), fault.what));
            }
            let Some(source) = read.game else {
                self.left_out += 1;
                continue;
            };
            let mut game = Game::new(source.start);
            let first = source.moves.iter().take(self.sources.plies);
            first.for_each(|mv| game.play(*mv));
            self.add(&game, source.text.result())?;
        }
        self.notices.extend(texts.notice());
        Ok(())
    }

    fn merge(&mut self, path: &Path) -> Result<()> {
        let other = read_book(path)?;
        let variant = other.variant();
        let book = self.book.get_or_insert_with(|| Book::new(variant));
        if book.variant() != variant {
            return Err(RequestError(format!(
                "{} is for {variant}: the other sources are for {}",
                path.display(),
                book.variant()
            ))
            .into());
        }
        book.merge(&other);
        Ok(())
    }

    fn add(&mut self, game: &Game, result: PdnResult) -> Result<()> {
        let variant = game.start().variant();
        let book = self.book.get_or_insert_with(|| Book::new(variant));
        if !book.add_game(game, result, self.sources.plies) {
            self.left_out += 1;
        }
        if book.len() > MAX_POSITIONS {
            return Err(RequestError(format!(
                "the games have more than {MAX_POSITIONS} positions: count fewer moves of each with --plies {}",
                self.sources.plies / 2
            ))
            .into());
        }
        self.stage.done += 1;
        (self.on_progress)(&self.stage);
        Ok(())
    }
}
