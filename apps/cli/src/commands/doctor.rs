//! `crownhead doctor`: diagnoses a run and suggests settings.

use std::io::Write as _;

use clap::Args;
use lab::doctor;
use store::RunDir;

use crate::options::RunArg;
use crate::output::Output;

/// Find problems of a training and the settings to change
///
/// Examines the run's records, and whether the searched values of its newest games predict their
/// results.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 no problem was found, 1 there are problems.

Examples:
  crownhead doctor runs/english
  crownhead doctor runs/english --format json")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    run: RunArg,
}

impl DoctorArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let run = self.run.path().display().to_string();
        let symptoms = doctor::examine_games(&RunDir::open(self.run.path())?)?;
        let n_symptoms = symptoms.len();
        if output.is_json() {
            json_line!(output, run: run, symptoms: symptoms)?;
        } else {
            if symptoms.is_empty() {
                writeln!(output, "{run}: no problems found")?;
            }
            for symptom in symptoms {
                writeln!(output, "{symptom}")?;
            }
        }
        let plural = if n_symptoms == 1 { "" } else { "s" };
        anyhow::ensure!(n_symptoms == 0, "{run} has {n_symptoms} symptom{plural}");
        Ok(())
    }
}
