//! The result of a search.

use rules::Move;
use types::{Wdl, exp};

use super::{Search, State};
use crate::Proof;
use crate::config::Mode;
use crate::formulas::{improved_policy, reliability};
use crate::node_id::NodeId;
use crate::proof::Sound;
use crate::root::choose_puct;
use crate::select::q_of;
use crate::tree::{Edge, Tree};

/// The result of a search. Values are for the side to move; lists are in the order of
/// [`Position::legal_moves`](rules::Position::legal_moves).
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// Index of the move to play.
    pub best: usize,
    /// The policy target: the improved policy in Gumbel mode, visit shares in PUCT mode; 0 for
    /// moves proven not worth playing.
    pub policy: Vec<f32>,
    /// Simulations through each move, including earlier searches whose tree was reused.
    pub visits: Vec<u32>,
    /// The mean utility of each move in 0..=1. Unvisited moves have the root's mean.
    pub q: Vec<f32>,
    /// The evaluator's prior without noise; uniform if nothing was evaluated.
    pub prior: Vec<f32>,
    /// The exact value if proven, otherwise the expected value of playing `policy`: the
    /// policy-weighted mean of the moves' values, each shrunk according to its visit count. The
    /// mean over all simulations would be too low, because sequential halving visits bad moves on
    /// purpose; without shrinkage the value would be too high, because the policy prefers moves
    /// whose few visits came out too well. `None` for a forced move without any evaluation.
    pub value: Option<Wdl>,
    /// The evaluator's value of the position itself. `None` for a forced move, or if the tree of an
    /// earlier search was reused.
    pub raw_value: Option<Wdl>,
    /// The proof of the position.
    pub proof: Option<Proof>,
    /// Simulations completed.
    pub simulations: u64,
    /// Positions evaluated, including the root.
    pub evaluations: u64,
    /// The length of the longest simulation in plies.
    pub depth: u32,
    /// The principal variation.
    pub principal_variation: Vec<Move>,
    /// The reason why the search ended; `None` while it is running.
    pub stop: Option<Stop>,
}

/// The reason why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The simulation budget is used up.
    Simulations,
    /// The result with best play is proven.
    Proven,
    /// There is only one legal move.
    Forced,
    /// The tree has used up its memory.
    Memory,
}

impl Search {
    /// The current or final result.
    ///
    /// # Panics
    ///
    /// If no search was begun.
    pub fn result(&self) -> SearchResult {
        assert!(self.state != State::Idle, "no search was begun");
        let (config, root, tree) = (&self.config, &self.root, &self.tree);
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
            prior: normalized(edges.iter().map(|edge| exp(edge.log_prior)).collect()),
            value,
            raw_value: root.raw_value,
            proof: node.proof,
            simulations: self.simulations,
            evaluations: self.evaluations,
            depth: self.max_depth as u32,
            principal_variation: principal_variation(tree, best),
            stop: match self.state {
                State::Finished(stop) => Some(stop),
                _ => None,
            },
        }
    }
}

/// The policy-weighted mean of the visited moves' values. Each is shrunk towards the mixed value:
/// the prior-weighted mean of all visited moves, with the evaluator's own value as one more visit.
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

/// Each sound move's share of the visits, or of the prior if nothing was visited.
fn visit_shares(edges: &[Edge], sound: Sound) -> Vec<f32> {
    let is_sound = |edge: &Edge| sound.allows(edge.proof);
    let is_visited = edges.iter().any(|edge| is_sound(edge) && edge.visits > 0);
    let weight = |edge: &Edge| match is_sound(edge) {
        false => 0.0,
        true if is_visited => edge.visits as f32,
        true => exp(edge.log_prior),
    };
    normalized(edges.iter().map(weight).collect())
}

fn normalized(mut weights: Vec<f32>) -> Vec<f32> {
    let sum: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

/// The line that starts with a root move and follows the most visited sound move of each node.
pub(super) fn principal_variation(tree: &Tree, first: usize) -> Vec<Move> {
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
