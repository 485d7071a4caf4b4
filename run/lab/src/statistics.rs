//! Statistics of the games of a run.

mod distinct;

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rules::{Color, Game, Outcome};
use serde::Serialize;
use store::{Damage, Games, Record, RecordedSearch};
use types::{Mean, entropy};

use crate::Result;
use distinct::Distinct;

/// Statistics by generation and in total.
#[derive(Debug, Serialize)]
pub struct Statistics {
    /// One for each generation.
    pub generations: Vec<GamesSummary>,
    /// All games together.
    pub total: GamesSummary,
    /// Damaged parts of files, whose games are left out.
    #[serde(skip)]
    pub damage: Vec<Damage>,
}

/// Statistics of some games. A position or game is repeated if it occurred earlier in the run.
#[derive(Debug, Serialize)]
pub struct GamesSummary {
    /// The generation; `None` for the total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u32>,
    /// Intact games.
    pub games: u64,
    /// Their positions.
    pub positions: u64,
    /// Games that Black won.
    pub black_wins: u64,
    /// Games that White won.
    pub white_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games cut off by the length limit.
    pub cut_off: u64,
    /// Number of games that each rule ended.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Mean plies per game.
    pub mean_plies: Option<f64>,
    /// Plies of the shortest game.
    pub min_plies: u64,
    /// Plies of the longest game.
    pub max_plies: u64,
    /// Mean number of legal moves.
    pub branching: Option<f64>,
    /// Mean entropy of the policy targets, in nats.
    pub policy_entropy: Option<f64>,
    /// Positions that occurred earlier in the run; an estimate beyond a million distinct positions.
    pub repeated_positions: u64,
    /// Games that occurred earlier in the run.
    pub repeated_games: u64,
}

/// Computes the statistics of a run's games. Damaged games are skipped.
///
/// # Errors
/// If a segment cannot be read.
pub fn statistics(games: &Games) -> Result<Statistics> {
    let (mut seen, mut total) = (Seen::default(), Counts::default());
    let (mut generations, mut damage) = (Vec::new(), Vec::new());
    for generation in games.generations()? {
        let mut counts = Counts::default();
        let read = games.read(generation)?;
        damage.extend(read.damage);
        for record in read.records {
            counts.add(&record, &mut seen);
        }
        total.merge(&counts);
        generations.push(counts.summary(Some(generation)));
    }
    let total = total.summary(None);
    Ok(Statistics {
        generations,
        total,
        damage,
    })
}

/// Positions and games of the run so far.
#[derive(Default)]
struct Seen {
    positions: Distinct,
    games: Distinct,
}

#[derive(Default)]
struct Counts {
    games: u64,
    positions: u64,
    /// Wins by color, draws, truncated games.
    results: [u64; 4],
    reasons: BTreeMap<&'static str, u64>,
    /// `None` before the first game.
    plies: Option<(u64, u64)>,
    n_moves: u64,
    n_policies: u64,
    entropy: f64,
    /// Positions that are new in the run.
    new_positions: u64,
    new_games: u64,
}

impl Counts {
    fn add(&mut self, record: &Record, seen: &mut Seen) {
        let n_plies = record.plies.len() as u64;
        self.games += 1;
        self.positions += n_plies;
        let (min, max) = self.plies.unwrap_or((n_plies, n_plies));
        self.plies = Some((min.min(n_plies), max.max(n_plies)));
        self.results[match record.result.map(Outcome::winner) {
            Some(Some(Color::Black)) => 0,
            Some(Some(Color::White)) => 1,
            Some(None) => 2,
            None => 3,
        }] += 1;
        if let Some(outcome) = record.result {
            *self.reasons.entry(outcome.reason()).or_default() += 1;
        }
        let mut hasher = DefaultHasher::new();
        let mut game = Game::new(record.start);
        for ply in &record.plies {
            let hash = game.position().hash();
            self.new_positions += seen.positions.insert(hash);
            self.n_moves += game.legal_moves().len() as u64;
            if let RecordedSearch::Full { policy, .. } = &ply.search {
                self.n_policies += 1;
                self.entropy += entropy(&policy.probabilities());
            }
            ply.mv.hash(&mut hasher);
            game.play(ply.mv);
        }
        record.start.hash().hash(&mut hasher);
        self.new_games += seen.games.insert(hasher.finish());
    }

    fn merge(&mut self, other: &Counts) {
        self.games += other.games;
        self.positions += other.positions;
        for (sum, n) in self.results.iter_mut().zip(other.results) {
            *sum += n;
        }
        for (reason, n) in &other.reasons {
            *self.reasons.entry(reason).or_default() += n;
        }
        self.plies = match (self.plies, other.plies) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        self.n_moves += other.n_moves;
        self.n_policies += other.n_policies;
        self.entropy += other.entropy;
        self.new_positions += other.new_positions;
        self.new_games += other.new_games;
    }

    fn summary(self, generation: Option<u32>) -> GamesSummary {
        let mean = |sum, n| Mean::of_sum(sum, n).get();
        let [black_wins, white_wins, draws, cut_off] = self.results;
        let (min_plies, max_plies) = self.plies.unwrap_or_default();
        GamesSummary {
            generation,
            games: self.games,
            positions: self.positions,
            black_wins,
            white_wins,
            draws,
            cut_off,
            mean_plies: mean(self.positions as f64, self.games),
            min_plies,
            max_plies,
            branching: mean(self.n_moves as f64, self.positions),
            policy_entropy: mean(self.entropy, self.n_policies),
            reasons: self.reasons,
            // The estimate of new positions may exceed their number.
            repeated_positions: self.positions.saturating_sub(self.new_positions),
            repeated_games: self.games.saturating_sub(self.new_games),
        }
    }
}

impl fmt::Display for Statistics {
    /// A table of the generations, and the rules that ended the games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "generation   games  positions  black %  white %  drawn %  plies  branching  entropy  repeated %"
        )?;
        for summary in self.generations.iter().chain([&self.total]) {
            writeln!(f, "{summary}")?;
        }
        let total = &self.total;
        writeln!(
            f,
            "\nlengths    {} to {} plies\nrepeated   {} positions, {} whole games\ncut off    {} games",
            total.min_plies,
            total.max_plies,
            total.repeated_positions,
            total.repeated_games,
            total.cut_off
        )?;
        for (reason, n) in &total.reasons {
            writeln!(f, "ended by   {reason}: {n} games")?;
        }
        Ok(())
    }
}

impl fmt::Display for GamesSummary {
    /// A row of the table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.generation.map_or("all".to_owned(), |n| n.to_string());
        let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
        write!(
            f,
            "{name:>10}  {:>6}  {:>9}  {:>7.1}  {:>7.1}  {:>7.1}  {:>5.0}  {:>9}  {:>7}  {:>10.1}",
            self.games,
            self.positions,
            share(self.black_wins, self.games),
            share(self.white_wins, self.games),
            share(self.draws, self.games),
            self.mean_plies.unwrap_or_default(),
            number(self.branching),
            number(self.policy_entropy),
            share(self.repeated_positions, self.positions),
        )
    }
}
