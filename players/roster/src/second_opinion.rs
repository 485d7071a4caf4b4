//! Evaluations next to a network.

use std::fmt;
use std::sync::Arc;

use nnue::Network;
use rules::Variant;

use crate::Result;
use crate::evaluations::{EvaluationSource, bundled_variants};

/// The evaluation that a network's search asks too: the value of the option `evaluation`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecondOpinion {
    /// The network judges alone.
    None,
    /// The one in this directory or file, or the bundled one.
    Of(EvaluationSource),
}

impl SecondOpinion {
    /// The bundled evaluation of a game, if there is one.
    pub(crate) fn bundled(variant: Variant) -> SecondOpinion {
        match bundled_variants().any(|known| known == variant) {
            true => SecondOpinion::Of(EvaluationSource::Bundled(Some(variant))),
            false => SecondOpinion::None,
        }
    }

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
    pub fn load(&self, variant: Variant) -> Result<Option<Arc<Network>>> {
        match self {
            SecondOpinion::None => Ok(None),
            SecondOpinion::Of(source) => Ok(Some(Arc::new(source.load(variant)?))),
        }
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
