//! `crownhead fleet`: the machines that play for a run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use fleet::{Assignment, Finding, FleetError, Objects, Protocol, Trust, Work, WorkerStatus};
use pipeline::fleet::audit;
use serde::Serialize;

use crate::conditions::ThreadsArg;
use crate::output::Output;

/// Seconds after which a machine that says nothing is noted.
const SILENT_S: u64 = 60;

/// Look at the machines that play for a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead fleet status /shared/english
  crownhead fleet audit /shared/english")]
pub(crate) struct FleetCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    Status(StatusArgs),
    Audit(AuditArgs),
}

/// Show what is played, and by whom
#[derive(clap::Args, Debug)]
#[command(after_help = "\
JSON: {\"run\",\"variant\",\"generation\",\"work\",\"chunks\",\"finished\",\"is_over\",\"workers\":[{\"name\",\"version\",
\"instructions\",\"threads\",\"generation\",\"games\",\"games_per_s\",\"silent_s\"}],\"findings\":[{\"worker\",
\"name\",\"reason\"}]}.

Examples:
  crownhead fleet status /shared/english")]
struct StatusArgs {
    /// What crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
}

/// Play what others have shared again, and name those who shared something else
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Looked at are games of the generation that is played now, as long as they are shared. Those of earlier ones are
in the run: crownhead check RUN --replay N.

Exit status: 0 all is well, 1 something is wrong.
JSON: {\"chunks\",\"findings\":[{\"name\",\"worker\",\"reason\"}]}.

Examples:
  crownhead fleet audit /shared/english --chunks 20")]
struct AuditArgs {
    /// What crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
    /// Parts of the generation to play again
    #[arg(long, value_name = "N", default_value_t = 10)]
    chunks: usize,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl AuditArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let share = Objects::open(&self.url, &variables())?;
        let stop = super::stop_on_ctrl_c()?;
        let audit = audit(&share, self.chunks, self.threads.count(), &stop)?;
        if output.is_json() {
            output.json(&audit)?;
        } else {
            for finding in &audit.findings {
                writeln!(
                    output,
                    "{}: {} ({})",
                    finding.worker, finding.reason, finding.name
                )?;
            }
            writeln!(output, "{} parts were played again", audit.chunks)?;
        }
        output.flush()?;
        let n = audit.findings.len();
        anyhow::ensure!(
            n == 0,
            "{n} of {} parts are not what they should be",
            audit.chunks
        );
        Ok(())
    }
}

#[derive(Serialize)]
struct Document {
    run: String,
    variant: String,
    /// That of the run; 0 where a tournament is played.
    generation: Option<u32>,
    /// What is played.
    work: Option<&'static str>,
    /// Parts of it, and how many of them are finished.
    chunks: u32,
    finished: usize,
    is_over: bool,
    workers: Vec<Row>,
    /// Machines that are not believed any more.
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    status: WorkerStatus,
    /// Seconds since it was last heard of.
    silent_s: u64,
}

impl FleetCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let url = match self.action {
            Action::Status(StatusArgs { url }) => url,
            Action::Audit(args) => return args.run(output),
        };
        let document = look(&url)?;
        if output.is_json() {
            return output.json(&document);
        }
        write(&document, output).context("failed to print")
    }
}

/// What buckets are opened with: the environment, where other programs look for credentials, too.
pub(crate) fn variables() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// The machines that play for the run in a directory now, in words; none where there are none.
pub(crate) fn line(run: &Path) -> Option<String> {
    let share = Objects::open(run.to_str()?, &[]).ok()?;
    let mut workers = WorkerStatus::read_all(&share).ok()?;
    workers.retain(|(_, silent_s)| *silent_s <= SILENT_S);
    let games_per_s: f64 = workers.iter().map(|(status, _)| status.games_per_s).sum();
    let plural = if workers.len() == 1 { "" } else { "s" };
    let n = workers.len();
    (n > 0).then(|| format!("{n} machine{plural} beside the trainer, {games_per_s:.1} games/s"))
}

/// Believes everybody whose games come out the same. Nobody else can tell which are played again.
pub(crate) fn trust(audit: f64) -> Trust {
    Trust::new(audit, RandomState::new().build_hasher().finish())
}

fn look(url: &str) -> anyhow::Result<Document> {
    let share = Objects::open(url, &variables())?;
    let none = || FleetError::None {
        url: url.to_owned(),
    };
    let protocol = Protocol::read(&share)?.ok_or_else(none)?;
    let assignment = Assignment::read(&share)?;
    let finished = match &assignment {
        Some(assignment) => {
            let listed = assignment
                .finished(&share)?
                .into_iter()
                .map(|name| name.chunk);
            listed.chain(assignment.done.iter().copied()).collect()
        }
        None => BTreeSet::new(),
    };
    let workers = WorkerStatus::read_all(&share)?.into_iter();
    Ok(Document {
        run: protocol.run.to_string(),
        variant: protocol.variant,
        generation: assignment.as_ref().map(|assignment| assignment.generation),
        work: assignment.as_ref().map(|assignment| match assignment.work {
            Work::SelfPlay { .. } => "self-play",
            Work::Match(_) => "match",
            Work::Meetings(_) => "tournament",
        }),
        chunks: assignment.as_ref().map_or(0, Assignment::n_chunks),
        finished: finished.len(),
        is_over: assignment
            .as_ref()
            .is_some_and(|assignment| assignment.is_over),
        workers: workers
            .map(|(status, silent_s)| Row { status, silent_s })
            .collect(),
        findings: Finding::all(&share)?,
    })
}

fn write(document: &Document, output: &mut Output) -> std::io::Result<()> {
    writeln!(output, "Run {}, {}", document.run, document.variant)?;
    match (document.work, document.generation) {
        (Some(work), Some(generation)) => writeln!(
            output,
            "{}: {} of {} parts played{}",
            match work {
                "tournament" => "Tournament".to_owned(),
                _ => format!("Generation {generation}, {work}"),
            },
            document.finished,
            document.chunks,
            if document.is_over {
                "; the trainer has finished"
            } else {
                ""
            }
        )?,
        _ => writeln!(output, "Nothing is played yet")?,
    }
    for Finding { worker, reason, .. } in &document.findings {
        writeln!(output, "{worker} is not believed any more: {reason}")?;
    }
    if document.workers.is_empty() {
        return writeln!(output, "Nobody has joined yet: crownhead worker --join URL");
    }
    writeln!(
        output,
        "{:24} {:>7} {:>10} {:>8} {:>9}  instructions",
        "worker", "threads", "generation", "games", "games/s"
    )?;
    for Row { status, silent_s } in &document.workers {
        writeln!(
            output,
            "{:24} {:>7} {:>10} {:>8} {:>9.1}  {}{}",
            status.name,
            status.threads,
            status.generation,
            status.games,
            status.games_per_s,
            status.instructions,
            if *silent_s > SILENT_S {
                format!(", silent for {silent_s} s")
            } else {
                String::new()
            }
        )?;
    }
    Ok(())
}
