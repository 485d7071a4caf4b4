//! What a variant can differ in: one documented table of constants.

use crate::geometry::{opposite, shift};
use crate::priority::Criterion;
use crate::{Bitboard, Board, Color, Directions, DrawRule, Draws, Move, Notation, Piece, Reach};

/// When captured pieces leave the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifting {
    /// After the whole move: until then they block, and none may be jumped twice.
    AfterMove,
    /// After each jump: their squares may be crossed and landed on.
    AtOnce,
}

/// What happens to a man that a capture brings to a square where men are crowned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotion {
    /// It is crowned if its move ends there, and goes on as a man if it can.
    AtEnd,
    /// It is crowned and goes on as a king if it can.
    InPassing,
    /// It is crowned and its move ends there, whatever it could still capture.
    EndsMove,
}

/// What a side that cannot move has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// It has lost.
    Win,
    /// It has won: whoever gets rid of his pieces wins.
    Misere,
}

impl Goal {
    /// Who has won when this side cannot move.
    pub const fn winner(self, stuck: Color) -> Color {
        match (self, stuck) {
            (Goal::Win, Color::White) | (Goal::Misere, Color::Black) => Color::Black,
            (Goal::Win, Color::Black) | (Goal::Misere, Color::White) => Color::White,
        }
    }
}

/// The rules of a variant. The fields of [`Rules::BASE`] are the commonest values; a variant lists
/// what differs. Numbers such as "2.7" are articles of the rules specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Raised when behaviour changes, never by a refactoring; stored in each game record.
    pub version: u32,
    /// The squares and their numbers (1.1).
    pub board: Board,
    /// Where simple moves may end; captures may end anywhere on the board (6.2).
    pub simple_area: Bitboard,
    /// Black's men in the start position; White's are the same squares turned by 180 degrees (1.7).
    pub black_start: Bitboard,
    /// Who moves first in the start position; the other side's move ends a full move.
    pub first_player: Color,
    /// What men can do (4.2).
    pub man: Piece,
    /// What kings can do (4.3, 6.4).
    pub king: Piece,
    /// Where white men become kings (2.7, 6.10); see [`Rules::promotion`] for when.
    pub crown_area: Bitboard,
    /// What crowning does to a capture (4.7).
    pub promotion: Promotion,
    /// If a capture exists, one must be played (2.5).
    pub capture_is_mandatory: bool,
    /// A capture may end after any of its jumps (3.2). If not, it goes on while it can, and a flying
    /// piece lands where it can go on.
    pub may_stop_capture: bool,
    /// When victims leave the board (2.8, 5.5).
    pub lifting: Lifting,
    /// Which captures are preferred, the weightiest criterion first; none lets any be chosen (4.5).
    pub priority: &'static [Criterion],
    /// How many simple moves in a row one king may make while its side has men; 0 is no limit (4.6).
    pub king_rest_limit: u8,
    /// What a side that cannot move has done (1.6).
    pub goal: Goal,
    /// When games are drawn (1.6, 4.8, 4.9, 5.7).
    pub draws: Draws,
    /// How moves are written (1.4).
    pub notation: Notation,
    /// The value of PDN's `GameType` tag that we write (1.4).
    pub game_type: &'static str,
    /// What Hub engines call the variant, where that is not its name.
    pub hub_name: Option<&'static str>,
}

impl Rules {
    /// The values that most variants share: those of English checkers.
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

    /// Where a man of this side is crowned.
    pub const fn crown_area(&self, color: Color) -> Bitboard {
        match color {
            Color::White => self.crown_area,
            Color::Black => self.crown_area.turned(),
        }
    }

    /// Whether a legal move makes a man of this side a king.
    ///
    /// A man that is crowned in passing has jumped into the crown area, and no man jumps over the same
    /// victims elsewhere: variants where that is not so do not compile.
    #[inline(always)]
    pub const fn promotes(&self, color: Color, mv: &Move) -> bool {
        self.crown_area(color).contains(mv.to)
            || matches!(self.promotion, Promotion::InPassing)
                && self.before_crown_area(color).intersects(mv.captured)
    }

    /// The squares over which men of this side jump into the crown area.
    const fn before_crown_area(&self, color: Color) -> Bitboard {
        let board = self.board.mask().0;
        let origins = self.man.jumps.origins(color, self.crown_area(color));
        Bitboard(origins.0 & board)
    }

    /// Whether crowning may change how a man's capture goes on.
    pub(crate) const fn crowning_changes_captures(&self) -> bool {
        !matches!(self.promotion, Promotion::AtEnd)
    }

    /// Refuses to compile combinations of rules that the generator does not know.
    pub(crate) const fn check(&self) {
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
        // Landing and origin of no jump over these victims may both be ordinary squares.
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
        match color {
            Color::Black => self.black_start,
            Color::White => self.black_start.turned(),
        }
    }

    /// Whether any piece jumps along rows and columns.
    pub const fn jumps_straight(&self) -> bool {
        let jumps = self.man.jumps.and(self.king.jumps);
        jumps.intersects(Directions::STRAIGHT)
    }
}

/// A rule table known at compile time; the generator is compiled once for each.
pub(crate) trait Ruleset {
    const RULES: Rules;
}
