//! `crownhead export`: a model as a folder that other front ends use.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pipeline::export::{self, CARD, PageSource};
use serde::Serialize;

use crate::output::Output;

/// Write a model as a folder for other front ends: ONNX, weights, a manifest that says how to use
/// them, a model card, and sample games if it comes from a run; or as a page that plays by itself
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead export run:runs/english --to english-agent
  crownhead export run:runs/thai@40 --to thai-40 --formats onnx,onnx-int8
  crownhead export bundled:frisian --to frisian-agent
  crownhead match model:english-agent random       plays with what was exported
  crownhead export ab:bundled --to page --page     then: python3 -m http.server -d page")]
pub(crate) struct ExportArgs {
    /// The model: run:DIR (its champion), run:DIR@42, model:DIR or bundled:VARIANT; for a page also bundled,
    /// ab:DIR or ab:bundled
    source: PageSource,
    /// The folder; made if it is not there, replaced if it is an earlier export
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Write static files that play in any browser, without a server behind them
    #[arg(long, conflicts_with_all = ["formats", "license"])]
    page: bool,
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

/// A page that was written.
#[derive(Serialize)]
struct PageReport {
    folder: String,
    files: Vec<String>,
}

impl ExportArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if self.page {
            return self.write_page(output);
        }
        let PageSource::Network(source) = &self.source else {
            anyhow::bail!("a learned evaluation is exported as a page: add --page");
        };
        let formats: Vec<_> = self.formats.iter().map(|format| (*format).into()).collect();
        let exported = export::export(source, &formats, &self.license, &self.to)?;
        let (folder, files) = (self.to.display().to_string(), exported.files);
        if !output.is_json() {
            writeln!(output, "{folder}: {}", files.join(", "))?;
            return Ok(writeln!(output, "{folder}/{CARD} says how to use it.")?);
        }
        Ok(output.json(&Report {
            folder,
            variant: exported.manifest.variant,
            net_id: exported.manifest.net_id,
            files,
        })?)
    }
}

impl ExportArgs {
    fn write_page(&self, output: &mut Output) -> anyhow::Result<()> {
        let files = export::export_page(&self.source, &self.to)?;
        let folder = self.to.display().to_string();
        if output.is_json() {
            return Ok(output.json(&PageReport { folder, files })?);
        }
        writeln!(output, "{folder}: {} files", files.len())?;
        Ok(writeln!(
            output,
            "Any web server can give them away: python3 -m http.server -d {folder}"
        )?)
    }
}

impl From<WeightsFormat> for export::WeightsFormat {
    fn from(format: WeightsFormat) -> export::WeightsFormat {
        match format {
            WeightsFormat::Onnx => export::WeightsFormat::Onnx,
            WeightsFormat::OnnxInt8 => export::WeightsFormat::OnnxInt8,
            WeightsFormat::Safetensors => export::WeightsFormat::Safetensors,
        }
    }
}
