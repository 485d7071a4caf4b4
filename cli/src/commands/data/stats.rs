//! `crownhead data stats`: what the games of a run are like.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::PathBuf;

use rules::{Color, Game, Outcome};
use serde::Serialize;
use store::{Games, Record, RecordedSearch};

use super::distinct::Distinct;
use crate::output::Output;

/// Describe the games of a run, by generation and in all
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Branching is the mean number of legal moves, entropy that of the policy targets in nats. A position
or game is repeated if the run has it before, in this generation or an earlier one. Up to a million
different positions are counted exactly. Of more a sample is remembered, so that memory stays at
some 60 MB: in a run with ten million positions the share of repeated ones is within two points in a
generation, and within 0.1 in all. Damaged games are left out: `crownhead data check` finds them.

JSON: {\"generations\":[{\"generation\",\"games\",\"positions\",\"black_wins\",\"white_wins\",\"draws\",
\"cut_off\",\"reasons\":{..},\"mean_plies\",\"min_plies\",\"max_plies\",\"branching\",\"policy_entropy\",
\"repeated_positions\",\"repeated_games\"}],\"total\":{..}}. Means of nothing are null.

Examples:
  crownhead data stats runs/english
  crownhead data stats runs/english --format json")]
pub(super) struct StatsArgs {
    /// The run's directory
    #[arg(value_name = "DIR")]
    run: PathBuf,
}

#[derive(Serialize)]
struct Document {
    generations: Vec<Summary>,
    total: Summary,
}

#[derive(Debug, Serialize)]
struct Summary {
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u32>,
    games: u64,
    positions: u64,
    black_wins: u64,
    white_wins: u64,
    draws: u64,
    cut_off: u64,
    /// The rules that ended games.
    reasons: BTreeMap<&'static str, u64>,
    mean_plies: Option<f64>,
    min_plies: u64,
    max_plies: u64,
    branching: Option<f64>,
    policy_entropy: Option<f64>,
    repeated_positions: u64,
    repeated_games: u64,
}

impl StatsArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (run, file) = super::open(&self.run)?;
        let games = Games::new(&run.games_path(), file.variant);
        let (mut seen, mut total) = (Seen::default(), Counts::default());
        let mut generations = Vec::new();
        for generation in games.generations()? {
            let mut counts = Counts::default();
            for record in games.read(generation)?.records {
                counts.add(&record, &mut seen);
            }
            total.merge(&counts);
            generations.push(counts.summary(Some(generation)));
        }
        let total = total.summary(None);
        let document = Document { generations, total };
        if output.is_json() {
            return Ok(output.json(&document)?);
        }
        Ok(document.write(output)?)
    }
}

/// What the run has had so far.
#[derive(Default)]
struct Seen {
    positions: Distinct,
    games: Distinct,
}

#[derive(Default)]
struct Counts {
    games: u64,
    positions: u64,
    /// By color, draws, games that were cut off.
    results: [u64; 4],
    reasons: BTreeMap<&'static str, u64>,
    /// None before the first game.
    plies: Option<(u64, u64)>,
    n_moves: u64,
    n_policies: u64,
    entropy: f64,
    /// Those that the run did not have before.
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

    fn summary(self, generation: Option<u32>) -> Summary {
        let mean = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
        let [black_wins, white_wins, draws, cut_off] = self.results;
        let (min_plies, max_plies) = self.plies.unwrap_or_default();
        Summary {
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
            // An estimate of new ones may be greater than their number.
            repeated_positions: self.positions.saturating_sub(self.new_positions),
            repeated_games: self.games.saturating_sub(self.new_games),
        }
    }
}

/// In nats.
fn entropy(probabilities: &[f32]) -> f64 {
    let terms = probabilities.iter().filter(|p| **p > 0.0);
    terms.map(|p| f64::from(-p * p.ln())).sum()
}

impl Document {
    fn write(&self, output: &mut Output) -> std::io::Result<()> {
        writeln!(
            output,
            "generation   games  positions  black %  white %  drawn %  plies  branching  entropy  repeated %"
        )?;
        for summary in self.generations.iter().chain([&self.total]) {
            writeln!(output, "{}", summary.line())?;
        }
        let total = &self.total;
        writeln!(
            output,
            "\nlengths    {} to {} plies\nrepeated   {} games\ncut off    {} games",
            total.min_plies, total.max_plies, total.repeated_games, total.cut_off
        )?;
        for (reason, n) in &total.reasons {
            writeln!(output, "ended by   {reason}: {n} games")?;
        }
        Ok(())
    }
}

impl Summary {
    fn line(&self) -> String {
        let name = self.generation.map_or("all".to_owned(), |n| n.to_string());
        let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
        format!(
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
