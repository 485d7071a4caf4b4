//! Diagnoses problems of a run.
//!
//! A check is a function of the run's [`History`], which reads curves, gates and ratings. A check
//! uses means over the last generations, so that a single outlier raises no alarm, and reports
//! nothing if there is too little data. [`examine_games`] also reads the newest games, and compares
//! their searched values with their results.

mod checks;
mod history;
mod trend;
mod values;

use std::fmt;

use serde::Serialize;
use store::RunDir;

use crate::{Result, RunError};

pub use history::History;
pub use trend::{Course, Trend};
pub use values::ValueScores;

/// A problem that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Symptom {
    /// Name of the check.
    pub check: &'static str,
    /// The observation with figures, and the usual range.
    pub seen: String,
    /// Advice, with the settings to change.
    pub advice: String,
}

impl Symptom {
    /// The symptom as one line below other results.
    #[must_use]
    pub fn note(&self) -> String {
        let Symptom { seen, advice, .. } = self;
        format!("Note: {seen}: {advice}.")
    }
}

impl fmt::Display for Symptom {
    /// The symptom on three lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seen, advice) = (&self.seen, &self.advice);
        writeln!(f, "{}\n  seen    {seen}\n  advice  {advice}", self.check)
    }
}

/// The symptoms in the run's records and its newest games.
///
/// # Errors
/// As [`History::read`], and if there is nothing to judge.
pub fn examine_games(run: &RunDir) -> Result<Vec<Symptom>> {
    let mut history = History::read(run)?;
    history.values = ValueScores::read(run)?;
    let symptoms = history.symptoms();
    if symptoms.is_empty() && history.curves.is_empty() {
        let run = run.path().display();
        return Err(RunError::Missing(format!(
            "{run} has no curves to judge: train it first, or put its metrics.jsonl back"
        )));
    }
    Ok(symptoms)
}

impl History {
    /// The results of all checks, most serious first; empty if all is well.
    #[must_use]
    pub fn symptoms(&self) -> Vec<Symptom> {
        let symptoms = checks::ALL.iter().filter_map(|&(check, find, _)| {
            let (seen, advice) = find(self)?;
            Some(Symptom {
                check,
                seen,
                advice: advice.to_owned(),
            })
        });
        symptoms.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symptoms_are_told_in_lines_or_in_one() {
        let symptom = Symptom {
            check: "draws",
            seen: "90 % of the games are drawn".to_owned(),
            advice: "change something".to_owned(),
        };
        let lines = "draws\n  seen    90 % of the games are drawn\n  advice  change something\n";
        assert_eq!(symptom.to_string(), lines);
        let note = "Note: 90 % of the games are drawn: change something.";
        assert_eq!(symptom.note(), note);
    }
}
