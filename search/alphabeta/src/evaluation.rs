//! Static evaluation.

use rules::{Position, Reach};

/// A static evaluation.
///
/// The search never evaluates a position in which the side to move must capture.
pub trait Evaluation: Send + Sync {
    /// Data cached for one position that makes the next position on the line cheaper to evaluate,
    /// such as the accumulator of a network. The state itself records which position it belongs to.
    type State: Clone + Send;

    /// A fresh state.
    fn state(&self) -> Self::State;

    /// The score of `position` for the side to move, in units of [`WIN`](crate::WIN), within
    /// ±[`MAX_EVALUATION`](crate::MAX_EVALUATION). Updates `state` to `position`. `near` is the
    /// state of any position, usually one a few moves away; it affects speed, never the score.
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

/// Material only: a man is worth 100, a king 150 if it is short-ranged and 300 if it flies.
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
