//! Compares a network and its search with exact values of endings.

use std::fmt;

use endgame::{GameValue, Solved};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::Game;
use search::{Batch, Evaluator, Search, SearchConfig, search_all};
use serde::{Deserialize, Serialize};
use types::tidy;

use crate::EvalError;

/// Positions evaluated together by a thread.
const AT_ONCE: usize = 64;

/// Errors against an endgame database, of a network alone and of its search.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct EndgameScore {
    /// Number of positions.
    pub positions: usize,
    /// Positions where a wrong move gives away a win or a draw.
    pub chances: usize,
    /// Simulations of the search.
    pub simulations: u32,
    /// The network alone: its value, its most likely move.
    pub network: EndgameErrors,
    /// The value and the move after the search.
    pub search: EndgameErrors,
}

impl fmt::Display for EndgameScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (network, search) = (&self.network, &self.search);
        write!(
            f,
            "value error {:.2}, blunders {:.0} %; with {} simulations {:.2}, {:.0} %",
            network.value_error,
            tidy(100.0 * network.blunders, 0),
            self.simulations,
            search.value_error,
            tidy(100.0 * search.blunders, 0),
        )
    }
}

/// Errors of values and moves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct EndgameErrors {
    /// Mean absolute error of the value (win - loss) against the exact one (-1, 0 or 1), from 0 to
    /// 2.
    pub value_error: f64,
    /// Fraction of the critical positions where the move gives away a win or a draw.
    pub blunders: f64,
}

/// The answers about one position.
#[derive(Clone, Copy)]
struct Answer {
    /// Absolute errors of the values: the network's, the search's.
    errors: [f64; 2],
    /// True for moves that are blunders; `None` if no move can be one.
    blunders: Option<[bool; 2]>,
}

/// Evaluates every position of `sample`, with one thread per evaluator. The search makes
/// `simulations` simulations and should not explore. Results do not depend on the number of
/// threads.
///
/// # Errors
///
/// The first failure of an evaluator.
///
/// # Panics
///
/// If a thread panics.
pub fn score_endgames<E: Evaluator + Send>(
    sample: &[Solved],
    config: SearchConfig,
    simulations: u32,
    evaluators: &mut [E],
) -> Result<EndgameScore, EvalError> {
    let share = sample.len().div_ceil(evaluators.len().max(1)).max(1);
    let answers = std::thread::scope(|scope| {
        let threads: Vec<_> = sample
            .chunks(share)
            .zip(evaluators)
            .map(|(sample, evaluator)| {
                scope.spawn(move || answer_all(sample, config, simulations, evaluator))
            })
            .collect();
        let answers = threads
            .into_iter()
            .map(|thread| thread.join().expect("a panic is handed on"));
        answers.collect::<Result<Vec<_>, EvalError>>()
    })?;
    Ok(sum_up(&answers.concat(), simulations))
}

fn answer_all(
    sample: &[Solved],
    config: SearchConfig,
    simulations: u32,
    evaluator: &mut dyn Evaluator,
) -> Result<Vec<Answer>, EvalError> {
    let memory = Search::memory_for(simulations);
    let mut batch = Batch::new();
    let mut searches: Vec<Search> = (0..AT_ONCE.min(sample.len()))
        .map(|_| Search::new(config, memory))
        .collect();
    let mut answers = Vec::with_capacity(sample.len());
    for together in sample.chunks(AT_ONCE) {
        let searches = &mut searches[..together.len()];
        for (search, solved) in searches.iter_mut().zip(together) {
            // A search that does not explore needs no randomness.
            let rng = &mut ChaCha8Rng::seed_from_u64(0);
            search.begin(&Game::new(solved.position), simulations, rng);
        }
        search_all(searches, evaluator, &mut batch).map_err(engine::PlayerError::from)?;
        let asked = searches.iter().zip(together);
        answers.extend(asked.map(|(search, solved)| Answer::of(solved, search)));
    }
    Ok(answers)
}

impl Answer {
    fn of(solved: &Solved, search: &Search) -> Answer {
        let result = search.result();
        let truth = solved.value as i32 - GameValue::Draw as i32;
        let values = [result.raw_value, result.value];
        let errors = values.map(|value| {
            let value = value.map_or(0.0, |value| f64::from(value.value()));
            (value - f64::from(truth)).abs()
        });
        // The first one if several are equal.
        let by_prior = |a: &usize, b: &usize| result.prior[*a].total_cmp(&result.prior[*b]);
        let favorite = (0..result.prior.len()).rev().max_by(by_prior);
        let moves = [favorite.unwrap_or(0), result.best];
        let is_blunder = |at: usize| solved.moves[at].1 < solved.value;
        Answer {
            errors,
            blunders: solved.can_blunder().then(|| moves.map(is_blunder)),
        }
    }
}

fn sum_up(answers: &[Answer], simulations: u32) -> EndgameScore {
    let chances = answers
        .iter()
        .filter(|answer| answer.blunders.is_some())
        .count();
    let errors = |who: usize| {
        let value_error: f64 = answers.iter().map(|answer| answer.errors[who]).sum();
        let is_blunder = |answer: &&Answer| answer.blunders.is_some_and(|blunders| blunders[who]);
        let n_blunders = answers.iter().filter(is_blunder).count();
        EndgameErrors {
            value_error: value_error / answers.len().max(1) as f64,
            blunders: n_blunders as f64 / chances.max(1) as f64,
        }
    };
    EndgameScore {
        positions: answers.len(),
        chances,
        simulations,
        network: errors(0),
        search: errors(1),
    }
}
