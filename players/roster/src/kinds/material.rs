//! `material:VARIANT`: alpha-beta search that counts material, for any game.

use std::sync::Arc;

use alphabeta::MaterialBalance;
use engine::Analyzer;
use eval::PlayerFactory;
use rules::Variant;

use super::{Kind, Loaded, PlayerKind, Seat, learned};
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
        Ok(Arc::new(Material { variant }))
    },
};

/// The player of one game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    pub(super) variant: Variant,
}

impl Loaded for Material {
    fn games(&self) -> Vec<Variant> {
        vec![self.variant]
    }

    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        let make = learned::maker(seat, MaterialBalance);
        Ok(PlayerFactory::new("", move || Ok(Box::new(make()))))
    }

    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        Ok(Box::new(learned::maker(seat, MaterialBalance)()))
    }

    fn portable(&self, _: Variant) -> Result<PortableKind, String> {
        Ok(PortableKind::Named(format!("material:{}", self.variant)))
    }

    fn player_kind(&self, _: Variant) -> Option<PlayerKind<'_>> {
        Some(PlayerKind::Material)
    }
}
