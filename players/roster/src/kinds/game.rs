//! A game instead of a player: the strongest player of the game included in the program.

use std::sync::Arc;

use rules::Variant;

use super::{Kind, Source, learned, material, network};
use crate::{EvaluationSource, ModelSource, RequestError, evaluations, models};

/// The strongest player of a game: alpha-beta search with a learned evaluation, which scored better
/// than tree search with the network in every match at equal time (RESULTS.md); otherwise the
/// network; otherwise alpha-beta search that counts material.
pub(super) fn strongest(
    variant: Variant,
) -> Result<(&'static Kind, Arc<dyn Source>), RequestError> {
    if evaluations::bundled_variants().any(|game| game == variant) {
        let source = EvaluationSource::Bundled(Some(variant));
        return Ok((&learned::KIND, Arc::new(source)));
    }
    if models::bundled_variants().any(|game| game == variant) {
        let source = ModelSource::Bundled(Some(variant));
        return Ok((&network::BUNDLED, Arc::new(source)));
    }
    Ok((&material::KIND, Arc::new(material::Material { variant })))
}
