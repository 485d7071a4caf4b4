//! Gathering several leaves of one search at a time.

use super::simulate::{Descent, Leaf};
use super::{Search, State};
use crate::backup::take_back;
use crate::config::Mode;
use crate::flight::Flight;
use crate::{EvaluatorError, Stop};

/// The maximum number of leaves per flight: above eight an evaluation becomes only slightly
/// cheaper.
const MOST_LEAVES: u32 = 8;
/// Simulations per leaf in flight: with fewer, pending values would mislead too many simulations.
const SIMULATIONS_PER_LEAF: u32 = 32;

impl Search {
    /// The number of threads that pay off for the remaining work, at most `most`.
    ///
    /// Sequential halving is serial, because each leaf determines the next.
    pub(crate) fn threads_for(&self, most: usize) -> usize {
        match self.config.mode {
            Mode::Gumbel => most.min(1),
            Mode::Puct => most.min((self.left() / (4 * SIMULATIONS_PER_LEAF)).max(1) as usize),
        }
    }

    /// True if enough simulations remain for another flight.
    pub(crate) fn has_room(&self) -> bool {
        self.in_flight * SIMULATIONS_PER_LEAF < 2 * self.tree.node(self.tree.root()).visits
    }

    /// The number of leaves of the next flight.
    fn n_leaves(&self) -> u32 {
        match self.config.mode {
            Mode::Gumbel => 1,
            Mode::Puct => {
                let visits = self.tree.node(self.tree.root()).visits;
                (visits / SIMULATIONS_PER_LEAF).clamp(1, MOST_LEAVES)
            }
        }
    }

    /// Fills an empty flight with leaves to evaluate, a number that depends on the visits so far;
    /// false if the search is over. The flight may stay empty while other flights are pending.
    ///
    /// A move counts as visited as soon as it is followed, while its value remains the mean of
    /// completed simulations ("Watch the Unobserved", Liu et al., 2020), so that pending
    /// simulations spread over different leaves. A simulation that reaches a leaf already in flight
    /// is undone when its flight lands. Simulations descend together as long as they follow the
    /// same moves, which is most of the path in a large tree, and then side by side, step by step,
    /// so that none waits for memory.
    ///
    /// A tree that has filled its memory is recycled: the less visited half of the nodes is
    /// dropped.
    pub fn gather(&mut self, flight: &mut Flight) -> bool {
        flight.clear();
        if let State::Waiting { leaf, repetitions } = self.state {
            if self.in_flight > 0 {
                return true;
            }
            let (position, moves) = (&self.tree.node(leaf).position, self.tree.moves(leaf));
            flight.batch.push(position, repetitions, moves);
            flight.push(Some(leaf), &self.path, 1);
            self.in_flight = 1;
            return true;
        }
        let n_leaves = self.n_leaves() as usize;
        // Limits the number of proven leaves per call too, so that a stop is noticed.
        let mut attempts = 4 * n_leaves;
        let mut descents = std::mem::take(&mut self.descents);
        let mut parted = std::mem::take(&mut self.parted);
        while attempts > 0 && flight.batch.len() < n_leaves {
            let missing = n_leaves - flight.batch.len();
            let n = self.may_descend(missing.min(attempts) as u32);
            if n == 0 {
                break;
            }
            attempts -= n as usize;
            self.in_flight += n;
            descents.push(self.descend(n));
            while !descents.is_empty() {
                descents.retain_mut(|descent| match self.step_down(descent, &mut parted) {
                    None => true,
                    Some(leaf) => {
                        self.end(descent, leaf, flight);
                        false
                    }
                });
                descents.append(&mut parted);
            }
        }
        (self.descents, self.parted) = (descents, parted);
        self.state == State::Ready || !flight.landings.is_empty()
    }

    /// Of `most` simulations, the number that may start now.
    fn may_descend(&mut self, most: u32) -> u32 {
        if self.state != State::Ready {
            return 0;
        }
        if self.tree.node(self.tree.root()).proof.is_some() {
            self.state = State::Finished(Stop::Proven);
            return 0;
        }
        let left = self.left().saturating_sub(self.in_flight);
        if left == 0 && self.in_flight == 0 {
            self.state = State::Finished(Stop::Simulations);
        }
        left.min(most)
    }

    /// Ends the simulations of a descent at its leaf.
    fn end(&mut self, descent: &mut Descent, leaf: Leaf, flight: &mut Flight) {
        let (path, n) = (std::mem::take(&mut descent.path), descent.n);
        self.max_depth = self.max_depth.max(path.len());
        if !matches!(leaf, Leaf::Open { .. } | Leaf::Taken) {
            self.in_flight -= n;
        }
        match leaf {
            Leaf::Open { leaf, repetitions } => {
                let (position, moves) = (&self.tree.node(leaf).position, self.tree.moves(leaf));
                flight.batch.push(position, repetitions, moves);
                flight.push(Some(leaf), &path, n);
            }
            Leaf::Taken => flight.push(None, &path, n),
            Leaf::Settled(leaf, proof) => self.settle(&path, n, leaf, proof),
            Leaf::Known(node) => self.catch_up(&path, n, node),
            Leaf::NoMemory => {
                take_back(&mut self.tree, &path, n);
                if self.in_flight == 0 && !self.tree.make_room() {
                    self.state = State::Finished(Stop::Memory);
                }
            }
        }
        self.spare_paths.push(path);
    }

    /// Backs up the replies to a flight and empties it.
    ///
    /// # Errors
    ///
    /// If a reply is missing or not finite.
    pub fn land(&mut self, flight: &mut Flight) -> Result<(), EvaluatorError> {
        let mut request = 0;
        for landing in flight.landings.drain(..) {
            let path = &flight.steps[landing.steps];
            let evaluated = landing.leaf.is_some().into();
            if let Some(leaf) = landing.leaf {
                let (value, logits) = flight.batch.reply(request)?;
                self.evaluated(path, leaf, value, logits);
                request += 1;
            }
            if landing.n > evaluated {
                take_back(&mut self.tree, path, landing.n - evaluated);
            }
            self.in_flight -= landing.n;
        }
        if matches!(self.state, State::Waiting { .. }) && request > 0 {
            self.state = State::Ready;
        }
        Ok(())
    }

    /// Undoes a flight whose replies are no longer needed, as if its leaves had not been reached.
    pub(crate) fn abandon(&mut self, flight: &mut Flight) {
        for landing in flight.landings.drain(..) {
            let path = &flight.steps[landing.steps];
            take_back(&mut self.tree, path, landing.n);
            if let (Some(_), Some(last)) = (landing.leaf, path.last()) {
                // Without an evaluation, the node would look as if it were in flight.
                self.tree.edges_mut(last.node)[last.edge].child = None;
            }
            self.in_flight -= landing.n;
        }
    }

    /// Ends a search that has lost a flight; the tree is discarded.
    pub(crate) fn give_up(&mut self) {
        self.state = State::Idle;
    }
}
