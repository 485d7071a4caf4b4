//! `crownhead data check`: finds damaged and missing games, and sets damage aside.

use lab::games::check_games;

use crate::options::RunArg;
use crate::output::Output;

/// Find games of a run that are damaged or missing, and set damage aside
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Damaged bytes move to games/damaged/ and the segment is written again with its
intact games. Nothing is deleted. A file that is no segment of the run, and a
game that is intact and makes no sense, are reported and stay. The run must not
be training, unless --dry-run is given.

Games are missing if they belong to a generation whose self-play is over and are
not there intact. Put their segments back from a copy, if there is one; training
continues without them otherwise. Games of the generation that is being played
are not missed: training plays them again.

Exit status: 0 all is intact, 1 something is damaged or missing, also where it
has been set aside.

JSON: {\"segments\",\"games\",\"positions\",\"bytes\",\"duplicates\",\"damage\":[{\"file\",
\"offset\",\"bytes\",\"games\"}],\"missing\":[{\"generation\",\"games\",
\"numbers\":[[first,last]]}],\"errors\":[..],\"set_aside\"}.

Examples:
  crownhead data check runs/english
  crownhead data check runs/english --dry-run")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    run: RunArg,
    /// Change nothing, only report
    #[arg(long)]
    dry_run: bool,
}

impl CheckArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let report = check_games(self.run.path(), !self.dry_run)?;
        output.result(&report)?;
        let n_faults = report.n_faults();
        anyhow::ensure!(n_faults == 0, "faults found: {n_faults}");
        Ok(())
    }
}
