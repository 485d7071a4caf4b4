//! `random`, `diluted:random=N`, `alphabeta:depth=N`, `learned:depth=N`: fixed baselines.

use std::sync::Arc;

use engine::Analyzer;
use eval::{Baseline, PlayerFactory};
use rules::Variant;

use super::{Kind, Loaded, Seat, Source};
use crate::Result;
use crate::portable::PortableKind;

/// Plays random moves.
pub(super) const RANDOM: Kind = Kind {
    word: "random",
    forms: "random",
    takes: &["time"],
    parse: |rest| match rest {
        "" => parse("random"),
        _ => Err("write random".to_owned()),
    },
};

/// Shallow search mixed with a share of random moves.
pub(super) const DILUTED: Kind = Kind {
    word: "diluted",
    forms: "",
    takes: &["time"],
    parse: |rest| parse(&format!("diluted:{rest}")),
};

/// Fixed-depth search that counts material.
pub(super) const ALPHABETA: Kind = Kind {
    word: "alphabeta",
    forms: "alphabeta:depth=4",
    takes: &["time", "book", "variety"],
    parse: |rest| parse(&format!("alphabeta:{rest}")),
};

/// Fixed-depth search with a fixed learned evaluation.
pub(super) const LEARNED: Kind = Kind {
    word: "learned",
    forms: "learned:depth=4",
    takes: &["time", "book", "variety"],
    parse: |rest| parse(&format!("learned:{rest}")),
};

fn parse(text: &str) -> Result<Arc<dyn Source>, String> {
    let baseline = text.parse::<Baseline>();
    Ok(Arc::new(baseline.map_err(|error| error.to_string())?))
}

impl Loaded for Baseline {
    fn games(&self) -> Vec<Variant> {
        Baseline::games(*self)
    }

    fn factory(&self, _: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        Ok(PlayerFactory::from(*self))
    }

    fn analyzer(&self, _: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        Ok(Baseline::analyzer(*self))
    }

    fn plays_any(&self) -> bool {
        true
    }

    fn portable(&self, _: Variant) -> Result<PortableKind, String> {
        Ok(PortableKind::Named(self.to_string()))
    }
}
