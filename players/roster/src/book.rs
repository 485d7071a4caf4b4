//! Players with an opening book.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use book::{Book, FoundMove};
use engine::{Analyzer, Choice, Findings, Player, PlayerError, Task, Turn};
use rules::{Game, Move, Variant};
use types::{Seed, Wdl};

use crate::options::Options;
use crate::{RequestError, Result};

/// Moves of a line from the book that are shown, at most.
const MAX_LINE: usize = 12;

/// The opening book of a player, and its use.
#[derive(Clone)]
pub(crate) struct OwnBook {
    book: Arc<Book>,
    /// The largest loss of a move that may be played, as a share of a point.
    margin: f32,
}

impl OwnBook {
    /// The book of a player of these games, if its options name one.
    pub(crate) fn read(options: &Options, games: &[Variant]) -> Result<Option<OwnBook>> {
        let Some(path) = &options.book else {
            return Ok(None);
        };
        let margin = options.variety.unwrap_or(0) as f32 / 100.0;
        let book = store::read_book(path)?;
        let variant = book.variant();
        if !games.contains(&variant) {
            let names: Vec<&str> = games.iter().map(|game| game.name()).collect();
            return Err(RequestError(format!(
                "book={}: the book is for {variant}, and the player plays {}",
                path.display(),
                names.join(", ")
            ))
            .into());
        }
        Ok(Some(OwnBook {
            book: Arc::new(book),
            margin,
        }))
    }

    /// True if the book is for this game.
    pub(crate) fn is_of(&self, variant: Variant) -> bool {
        self.book.variant() == variant
    }

    /// A move and the best moves of the book after it.
    fn line(&self, game: &Game, first: Move) -> Vec<Move> {
        let mut position = game.position().play(first);
        let mut line = vec![first];
        while line.len() < MAX_LINE
            && let Some(found) = self.book.moves(&position).first()
        {
            line.push(found.mv);
            position = position.play(found.mv);
        }
        line
    }
}

/// Plays from a book as long as it can.
pub(crate) struct Booked<P> {
    /// The book, if there is one.
    pub(crate) own: Option<OwnBook>,
    /// The player that searches.
    pub(crate) inner: P,
}

impl<P> Booked<P> {
    fn known(&self, game: &Game, seed: Seed) -> Option<FoundMove> {
        let own = self.own.as_ref()?;
        own.book.choose(game.position(), own.margin, seed)
    }
}

impl Player for Booked<Box<dyn Player>> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        self.choose_until(turns, choices, &AtomicBool::new(false))
    }

    /// Chooses from the book, and lets the player choose in all other games.
    fn choose_until(
        &mut self,
        turns: &[Turn<'_>],
        choices: &mut Vec<Choice>,
        stop: &AtomicBool,
    ) -> Result<(), PlayerError> {
        let known = turns.iter().map(|turn| self.known(turn.game, turn.seed));
        let known: Vec<Option<FoundMove>> = known.collect();
        let others = turns
            .iter()
            .zip(&known)
            .filter(|(_, found)| found.is_none());
        let others: Vec<Turn<'_>> = others.map(|(turn, _)| *turn).collect();
        let mut searched = Vec::new();
        let outcome = match others.is_empty() {
            true => Ok(()),
            false => self.inner.choose_until(&others, &mut searched, stop),
        };
        let mut searched = searched.into_iter();
        // After a forfeit, only the turns before it have choices.
        let merged = known.into_iter().map_while(|found| match found {
            Some(found) => Some(Choice::bare(found.mv)),
            None => searched.next(),
        });
        choices.clear();
        choices.extend(merged);
        outcome
    }

    fn use_clock(&mut self, clock: fn() -> Duration) {
        self.inner.use_clock(clock);
    }

    fn processor_time(&self) -> Option<Duration> {
        self.inner.processor_time()
    }
}

impl Analyzer for Booked<Box<dyn Analyzer>> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let limits = &task.stopper.limits;
        let is_move = limits.from_book && limits.lines == 1 && limits.compared.is_none();
        let found = is_move.then(|| self.known(task.game, task.seed)).flatten();
        let (Some(own), Some(found)) = (&self.own, found) else {
            return self.inner.analyze(task, report);
        };
        let mut findings = Findings::bare(found.mv);
        let best = &mut findings.variations[0];
        best.moves = own.line(task.game, found.mv);
        best.value = found.expected().map(|expected| Wdl {
            win: expected,
            draw: 0.0,
            loss: 1.0 - expected,
        });
        Ok(findings)
    }

    fn forget(&mut self, nodes: u64) {
        self.inner.forget(nodes);
    }
}
