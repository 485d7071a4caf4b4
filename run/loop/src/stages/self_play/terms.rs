//! The terms of a generation's games.

use search::SearchConfig;
use selfplay::{Job, SelfplayConfig};
use store::Header;

use crate::Result;
use crate::config::{RunConfig, RunFile};

/// Everything that the games of a generation depend on, except the weights of the network.
#[derive(Clone)]
pub struct GameTerms {
    /// The search.
    pub search: SearchConfig,
    /// Self-play on the run's device.
    pub selfplay: SelfplayConfig,
    /// The header that all records of the generation share.
    pub header: Header,
}

impl GameTerms {
    /// Terms with these settings and this header.
    #[must_use]
    pub fn new(config: &RunConfig, header: Header) -> GameTerms {
        GameTerms {
            search: config.search,
            selfplay: config.self_play(),
            header,
        }
    }

    /// As [`GameTerms::new`], with the run's settings in a generation and the identity of a
    /// network.
    ///
    /// # Errors
    /// If the run's settings of that generation cannot be used.
    pub fn of_generation(file: &RunFile, generation: u32, network: String) -> Result<GameTerms> {
        let config = file.settings_of(generation)?.config;
        let header = Header {
            config_hash: file.run_id.map_or_else(|| file.hash(), |id| id.0),
            ..Header::new(file.variant, config.seed, generation, network)
        };
        Ok(GameTerms::new(&config, header))
    }

    /// The games with these numbers.
    #[must_use]
    pub fn job<'a>(&'a self, numbers: &'a [u32]) -> Job<'a> {
        Job {
            search: &self.search,
            config: &self.selfplay,
            header: &self.header,
            numbers,
        }
    }
}
