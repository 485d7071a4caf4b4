//! Positions of a book and their moves.

use rules::{Move, Position};

use crate::frame::Frame;

/// Games in which a move was played, by their results for the side that played it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// Games without a result.
    pub open: u32,
}

impl Tally {
    /// The number of games.
    pub fn games(&self) -> u32 {
        let others = [self.draws, self.losses, self.open];
        others.into_iter().fold(self.wins, u32::saturating_add)
    }

    /// The points of the side that moved, and the number of games with a result.
    pub(crate) fn points(&self) -> (f64, f64) {
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(f64::from);
        (wins + 0.5 * draws, wins + draws + losses)
    }

    /// The mean score of the side that moved, from 0 to 1; `None` without results.
    pub fn score(&self) -> Option<f32> {
        let (points, finished) = self.points();
        (finished > 0.0).then(|| (points / finished) as f32)
    }

    pub(crate) fn add(&mut self, other: &Tally) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
        self.open = self.open.saturating_add(other.open);
    }
}

/// A move of a position that was looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundMove {
    /// A legal move.
    pub mv: Move,
    /// The games in which it was played.
    pub tally: Tally,
    /// The value of the searches, backed up, for the side that moves, in [`UNIT`](crate::UNIT)s.
    pub value: Option<i16>,
}

impl FoundMove {
    /// The expected score of the side that moves, from 0 to 1, by the searches.
    pub fn expected(&self) -> Option<f32> {
        let value = self.value?;
        Some((1.0 + f32::from(value) / f32::from(crate::UNIT)) / 2.0)
    }
}

/// A move in the frame of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BookMove {
    pub(crate) mv: Move,
    /// The key of the position after it.
    pub(crate) after: u64,
    pub(crate) tally: Tally,
    /// Its value in a search of the position before it.
    pub(crate) searched: Option<i16>,
}

/// A position of a book.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// In its frame.
    pub(crate) position: Position,
    /// In canonical order.
    pub(crate) moves: Vec<BookMove>,
    /// The value that was backed up.
    pub(crate) value: Option<i16>,
}

impl Entry {
    pub(crate) fn new(position: Position) -> Entry {
        Entry {
            position,
            moves: Vec::new(),
            value: None,
        }
    }

    /// True if a search has valued moves of this position.
    pub(crate) fn is_searched(&self) -> bool {
        self.moves.iter().any(|mv| mv.searched.is_some())
    }

    /// The entry of a move, which is created if it is missing.
    pub(crate) fn of(&mut self, mv: Move) -> &mut BookMove {
        let rank = |mv: &Move| (mv.from, mv.to);
        let place = |own: &BookMove| {
            let places = rank(&own.mv).cmp(&rank(&mv));
            places.then_with(|| own.mv.captured.iter().cmp(mv.captured))
        };
        let at = match self.moves.binary_search_by(place) {
            Ok(at) => return &mut self.moves[at],
            Err(at) => at,
        };
        let new = self.new_move(mv);
        self.moves.insert(at, new);
        &mut self.moves[at]
    }

    /// A move without games and without a value.
    pub(crate) fn new_move(&self, mv: Move) -> BookMove {
        BookMove {
            mv,
            after: self.after(mv).key(),
            tally: Tally::default(),
            searched: None,
        }
    }

    /// The position after a move.
    pub(crate) fn after(&self, mv: Move) -> Frame {
        Frame::of(&self.position.play(mv))
    }
}
