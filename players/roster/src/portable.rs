//! Players in a form in which another machine can make them.

use config::{ConfigSources, ModelSection};
use search::SearchConfig;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::models::LoadedModel;

/// A player in a form in which another machine can make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portable {
    /// The name in results.
    pub name: String,
    /// The player without its options.
    pub kind: PortableKind,
    /// Its options, each after a comma.
    pub options: String,
}

/// A player without its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortableKind {
    /// A player that every machine has under this name.
    Named(String),
    /// A learned evaluation.
    Evaluation(Vec<u8>),
    /// A network.
    Network {
        /// The identity of the network.
        id: String,
        /// Its model.
        bytes: Vec<u8>,
        /// Its search, as JSON.
        settings: String,
    },
}

/// The settings of a network that plays.
#[derive(Serialize, Deserialize)]
pub(crate) struct Searching {
    pub(crate) model: ModelSection,
    pub(crate) search: SearchConfig,
}

impl Searching {
    /// The settings of a network.
    pub(crate) fn of(loaded: &LoadedModel) -> Result<Searching> {
        let usual = ConfigSources::default().resolve(loaded.model.variant)?;
        Ok(Searching {
            model: ModelSection {
                precision: loaded.precision,
                ..usual.config.model
            },
            search: loaded.search,
        })
    }
}
