//! Sequential halving at the root.

use crate::formulas::{phase_rounds, survivors_after};

/// The state of sequential halving over the root moves.
///
/// A phase visits each survivor equally often, in turn; then the better half advances. Moves proven
/// in the meantime get no more visits. The buffer is reused from search to search.
#[derive(Default)]
pub(crate) struct Halving {
    /// The total number of simulations.
    simulations: u32,
    /// The number of moves in the first phase.
    considered: u32,
    /// The moves of this phase, most promising first.
    survivors: Vec<usize>,
    /// The number of survivors already visited in this round.
    next: usize,
    /// Rounds left in this phase, including the current one.
    rounds_left: u32,
}

impl Halving {
    /// Starts with the moves of highest score: at most `max_considered`, and at most one per
    /// simulation.
    pub(crate) fn start(
        &mut self,
        simulations: u32,
        max_considered: u32,
        scores: &[f32],
        is_open: impl Fn(usize) -> bool,
    ) {
        self.simulations = simulations;
        self.survivors.clear();
        self.survivors
            .extend((0..scores.len()).filter(|&i| is_open(i)));
        self.keep_best(max_considered.min(simulations).max(1), scores);
        self.considered = self.survivors.len() as u32;
        self.begin_phase();
    }

    /// The next move to visit, or `None` at the end of a phase.
    pub(crate) fn next(&mut self, is_open: impl Fn(usize) -> bool) -> Option<usize> {
        while self.rounds_left > 0 && self.survivors.iter().any(|&i| is_open(i)) {
            while let Some(&i) = self.survivors.get(self.next) {
                self.next += 1;
                if is_open(i) {
                    return Some(i);
                }
            }
            self.next = 0;
            self.rounds_left -= 1;
        }
        None
    }

    /// Starts the next phase with the better half of the moves; false if all of them are proven.
    pub(crate) fn halve(&mut self, scores: &[f32], is_open: impl Fn(usize) -> bool) -> bool {
        let n_survivors = survivors_after(self.survivors.len() as u32);
        self.survivors.retain(|&i| is_open(i));
        self.keep_best(n_survivors, scores);
        self.begin_phase();
        !self.survivors.is_empty()
    }

    /// The moves of this phase.
    pub(crate) fn survivors(&self) -> &[usize] {
        &self.survivors
    }

    fn keep_best(&mut self, n: u32, scores: &[f32]) {
        self.survivors
            .sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        self.survivors.truncate(n as usize);
    }

    fn begin_phase(&mut self) {
        let n_survivors = self.survivors.len().max(1) as u32;
        self.rounds_left = phase_rounds(self.simulations, self.considered, n_survivors);
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits per move, best move first, if scores never change.
    fn schedule(considered: usize, simulations: u32) -> Vec<u32> {
        let scores: Vec<f32> = (0..considered).map(|i| -(i as f32)).collect();
        let (mut halving, mut visits) = (Halving::default(), vec![0; considered]);
        halving.start(simulations, 100, &scores, |_| true);
        for _ in 0..simulations {
            let i = loop {
                match halving.next(|_| true) {
                    Some(i) => break i,
                    None => assert!(halving.halve(&scores, |_| true)),
                }
            };
            visits[i] += 1;
        }
        visits
    }

    /// Values from `mctx` 0.0.71: `seq_halving.get_sequence_of_considered_visits(m, n)` lists the
    /// previous visit count of each visited move, so the count of `v` is the number of moves
    /// visited more than `v` times.
    #[test]
    fn schedules_equal_mctx() {
        assert_eq!(schedule(1, 5), [5]);
        assert_eq!(schedule(2, 8), [4, 4]);
        assert_eq!(schedule(3, 16), [7, 7, 2]);
        assert_eq!(schedule(4, 16), [6, 6, 2, 2]);
        assert_eq!(schedule(5, 7), [2, 2, 1, 1, 1]);
        assert_eq!(schedule(6, 16), [6, 5, 2, 1, 1, 1]);
        assert_eq!(schedule(8, 8), [1; 8]);
        assert_eq!(schedule(8, 32), [11, 11, 3, 3, 1, 1, 1, 1]);
        assert_eq!(schedule(7, 50), [18, 17, 7, 2, 2, 2, 2]);
        let mut expected = [1; 16];
        expected[..2].fill(15);
        expected[2..4].fill(7);
        expected[4..8].fill(3);
        assert_eq!(schedule(16, 64), expected);
        expected.fill(3);
        expected[..2].fill(49);
        expected[2..4].fill(21);
        expected[4..8].fill(9);
        expected[8..].fill(3);
        assert_eq!(schedule(16, 200), expected);
    }

    #[test]
    fn the_considered_moves_are_the_best_and_no_more_than_simulations() {
        let mut halving = Halving::default();
        halving.start(4, 16, &[0.1, 0.5, 0.3, 0.2, 0.4, 0.0], |_| true);
        assert_eq!(halving.survivors(), [1, 4, 2, 3]);
        halving.start(100, 3, &[0.1, 0.5, 0.3, 0.2, 0.4, 0.0], |i| i != 4);
        assert_eq!(halving.survivors(), [1, 2, 3]);
    }

    #[test]
    fn settled_moves_leave() {
        let (mut halving, scores) = (Halving::default(), [0.0, -1.0, -2.0, -3.0]);
        halving.start(16, 16, &scores, |_| true);
        let is_open = |i: usize| i != 0 && i != 2;
        let visited: Vec<_> = std::iter::from_fn(|| halving.next(is_open)).collect();
        assert_eq!(visited, [1, 3, 1, 3]);
        assert!(halving.halve(&scores, is_open));
        assert_eq!(halving.survivors(), [1, 3]);
        assert!(!halving.halve(&scores, |_| false));
    }

    #[test]
    fn scores_decide_who_stays() {
        let mut halving = Halving::default();
        halving.start(8, 16, &[3.0, 2.0, 1.0, 0.0], |_| true);
        while halving.next(|_| true).is_some() {}
        assert!(halving.halve(&[0.0, 1.0, 2.0, 3.0], |_| true));
        assert_eq!(halving.survivors(), [3, 2]);
    }
}
