//! The interface to machines that play games for a run.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use eval::{EvalError, LocalRunner, MatchRunner};
use selfplay::SelfplayStats;
use trainer::Compute;

use super::Run;
use crate::{Result, RunError, RunObserver};

/// Machines that play games for a run. Games, models and ratings are the same with and without
/// them.
pub trait Fleet: Send + Sync {
    /// Plays the games of the current generation that are not on disk yet, and writes them in the
    /// order of their numbers. Returns `None` if `stop` was set before all of them were written.
    ///
    /// # Errors
    /// If a network or a model fails, the disk fails, or the observer fails.
    fn play_games(
        &self,
        run: &Run,
        stop: &AtomicBool,
        observer: &mut dyn RunObserver,
    ) -> Result<Option<SelfplayStats>>;

    /// Announces the games of the next generation before the run trains on this one, if the
    /// settings allow that.
    ///
    /// # Errors
    /// If a model or the start positions cannot be read.
    fn play_ahead(&self, run: &Run) -> Result<()>;

    /// Plays matches between models and baselines of the run.
    fn match_runner<'a>(&'a self, run: &'a Run, simulations: u32) -> Box<dyn MatchRunner + 'a>;

    /// Returns `true` if the match that failed with this error of [`Fleet::match_runner`] has to be
    /// repeated, because a machine whose pairs had been counted was excluded.
    fn must_repeat_match(&self, error: &(dyn Error + 'static)) -> bool;

    /// Tells all machines that the run no longer needs them.
    ///
    /// # Errors
    /// If the share cannot be reached.
    fn dismiss(&self) -> Result<()>;
}

impl Run {
    /// Tells the machines of the run's fleet, if there is one, that the run no longer needs them.
    ///
    /// # Errors
    /// If the share cannot be reached.
    pub fn dismiss_fleet(&self) -> Result<()> {
        self.fleet.iter().try_for_each(|fleet| fleet.dismiss())
    }

    /// Returns `true` if the run uses the CPU, whose results are the same on every machine.
    #[must_use]
    pub fn is_on_processor(&self) -> bool {
        matches!(self.hardware.compute, Compute::Cpu)
    }

    /// Match runner of the run: the fleet if all of its machines play the same games, otherwise
    /// this process.
    pub(crate) fn match_runner(&self, simulations: u32) -> Box<dyn MatchRunner + '_> {
        match &self.fleet {
            Some(fleet) if self.is_on_processor() => fleet.match_runner(self, simulations),
            _ => Box::new(LocalRunner),
        }
    }

    /// Returns `true` if a match that failed with this error has to be repeated, see
    /// [`Fleet::must_repeat_match`].
    pub(crate) fn must_repeat_match(&self, error: &RunError) -> bool {
        let RunError::Eval(EvalError::Runner(source)) = error else {
            return false;
        };
        let fleet = self.fleet.as_ref();
        fleet.is_some_and(|fleet| fleet.must_repeat_match(&**source))
    }
}
