//! Draw rules, as a single list used everywhere.

use crate::{Bitboard, DrawReason};

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
    /// The army of a side with these pieces; `kings` may include the opponent's.
    pub(crate) fn of(pieces: Bitboard, kings: Bitboard) -> Army {
        Army {
            men: (pieces & !kings).count() as usize,
            kings: (pieces & kings).count() as usize,
        }
    }

    /// The number of pieces.
    pub const fn n_pieces(self) -> usize {
        self.men + self.kings
    }
}

/// The pieces of one side in an ending, at least one king among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// The number of pieces, kings and men.
    pub pieces: Span,
    /// True if men may be among them.
    pub men: bool,
}

impl Side {
    /// Exactly `count` kings, and no men.
    pub const fn kings(count: usize) -> Side {
        Side::only_kings(count, count)
    }

    /// From `least` to `most` kings, and no men.
    pub const fn only_kings(least: usize, most: usize) -> Side {
        Side {
            pieces: Span::new(least, most),
            men: false,
        }
    }

    /// From `least` to `most` pieces, a king among them.
    pub const fn with_king(least: usize, most: usize) -> Side {
        Side {
            pieces: Span::new(least, most),
            men: most > 1,
        }
    }

    const fn has(self, army: Army) -> bool {
        army.kings > 0 && self.pieces.has(army.n_pieces()) && (self.men || army.men == 0)
    }
}

/// An ending with few pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// One side, either color, has the first army and the opponent the second.
    Armies(Side, Side),
    /// Each side has a king, and both sides together have this number of pieces.
    Kinged(Span),
}

impl Ending {
    /// True if these armies form such an ending.
    pub const fn covers(&self, a: Army, b: Army) -> bool {
        match self {
            Ending::Armies(first, second) => {
                first.has(a) && second.has(b) || first.has(b) && second.has(a)
            }
            Ending::Kinged(pieces) => {
                a.kings > 0 && b.kings > 0 && pieces.has(a.n_pieces() + b.n_pieces())
            }
        }
    }

    const fn most_pieces(&self) -> usize {
        match self {
            Ending::Armies(first, second) => first.pieces.most + second.pieces.most,
            Ending::Kinged(pieces) => pieces.most,
        }
    }

    /// True if either side may have men.
    const fn has_men(&self) -> bool {
        match self {
            Ending::Armies(first, second) => first.men || second.men,
            Ending::Kinged(_) => true,
        }
    }
}

/// The moves that restart the count of plies in an ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart {
    /// Captures and man moves, as outside of endings.
    Progress,
    /// Captures and promotions, but no other moves of men.
    Balance,
    /// The move that leads to the ending, and none after it.
    Never,
}

/// A draw rule. Plies *without progress* are plies since the last capture or man move, unless an
/// ending counts them otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawRule {
    /// Few pieces are left and there was no progress for some time.
    Ending {
        /// The pieces.
        ending: Ending,
        /// The number of plies without progress; 0 for an immediate draw. It replaces the limit of
        /// [`DrawRule::NoProgress`].
        plies: u32,
        /// The moves that restart the count.
        restart: Restart,
        /// Exempts positions in which the side to move can capture.
        unless_capture: bool,
    },
    /// The position has occurred this number of times with the same side to move.
    Repetition {
        /// The number of occurrences, including the current one.
        times: u32,
    },
    /// A lone king on the main road, the diagonal between the corners, where no other piece is,
    /// against three pieces with a king among them. Only games count these plies, since positions
    /// do not record them.
    MainRoad {
        /// The number of plies after which this was the position, in a row or not.
        plies: u32,
    },
    /// A number of consecutive plies without progress.
    NoProgress {
        /// The number of plies.
        plies: u32,
    },
}

impl DrawRule {
    /// The rule of a draw after some plies without progress in an ending.
    pub const fn ending(ending: Ending, plies: u32) -> DrawRule {
        DrawRule::Ending {
            ending,
            plies,
            restart: Restart::Progress,
            unless_capture: false,
        }
    }

    pub(crate) const fn reason(&self) -> DrawReason {
        const KING: Side = Side::kings(1);
        const TWO_KINGS: Side = Side::kings(2);
        match self {
            DrawRule::Ending { ending, .. } => match ending {
                Ending::Armies(KING, KING) => DrawReason::OneKingEach,
                Ending::Armies(TWO_KINGS, KING) | Ending::Armies(KING, TWO_KINGS) => {
                    DrawReason::TwoKingsVOne
                }
                _ => DrawReason::FewPieces,
            },
            DrawRule::MainRoad { .. } => DrawReason::FewPieces,
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
    /// True if man moves do not restart the count in some ending.
    pub(crate) counts_man_moves: bool,
    /// The limit of the rule about the main road, if any.
    pub(crate) main_road: Option<u32>,
}

impl Draws {
    /// The rules, in the order in which they are checked. Only games that end without them need
    /// no limit on plies without progress.
    pub const fn new(rules: &'static [DrawRule]) -> Draws {
        let mut draws = Draws {
            rules,
            no_progress: u32::MAX,
            repetition: u32::MAX,
            largest_ending: 0,
            earliest: u32::MAX,
            endings_have_men: false,
            counts_man_moves: false,
            main_road: None,
        };
        let mut at = 0;
        while at < rules.len() {
            match &rules[at] {
                DrawRule::Ending {
                    ending,
                    plies,
                    restart,
                    ..
                } => {
                    draws.note_ending(ending, *plies);
                    draws.counts_man_moves |= !matches!(restart, Restart::Progress);
                }
                DrawRule::MainRoad { plies } => draws.main_road = Some(*plies),
                DrawRule::Repetition { times } => draws.repetition = *times,
                DrawRule::NoProgress { plies } => draws.no_progress = *plies,
            }
            at += 1;
        }
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

    /// The rules in words.
    pub fn in_words(&self) -> Vec<String> {
        match self.rules {
            [] => vec!["Never: every game has a winner".to_owned()],
            rules => rules.iter().map(ToString::to_string).collect(),
        }
    }

    /// The number of plies without progress after which a game with these armies is drawn. Endings
    /// that are drawn immediately have no limit of their own:
    /// [`Position::outcome`](crate::Position::outcome) detects them without a counter.
    pub fn limit(&self, a: Army, b: Army) -> u32 {
        self.ending(a, b)
            .map_or(self.no_progress, |(plies, _)| plies)
    }

    /// The moves that restart the count of plies for these armies.
    pub fn restart(&self, a: Army, b: Army) -> Restart {
        self.ending(a, b)
            .map_or(Restart::Progress, |(_, restart)| restart)
    }

    /// The strictest limit of an ending with these armies, and the moves that restart its count.
    fn ending(&self, a: Army, b: Army) -> Option<(u32, Restart)> {
        let limit = |rule: &DrawRule| match *rule {
            DrawRule::Ending {
                ending,
                plies,
                restart,
                ..
            } if plies > 0 && ending.covers(a, b) => Some((plies, restart)),
            _ => None,
        };
        let limits = self.rules.iter().filter_map(limit);
        limits.min_by_key(|(plies, _)| *plies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kings_alone_are_no_men() {
        let ending = Ending::Armies(Side::kings(1), Side::only_kings(3, 12));
        let army = |men, kings| Army { men, kings };
        assert!(ending.covers(army(0, 1), army(0, 3)) && ending.covers(army(0, 12), army(0, 1)));
        assert!(!ending.covers(army(0, 1), army(1, 3)) && !ending.covers(army(0, 1), army(0, 2)));
    }

    #[test]
    fn an_ending_has_men_where_a_side_may_have_them() {
        let (one, two, mixed) = (Side::kings(1), Side::kings(2), Side::with_king(1, 2));
        assert!(Ending::Armies(one, mixed).has_men() && Ending::Armies(mixed, one).has_men());
        assert!(!Ending::Armies(one, two).has_men() && !Ending::Armies(two, one).has_men());
    }
}
