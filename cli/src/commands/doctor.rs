//! `crownhead doctor`: what is wrong with a run, and what to do about it.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use lab::doctor;
use store::RunDir;

use crate::output::Output;

/// Look for what is wrong with a run: each symptom with figures and the setting to change.
///
/// Looks at what the run has recorded, and at whether the searched values of its newest games predict
/// their results. Exit status: 0 when all is well, 1 when something was found.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crownhead doctor runs/english
  crownhead doctor runs/english --format json")]
pub(crate) struct DoctorArgs {
    /// The run's directory.
    #[arg(value_name = "DIR")]
    run: PathBuf,
}

impl DoctorArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let run = self.run.display().to_string();
        let symptoms = doctor::examine_games(&RunDir::open(&self.run)?)?;
        let n_symptoms = symptoms.len();
        if output.is_json() {
            json_line!(output, run: run, symptoms: symptoms)?;
        } else {
            if symptoms.is_empty() {
                writeln!(output, "{run}: nothing is wrong")?;
            }
            for symptom in symptoms {
                writeln!(output, "{symptom}")?;
            }
        }
        output.flush()?;
        let plural = if n_symptoms == 1 { "" } else { "s" };
        anyhow::ensure!(n_symptoms == 0, "{run} has {n_symptoms} symptom{plural}");
        Ok(())
    }
}
