//! What a search found.

use rules::Move;
use types::{Wdl, exp};

use crate::Proof;
use crate::config::{Mode, SearchConfig};
use crate::formulas::{improved_policy, reliability};
use crate::node_id::NodeId;
use crate::proof::Sound;
use crate::root::{Root, choose_puct};
use crate::select::q_of;
use crate::tree::{Edge, Tree};

/// What a search found. Values are from the mover's view; lists are in the order of
/// [`Position::legal_moves`](rules::Position::legal_moves).
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// Index of the move to play.
    pub best: usize,
    /// The policy that search made of the prior, the target to train on: the improved policy in
    /// Gumbel mode, shares of visits in PUCT mode. Moves proven not to be worth playing have 0.
    pub policy: Vec<f32>,
    /// Simulations that went through each move, in earlier searches too whose tree is gone on with.
    pub visits: Vec<u32>,
    /// Mean utility of each move in 0..=1. Moves never visited have the mean of the root.
    pub q: Vec<f32>,
    /// The evaluator's prior, without noise; uniform where nothing was evaluated.
    pub prior: Vec<f32>,
    /// The exact value if proven, else what to expect when `policy` is played: the values of the moves
    /// weighted by it, each shrunk by how little it was visited. The mean over all simulations would be
    /// too low for the mover, because sequential halving visits bad moves on purpose; without shrinking
    /// it would be too high, because the policy prefers moves whose few visits came out too well. `None`
    /// for a forced move of which nothing is known.
    pub value: Option<Wdl>,
    /// The evaluator's value of the position itself. `None` for a forced move, and where the tree of an
    /// earlier search is gone on with.
    pub raw_value: Option<Wdl>,
    /// What is certain about the position.
    pub proof: Option<Proof>,
    /// Simulations made.
    pub simulations: u64,
    /// Positions evaluated, the root included.
    pub evaluations: u64,
    /// Plies of the longest simulation.
    pub depth: u32,
    /// The best move and the best replies known, best first.
    pub principal_variation: Vec<Move>,
    /// Why the search ended; nothing while it goes on.
    pub stop: Option<Stop>,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// All simulations were made.
    Simulations,
    /// The result with best play is certain.
    Proven,
    /// There was only one legal move.
    Forced,
    /// The tree has filled its memory.
    Memory,
}

impl SearchResult {
    /// What the tree says. The counters of the search itself are left at 0.
    pub(crate) fn of(config: &SearchConfig, root: &Root, tree: &Tree) -> SearchResult {
        let (node, edges) = (tree.node(tree.root()), tree.edges(tree.root()));
        let sound = Sound::of(edges.iter().map(|edge| edge.proof));
        let mut policy = Vec::new();
        match config.mode {
            Mode::Gumbel => improved_policy(config, node.raw_q, edges, sound, &mut policy),
            Mode::Puct => policy = visit_shares(edges, sound),
        }
        let best = root.best(config, tree);
        let value = match node.proof {
            Some(_) => Some(node.mean),
            None => policy_value(tree, &policy, root.raw_value).or(root.raw_value),
        };
        let mean_q = q_of(node.mean, config.draw_score);
        SearchResult {
            best,
            policy,
            visits: edges.iter().map(|edge| edge.visits).collect(),
            q: edges
                .iter()
                .map(|edge| if edge.visits > 0 { edge.q } else { mean_q })
                .collect(),
            prior: normalised(edges.iter().map(|edge| exp(edge.log_prior)).collect()),
            value,
            raw_value: root.raw_value,
            proof: node.proof,
            simulations: 0,
            evaluations: 0,
            depth: 0,
            principal_variation: principal_variation(tree, best),
            stop: None,
        }
    }
}

/// The mean of the visited moves' values, weighted by the policy; each is shrunk towards the mixed value,
/// that of all visited moves weighted by the prior, in which the evaluator's own value counts as one visit.
fn policy_value(tree: &Tree, policy: &[f32], raw: Option<Wdl>) -> Option<Wdl> {
    let edges = tree.edges(tree.root()).iter().zip(policy);
    let visited = edges.filter_map(|(edge, &weight)| {
        let child = edge.child.filter(|_| edge.visits > 0)?;
        Some((edge, weight, tree.node(child).mean.flipped()))
    });
    let visits: u32 = visited.clone().map(|(edge, ..)| edge.visits).sum();
    let by_prior = visited
        .clone()
        .map(|(edge, _, value)| (edge.prior.max(f32::MIN_POSITIVE), value));
    let mixed = Wdl::mean(
        Wdl::mean(by_prior)
            .map(|value| (visits as f32, value))
            .into_iter()
            .chain(raw.map(|raw| (1.0, raw))),
    )?;
    Wdl::mean(visited.flat_map(|(edge, weight, value)| {
        let reliability = match edge.proof {
            Some(_) => 1.0,
            None => reliability(edge.visits),
        };
        [
            (weight * reliability, value),
            (weight * (1.0 - reliability), mixed),
        ]
    }))
}

/// Each sound move's share of the visits, or of the prior where nothing was visited.
fn visit_shares(edges: &[Edge], sound: Sound) -> Vec<f32> {
    let share_by = |weight: fn(&Edge) -> f32| -> Vec<f32> {
        let weigh = |edge: &Edge| {
            if sound.allows(edge.proof) {
                weight(edge)
            } else {
                0.0
            }
        };
        edges.iter().map(weigh).collect()
    };
    let visits = share_by(|edge| edge.visits as f32);
    let visited = visits.iter().any(|&visits| visits > 0.0);
    normalised(if visited {
        visits
    } else {
        share_by(|edge| exp(edge.log_prior))
    })
}

fn normalised(mut weights: Vec<f32>) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// A move of the root, then at each node the most visited of the sound moves.
pub(crate) fn principal_variation(tree: &Tree, first: usize) -> Vec<Move> {
    let mut variation = Vec::new();
    let mut next: Option<(NodeId, usize)> = Some((tree.root(), first));
    while let Some((node, edge)) = next {
        variation.push(tree.moves(node)[edge]);
        next = tree.edges(node)[edge].child.and_then(|child| {
            let edges = tree.edges(child);
            let visited = edges.iter().any(|edge| edge.visits > 0);
            visited.then(|| (child, choose_puct(edges)))
        });
    }
    variation
}
