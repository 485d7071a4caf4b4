//! A network's judgment, with a second opinion about the value.

use ::alphabeta::{Evaluation, LOGIT, LeafScorer};
use search::{Batch, Evaluator, EvaluatorError};

use crate::hub::value_of_score;

/// An evaluator whose values are the mean of a network's and of a static evaluation's, one ply deep
/// with captures played out. The logits are the network's.
///
/// The two err in different positions: they learned from different games, and unfinished captures
/// mislead only the network.
#[derive(Clone)]
pub struct WithEvaluation<N, E: Evaluation> {
    network: N,
    scorer: LeafScorer<E>,
}

impl<N: Evaluator, E: Evaluation> WithEvaluation<N, E> {
    /// An evaluator of this network and this evaluation.
    pub fn new(network: N, evaluation: E) -> Self {
        Self {
            network,
            scorer: LeafScorer::new(evaluation),
        }
    }
}

impl<N: Evaluator, E: Evaluation> Evaluator for WithEvaluation<N, E> {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        self.network.evaluate(batch)?;
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            let score = self.scorer.score(request.position, request.moves);
            if let Some(value) = value_of_score(score as f32 / LOGIT as f32) {
                *reply.value = reply.value.averaged(value, 1, 2);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ::alphabeta::MaterialBalance;
    use rules::{Position, Variant};
    use search::Uniform;
    use types::Wdl;

    use super::*;

    #[test]
    fn half_of_the_value_is_that_of_the_evaluation_after_captures() {
        let mut evaluator = WithEvaluation::new(Uniform, MaterialBalance);
        let mut batch = Batch::new();
        // A capture wins the game; a capture wins a man, which is worth tanh(1/2).
        for fen in ["W:W18:B14", "B:W22,26:B18,11"] {
            let position = Position::from_fen(Variant::English, fen).unwrap();
            batch.push(&position, 0, &position.legal_moves());
        }
        evaluator.evaluate(&mut batch).unwrap();
        assert_eq!(batch.wdl(0), Wdl::DRAW.averaged(Wdl::WIN, 1, 2));
        assert!((batch.wdl(1).value() - 0.5_f32.tanh() / 2.0).abs() < 1e-6);
        assert_eq!((batch.logits(0), batch.logits(1)), (&[0.0][..], &[0.0][..]));
    }
}
