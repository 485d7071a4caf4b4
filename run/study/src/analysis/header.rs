//! The header of a file of finished judgments.

use serde::{Deserialize, Serialize};
use store::StoreError;
use xxhash_rust::xxh3::Xxh3;

use super::AnalysisRequest;
use super::seat::Analysts;
use super::source::Source;
use run::Result;

/// The header of the file of games that are finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of this format.
    analysis: u32,
    /// Hash of the file of games.
    digest: String,
    /// The player and its effort.
    analyst: String,
    /// The game of those that do not say.
    variant: Option<String>,
    /// The stated encoding of the file.
    encoding: Option<String>,
}

impl Header {
    pub(super) fn new(request: &AnalysisRequest, analysts: &Analysts) -> Result<Header> {
        Ok(Header {
            analysis: 1,
            digest: digest(&request.source)?,
            analyst: analysts.name(),
            variant: request.variant.map(|variant| variant.name().to_owned()),
            encoding: request.encoding.map(|encoding| encoding.name().to_owned()),
        })
    }

    /// The name of the analyst in annotated games.
    pub(super) fn annotator(&self) -> String {
        format!("Crownhead ({})", self.analyst)
    }
}

fn digest(source: &Source) -> Result<String> {
    let (mut input, failed) = (source.read()?, StoreError::io("read", source.path()));
    let (mut hash, mut bytes) = (Xxh3::new(), vec![0; 1 << 18]);
    loop {
        match input.read(&mut bytes) {
            Ok(0) => return Ok(format!("{:016x}", hash.digest())),
            Ok(n) => hash.update(&bytes[..n]),
            Err(error) => return Err(failed(error).into()),
        }
    }
}
