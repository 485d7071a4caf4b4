//! Drop-out expansion: the positions by which a book grows.
//!
//! After Lincke, *Strategies for the Automatic Construction of Opening Books* (2001). Players
//! leave a book by its best unknown moves. A position outside is the nearer, the fewer plies lead
//! to it and the less they lose: the nearest ones are searched and become part of the book. So good
//! lines become long, and answers to bad moves are known too, but short.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use rules::Position;

use crate::Book;
use crate::entry::Entry;
use crate::frame::Frame;

/// The loss that makes a line as unlikely as another ply: a fortieth of a point.
const PLY: u64 = 500;

/// A position, nearest first; among equally near ones the one that was found first.
type Near = Reverse<(u64, usize)>;

impl Book {
    /// The `n` positions to search next, nearest first; fewer if the book is complete. Values must
    /// be [settled](Book::settle). Positions with one legal move become part of the book.
    pub fn to_search(&mut self, n: usize) -> Vec<Position> {
        let mut found: Vec<Frame> = vec![self.root()];
        let mut heap: BinaryHeap<Near> = BinaryHeap::from([Reverse((0, 0))]);
        let mut seen = HashSet::new();
        let mut wanted = Vec::new();
        while wanted.len() < n
            && let Some(Reverse((distance, at))) = heap.pop()
        {
            let frame = found[at];
            if !seen.insert(frame.key()) {
                continue;
            }
            let legal = frame.position().legal_moves();
            let is_searched = self.entry_at(&frame).is_some_and(Entry::is_searched);
            match legal[..] {
                [] => continue,
                [forced] => {
                    self.entry(&frame).of(forced);
                }
                _ if !is_searched => {
                    wanted.push(*frame.position());
                    continue;
                }
                _ => {}
            }
            let Some(entry) = self.entry_at(&frame) else {
                continue;
            };
            for (loss, after) in self.ways(entry) {
                let ply = if legal.len() == 1 { 0 } else { PLY };
                heap.push(Reverse((distance + loss + ply, found.len())));
                found.push(after);
            }
        }
        wanted
    }

    /// The positions after the moves of a position, and the loss of each move. A move without a
    /// value is as bad as the worst one that has a value.
    fn ways<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = (u64, Frame)> + use<'a> {
        let values: Vec<_> = entry.moves.iter().map(|mv| self.value_of(mv)).collect();
        let known = values.iter().flatten().copied();
        let (best, worst) = (known.clone().max(), known.min());
        entry.moves.iter().zip(values).map(move |(mv, value)| {
            let loss = best
                .zip(value.or(worst))
                .map_or(0, |(best, value)| i32::from(best) - i32::from(value));
            (loss as u64, entry.after(mv.mv))
        })
    }
}
