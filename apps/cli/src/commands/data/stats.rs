//! `crownhead data stats`: statistics of the games of a run.

use lab::statistics::statistics;

use crate::options::RunArg;
use crate::output::Output;

/// Describe the games of a run, by generation and in all
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Branching is the mean number of legal moves, entropy that of the policy targets
in nats. A position or game is repeated if the run has it before, in this
generation or an earlier one. Up to a million different positions are counted
exactly. Of more a sample is remembered, so that memory stays at some 60 MB: in
a run with ten million positions the share of repeated ones is within two points
in a generation, and within 0.1 in all. Damaged games are left out, with a
warning.

JSON: {\"generations\":[{\"generation\",\"games\",\"positions\",\"black_wins\",
\"white_wins\",\"draws\",\"cut_off\",\"reasons\":{..},\"mean_plies\",\"min_plies\",
\"max_plies\",\"branching\",\"policy_entropy\",\"repeated_positions\",
\"repeated_games\"}],\"total\":{..}}. Means without games are null.

Examples:
  crownhead data stats runs/english
  crownhead data stats runs/english --format json")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    run: RunArg,
}

impl StatsArgs {
    pub(super) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let (run, file) = super::open(self.run.path())?;
        let statistics = statistics(&run.games(file.variant))?;
        super::note_damage(&statistics.damage);
        output.result(&statistics)
    }
}
