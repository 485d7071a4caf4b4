//! Agents for the players of the registry.

use std::sync::Arc;

use engine::defaults::USUAL_SIMULATIONS;
use roster::{LoadedPlayer, OwnResources, PlayerKind, PlayerSpec};
use rules::Variant;
use types::Strength;

use crate::member::{self, Member, TreeSearch};
use crate::{Agent, Error, Options};

impl Agent {
    /// Loads the agent of a player, written as in every command of the program: `english` (the
    /// strongest bundled player of the game), `bundled:english`, `ab:bundled`, `material:russian`,
    /// `run:DIR@42`, `random`, a file or a folder; see [`roster`].
    ///
    /// Options in the text replace those in `options`: [`Options::elo`], [`Options::seed`] and
    /// the precision of a network, threads and memory of alpha-beta search.
    ///
    /// # Errors
    /// If there is no such player, it cannot be used, or it is another program.
    pub fn load(source: &str, options: &Options) -> Result<Agent, Error> {
        let (source, options) = options.with_suffix(source)?;
        options.check()?;
        let player = source.parse::<PlayerSpec>()?.load()?;
        let (name, games) = (player.name.clone(), player.games.clone());
        let make = move |variant, options: &Options| Member::of_player(&player, variant, options);
        Agent::of_several(name, games, options, Box::new(make))
    }

    /// Loads the agent in a file or folder.
    ///
    /// # Errors
    /// If it cannot be read or used.
    pub fn read(path: &std::path::Path, options: &Options) -> Result<Agent, Error> {
        Agent::load(&path.display().to_string(), options)
    }
}

impl Member {
    /// A player of the registry in one of its games. Its network or evaluation is searched with
    /// `options`; a player without one, or with other options, searches as in a match.
    fn of_player(
        player: &LoadedPlayer,
        variant: Variant,
        options: &Options,
    ) -> Result<Self, Error> {
        let name = player.name.clone();
        let kind = player.player_kind(variant).and_then(|kind| {
            let options = options.with_own(player.resources()?, &kind)?;
            Some((kind, options))
        });
        let member = match kind {
            Some((PlayerKind::Network(loaded), options)) => {
                let search = TreeSearch {
                    config: loaded.search(USUAL_SIMULATIONS),
                    evaluation: loaded.evaluation.load(variant)?,
                };
                return Self::network(name, &loaded.model, &options, search);
            }
            Some((PlayerKind::Evaluation(network), options)) => {
                return Self::evaluation(name, Arc::clone(network), &options);
            }
            Some((PlayerKind::Material, options)) => Self::material(name, variant, &options),
            None if player.has_options() && options.elo.is_some() => {
                return Err(Error::Limits(format!(
                    "{name}: elo sets its strength: remove the other options"
                )));
            }
            None => {
                let analyzer = player.analyzer(&[variant])?;
                let usual = player.usual_nodes(variant);
                Self::new(name, variant, member::PlayerKind::Other(analyzer, usual))
            }
        };
        member.with_strength(&Strength::default(), options, |_, _| None)
    }
}

impl Options {
    /// These options with the player's own; `None` if only a match searches with those.
    fn with_own(&self, own: OwnResources, kind: &PlayerKind<'_>) -> Option<Options> {
        let is_of_tree = own.threads.is_some() || own.hash.is_some();
        if matches!(kind, PlayerKind::Network(_)) && is_of_tree {
            return None;
        }
        Some(Options {
            threads: own.threads.map_or(self.threads, |threads| threads as usize),
            hash: own.hash.map_or(self.hash, |megabytes| megabytes as usize),
            precision: own.precision.unwrap_or(self.precision),
            ..*self
        })
    }
}
