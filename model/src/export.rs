//! Export of a model for other front ends: ONNX bytes, and a manifest with instructions.
//!
//! ```
//! use model::{Model, ModelMeta, Preset, ModelWeights, export};
//! use rand::SeedableRng;
//! use rand_chacha::ChaCha8Rng;
//! use rules::Variant;
//!
//! let variant = Variant::English;
//! let config = Preset::Nano.for_variant(variant);
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let weights = ModelWeights::initial(&config, &mut rng);
//! let model = Model::new(variant, config, ModelMeta::default(), weights)?;
//!
//! let golden = export::golden_positions(&model, &mut rng)?;
//! let manifest = export::ExportManifest::new(&model, "MIT", golden);
//! let onnx = export::to_onnx(&model, &manifest.properties())?;
//! assert!(onnx.len() > 4 * model.config.n_parameters());
//! # Ok::<(), model::ModelError>(())
//! ```
//!
//! A front end encodes a position as described in the manifest's `input`, runs the network, and
//! scores its legal moves as described in `action`. The golden positions contain all intermediate
//! results.

mod golden;
mod int8;
mod manifest;
mod onnx;
mod onnx_graph;
mod protobuf;
mod qdq;

pub use golden::{GoldenMove, GoldenPosition, golden_positions};
pub use int8::{ExportFile, GoldenDifference, Int8, in_eight_bits};
pub use manifest::{Elo, ExportManifest};
pub use onnx::{to_onnx, to_onnx_int8, to_onnx_qdq};
pub use qdq::Calibration;
