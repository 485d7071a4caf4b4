//! The improved policy, which is the training target and guides selection.

use types::softmax;

use super::{mixed_value, sigma_scale};
use crate::config::SearchConfig;
use crate::proof::Sound;
use crate::tree::Edge;

/// `logit + sigma(completed Q)` for each move. The completed Q is Q for visited moves and `v_mix`
/// for the others. Moves that are not sound get -infinity.
///
/// Moves that are not sound are ignored, as if they did not exist.
pub(crate) fn completed_scores(
    config: &SearchConfig,
    raw_q: f32,
    edges: &[Edge],
    sound: Sound,
    scores: &mut Vec<f32>,
) {
    let live = || edges.iter().filter(|edge| sound.allows(edge.proof));
    let mixed = mixed_value(raw_q, live());
    let max_visits = live().map(|edge| edge.visits).max().unwrap_or(0);
    let scale = sigma_scale(config.c_visit, config.c_scale, max_visits);
    scores.clear();
    scores.extend(edges.iter().map(|edge| {
        if !sound.allows(edge.proof) {
            return f32::NEG_INFINITY;
        }
        let completed_q = if edge.visits > 0 { edge.q } else { mixed };
        edge.log_prior + scale * completed_q
    }));
}

/// `pi' = softmax(logits + sigma(completed Q))`, one probability per move.
///
/// Visit counts matter only as confidence in Q.
pub(crate) fn improved_policy(
    config: &SearchConfig,
    raw_q: f32,
    edges: &[Edge],
    sound: Sound,
    policy: &mut Vec<f32>,
) {
    completed_scores(config, raw_q, edges, sound, policy);
    softmax(policy);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Proof;
    use crate::formulas::edges::{edge, edges};

    const PAPER: SearchConfig = SearchConfig::PAPER;

    fn policy_of(config: &SearchConfig, raw_q: f32, edges: &[Edge], sound: Sound) -> Vec<f32> {
        let mut policy = Vec::new();
        improved_policy(config, raw_q, edges, sound, &mut policy);
        policy
    }

    fn assert_close(policy: &[f32], expected: &[f32]) {
        assert_eq!(policy.len(), expected.len());
        for (weight, expected) in policy.iter().zip(expected) {
            assert!(
                (weight - expected).abs() < 2e-5,
                "{policy:?} instead of {expected:?}"
            );
        }
    }

    #[test]
    fn without_visits_it_is_the_prior() {
        let edges = edges(&[-1.901, 0.407, 0.235, -0.28, -3.775], &[0; 5], &[0.0; 5]);
        // mctx.
        let expected = [0.040_434, 0.406_539, 0.342_297, 0.204_523, 0.006_207];
        assert_close(&policy_of(&PAPER, 0.012, &edges, Sound::NotLost), &expected);
    }

    #[test]
    fn equals_mctx() {
        let edges = edges(
            &[0.002, 0.448, -0.411, -1.336],
            &[3, 0, 1, 0],
            &[0.3, 0.0, 0.005, 0.0],
        );
        let expected = [0.291_344, 0.606_744, 0.0, 0.101_912];
        assert_close(&policy_of(&PAPER, 0.797, &edges, Sound::NotLost), &expected);
        let soft = SearchConfig {
            c_scale: 0.1,
            ..PAPER
        };
        let expected = [0.331_542, 0.532_997, 0.045_936, 0.089_525];
        assert_close(&policy_of(&soft, 0.797, &edges, Sound::NotLost), &expected);
    }

    #[test]
    fn equals_mctx_after_many_visits() {
        let edges = edges(
            &[-0.931, 0.735, 0.535, 0.158, -1.396, -0.044],
            &[5, 2, 0, 0, 9, 1],
            &[0.553, 0.996, 0.0, 0.0, 0.989, 0.215],
        );
        let expected = [0.0, 0.927_169, 0.0, 0.0, 0.072_831, 0.0];
        assert_close(&policy_of(&PAPER, 0.16, &edges, Sound::NotLost), &expected);
        let soft = SearchConfig {
            c_scale: 0.1,
            ..PAPER
        };
        let expected = [
            0.009_948, 0.718_451, 0.110_605, 0.075_866, 0.081_843, 0.003_288,
        ];
        assert_close(&policy_of(&soft, 0.16, &edges, Sound::NotLost), &expected);
    }

    #[test]
    fn many_visits_alone_give_no_weight() {
        let edges = [edge(0.5, 40, 0.5), edge(0.5, 0, 0.0)];
        assert_close(&policy_of(&PAPER, 0.5, &edges, Sound::NotLost), &[0.5, 0.5]);
    }

    #[test]
    fn lost_moves_count_nowhere() {
        let mut edges = [edge(0.5, 30, 0.0), edge(0.25, 2, 0.5), edge(0.25, 0, 0.0)];
        edges[0].proof = Some(Proof::Loss(2));
        // Excluded from v_mix, which is 0.5, and from the largest visit count.
        assert_close(
            &policy_of(&PAPER, 0.5, &edges, Sound::NotLost),
            &[0.0, 0.5, 0.5],
        );
    }

    #[test]
    fn only_the_shortest_win_remains() {
        let mut edges = [edge(0.9, 3, 1.0), edge(0.05, 1, 1.0), edge(0.05, 0, 0.0)];
        edges[0].proof = Some(Proof::Win(5));
        edges[1].proof = Some(Proof::Win(3));
        let sound = Sound::of(edges.iter().map(|edge| edge.proof));
        assert_close(&policy_of(&PAPER, 0.5, &edges, sound), &[0.0, 1.0, 0.0]);
    }
}
