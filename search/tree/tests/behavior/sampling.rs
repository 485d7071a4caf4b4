//! Randomness at the root: common faults of Gumbel AlphaZero implementations.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use search::{Batch, Evaluator, EvaluatorError, Search, SearchConfig, SearchResult, search_all};
use types::Wdl;

use crate::support::Hashed;
use crate::{EXPLORE, NOISY_PUCT, PLAY, search};

/// Searches the same game repeatedly with one random stream.
fn repeated(config: SearchConfig, budget: u32, n: u32) -> impl Iterator<Item = SearchResult> {
    let game = Game::new(Position::start(Variant::English));
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut searches, mut batch) = ([Search::new(config, 1 << 18)], Batch::new());
    (0..n).map(move |_| {
        searches[0].begin(&game, budget, &mut rng);
        search_all(&mut searches, &mut Hashed, &mut batch).expect("finite numbers");
        searches[0].result()
    })
}

/// With one considered move, the choice is the arg max of prior and noise, which is a sample of the
/// prior if the noise is new for each search.
#[test]
fn one_considered_move_is_a_sample_of_the_prior() {
    let config = SearchConfig {
        max_considered: 1,
        ..EXPLORE
    };
    let mut counts = [0u32; 7];
    let mut prior = Vec::new();
    for result in repeated(config, 1, 4000) {
        counts[result.best] += 1;
        prior = result.prior;
    }
    for (&count, prior) in counts.iter().zip(prior) {
        let share = f64::from(count as f32) / 4000.0;
        assert!((share - f64::from(prior)).abs() < 0.03, "{share} {prior}");
    }
}

/// Noise decides which moves are visited; prior and target do not contain it.
#[test]
fn noise_is_neither_in_the_prior_nor_in_the_target() {
    let results: Vec<_> = repeated(EXPLORE, 32, 20).collect();
    assert!(
        results
            .iter()
            .any(|result| result.visits != results[0].visits)
    );
    let raw = repeated(PLAY, 0, 1).next().unwrap().prior;
    for result in &results {
        assert_eq!(result.prior, raw);
        // 7 moves and 32 simulations: all are visited, so only the precision of Q differs.
        assert!(result.visits.iter().all(|&visits| visits > 0));
        let scores = |i: usize| {
            let max_visits = result.visits.iter().max().copied().unwrap_or(0);
            result.prior[i].ln() + (50.0 + max_visits as f32) * result.q[i]
        };
        let total: f32 = (0..7).map(|i| (scores(i) - 50.0).exp()).sum();
        for i in 0..7 {
            let expected = (scores(i) - 50.0).exp() / total;
            assert!(
                (result.policy[i] - expected).abs() < 1e-3,
                "{:?}",
                result.policy
            );
        }
    }
}

#[test]
fn dirichlet_noise_changes_visits_but_not_the_reported_prior() {
    let raw = repeated(PLAY, 0, 1).next().unwrap().prior;
    let results: Vec<_> = repeated(NOISY_PUCT, 60, 10).collect();
    assert!(
        results
            .iter()
            .any(|result| result.visits != results[0].visits)
    );
    for result in results {
        for (prior, raw) in result.prior.iter().zip(&raw) {
            assert!((prior - raw).abs() < 1e-6);
        }
        for (share, &visits) in result.policy.iter().zip(&result.visits) {
            assert!((share - visits as f32 / 60.0).abs() < 1e-6);
        }
    }
}

/// Logits so far apart that careless code loses moves or produces NaN.
struct Extreme;

impl Evaluator for Extreme {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (value, logits) = batch.reply_mut(index);
            *value = Wdl::DRAW;
            for (i, logit) in logits.iter_mut().enumerate() {
                *logit = [1e6, -1e6, 0.0, -1e9][i % 4];
            }
        }
        Ok(())
    }
}

#[test]
fn hopeless_moves_are_considered_all_the_same() {
    let game = Game::new(Position::start(Variant::English));
    let result = search(EXPLORE, &game, 64, &mut Extreme);
    assert!(
        result.visits.iter().all(|&visits| visits > 0),
        "{:?}",
        result.visits
    );
    assert_eq!(result.visits.iter().sum::<u32>(), 64);
    assert!(result.policy.iter().all(|weight| weight.is_finite()));
    assert!(result.best == 0 || result.best == 4);
}
