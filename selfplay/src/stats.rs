//! Statistics of self-play.

use std::time::Duration;

use rules::Outcome;
use store::{Ply, Record, RecordedSearch};

use crate::game::FinishedGame;

/// Sums over the games of one call of [`play_games`](crate::play_games).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelfplayStats {
    /// Finished games.
    pub games: u64,
    /// Plies of all games, without random opening plies.
    pub plies: u64,
    /// Network evaluations of the finished games.
    pub evaluations: u64,
    /// Games drawn by a rule.
    pub draws: u64,
    /// Games truncated at the ply cap.
    pub truncated: u64,
    /// The number of batches passed to evaluators by all workers.
    pub batches: u64,
    /// The number of positions in these batches.
    pub asked: u64,
    /// The total time of all workers inside the evaluator.
    pub evaluator_time: Duration,
    /// The total time of all workers.
    pub worker_time: Duration,
}

impl SelfplayStats {
    /// Share of the decided games that were drawn, 0 to 1; 0 when there are none.
    #[must_use]
    pub fn draw_rate(&self) -> f64 {
        ratio(self.draws, self.games - self.truncated)
    }

    /// The mean number of plies per game.
    #[must_use]
    pub fn mean_plies(&self) -> f64 {
        ratio(self.plies, self.games)
    }

    /// Share of the workers' time spent inside the evaluator, 0 to 1.
    #[must_use]
    pub fn evaluator_share(&self) -> f64 {
        if self.worker_time.is_zero() {
            return 0.0;
        }
        self.evaluator_time.as_secs_f64() / self.worker_time.as_secs_f64()
    }

    /// Mean share of a batch of at most `batch_size` positions that was used, 0 to 1.
    #[must_use]
    pub fn batch_fill(&self, batch_size: usize) -> f64 {
        ratio(self.asked, self.batches * batch_size as u64)
    }

    /// Adds the batches and times of `other` without its games.
    pub fn add_work(&mut self, other: &SelfplayStats) {
        self.evaluations += other.evaluations;
        self.batches += other.batches;
        self.asked += other.asked;
        self.evaluator_time += other.evaluator_time;
        self.worker_time += other.worker_time;
    }

    pub(crate) fn add_game(&mut self, finished: &FinishedGame) {
        self.evaluations += finished.evaluations;
        self.add_record(&finished.record);
    }

    /// Adds a game without the work of playing it.
    pub fn add_record(&mut self, record: &Record) {
        self.games += 1;
        let is_played = |ply: &&Ply| ply.search != RecordedSearch::Opening;
        self.plies += record.plies.iter().filter(is_played).count() as u64;
        match record.result {
            Some(Outcome::Win(..)) => {}
            Some(Outcome::Draw(_)) => self.draws += 1,
            None => self.truncated += 1,
        }
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
