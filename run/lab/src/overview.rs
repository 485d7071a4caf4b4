//! Overview of a run, and the report at the end of a training call.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use share::FleetStatus;
use store::{ModelId, RunDir};

use crate::doctor::{History, Symptom};
use crate::usage::Usage;
use crate::{Result, RunError};
use run::config::RunFile;
use run::config::{RunOrigin, SettingChange};
use run::{Ratings, Run, Status, show_seconds};

/// State of a run. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    /// Directory of the run.
    pub run: String,
    /// Its progress.
    pub status: Status,
    /// Its ratings.
    pub ratings: Ratings,
    /// Its origin.
    pub origin: Option<RunOrigin>,
    /// Settings that were changed during the run.
    pub changes: Vec<SettingChange>,
    /// Symptoms found by `doctor`.
    pub symptoms: Vec<Symptom>,
    /// Summary of its fleet on one line.
    #[serde(skip)]
    pub fleet: Option<String>,
}

impl Overview {
    /// Reads the state of a run.
    ///
    /// # Errors
    /// If there is no run, its training has not started, or a file cannot be read.
    pub fn read(path: &Path) -> Result<Overview> {
        let dir = RunDir::open(path)?;
        let file = RunFile::read(&dir)?;
        let status = dir.status()?.ok_or_else(|| {
            let run = path.display();
            RunError::Missing(format!(
                "{run} has no status yet: its training has not started"
            ))
        })?;
        Ok(Overview {
            run: path.display().to_string(),
            status,
            ratings: dir.ratings()?.unwrap_or_default(),
            origin: file.origin,
            changes: file.changes,
            symptoms: History::read(&dir)?.symptoms(),
            fleet: FleetStatus::of_run(path).and_then(|fleet| fleet.line()),
        })
    }
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some(line) = &self.fleet {
            writeln!(f, "fleet       {line}")?;
        }
        if let Some(origin) = &self.origin {
            writeln!(f, "began with  {origin}")?;
        }
        for change in &self.changes {
            writeln!(f, "setting     {change}")?;
        }
        if !self.ratings.points.is_empty() {
            writeln!(f)?;
            writeln!(f, "{}", self.ratings)?;
        }
        write_notes(f, &self.symptoms)
    }
}

/// Report of a training call. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, Serialize)]
pub struct TrainingReport {
    /// Directory of the run.
    pub run: String,
    /// Its progress.
    pub status: Status,
    /// Its ratings.
    pub ratings: Ratings,
    #[serde(skip)]
    symptoms: Vec<Symptom>,
    /// A note about the processor time of the training, if it was short of it.
    #[serde(skip)]
    usage: Option<String>,
    /// The progress of the run as a sentence.
    #[serde(skip)]
    reached: String,
}

impl TrainingReport {
    /// The report of a run with this status; `usage` began with the training.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(run: &Run, status: &Status, usage: &Usage) -> Result<TrainingReport> {
        let is_alone = run.is_on_processor() && run.fleet.is_none();
        Ok(TrainingReport {
            run: run.dir().path().display().to_string(),
            status: status.clone(),
            ratings: run.dir().ratings()?.unwrap_or_default(),
            symptoms: History::read(run.dir())?.symptoms(),
            usage: usage.note(run.threads()).filter(|_| is_alone),
            reached: reached(run)?,
        })
    }
}

impl fmt::Display for TrainingReport {
    /// The ratings, suggested commands and the progress of the run.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.ratings.points.is_empty() {
            writeln!(f, "{}", self.ratings)?;
        }
        write_notes(f, &self.symptoms)?;
        if let Some(usage) = &self.usage {
            writeln!(f, "{usage}")?;
        }
        let (run, variant) = (&self.run, &self.status.variant);
        let champion = ModelId(self.status.champion);
        let untrained = match self.status.newest {
            0 => ", which has learned nothing yet",
            _ => "",
        };
        let runs = match Path::new(run).parent().and_then(Path::to_str) {
            Some("runs") => String::new(),
            Some("") | None => " --runs .".to_owned(),
            Some(parent) => format!(" --runs {}", types::shell_word(parent)),
        };
        let (player, engine) = (format!("run:{run}"), format!("{run}-ab"));
        let logs = format!("{run}/tensorboard");
        let [word, player, engine, logs] =
            [run, &player, &engine, &logs].map(|w| types::shell_word(w));
        writeln!(
            f,
            "The champion is model {champion} of {run}{untrained}.\n
Resume training     crownhead train {variant} --run {word}
Play against it     crownhead serve {player}
Choose an opponent  crownhead play {variant}{runs}
Test it             crownhead match {player} alphabeta:depth=6 --pairs 100 --sims 64
Distill an engine   crownhead distill {word} --to {engine}
Export it           crownhead export {player} --to {variant}-agent
Draw its ratings    crownhead status {word} --plot ratings.svg
See its curves      tensorboard --logdir {logs}\n
{}",
            self.reached
        )
    }
}

/// The progress of a run as a sentence.
fn reached(run: &Run) -> Result<String> {
    let state = run.state();
    let time = show_seconds(state.seconds);
    if state.generation > 1 {
        let (generations, games, steps) = (state.generation - 1, state.games, state.step);
        let s = if generations == 1 { "" } else { "s" };
        return Ok(format!(
            "Trained for {time} in all: {generations} generation{s}, {games} games, {steps} steps."
        ));
    }
    let total = run.config().selfplay.games_per_generation;
    let played = run
        .dir()
        .games(run.variant())
        .read(state.generation)?
        .records
        .len();
    Ok(format!(
        "No generation was finished in {time}: {played} of the {total} games of the first one are played."
    ))
}

fn write_notes(f: &mut fmt::Formatter<'_>, symptoms: &[Symptom]) -> fmt::Result {
    let mut notes = symptoms.iter().map(Symptom::note);
    notes.try_for_each(|note| writeln!(f, "{note}"))
}

#[cfg(test)]
mod tests {
    use rules::Variant;
    use run::StatusFile;
    use run::config::ConfigSources;

    use super::*;

    fn run(path: &Path) -> Run {
        let variant = Variant::ALL[0];
        let sources = ConfigSources {
            preset: Some("tiny".to_owned()),
            ..ConfigSources::default()
        };
        Run::create(path, variant, sources.resolve(variant).unwrap()).unwrap()
    }

    #[test]
    fn a_run_that_has_not_begun_has_no_status() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let run = run(&path);
        let error = Overview::read(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("has no status yet: its training has not started"),
            "{error}"
        );
        StatusFile::open(&run).close(&run);
        let overview = Overview::read(&path).unwrap();
        let text = overview.to_string();
        assert!(
            text.starts_with("variant     english\nprocess     not running\n"),
            "{text}"
        );
        assert!(!text.contains("Elo above random"), "{text}");
        let document = serde_json::to_value(&overview).unwrap();
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 6, "{keys:?}");
    }

    #[test]
    fn a_report_ends_with_what_to_do_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let run = run(&path);
        let report =
            TrainingReport::new(&run, StatusFile::open(&run).status(), &Usage::start()).unwrap();
        let (text, shown) = (report.to_string(), path.display());
        assert!(!text.contains("Elo above random"), "{text}");
        let champion = format!(
            "The champion is model 000000 of {shown}, which has learned nothing yet.\n\nResume training     "
        );
        assert!(text.starts_with(&champion), "{text}");
        for command in [
            format!("crownhead serve run:{shown}\n"),
            format!(
                "crownhead play english --runs {}\n",
                folder.path().display()
            ),
            format!("crownhead distill {shown} --to {shown}-ab\n"),
            format!("crownhead export run:{shown} --to english-agent\n"),
            format!("tensorboard --logdir {shown}/tensorboard\n"),
        ] {
            assert!(text.contains(&command), "{text}");
        }
        let last = text.lines().last().unwrap();
        assert_eq!(
            last,
            "No generation was finished in 0s: 0 of the 8 games of the first one are played."
        );
    }
}
