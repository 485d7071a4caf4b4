//! The threads that search one position.

use std::time::Duration;

use crate::shared::Ordered;
use crate::{Evaluator, EvaluatorError, Flight, Search, SharedEvaluator};

/// Flights that each helper has at most: the one that it evaluates, and those that it goes on with while the
/// searching thread evaluates one itself.
const FLIGHTS_A_HELPER: usize = 3;
/// How long the searching thread waits for a helper before it evaluates itself what that one has: about a time
/// slice of the system.
const PATIENCE: Duration = Duration::from_millis(4);

/// An evaluator for the thread that searches, and helpers: threads that evaluate for it.
///
/// The tree belongs to the thread that searches. It gathers leaves for its helpers, backs up what they
/// answer, and evaluates leaves itself whenever all helpers have enough to do. It hardly waits for a helper that
/// the system gives no processor to, and a stop does not wait at all: what is still to come is given up.
///
/// Without helpers the result depends on nothing but the search; with helpers it depends on who is fast.
pub struct Crew<E> {
    evaluator: E,
    helpers: Option<SharedEvaluator>,
    n_helpers: usize,
    /// What the helpers have; without a flight if that was given up.
    away: Vec<(Ordered, Option<Flight>)>,
    /// Flights without leaves, for their buffers.
    spare: Vec<Flight>,
}

impl<E: Evaluator> Crew<E> {
    /// One thread, which evaluates itself.
    pub fn new(evaluator: E) -> Crew<E> {
        Crew {
            evaluator,
            helpers: None,
            n_helpers: 0,
            away: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The same crew with these helpers, whose threads start now and end with the crew.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn with_helpers<H: Evaluator + Send + 'static>(
        mut self,
        helpers: impl IntoIterator<Item = H>,
    ) -> Result<Crew<E>, EvaluatorError> {
        let helpers: Vec<H> = helpers.into_iter().collect();
        self.n_helpers = helpers.len();
        self.helpers = match helpers.is_empty() {
            true => None,
            // Each flight is a batch of its own.
            false => Some(
                SharedEvaluator::start(helpers, 1)
                    .map_err(|error| EvaluatorError::Failed(error.into()))?,
            ),
        };
        Ok(self)
    }

    /// The evaluator of the thread that searches.
    pub fn evaluator(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// Runs a search until it is over, or until `is_over` says so of the simulations made and the position has a value.
    ///
    /// # Errors
    /// When an evaluator fails or its replies are not finite. The search must begin anew then.
    pub fn search(
        &mut self,
        search: &mut Search,
        is_over: &dyn Fn(u64) -> bool,
    ) -> Result<(), EvaluatorError> {
        let done = self.run(search, is_over);
        while self.give_up_one(search) {}
        if done.is_err() {
            search.give_up();
        }
        done
    }

    fn run(
        &mut self,
        search: &mut Search,
        is_over: &dyn Fn(u64) -> bool,
    ) -> Result<(), EvaluatorError> {
        let n_helpers = search.threads_for(1 + self.n_helpers) - 1;
        let mut own = Flight::new();
        loop {
            search.land(&mut own)?;
            self.land(search)?;
            // However late it is, the answer has a value.
            if is_over(search.simulations()) && search.result().value.is_some() {
                return Ok(());
            }
            if self.send(search, FLIGHTS_A_HELPER * n_helpers)? {
                // Meanwhile a helper may have landed.
                continue;
            }
            if !search.gather(&mut own) {
                return Ok(());
            }
            if !own.batch.is_empty() {
                self.evaluator.evaluate(&mut own.batch)?;
            } else if let Some(index) = self.first_awaited() {
                // All that can be looked at is on its way.
                if !self.take(search, index, PATIENCE)? {
                    self.give_up_one(search);
                }
            }
        }
    }

    /// Takes what the helpers have answered.
    fn land(&mut self, search: &mut Search) -> Result<(), EvaluatorError> {
        let mut index = 0;
        while index < self.away.len() {
            if !self.take(search, index, Duration::ZERO)? {
                index += 1;
            }
        }
        Ok(())
    }

    /// Takes the answer to one flight, if it comes within this time.
    fn take(
        &mut self,
        search: &mut Search,
        index: usize,
        time: Duration,
    ) -> Result<bool, EvaluatorError> {
        let Some(answer) = self.away[index].0.wait(time) else {
            return Ok(false);
        };
        if let (_, Some(mut flight)) = self.away.swap_remove(index) {
            flight.batch = answer?;
            search.land(&mut flight)?;
            self.spare.push(flight);
        }
        Ok(true)
    }

    fn first_awaited(&self) -> Option<usize> {
        self.away.iter().position(|(_, flight)| flight.is_some())
    }

    /// Gives up a flight that a helper has; false if there is none.
    fn give_up_one(&mut self, search: &mut Search) -> bool {
        let flight = self
            .first_awaited()
            .and_then(|index| self.away[index].1.take());
        let Some(mut flight) = flight else {
            return false;
        };
        search.abandon(&mut flight);
        self.spare.push(flight);
        true
    }

    /// Sends a flight to the helpers if they have fewer than so many.
    fn send(&mut self, search: &mut Search, most: usize) -> Result<bool, EvaluatorError> {
        let Some(helpers) = &self.helpers else {
            return Ok(false);
        };
        if self.away.len() >= most || !search.has_room() {
            return Ok(false);
        }
        let mut flight = self.spare.pop().unwrap_or_default();
        search.gather(&mut flight);
        if flight.batch.is_empty() {
            // What is on its way already gives way.
            search.land(&mut flight)?;
            self.spare.push(flight);
            return Ok(false);
        }
        let ordered = helpers.order(std::mem::take(&mut flight.batch))?;
        self.away.push((ordered, Some(flight)));
        Ok(true)
    }
}
