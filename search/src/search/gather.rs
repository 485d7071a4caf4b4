//! Several leaves of one search at a time.

use super::simulate::{Descent, Leaf};
use super::{Search, State};
use crate::backup::take_back;
use crate::config::Mode;
use crate::flight::Flight;
use crate::{EvaluatorError, Stop};

/// Leaves of a flight at most: from eight on an evaluation gets hardly cheaper.
const MOST_LEAVES: u32 = 8;
/// Simulations for each leaf under way: with few, what is not known yet would lead too many astray.
const SIMULATIONS_PER_LEAF: u32 = 32;

impl Search {
    /// Threads that are worth their while in what is left to do, at most `most`.
    ///
    /// Sequential halving looks at one leaf after the other, because each decides on the next.
    pub(crate) fn threads_for(&self, most: usize) -> usize {
        match self.config.mode {
            Mode::Gumbel(_) => most.min(1),
            Mode::Puct(_) => most.min((self.left() / (4 * SIMULATIONS_PER_LEAF)).max(1) as usize),
        }
    }

    /// Whether there are simulations enough for one more flight beside those under way.
    pub(crate) fn has_room(&self) -> bool {
        self.in_flight * SIMULATIONS_PER_LEAF < 2 * self.tree.node(self.tree.root()).visits
    }

    /// Leaves of the next flight.
    fn n_leaves(&self) -> u32 {
        match self.config.mode {
            Mode::Gumbel(_) => 1,
            Mode::Puct(_) => {
                let visits = self.tree.node(self.tree.root()).visits;
                (visits / SIMULATIONS_PER_LEAF).clamp(1, MOST_LEAVES)
            }
        }
    }

    /// Fills an empty flight with leaves to evaluate, a few that depend on the visits so far; false if the
    /// search is over. It can stay empty if other flights are under way.
    ///
    /// A move counts as visited as soon as it is followed, while its value stays that of what has come back
    /// ("Watch the Unobserved", Liu et al., 2020), so simulations under way spread over different leaves.
    /// One that comes to a leaf which is under way already gives way, when its flight lands. They go down side by
    /// side, step by step, because a step mostly waits for memory.
    ///
    /// A tree that has filled its memory is recycled: the half that was visited least is dropped.
    pub fn gather(&mut self, flight: &mut Flight) -> bool {
        flight.clear();
        if let State::Waiting { leaf, repetitions } = self.state {
            if self.in_flight > 0 {
                return true;
            }
            let (position, moves) = (&self.tree.node(leaf).position, self.tree.moves(leaf));
            flight.batch.push(position, repetitions, moves);
            flight.push(Some(leaf), &self.path);
            self.in_flight = 1;
            return true;
        }
        let n_leaves = self.n_leaves() as usize;
        // Proven leaves take turns at the tree too, so that a stop is heard.
        let mut attempts = 4 * n_leaves;
        let mut descents = std::mem::take(&mut self.descents);
        loop {
            while attempts > 0
                && flight.batch.len() + descents.len() < n_leaves
                && self.may_descend()
            {
                attempts -= 1;
                self.in_flight += 1;
                descents.push(self.descend());
            }
            if descents.is_empty() {
                break;
            }
            descents.retain_mut(|descent| match self.step_down(descent) {
                None => true,
                Some(leaf) => {
                    self.end(descent, leaf, flight);
                    false
                }
            });
        }
        self.descents = descents;
        self.state == State::Ready || !flight.landings.is_empty()
    }

    /// Whether one more simulation may begin.
    fn may_descend(&mut self) -> bool {
        if self.state != State::Ready {
            return false;
        }
        if self.tree.node(self.tree.root()).proof.is_some() {
            self.state = State::Finished(Stop::Proven);
            return false;
        }
        let is_left = self.simulations + u64::from(self.in_flight) < self.budget;
        if !is_left && self.in_flight == 0 {
            self.state = State::Finished(Stop::Simulations);
        }
        is_left
    }

    /// Ends a simulation at its leaf.
    fn end(&mut self, descent: &mut Descent, leaf: Leaf, flight: &mut Flight) {
        let path = std::mem::take(&mut descent.path);
        self.max_depth = self.max_depth.max(path.len());
        let is_in_flight = matches!(leaf, Leaf::Open { .. } | Leaf::Taken);
        self.in_flight -= u32::from(!is_in_flight);
        match leaf {
            Leaf::Open { leaf, repetitions } => {
                let (position, moves) = (&self.tree.node(leaf).position, self.tree.moves(leaf));
                flight.batch.push(position, repetitions, moves);
                flight.push(Some(leaf), &path);
            }
            Leaf::Taken => flight.push(None, &path),
            Leaf::Settled(leaf, proof) => self.settle(&path, leaf, proof),
            Leaf::Known(node) => self.catch_up(&path, node),
            Leaf::NoMemory => {
                take_back(&mut self.tree, &path);
                if self.in_flight == 0 && !self.tree.make_room() {
                    self.state = State::Finished(Stop::Memory);
                }
            }
        }
        self.spare_paths.push(path);
    }

    /// Takes the replies to a flight, which is empty then.
    ///
    /// # Errors
    ///
    /// If a reply is missing or not finite.
    pub fn land(&mut self, flight: &mut Flight) -> Result<(), EvaluatorError> {
        let mut request = 0;
        for landing in flight.landings.drain(..) {
            let path = &flight.steps[landing.steps];
            match landing.leaf {
                Some(leaf) => {
                    let (value, logits) = flight.batch.reply(request)?;
                    self.evaluated(path, leaf, value, logits);
                    request += 1;
                }
                None => take_back(&mut self.tree, path),
            }
            self.in_flight -= 1;
        }
        if matches!(self.state, State::Waiting { .. }) && request > 0 {
            self.state = State::Ready;
        }
        Ok(())
    }

    /// Takes a flight back whose replies nobody waits for, as if its leaves had not been reached.
    pub(crate) fn abandon(&mut self, flight: &mut Flight) {
        for landing in flight.landings.drain(..) {
            let path = &flight.steps[landing.steps];
            take_back(&mut self.tree, path);
            if let (Some(_), Some(last)) = (landing.leaf, path.last()) {
                // A node without an evaluation would count as one that is under way.
                self.tree.edges_mut(last.node)[last.edge].child = None;
            }
            self.in_flight -= 1;
        }
    }

    /// Ends a search of which a flight is lost; what it found is forgotten.
    pub(crate) fn give_up(&mut self) {
        self.state = State::Idle;
    }
}
