//! Opening books: positions, the results and values of their moves, and the choice of a move.
//!
//! * [`Book::add_game`] counts the results of games; [`Book::add_search`] keeps values of searches.
//! * [`Book::to_search`] selects the positions with which a book grows best: drop-out expansion.
//! * [`Book::moves`] and [`Book::choose`] look a position up.
//! * [`Book::to_bytes`] and [`Book::from_bytes`] are the file, which contains no position: a reader
//!   plays every move from the start, so that all moves of a book that was read are legal.
//!
//! A position and the same one with colors swapped and the board rotated are one entry.
//!
//! ```
//! use book::Book;
//! use rules::pdn::PdnResult;
//! use rules::{Game, Position, Variant};
//!
//! let mut game = Game::new(Position::start(Variant::English));
//! let mv = game.position().parse_move("11-15").unwrap();
//! game.play(mv);
//! let mut book = Book::new(Variant::English);
//! book.add_game(&game, PdnResult::Drawn, 20);
//! let book = Book::from_bytes(&book.to_bytes())?;
//! let moves = book.moves(&Position::start(Variant::English));
//! assert_eq!((moves[0].mv, moves[0].tally.draws), (mv, 1));
//! # Ok::<(), book::BookError>(())
//! ```

mod bytes;
mod choice;
mod entry;
mod error;
mod expansion;
mod frame;
mod lines;

use std::collections::HashMap;

use rules::pdn::PdnResult;
use rules::{Color, Game, Move, Position, Variant};

pub use bytes::{MAGIC, MAX_BYTES, MAX_POSITIONS};
pub use entry::{FoundMove, Tally};
pub use error::BookError;
pub use lines::BookLine;

use entry::{BookMove, Entry};
use frame::Frame;

/// A value of 1, a certain win, in the units of [`Book::add_search`].
pub const UNIT: i16 = 10_000;

/// An opening book of one game.
#[derive(Clone, Debug)]
pub struct Book {
    variant: Variant,
    /// The player that searched and its effort; empty if nothing was searched.
    analyst: String,
    /// By [`Frame::key`].
    entries: HashMap<u64, Entry>,
}

impl Book {
    /// A book without moves.
    pub fn new(variant: Variant) -> Book {
        Book {
            variant,
            analyst: String::new(),
            entries: HashMap::new(),
        }
    }

    /// The game.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The player that searched and its effort; empty if nothing was searched.
    pub fn analyst(&self) -> &str {
        &self.analyst
    }

    /// Names the player that searches.
    pub fn set_analyst(&mut self, analyst: &str) {
        self.analyst = analyst.chars().take(bytes::MAX_ANALYST_CHARS).collect();
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is no position.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of positions that were searched.
    pub fn searched(&self) -> usize {
        let searched = self.entries.values().filter(|entry| entry.is_searched());
        searched.count()
    }

    /// Counts the first `plies` moves of a game from the usual start; other games are not counted,
    /// and the result is `false`.
    pub fn add_game(&mut self, game: &Game, result: PdnResult, plies: usize) -> bool {
        let mut position = *game.start();
        let frame = Frame::of(&position);
        if frame.key() != self.root().key() || position.variant() != self.variant {
            return false;
        }
        for &mv in game.moves().iter().take(plies) {
            let tally = Tally::of(result, position.turn());
            let frame = Frame::of(&position);
            let entry = self.entry(&frame);
            entry.of(frame.turn(mv)).tally.add(&tally);
            position = position.play(mv);
        }
        true
    }

    /// Keeps the values of moves of a position, found by a search, for the side to move. They
    /// replace earlier values.
    pub fn add_search(&mut self, position: &Position, values: &[(Move, i16)]) {
        let frame = Frame::of(position);
        let entry = self.entry(&frame);
        entry.moves.iter_mut().for_each(|mv| mv.searched = None);
        for &(mv, value) in values {
            entry.of(frame.turn(mv)).searched = Some(value.clamp(-UNIT, UNIT));
        }
    }

    /// Adds the games and the values of another book of the same game. Values of other searches
    /// than this book's are left out.
    pub fn merge(&mut self, other: &Book) {
        if self.analyst.is_empty() {
            self.analyst.clone_from(&other.analyst);
        }
        let takes_values = self.analyst == other.analyst;
        for (key, entry) in &other.entries {
            let own = self.entries.entry(*key);
            let own = own.or_insert_with(|| Entry::new(entry.position));
            for theirs in &entry.moves {
                let mv = own.of(theirs.mv);
                mv.tally.add(&theirs.tally);
                if takes_values {
                    mv.searched = mv.searched.or(theirs.searched);
                }
            }
        }
    }

    /// Leaves out moves that were played fewer than `games` times and have no value, and positions
    /// that are not reached without them.
    pub fn prune(&mut self, games: u32) {
        for entry in self.entries.values_mut() {
            let is_forced = entry.moves.len() == 1 && entry.moves[0].tally.games() == 0;
            let is_kept =
                |mv: &BookMove| is_forced || mv.searched.is_some() || mv.tally.games() >= games;
            entry.moves.retain(is_kept);
        }
        self.entries.retain(|_, entry| !entry.moves.is_empty());
        let reached = self.in_order();
        let mut kept = HashMap::with_capacity(reached.len());
        for key in reached {
            kept.extend(self.entries.remove_entry(&key));
        }
        self.entries = kept;
    }

    /// The moves of a position in the book, all legal, the best first; none out of the book.
    pub fn moves(&self, position: &Position) -> Vec<FoundMove> {
        let frame = Frame::of(position);
        let Some(entry) = self.entry_at(&frame) else {
            return Vec::new();
        };
        let legal = position.legal_moves();
        let mut moves: Vec<FoundMove> = entry
            .moves
            .iter()
            .map(|own| FoundMove {
                mv: frame.turn(own.mv),
                tally: own.tally,
                value: self.value_of(own),
            })
            .filter(|found| legal.contains(&found.mv))
            .collect();
        choice::sort(&mut moves);
        moves
    }

    /// Backs the values of searches up to the start. Values of moves are meaningful afterwards.
    pub fn settle(&mut self) {
        let order = self.in_order();
        for entry in self.entries.values_mut() {
            entry.value = None;
        }
        // Later positions come after earlier ones, except after transpositions: those need another
        // pass, and repetitions would need endlessly many.
        for _ in 0..MAX_PASSES {
            let mut is_settled = true;
            for key in order.iter().rev() {
                let Some(entry) = self.entries.get(key) else {
                    continue;
                };
                let values = entry.moves.iter().map(|mv| self.value_of(mv));
                let value = values.flatten().max();
                if value != entry.value {
                    is_settled = false;
                    if let Some(entry) = self.entries.get_mut(key) {
                        entry.value = value;
                    }
                }
            }
            if is_settled {
                break;
            }
        }
    }

    /// The value of a move: of the position after it, if that has one, otherwise of the search.
    fn value_of(&self, mv: &BookMove) -> Option<i16> {
        let after = self.entries.get(&mv.after);
        let settled = after.and_then(|after| after.value);
        settled.map(|value| -value).or(mv.searched)
    }

    fn root(&self) -> Frame {
        Frame::of(&Position::start(self.variant))
    }

    fn entry(&mut self, frame: &Frame) -> &mut Entry {
        let entry = self.entries.entry(frame.key());
        entry.or_insert_with(|| Entry::new(*frame.position()))
    }

    fn entry_at(&self, frame: &Frame) -> Option<&Entry> {
        let entry = self.entries.get(&frame.key());
        // Another game, or two positions with one hash.
        entry.filter(|entry| frame.is_of(&entry.position))
    }

    /// The keys of all positions that are reached from the start, breadth first.
    fn in_order(&self) -> Vec<u64> {
        let mut order = vec![self.root().key()];
        let mut seen: std::collections::HashSet<u64> = order.iter().copied().collect();
        order.retain(|key| self.entries.contains_key(key));
        let mut at = 0;
        while let Some(entry) = order.get(at).and_then(|key| self.entries.get(key)) {
            for mv in &entry.moves {
                if self.entries.contains_key(&mv.after) && seen.insert(mv.after) {
                    order.push(mv.after);
                }
            }
            at += 1;
        }
        order
    }
}

/// Passes over a book that back its values up, at most.
const MAX_PASSES: usize = 64;

impl Tally {
    /// A game with this result, from the view of a side.
    fn of(result: PdnResult, side: Color) -> Tally {
        let mut tally = Tally::default();
        let count = match result {
            PdnResult::Won(winner) if winner == side => &mut tally.wins,
            PdnResult::Won(_) => &mut tally.losses,
            PdnResult::Drawn => &mut tally.draws,
            PdnResult::Open => &mut tally.open,
        };
        *count = 1;
        tally
    }
}
