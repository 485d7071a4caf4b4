//! One side of a match, created once per thread.

use engine::{Clock, Player, PlayerError, TimeControl};

use super::clock::{ClockKind, ClockTerms, Computes, Meter};
use crate::baselines::Baseline;

/// One of the two sides of a match: creates its player once per thread.
pub struct PlayerFactory<'a> {
    /// The name in results and game records.
    pub name: String,
    /// The side's time limit in each game. Exceeding it loses the game.
    pub time: Option<TimeControl>,
    /// Rules for its clock.
    pub clock: ClockTerms,
    /// The place where its players compute.
    pub computes: Computes,
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
            clock: ClockTerms::default(),
            computes: Computes::Here { threads: 1 },
            is_single: false,
            create: Box::new(create),
        }
    }

    /// The same side with players that are made from this side's players.
    #[must_use]
    pub fn map(mut self, change: impl Fn(Box<dyn Player>) -> Box<dyn Player> + Sync + 'a) -> Self {
        let create = self.create;
        self.create = Box::new(move || create().map(&change));
        self
    }

    /// A player of this side.
    pub(super) fn create(&self) -> Result<Box<dyn Player>, PlayerError> {
        let mut player = (self.create)()?;
        if self.is_charged() {
            player.use_clock(Meter::clock(self.computes));
        }
        Ok(player)
    }

    /// Its clock at the start of a game, if it has one.
    pub(super) fn clock_of_game(&self) -> Option<Clock> {
        let clock = self.time.map(Clock::new);
        clock.map(|clock| clock.with_margin(self.clock.margin))
    }

    /// Returns `true` if its clock measures processor time.
    pub(super) fn is_charged(&self) -> bool {
        self.time.is_some() && self.clock.kind == ClockKind::Cpu
    }

    /// Returns `true` if no other game may be played in this process meanwhile.
    pub(super) fn plays_alone(&self) -> bool {
        let has_threads = matches!(self.computes, Computes::Here { threads } if threads > 1);
        self.is_single || self.is_charged() && has_threads
    }
}

impl From<Baseline> for PlayerFactory<'_> {
    fn from(baseline: Baseline) -> Self {
        Self::new(baseline.to_string(), move || Ok(baseline.player()))
    }
}
