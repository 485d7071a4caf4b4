//! Options that choose a configuration.

use std::path::PathBuf;

use pipeline::config::{ConfigError, ConfigSources, Resolved};
use rules::Variant;

/// What is put on top of the base and the variant's own settings.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ConfigArgs {
    /// Settings to start from (`crownhead config presets` lists them)
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// A TOML file with settings; it may extend a preset or another file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One setting, such as search.simulations=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads to use, 0 for one per core
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
}

impl ConfigArgs {
    /// The configuration of `variant`.
    pub(crate) fn resolve(&self, variant: Variant) -> Result<Resolved, ConfigError> {
        self.sources().resolve(variant)
    }

    /// The options themselves.
    pub(crate) fn sources(&self) -> ConfigSources {
        ConfigSources {
            preset: self.preset.clone(),
            config: self.config.clone(),
            set: self.set.clone(),
            seed: self.seed,
            threads: self.threads,
        }
    }
}
