//! Portable players, which another machine can create.

use config::{ConfigSources, ModelSection};
use search::SearchConfig;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::models::LoadedModel;

/// A player in a form from which another machine can create it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portable {
    /// The name in results.
    pub name: String,
    /// The player without its options.
    pub kind: PortableKind,
    /// Its options, each preceded by a comma.
    pub options: String,
}

/// A player without its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortableKind {
    /// A player available on every machine under this name.
    Named(String),
    /// A learned evaluation.
    Evaluation(Vec<u8>),
    /// A network.
    Network {
        /// The identity of the network.
        id: String,
        /// The bytes of the model.
        bytes: Vec<u8>,
        /// The search settings as JSON.
        settings: String,
    },
}

/// The search settings of a portable network.
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
