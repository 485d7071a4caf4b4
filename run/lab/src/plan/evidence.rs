//! Recorded runs, and predictions of other runs from them.

use std::array;
use std::fs;
use std::path::Path;

use eval::anchors;
use model::Inputs;
use ratings::{Expected, Growth, Measured, Standing};
use serde::{Deserialize, Serialize};
use store::{RunDir, RunId};
use types::mean;

use super::Choice;
use crate::bench::Pace;
use crate::{Result, RunError};
use run::config::RunFile;
use run::{Ratings, SelfplayMetrics, Tag, TrainMetrics};

/// Most runs of RESULTS.md; those on an earlier scale with the results of their champions against
/// `alphabeta:depth=6`.
const RECORDED: &str = include_str!("../../data/runs.json");
/// Minimum ratio of games between two points of a run that both count: nearby ratings share their
/// uncertainty.
const APART: f64 = 1.3;

/// Recorded runs and matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The runs.
    pub runs: Vec<RecordedRun>,
    /// Matches between runs of different settings.
    pub contests: Vec<Contest>,
}

/// Record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRun {
    /// Its name.
    pub name: String,
    /// The game.
    pub variant: String,
    /// Preset of the network.
    pub preset: String,
    /// Input of the network.
    pub inputs: Inputs,
    /// `search.simulations`.
    pub simulations: u32,
    /// Mean positions per game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions_per_game: Option<f64>,
    /// Mean samples per game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples_per_game: Option<f64>,
    /// Its run id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The measured speed of its machine at the start, and the resulting progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<RecordedTime>,
    /// Its ratings, oldest first.
    pub points: Vec<RecordedPoint>,
}

/// Measured speed of a machine, and the duration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedTime {
    /// The machine's pace.
    #[serde(flatten)]
    pub pace: Pace,
    /// Hours of training on an otherwise idle machine.
    pub hours: f64,
    /// Self-play games by then.
    pub games: u64,
}

/// A champion's rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedPoint {
    /// Self-play games by then.
    pub games: u64,
    /// Elo above `random`.
    pub elo: f64,
    /// Half-width of the 95 % interval with the baselines' ratings taken as exact.
    pub ci95: f64,
}

/// A match between the champions of two runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contest {
    /// Its name.
    pub name: String,
    /// The game.
    pub variant: String,
    /// Preset of the networks.
    pub preset: String,
    /// Input of the networks.
    pub inputs: Inputs,
    /// Elo advantage of the first run.
    pub elo: f64,
    /// Half-width of the 95 % interval.
    pub ci95: f64,
    /// The two runs.
    pub arms: [ContestArm; 2],
}

/// One of the two runs of a match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestArm {
    /// Self-play games.
    pub games: u64,
    /// `search.simulations`.
    pub simulations: u32,
}

/// Mean figures of a self-play game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) positions_per_game: f64,
    pub(super) samples_per_game: f64,
}

impl Evidence {
    /// The runs built into the program: most runs of RESULTS.md.
    ///
    /// # Errors
    /// None is expected.
    pub fn recorded() -> Result<Evidence> {
        serde_json::from_str(RECORDED)
            .map_err(|error| RunError::Missing(format!("the recorded runs: {error}")))
    }

    /// Adds the runs in a directory, in the order of their names. Silently skips everything that is
    /// no usable run.
    pub fn add_all(&mut self, dir: &Path) {
        let children = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut children: Vec<_> = children.map(|child| child.path()).collect();
        children.sort();
        for path in children {
            let _ = RunDir::open(&path).map(|run| self.add(&run));
        }
    }

    /// Adds a run, or replaces the same run with fewer games.
    ///
    /// # Errors
    /// If it cannot be read, or its ratings are on another scale.
    pub fn add(&mut self, dir: &RunDir) -> Result<()> {
        let run = RecordedRun::read(dir)?;
        let same = |other: &&mut RecordedRun| run.run_id.is_some() && other.run_id == run.run_id;
        match self.runs.iter_mut().find(same) {
            None => self.runs.push(run),
            Some(other) if other.games() < run.games() => *other = run,
            Some(_) => {}
        }
        Ok(())
    }

    /// The runs of a game.
    pub fn of<'a>(&'a self, variant: &'a str) -> impl Iterator<Item = &'a RecordedRun> {
        self.runs.iter().filter(move |run| run.variant == variant)
    }

    /// The reason why nothing can be predicted for a network in a game; `None` if a prediction is
    /// possible.
    pub(super) fn missing(&self, variant: &str, preset: &str, simulations: u32) -> Option<String> {
        if self.of(variant).next().is_none() {
            return Some(format!("no run of {variant} has been recorded"));
        }
        if !self.runs.iter().any(|run| run.preset == preset) {
            return Some(format!("no run with {preset} has been recorded"));
        }
        let most = self.simulations().max()?;
        (simulations > most)
            .then(|| format!("no run with more than {most} simulations has been recorded"))
    }

    /// Simulations of the recorded runs.
    pub fn simulations(&self) -> impl Iterator<Item = u32> {
        let arms = self.contests.iter().flat_map(|contest| contest.arms);
        let runs = self.runs.iter().map(|run| run.simulations);
        runs.chain(arms.map(|arm| arm.simulations))
    }

    /// Mean figures of a game in the runs of a variant, if possible with the same network input.
    /// Without a run of the variant, samples are averaged over all variants.
    pub(super) fn figures(
        &self,
        variant: &str,
        inputs: Inputs,
        positions_per_game: f64,
    ) -> Figures {
        let mut alike: Vec<&RecordedRun> = self.of(variant).collect();
        if alike.iter().any(|run| run.inputs == inputs) {
            alike.retain(|run| run.inputs == inputs);
        }
        let positions = alike.iter().filter_map(|run| run.positions_per_game);
        let positions = mean(positions).unwrap_or(positions_per_game);
        let share = |run: &RecordedRun| Some(run.samples_per_game? / run.positions_per_game?);
        let own = mean(alike.iter().copied().filter_map(share));
        let any = || mean(self.runs.iter().filter_map(share));
        Figures {
            positions_per_game: positions,
            samples_per_game: positions * own.or_else(any).unwrap_or(0.5),
        }
    }

    /// The growth model fitted to the runs; `None` without runs.
    pub(super) fn growth(&self) -> Option<Known> {
        let mut known = Numbers::default();
        let mut measured = Vec::new();
        for (number, run) in self.runs.iter().enumerate() {
            let names = [&run.variant, &run.preset, run.inputs.name()];
            for point in &run.points {
                let games = point.games as f64;
                let at = known.standing(names, run.simulations, games, Some(number));
                measured.push(Measured {
                    terms: vec![(1.0, at)],
                    elo: point.elo,
                    ci95: point.ci95,
                });
            }
        }
        let n_runs = self.runs.len() + 2 * self.contests.len();
        for (number, contest) in self.contests.iter().enumerate() {
            let mut arm = |place: usize, factor: f64| {
                let ContestArm { games, simulations } = contest.arms[place];
                let names = [&contest.variant, &contest.preset, contest.inputs.name()];
                let run = self.runs.len() + 2 * number + place;
                (
                    factor,
                    known.standing(names, simulations, games as f64, Some(run)),
                )
            };
            measured.push(Measured {
                terms: vec![arm(0, 1.0), arm(1, -1.0)],
                elo: contest.elo,
                ci95: contest.ci95,
            });
        }
        let growth = Growth::new(measured, n_runs)?;
        Some(Known {
            growth,
            numbers: known,
        })
    }
}

/// The growth model, addressed by names of games and networks.
pub(super) struct Known {
    growth: Growth,
    numbers: Numbers,
}

impl Known {
    /// The expected position of a new run with these settings.
    pub(super) fn standing(&self, variant: &str, choice: &Choice, games: f64) -> Standing {
        let names = [variant, &choice.preset, choice.inputs.name()];
        let mut numbers = self.numbers.clone();
        numbers.standing(names, choice.simulations, games, None)
    }

    /// The expected value of a weighted sum of ratings.
    pub(super) fn expect(&self, terms: &[(f64, Standing)]) -> Expected {
        self.growth.expect(terms)
    }
}

/// The names of games, networks and inputs by their indices.
#[derive(Clone, Debug, Default)]
struct Numbers([Vec<String>; 3]);

impl Numbers {
    /// The state of a run, given by the names of its game, network and inputs.
    fn standing(
        &mut self,
        names: [&str; 3],
        simulations: u32,
        games: f64,
        run: Option<usize>,
    ) -> Standing {
        let [game, network, inputs] = array::from_fn(|kind| {
            let (known, name) = (&mut self.0[kind], names[kind]);
            known
                .iter()
                .position(|known| known == name)
                .unwrap_or_else(|| {
                    known.push(name.to_owned());
                    known.len() - 1
                })
        });
        Standing {
            game,
            network,
            inputs,
            run,
            games,
            simulations: simulations.into(),
        }
    }
}

impl RecordedRun {
    /// Reads the record of a run directory.
    fn read(dir: &RunDir) -> Result<RecordedRun> {
        let refused = |reason: &str| {
            let run = dir.path().display();
            RunError::Missing(format!("{run} cannot be used: {reason}"))
        };
        let file = RunFile::read(dir)?;
        if file.origin.is_some() {
            return Err(refused("it started from another run"));
        }
        let ratings: Ratings = dir.ratings()?.unwrap_or_default();
        let anchors = anchors::shipped(file.variant).filter(|_| ratings.fit.is_some());
        let anchors =
            anchors.ok_or_else(|| refused("it has no ratings on the scale of this version yet"))?;
        let ratings = ratings.on_scale_of(&anchors)?;
        let config = &file.resolved.config;
        let mut points: Vec<RecordedPoint> = Vec::new();
        for rating in &ratings.points {
            let (Some(games), Some(ci95)) = (rating.selfplay_games, rating.ci95_on_scale) else {
                continue;
            };
            let enough = |last: &RecordedPoint| games as f64 >= APART * last.games as f64;
            if points.last().is_none_or(enough) {
                let elo = rating.elo;
                points.push(RecordedPoint { games, elo, ci95 });
            }
        }
        let curves = dir.metrics()?;
        let values = |tag: Tag| {
            let lines = curves.iter();
            lines.filter_map(move |line| line.values.get(tag.name()).copied().flatten())
        };
        let learned =
            mean(values(TrainMetrics::STEPS)).map(|steps| steps * config.train.batch_size as f64);
        let samples =
            config.train.samples_per_position * f64::from(config.selfplay.games_per_generation);
        Ok(RecordedRun {
            name: dir.path().display().to_string(),
            variant: file.variant.name().to_owned(),
            preset: config.model.preset.clone(),
            inputs: config.model.inputs,
            simulations: config.search.simulations,
            positions_per_game: mean(values(SelfplayMetrics::MEAN_PLIES)),
            samples_per_game: learned.map(|positions| positions / samples),
            run_id: file.run_id,
            measured: None,
            points,
        })
    }

    /// Self-play games at its last rating.
    pub(super) fn games(&self) -> u64 {
        self.points.last().map_or(0, |point| point.games)
    }
}
