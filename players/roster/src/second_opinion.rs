//! The evaluation that a network's search asks about the value of its leaves.

use std::fmt;
use std::sync::Arc;

use nnue::Network;
use rules::Variant;

use crate::Result;
use crate::evaluations::{self, EvaluationSource};

/// The value of the option `evaluation`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SecondOpinion {
    /// The network judges alone.
    None,
    /// The one in this directory or file, or the bundled one.
    Of(EvaluationSource),
}

impl SecondOpinion {
    /// Parses `none`, `bundled` or a path.
    pub(crate) fn parse(text: &str) -> SecondOpinion {
        match text {
            "none" => SecondOpinion::None,
            _ => SecondOpinion::Of(EvaluationSource::parse(text)),
        }
    }

    /// Reads the evaluation of one game, if one is wanted.
    ///
    /// # Errors
    /// If it cannot be read, is invalid, or is for another game.
    pub(crate) fn load(&self, variant: Variant) -> Result<Option<Arc<Network>>> {
        match self {
            SecondOpinion::None => Ok(None),
            SecondOpinion::Of(source) => Ok(Some(Arc::new(source.load(variant)?))),
        }
    }

    /// The bundled evaluation of a game, if there is one.
    pub(crate) fn bundled(variant: Variant) -> Result<Option<Arc<Network>>> {
        if !evaluations::bundled_variants().any(|known| known == variant) {
            return Ok(None);
        }
        SecondOpinion::Of(EvaluationSource::Bundled(Some(variant))).load(variant)
    }
}

impl fmt::Display for SecondOpinion {
    /// Formats the value as in a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecondOpinion::None => f.write_str("none"),
            SecondOpinion::Of(source) => {
                let player = source.to_string();
                f.write_str(player.strip_prefix("ab:").unwrap_or(&player))
            }
        }
    }
}
