//! Restoring players from their portable form.

use std::path::Path;

use model::Model;
use rules::Variant;

use crate::kinds;
use crate::loaded::LoadedPlayer;
use crate::models::LoadedModel;
use crate::options::Options;
use crate::portable::{Portable, PortableKind, Searching};
use crate::{EvaluationError, Result, RosterError, SecondOpinion};

impl LoadedPlayer {
    /// Creates the player of a portable form. A caller who received the bytes by their hash must
    /// verify them first.
    ///
    /// # Errors
    /// If the form does not describe a player of the game that plays the same on every machine.
    pub fn of_portable(portable: &Portable, variant: Variant) -> Result<LoadedPlayer> {
        let name = &portable.name;
        let wrong = |what: &str| RosterError::Missing(format!("the shared player {name} {what}"));
        let (kind, player) = match &portable.kind {
            PortableKind::Named(text) => {
                let (kind, source) = kinds::parse(text)?;
                if !source.is_everywhere(variant) {
                    return Err(wrong("is not available on every machine"));
                }
                (kind, source.load()?.player)
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
                    evaluation: SecondOpinion::None,
                    run: None,
                })
            }
        };
        let options = Options::parse(name, kind.takes, portable.options.trim_start_matches(','))?;
        if options.endgames.is_some() || options.book.is_some() || options.time.is_some() {
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
