//! `mcts:rollouts=N`: tree search with random rollouts.

use std::sync::Arc;

use engine::{Analyzer, SearchPlayer};
use eval::PlayerFactory;
use rules::Variant;

use super::{Kind, Loaded, Seat};
use crate::Result;
use crate::node_cap::NodeCap;
use crate::portable::PortableKind;

/// The maximum number of rollouts per move; more would take hours.
const MAX_ROLLOUTS: u32 = 100_000_000;

/// The row of the registry.
pub(super) const KIND: Kind = Kind {
    word: "mcts",
    forms: "mcts:rollouts=1000",
    takes: &["time", "book", "variety"],
    parse: |rest| {
        let number = rest.strip_prefix("rollouts=").and_then(|n| n.parse().ok());
        let number = number.filter(|number| (1..=MAX_ROLLOUTS).contains(number));
        let rollouts =
            number.ok_or_else(|| format!("write mcts:rollouts=1000 (1 to {MAX_ROLLOUTS})"))?;
        Ok(Arc::new(Mcts { rollouts }))
    },
};

/// Tree search with this number of rollouts per move.
#[derive(Clone, Copy, Debug)]
struct Mcts {
    rollouts: u32,
}

impl Loaded for Mcts {
    fn games(&self) -> Vec<Variant> {
        Variant::ALL.to_vec()
    }

    fn factory(&self, _: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        let rollouts = self.rollouts;
        Ok(PlayerFactory::new("", move || {
            Ok(Box::new(SearchPlayer::mcts(rollouts)))
        }))
    }

    fn analyzer(&self, _: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        Ok(Box::new(NodeCap {
            analyzer: Box::new(SearchPlayer::mcts(self.rollouts)),
            nodes: self.rollouts.into(),
        }))
    }

    fn plays_any(&self) -> bool {
        true
    }

    fn portable(&self, _: Variant) -> Result<PortableKind, String> {
        Ok(PortableKind::Named(format!(
            "mcts:rollouts={}",
            self.rollouts
        )))
    }
}
