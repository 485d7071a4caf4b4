//! `crownhead book`: opening books.

mod build;
mod expand;
mod export;
mod openings;
mod show;

use crate::output::Output;

/// Build opening books from games, expand them, and look into them
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
A book knows the results of moves in games, and values that a player found by
searching. Players that search take it as the option book=FILE.

Examples:
  crownhead book build runs/english games.pdn --to english.book
  crownhead book expand english.book --positions 2000
  crownhead book show english.book
  crownhead match ab:english,book=english.book,nodes=1000 ab:english,nodes=1000")]
pub(crate) enum BookCommand {
    Build(build::BuildArgs),
    Expand(Box<expand::ExpandArgs>),
    Show(show::ShowArgs),
    Export(export::ExportArgs),
    Openings(Box<openings::OpeningsArgs>),
}

impl BookCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self {
            BookCommand::Build(args) => args.run(output),
            BookCommand::Expand(args) => args.run(output),
            BookCommand::Show(args) => args.run(output),
            BookCommand::Export(args) => args.run(output),
            BookCommand::Openings(args) => args.run(output),
        }
    }
}
