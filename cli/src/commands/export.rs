//! `crownhead export`: a model as a folder that other front ends use.

mod card;
mod source;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use model::Model;
use model::export::{Int8, Manifest, golden_positions, to_onnx, to_onnx_int8};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use pipeline::models::ModelSource;

use crate::output::{Output, Usage};
use source::Found;

/// Decides the golden positions: the same for all models of a variant.
const GOLDEN_SEED: u64 = 1;

const MANIFEST: &str = "manifest.json";
const ONNX: &str = "model.onnx";
const ONNX_INT8: &str = "model-int8.onnx";
const CARD: &str = "README.md";
const GAMES: &str = "games.pdn";
/// What `Model::save` writes.
const OWN_FORMAT: &[&str] = &["model.json", "model.safetensors"];

/// Write a model as a folder for other front ends: ONNX, weights, a manifest that says how to use
/// them, a model card, and sample games if it comes from a run
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead export run:runs/english --to english-agent
  crownhead export run:runs/thai@40 --to thai-40 --formats onnx,onnx-int8
  crownhead export bundled:frisian --to frisian-agent
  crownhead match model:english-agent random       plays with what was exported")]
pub(crate) struct ExportArgs {
    /// The model: run:DIR (its champion), run:DIR@42, model:DIR or bundled:VARIANT
    source: ModelSource,
    /// The folder; made if it is not there, replaced if it is an earlier export
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// What to write the weights as; safetensors is what this program reads again
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "onnx,onnx-int8,safetensors"
    )]
    formats: Vec<WeightsFormat>,
    /// The licence that the manifest and the model card name
    #[arg(long, value_name = "SPDX", default_value = env!("CARGO_PKG_LICENSE"))]
    license: String,
}

/// A format of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WeightsFormat {
    /// model.onnx, for onnxruntime and most other runtimes
    Onnx,
    /// model-int8.onnx, a third to a quarter of the size: weights in 8 bits; manifest.json says how
    /// close it comes
    OnnxInt8,
    /// model.safetensors with model.json
    Safetensors,
}

/// What was done.
#[derive(Serialize)]
struct Report {
    folder: String,
    variant: &'static str,
    net_id: String,
    files: Vec<&'static str>,
}

impl ExportArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let found = Found::load(&self.source)?;
        let golden = golden_positions(&found.model, &mut golden_rng())?;
        let mut manifest = Manifest::new(&found.model, &self.license, golden);
        manifest.name = found.name;
        manifest.elo = found.elo;
        let has = |format| self.formats.contains(&format);
        let mut files = Vec::new();
        if has(WeightsFormat::Onnx) {
            files.push((ONNX, to_onnx(&found.model, &manifest.properties())?));
        }
        if has(WeightsFormat::OnnxInt8) {
            files.push((ONNX_INT8, to_int8(&found.model, &mut manifest)?));
        }
        files.extend(found.games.map(|games| (GAMES, games.into_bytes())));
        files.push((MANIFEST, manifest.to_json()?.into_bytes()));
        let weights = if has(WeightsFormat::Safetensors) {
            OWN_FORMAT
        } else {
            &[]
        };
        let mut names: Vec<&'static str> =
            files.iter().map(|(name, _)| *name).chain([CARD]).collect();
        names.extend(weights);
        names.sort_unstable();
        files.push((CARD, card::text(&manifest, &names).into_bytes()));

        // Everything is ready before the first file is touched.
        clear(&self.to)?;
        if !weights.is_empty() {
            found.model.save(&self.to)?;
        }
        for (name, bytes) in &files {
            let path = self.to.join(name);
            fs::write(&path, bytes)
                .with_context(|| format!("failed to write {}", path.display()))?;
        }
        report(&self.to, &manifest, &names, output)
    }
}

/// The file with weights in 8 bits; what it costs goes into the manifest.
fn to_int8(model: &Model, manifest: &mut Manifest) -> anyhow::Result<Vec<u8>> {
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
fn clear(folder: &Path) -> anyhow::Result<()> {
    let access = || format!("failed to write to the folder {}", folder.display());
    fs::create_dir_all(folder).with_context(access)?;
    let is_empty = fs::read_dir(folder).with_context(access)?.next().is_none();
    if !is_empty && !folder.join(MANIFEST).is_file() {
        return Err(Usage(format!(
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
            fs::remove_file(&path)
                .with_context(|| format!("failed to replace {}", path.display()))?;
        }
    }
    Ok(())
}

fn report(
    folder: &Path,
    manifest: &Manifest,
    files: &[&'static str],
    output: &mut Output,
) -> anyhow::Result<()> {
    let (folder, files) = (folder.display().to_string(), files.to_vec());
    if !output.is_json() {
        writeln!(output, "{folder}: {}", files.join(", "))?;
        return Ok(writeln!(output, "{folder}/{CARD} says how to use it.")?);
    }
    Ok(output.json(&Report {
        folder,
        variant: manifest.variant,
        net_id: manifest.net_id.clone(),
        files,
    })?)
}
