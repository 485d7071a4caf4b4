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

use crate::encoding::ENCODING;
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
        if file.encoding != ENCODING {
            return Err(ModelError::Encoding {
                found: file.encoding,
                known: ENCODING,
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

    /// Reads a directory that [`Model::save`] wrote, or its `model.safetensors` alone.
    ///
    /// # Errors
    /// When a file is missing, damaged, of another format, or its parts do not belong together.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        if !path.is_dir() {
            let bytes = read_bounded(path, MAX_WEIGHTS_BYTES)?;
            return Self::from_bytes(&bytes, path);
        }
        let (weights, json) = (path.join(WEIGHTS_FILE), path.join(JSON_FILE));
        let text = read_text(&json)?;
        let bytes = read_bounded(&weights, MAX_WEIGHTS_BYTES)?;
        Self::from_file(&bytes, &weights, Some((text, &json)))
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
            encoding: ENCODING.to_owned(),
            net_id: self.net_id(),
            config: self.config.clone(),
            meta: self.meta.clone(),
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
mod tests {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Array, Preset};

    fn model(variant: Variant) -> Model {
        let config = Preset::Nano.for_variant(variant);
        let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        let meta = ModelMeta {
            parent: Some("0123456789abcdef".to_owned()),
            train_step: 7,
            games: 99,
            made_by: "burn-flex".to_owned(),
            code_version: "0.1.0".to_owned(),
            run: None,
        };
        Model::new(variant, config, meta, weights).unwrap()
    }

    /// What loading says after `change` has been made to a saved model's files.
    fn error_after(change: impl FnOnce(&Path)) -> String {
        let dir = tempfile::tempdir().unwrap();
        model(Variant::English).save(dir.path()).unwrap();
        change(dir.path());
        let text = Model::load(dir.path()).unwrap_err().to_string();
        text.replace(dir.path().to_str().unwrap(), "DIR")
    }

    fn edit_json(dir: &Path, from: &str, to: &str) {
        let path = dir.join(JSON_FILE);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    /// Writes other weights beside the model.json that is there.
    fn replace_weights(dir: &Path, change: impl Fn(&str, &Array) -> Option<Array>) {
        let weights = model(Variant::English).weights;
        let changed: ModelWeights = weights
            .iter()
            .filter_map(|(name, array)| Some((name.to_owned(), change(name, array)?)))
            .collect();
        fs::write(
            dir.join(WEIGHTS_FILE),
            tensor_file::write(&changed, "").unwrap(),
        )
        .unwrap();
    }

    #[test]
    fn a_model_comes_back_as_it_was() {
        for variant in [Variant::English, Variant::Frisian] {
            let dir = tempfile::tempdir().unwrap();
            let (model, path) = (model(variant), dir.path().join("000042"));
            model.save(&path).unwrap();
            assert_eq!(Model::load(&path).unwrap(), model);
            assert_eq!(Model::load(&path.join(WEIGHTS_FILE)).unwrap(), model);
            let names: Vec<_> = fs::read_dir(&path)
                .unwrap()
                .map(|e| e.unwrap().file_name())
                .collect();
            assert_eq!(names.len(), 2, "{names:?}");
            let bytes = fs::read(path.join(WEIGHTS_FILE)).unwrap();
            model.save(&path).unwrap();
            assert_eq!(fs::read(path.join(WEIGHTS_FILE)).unwrap(), bytes);
        }
    }

    #[test]
    fn identity_is_that_of_the_function() {
        let english = model(Variant::English);
        let mut other = english.clone();
        other.meta.games += 1;
        assert_eq!(other.net_id(), english.net_id());
        assert_ne!(model(Variant::Thai).net_id(), english.net_id());
        let bias = english.weights.get("policy.bias").unwrap().clone();
        let values = bias.values.iter().map(|x| x + 0.5).collect();
        other.weights.insert("policy.bias", bias.shape, values);
        assert_ne!(other.net_id(), english.net_id());
    }

    #[test]
    fn damage_is_named() {
        let cut = |length: u64| {
            error_after(|dir| {
                let file = fs::File::options()
                    .write(true)
                    .open(dir.join(WEIGHTS_FILE))
                    .unwrap();
                file.set_len(length).unwrap();
            })
        };
        for length in [3, 100, 100_000] {
            let expected = format!(
                "read DIR/model.safetensors: the file holds {length} bytes, not as many as its \
                 header says: it was cut off or damaged"
            );
            assert_eq!(cut(length), expected);
        }
        let error = error_after(|dir| fs::remove_file(dir.join(JSON_FILE)).unwrap());
        assert!(
            error.starts_with("access DIR/model.json: No such file"),
            "{error}"
        );
        let error = error_after(|dir| edit_json(dir, "}", ""));
        assert!(
            error.starts_with("load DIR/model.json: failed to parse its JSON"),
            "{error}"
        );
    }

    /// A sparse file takes no room on the disk.
    #[test]
    fn what_is_too_large_is_not_read() {
        for name in [WEIGHTS_FILE, JSON_FILE] {
            let error = error_after(|dir| {
                let file = fs::File::options()
                    .write(true)
                    .open(dir.join(name))
                    .unwrap();
                file.set_len(3 << 30).unwrap();
            });
            let expected = format!("read DIR/{name}: it is larger than ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn what_is_said_of_a_model_needs_no_weights() {
        let dir = tempfile::tempdir().unwrap();
        let model = model(Variant::English);
        model.save(dir.path()).unwrap();
        fs::remove_file(dir.path().join(WEIGHTS_FILE)).unwrap();
        let info = ModelInfo::read(dir.path()).unwrap();
        assert_eq!((info.net_id, info.meta), (model.net_id(), model.meta));
    }

    #[test]
    fn a_changed_byte_is_noticed_or_means_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let model = model(Variant::English);
        model.save(dir.path()).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for name in [WEIGHTS_FILE, JSON_FILE] {
            let path = dir.path().join(name);
            let bytes = fs::read(&path).unwrap();
            for _ in 0..100 {
                // Mostly in the header, which is at the front.
                let end = *[1_000, bytes.len()].choose(&mut rng).unwrap();
                let mut changed = bytes.clone();
                changed[rng.random_range(0..end.min(bytes.len()))] ^= 1 << rng.random_range(0..8);
                fs::write(&path, changed).unwrap();
                if let Ok(loaded) = Model::load(dir.path()) {
                    assert_eq!(loaded, model);
                }
            }
            fs::write(&path, bytes).unwrap();
        }
    }

    #[test]
    fn what_does_not_belong_together_is_named() {
        let error = error_after(|dir| {
            replace_weights(dir, |name, array| {
                (name != "value.out.bias").then(|| array.clone())
            });
        });
        assert!(
            error.contains("failed to find tensor `value.out.bias`"),
            "{error}"
        );
        let error = error_after(|dir| {
            replace_weights(dir, |_, array| {
                Some(Array {
                    values: array.values.iter().map(|x| x * 0.5).collect(),
                    ..array.clone()
                })
            });
        });
        assert!(error.contains("the weights are those of"), "{error}");
        let error = error_after(|dir| edit_json(dir, "\"english\"", "\"frisian\""));
        assert!(
            error.contains("network of 32 squares: its board has 50"),
            "{error}"
        );
        let error = error_after(|dir| edit_json(dir, "\"english\"", "\"englisch\""));
        assert!(error.contains("did you mean `english`"), "{error}");
        let error = error_after(|dir| edit_json(dir, "\"channels\": 32", "\"channels\": 64"));
        assert!(
            error.contains("where the configuration needs [6, 64]"),
            "{error}"
        );
    }

    #[test]
    fn other_formats_are_named() {
        let error =
            error_after(|dir| edit_json(dir, "\"format_version\": 1", "\"format_version\": 2"));
        assert!(
            error.contains("read model format 2: this program knows format 1"),
            "{error}"
        );
        let error =
            error_after(|dir| edit_json(dir, "\"rules_version\": 1", "\"rules_version\": 7"));
        assert!(
            error.contains("play english with a model of version 7 of its rules"),
            "{error}"
        );
        let error = error_after(|dir| edit_json(dir, "\"train_step\": 7", "\"train_step\": 8"));
        assert!(error.contains("it is damaged"), "{error}");
        let error = error_after(|dir| edit_json(dir, ENCODING, "lattice-9"));
        assert!(error.contains("use input encoding `lattice-9`"), "{error}");
    }

    #[test]
    fn another_variant_is_named() {
        let error = model(Variant::English)
            .expect_variant(Variant::Thai)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "play thai with a model of english: train or load a model of thai"
        );
    }
}
