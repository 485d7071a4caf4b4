//! Game-theoretic values.

/// The game-theoretic value of a position for the side to move; higher is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GameValue {
    /// The side to move loses.
    Loss = 0,
    /// Neither side can force a win.
    Draw = 1,
    /// The side to move wins.
    Win = 2,
}

impl GameValue {
    /// All values, ascending.
    pub const ALL: [GameValue; 3] = [GameValue::Loss, GameValue::Draw, GameValue::Win];

    /// The value for the side that moved into a position with this value.
    #[must_use]
    pub const fn before_the_move(self) -> GameValue {
        match self {
            GameValue::Loss => GameValue::Win,
            GameValue::Draw => GameValue::Draw,
            GameValue::Win => GameValue::Loss,
        }
    }
}
