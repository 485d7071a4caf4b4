//! What is known at compile time of men or kings of one side.

use std::marker::PhantomData;

use super::color;
use crate::piece::DirectionList;
use crate::ruleset::Ruleset;
use crate::{Piece, Reach};

/// The kings, or else the men, of a side in the variant `R`.
pub(super) struct Kind<R, const WHITE: bool, const KING: bool>(PhantomData<R>);

impl<R: Ruleset, const WHITE: bool, const KING: bool> Kind<R, WHITE, KING> {
    /// What they can do.
    pub(super) const PIECE: Piece = if KING { R::RULES.king } else { R::RULES.man };
    const STEP_LIST: DirectionList = Self::PIECE.steps.list(color(WHITE));
    const JUMP_LIST: DirectionList = Self::PIECE.jumps.list(color(WHITE));
    /// Where they step, as indices into the geometry's list of directions.
    pub(super) const STEPS: &'static [usize] = Self::STEP_LIST.as_slice();
    /// Where they jump.
    pub(super) const JUMPS: &'static [usize] = Self::JUMP_LIST.as_slice();
    /// Whether they go one square only.
    pub(super) const IS_SHORT: bool = matches!(Self::PIECE.reach, Reach::Short);
    /// Whether they land on any square behind a victim.
    pub(super) const LANDS_ANYWHERE: bool = matches!(Self::PIECE.reach, Reach::Flying);
}
