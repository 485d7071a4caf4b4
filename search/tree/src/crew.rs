//! Threads that search one position together.

use std::time::Duration;

use crate::shared::Ordered;
use crate::{Evaluator, EvaluatorError, Flight, Search, SharedEvaluator};

/// The maximum number of flights per helper: the one it is evaluating, and those it continues with
/// while the searching thread is busy with an evaluation of its own.
const FLIGHTS_A_HELPER: usize = 3;
/// The time that the searching thread waits for a helper before it evaluates that helper's leaves
/// itself: about one scheduler time slice.
const PATIENCE: Duration = Duration::from_millis(4);

/// An evaluator for the searching thread, and helper threads that evaluate for it.
///
/// The searching thread owns the tree. It gathers leaves for the helpers, backs up their replies,
/// and evaluates leaves itself when all helpers are busy. It waits only briefly for a helper that
/// gets no processor time. A stop does not wait at all: pending leaves are abandoned.
///
/// Without helpers the result depends only on the search; with helpers it also depends on timing.
pub struct Crew<E> {
    evaluator: E,
    helpers: Option<SharedEvaluator>,
    n_helpers: usize,
    /// Orders in progress; those whose flight was abandoned have none.
    away: Vec<(Ordered, Option<Flight>)>,
    /// Empty flights, kept for their buffers.
    spare: Vec<Flight>,
}

impl<E: Evaluator> Crew<E> {
    /// A crew without helpers, which evaluates in the searching thread.
    pub fn new(evaluator: E) -> Crew<E> {
        Crew {
            evaluator,
            helpers: None,
            n_helpers: 0,
            away: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Adds helpers, whose threads start now and end with the crew.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn with_helpers<H: Evaluator + Send + 'static>(
        mut self,
        helpers: impl IntoIterator<Item = H>,
    ) -> Result<Crew<E>, EvaluatorError> {
        let helpers: Vec<H> = helpers.into_iter().collect();
        self.n_helpers = helpers.len();
        self.helpers = match helpers.is_empty() {
            true => None,
            // Each flight is its own batch.
            false => Some(
                SharedEvaluator::start(helpers, 1)
                    .map_err(|error| EvaluatorError::Failed(error.into()))?,
            ),
        };
        Ok(self)
    }

    /// The evaluator of the searching thread.
    pub fn evaluator(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// Runs a search until it is complete, or until the position has a value and `is_over`, called
    /// with the number of simulations, returns true.
    ///
    /// # Errors
    /// If an evaluator fails or its replies are not finite. The search must then be restarted.
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
        let mut own = Flight::default();
        loop {
            search.land(&mut own)?;
            self.land(search)?;
            // However late the stop comes, the result must have a value.
            if is_over(search.simulations()) && search.result().value.is_some() {
                return Ok(());
            }
            if self.send(search, FLIGHTS_A_HELPER * n_helpers)? {
                // A helper may have landed in the meantime.
                continue;
            }
            if !search.gather(&mut own) {
                return Ok(());
            }
            if !own.batch.is_empty() {
                self.evaluator.evaluate(&mut own.batch)?;
            } else if let Some(index) = self.first_awaited() {
                // Everything that can be evaluated is in flight.
                if !self.take(search, index, PATIENCE)? {
                    self.give_up_one(search);
                }
            }
        }
    }

    /// Backs up all completed flights of the helpers.
    fn land(&mut self, search: &mut Search) -> Result<(), EvaluatorError> {
        let mut index = 0;
        while index < self.away.len() {
            if !self.take(search, index, Duration::ZERO)? {
                index += 1;
            }
        }
        Ok(())
    }

    /// Backs up one flight if it completes within this time.
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

    /// Abandons one flight of a helper; false if there is none.
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

    /// Sends a flight to the helpers if they have fewer than `most`.
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
            // A flight whose leaves are all in flight already is backed out.
            search.land(&mut flight)?;
            self.spare.push(flight);
            return Ok(false);
        }
        let ordered = helpers.order(std::mem::take(&mut flight.batch))?;
        self.away.push((ordered, Some(flight)));
        Ok(true)
    }
}
