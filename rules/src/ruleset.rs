//! The properties in which variants differ: one documented table of constants.

use crate::geometry::{opposite, shift};
use crate::priority::{Criterion, Ranking};
use crate::{Bitboard, Board, Color, Directions, DrawRule, Draws, Move, Notation, Piece, Reach};

/// The time at which captured pieces are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifting {
    /// After the whole move: until then they block, and none may be jumped over twice.
    AfterMove,
    /// After each jump: their squares may be crossed and landed on.
    AtOnce,
}

/// The treatment of a man that reaches a promotion square during a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotion {
    /// Promotes if its move ends there, and otherwise continues as a man.
    AtEnd,
    /// Promotes and continues as a king if possible.
    InPassing,
    /// Promotes and ends its move, even if it could capture more.
    EndsMove,
}

/// The way to win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// A side that cannot move has lost.
    Win,
    /// A side that cannot move has won: the goal is to lose all pieces.
    Misere,
    /// The first side with a king has won, and nothing moves after that. A side that cannot move
    /// has lost.
    FirstKing,
}

/// The rules of a variant. The fields of [`Rules::BASE`] are the most common values; a variant
/// lists its differences. Numbers such as "2.7" are articles of the rules specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Incremented when behavior changes, never by a refactoring; stored in each game record.
    pub version: u32,
    /// The squares and their numbers (1.1).
    pub board: Board,
    /// The squares on which simple moves may end; captures may end anywhere on the board (6.2).
    pub simple_area: Bitboard,
    /// Black's men in the start position; White's are on the same squares rotated by 180 degrees
    /// (1.7).
    pub black_start: Bitboard,
    /// The side that moves first in the start position; the other side's move ends a full move.
    pub first_player: Color,
    /// The abilities of men (4.2).
    pub man: Piece,
    /// The abilities of kings (4.3, 6.4).
    pub king: Piece,
    /// The squares on which white men promote (2.7, 6.10); see [`Rules::promotion`].
    pub crown_area: Bitboard,
    /// The effect of promotion during a capture (4.7).
    pub promotion: Promotion,
    /// Requires a capture if there is one (2.5).
    pub capture_is_mandatory: bool,
    /// Permits a capture to end after any of its jumps (3.2). Otherwise it continues while
    /// possible, and a flying piece lands on a square from which it can continue.
    pub may_stop_capture: bool,
    /// The time at which captured pieces are removed (2.8, 5.5).
    pub lifting: Lifting,
    /// Capture preferences, most significant first; empty if any capture may be chosen (4.5).
    pub priority: &'static [Criterion],
    /// The number of consecutive simple moves permitted to one king while its side has men; 0 for
    /// no limit (4.6).
    pub king_rest_limit: u8,
    /// The way to win (1.6).
    pub goal: Goal,
    /// The draw rules (1.6, 4.8, 4.9, 5.7).
    pub draws: Draws,
    /// The notation of moves (1.4).
    pub notation: Notation,
    /// The value of PDN's `GameType` tag when writing (1.4).
    pub game_type: &'static str,
    /// The variant's name in the Hub protocol, if it differs.
    pub hub_name: Option<&'static str>,
}

impl Rules {
    /// The values shared by most variants: the values of English checkers.
    pub const BASE: Rules = Rules {
        version: 1,
        board: Board::Eight,
        simple_area: Board::Eight.mask(),
        black_start: Board::Eight.range(1, 12),
        first_player: Color::Black,
        man: Piece {
            steps: Directions::FORWARD,
            jumps: Directions::FORWARD,
            reach: Reach::Short,
            captures_kings: true,
        },
        king: Piece {
            steps: Directions::DIAGONAL,
            jumps: Directions::DIAGONAL,
            reach: Reach::Short,
            captures_kings: true,
        },
        crown_area: Board::Eight.range(1, 4),
        promotion: Promotion::AtEnd,
        capture_is_mandatory: true,
        may_stop_capture: false,
        lifting: Lifting::AfterMove,
        priority: &[],
        king_rest_limit: 0,
        goal: Goal::Win,
        draws: Draws::new(&[
            DrawRule::Repetition { times: 3 },
            DrawRule::NoProgress { plies: 80 },
        ]),
        notation: Notation::Numbers,
        game_type: "",
        hub_name: None,
    };

    /// The promotion squares of this side's men.
    pub const fn crown_area(&self, color: Color) -> Bitboard {
        self.crown_area.of_side(color)
    }

    /// True if a legal move promotes a man of this side.
    ///
    /// A man that promotes in passing has jumped into the promotion area, and no man jumps over the
    /// same victims elsewhere: variants that violate this do not compile.
    #[inline(always)]
    pub const fn promotes(&self, color: Color, mv: &Move) -> bool {
        self.crown_area(color).contains(mv.to)
            || matches!(self.promotion, Promotion::InPassing)
                && self.before_crown_area(color).intersects(mv.captured)
    }

    /// The squares over which men of this side jump into the promotion area.
    const fn before_crown_area(&self, color: Color) -> Bitboard {
        let board = self.board.mask().0;
        let origins = self.man.jumps.origins(color, self.crown_area(color));
        Bitboard(origins.0 & board)
    }

    /// True if promotion may change how a man's capture continues.
    pub(crate) const fn crowning_changes_captures(&self) -> bool {
        !matches!(self.promotion, Promotion::AtEnd)
    }

    /// Rejects unsupported combinations of rules at compile time.
    pub(crate) const fn check(&self) {
        assert!(
            self.draws.no_progress < u32::MAX || matches!(self.goal, Goal::FirstKing),
            "kings can move forever: draw rules need DrawRule::NoProgress"
        );
        assert!(
            Ranking::new(self.priority).first_king == 0 || matches!(self.king.reach, Reach::Short),
            "flying kings are not compared by the order of their victims"
        );
        if !self.crowning_changes_captures() {
            return;
        }
        assert!(
            matches!(self.man.reach, Reach::Short),
            "flying men can be crowned only where their move ends"
        );
        if !matches!(self.promotion, Promotion::InPassing) {
            return;
        }
        // A jump over these victims must not have both its origin and its landing square outside
        // the area.
        let victims = self.before_crown_area(Color::White).0;
        let ordinary = self.board.mask().0 & !self.crown_area.0;
        let jumps = self.man.jumps.list(Color::White);
        let mut at = 0;
        while at < jumps.as_slice().len() {
            let direction = jumps.as_slice()[at];
            let jumped = shift(ordinary, direction) & shift(ordinary, opposite(direction));
            assert!(
                victims & jumped == 0,
                "crowning in passing cannot be told from a move's victims"
            );
            at += 1;
        }
    }

    /// A side's men in the start position.
    pub const fn start(&self, color: Color) -> Bitboard {
        self.black_start.turned().of_side(color)
    }

    /// True if any piece captures along rows and columns.
    pub const fn jumps_straight(&self) -> bool {
        let jumps = self.man.jumps.and(self.king.jumps);
        jumps.intersects(Directions::STRAIGHT)
    }
}

/// A rule table known at compile time; the generator is compiled once for each.
pub(crate) trait Ruleset {
    const RULES: Rules;
}
