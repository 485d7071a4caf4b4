//! The root: noise, sequential halving, move choice.

use rand::Rng;
use types::Wdl;

use crate::config::{Mode, SearchConfig};
use crate::formulas::{completed_scores, dirichlet, gumbel};
use crate::halving::Halving;
use crate::proof::Sound;
use crate::tree::{Edge, Tree};

/// State of the root. Buffers are reused from search to search.
#[derive(Default)]
pub(crate) struct Root {
    /// [move] scaled Gumbel noise or Dirichlet noise; sampled for each search.
    noise: Vec<f32>,
    /// [move] noise + logit + sigma(completed Q), as of the last phase of sequential halving.
    scores: Vec<f32>,
    halving: Halving,
    pub(crate) raw_value: Option<Wdl>,
}

impl Root {
    /// Samples the noise for a search of `n_moves` moves.
    pub(crate) fn begin(&mut self, config: &SearchConfig, n_moves: usize, rng: &mut impl Rng) {
        self.raw_value = None;
        self.noise.clear();
        match config.mode {
            Mode::Gumbel if config.gumbel_scale > 0.0 => {
                self.noise
                    .extend((0..n_moves).map(|_| config.gumbel_scale * gumbel(rng)));
            }
            Mode::Gumbel => self.noise.resize(n_moves, 0.0),
            Mode::Puct if config.has_root_noise() => {
                dirichlet(config.puct_noise_alpha, n_moves, rng, &mut self.noise);
            }
            Mode::Puct => {}
        }
    }

    /// Called after the root's evaluation: mixes in Dirichlet noise, or starts sequential halving.
    pub(crate) fn evaluated(
        &mut self,
        config: &SearchConfig,
        budget: u32,
        raw: Wdl,
        tree: &mut Tree,
    ) {
        self.raw_value = Some(raw);
        match config.mode {
            Mode::Gumbel => self.start_halving(config, budget, tree),
            Mode::Puct if config.has_root_noise() => {
                for (edge, share) in tree.edges_mut(tree.root()).iter_mut().zip(&self.noise) {
                    edge.prior += config.puct_noise_weight * (share - edge.prior);
                }
            }
            Mode::Puct => {}
        }
    }

    /// The root move of the next simulation in Gumbel mode.
    ///
    /// A proven move leaves sequential halving; a proven draw can still be chosen at the end. When
    /// no considered move is left, the other moves get the remaining simulations.
    pub(crate) fn select(&mut self, config: &SearchConfig, remaining: u32, tree: &Tree) -> usize {
        let edges = tree.edges(tree.root());
        let is_open = |i: usize| edges[i].proof.is_none();
        loop {
            if let Some(i) = self.halving.next(is_open) {
                return i;
            }
            noisy_scores(config, &self.noise, tree, &mut self.scores);
            if !self.halving.halve(&self.scores, is_open) {
                self.start_halving(config, remaining, tree);
            }
        }
    }

    /// Starts a new schedule over the moves that are not proven.
    pub(crate) fn start_halving(&mut self, config: &SearchConfig, simulations: u32, tree: &Tree) {
        noisy_scores(config, &self.noise, tree, &mut self.scores);
        let is_open = |i: usize| tree.edges(tree.root())[i].proof.is_none();
        let considered = config.considered(simulations);
        self.halving
            .start(simulations, considered, &self.scores, is_open);
    }

    /// The move to play.
    pub(crate) fn best(&self, config: &SearchConfig, tree: &Tree) -> usize {
        match config.mode {
            Mode::Gumbel => self.choose(config, tree),
            Mode::Puct => choose_puct(tree.edges(tree.root())),
        }
    }

    /// The move to play in Gumbel mode: the highest score among the survivors of sequential halving
    /// and the proven moves.
    fn choose(&self, config: &SearchConfig, tree: &Tree) -> usize {
        let edges = tree.edges(tree.root());
        let sound = Sound::of(edges.iter().map(|edge| edge.proof));
        let mut scores = Vec::new();
        noisy_scores(config, &self.noise, tree, &mut scores);
        let sound_moves = (0..edges.len()).filter(|&i| sound.allows(edges[i].proof));
        let is_kept =
            |&i: &usize| edges[i].proof.is_some() || self.halving.survivors().contains(&i);
        let better = |a: usize, b: usize| scores[a] > scores[b];
        best_by(sound_moves.clone().filter(is_kept), better)
            .or_else(|| best_by(sound_moves, better))
            .unwrap_or(0)
    }
}

/// `g + logit + sigma(completed Q)` for each root move; -infinity for moves that are not sound.
fn noisy_scores(config: &SearchConfig, noise: &[f32], tree: &Tree, scores: &mut Vec<f32>) {
    let edges = tree.edges(tree.root());
    let sound = Sound::of(edges.iter().map(|edge| edge.proof));
    completed_scores(config, tree.node(tree.root()).raw_q, edges, sound, scores);
    for (score, noise) in scores.iter_mut().zip(noise) {
        *score += noise;
    }
}

/// The move to play in PUCT mode: the most visited sound move; ties by value, or by prior if
/// nothing was visited.
pub(crate) fn choose_puct(edges: &[Edge]) -> usize {
    let sound = Sound::of(edges.iter().map(|edge| edge.proof));
    let key = |i: usize| {
        let edge: &Edge = &edges[i];
        (
            edge.visits,
            if edge.visits > 0 { edge.q } else { edge.prior },
        )
    };
    let candidates = (0..edges.len()).filter(|&i| sound.allows(edges[i].proof));
    best_by(candidates, |a, b| key(a) > key(b)).unwrap_or(0)
}

/// The best candidate; the first one wins ties.
fn best_by(
    candidates: impl Iterator<Item = usize>,
    better: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    candidates.reduce(|best, i| if better(i, best) { i } else { best })
}
