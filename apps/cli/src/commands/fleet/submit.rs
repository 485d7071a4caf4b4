//! `crownhead fleet submit`: a training and its workers as jobs of a cluster's queue.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use clap::Parser as _;
use run::RequestError;

use super::Place;
use crate::args::Args;
use crate::options::GameArg;
use crate::output::Output;

/// Submit a training and its workers as jobs of a cluster's queue
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Writes two scripts and submits them with sbatch: a job that trains, and an array
of jobs that play. Both are queued again if they are preempted or their node
fails, and the trainer when its time is over. The run resumes where it stopped.
The jobs start in this directory with this program and environment.

Give the training's end as --generations: --for counts from each start.

JSON: {\"trainer\",\"workers\"}, the numbers of the jobs; with --dry-run
{\"scripts\"}.

Examples:
  crownhead fleet submit english /shared/english --slurm -- --generations 200
  crownhead fleet submit thai /shared/thai --slurm --workers 50 --dry-run
  crownhead fleet submit thai /shared/thai --slurm --sbatch=--qos=spare")]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    game: GameArg,
    #[command(flatten)]
    place: Place,
    /// Submit to Slurm
    #[arg(long, required = true)]
    slurm: bool,
    /// The number of workers, each a job of the array
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    workers: u32,
    /// The processors of each job
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    cpus: u32,
    /// The partition of the jobs
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,
    /// The account that the jobs are charged to
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// The time limit of each job, as sbatch takes it
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// Another option of sbatch for both jobs, such as --sbatch=--mem=4G; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Print the scripts instead
    #[arg(long)]
    dry_run: bool,
    /// Further options of crownhead train
    #[arg(last = true, value_name = "ARGS")]
    train: Vec<String>,
}

/// The trainer's commands. Slurm signals the end of the time limit with USR1, and cancellation and
/// preemption with TERM, at which a job must not queue itself again.
const TRAINER: &str = r#"TRAIN &
child=$! again=''
trap 'again=yes; kill -TERM $child' USR1
trap 'kill -TERM $child' TERM
code=0
wait $child || code=$?
while kill -0 $child 2>/dev/null; do code=0; wait $child || code=$?; done
[ -z "$again" ] || [ $code -ne 130 ] || scontrol requeue "$SLURM_JOB_ID"
exit $code
"#;

/// A worker's commands. It may be started before the trainer has opened the fleet.
const WORKER: &str = r#"for _ in {1..60}; do
    STATUS --format json 2>/dev/null | grep -q '"is_over":false' && break
    sleep 2
done
exec WORK
"#;

impl SubmitArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let trainer = self.trainer()?;
        let workers = self.worker()?;
        if self.dry_run {
            return match output.is_json() {
                true => json_line!(output, scripts: [&trainer, &workers]),
                false => Ok(write!(output, "{trainer}\n{workers}")?),
            };
        }
        let trainer = sbatch(&trainer, &[])?;
        let after = format!("--dependency=after:{trainer}");
        let workers = sbatch(&workers, &[&after])?;
        result_line!(
            output,
            { trainer: trainer, workers: workers },
            "Job {trainer} trains, {} jobs of the array {workers} play.\n\n\
             See them   squeue --jobs={trainer},{workers}\n\
             End them   scancel {trainer} {workers}",
            self.workers
        )
    }

    /// The script of the job that trains.
    fn trainer(&self) -> anyhow::Result<String> {
        let mut words = vec!["crownhead", "train", self.game.variant().name()];
        words.extend(["--fleet", &self.place.url]);
        words.extend(self.train.iter().map(String::as_str));
        // What train rejects is better known before a job has waited for its turn.
        Args::try_parse_from(&words).map_err(|error| RequestError(error.render().to_string()))?;
        let threads = self.cpus.to_string();
        words.extend(["--threads", &threads]);
        let train = shell_line(&words[1..])?;
        let options = ["--signal=B:USR1@60".to_owned()];
        self.script("train", &options, &TRAINER.replace("TRAIN", &train))
    }

    /// The script of the jobs that play.
    fn worker(&self) -> anyhow::Result<String> {
        let (url, threads) = (self.place.url.as_str(), self.cpus.to_string());
        let status = shell_line(&["fleet", "status", url])?;
        let work = shell_line(&["worker", "--join", url, "--threads", &threads])?;
        let options = [format!("--array=1-{}", self.workers)];
        let commands = WORKER.replace("STATUS", &status).replace("WORK", &work);
        self.script("worker", &options, &commands)
    }

    fn script(&self, role: &str, options: &[String], commands: &str) -> anyhow::Result<String> {
        let named = [
            ("partition", &self.partition),
            ("account", &self.account),
            ("time", &self.time),
        ];
        let named = named.map(|(name, value)| value.as_ref().map(|it| format!("--{name}={it}")));
        let common = [
            format!("--job-name=crownhead-{role}"),
            format!("--output=crownhead-{role}-%j.log"),
            format!("--cpus-per-task={}", self.cpus),
            "--ntasks=1".to_owned(),
            "--requeue".to_owned(),
            "--open-mode=append".to_owned(),
        ];
        let mut script = "#!/usr/bin/env bash\n".to_owned();
        let given = named.iter().flatten().chain(&self.sbatch);
        for option in common.iter().chain(options).chain(given) {
            anyhow::ensure!(
                option.starts_with("--") && !option.contains(['\n', '\r']),
                RequestError(format!(
                    "{option:?} is no option of sbatch: write --NAME=VALUE"
                ))
            );
            script += &format!("#SBATCH {option}\n");
        }
        Ok(script + "set -euo pipefail\n" + commands)
    }
}

/// A command of this program for a shell.
fn shell_line(words: &[&str]) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("this program's path is unknown")?;
    let program = program.to_string_lossy();
    let words = [&[program.as_ref()], words].concat();
    shlex::try_join(words.iter().copied())
        .map_err(|_| RequestError("an argument has a zero byte".to_owned()).into())
}

/// Submits a script, and returns the number of its job.
fn sbatch(script: &str, options: &[&str]) -> anyhow::Result<String> {
    let mut child = Command::new("sbatch")
        .arg("--parsable")
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("sbatch cannot be started: run this where Slurm's commands are installed")?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(script.as_bytes())?;
    }
    let answer = child.wait_with_output()?;
    anyhow::ensure!(answer.status.success(), "sbatch has refused the job");
    let answer = String::from_utf8_lossy(&answer.stdout);
    // On a federation the name of the cluster follows.
    let number = answer.trim().split(';').next().unwrap_or_default();
    Ok(number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::fleet::FleetCommand;

    fn submit(line: &str) -> SubmitArgs {
        #[derive(clap::Parser)]
        struct Line {
            #[command(subcommand)]
            fleet: FleetCommand,
        }
        let words = shlex::split(&format!("fleet submit {line}")).unwrap();
        match Line::try_parse_from(words).unwrap().fleet {
            FleetCommand::Submit(args) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_script_has_the_options_and_quotes_the_place() {
        let args = submit(
            "english '/my runs/a' --slurm --workers 3 --cpus 2 --time 1:00 \
             --sbatch=--qos=spare -- --generations 4",
        );
        let trainer = args.trainer().unwrap();
        for line in [
            "#SBATCH --time=1:00",
            "#SBATCH --qos=spare",
            "#SBATCH --cpus-per-task=2",
        ] {
            assert!(trainer.lines().any(|it| it == line), "{line}\n{trainer}");
        }
        let train = "train english --fleet '/my runs/a' --generations 4 --threads 2 &";
        assert!(trainer.contains(train), "{trainer}");
        let worker = args.worker().unwrap();
        assert!(worker.contains("#SBATCH --array=1-3\n"), "{worker}");
        let join = "worker --join '/my runs/a' --threads 2\n";
        assert!(worker.ends_with(join), "{worker}");
    }

    #[test]
    fn bad_options_are_refused_before_anything_is_submitted() {
        let wrong = submit("english /a --slurm -- --generation 4").trainer();
        assert!(wrong.unwrap_err().to_string().contains("--generations"));
        let wrong = submit("english /a --slurm --time $'1\nrm'").worker();
        assert!(
            wrong
                .unwrap_err()
                .to_string()
                .contains("no option of sbatch")
        );
        let wrong = submit("english /a --slurm --sbatch=qos").worker();
        assert!(wrong.is_err());
    }
}
