//! Many searches, one batch per step.

use crate::{Batch, Evaluator, EvaluatorError, Search};

/// Runs started searches to completion; each batch holds one leaf of each.
///
/// The results are the same as if each search ran on its own. After an error the searches can be
/// resumed.
pub fn search_all(
    searches: &mut [Search],
    evaluator: &mut dyn Evaluator,
    batch: &mut Batch,
) -> Result<(), EvaluatorError> {
    loop {
        batch.clear();
        for search in searches.iter_mut() {
            search.step(batch);
        }
        if batch.is_empty() {
            return Ok(());
        }
        evaluator.evaluate(batch)?;
        let waiting = searches.iter_mut().filter(|search| search.is_waiting());
        for (request, search) in waiting.enumerate() {
            search.absorb(batch, request)?;
        }
    }
}
