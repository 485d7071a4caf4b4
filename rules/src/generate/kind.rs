//! Compile-time properties of the men or kings of one side.

use std::marker::PhantomData;

use super::color;
use crate::piece::DirectionList;
use crate::ruleset::Ruleset;
use crate::{Piece, Reach};

/// The kings (`KING`) or men of a side in the variant `R`.
pub(super) struct Kind<R, const WHITE: bool, const KING: bool>(PhantomData<R>);

impl<R: Ruleset, const WHITE: bool, const KING: bool> Kind<R, WHITE, KING> {
    /// The abilities of the piece.
    pub(super) const PIECE: Piece = if KING { R::RULES.king } else { R::RULES.man };
    const STEP_LIST: DirectionList = Self::PIECE.steps.list(color(WHITE));
    const JUMP_LIST: DirectionList = Self::PIECE.jumps.list(color(WHITE));
    /// Its step directions, as indices into the geometry's list.
    pub(super) const STEPS: &'static [usize] = Self::STEP_LIST.as_slice();
    /// Its jump directions.
    pub(super) const JUMPS: &'static [usize] = Self::JUMP_LIST.as_slice();
    /// True for a short-ranged piece.
    pub(super) const IS_SHORT: bool = matches!(Self::PIECE.reach, Reach::Short);
    /// True if it may land on any square beyond a victim.
    pub(super) const LANDS_ANYWHERE: bool = matches!(Self::PIECE.reach, Reach::Flying);
}
