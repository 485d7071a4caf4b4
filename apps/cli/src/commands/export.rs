//! `crownhead export`: writes a model to a folder for other front ends.

use std::io::Write as _;

use clap::Args;
use export::{self, HubRepository, WeightsFormat};
use lab::strength::measure_source;
use roster::AgentSource;
use run::RequestError;
use types::Strength;

use super::strength::stopped;
use crate::complete;
use crate::options::{EndgamesArg, ToArg, one_of};
use crate::output::Output;

/// Write a model for other front ends, or as a page
///
/// The folder has the network as ONNX and as weights, a manifest that says how to use them, a model
/// card, and sample games if the model is of a run. With --page it is a page that plays without a
/// server.
#[derive(Args, Debug)]
#[command(
    mut_arg("to", |arg| {
        arg.help("The folder; made if it is not there, replaced if it is an earlier export")
    }),
    mut_arg("endgames", |arg| {
        let help = "The folder of endgame databases for a page; one of three pieces is built where \
                    there is none";
        arg.help(help).requires("page")
    }),
    after_help = "\
Examples:
  crownhead export run:runs/english --to english-agent
  crownhead export run:runs/thai@40 --to thai-40 --formats onnx,onnx-int8
  crownhead export bundled:frisian --to frisian-agent
  crownhead export run:runs/thai --to thai-agent --strength   for ,elo=700
  crownhead match model:english-agent random   plays with the export
  crownhead export bundled:thai --to thai-agent --push hf:me/thai-agent
  crownhead export ab:bundled --to page --page   then: python3 -m http.server"
)]
pub(crate) struct ExportArgs {
    /// The model: run:DIR (its champion), run:DIR@42, model:DIR or bundled:VARIANT; ab:DIR is a
    /// learned evaluation; for a page also bundled or ab:bundled
    #[arg(add = complete::players())]
    source: AgentSource,
    #[command(flatten)]
    to: ToArg,
    /// Write static files that play in any browser, without a server behind them
    #[arg(long, conflicts_with_all = ["formats", "license", "strength"])]
    page: bool,
    #[command(flatten)]
    endgames: EndgamesArg,
    /// The formats of the weights; this program reads safetensors
    #[arg(long, value_delimiter = ',', default_value = "onnx,onnx-int8,onnx-qdq,safetensors", value_parser = one_of([
        ("onnx", "model.onnx, for onnxruntime and most other runtimes", WeightsFormat::Onnx),
        ("onnx-int8", "model-int8.onnx, a third to a quarter of the size: weights in 8 bits; manifest.json says how \
            close it comes", WeightsFormat::OnnxInt8),
        ("onnx-qdq", "model-qdq.onnx, convolutions in bytes: the fastest where the processor multiplies bytes; \
            manifest.json says how close it comes", WeightsFormat::OnnxQdq),
        ("safetensors", "model.safetensors with model.json", WeightsFormat::Safetensors),
    ]))]
    formats: Vec<WeightsFormat>,
    /// Measure the agent at limited strengths, in this many pairs of games each, and write the
    /// ratings with it: then elo=N is an option of its player
    #[arg(long, value_name = "PAIRS", num_args = 0..=1, default_missing_value = "100", value_parser = clap::value_parser!(u32).range(10..=100_000))]
    strength: Option<u32>,
    /// Upload the folder to the Hugging Face Hub, into a model repository that is made if it is
    /// not there
    ///
    /// The program `hf` does it (pip install huggingface_hub), as the user of hf auth login or
    /// HF_TOKEN. Only the files of the export are sent.
    #[arg(long, value_name = "hf:OWNER/NAME", conflicts_with = "page")]
    push: Option<HubRepository>,
    /// Make a new repository of --push private
    #[arg(long, requires = "push")]
    private: bool,
    /// The license that the manifest and the model card name
    #[arg(long, value_name = "SPDX", default_value = env!("CARGO_PKG_LICENSE"))]
    license: String,
}

impl ExportArgs {
    pub(crate) fn run(mut self, output: &mut Output) -> anyhow::Result<()> {
        if self.page {
            return self.write_page(output);
        }
        let strength = self.measure()?;
        let folder = self.to.to.display().to_string();
        let source = match &self.source {
            AgentSource::Network(source) => source,
            AgentSource::Evaluation(_) if self.push.is_some() => {
                let message = "a learned evaluation has no model card: --push is for networks";
                anyhow::bail!(RequestError(message.to_owned()));
            }
            AgentSource::Evaluation(source) => {
                let file = export::export_evaluation(source, strength, &self.to.to)?;
                let files = vec![file.to_owned()];
                return result_line!(output, { folder: folder, files: files }, "{folder}: {file}");
            }
        };
        let mut exported =
            export::export(source, &self.formats, &self.license, strength, &self.to.to)?;
        if !output.is_json() {
            write!(output, "{exported}")?;
        }
        if let Some(repository) = &self.push {
            exported.url = Some(repository.push(&self.to.to, &exported.files, self.private)?);
        }
        match (output.is_json(), exported.url.as_deref()) {
            (true, _) => output.json(&exported),
            (false, Some(url)) => Ok(writeln!(output, "Uploaded to {url}")?),
            (false, None) => Ok(()),
        }
    }

    /// Measures the agent's ratings at limited strengths, if requested.
    fn measure(&mut self) -> anyhow::Result<Option<Strength>> {
        let Some(pairs) = self.strength else {
            return Ok(None);
        };
        let stop = super::stop_on_ctrl_c()?;
        let pairs = pairs as usize;
        let measured = measure_source(&mut self.source, pairs, &stop, &mut |line| note!("{line}"))?;
        Ok(Some(measured.ok_or_else(stopped)?))
    }

    fn write_page(&self, output: &mut Output) -> anyhow::Result<()> {
        let files = export::export_page(&self.source, &self.endgames.endgames, &self.to.to)?;
        let folder = self.to.to.display().to_string();
        result_line!(
            output,
            { folder: folder, files: files },
            "{folder}: {} files\n\
             Serve the folder with any web server: python3 -m http.server -d {folder}",
            files.len()
        )
    }
}
