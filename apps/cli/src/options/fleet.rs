//! Sharing the work of a command with other machines.

use super::number_in;

/// A fleet to share work with.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct FleetArgs {
    /// Share the games with machines that join by crownhead worker: a directory that all of them
    /// can access, or a folder of a bucket, as s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or
    /// az://CONTAINER/FOLDER
    #[arg(long = "fleet", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Fraction of other machines' games that are replayed here, from 0 to 1. A machine whose game
    /// cannot be reproduced is excluded
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = number_in(0_f64, 1.0), requires = "url")]
    pub(crate) audit: f64,
}
