//! Edges with given statistics, for the tests of the formulas.

use types::exp;

use crate::tree::Edge;

/// An edge with this prior, visit count and mean.
pub(crate) fn edge(prior: f32, visits: u32, q: f32) -> Edge {
    Edge {
        log_prior: libm::logf(prior),
        prior,
        q,
        visits,
        child: None,
        proof: None,
    }
}

/// Edges with these logits, not normalized.
pub(crate) fn edges(logits: &[f32], visits: &[u32], q: &[f32]) -> Vec<Edge> {
    let total: f32 = logits.iter().map(|&logit| exp(logit)).sum();
    let moves = logits.iter().zip(visits).zip(q);
    moves
        .map(|((&logit, &visits), &q)| edge(exp(logit) / total, visits, q))
        .collect()
}
