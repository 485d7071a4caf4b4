//! Agents from bytes.

use std::path::Path;

use model::Model;
use nnue::{Network, NetworkError};

use crate::{Agent, Error, Options};

impl Agent {
    /// The agent in the bytes of a safetensors file: a network, or a learned evaluation. `name`
    /// replaces the file name in messages.
    ///
    /// # Errors
    /// If they are damaged, or contain something else.
    pub fn from_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Agent, Error> {
        options.check()?;
        match Network::from_bytes(bytes) {
            Ok(network) => Agent::evaluation(name, network, options),
            // A complete safetensors file that is not an evaluation can only be a network.
            Err(NetworkError::NoManifest { .. }) => {
                let model = Model::from_bytes(bytes, Path::new(name));
                let model = model.map_err(|source| Error::Model {
                    name: name.to_owned(),
                    source,
                })?;
                Agent::network(name, &model, options)
            }
            Err(source) => Err(Error::Evaluation {
                name: name.to_owned(),
                source,
            }),
        }
    }
}

#[cfg(not(feature = "players"))]
impl Agent {
    /// The agent `material:VARIANT`, which counts material. On platforms without files, all others
    /// come from bytes.
    ///
    /// # Errors
    /// If there is no such game, or it names another player.
    pub fn load(source: &str, options: &Options) -> Result<Agent, Error> {
        let (source, options) = options.with_suffix(source)?;
        options.check()?;
        match source.strip_prefix("material:") {
            Some(_) if options.elo.is_some() => Err(Error::NotMeasured { name: source }),
            Some(name) => Ok(Agent::material(name.parse()?, &options)),
            None => Err(Error::Limits(format!(
                "{source} is not available here: write material: and a game, or give the bytes of \
                    an agent"
            ))),
        }
    }
}
