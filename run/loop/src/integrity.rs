//! Checks the files of a run and says how each fault can be repaired.

mod expected;
mod identity;
mod repair;
mod replay;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use eval::GateReport;
use model::Model;
use serde::{Serialize, Serializer};
use serde_json::Value;
use store::{
    Check, Endgames, FinishedGames, LoopState, Misfit, ModelId, RunDir, StoreError, TrainId,
};
use trainer::{Compute, TrainError, Trainer};

use crate::config::{ConfigError, RunFile};
use crate::{Ratings, Result, RunError, consistency};

pub use repair::repair;
pub use replay::{Replay, replay};

/// A fault in a file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunFault {
    /// The file or directory.
    #[serde(rename = "file", serialize_with = "as_text")]
    pub path: PathBuf,
    /// The fault, as a statement.
    pub what: String,
    /// The actual content; empty if nothing can be quoted.
    pub found: String,
    /// The expected content; empty if nothing can be quoted.
    pub expected: String,
    /// The possible repair, or the repair that was made.
    pub mend: String,
}

fn as_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

impl fmt::Display for RunFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunFault {
            path, what, mend, ..
        } = self;
        write!(f, "{}\n  {what}\n  {mend}", path.display())
    }
}

/// Repair of a file that nothing depends on.
const MEND: &str = "crownhead repair moves it to set-aside/";
/// Advice for a directory that cannot be read, which `repair` cannot fix.
const LOOK: &str = "find out why it cannot be read: crownhead repair leaves it where it is";

impl RunFault {
    fn new(path: &Path, error: &RunError, mend: &str) -> RunFault {
        let fault = |path: &Path, found: &dyn fmt::Display, expected: &dyn fmt::Display| RunFault {
            path: path.to_owned(),
            what: error.to_string(),
            found: found.to_string(),
            expected: expected.to_string(),
            mend: mend.to_owned(),
        };
        match error {
            RunError::Store(error) | RunError::Train(TrainError::Store(error)) => match error {
                StoreError::Misfit { path, source } => match source {
                    Misfit::Foreign { found, expected } | Misfit::Damaged { found, expected } => {
                        fault(path, found, expected)
                    }
                    Misfit::Newer { found, expected } => fault(path, found, expected),
                },
                StoreError::Contradiction {
                    path,
                    found,
                    expected,
                } => fault(path, found, expected),
                _ => fault(path, &"", &""),
            },
            RunError::Config(ConfigError::Damaged {
                found, expected, ..
            }) => fault(path, found, expected),
            _ => fault(path, &"", &""),
        }
    }
}

/// Checks every file of the run in `path` except TensorBoard files and logs. Changes nothing;
/// another process may be training.
///
/// # Errors
/// If there is no run. Faults in files are not errors.
pub fn check(path: &Path) -> Result<Vec<RunFault>> {
    let run = match RunDir::open(path) {
        Ok(run) => run,
        Err(error @ StoreError::NotARun { .. }) => return Err(error.into()),
        Err(error) => return Ok(vec![config_fault(path, &error.into())]),
    };
    let file = match RunFile::read(&run) {
        Ok(file) => file,
        Err(error) => return Ok(vec![config_fault(path, &error.into())]),
    };
    if let Some(fault) = identity::fault(&run) {
        return Ok(vec![fault]);
    }
    let survey = Survey::of(&run, &file);
    let mut faults = survey.faults;
    if run.is_locked() {
        // A training writes the state and then its champion.
        faults.retain(|fault| fault.path != run.champion_path());
    }
    if faults.is_empty() {
        faults.extend(state_fault(&run, &file));
    }
    Ok(faults)
}

fn config_fault(path: &Path, error: &RunError) -> RunFault {
    let mend =
        "crownhead repair restores it from the copy in train/run.toml, if that copy belongs here";
    RunFault::new(&path.join("run.toml"), error, mend)
}

/// The fault that keeps the run from being opened although each file is intact.
fn state_fault(run: &RunDir, file: &RunFile) -> Option<RunFault> {
    let fits = || -> Result<()> {
        run.leftovers()?;
        let Some(state) = run.state()? else {
            return Ok(());
        };
        let n_steps = match state.train {
            Some(train) => trainer(run, file, train)?.n_steps(),
            None => 0,
        };
        consistency::check(run, file, &state, n_steps)
    };
    let mend = "crownhead repair rebuilds it from models, training states, gates and games";
    fits()
        .err()
        .map(|error| RunFault::new(&run.state_path(), &error, mend))
}

/// Loads a training state exactly as opening the run would.
fn trainer(run: &RunDir, file: &RunFile, train: TrainId) -> Result<Trainer> {
    let config = &file.resolved.config;
    let shape = config.model.shape(file.variant)?;
    let (path, train) = (run.train_path(train), config.train.clone());
    Ok(Trainer::resume(
        &shape,
        train,
        &path,
        run.id(),
        &Compute::Cpu,
    )?)
}

/// Checks of each file on its own.
#[derive(Default)]
struct Survey {
    faults: Vec<RunFault>,
    /// Intact models of this run, with their steps and games.
    models: Vec<(ModelId, u64, u64)>,
    /// Intact training states of this run, with their steps.
    trains: Vec<(TrainId, u64)>,
}

impl Survey {
    fn of(run: &RunDir, file: &RunFile) -> Survey {
        let mut survey = Survey::default();
        let networks = survey.models(run, file);
        survey.trains(run, file);
        survey.gates(run);
        survey.documents(run, file);
        survey.games(run, file, &networks);
        survey.missing(run, file);
        let endgames = Endgames::new(&run.endgames_path());
        let database = endgames.read(file.variant);
        survey.note(&endgames.file(file.variant), database, MEND);
        survey
    }

    fn note<T, E: Into<RunError>>(
        &mut self,
        path: &Path,
        outcome: Result<T, E>,
        mend: &str,
    ) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                self.faults.push(RunFault::new(path, &error.into(), mend));
                None
            }
        }
    }

    /// Checks the models and returns the identities of their networks.
    fn models(&mut self, run: &RunDir, file: &RunFile) -> BTreeSet<String> {
        let mut networks = BTreeSet::new();
        let mut last: Option<(ModelId, String)> = None;
        let ids = self.note(run.path(), run.models(), LOOK);
        for id in ids.unwrap_or_default() {
            let path = run.model_path(id);
            let mend =
                "crownhead repair moves it to set-aside/ and resumes from the last intact model";
            let outcome = consistency::info(run, file, id).and_then(|info| {
                Model::load(&run.model(id)?)?;
                consistency::follows(run, id, &info, last.as_ref())?;
                Ok(info)
            });
            if let Some(info) = self.note(&path, outcome, mend) {
                self.models
                    .push((id, info.meta.train_step, info.meta.games));
                networks.insert(info.net_id.clone());
                last = Some((id, info.net_id));
            }
        }
        networks
    }

    fn trains(&mut self, run: &RunDir, file: &RunFile) {
        let ids = self.note(run.path(), run.train_ids(), LOOK);
        for id in ids.unwrap_or_default() {
            let mend =
                "crownhead repair resumes from the previous one, or from the newest model alone";
            let outcome = trainer(run, file, id).map(|trainer| trainer.n_steps());
            if let Some(steps) = self.note(&run.train_path(id), outcome, mend) {
                self.trains.push((id, steps));
            }
        }
    }

    fn gates(&mut self, run: &RunDir) {
        for id in run.models().unwrap_or_default() {
            let gate = run.gate::<GateReport>(id).map_err(RunError::from);
            let gate = gate.and_then(|report| expected::is_of(run, id, report));
            self.note(&run.gate_path(id), gate, MEND);
        }
    }

    /// Notes the files that the progress implies and that are gone.
    fn missing(&mut self, run: &RunDir, file: &RunFile) {
        if let Ok(Some(state)) = run.state()
            && state.contradiction().is_none()
        {
            let missing = expected::missing(run, file, &state);
            let missing = self.note(run.path(), missing, LOOK);
            self.faults.extend(missing.unwrap_or_default());
        }
    }

    fn documents(&mut self, run: &RunDir, file: &RunFile) {
        let path = run.config_copy_path();
        let name = path.display().to_string();
        let copy = RunDir::config_copy(run.path()).map_err(RunError::from);
        let copy = copy.and_then(|text| {
            let Some(text) = text else { return Ok(()) };
            // The checksum does not cover settings that do not affect results.
            if RunFile::parse(&name, &text)?.render() == file.render() {
                return Ok(());
            }
            let found = "settings that differ from run.toml";
            Err(StoreError::contradiction(&path, found, "a copy of run.toml").into())
        });
        self.note(&path, copy, "crownhead repair copies run.toml again");
        let mend = "crownhead repair keeps the intact points and recomputes their ratings";
        self.note(&run.ratings_path(), run.ratings::<Ratings>(), mend);
        self.note(&run.status_path(), run.status::<Value>(), MEND);
        let state = run.state();
        let champion = run
            .champion()
            .and_then(|champion| match (champion, &state) {
                (Some(found), Ok(Some(state))) if found != state.champion => {
                    let expected = format!("model {}, as in state.json", state.champion);
                    let (path, found) = (run.champion_path(), format!("model {found}"));
                    Err(StoreError::contradiction(&path, found, expected))
                }
                _ => Ok(()),
            });
        let mend = "crownhead repair restores the champion named in the state";
        self.note(&run.champion_path(), champion, mend);
        let mend = "crownhead repair rebuilds it from models, training states, gates and games";
        self.note(&run.state_path(), state, mend);
        match self.note(&run.metrics_path(), run.metrics_damage(), MEND) {
            None | Some(0) => {}
            Some(count) => self.faults.push(RunFault {
                path: run.metrics_path(),
                what: format!("{count} lines are not valid curve points"),
                found: format!("{count} such lines"),
                expected: "none".to_owned(),
                mend: "crownhead repair removes them and keeps a copy".to_owned(),
            }),
        }
    }

    fn games(&mut self, run: &RunDir, file: &RunFile, networks: &BTreeSet<String>) {
        let games = run.games(file.variant);
        let outcome = finished(run, file).and_then(|finished| Ok(games.check(&finished)?));
        let Some(check) = self.note(&run.games_path(), outcome, LOOK) else {
            return;
        };
        self.faults.extend(game_faults(run, check));
        for generation in games.generations().unwrap_or_default() {
            let Ok(read) = games.read(generation) else {
                continue; // named above
            };
            let strange = read.records.iter().map(|record| &record.header.network);
            let strange = strange.filter(|network| !networks.contains(*network)).max();
            if let Some(network) = strange.filter(|_| !file.is_retrained()) {
                self.faults.push(RunFault {
                    path: run.games_path(),
                    what: format!(
                        "games of generation {generation} were played by a network that no model \
                            has"
                    ),
                    found: network.clone(),
                    expected: "the network of a model of this run".to_owned(),
                    mend: "find out where they come from: training uses them".to_owned(),
                });
            }
        }
    }
}

fn finished(run: &RunDir, file: &RunFile) -> Result<FinishedGames> {
    let state = run.state().ok().flatten().unwrap_or_else(LoopState::start);
    Ok(file.finished_games(state.generations_kept())?)
}

fn game_faults(run: &RunDir, check: Check) -> Vec<RunFault> {
    let damage = check.damage.iter().filter(|damage| !damage.is_tail);
    let damage = damage.map(|damage| RunFault {
        path: damage.path.clone(),
        what: format!(
            "{} bytes at {} are damaged",
            damage.size_bytes, damage.offset
        ),
        found: format!("{} games that are not intact", damage.n_games),
        expected: "intact games".to_owned(),
        mend: "crownhead repair moves them to games/damaged/ and keeps the others".to_owned(),
    });
    let missing = check.missing.iter().map(|missing| RunFault {
        path: run.games_path(),
        what: format!("games of generation {} are missing", missing.generation),
        found: format!("{} missing games", missing.games),
        expected: "none".to_owned(),
        mend:
            "restore their segment from a backup if there is one; training continues without them"
                .to_owned(),
    });
    let mut faults: Vec<RunFault> = damage.chain(missing).collect();
    for error in check.errors {
        let (path, mend) = match &error {
            StoreError::NotASegment { path, .. }
            | StoreError::Record { path, .. }
            | StoreError::TooLarge { path, .. } => (path.clone(), MEND),
            _ => (run.games_path(), LOOK),
        };
        faults.push(RunFault::new(&path, &error.into(), mend));
    }
    faults
}
