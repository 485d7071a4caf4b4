//! What a variant can differ in: one documented table of constants.

use crate::{Bitboard, Board, Color};

/// How far a king goes in one simple move or jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingReach {
    /// One square; it jumps an adjacent piece and lands right behind it.
    Short,
    /// Any number of empty squares before the victim, but it lands right behind it.
    FarLandsNext,
    /// Any number of empty squares before the victim and after it.
    FarLandsAnywhere,
}

/// When captured pieces leave the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifting {
    /// After the whole move: until then they block, and none may be jumped twice.
    AfterMove,
    /// After each jump: their squares may be crossed and landed on.
    AtOnce,
}

/// Which captures are preferred when there are several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// Any capture may be chosen.
    None,
    /// The greatest value; among equals a king must capture if one can.
    /// A man counts 100 and a king 199, so that `n` kings are a little less than `2 n` men.
    ValueThenKing,
}

/// When one king against one king, without men, is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OneKingEach {
    /// Only by the rules that every ending has.
    PlayOn,
    /// At once, unless the side to move can capture.
    DrawnUnlessCapture,
    /// After this many plies without progress.
    DrawnAfterPlies(u32),
}

/// The rules of a variant. The fields of [`Rules::BASE`] are the commonest values; a variant lists
/// what differs. Numbers such as "2.7" are articles of the rules specification.
///
/// One rule needs no field. A man is crowned where its move ends, if that is in `crown_area`: men that
/// jump only forward have no jump left there, and a Frisian man that passes over is not crowned (4.7).
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
    /// Where a move must end for a white man to become a king (2.7, 6.10).
    pub crown_area: Bitboard,
    /// Who moves first in the start position; the other side's move ends a full move.
    pub first_player: Color,
    /// Men jump in all eight directions instead of diagonally forward (4.2).
    pub men_jump_all_ways: bool,
    /// Kings jump along rows and columns too: over the next dark square, two columns or rows away (4.3, 6.4).
    pub kings_jump_straight: bool,
    /// How far kings go.
    pub king_reach: KingReach,
    /// If a capture exists, one must be played (2.5).
    pub capture_is_mandatory: bool,
    /// A capture may end after any of its jumps (3.2).
    pub may_stop_capture: bool,
    /// When victims leave the board (2.8, 5.5).
    pub lifting: Lifting,
    /// Which captures are preferred (4.5).
    pub priority: Priority,
    /// How many simple moves in a row one king may make while its side has men; 0 is no limit (4.6).
    pub king_run_limit: u8,
    /// Plies without a capture or a man move after which the game is drawn (1.6).
    pub no_progress_limit: u32,
    /// Plies without progress after which two kings against one, without men, is a draw; 0 is never (4.8).
    pub two_kings_v_one_limit: u32,
    /// When one king against one is a draw (4.9, 5.7).
    pub one_king_each: OneKingEach,
    /// The value of PDN's `GameType` tag that we write (1.4).
    pub game_type: &'static str,
}

impl Rules {
    /// The values that most variants share: those of English checkers.
    pub const BASE: Rules = Rules {
        version: 1,
        board: Board::Eight,
        simple_area: Board::Eight.mask(),
        black_start: Board::Eight.range(1, 12),
        crown_area: Board::Eight.range(1, 4),
        first_player: Color::Black,
        men_jump_all_ways: false,
        kings_jump_straight: false,
        king_reach: KingReach::Short,
        capture_is_mandatory: true,
        may_stop_capture: false,
        lifting: Lifting::AfterMove,
        priority: Priority::None,
        king_run_limit: 0,
        no_progress_limit: 80,
        two_kings_v_one_limit: 0,
        one_king_each: OneKingEach::PlayOn,
        game_type: "",
    };

    /// Where a man of this side is crowned when its move ends there.
    pub const fn crown_area(&self, color: Color) -> Bitboard {
        match color {
            Color::White => self.crown_area,
            Color::Black => self.crown_area.turned(),
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
        self.men_jump_all_ways || self.kings_jump_straight
    }
}

/// A rule table known at compile time; the generator is compiled once for each.
pub(crate) trait Ruleset {
    const RULES: Rules;
}
