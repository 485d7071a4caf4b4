//! Distillation: trains an evaluation for alpha-beta search from games, round by round.
//!
//! Round 0 learns from the games of a run. Every later round plays games with the best evaluation
//! so far, continues training on all games, and is kept if it scores well enough against the best
//! one. Without a run, the first games are played by a teacher, or by a search that only counts
//! material: then only the rules are needed.

mod contest;
mod record;
mod relabel;
mod round;
mod unfinished;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use distill::Teacher;
use nnue::{Manifest, Network};
use rules::{Game, Position, Variant};
use store::{DistillDir, EvaluationFiles, RunDir};

use crate::{RequestError, Result};
use roster::{EvaluationError, EvaluationSource, read_evaluation};
use run::config::RunFile;
use run::{StageProgress, thread_pool};

pub use record::{Contest, DistillRound, DistillSettings, Distillation};

use round::{Rival, Round};

/// Default number of rounds without a run.
const USUAL_ROUNDS: u32 = 3;
/// Number of consecutive rejected rounds that ends the distillation.
const MOST_FAILURES: usize = 2;

/// An event of a distillation.
#[derive(Clone, Debug)]
pub enum DistillEvent<'a> {
    /// Progress of a piece of work.
    Progress(StageProgress),
    /// A round is finished.
    Finished(&'a DistillRound),
}

/// Callback for events.
pub type DistillObserver<'a> = dyn FnMut(&DistillEvent<'_>) + Send + 'a;

/// The source of a distillation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistillSource {
    /// The game.
    pub variant: Variant,
    /// The run whose games are used first; `None` if the first games are played.
    pub run: Option<PathBuf>,
}

impl DistillSource {
    /// The directory of a run, or the name of a game even where a directory has that name.
    ///
    /// # Errors
    /// If it is neither.
    pub fn of(path: &Path) -> Result<DistillSource> {
        let variant = path.to_str().and_then(|name| name.parse().ok());
        match variant {
            Some(variant) if !RunDir::is_run(path) => Ok(DistillSource { variant, run: None }),
            _ if path.exists() => Ok(DistillSource {
                variant: RunFile::read(&RunDir::open(path)?)?.variant,
                run: Some(path.to_owned()),
            }),
            _ => Err(RequestError(format!(
                "{} is neither a run nor a game: games are {}",
                path.display(),
                Variant::ALL.map(Variant::name).join(", ")
            ))
            .into()),
        }
    }

    /// The number of the last round: the requested one, or the default.
    ///
    /// # Errors
    /// If there would be no games to learn from.
    pub fn rounds(&self, asked: Option<u32>) -> Result<u32, RequestError> {
        match (&self.run, asked) {
            (None, Some(0)) => Err(RequestError(
                "without a run, --rounds must be at least 1, to have games to learn from"
                    .to_owned(),
            )),
            (None, None) => Ok(USUAL_ROUNDS),
            (_, asked) => Ok(asked.unwrap_or_default()),
        }
    }
}

/// Amount of work in this call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DistillBudget {
    /// The number of the last round.
    pub rounds: u32,
    /// Training length of each round.
    pub training: TrainingLength,
    /// Threads.
    pub threads: usize,
}

/// Training length of a round.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TrainingLength {
    /// The number of steps in the settings.
    Steps,
    /// 20 passes over the positions: with more, a small run overfits (RESULTS.md).
    Passes,
    /// 20 passes, or about as many steps as the time allows if these are fewer.
    PassesWithin(Duration),
}

impl TrainingLength {
    /// The requested number of steps; otherwise the default number, within a time limit if given.
    #[must_use]
    pub fn of(steps: Option<u64>, most: Option<Duration>) -> TrainingLength {
        match (steps, most) {
            (Some(_), _) => TrainingLength::Steps,
            (None, Some(most)) => TrainingLength::PassesWithin(most),
            (None, None) => TrainingLength::Passes,
        }
    }
}

/// Runs or resumes the distillation in a directory until the budget is used up, further rounds do
/// not help, or `stop` is set; returns whether it finished.
///
/// Each round depends only on the settings, its number and its steps, not on threads or earlier
/// stops.
///
/// # Errors
/// If no round could relabel as the settings ask, the directory holds a distillation with other
/// settings, the games cannot be read, or the disk fails.
pub fn distill(
    path: &Path,
    settings: &DistillSettings,
    budget: &DistillBudget,
    stop: &AtomicBool,
    observer: &mut DistillObserver<'_>,
) -> Result<(Distillation, bool)> {
    let variant: Variant = settings
        .variant
        .parse()
        .map_err(|error: rules::UnknownVariant| RequestError(error.to_string()))?;
    let first = first_round(settings);
    if settings.relabel.is_some() && settings.teacher.is_none() && budget.rounds <= first {
        return Err(RequestError(format!(
            "round {first} cannot relabel, because there is no earlier evaluation: give a teacher \
             or more rounds"
        ))
        .into());
    }
    let (dir, found) = DistillDir::open::<Distillation>(path)?;
    let mut distillation = match found {
        Some(found) if found.settings != *settings => {
            return Err(RequestError(format!(
                "{} holds a distillation with other settings: use the same settings or another \
                    directory",
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
        Some(name) => Some(Arc::new(EvaluationSource::parse(name).load(variant)?)),
        None => None,
    };
    let pool = thread_pool(budget.threads)?;
    while !is_finished(&distillation, budget) {
        let round = Round {
            number: next_round(&distillation),
            variant,
            settings,
            budget,
            dir: &dir,
            best: best(&dir, &distillation, teacher.as_ref())?,
            stop,
        };
        let Some((round, network)) = round.make(&pool, observer)? else {
            return Ok((distillation, false));
        };
        keep(&dir, &mut distillation, round, &network)?;
        if let Some(round) = distillation.rounds.last() {
            observer(&DistillEvent::Finished(round));
        }
    }
    Ok((distillation, true))
}

/// The number of the next round.
fn next_round(distillation: &Distillation) -> u32 {
    first_round(&distillation.settings) + distillation.rounds.len() as u32
}

fn first_round(settings: &DistillSettings) -> u32 {
    u32::from(settings.run.is_none())
}

fn is_finished(distillation: &Distillation, budget: &DistillBudget) -> bool {
    let rounds = distillation.rounds.iter().rev();
    let failures = rounds.take_while(|round| !round.kept).count();
    next_round(distillation) > budget.rounds || failures >= MOST_FAILURES
}

/// The best evaluation so far.
fn best(
    dir: &DistillDir,
    distillation: &Distillation,
    teacher: Option<&Arc<Network>>,
) -> Result<Rival> {
    if let Some(best) = distillation.best() {
        return Ok(Rival {
            name: format!("round {}", best.round),
            teacher: Teacher::Network(Arc::new(read_evaluation(&dir.round_path(best.round))?)),
        });
    }
    Ok(match (teacher, &distillation.settings.teacher) {
        (Some(network), Some(name)) => Rival {
            name: name.clone(),
            teacher: Teacher::Network(Arc::clone(network)),
        },
        _ => Rival {
            name: "material".to_owned(),
            teacher: Teacher::Material,
        },
    })
}

/// Commits a round. Files written before the state refers to them are written again after a
/// failure.
fn keep(
    dir: &DistillDir,
    distillation: &mut Distillation,
    round: DistillRound,
    network: &Network,
) -> Result<()> {
    let training = serde_json::json!({ "settings": distillation.settings, "round": round });
    let golden = golden_positions(network.variant());
    let manifest = Manifest::new(network, training, &golden).to_json();
    let manifest = manifest.map_err(EvaluationError::from)?;
    let files = EvaluationFiles {
        evaluation: &network.to_bytes().map_err(EvaluationError::from)?,
        manifest: manifest.as_bytes(),
    };
    let number = round.round;
    dir.write_round(number, files)?;
    if round.kept {
        dir.write_best(files)?;
    }
    distillation.rounds.push(round);
    dir.commit(distillation)?;
    Ok(dir.remove_unfinished(number)?)
}

/// Positions of a game in which the last legal move is always played: they have scores whether
/// quiet or not.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let variant = Variant::ALL[0];
        let game = DistillSource::of(Path::new(variant.name())).unwrap();
        assert_eq!((game.variant, &game.run), (variant, &None));
        let rounds = |asked| game.rounds(asked).ok();
        assert_eq!(
            [rounds(None), rounds(Some(1)), rounds(Some(0))],
            [Some(3), Some(1), None]
        );
        assert!(DistillSource::of(folder.path()).is_err());
        let run = Some(folder.path().to_owned());
        let of_run = DistillSource { run, ..game };
        let rounds = |asked| of_run.rounds(asked).ok();
        assert_eq!(
            [rounds(None), rounds(Some(0)), rounds(Some(2))],
            [Some(0), Some(0), Some(2)]
        );
    }
}
