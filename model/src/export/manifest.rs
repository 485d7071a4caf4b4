//! Machine-readable instructions for using a model in a front end.

mod encoding;

use serde::Serialize;
use types::Strength;

use super::{GoldenPosition, Int8};
use crate::{Model, ModelConfig, ModelError};
use encoding::{Action, InputSpec, OutputSpec};

/// Incremented when programs that read older manifests would misunderstand new ones.
const FORMAT_VERSION: u32 = 1;

/// The name of the formula that scores moves.
const ACTION_ENCODING: &str = "bilinear-1";

/// The contents of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportManifest {
    format: &'static str,
    format_version: u32,
    /// The variant that the model plays.
    pub variant: &'static str,
    /// The version of the variant's rules that it was trained with.
    pub rules_version: u32,
    /// The model's identity.
    pub net_id: String,
    /// The model's name, such as its run and number; empty if it has none.
    pub name: String,
    /// The measured rating, if any.
    pub elo: Option<Elo>,
    /// Measured ratings at limited strength: `nodes` are simulations per move, and moves are
    /// sampled from the search policy at `temperature`.
    #[serde(skip_serializing_if = "Strength::is_empty")]
    pub strength: Strength,
    /// The training that produced the model.
    pub training: Provenance,
    /// The version of the program that exported it.
    pub code_version: &'static str,
    /// The license of the model, as an SPDX expression.
    pub license: String,
    /// The network's size.
    pub network: NetworkSize,
    /// The inputs.
    pub input: InputSpec,
    /// The outputs.
    pub outputs: [OutputSpec; 4],
    /// The formula that scores moves.
    pub action: Action,
    /// The file with weights in 8 bits and its measured deviation; `None` if it was not written.
    pub int8: Option<Int8>,
    /// The file with convolutions in bytes and its measured deviation; `None` if it was not
    /// written.
    pub qdq: Option<Int8>,
    /// Positions with all intermediate results.
    pub golden_positions: Vec<GoldenPosition>,
}

/// A rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The rating.
    pub elo: f64,
    /// The half-width of the 95 % interval.
    pub ci95: f64,
    /// The player rated 0 Elo.
    pub zero: String,
    /// The number of games rated.
    pub games: u64,
    /// Simulations per move in these games.
    pub simulations: u32,
}

/// The training that produced a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provenance {
    /// The identity of the model that training continued from.
    pub parent: Option<String>,
    /// Optimizer steps since the untrained network.
    pub steps: u64,
    /// The number of self-play games played.
    pub games: u64,
    /// The backend that trained it.
    pub made_by: String,
    /// The version of the program that wrote it.
    pub code_version: String,
}

/// A network's size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetworkSize {
    /// Its shape.
    pub config: ModelConfig,
    /// Number of weights.
    pub parameters: usize,
    /// Floating point operations of one evaluation.
    pub flops: usize,
}

impl ExportManifest {
    /// Creates the manifest of a model without a name or rating.
    pub fn new(model: &Model, license: &str, golden_positions: Vec<GoldenPosition>) -> Self {
        let (config, meta) = (&model.config, &model.meta);
        Self {
            format: "crownhead export",
            format_version: FORMAT_VERSION,
            variant: model.variant.name(),
            rules_version: model.variant.rules_version(),
            net_id: model.net_id(),
            name: String::new(),
            elo: None,
            strength: model.strength.clone(),
            training: Provenance {
                parent: meta.parent.clone(),
                steps: meta.train_step,
                games: meta.games,
                made_by: meta.made_by.clone(),
                code_version: meta.code_version.clone(),
            },
            code_version: env!("CARGO_PKG_VERSION"),
            license: license.to_owned(),
            network: NetworkSize {
                config: config.clone(),
                parameters: config.n_parameters(),
                flops: config.flops(),
            },
            input: InputSpec::new(model.variant, config.inputs),
            outputs: encoding::outputs(config),
            action: Action::new(config),
            int8: None,
            qdq: None,
            golden_positions,
        }
    }

    /// The text of `manifest.json`.
    ///
    /// # Errors
    /// [`ModelError::Json`], which cannot occur for a valid model.
    pub fn to_json(&self) -> Result<String, ModelError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Names and values for the metadata of other files, so that they can be distributed alone.
    pub fn properties(&self) -> Vec<(&'static str, String)> {
        let mut properties = vec![
            ("format_version", self.format_version.to_string()),
            ("variant", self.variant.to_owned()),
            ("rules_version", self.rules_version.to_string()),
            ("input_encoding", self.input.encoding.to_owned()),
            ("action_encoding", ACTION_ENCODING.to_owned()),
            ("net_id", self.net_id.clone()),
            ("name", self.name.clone()),
            ("train_steps", self.training.steps.to_string()),
            ("train_games", self.training.games.to_string()),
            ("code_version", self.code_version.to_owned()),
            ("license", self.license.clone()),
        ];
        if let Some(elo) = &self.elo {
            properties.push(("elo", format!("{:.1}", elo.elo)));
            properties.push(("elo_ci95", format!("{:.1}", elo.ci95)));
        }
        properties
    }
}
