//! What a front end must know to use a model, in a form that programs read.

mod encoding;

use serde::Serialize;
use types::Strength;

use super::{GoldenPosition, Int8};
use crate::{Model, ModelConfig, ModelError};
use encoding::{Action, InputSpec, OutputSpec};

/// Version of the manifest, raised when a program that read it would misunderstand the new one.
const FORMAT_VERSION: u32 = 1;

/// How moves are scored from the outputs.
const ACTION_ENCODING: &str = "bilinear-1";

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportManifest {
    format: &'static str,
    format_version: u32,
    /// The game that the model plays.
    pub variant: &'static str,
    /// The version of the variant's rules that it was trained with.
    pub rules_version: u32,
    /// The model's identity.
    pub net_id: String,
    /// The model's own name, such as its run and number; empty if it has none.
    pub name: String,
    /// How strong it is, if that was measured.
    pub elo: Option<Elo>,
    /// What players with it are worth that are held back, where that was measured: `nodes` are simulations a move,
    /// and moves are drawn by the search's policy at `temperature`.
    #[serde(skip_serializing_if = "Strength::is_empty")]
    pub strength: Strength,
    /// What it learnt from.
    pub training: Provenance,
    /// Version of the program that exported it.
    pub code_version: &'static str,
    /// The licence under which it is passed on, as an SPDX expression.
    pub license: String,
    /// Its size.
    pub network: NetworkSize,
    /// What the network is fed.
    pub input: InputSpec,
    /// What it answers.
    pub outputs: [OutputSpec; 4],
    /// How moves are scored.
    pub action: Action,
    /// The file with weights in 8 bits, and how close it comes; none if it was not written.
    pub int8: Option<Int8>,
    /// The file whose convolutions are computed in bytes, and how close it comes; none if it was not written.
    pub qdq: Option<Int8>,
    /// Positions with everything that a front end must find.
    pub golden_positions: Vec<GoldenPosition>,
}

/// A rating.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The rating.
    pub elo: f64,
    /// Half-width of its 95 % interval.
    pub ci95: f64,
    /// What has 0 Elo.
    pub zero: String,
    /// Games played for it.
    pub games: u64,
    /// Simulations a move in these games.
    pub simulations: u32,
}

/// What a model learnt from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provenance {
    /// Identity of the model that training went on from.
    pub parent: Option<String>,
    /// Optimiser steps since the untrained network.
    pub steps: u64,
    /// Games of self-play that had been played.
    pub games: u64,
    /// What made it.
    pub made_by: String,
    /// Version of the program that made it.
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
    /// The manifest of a model without a name or rating.
    pub fn new(model: &Model, license: &str, golden_positions: Vec<GoldenPosition>) -> Self {
        let (config, meta) = (&model.config, &model.meta);
        Self {
            format: "crownhead export",
            format_version: FORMAT_VERSION,
            variant: model.variant.name(),
            rules_version: model.rules_version,
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
    /// [`ModelError::Json`], which no manifest of a valid model brings about.
    pub fn to_json(&self) -> Result<String, ModelError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Names and values for the metadata of other files, so that they can travel alone.
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
