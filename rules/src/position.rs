//! Positions: the pieces, the side to move, and the counters required by the rules.

use crate::ruleset::Ruleset;
use crate::setup::{Setup, SetupError};
use crate::variants::with_rules;
use crate::{Army, Bitboard, Board, Color, Move, Restart, Square, Variant, hash};

/// A position of any variant, without its history: a small, copyable value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// [color] all pieces of a side.
    pieces: [Bitboard; 2],
    kings: Bitboard,
    no_progress: u16,
    full_move: u16,
    king_rests: [KingRest; 2],
    turn: Color,
    variant: Variant,
}

/// The king that made a side's last simple moves, and the number of consecutive moves (4.6):
/// `count << 6 | square`, 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct KingRest(u8);

impl KingRest {
    const NONE: KingRest = KingRest(0);

    fn new(rest: Option<(Square, u8)>) -> KingRest {
        rest.map_or(KingRest::NONE, |(square, count)| {
            KingRest(count << 6 | square.index() as u8)
        })
    }

    fn get(self) -> Option<(Square, u8)> {
        (self.0 != 0).then(|| (Square::from_index(self.0 & 63), self.0 >> 6))
    }
}

impl Position {
    /// The start position.
    pub fn start(variant: Variant) -> Position {
        let rules = variant.rules();
        Position::from_parts(
            variant,
            &Setup {
                men: Color::ALL.map(|color| rules.start(color)),
                ..Setup::empty(rules.first_player)
            },
        )
    }

    /// A position from its parts, if they are consistent.
    pub fn new(variant: Variant, setup: &Setup) -> Result<Position, SetupError> {
        setup.check(variant)?;
        Ok(Position::from_parts(variant, setup))
    }

    fn from_parts(variant: Variant, setup: &Setup) -> Position {
        // A side without men is not restricted (4.6).
        let rest = |color: Color| {
            let has_men = !setup.men[color.index()].is_empty();
            setup.king_rests[color.index()].filter(|_| has_men)
        };
        Position {
            pieces: [setup.men[0] | setup.kings[0], setup.men[1] | setup.kings[1]],
            kings: setup.kings[0] | setup.kings[1],
            no_progress: setup.no_progress,
            full_move: setup.full_move,
            king_rests: Color::ALL.map(|color| KingRest::new(rest(color))),
            turn: setup.turn,
            variant,
        }
    }

    /// The parts of this position.
    pub fn setup(&self) -> Setup {
        Setup {
            men: Color::ALL.map(|color| self.men(color)),
            kings: Color::ALL.map(|color| self.kings(color)),
            turn: self.turn,
            no_progress: self.no_progress,
            full_move: self.full_move,
            king_rests: Color::ALL.map(|color| self.king_rest(color)),
        }
    }

    /// The variant.
    #[inline]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.variant.board()
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// All pieces of a side.
    #[inline]
    pub fn pieces(&self, color: Color) -> Bitboard {
        self.pieces[color.index()]
    }

    /// The men of a side.
    #[inline]
    pub fn men(&self, color: Color) -> Bitboard {
        self.pieces(color) & !self.kings
    }

    /// The kings of a side.
    #[inline]
    pub fn kings(&self, color: Color) -> Bitboard {
        self.pieces(color) & self.kings
    }

    /// The kings of both sides.
    #[inline]
    pub fn all_kings(&self) -> Bitboard {
        self.kings
    }

    /// The numbers of men and kings of a side.
    pub fn army(&self, color: Color) -> Army {
        Army::of(self.pieces(color), self.kings)
    }

    /// The piece on a square: `w` and `b` for men, `W` and `B` for kings.
    pub fn letter(&self, square: Square) -> Option<char> {
        let owner = Color::ALL
            .into_iter()
            .find(|color| self.pieces(*color).contains(square))?;
        let letter = owner.letter();
        Some(match self.kings.contains(square) {
            true => letter,
            false => letter.to_ascii_lowercase(),
        })
    }

    /// All pieces on the board.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.pieces[0] | self.pieces[1]
    }

    /// True for a lone king on the main road, where no other piece is, against three pieces with a
    /// king among them.
    pub(crate) fn is_main_road_ending(&self) -> bool {
        let armies = Color::ALL.map(|color| self.army(color));
        let lone = Color::ALL.into_iter().find(|&color| {
            let (own, other) = (armies[color.index()], armies[(!color).index()]);
            own.n_pieces() == 1 && own.kings == 1 && other.n_pieces() == 3 && other.kings > 0
        });
        lone.is_some_and(|color| self.occupied() & self.board().main_road() == self.pieces(color))
    }

    /// Consecutive plies without a capture or a man move, or without the moves that restart the
    /// count by the rules of the ending. A repetition cannot reach further back.
    #[inline]
    pub fn no_progress(&self) -> u32 {
        u32::from(self.no_progress)
    }

    /// The number of the current full move, from 1.
    pub fn full_move(&self) -> u32 {
        u32::from(self.full_move)
    }

    /// The king that made this side's last simple moves and the number of consecutive moves, if the
    /// rules count them.
    pub fn king_rest(&self, color: Color) -> Option<(Square, u8)> {
        self.king_rests[color.index()].get()
    }

    /// The king that may not make a simple move, because it has reached the limit of consecutive
    /// moves.
    #[inline]
    pub fn resting_king(&self, color: Color) -> Bitboard {
        match self.king_rest(color) {
            Some((square, count)) if count >= self.variant.rules().king_rest_limit => square.bit(),
            _ => Bitboard::EMPTY,
        }
    }

    /// Equal for positions that the repetition rule considers the same: same variant, pieces, side
    /// to move and king rest counters.
    pub fn hash(&self) -> u64 {
        let [black, white] = self.king_rests.map(|rest| rest.0);
        let rest = [black, white, self.turn as u8, self.variant as u8];
        let rest = u64::from(u32::from_le_bytes(rest));
        hash::hash(self.pieces, self.kings, rest)
    }

    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, mv: Move) -> Position {
        self.debug_assert_legal(&mv);
        with_rules!(self.variant, R => self.play_by::<R>(&mv))
    }

    /// Plays a legal move in place.
    pub(crate) fn play_here(&mut self, mv: &Move) {
        self.debug_assert_legal(mv);
        with_rules!(self.variant, R => *self = self.play_by::<R>(mv));
    }

    fn debug_assert_legal(&self, mv: &Move) {
        debug_assert!(
            self.legal_moves().contains(mv),
            "{mv:?} is not legal in {self}"
        );
    }

    /// [`Position::play`] for the variant `R`, without checks. The move is borrowed because it was
    /// stored field by field: copying it as a whole right afterwards would stall the processor.
    #[must_use]
    #[inline(always)]
    pub(crate) fn play_by<R: Ruleset>(&self, mv: &Move) -> Position {
        match self.turn {
            Color::Black => self.play_for::<R, false>(mv),
            Color::White => self.play_for::<R, true>(mv),
        }
    }

    /// Built from its new parts at once instead of copied and changed: reading a position as a
    /// whole right after it was written in parts stalls the processor.
    #[inline(always)]
    fn play_for<R: Ruleset, const WHITE: bool>(&self, mv: &Move) -> Position {
        let (us, them) = if WHITE {
            (Color::White, Color::Black)
        } else {
            (Color::Black, Color::White)
        };
        let was_king = self.kings.contains(mv.from);
        let is_king = was_king || R::RULES.promotes(us, mv);
        let ours = self.pieces(us) & !mv.from.bit() | mv.to.bit();
        let theirs = self.pieces(them) & !mv.captured;
        let kings = self.kings & !(mv.captured | mv.from.bit())
            | Bitboard(u64::from(is_king) << mv.to.index());

        let is_king_walk = was_king && !mv.is_capture();
        let walks = self.no_progress.saturating_add(1);
        let rests_may_change =
            R::RULES.king_rest_limit > 0 && (is_king_walk || self.has_king_rest());
        Position {
            pieces: if WHITE {
                [theirs, ours]
            } else {
                [ours, theirs]
            },
            kings,
            no_progress: match is_king_walk
                || R::RULES.draws.counts_man_moves && self.keeps_count(mv, [ours, theirs], kings)
            {
                true => walks,
                false => 0,
            },
            full_move: match us == R::RULES.first_player {
                true => self.full_move,
                false => self.full_move.saturating_add(1),
            },
            king_rests: match rests_may_change {
                true => self.king_rests_after(mv, [ours, theirs].map(|side| side & !kings)),
                false => self.king_rests,
            },
            turn: them,
            variant: self.variant,
        }
    }

    /// True if the rules of the ending do not restart the count of plies after a capture or a man
    /// move, given all pieces of the side that moves and of the opponent.
    #[inline(never)]
    fn keeps_count(&self, mv: &Move, pieces: [Bitboard; 2], kings: Bitboard) -> bool {
        let draws = &self.variant.rules().draws;
        let [ours, theirs] = pieces.map(|pieces| Army::of(pieces, kings));
        match draws.restart(ours, theirs) {
            Restart::Progress => false,
            Restart::Balance => !mv.is_capture() && self.kings.count() == kings.count(),
            Restart::Never => {
                let [black, white] = Color::ALL.map(|color| self.army(color));
                draws.restart(black, white) == Restart::Never
            }
        }
    }

    fn has_king_rest(&self) -> bool {
        self.king_rests != [KingRest::NONE; 2]
    }

    /// The king rest counters after a move (4.6), given the remaining men of the side that moves
    /// and of the opponent. A side without men has none.
    fn king_rests_after(&self, mv: &Move, [our_men, their_men]: [Bitboard; 2]) -> [KingRest; 2] {
        let (us, limit) = (self.turn, self.variant.rules().king_rest_limit);
        let is_king_walk = self.kings.contains(mv.from) && !mv.is_capture();
        let ours = match self.king_rest(us) {
            _ if !is_king_walk || our_men.is_empty() => None,
            Some((square, count)) if square == mv.from => Some((mv.to, (count + 1).min(limit))),
            _ => Some((mv.to, 1)),
        };
        let theirs = self
            .king_rest(!us)
            .filter(|(square, _)| !mv.captured.contains(*square) && !their_men.is_empty());
        let [ours, theirs] = [ours, theirs].map(KingRest::new);
        match us {
            Color::Black => [ours, theirs],
            Color::White => [theirs, ours],
        }
    }

    /// The position rotated by 180 degrees with colors swapped: the same game for the other side.
    #[must_use]
    pub fn turned(&self) -> Position {
        let setup = self.setup();
        let swap = |[black, white]: [Bitboard; 2]| [white.turned(), black.turned()];
        let [black_rest, white_rest] = setup.king_rests;
        let turn_rest = |rest: Option<(Square, u8)>| rest.map(|(at, count)| (at.turned(), count));
        let turned = Setup {
            men: swap(setup.men),
            kings: swap(setup.kings),
            turn: !setup.turn,
            king_rests: [turn_rest(white_rest), turn_rest(black_rest)],
            ..setup
        };
        Position::from_parts(self.variant, &turned)
    }
}
