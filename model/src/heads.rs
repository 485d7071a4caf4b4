//! What the network answers: one row a head.
//!
//! A new head is a row here, its target in `trainer/src/targets.rs`, its weight in
//! `trainer/src/config.rs` and that key in `configs/base.toml`.

use std::ops::{Index, IndexMut};

use crate::{ModelConfig, ModelWeights};

/// A head: some outputs, what they learn, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Its name: that of its loss.
    pub name: &'static str,
    /// What its tensors' names begin with.
    pub layer: &'static str,
    /// What it speaks of.
    pub kind: Kind,
    /// How many outputs it has.
    pub width: Width,
    /// What it learns.
    pub target: Target,
    /// How far it is from that.
    pub loss: LossFunction,
    /// The key of its loss's weight in the section `train`; none where the weight is 1.
    pub weight_key: Option<&'static str>,
    /// Whether inference needs it. The others are *auxiliary*: they help the trunk to learn, and a
    /// network whose weights lack them is whole.
    pub exported: bool,
    /// Standard deviation with which its weights begin, times the square root of its inputs. Small, so
    /// that the first answers are nearly even.
    pub gain: f32,
}

/// What a head reads and speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every square, from the trunk.
    Square,
    /// The position, from the summary.
    Board,
}

/// Outputs of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// f, t and k of a square, which score moves: 2 d + 1.
    Moves,
    /// This number.
    Fixed(usize),
}

/// What a head learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The search's improved policy.
    Policy,
    /// The same to the power of 1/4, made to sum to 1 (KataGo).
    SoftPolicy,
    /// How the game ended, mixed with the search's value.
    Outcome,
}

/// The distance that training makes smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossFunction {
    /// Cross-entropy over the legal moves, in nats.
    Moves,
    /// Cross-entropy of win, draw and loss in nats.
    Results,
}

/// All heads. Those of inference come first, so that networks with and without auxiliary heads have
/// the same tensors in front, drawn from the same random numbers.
pub const HEADS: [Head; 3] = [
    Head {
        name: "policy",
        layer: "policy",
        kind: Kind::Square,
        width: Width::Moves,
        target: Target::Policy,
        loss: LossFunction::Moves,
        weight_key: None,
        exported: true,
        gain: 0.5,
    },
    Head {
        name: "value",
        layer: "value.out",
        kind: Kind::Board,
        width: Width::Fixed(3),
        target: Target::Outcome,
        loss: LossFunction::Results,
        weight_key: Some("value_weight"),
        exported: true,
        gain: 0.1,
    },
    Head {
        name: "soft_policy",
        layer: "soft_policy",
        kind: Kind::Square,
        width: Width::Moves,
        target: Target::SoftPolicy,
        loss: LossFunction::Moves,
        weight_key: Some("soft_policy_weight"),
        exported: false,
        gain: 0.5,
    },
];

/// A row of [`HEADS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeadId(usize);

impl HeadId {
    /// The policy that is played.
    pub const POLICY: Self = Self(0);
    /// The value that is searched with.
    pub const VALUE: Self = Self(1);

    /// All, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..HEADS.len()).map(Self)
    }

    /// Its row.
    pub fn row(self) -> &'static Head {
        &HEADS[self.0]
    }

    /// The head of this name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|head| head.row().name == name)
    }
}

/// Something for each head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerHead<T>([T; HEADS.len()]);

impl<T> PerHead<T> {
    /// What `of` says of each head.
    pub fn new(of: impl FnMut(HeadId) -> T) -> Self {
        let mut of = of;
        Self(std::array::from_fn(|index| of(HeadId(index))))
    }

    /// Every head and what it has.
    pub fn into_pairs(self) -> impl Iterator<Item = (HeadId, T)> {
        HeadId::all().zip(self.0)
    }

    /// Every head with what it has.
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

/// The heads that one network has, and the outputs of each: for every square, or for the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkHeads {
    /// 0: the network lacks it.
    n_outputs: PerHead<usize>,
}

impl NetworkHeads {
    /// Those of inference.
    pub fn exported(config: &ModelConfig) -> Self {
        Self::trained(config, |_| false)
    }

    /// Those of inference and the auxiliary ones that are `wanted`.
    pub fn trained(config: &ModelConfig, wanted: impl Fn(HeadId) -> bool) -> Self {
        let width = |head: HeadId| match head.row().width {
            Width::Moves => config.policy_outputs(),
            Width::Fixed(n_outputs) => n_outputs,
        };
        let has = |head: HeadId| head.row().exported || wanted(head);
        Self {
            n_outputs: PerHead::new(|head| if has(head) { width(head) } else { 0 }),
        }
    }

    /// Those of inference and the auxiliary ones whose tensors are there.
    pub fn of(config: &ModelConfig, weights: &ModelWeights) -> Self {
        let mut heads = Self::exported(config);
        for head in HeadId::all().filter(|head| !head.row().exported) {
            let bias = weights.get(&format!("{}.bias", head.row().layer));
            heads.n_outputs[head] = bias.map_or(0, |bias| bias.values.len());
        }
        heads
    }

    /// Whether the network has this head.
    pub fn has(&self, head: HeadId) -> bool {
        self.n_outputs[head] > 0
    }

    /// Outputs of a head, 0 if the network lacks it.
    pub fn n_outputs(&self, head: HeadId) -> usize {
        self.n_outputs[head]
    }

    /// The heads that are there, with their outputs.
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
