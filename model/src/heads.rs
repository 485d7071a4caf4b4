//! The network's heads, one row each.
//!
//! To add a head, add a row here, its target in `trainer/src/targets.rs`, its weight in
//! `trainer/src/config.rs` and that key in `configs/base.toml`.

use std::ops::{Index, IndexMut};

use crate::{ModelConfig, ModelWeights};

/// A head and its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Its name, which is also the name of its loss.
    pub name: &'static str,
    /// The prefix of its tensors' names.
    pub layer: &'static str,
    /// Its input, outputs and loss.
    pub kind: Kind,
    /// Its target.
    pub target: Target,
    /// The key of its loss weight in the section `train`; `None` if the weight is 1.
    pub weight_key: Option<&'static str>,
    /// True if inference needs it. The others are *auxiliary*: they help to train the trunk, and a
    /// network without their weights is complete.
    pub exported: bool,
    /// The standard deviation of its initial weights, times the square root of the number of its
    /// inputs. It is small, so that the initial outputs are nearly uniform.
    pub gain: f32,
}

/// The input, the outputs and the loss of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// f, t and k of every square, from the trunk, which score moves: 2 d + 1 numbers. Its loss is
    /// the cross-entropy over the legal moves, in nats.
    Moves,
    /// Win, draw and loss of the position, from the summary. Its loss is their cross-entropy, in
    /// nats.
    Result,
}

/// The target of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The search's improved policy.
    Policy,
    /// The same to the power of 1/4, normalized (KataGo).
    SoftPolicy,
    /// The result of the game, mixed with the search's value.
    Outcome,
}

/// All heads. Those used in inference come first, so that the initial tensors of a network do not
/// depend on its auxiliary heads.
pub const HEADS: [Head; 3] = [
    Head {
        name: "policy",
        layer: "policy",
        kind: Kind::Moves,
        target: Target::Policy,
        weight_key: None,
        exported: true,
        gain: 0.5,
    },
    Head {
        name: "value",
        layer: "value.out",
        kind: Kind::Result,
        target: Target::Outcome,
        weight_key: Some("value_weight"),
        exported: true,
        gain: 0.1,
    },
    Head {
        name: "soft_policy",
        layer: "soft_policy",
        kind: Kind::Moves,
        target: Target::SoftPolicy,
        weight_key: Some("soft_policy_weight"),
        exported: false,
        gain: 0.5,
    },
];

/// The index of a row of [`HEADS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeadId(usize);

impl HeadId {
    /// The policy used in play.
    pub const POLICY: Self = Self(0);
    /// The value used in search.
    pub const VALUE: Self = Self(1);

    /// All heads in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..HEADS.len()).map(Self)
    }

    /// The head's row.
    pub fn row(self) -> &'static Head {
        &HEADS[self.0]
    }

    /// The head with this name, if any.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|head| head.row().name == name)
    }
}

/// A value for each head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerHead<T>([T; HEADS.len()]);

impl<T> PerHead<T> {
    /// Calls `of` for each head.
    pub fn new(mut of: impl FnMut(HeadId) -> T) -> Self {
        Self(std::array::from_fn(|index| of(HeadId(index))))
    }

    /// Every head with its value.
    pub fn into_pairs(self) -> impl Iterator<Item = (HeadId, T)> {
        HeadId::all().zip(self.0)
    }

    /// Every head with its value.
    pub fn iter(&self) -> impl Iterator<Item = (HeadId, &T)> {
        HeadId::all().zip(&self.0)
    }
}

impl<T> Index<HeadId> for PerHead<T> {
    type Output = T;

    fn index(&self, head: HeadId) -> &T {
        &self.0[head.0]
    }
}

impl<T> IndexMut<HeadId> for PerHead<T> {
    fn index_mut(&mut self, head: HeadId) -> &mut T {
        &mut self.0[head.0]
    }
}

/// The heads of a network, with the number of outputs of each, per square or per position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkHeads {
    /// The number of outputs; 0 if the network lacks the head.
    n_outputs: PerHead<usize>,
}

impl NetworkHeads {
    /// The heads used in inference.
    pub fn exported(config: &ModelConfig) -> Self {
        Self::trained(config, |_| false)
    }

    /// The heads used in inference and the `wanted` auxiliary ones.
    pub fn trained(config: &ModelConfig, wanted: impl Fn(HeadId) -> bool) -> Self {
        let width = |head: HeadId| match head.row().kind {
            Kind::Moves => config.policy_outputs(),
            Kind::Result => 3,
        };
        let has = |head: HeadId| head.row().exported || wanted(head);
        Self {
            n_outputs: PerHead::new(|head| if has(head) { width(head) } else { 0 }),
        }
    }

    /// The heads used in inference and the auxiliary ones with tensors in `weights`.
    pub fn of(config: &ModelConfig, weights: &ModelWeights) -> Self {
        let mut heads = Self::exported(config);
        for head in HeadId::all().filter(|head| !head.row().exported) {
            let bias = weights.get(&format!("{}.bias", head.row().layer));
            heads.n_outputs[head] = bias.map_or(0, |bias| bias.values.len());
        }
        heads
    }

    /// True if the network has this head.
    pub fn has(&self, head: HeadId) -> bool {
        self.n_outputs[head] > 0
    }

    /// The number of outputs of a head, 0 if the network lacks it.
    pub fn n_outputs(&self, head: HeadId) -> usize {
        self.n_outputs[head]
    }

    /// The network's heads with the number of their outputs.
    pub fn iter(&self) -> impl Iterator<Item = (HeadId, usize)> {
        let all = self.n_outputs.iter().map(|(head, &n)| (head, n));
        all.filter(|&(_, n_outputs)| n_outputs > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;

    #[test]
    fn rows_are_found_by_their_names() {
        assert_eq!(HeadId::named("policy"), Some(HeadId::POLICY));
        assert_eq!(HeadId::named("value"), Some(HeadId::VALUE));
        assert_eq!(HeadId::named("ownership"), None);
        for head in HeadId::all() {
            assert_eq!(HeadId::named(head.row().name), Some(head));
        }
    }

    #[test]
    fn heads_of_inference_come_first() {
        let exported: Vec<_> = HEADS.iter().map(|head| head.exported).collect();
        assert!(exported.is_sorted_by(|a, b| a >= b), "{exported:?}");
    }

    #[test]
    fn an_auxiliary_head_is_there_if_it_is_wanted() {
        let config = Preset::Nano.config(32, 5);
        let soft = HeadId::named("soft_policy").unwrap();
        let outputs = config.policy_outputs();
        let heads = NetworkHeads::trained(&config, |head| head == soft);
        assert_eq!(heads.iter().last(), Some((soft, outputs)));
        let exported = NetworkHeads::exported(&config);
        assert!(!exported.has(soft));
        assert_eq!(exported.iter().count(), 2);
    }
}
