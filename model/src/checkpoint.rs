//! Models on disk: `model.safetensors` and `model.json`.
//!
//! The two files contain everything needed to use the model, whatever configuration it was trained
//! with. `model.safetensors` contains the text of `model.json` in its metadata, so it can be
//! distributed alone. Saving the same model twice gives the same bytes.

use std::fs;
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fnv::FnvHasher;
use rules::Variant;
use serde::{Deserialize, Serialize};
use types::Strength;

use crate::{ModelConfig, ModelError, ModelWeights, tensor_file};

/// The version of `model.json`, incremented when its meaning changes.
const FORMAT_VERSION: u32 = 1;
const JSON_FILE: &str = "model.json";
const WEIGHTS_FILE: &str = "model.safetensors";
/// The maximum size of the weights file: thirty times the largest preset.
const MAX_WEIGHTS_BYTES: u64 = 1 << 30;
/// The maximum size of `model.json`; real ones have a few hundred bytes.
const MAX_JSON_BYTES: u64 = 1 << 20;

/// A network with its variant and provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The variant that it plays.
    pub variant: Variant,
    /// The network's shape.
    pub config: ModelConfig,
    /// The provenance.
    pub meta: ModelMeta,
    /// The measured strength of players with this network; empty if not measured.
    pub strength: Strength,
    /// The weights.
    pub weights: ModelWeights,
}

/// The provenance of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelMeta {
    /// The identity of the model that training continued from.
    pub parent: Option<String>,
    /// Training steps since the untrained network.
    pub train_step: u64,
    /// The number of games played before it was trained.
    pub games: u64,
    /// The backend that trained it, such as `burn-flex`.
    pub made_by: String,
    /// The version of the program that wrote it.
    pub code_version: String,
    /// The identity of the run that trained it; not recorded by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The contents of `model.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    format_version: u32,
    variant: String,
    rules_version: u32,
    encoding: String,
    net_id: String,
    config: ModelConfig,
    meta: ModelMeta,
    #[serde(default, skip_serializing_if = "Strength::is_empty")]
    strength: Strength,
}

/// The format version, parsed first because newer files may have other fields.
#[derive(Deserialize)]
struct FormatVersion {
    format_version: u32,
}

/// The contents of `model.json` without the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInfo {
    /// The variant that the model plays.
    pub variant: Variant,
    /// The identity of its network.
    pub net_id: String,
    /// The provenance.
    pub meta: ModelMeta,
}

impl ModelInfo {
    /// Reads the `model.json` in a directory written by [`Model::save`]. Does not check the weights
    /// against the identity.
    ///
    /// # Errors
    /// When the file is missing, damaged or of another format.
    pub fn read(dir: &Path) -> Result<ModelInfo, ModelError> {
        let path = dir.join(JSON_FILE);
        let file = ModelFile::parse(&read_text(&path)?);
        let info = file.and_then(|file| {
            Ok(ModelInfo {
                variant: file.variant.parse()?,
                net_id: file.net_id,
                meta: file.meta,
            })
        });
        info.map_err(ModelError::in_file(&path))
    }
}

impl ModelFile {
    /// Reads the text of a `model.json`.
    fn parse(text: &str) -> Result<ModelFile, ModelError> {
        let FormatVersion {
            format_version: found,
        } = serde_json::from_str(text)?;
        if found != FORMAT_VERSION {
            return Err(ModelError::Format {
                found,
                known: FORMAT_VERSION,
            });
        }
        let file: ModelFile = serde_json::from_str(text)?;
        let known = file.config.inputs.encoding();
        if file.encoding != known {
            return Err(ModelError::Encoding {
                found: file.encoding,
                known,
            });
        }
        let variant: Variant = file.variant.parse()?;
        if file.rules_version != variant.rules_version() {
            return Err(ModelError::RulesVersion {
                variant,
                found: file.rules_version,
                known: variant.rules_version(),
            });
        }
        Ok(file)
    }
}

impl Model {
    /// A model for the current rules.
    ///
    /// # Errors
    /// When the configuration is invalid or for another board, or the weights do not fit it.
    pub fn new(
        variant: Variant,
        config: ModelConfig,
        meta: ModelMeta,
        weights: ModelWeights,
    ) -> Result<Self, ModelError> {
        let model = Self {
            variant,
            config,
            meta,
            strength: Strength::default(),
            weights,
        };
        model.check()?;
        Ok(model)
    }

    fn check(&self) -> Result<(), ModelError> {
        self.config.validate()?;
        self.config.check_variant(self.variant)?;
        self.weights.check(&self.config)
    }

    /// The identity of the network: 16 hexadecimal digits derived from the variant and every
    /// tensor's name, shape and values, independent of file and machine (FNV-1a, 64 bits).
    pub fn net_id(&self) -> String {
        let mut hash = FnvHasher::default();
        hash.write(self.variant.name().as_bytes());
        for (name, array) in self.weights.iter() {
            hash.write(name.as_bytes());
            array
                .shape
                .iter()
                .for_each(|extent| hash.write(&(*extent as u64).to_le_bytes()));
            array
                .values
                .iter()
                .for_each(|value| hash.write(&value.to_le_bytes()));
        }
        format!("{:016x}", hash.finish())
    }

    /// Checks that the model plays `variant`.
    ///
    /// # Errors
    /// [`ModelError::WrongVariant`] when it plays another.
    pub fn expect_variant(&self, variant: Variant) -> Result<(), ModelError> {
        if self.variant == variant {
            Ok(())
        } else {
            Err(ModelError::WrongVariant {
                model: self.variant,
                asked: variant,
            })
        }
    }

    /// Writes both files into `dir`, which is created if missing.
    ///
    /// Each file is renamed into place once it is complete and on disk. `model.json` comes last, so
    /// if it exists, the model is complete.
    ///
    /// # Errors
    /// When the model is not valid or a file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<(), ModelError> {
        let files = self.files()?;
        fs::create_dir_all(dir).map_err(io_error(dir))?;
        let mut files = files.iter();
        files.try_for_each(|(name, bytes)| write_file(dir, name, bytes))
    }

    /// The files that [`Model::save`] writes, in its order: their names and bytes.
    ///
    /// # Errors
    /// When the model is not valid.
    pub fn files(&self) -> Result<[(&'static str, Vec<u8>); 2], ModelError> {
        let json = self.to_json().into_bytes();
        Ok([(WEIGHTS_FILE, self.to_bytes()?), (JSON_FILE, json)])
    }

    /// The bytes of its `model.safetensors`, which is a complete model on its own.
    ///
    /// # Errors
    /// When the model is not valid.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        self.check()?;
        let bytes = tensor_file::write(&self.weights, &self.to_json());
        bytes.map_err(|error| ModelError::in_file(WEIGHTS_FILE.as_ref())(error.into()))
    }

    /// Reads a directory written by [`Model::save`], or a `model.safetensors` alone. The file may
    /// have at most 1 GiB, its header and `model.json` 1 MiB.
    ///
    /// # Errors
    /// When a file is missing, damaged or in another format, or the parts do not match.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        if !path.is_dir() {
            let bytes = Self::read_bytes(path)?;
            return Self::from_bytes(&bytes, path);
        }
        let (weights, json) = (path.join(WEIGHTS_FILE), path.join(JSON_FILE));
        let text = read_text(&json)?;
        let bytes = Self::read_bytes(&weights)?;
        Self::from_file(&bytes, &weights, Some((text, &json)))
    }

    /// Reads a file that may be a `model.safetensors`, unless it is larger than 1 GiB.
    ///
    /// # Errors
    /// When the file is missing or too large.
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
        read_bounded(path, MAX_WEIGHTS_BYTES)
    }

    /// Reads a model from the bytes of a `model.safetensors`. `name` is used in messages.
    ///
    /// # Errors
    /// When they are damaged, in another format, or contain parts that do not match.
    pub fn from_bytes(bytes: &[u8], name: &Path) -> Result<Self, ModelError> {
        Self::from_file(bytes, name, None)
    }

    /// Reads the weights file and the `model.json` contained in it.
    fn from_file(
        bytes: &[u8],
        path: &Path,
        json: Option<(String, &Path)>,
    ) -> Result<Self, ModelError> {
        let read = tensor_file::read(bytes).map_err(ModelError::from);
        let (weights, embedded) = read.map_err(ModelError::in_file(path))?;
        let (text, path) = match (json, &embedded) {
            (Some((text, path)), _) => (text, path),
            (None, Some(text)) => (text.clone(), path),
            (None, None) => {
                return Err(ModelError::NoManifest {
                    path: path.to_owned(),
                });
            }
        };
        let model = Self::from_parts(&text, weights).and_then(|model| match embedded {
            Some(copy) if copy != text => Err(ModelError::OtherText),
            _ => Ok(model),
        });
        model.map_err(ModelError::in_file(path))
    }

    fn to_json(&self) -> String {
        let file = ModelFile {
            format_version: FORMAT_VERSION,
            variant: self.variant.name().to_owned(),
            rules_version: self.variant.rules_version(),
            encoding: self.config.inputs.encoding().to_owned(),
            net_id: self.net_id(),
            config: self.config.clone(),
            meta: self.meta.clone(),
            strength: self.strength.clone(),
        };
        let text = serde_json::to_string_pretty(&file).expect("strings and numbers are valid JSON");
        text + "\n"
    }

    fn from_parts(text: &str, weights: ModelWeights) -> Result<Self, ModelError> {
        let file = ModelFile::parse(text)?;
        let model = Self {
            variant: file.variant.parse()?,
            config: file.config,
            meta: file.meta,
            strength: file.strength,
            weights,
        };
        model.check()?;
        let found = model.net_id();
        if found == file.net_id {
            Ok(model)
        } else {
            Err(ModelError::WrongWeights {
                found,
                expected: file.net_id,
            })
        }
    }
}

/// The text of a `model.json`.
fn read_text(path: &Path) -> Result<String, ModelError> {
    let bytes = read_bounded(path, MAX_JSON_BYTES)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other);
    text.map_err(io_error(path))
}

/// Reads a regular file of at most `limit` bytes.
fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let file = types::open_file(path, fs::OpenOptions::new().read(true)).map_err(io_error(path))?;
    let size = file.metadata().map_err(io_error(path))?.len();
    let bytes = types::read_at_most(file, size, limit).map_err(io_error(path))?;
    bytes.ok_or_else(|| ModelError::TooLarge {
        path: path.to_owned(),
        limit,
    })
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ModelError {
    let path = path.to_owned();
    move |source| ModelError::Io { path, source }
}

/// Writes a file under a temporary name, then renames it.
fn write_file(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), ModelError> {
    let (path, temporary) = (dir.join(name), dir.join(format!(".{name}.new")));
    let write = |temporary: &PathBuf| {
        let mut file = fs::File::create(temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(temporary, &path)?;
        sync_dir(dir)
    };
    write(&temporary).map_err(io_error(&path))
}

/// Makes renames in a directory durable, on systems that can open a directory.
fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) {
        fs::File::open(dir)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
