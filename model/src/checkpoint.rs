//! A model on disk: `model.safetensors` and `model.json`.
//!
//! The two files hold everything that is needed to use the model, whatever configuration it was
//! trained with. `model.safetensors` carries the text of `model.json` in its metadata, so it may
//! travel alone. The same model gives the same bytes.

use std::fs;
use std::hash::Hasher;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use fnv::FnvHasher;
use rules::Variant;
use serde::{Deserialize, Serialize};
use types::Strength;

use crate::{ModelConfig, ModelError, ModelWeights, tensor_file};

/// Version of `model.json`, raised when its meaning changes.
const FORMAT_VERSION: u32 = 1;
const JSON_FILE: &str = "model.json";
const WEIGHTS_FILE: &str = "model.safetensors";
/// Bytes of the weights' file at most: thirty times the largest preset.
const MAX_WEIGHTS_BYTES: u64 = 1 << 30;
/// Bytes of `model.json` at most; it has a few hundred.
const MAX_JSON_BYTES: u64 = 1 << 20;

/// A network, what it plays, and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The game that it plays.
    pub variant: Variant,
    /// The version of the variant's rules that it was trained with.
    pub rules_version: u32,
    /// Its shape.
    pub config: ModelConfig,
    /// Where it comes from.
    pub meta: ModelMeta,
    /// What players with this network were measured to be worth; empty if they were not.
    pub strength: Strength,
    /// Its weights.
    pub weights: ModelWeights,
}

/// Where a model comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelMeta {
    /// Identity of the model that training went on from.
    pub parent: Option<String>,
    /// Training steps since the untrained network.
    pub train_step: u64,
    /// Games that had been played when it was made.
    pub games: u64,
    /// The inference or training path that made it, such as `burn-flex`.
    pub made_by: String,
    /// Version of the program that made it.
    pub code_version: String,
    /// Identity of the run that made it; earlier versions did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The content of `model.json`.
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

/// What is read first: a newer file may have other fields.
#[derive(Deserialize)]
struct FormatVersion {
    format_version: u32,
}

/// What `model.json` says, without the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInfo {
    /// The game that it plays.
    pub variant: Variant,
    /// The identity of its network.
    pub net_id: String,
    /// Where it comes from.
    pub meta: ModelMeta,
}

impl ModelInfo {
    /// Reads the `model.json` in a directory that [`Model::save`] wrote. Whether the weights are those of
    /// the identity is not looked at.
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
        info.map_err(|source| ModelError::InFile {
            path,
            source: Box::new(source),
        })
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
    /// When the configuration is none, is for another board, or the weights do not fit it.
    pub fn new(
        variant: Variant,
        config: ModelConfig,
        meta: ModelMeta,
        weights: ModelWeights,
    ) -> Result<Self, ModelError> {
        let model = Self {
            variant,
            rules_version: variant.rules_version(),
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

    /// The identity of the network: 16 hexadecimal digits of the variant and of every tensor's
    /// name, shape and values, whatever the file or machine (FNV-1a, 64 bits).
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

    /// Writes both files into `dir`, which is made if it is not there.
    ///
    /// Each file appears by a rename when it is whole and on the disk; `model.json` is the last, so
    /// where it is, the model is complete.
    ///
    /// # Errors
    /// When the model is not valid or a file cannot be written.
    pub fn save(&self, dir: &Path) -> Result<(), ModelError> {
        self.check()?;
        let text = self.to_json();
        let bytes =
            tensor_file::write(&self.weights, &text).map_err(|source| ModelError::TensorFile {
                path: dir.join(WEIGHTS_FILE),
                source,
            })?;
        fs::create_dir_all(dir).map_err(io_error(dir))?;
        write_file(dir, WEIGHTS_FILE, &bytes)?;
        write_file(dir, JSON_FILE, text.as_bytes())
    }

    /// The bytes of its `model.safetensors`, which is a whole model by itself.
    ///
    /// # Errors
    /// When the model is not valid.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        self.check()?;
        let bytes = tensor_file::write(&self.weights, &self.to_json());
        bytes.map_err(|source| ModelError::TensorFile {
            path: WEIGHTS_FILE.into(),
            source,
        })
    }

    /// Reads a directory that [`Model::save`] wrote, or its `model.safetensors` alone. The latter has at most
    /// 1 GiB, its header and `model.json` 1 MiB.
    ///
    /// # Errors
    /// When a file is missing, damaged, of another format, or its parts do not belong together.
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

    /// The bytes of a file that may be a `model.safetensors`: of one that is larger than 1 GiB none are read.
    ///
    /// # Errors
    /// When the file is missing or too large.
    pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
        read_bounded(path, MAX_WEIGHTS_BYTES)
    }

    /// Reads the bytes of a `model.safetensors`. `name` stands for the file in messages.
    ///
    /// # Errors
    /// When they are damaged, of another format, or hold parts that do not belong together.
    pub fn from_bytes(bytes: &[u8], name: &Path) -> Result<Self, ModelError> {
        Self::from_file(bytes, name, None)
    }

    /// Reads the weights' file and `model.json`, which is in it as well.
    fn from_file(
        bytes: &[u8],
        path: &Path,
        json: Option<(String, &Path)>,
    ) -> Result<Self, ModelError> {
        let (weights, embedded) =
            tensor_file::read(bytes).map_err(|source| ModelError::TensorFile {
                path: path.to_owned(),
                source,
            })?;
        let (text, path) = match (json, &embedded) {
            (Some((text, path)), _) => (text, path),
            (None, Some(text)) => (text.clone(), path),
            (None, None) => {
                return Err(ModelError::NoManifest {
                    path: path.to_owned(),
                });
            }
        };
        let model = Self::from_parts(&text, weights).map_err(|source| ModelError::InFile {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        match embedded {
            Some(copy) if copy != text => Err(ModelError::OtherText {
                path: path.to_owned(),
            }),
            _ => Ok(model),
        }
    }

    fn to_json(&self) -> String {
        let file = ModelFile {
            format_version: FORMAT_VERSION,
            variant: self.variant.name().to_owned(),
            rules_version: self.rules_version,
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
            rules_version: file.rules_version,
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

/// Reads a file. One that is larger than `limit` is not read, whatever it holds; nor is more of it than
/// that kept in memory, if it has no size, as a device.
fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let file = fs::File::open(path).map_err(io_error(path))?;
    let size = file.metadata().map_err(io_error(path))?.len();
    let mut bytes = Vec::new();
    if size <= limit {
        bytes.reserve_exact(size as usize);
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(io_error(path))?;
    }
    if size.max(bytes.len() as u64) > limit {
        return Err(ModelError::TooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    Ok(bytes)
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ModelError {
    let path = path.to_owned();
    move |source| ModelError::Io { path, source }
}

/// Writes a file under another name, then renames it.
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

/// Makes renames in a directory durable, where the system lets a directory be opened.
fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) {
        fs::File::open(dir)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
