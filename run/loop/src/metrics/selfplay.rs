//! Statistics of the games of a generation.

use std::collections::HashSet;
use std::time::Duration;

use rules::{Color, Move, Outcome};
use search::SearchConfig;
use selfplay::{SelfplayConfig, SelfplayStats};
use store::{Record, RecordedSearch};
use types::{Mean, entropy};

use super::SelfplayMetrics;

/// Sums over the records of a generation.
#[derive(Debug, Default)]
pub(crate) struct Generation {
    games: u64,
    finished: u64,
    draws: u64,
    plies: u64,
    /// Half points of the side that moved first, in finished games.
    first_half_points: u64,
    moves: HashSet<Vec<Move>>,
    targets: u64,
    fast: u64,
    entropy: f64,
    surprise: f64,
}

impl Generation {
    /// Adds a game.
    pub(crate) fn add(&mut self, record: &Record) {
        self.games += 1;
        self.plies += record.plies.len() as u64;
        if let Some(outcome) = record.result {
            self.finished += 1;
            self.draws += u64::from(matches!(outcome, Outcome::Draw(_)));
            let first: Color = record.header.variant.rules().first_player;
            self.first_half_points += u64::from(outcome.half_points(first));
        }
        self.moves
            .insert(record.plies.iter().map(|ply| ply.mv).collect());
        for ply in &record.plies {
            match &ply.search {
                RecordedSearch::Full {
                    surprise, policy, ..
                } => {
                    self.targets += 1;
                    self.entropy += entropy(&policy.probabilities());
                    self.surprise += f64::from(surprise.nats());
                }
                RecordedSearch::Fast { .. } => self.fast += 1,
                RecordedSearch::Forced { .. } | RecordedSearch::Opening => {}
            }
        }
    }

    /// The curves. `stats` covers the games that this process played within `elapsed`.
    pub(crate) fn metrics(
        &self,
        stats: &SelfplayStats,
        search: &SearchConfig,
        config: &SelfplayConfig,
        elapsed: Duration,
    ) -> SelfplayMetrics {
        let per_second = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-9);
        let mean = |sum, n| Mean::of_sum(sum, n).get();
        let simulations = self.targets * u64::from(search.simulations)
            + self.fast * u64::from(config.fast_simulations(search));
        let searched = self.targets + self.fast;
        SelfplayMetrics {
            games_per_s: per_second(stats.games),
            positions_per_s: per_second(stats.plies),
            evaluations_per_s: per_second(stats.evaluations),
            network_share: stats.evaluator_share(),
            batch_fill: stats.batch_fill(config.concurrent_games),
            draw_rate: mean(self.draws as f64, self.finished).unwrap_or(0.0),
            mean_plies: mean(self.plies as f64, self.games).unwrap_or(0.0),
            truncated: self.games - self.finished,
            first_player_score: mean(self.first_half_points as f64 / 2.0, self.finished),
            duplicate_rate: 1.0 - self.moves.len() as f64 / self.games.max(1) as f64,
            simulations: mean(simulations as f64, searched).unwrap_or(0.0),
            target_entropy: mean(self.entropy, self.targets),
            search_gain: mean(self.surprise, self.targets),
        }
    }
}
