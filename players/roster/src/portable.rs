//! Players in a form in which another machine can make them.

use std::path::Path;

use config::{ConfigSources, ModelSection};
use model::Model;
use rules::Variant;
use search::SearchConfig;
use serde::{Deserialize, Serialize};

use crate::kinds;
use crate::loaded::LoadedPlayer;
use crate::models::LoadedModel;
use crate::options::Options;
use crate::{EvaluationError, Result, RosterError};

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
    model: ModelSection,
    search: SearchConfig,
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

impl LoadedPlayer {
    /// The player of a portable form. A caller who got bytes by a hash has to check them.
    ///
    /// # Errors
    /// When the form does not describe a player of the game that plays the same on every machine.
    pub fn of_portable(portable: &Portable, variant: Variant) -> Result<LoadedPlayer> {
        let name = &portable.name;
        let wrong = |what: &str| RosterError::Missing(format!("the shared player {name} {what}"));
        let (kind, player) = match &portable.kind {
            PortableKind::Named(text) => {
                let (kind, source) = kinds::parse(text)?;
                if !source.is_everywhere() {
                    return Err(wrong("is not one that every machine has"));
                }
                (kind, source.load(&Options::default())?.player)
            }
            PortableKind::Evaluation(bytes) => {
                let network = nnue::Network::from_bytes(bytes).map_err(EvaluationError::from)?;
                kinds::of_evaluation(network)
            }
            PortableKind::Network {
                id,
                bytes,
                settings,
            } => {
                let model = Model::from_bytes(bytes, Path::new(id))?;
                if model.net_id() != *id {
                    return Err(wrong("has another network"));
                }
                let searching: Searching = serde_json::from_str(settings).map_err(|error| {
                    wrong(&format!("has settings that cannot be read: {error}"))
                })?;
                kinds::of_model(LoadedModel {
                    name: name.clone(),
                    model,
                    search: searching.search,
                    precision: searching.model.precision,
                    run: None,
                })
            }
        };
        let options = Options::parse(name, kind, portable.options.trim_start_matches(','))?;
        if options.endgames.is_some() || options.time.is_some() {
            return Err(wrong("has options that depend on the machine"));
        }
        let mut player = LoadedPlayer::new(String::new(), player, options)?;
        if !player.games.contains(&variant) {
            return Err(wrong(&format!("does not play {variant}")));
        }
        player.name.clone_from(name);
        player.games = vec![variant];
        Ok(player)
    }
}
