//! Scores against endgame databases, for evaluators with known errors.

use std::sync::Arc;

use endgame::{Database, GameValue};
use eval::{EndgameErrors, EndgameScore, score_endgames};
use rules::Variant;
use search::{Batch, Evaluator, EvaluatorError, SearchConfig, Uniform};
use types::Wdl;

const PLAY: SearchConfig = SearchConfig {
    gumbel_scale: 0.0,
    ..SearchConfig::PAPER
};

/// Returns the database's value, or the opposite.
#[derive(Clone)]
struct Oracle {
    database: Arc<Database>,
    lies: bool,
}

impl Evaluator for Oracle {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let sign = if self.lies { -1.0 } else { 1.0 };
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            let truth = self.database.probe(request.position);
            *reply.value = match (truth, self.lies) {
                (Some(GameValue::Win), false) | (Some(GameValue::Loss), true) => Wdl::WIN,
                (Some(GameValue::Win), true) | (Some(GameValue::Loss), false) => Wdl::LOSS,
                _ => Wdl::DRAW,
            };
            for (logit, mv) in reply.logits.iter_mut().zip(request.moves) {
                let next = self.database.probe(&request.position.play(*mv));
                *logit = -sign * next.map_or(0.0, |value| f32::from(value as u8));
            }
        }
        Ok(())
    }
}

#[test]
fn an_oracle_errs_nowhere_and_a_liar_everywhere() {
    for variant in [Variant::English, Variant::Thai] {
        let database = Database::build(variant, 3, |_| ()).expect("three pieces are allowed");
        let sample = database.sample(120, 1);
        let database = Arc::new(database);
        let score = |lies| {
            let database = Arc::clone(&database);
            let mut evaluators = [Oracle { database, lies }];
            score_endgames(&sample, PLAY, 8, &mut evaluators).expect("an oracle answers")
        };
        let truth = score(false);
        assert_eq!((truth.positions, truth.simulations), (120, 8));
        assert!(truth.chances > 30, "{truth:?}");
        assert_eq!(
            (truth.network.value_error, truth.network.blunders),
            (0.0, 0.0)
        );
        // The root's mean includes moves that were only explored.
        assert_eq!(truth.search.blunders, 0.0);
        assert!(truth.search.value_error < 0.2, "{truth:?}");
        let lies = score(true);
        // Wins and losses are two thirds of the sample, each with an error of two.
        assert!(
            (lies.network.value_error - 4.0 / 3.0).abs() < 1e-9,
            "{lies:?}"
        );
        assert_eq!(lies.network.blunders, 1.0);
        assert!(lies.search.blunders > 0.5 && lies.search.value_error > 0.5);
    }
}

#[test]
fn threads_change_nothing() {
    let database = Database::build(Variant::Thai, 2, |_| ()).expect("two pieces are allowed");
    let sample = database.sample(200, 1);
    let with_threads = |n| {
        let mut evaluators: Vec<Uniform> = (0..n).map(|_| Uniform).collect();
        score_endgames(&sample, PLAY, 8, &mut evaluators).expect("uniform always answers")
    };
    assert_eq!(with_threads(1), with_threads(3));
    // A uniform network predicts a draw everywhere, which has an error of one in two thirds.
    assert!((with_threads(1).network.value_error - 2.0 / 3.0).abs() < 0.01);
    // Its most likely move is the first of all moves.
    let chances = sample.iter().filter(|solved| solved.can_blunder());
    let (n_chances, n_blunders) = chances.fold((0, 0), |(n, blunders), solved| {
        (
            n + 1,
            blunders + u32::from(solved.moves[0].1 < solved.value),
        )
    });
    let share = f64::from(n_blunders) / f64::from(n_chances);
    assert_eq!(with_threads(1).network.blunders, share);
}

#[test]
fn a_score_in_words() {
    let errors = |value_error, blunders| EndgameErrors {
        value_error,
        blunders,
    };
    let score = EndgameScore {
        positions: 100,
        chances: 40,
        simulations: 16,
        network: errors(0.254, 0.3),
        search: errors(0.1, 0.125),
    };
    assert_eq!(
        score.to_string(),
        "value error 0.25, blunders 30 %; with 16 simulations 0.10, 12 %"
    );
}
