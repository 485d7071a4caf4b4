//! `crownhead config`: shows settings and their origins.

use std::collections::BTreeMap;
use std::io::Write as _;

use rules::Variant;
use run::RequestError;
use run::config::{Change, Resolved, SCHEMA, base_toml, game_defaults, preset_summaries};

use crate::complete;
use crate::options::{ConfigArgs, GameArg};
use crate::output::Output;

/// Show settings, their meaning and their origin
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
Examples:
  crownhead config show english
  crownhead config explain search
  crownhead config presets")]
pub(crate) enum ConfigCommand {
    /// Show the resolved configuration and where each value comes from
    #[command(after_help = "\
Examples:
  crownhead config show english
  crownhead config show thai --preset small --set search.simulations=64
  crownhead config show frisian --config my.toml --format json")]
    Show {
        #[command(flatten)]
        game: GameArg,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Explain what a setting means and which values it may have
    #[command(after_help = "\
Examples:
  crownhead config explain search
  crownhead config explain search.simulations
  crownhead config explain | less")]
    Explain {
        /// A setting such as search.mode, a section such as search, or nothing for all
        #[arg(value_name = "KEY", add = complete::keys())]
        name: Option<String>,
    },
    /// Print configs/base.toml: every setting with its default and documentation
    #[command(after_help = "\
Examples:
  crownhead config base
  crownhead config base > mine.toml")]
    Base,
    /// List the presets for --preset
    #[command(after_help = "\
Examples:
  crownhead config presets
  crownhead config presets --format json")]
    Presets,
}

impl ConfigCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self {
            ConfigCommand::Show { game, config } => {
                let variant = game.variant();
                show(variant, &config.sources().resolve(variant)?, output)
            }
            ConfigCommand::Explain { name } => explain(name.as_deref(), output),
            ConfigCommand::Base => Ok(write!(output, "{}", base_toml())?),
            ConfigCommand::Presets => presets(output),
        }
    }
}

/// TOML with the origins as comments; as JSON, the values nested and the origins by full key.
fn show(variant: Variant, resolved: &Resolved, output: &mut Output) -> anyhow::Result<()> {
    if !output.is_json() {
        return Ok(write!(output, "{resolved}")?);
    }
    let (variant, config, origins) = (variant.name(), resolved.table(), resolved.origins());
    json_line!(output, variant: variant, config: config, origins: origins)
}

fn explain(name: Option<&str>, output: &mut Output) -> anyhow::Result<()> {
    let keys = match name {
        None => SCHEMA.keys().collect(),
        Some(name) => SCHEMA.key_or_section(name).map_err(RequestError)?,
    };
    let changed = game_defaults();
    for key in keys {
        let games = changed.get(&key.name).into_iter().flatten();
        let meaning = key.lines().collect::<Vec<_>>().join(" ");
        if output.is_json() {
            let may_change = key.change != Change::Never;
            let games: BTreeMap<&str, _> =
                games.map(|(game, value)| (game.name(), value)).collect();
            json_line!(output, key: key.name, default: key.default, games: games, meaning: meaning, may_change: may_change)?;
        } else {
            writeln!(output, "{} = {}\n    {meaning}", key.name, key.default)?;
            for (game, value) in games {
                writeln!(output, "    {game}: {value}")?;
            }
        }
    }
    Ok(())
}

fn presets(output: &mut Output) -> anyhow::Result<()> {
    for (name, summary) in preset_summaries() {
        result_line!(output, { name: name, summary: summary }, "{name:<8} {summary}")?;
    }
    Ok(())
}
