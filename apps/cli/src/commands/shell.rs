//! `crownhead completions` and `crownhead man`: shell completions and manual pages.

use std::fs;
use std::io::Write as _;

use anyhow::Context as _;
use clap::builder::PossibleValuesParser;
use clap_complete::env::Shells;
use store::AtomicFile;

use crate::args::command;
use crate::complete::VARIABLE;
use crate::options::ToArg;
use crate::output::Output;

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The script asks the program for completions: it knows commands, options,
variants, presets, configuration keys, players and the runs in runs/. Bash
splits words at `:` and `=`, so there nothing is completed after these: write
runs/NAME instead of run:runs/NAME.

Let the shell read the script when it starts:
  bash         source <(crownhead completions bash)              in ~/.bashrc
  zsh          source <(crownhead completions zsh)               in ~/.zshrc
  fish         crownhead completions fish | source               in config.fish
  elvish       eval (crownhead completions elvish | slurp)          in rc.elv
  powershell   crownhead completions powershell | Out-String |
                 Invoke-Expression                                  in $PROFILE

Examples:
  crownhead completions bash
  crownhead completions powershell")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(Shells::builtins().names()))]
    shell: String,
}

/// Write a manual page for each command
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead man --to ~/.local/share/man/man1
  man crownhead-match")]
pub(crate) struct ManArgs {
    #[command(flatten)]
    to: ToArg,
}

impl CompletionsArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell).context("unknown shell")?;
        // The script completes with the program of that name in the shell's path.
        shell.write_registration(VARIABLE, "crownhead", "crownhead", "crownhead", output)?;
        Ok(())
    }
}

impl ManArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let to = self.to.to;
        let folder = to.display();
        let failed = || format!("failed to write manual pages to {folder}");
        fs::create_dir_all(&to).with_context(failed)?;
        // Written elsewhere first: a link in the folder is replaced, not followed.
        let pages = tempfile::tempdir().with_context(failed)?;
        clap_mangen::generate_to(command(), pages.path()).with_context(failed)?;
        for page in fs::read_dir(pages.path()).with_context(failed)? {
            let page = page.with_context(failed)?;
            let mut file = AtomicFile::create(&to.join(page.file_name()))?;
            file.write_all(&fs::read(page.path()).with_context(failed)?)
                .with_context(failed)?;
            file.finish()?;
        }
        Ok(writeln!(output, "{folder}/crownhead.1 is the first page")?)
    }
}
