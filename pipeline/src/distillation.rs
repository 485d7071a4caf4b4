//! From games to an evaluation for alpha-beta search, round by round.
//!
//! Round 0 learns from the games of a run. Every later round plays games with the best evaluation so far,
//! goes on learning from all games there are, and is kept if it holds its own against the best. Without a run
//! the first games are played by a teacher, or by a search that only counts material: then nothing but the
//! rules is needed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use alphabeta::{Evaluation, MaterialBalance, Resources};
use distill::{Collector, Examples, Loss, PlayConfig, Summary, Training, play_games};
use engine::{AlphaBetaConfig, AlphaBetaPlayer, Player};
use eval::{Adjudication, Arena, Counts, EloInterval, MatchResult, PlayerFactory, play_match};
use nnue::{Manifest, Network};
use rules::{Game, Position, Variant};
use search::Seed;
use serde::{Deserialize, Serialize};
use store::{DistillDir, EvaluationFiles, GameId, Games, Header, RunDir};

use crate::config::RunFile;
use crate::error::Within as _;
use crate::evaluations::{EvaluationError, EvaluationSource, read};
use crate::{PipelineError, RequestError, Result};

/// Steps between two looks at the clock.
const STEPS_AT_ONCE: u64 = 20;
/// Steps whose time says how many there will be.
const MEASURED_STEPS: u64 = 60;
/// Time between two states on disk.
const SAVE_INTERVAL: Duration = Duration::from_secs(30);
/// Pairs of games that decide whether a round is kept.
const CONTEST_PAIRS: usize = 100;
/// So many times the positions that a move visits in the games that are learnt from are visited in those
/// that decide.
const CONTEST_EFFORT: u64 = 5;
/// The table of each player of a contest.
const CONTEST_TABLE_BYTES: usize = 8 << 20;
/// So many rounds in a row that are not kept end the distillation.
const MOST_FAILURES: usize = 2;

/// What a distillation learns from, and how. All of it decides what comes out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistillSettings {
    /// The game.
    pub variant: String,
    /// The run whose games come first.
    pub run: Option<PathBuf>,
    /// The evaluation to go on from, `bundled` or a directory; nothing for an untrained one. Without a run
    /// it plays the first games, or a search that counts material does.
    pub teacher: Option<String>,
    /// How an evaluation learns.
    pub learning: distill::Config,
    /// How games are played.
    pub play: PlayConfig,
}

/// What a distillation has come to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distillation {
    /// What it learns from.
    pub settings: DistillSettings,
    /// What each round has learnt, the first one first.
    pub rounds: Vec<DistillRound>,
}

/// What a round has learnt.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistillRound {
    /// Its number; 0 learns from the run alone.
    pub round: u32,
    /// What it learnt from.
    pub examples: Summary,
    /// Steps of training.
    pub steps: u64,
    /// The error on games that were held out.
    pub held_out: Loss,
    /// How it did against the best evaluation before.
    pub contest: Option<Contest>,
    /// Whether it is the best one now.
    pub kept: bool,
}

/// A match between what a round has learnt and the best evaluation before it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contest {
    /// Whom it played: a round's number, the teacher or `material`.
    pub against: String,
    /// Positions that each move visited.
    pub nodes: u64,
    /// Results of the new one.
    pub counts: Counts,
    /// Its advantage.
    pub elo: EloInterval,
}

/// How much to do in this call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DistillBudget {
    /// The number of the last round.
    pub rounds: u32,
    /// About how long each round trains; nothing for the number of steps in the settings.
    pub training_time: Option<Duration>,
    /// Threads.
    pub threads: usize,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum DistillEvent<'a> {
    /// So many generations of the run of so many are read.
    Reading {
        /// Generations.
        done: usize,
        /// All generations.
        total: usize,
        /// Positions so far.
        positions: usize,
    },
    /// So many games of the round of so many are played.
    Playing {
        /// The round.
        round: u32,
        /// Games.
        done: usize,
        /// All games.
        total: usize,
    },
    /// A step of training is done.
    Training {
        /// The round.
        round: u32,
        /// Steps so far.
        done: u64,
        /// All steps.
        total: u64,
        /// The error by the target, smoothed.
        error: f64,
    },
    /// A pair of the contest is played.
    Contest {
        /// The result so far.
        result: &'a MatchResult,
        /// All pairs.
        total: usize,
    },
    /// A round is over.
    Finished(&'a DistillRound),
}

/// Who is told.
pub type DistillObserver<'a> = dyn FnMut(&DistillEvent<'_>) + Send + 'a;

/// Goes on with the distillation in a directory, or begins one, until the budget is used up, rounds no
/// longer help, or `stop` is set; whether it came to its end.
///
/// Each round depends on the settings, its number and its steps alone, not on threads or earlier stops.
///
/// # Errors
/// When the directory holds a distillation with other settings, the games cannot be read, or the disk
/// refuses.
pub fn distill(
    path: &Path,
    settings: &DistillSettings,
    budget: &DistillBudget,
    (stop, observer): (&AtomicBool, &mut DistillObserver<'_>),
) -> Result<(Distillation, bool)> {
    let variant: Variant = settings
        .variant
        .parse()
        .map_err(|error: rules::UnknownVariant| RequestError(error.to_string()))?;
    let (dir, found) = DistillDir::open::<Distillation>(path)?;
    let distillation = match found {
        Some(found) if found.settings != *settings => {
            return Err(RequestError(format!(
                "{} holds a distillation with other settings: give the same ones or another directory",
                path.display()
            ))
            .into());
        }
        Some(found) => found,
        None => {
            let new = Distillation {
                settings: settings.clone(),
                rounds: Vec::new(),
            };
            dir.commit(&new)?;
            new
        }
    };
    let teacher = match &settings.teacher {
        Some(name) => Some(EvaluationSource::parse(name).load(variant)?),
        None => None,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads);
    let mut work = Work {
        variant,
        dir,
        distillation,
        teacher: teacher.map(Arc::new),
        budget,
        stop,
    };
    let pool = pool.build().map_err(|source| PipelineError::Threads {
        source: source.into(),
    })?;
    while !work.is_finished() {
        let Some(round) = work.make_round(&pool, observer)? else {
            return Ok((work.distillation, false));
        };
        observer(&DistillEvent::Finished(&round));
    }
    Ok((work.distillation, true))
}

impl Distillation {
    /// The number of the round whose evaluation is the best so far.
    pub fn best(&self) -> Option<&DistillRound> {
        self.rounds.iter().rev().find(|round| round.kept)
    }
}

/// Whose evaluation a search uses.
enum Judge {
    Material,
    Network(Arc<Network>),
}

/// A distillation that is going on.
struct Work<'a> {
    variant: Variant,
    dir: DistillDir,
    distillation: Distillation,
    teacher: Option<Arc<Network>>,
    budget: &'a DistillBudget,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    fn settings(&self) -> &DistillSettings {
        &self.distillation.settings
    }

    /// The number of the round that comes next.
    fn round(&self) -> u32 {
        let first = u32::from(self.settings().run.is_none());
        first + self.distillation.rounds.len() as u32
    }

    fn is_finished(&self) -> bool {
        let rounds = &self.distillation.rounds;
        let failures = rounds.iter().rev().take_while(|round| !round.kept).count();
        self.round() > self.budget.rounds || failures >= MOST_FAILURES
    }

    /// The best evaluation so far and its name.
    fn best(&self) -> Result<(String, Judge)> {
        if let Some(best) = self.distillation.best() {
            let network = read(&self.dir.round_path(best.round))?;
            return Ok((
                format!("round {}", best.round),
                Judge::Network(Arc::new(network)),
            ));
        }
        Ok(match (&self.teacher, &self.settings().teacher) {
            (Some(network), Some(name)) => (name.clone(), Judge::Network(Arc::clone(network))),
            _ => ("material".to_owned(), Judge::Material),
        })
    }

    /// Plays, learns and compares; nothing when it was stopped.
    fn make_round(
        &mut self,
        pool: &rayon::ThreadPool,
        observer: &mut DistillObserver<'_>,
    ) -> Result<Option<DistillRound>> {
        let round = self.round();
        if round > 0 && !pool.install(|| self.play(round, observer))? {
            return Ok(None);
        }
        let examples = self.gather(round, observer)?;
        let Some(training) = pool.install(|| self.train(round, &examples, observer))? else {
            return Ok(None);
        };
        let network = training
            .network()
            .map_err(EvaluationError::from)
            .within(|| "training has diverged (try another seed)".to_owned())?;
        let bytes = network.to_bytes().map_err(EvaluationError::from)?;
        let contest = self.compare(&network, observer)?;
        if self.stop.load(Ordering::Relaxed) && contest.is_none() && self.has_rival() {
            return Ok(None);
        }
        let kept = contest
            .as_ref()
            .is_none_or(|contest| contest.counts.score() >= 0.5);
        let result = DistillRound {
            round,
            examples: examples.summary,
            steps: training.step(),
            held_out: training.loss(&examples.held_out),
            contest,
            kept,
        };
        let manifest = self.manifest(&network, &result)?;
        let files = EvaluationFiles {
            evaluation: &bytes,
            manifest: manifest.as_bytes(),
        };
        self.dir.write_round(round, files)?;
        if kept {
            self.dir.write_best(files)?;
        }
        self.distillation.rounds.push(result.clone());
        self.dir.commit(&self.distillation)?;
        self.dir.remove_training(round)?;
        Ok(Some(result))
    }

    /// Whether there is somebody to compare a round with.
    fn has_rival(&self) -> bool {
        self.round() > 0
    }

    /// Plays the games of the round that are not on disk yet; whether all of them are there now.
    fn play(&self, round: u32, observer: &mut DistillObserver<'_>) -> Result<bool> {
        let mut writer = Games::new(&self.dir.games_path(), self.variant).writer(round)?;
        let total = self.settings().play.games;
        let numbers: Vec<u32> = (0..total)
            .filter(|number| !writer.numbers().contains(number))
            .collect();
        if numbers.is_empty() {
            return Ok(true);
        }
        let (name, judge) = self.best()?;
        let header = Header {
            variant: self.variant,
            rules_version: self.variant.rules_version(),
            seed: self.settings().learning.seed,
            id: GameId {
                generation: round,
                number: 0,
            },
            network: name,
            config_hash: 0,
        };
        let mut outcome = Ok(());
        let mut sink = |record| {
            outcome = writer.append(&record).map(|_| ());
            observer(&DistillEvent::Playing {
                round,
                done: writer.numbers().len(),
                total: total as usize,
            });
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        };
        let (job, config) = ((&header, &numbers[..]), &self.settings().play);
        match &judge {
            Judge::Material => play_games(job, (config, &MaterialBalance), self.stop, &mut sink),
            Judge::Network(network) => play_games(job, (config, network), self.stop, &mut sink),
        }
        outcome?;
        writer.sync()?;
        Ok(writer.numbers().len() == total as usize)
    }

    /// The positions of the run and of all rounds so far.
    fn gather(&self, round: u32, observer: &mut DistillObserver<'_>) -> Result<Examples> {
        let settings = self.settings();
        let mut collector = Collector::new(self.variant, &settings.learning);
        let mut sources = Vec::new();
        if let Some(run) = &settings.run {
            let games = Games::new(&RunDir::open(run)?.games_path(), self.variant);
            sources.extend(
                games
                    .generations()?
                    .into_iter()
                    .map(|id| (games.clone(), id)),
            );
        }
        let games = Games::new(&self.dir.games_path(), self.variant);
        sources.extend((1..=round).map(|id| (games.clone(), id)));
        let total = sources.len();
        for (done, (games, generation)) in (1..).zip(sources) {
            for record in games.read(generation)?.records {
                collector.add(&record);
            }
            observer(&DistillEvent::Reading {
                done,
                total,
                positions: collector.n_positions(),
            });
        }
        let examples = collector.finish(&settings.learning);
        if examples.training.is_empty() || examples.held_out.is_empty() {
            let message = match &settings.run {
                Some(run) => format!(
                    "the run {} has too few finished games to learn from: train it longer",
                    run.display()
                ),
                None => "there are too few finished games to learn from: play more".to_owned(),
            };
            return Err(PipelineError::Missing(message));
        }
        Ok(examples)
    }

    /// Training as it was left, or from the beginning; nothing when it was stopped.
    fn train(
        &self,
        round: u32,
        examples: &Examples,
        observer: &mut DistillObserver<'_>,
    ) -> Result<Option<Training>> {
        let mut training = match self.dir.training(round)? {
            Some(bytes) => Training::from_bytes(&bytes)
                .within(|| format!("failed to read {}", self.dir.training_path(round).display()))?,
            None => self.begin(examples)?,
        };
        let mut saved = Instant::now();
        let mut shown = None;
        while !training.is_finished() {
            let total = training.config().steps;
            let loss = training.advance(examples, STEPS_AT_ONCE.min(total - training.step()));
            let error = shown.map_or(loss, |mean: f64| 0.95 * mean + 0.05 * loss);
            shown = Some(error);
            observer(&DistillEvent::Training {
                round,
                done: training.step(),
                total,
                error,
            });
            let is_stopped = self.stop.load(Ordering::Relaxed);
            if is_stopped || saved.elapsed() >= SAVE_INTERVAL {
                self.dir.save_training(round, &training.to_bytes()?)?;
                saved = Instant::now();
            }
            if is_stopped {
                return Ok(None);
            }
        }
        self.dir.save_training(round, &training.to_bytes()?)?;
        Ok(Some(training))
    }

    /// The best network so far or an untrained one, with as many steps before it as there is time for.
    fn begin(&self, examples: &Examples) -> Result<Training> {
        let config = self.settings().learning;
        let mut training = match self.best()? {
            (_, Judge::Network(best)) => Training::from_network(&best, config),
            (_, Judge::Material) => Training::new(self.variant, config),
        };
        if let Some(time) = self.budget.training_time {
            let mut trial = training.clone();
            let started = Instant::now();
            trial.advance(examples, MEASURED_STEPS);
            let a_step = started.elapsed().as_secs_f64() / MEASURED_STEPS as f64;
            let steps = (time.as_secs_f64() / a_step) as u64;
            training.set_steps(steps.max(MEASURED_STEPS));
        }
        Ok(training)
    }

    /// The network against the best one before; nothing if there is none, or when it was stopped.
    fn compare(
        &self,
        network: &Network,
        observer: &mut DistillObserver<'_>,
    ) -> Result<Option<Contest>> {
        if !self.has_rival() {
            return Ok(None);
        }
        let (against, judge) = self.best()?;
        let nodes = CONTEST_EFFORT * self.settings().play.nodes;
        let new = player("new", Judge::Network(Arc::new(network.clone())), nodes);
        let old = player("old", judge, nodes);
        let seed = Seed::new(self.settings().learning.seed);
        let arena = Arena {
            seed,
            threads: self.budget.threads,
            pairs_at_once: 1,
            first_pair: 0,
            adjudication: Adjudication::OFF,
            stop: self.stop,
        };
        let openings = eval::openings::sample(self.variant, CONTEST_PAIRS, seed);
        let total = openings.len();
        let result = play_match([&new, &old], &openings, &arena, &mut |result| {
            observer(&DistillEvent::Contest { result, total });
            ControlFlow::Continue(())
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(Contest {
            against,
            nodes,
            counts: result.total(),
            elo: result.elo(),
        }))
    }

    fn manifest(&self, network: &Network, round: &DistillRound) -> Result<String> {
        let training = serde_json::json!({ "settings": self.settings(), "round": round });
        let golden = golden_positions(self.variant);
        let manifest = Manifest::new(network, training, &golden);
        Ok(manifest.to_json().map_err(EvaluationError::from)?)
    }
}

fn player(name: &'static str, judge: Judge, nodes: u64) -> PlayerFactory<'static> {
    fn make<E: Evaluation + 'static>(name: &str, evaluation: E, nodes: u64) -> Box<dyn Player>
    where
        E::State: 'static,
    {
        let config = AlphaBetaConfig {
            resources: Resources {
                table_bytes: CONTEST_TABLE_BYTES,
                threads: 1,
            },
            depth: None,
            nodes: Some(nodes),
            usual_nodes: nodes,
        };
        Box::new(AlphaBetaPlayer::new(name, evaluation, config))
    }
    PlayerFactory::new(name, move || {
        Ok(match &judge {
            Judge::Material => make(name, MaterialBalance, nodes),
            Judge::Network(network) => make(name, Arc::clone(network), nodes),
        })
    })
}

/// Positions along a game in which the last legal move is always made: quiet or not, they have scores.
fn golden_positions(variant: Variant) -> Vec<Position> {
    let mut game = Game::new(Position::start(variant));
    let mut positions = Vec::new();
    while game.outcome().is_none() && positions.len() < 40 {
        positions.push(*game.position());
        let moves = game.legal_moves();
        game.play(moves[moves.len() - 1]);
    }
    positions
}

/// The game of a run.
///
/// # Errors
/// When there is no run.
pub fn game_of(run: &Path) -> Result<Variant> {
    let name = run.join("run.toml").display().to_string();
    let file = RunFile::parse(&name, &RunDir::open(run)?.config()?)?;
    Ok(file.variant)
}
