//! `crownhead study`: measures what self-play says about games.

use std::path::PathBuf;

use clap::ValueHint;
use study::balance::{Ended, StudyRequest, Subject, study};

use crate::complete;
use crate::display::showing;
use crate::options::ThreadsArg;
use crate::output::{Interrupted, Output};

/// Measure what self-play says about a game
///
/// First-move advantage, draws and lengths against playing strength; choice,
/// captures, material, the value of a king and the first moves. Several games or
/// runs are compared side by side, two games also pair by pair.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The strongest player of a game plays against itself. Of a run, the games of its
self-play are measured, in four parts of neighboring generations. Games depend
on the player, the nodes and the seed, and not on the number of threads.

Ctrl-C ends the study. Finished games are kept in a file next to --to whose name
ends with .progress: the same command resumes.

A game without a learned evaluation is played by counting material, which is
weaker at equal nodes: --material compares the rules of such games with others,
and leaves their first moves out.

Examples:
  crownhead study thai --to thai.html
  crownhead study customary customary-finish --nodes 1000,10000 --to study.html
  crownhead study frisian frisian-plain --material --games 1000
  crownhead study runs/english --format json")]
pub(crate) struct StudyArgs {
    /// The games and runs to compare: names of games, directories of runs
    #[arg(required = true, value_name = "GAME|RUN", add = complete::variants())]
    subjects: Vec<Subject>,
    /// Write a page to this file: .html with pictures, or .md
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    to: Option<PathBuf>,
    /// Write the pictures to this file, .svg; a page of Markdown shows it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    figure: Option<PathBuf>,
    /// Games of each level
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// Nodes of a move, a level each
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "100,1000,5000",
        value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// Play all games by counting material
    #[arg(long = "material")]
    is_material: bool,
    /// The seed of the games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl StudyArgs {
    pub(crate) fn run(mut self, output: &mut Output) -> anyhow::Result<()> {
        self.nodes.sort_unstable();
        self.nodes.dedup();
        let request = StudyRequest {
            subjects: self.subjects,
            games: self.games,
            nodes: self.nodes,
            seed: self.seed,
            is_material: self.is_material,
            to: self.to,
            figure: self.figure,
            threads: self.threads.count(),
        };
        let stop = super::stop_on_ctrl_c()?;
        match showing(|progress| study(&request, progress, &stop))? {
            Ended::Complete(study) => output.result(&study),
            Ended::Stopped(games) => {
                let kept = match request.to {
                    Some(_) => "the same command resumes",
                    None => "with --to, they would have been kept",
                };
                anyhow::bail!(Interrupted(format!("Stopped after {games} games: {kept}.")))
            }
        }
    }
}
