//! The lines of a book.

use std::collections::HashSet;

use rules::Position;

use crate::{Book, FoundMove};

/// A line from the start to a position where the book ends or continues in an earlier line.
#[derive(Clone, Debug)]
pub struct BookLine {
    /// Its moves, as the book has them.
    pub moves: Vec<FoundMove>,
    /// The number of moves that the line before has too.
    pub shared: usize,
}

impl Book {
    /// All lines, the best one first. Every move of the book is in one line at least.
    pub fn lines(&self) -> impl Iterator<Item = BookLine> + use<'_> {
        let start = Position::start(self.variant());
        let mut seen = HashSet::from([self.root().key()]);
        let mut stack = vec![(start, self.moves(&start).into_iter())];
        let mut line: Vec<FoundMove> = Vec::new();
        let mut shared = 0;
        std::iter::from_fn(move || {
            loop {
                let (position, rest) = stack.last_mut()?;
                let Some(found) = rest.next() else {
                    stack.pop();
                    line.pop();
                    shared = shared.min(line.len());
                    continue;
                };
                line.push(found);
                let after = position.play(found.mv);
                let is_new = seen.insert(crate::Frame::of(&after).key());
                let next = if is_new {
                    self.moves(&after)
                } else {
                    Vec::new()
                };
                if next.is_empty() {
                    let whole = BookLine {
                        moves: line.clone(),
                        shared,
                    };
                    line.pop();
                    shared = line.len();
                    return Some(whole);
                }
                stack.push((after, next.into_iter()));
            }
        })
    }
}
