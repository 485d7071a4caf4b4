//! `crownhead completions` and `crownhead man`: the command line, described for shells and readers.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap_complete::Shell;

use crate::args::Args;
use crate::output::Output;

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead completions bash > ~/.local/share/bash-completion/completions/crownhead
  crownhead completions zsh > ~/.zfunc/_crownhead
  crownhead completions fish > ~/.config/fish/completions/crownhead.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(["bash", "zsh", "fish"]).try_map(|name| name.parse::<Shell>()))]
    shell: Shell,
}

/// Write a manual page for each command
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead man --to ~/.local/share/man/man1
  man crownhead-match")]
pub(crate) struct ManArgs {
    /// The folder, made if it is not there
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

impl CompletionsArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        // The generator does not report errors of writing, our output does.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Args::command(), "crownhead", &mut script);
        Ok(output.write_all(&script)?)
    }
}

impl ManArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let folder = self.to.display();
        let failed = || format!("failed to write manual pages to {folder}");
        fs::create_dir_all(&self.to).with_context(failed)?;
        clap_mangen::generate_to(Args::command(), &self.to).with_context(failed)?;
        Ok(writeln!(output, "{folder}/crownhead.1 is the first page")?)
    }
}
