//! `material:VARIANT`: alpha-beta search that counts material, for any game.

use std::sync::Arc;

use alphabeta::MaterialBalance;
use engine::{AlphaBetaPlayer, Analyzer};
use eval::PlayerFactory;
use rules::Variant;

use super::{Kind, Loaded, PlayerKind, Seat, Source, learned};
use crate::Result;
use crate::portable::PortableKind;

/// The row of the registry.
pub(super) const KIND: Kind = Kind {
    word: "material",
    forms: "material:russian",
    takes: &[
        "nodes", "time", "depth", "threads", "hash", "endgames", "book", "variety",
    ],
    parse: |rest| {
        let variant = rest.parse::<Variant>().map_err(|error| error.to_string())?;
        Ok(source(variant))
    },
};

/// The source for a game.
pub(super) fn source(variant: Variant) -> Arc<dyn Source> {
    Arc::new(Material { variant })
}

/// The player of one game.
#[derive(Clone, Copy, Debug)]
struct Material {
    variant: Variant,
}

impl Loaded for Material {
    fn games(&self) -> Vec<Variant> {
        vec![self.variant]
    }

    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        let config = learned::config(seat.options);
        let (name, prover) = (seat.name.to_owned(), seat.prover.clone());
        Ok(PlayerFactory::new("", move || {
            let player = AlphaBetaPlayer::new(name.clone(), MaterialBalance, config);
            Ok(Box::new(player.with_prover(prover.clone())))
        }))
    }

    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        let config = learned::config(seat.options);
        let search = AlphaBetaPlayer::new(seat.name.to_owned(), MaterialBalance, config);
        Ok(Box::new(search.with_prover(seat.prover.clone())))
    }

    fn is_everywhere(&self) -> bool {
        true
    }

    fn portable(&self, _: Variant) -> Result<PortableKind, String> {
        Ok(PortableKind::Named(format!("material:{}", self.variant)))
    }

    fn player_kind(&self, _: Variant) -> Option<PlayerKind<'_>> {
        Some(PlayerKind::Material)
    }
}
