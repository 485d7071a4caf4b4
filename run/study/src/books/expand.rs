//! Expansion of a book by a player: see [`Book::to_search`].

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use book::{Book, MAX_POSITIONS, UNIT};
use engine::{MAX_LINES, Variation};
use roster::PlayerSpec;
use rules::{Game, Move, Position, Variant};
use store::{Hold, read_book, write_book};

use super::{BookSummary, needed};
use crate::analysis::{Analysts, Limit, Seats, pool, valueless};
use run::{RequestError, Result, RunError, StageProgress};

/// Positions that are chosen together. A book does not depend on the number of threads, and is
/// saved whenever all of them are searched.
const BATCH: usize = 32;

/// A book to expand.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The book; begun if there is none.
    pub file: PathBuf,
    /// The game of a new book, if the player plays several.
    pub variant: Option<Variant>,
    /// The player that searches; by default the strongest of the game.
    pub player: Option<PlayerSpec>,
    /// Nodes for each position; by default the player's usual number.
    pub nodes: Option<u64>,
    /// Searched positions of the finished book.
    pub positions: usize,
    /// Positions that are searched at a time.
    pub threads: usize,
}

/// A batch in progress.
struct Batch {
    positions: Vec<Position>,
    n_found: usize,
    jobs: Option<Sender<Position>>,
}

/// The result of a search.
type Found = Result<Vec<(Move, i16)>>;

/// Expands a book until it has as many searched positions as wanted, or until `stop`. The same
/// request continues; the finished book is the same, however often it was stopped. The answer
/// also says whether the book is finished.
///
/// # Errors
/// If the player cannot search, another one expanded the book, or the disk fails.
pub fn expand(
    request: &Expansion,
    on_progress: &mut dyn FnMut(&StageProgress),
    stop: &AtomicBool,
) -> Result<(BookSummary, bool)> {
    let limit = Limit::of(request.nodes, None);
    let analysts = Arc::new(Analysts::new(request.player.as_ref(), limit)?);
    let _hold = Hold::of(&request.file)?;
    let mut book = begin(request, &analysts)?;
    let total = request.positions.min(MAX_POSITIONS / 2);
    let mut stage = StageProgress::new("expanding", 0, total as u64, String::new());
    let (jobs, queue) = channel();
    let mut batch = Batch {
        positions: Vec::new(),
        n_found: 0,
        jobs: Some(jobs),
    };
    batch.begin(&mut book, total);
    let mut found = |values: Found| -> Result<()> {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Missing("stopped".to_owned()));
        }
        book.add_search(&batch.positions[batch.n_found], &values?);
        batch.n_found += 1;
        stage.done = book.searched() as u64;
        stage.note = format!("{} in the book", book.len());
        on_progress(&stage);
        if batch.n_found == batch.positions.len() {
            batch.begin(&mut book, total);
            write_book(&request.file, &book)?;
        }
        Ok(())
    };
    let seats = || searcher(Seats::new(Arc::clone(&analysts)));
    let expanded = pool::in_order(queue.into_iter(), request.threads, seats, &mut found);
    let is_stopped = expanded.is_err() && stop.load(Ordering::Relaxed);
    if is_stopped {
        // The unfinished batch is searched again.
        book = match request.file.exists() {
            true => read_book(&request.file)?,
            false => Book::new(book.variant()),
        };
    } else {
        expanded?;
    }
    Ok((BookSummary::new(&request.file, &book), !is_stopped))
}

/// The book to expand, with the name of the analyst.
fn begin(request: &Expansion, analysts: &Analysts) -> Result<Book> {
    let mut book = match request.file.exists() {
        true => read_book(&request.file)?,
        false => Book::new(needed(request.variant.or(analysts.only_game()))?),
    };
    let (variant, file) = (book.variant(), request.file.display());
    if let Some(asked) = request.variant.filter(|asked| *asked != variant) {
        return Err(RequestError(format!("{file} is for {variant}, not for {asked}")).into());
    }
    let name = analysts.name();
    if book.searched() == 0 {
        book.set_analyst(&name);
    }
    if !name.starts_with(book.analyst()) {
        return Err(RequestError(format!(
            "{file} was searched by {}, and values of {name} cannot be compared: use the same player and nodes, \
             or expand another book",
            book.analyst()
        ))
        .into());
    }
    Ok(book)
}

impl Batch {
    /// Chooses the next positions; none if the book is finished.
    fn begin(&mut self, book: &mut Book, total: usize) {
        let n = total.saturating_sub(book.searched()).min(BATCH);
        book.settle();
        self.positions = book.to_search(n);
        self.n_found = 0;
        if self.positions.is_empty() {
            self.jobs = None;
        }
        for position in &self.positions {
            // The other end is gone if the expansion has failed.
            let _ = self.jobs.as_ref().map(|jobs| jobs.send(*position));
        }
    }
}

fn searcher(mut seats: Seats) -> impl FnMut(Position) -> Found {
    move |position| {
        let findings = seats.analyze(&Game::new(position), MAX_LINES, None)?;
        let value = |variation: &Variation| {
            let value = variation.value?.value() * f32::from(UNIT);
            Some((*variation.moves.first()?, value.round() as i16))
        };
        let values: Vec<(Move, i16)> = findings.variations.iter().filter_map(value).collect();
        match values.is_empty() {
            false => Ok(values),
            true => Err(valueless().into()),
        }
    }
}
