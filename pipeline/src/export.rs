//! A model as a folder that other front ends use.

mod card;
mod offline;
mod source;

use std::fs;
use std::path::Path;

use model::Model;
use model::export::{ExportManifest, Int8, golden_positions, to_onnx, to_onnx_int8};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use store::StoreError;

use crate::models::ModelSource;
use crate::{RequestError, Result};
pub use offline::{PageSource, export_page};
use source::Found;

/// Decides the golden positions: the same for all models of a variant.
const GOLDEN_SEED: u64 = 1;

const MANIFEST: &str = "manifest.json";
const ONNX: &str = "model.onnx";
const ONNX_INT8: &str = "model-int8.onnx";
/// The model card.
pub const CARD: &str = "README.md";
const GAMES: &str = "games.pdn";
/// What `Model::save` writes.
const OWN_FORMAT: &[&str] = &["model.json", "model.safetensors"];

/// A format of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsFormat {
    /// `model.onnx`, for onnxruntime and most other runtimes.
    Onnx,
    /// `model-int8.onnx`, a third to a quarter of the size: weights in 8 bits.
    OnnxInt8,
    /// `model.safetensors` with `model.json`, which this program reads again.
    Safetensors,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Exported {
    /// What the folder says about the model.
    pub manifest: ExportManifest,
    /// The files, in alphabetical order.
    pub files: Vec<&'static str>,
}

/// Writes the folder `to`: it is made if it is not there, and an earlier export in it is replaced.
///
/// # Errors
/// When the model cannot be read or exported, the folder holds something else than an export, or the
/// disk refuses.
pub fn export(
    source: &ModelSource,
    formats: &[WeightsFormat],
    license: &str,
    to: &Path,
) -> Result<Exported> {
    let found = Found::load(source)?;
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
    contents.extend(found.games.map(|games| (GAMES, games.into_bytes())));
    contents.push((MANIFEST, manifest.to_json()?.into_bytes()));
    let weights = match formats.contains(&WeightsFormat::Safetensors) {
        true => OWN_FORMAT,
        false => &[],
    };
    let written = contents.iter().map(|(name, _)| *name);
    let mut files: Vec<&'static str> = written
        .chain([CARD])
        .chain(weights.iter().copied())
        .collect();
    files.sort_unstable();
    contents.push((CARD, card::text(&manifest, &files).into_bytes()));

    // Everything is ready before the first file is touched.
    clear(to)?;
    if !weights.is_empty() {
        found.model.save(to)?;
    }
    for (name, bytes) in &contents {
        let path = to.join(name);
        fs::write(&path, bytes).map_err(StoreError::io("write", &path))?;
    }
    Ok(Exported { manifest, files })
}

/// The file with weights in 8 bits; what it costs goes into the manifest.
fn to_int8(model: &Model, manifest: &mut ExportManifest) -> Result<Vec<u8>> {
    let bytes = to_onnx_int8(model, &manifest.properties())?;
    let golden = &manifest.golden_positions;
    let int8 = Int8::measure(model, ONNX_INT8, bytes.len(), golden, &mut golden_rng())?;
    manifest.int8 = Some(int8);
    Ok(bytes)
}

fn golden_rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(GOLDEN_SEED)
}

/// Makes the folder, and removes an earlier export from it. A folder with anything else in it is
/// left alone.
fn clear(folder: &Path) -> Result<()> {
    let access = || StoreError::io("write to the folder", folder);
    fs::create_dir_all(folder).map_err(access())?;
    let is_empty = fs::read_dir(folder).map_err(access())?.next().is_none();
    if !is_empty && !folder.join(MANIFEST).is_file() {
        return Err(RequestError(format!(
            "{} holds something else than an export: choose a new folder",
            folder.display()
        ))
        .into());
    }
    for name in [MANIFEST, ONNX, ONNX_INT8, CARD, GAMES]
        .iter()
        .chain(OWN_FORMAT)
    {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_file(&path).map_err(StoreError::io("replace", &path))?;
        }
    }
    Ok(())
}
