//! What the search knows of evaluations.

use rules::{Position, Reach};

/// Judges a position without looking ahead.
///
/// The search never asks about a position whose mover must capture.
pub trait Evaluation: Send + Sync {
    /// What was computed for one position and makes the next one on the line cheaper: the first layer of
    /// a network, say. It knows for itself which position it belongs to.
    type State: Clone + Send;

    /// A state to begin with.
    fn state(&self) -> Self::State;

    /// The score of `position` for the side to move, in the unit of [`WIN`](crate::WIN), at most
    /// [`MAX_EVALUATION`](crate::MAX_EVALUATION) either way. `state` becomes that of the position;
    /// `near` is the state of a position few moves away, or of any other. The score depends on the
    /// position alone.
    fn evaluate(&self, position: &Position, near: &Self::State, state: &mut Self::State) -> i32;
}

impl<E: Evaluation + ?Sized> Evaluation for std::sync::Arc<E> {
    type State = E::State;

    fn state(&self) -> E::State {
        (**self).state()
    }

    fn evaluate(&self, position: &Position, near: &E::State, state: &mut E::State) -> i32 {
        (**self).evaluate(position, near, state)
    }
}

/// Counts pieces and nothing else: a man is 100, a king 150 where it goes one square and 300 where it
/// flies.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaterialBalance;

impl MaterialBalance {
    const MAN: i32 = 100;

    /// The material balance for the side to move.
    pub fn balance(position: &Position) -> i32 {
        let king = match position.variant().rules().king.reach {
            Reach::Short => MaterialBalance::MAN * 3 / 2,
            Reach::FlyingLandsNext | Reach::Flying => MaterialBalance::MAN * 3,
        };
        let side = |color| {
            let (men, kings) = (position.men(color), position.kings(color));
            MaterialBalance::MAN * men.count() as i32 + king * kings.count() as i32
        };
        side(position.turn()) - side(!position.turn())
    }
}

impl Evaluation for MaterialBalance {
    type State = ();

    fn state(&self) {}

    fn evaluate(&self, position: &Position, _near: &(), _state: &mut ()) -> i32 {
        MaterialBalance::balance(position)
    }
}
