//! One side of a match, created once per thread.

use engine::{Player, PlayerError, TimeControl};

use crate::baselines::Baseline;

/// One of the two sides of a match: creates its player once per thread.
pub struct PlayerFactory<'a> {
    /// The name in results and game records.
    pub name: String,
    /// The side's time limit in each game. Exceeding it loses the game.
    pub time: Option<TimeControl>,
    /// True if there is only one such player, which plays one game after the other.
    pub is_single: bool,
    create: Box<Create<'a>>,
}

/// Makes a player for one thread.
type Create<'a> = dyn Fn() -> Result<Box<dyn Player>, PlayerError> + Sync + 'a;

impl<'a> PlayerFactory<'a> {
    /// A side whose players are created by `create`.
    pub fn new(
        name: impl Into<String>,
        create: impl Fn() -> Result<Box<dyn Player>, PlayerError> + Sync + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            time: None,
            is_single: false,
            create: Box::new(create),
        }
    }

    /// A player of this side.
    pub(super) fn create(&self) -> Result<Box<dyn Player>, PlayerError> {
        (self.create)()
    }
}

impl From<Baseline> for PlayerFactory<'_> {
    fn from(baseline: Baseline) -> Self {
        Self::new(baseline.to_string(), move || Ok(baseline.player()))
    }
}
