//! Options that choose a configuration.

use std::path::PathBuf;

use clap::ValueHint;
use rules::Variant;
use run::config::{ConfigSources, Resolved};

use super::ThreadsArg;
use crate::complete;

/// Initial settings, and single settings on top of them.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PresetArgs {
    /// Preset with initial settings (crownhead config presets lists them)
    #[arg(long, value_name = "NAME", add = complete::presets())]
    pub(crate) preset: Option<String>,
    /// One setting, such as search.simulations=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE", add = complete::settings())]
    pub(crate) set: Vec<String>,
}

/// Maximum seed of a run: integers of TOML are signed.
const MAX_SEED: u64 = i64::MAX as u64;

/// Settings on top of the base and the variant's own.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    preset: PresetArgs,
    /// A TOML file with settings; it may extend a preset or another file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_SEED))]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl ConfigArgs {
    /// The options.
    pub(crate) fn sources(&self) -> ConfigSources {
        ConfigSources {
            preset: self.preset.preset.clone(),
            config: self.config.clone(),
            set: self.preset.set.clone(),
            seed: self.seed,
            threads: self.threads.threads,
        }
    }
}

/// Replaces `device=auto` by the fastest device, and says which one that is.
pub(crate) fn choose_device(variant: Variant, settings: &mut Resolved) -> anyhow::Result<()> {
    let rates = lab::bench::choose_device(variant, settings)?;
    if !rates.is_empty() {
        let rates: Vec<_> = rates.iter().map(ToString::to_string).collect();
        let device = &settings.config.device;
        note!(
            "device=auto chose {device}. Evaluations a second: {}.",
            rates.join(", ")
        );
    }
    Ok(())
}
