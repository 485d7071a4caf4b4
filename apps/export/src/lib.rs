//! Exports a model to a folder for other front ends.

mod card;
mod dataset;
mod folder;
mod offline;
mod push;
mod source;

use std::fmt;
use std::path::Path;

use model::Model;
use model::export::{
    Calibration, ExportFile, ExportManifest, Int8, golden_positions, to_onnx, to_onnx_int8,
    to_onnx_qdq,
};
use nnue::Network;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;
use store::EVALUATION_FILE;
use types::Strength;

use roster::RequestError;

pub use dataset::Dataset;
use folder::Sign;
pub use offline::export_page;
pub use push::HubRepository;
use roster::ModelSource;
use roster::{EvaluationError, EvaluationSource};
pub use run::{Result, RunError};
use source::Found;

/// Seed of the golden positions: the same for all models of a variant.
const GOLDEN_SEED: u64 = 1;

const MANIFEST: &str = "manifest.json";
const ONNX: &str = "model.onnx";
const ONNX_INT8: &str = "model-int8.onnx";
const ONNX_QDQ: &str = "model-qdq.onnx";
/// The model card.
const CARD: &str = "README.md";
const GAMES: &str = "games.pdn";

/// A format of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsFormat {
    /// `model.onnx`, for onnxruntime and most other runtimes.
    Onnx,
    /// `model-int8.onnx`, a third to a quarter of the size: 8-bit weights.
    OnnxInt8,
    /// `model-qdq.onnx`, with 8-bit convolutions: the fastest on processors with byte
    /// multiplication.
    OnnxQdq,
    /// `model.safetensors` with `model.json`, which this program can read.
    Safetensors,
}

/// Summary of an export. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// The folder.
    pub folder: String,
    /// The game that the model plays.
    pub variant: &'static str,
    /// The network's identity.
    pub net_id: String,
    /// The files, in alphabetical order.
    pub files: Vec<&'static str>,
    /// URL of the upload, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl fmt::Display for Exported {
    /// Lists the files of the folder.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exported { folder, files, .. } = self;
        writeln!(f, "{folder}: {}", files.join(", "))?;
        writeln!(f, "{folder}/{CARD} explains how to use it.")
    }
}

/// Exports to the folder `to`, which is created if it does not exist; an earlier export in it is
/// replaced. `strength`, if given, replaces the strengths stored in the model.
///
/// # Errors
/// If the model cannot be read or exported, the folder holds something else than an export, or the
/// disk fails.
pub fn export(
    source: &ModelSource,
    formats: &[WeightsFormat],
    license: &str,
    strength: Option<Strength>,
    to: &Path,
) -> Result<Exported> {
    let mut found = Found::load(source)?;
    found.model.strength = strength.unwrap_or(found.model.strength);
    let golden = golden_positions(&found.model, &mut golden_rng())?;
    let mut manifest = ExportManifest::new(&found.model, license, golden);
    manifest.name = found.name;
    manifest.elo = found.elo;
    let mut contents = Vec::new();
    if formats.contains(&WeightsFormat::Onnx) {
        contents.push((ONNX, to_onnx(&found.model, &manifest.properties())?));
    }
    if formats.contains(&WeightsFormat::OnnxInt8) {
        contents.push((ONNX_INT8, to_int8(&found.model, &mut manifest)?));
    }
    if formats.contains(&WeightsFormat::OnnxQdq) {
        contents.push((ONNX_QDQ, to_qdq(&found.model, &mut manifest)?));
    }
    if formats.contains(&WeightsFormat::Safetensors) {
        contents.extend(found.model.files()?);
    }
    contents.extend(found.games.map(|games| (GAMES, games.into_bytes())));
    contents.push((MANIFEST, manifest.to_json()?.into_bytes()));
    let names = contents.iter().map(|(name, _)| *name);
    let mut files: Vec<&'static str> = names.chain([CARD]).collect();
    files.sort_unstable();
    contents.push((CARD, card::text(&manifest, &files).into_bytes()));
    let sign = Sign {
        path: MANIFEST,
        is_one: is_manifest,
        files: &[
            MANIFEST,
            ONNX,
            ONNX_INT8,
            ONNX_QDQ,
            CARD,
            GAMES,
            "model.json",
            "model.safetensors",
        ],
    };
    folder::write(to, "an export", &sign, &contents)?;
    Ok(Exported {
        folder: to.display().to_string(),
        variant: manifest.variant,
        net_id: manifest.net_id,
        files,
        url: None,
    })
}

/// Exports the only learned evaluation of `source` to the folder `to`, for the player `ab:` and for
/// front ends, with `strength` or its stored strengths. An earlier export is replaced.
///
/// # Errors
/// If it cannot be read, there are several, the folder holds something else, or the disk fails.
pub fn export_evaluation(
    source: &EvaluationSource,
    strength: Option<Strength>,
    to: &Path,
) -> Result<&'static str> {
    let Ok([network]) = <[Network; 1]>::try_from(source.load_all()?) else {
        let message = "these are several evaluations: export a single one, or add --page";
        return Err(RequestError(message.to_owned()).into());
    };
    let strength = strength.unwrap_or_else(|| network.strength().clone());
    let bytes = network.with_strength(strength).to_bytes();
    let bytes = bytes.map_err(EvaluationError::from)?;
    let sign = Sign {
        path: EVALUATION_FILE,
        // A damaged file, or one of another version, is replaced too.
        is_one: |_| true,
        files: &[EVALUATION_FILE],
    };
    folder::write(to, "an export", &sign, &[(EVALUATION_FILE, bytes)])?;
    Ok(EVALUATION_FILE)
}

/// Returns `true` if this is the manifest of an export.
fn is_manifest(text: &[u8]) -> bool {
    let manifest: Option<Value> = serde_json::from_slice(text).ok();
    manifest.is_some_and(|manifest| manifest["golden_positions"].is_array())
}

/// The file with 8-bit weights; its loss of accuracy is added to the manifest.
fn to_int8(model: &Model, manifest: &mut ExportManifest) -> Result<Vec<u8>> {
    let bytes = to_onnx_int8(model, &manifest.properties())?;
    let golden = &manifest.golden_positions;
    let file = ExportFile {
        name: ONNX_INT8,
        bytes: bytes.len(),
    };
    let int8 = Int8::measure(model, None, file, golden, &mut golden_rng())?;
    manifest.int8 = Some(int8);
    Ok(bytes)
}

/// The file with 8-bit convolutions; their loss of accuracy is added to the manifest.
fn to_qdq(model: &Model, manifest: &mut ExportManifest) -> Result<Vec<u8>> {
    let rng = &mut golden_rng();
    let calibration = Calibration::of_games(model, rng)?;
    let bytes = to_onnx_qdq(model, &calibration, &manifest.properties())?;
    let golden = &manifest.golden_positions;
    let file = ExportFile {
        name: ONNX_QDQ,
        bytes: bytes.len(),
    };
    let qdq = Int8::measure(model, Some(&calibration), file, golden, rng)?;
    manifest.qdq = Some(qdq);
    Ok(bytes)
}

fn golden_rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(GOLDEN_SEED)
}
