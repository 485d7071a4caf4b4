//! Draw rules, as a single list used everywhere.

use crate::DrawReason;

/// An inclusive range of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The minimum.
    pub least: usize,
    /// The maximum.
    pub most: usize,
}

impl Span {
    /// The range from `least` to `most`.
    pub const fn new(least: usize, most: usize) -> Span {
        Span { least, most }
    }

    /// The range that contains only `count`.
    pub const fn exactly(count: usize) -> Span {
        Span::new(count, count)
    }

    const fn has(self, count: usize) -> bool {
        self.least <= count && count <= self.most
    }
}

/// The pieces of one side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Army {
    /// The number of men.
    pub men: usize,
    /// The number of kings.
    pub kings: usize,
}

impl Army {
    /// The number of pieces.
    pub const fn n_pieces(self) -> usize {
        self.men + self.kings
    }
}

/// The pieces of one side in an ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// The number of kings.
    pub kings: Span,
    /// The number of pieces, kings and men.
    pub pieces: Span,
}

impl Side {
    /// Exactly `count` kings, and no men.
    pub const fn kings(count: usize) -> Side {
        Side {
            kings: Span::exactly(count),
            pieces: Span::exactly(count),
        }
    }

    /// From `least` to `most` pieces, a king among them.
    pub const fn with_king(least: usize, most: usize) -> Side {
        Side {
            kings: Span::new(1, most),
            pieces: Span::new(least, most),
        }
    }

    const fn has(self, army: Army) -> bool {
        self.kings.has(army.kings) && self.pieces.has(army.n_pieces())
    }
}

/// An ending with few pieces: one side, either color, has the first army and the opponent the
/// second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending(pub Side, pub Side);

impl Ending {
    /// True if these armies form such an ending.
    pub const fn covers(&self, a: Army, b: Army) -> bool {
        let Ending(first, second) = self;
        first.has(a) && second.has(b) || first.has(b) && second.has(a)
    }

    const fn most_pieces(&self) -> usize {
        self.0.pieces.most + self.1.pieces.most
    }

    /// True if either side may have men.
    const fn has_men(&self) -> bool {
        let Ending(first, second) = self;
        first.pieces.most > first.kings.least || second.pieces.most > second.kings.least
    }
}

/// A draw rule. Plies *without progress* are plies since the last capture or man move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawRule {
    /// Few pieces are left and there was no progress for some time.
    Ending {
        /// The pieces.
        ending: Ending,
        /// The number of plies without progress; 0 for an immediate draw.
        plies: u32,
        /// Exempts positions in which the side to move can capture.
        unless_capture: bool,
        /// The reason for the draw.
        reason: DrawReason,
    },
    /// The position has occurred this number of times with the same side to move.
    Repetition {
        /// The number of occurrences, including the current one.
        times: u32,
    },
    /// A number of consecutive plies without progress.
    NoProgress {
        /// The number of plies.
        plies: u32,
    },
}

impl DrawRule {
    /// The rule of a draw after some plies without progress in an ending.
    pub const fn ending(ending: Ending, plies: u32, reason: DrawReason) -> DrawRule {
        DrawRule::Ending {
            ending,
            plies,
            unless_capture: false,
            reason,
        }
    }

    pub(crate) const fn reason(&self) -> DrawReason {
        match self {
            DrawRule::Ending { reason, .. } => *reason,
            DrawRule::Repetition { .. } => DrawReason::Repetition,
            DrawRule::NoProgress { .. } => DrawReason::NoProgress,
        }
    }
}

/// The draw rules of a variant, and values derived from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draws {
    /// The rules; the first one that applies determines the reason.
    pub rules: &'static [DrawRule],
    /// The number of plies without progress after which any game is drawn.
    pub no_progress: u32,
    /// The number of occurrences of a position that makes a draw.
    pub repetition: u32,
    /// The maximum number of pieces in a rule about endings; 0 without such rules.
    pub(crate) largest_ending: u32,
    /// The minimum number of plies without progress in any rule.
    pub(crate) earliest: u32,
    /// True if a rule about endings allows men.
    pub(crate) endings_have_men: bool,
}

impl Draws {
    /// The rules, in the order in which they are checked.
    ///
    /// # Panics
    ///
    /// If there is no limit on plies without progress, because games could be infinite.
    pub const fn new(rules: &'static [DrawRule]) -> Draws {
        let mut draws = Draws {
            rules,
            no_progress: u32::MAX,
            repetition: u32::MAX,
            largest_ending: 0,
            earliest: u32::MAX,
            endings_have_men: false,
        };
        let mut at = 0;
        while at < rules.len() {
            match &rules[at] {
                DrawRule::Ending { ending, plies, .. } => draws.note_ending(ending, *plies),
                DrawRule::Repetition { times } => draws.repetition = *times,
                DrawRule::NoProgress { plies } => draws.no_progress = *plies,
            }
            at += 1;
        }
        assert!(
            draws.no_progress < u32::MAX,
            "draw rules need DrawRule::NoProgress"
        );
        if draws.no_progress < draws.earliest {
            draws.earliest = draws.no_progress;
        }
        draws
    }

    const fn note_ending(&mut self, ending: &Ending, plies: u32) {
        if ending.most_pieces() as u32 > self.largest_ending {
            self.largest_ending = ending.most_pieces() as u32;
        }
        if plies < self.earliest {
            self.earliest = plies;
        }
        self.endings_have_men |= ending.has_men();
    }

    /// The number of plies without progress after which a game with these armies is drawn. Endings
    /// that are drawn immediately have no limit of their own:
    /// [`Position::outcome`](crate::Position::outcome) detects them without a counter.
    pub fn limit(&self, a: Army, b: Army) -> u32 {
        let limit = |rule: &DrawRule| match rule {
            DrawRule::Ending { ending, plies, .. } if *plies > 0 && ending.covers(a, b) => {
                Some(*plies)
            }
            _ => None,
        };
        let limits = self.rules.iter().filter_map(limit);
        limits.fold(self.no_progress, u32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_has_men_where_a_side_has_more_pieces_than_kings() {
        let (one, two, mixed) = (Side::kings(1), Side::kings(2), Side::with_king(1, 2));
        assert!(Ending(one, mixed).has_men() && Ending(mixed, one).has_men());
        assert!(!Ending(one, two).has_men() && !Ending(two, one).has_men());
    }
}
