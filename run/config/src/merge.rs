//! Layers, put on top of each other.

use std::io;
use std::path::Path;

use rules::did_you_mean;
use store::StoreError;

use super::embedded::{self, preset_names};
use super::error::ConfigError;
use super::layer::Layer;
use super::limits::{MAX_BYTES, MAX_FAULTS, MAX_LAYERS};
use super::resolve::{Asked, Resolved, Setting};
use super::retired::Retired;
use super::schema::SCHEMA;

/// The layers merged so far.
#[derive(Default)]
pub(super) struct Merge {
    /// Merged layers, by name or path: each layer is merged once.
    done: Vec<String>,
    /// Layers whose `extends` is being followed.
    pending: Vec<String>,
    settings: Vec<Setting>,
    /// `true` if the user requested the following layers; the base and the variant's file are only
    /// defaults.
    pub(super) is_asked: bool,
    faults: Vec<String>,
}

impl Merge {
    /// Merges a layer of `configs/`, which must exist.
    pub(super) fn named(&mut self, name: &str) -> Result<(), ConfigError> {
        let text = embedded::text(name).ok_or_else(|| unknown_preset(name))?;
        self.layer(name.to_owned(), &format!("configs/{name}.toml"), text, None)
    }

    /// Merges the layer that `--preset` names.
    pub(super) fn preset(&mut self, name: &str) -> Result<(), ConfigError> {
        if preset_names().any(|preset| preset == name) {
            self.named(name)
        } else {
            Err(unknown_preset(name))
        }
    }

    /// Merges a file given by the user.
    pub(super) fn file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let text = String::from_utf8(store::read_bounded(path, MAX_BYTES)?);
        let text = text.map_err(io::Error::other);
        let text = text.map_err(StoreError::io("read", path))?;
        let identity = path.canonicalize();
        let identity = identity.map_err(StoreError::io("read", path))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let (identity, name) = (identity.display().to_string(), path.display().to_string());
        self.layer(identity, &name, &text, Some(folder))
    }

    /// Merges the layers that this one extends, then the layer. `extends` names a preset, or, in a
    /// file, a path ending in `.toml` relative to its folder.
    fn layer(
        &mut self,
        identity: String,
        name: &str,
        text: &str,
        folder: Option<&Path>,
    ) -> Result<(), ConfigError> {
        if self.pending.contains(&identity) {
            let mut circle = std::mem::take(&mut self.pending);
            circle.push(identity);
            return Err(ConfigError::Cycle(circle));
        }
        if self.done.contains(&identity) {
            return Ok(());
        }
        if self.pending.len() == MAX_LAYERS {
            return Err(ConfigError::TooDeep(self.pending.swap_remove(0)));
        }
        let layer = Layer::parse(name, text)?;
        self.pending.push(identity.clone());
        match (&layer.extends, folder) {
            (Some(below), Some(folder)) if below.ends_with(".toml") => {
                self.file(&folder.join(below))?;
            }
            (Some(below), _) => self.named(below)?,
            (None, _) => {}
        }
        self.pending.pop();
        self.done.push(identity);
        let checked = SCHEMA.check(layer, &mut self.faults);
        for Setting {
            key, value, origin, ..
        } in &checked.retired
        {
            let retired = Retired::named(key).filter(|retired| !retired.is_usual(value));
            let fault = retired.map(|retired| format!("{origin}: {}", retired.fault()));
            self.faults.extend(fault);
        }
        let asked = match (self.is_asked, folder) {
            (false, _) => Asked::No,
            (true, None) => Asked::ByPreset,
            (true, Some(_)) => Asked::Directly,
        };
        let accepted = checked.accepted.into_iter();
        self.settings
            .extend(accepted.map(|setting| Setting { asked, ..setting }));
        Ok(())
    }

    /// Marks every setting in which presets differ as requested. A preset that does not mention one
    /// of them requests the base's value.
    pub(super) fn ask_for_all_of_presets(&mut self) -> Result<(), ConfigError> {
        for name in preset_names() {
            let text = embedded::text(name).unwrap_or_default();
            for Setting { key, .. } in Layer::parse(name, text)?.settings {
                let mut settings = self.settings.iter_mut().rev();
                let last = settings.find(|setting| setting.key == key);
                if let Some(setting) = last.filter(|setting| setting.asked == Asked::No) {
                    setting.asked = Asked::ByPreset;
                }
            }
        }
        Ok(())
    }

    /// Applies one `--set key=value`.
    pub(super) fn assignment(&mut self, assignment: &str) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        match assignment.split_once('=') {
            Some((key, text)) => self.option("--set", assignment, key.trim(), text.trim()),
            None => {
                let fault = format!("--set {assignment}: write --set KEY=VALUE");
                self.faults.push(fault);
            }
        }
    }

    /// Applies a dedicated flag for `key`.
    pub(super) fn flag(&mut self, key: &str, number: Option<u64>) {
        if let Some(number) = number.map(|number| number.to_string()) {
            self.option(&format!("--{key}"), &number, key, &number);
        }
    }

    /// Sets a key to the value in a text, as an option with this name and argument asks.
    fn option(&mut self, name: &str, argument: &str, key: &str, text: &str) {
        match SCHEMA.read(key, text) {
            Ok(value) => self.settings.push(Setting {
                key: key.to_owned(),
                value,
                origin: name.to_owned(),
                asked: Asked::Directly,
            }),
            Err(_) if SCHEMA.is_obsolete(key, text) => {}
            Err(fault) => self.faults.push(format!("{name} {argument}: {fault}")),
        }
    }

    /// Resolves the configuration from the last value of every key.
    pub(super) fn finish(mut self) -> Result<Resolved, ConfigError> {
        if self.faults.len() >= MAX_FAULTS {
            self.faults
                .push("further faults were not checked".to_owned());
        }
        if !self.faults.is_empty() {
            return Err(ConfigError::Faults(self.faults));
        }
        let last = |name: &str| self.settings.iter().rev().find(|s| s.key == name);
        let settings = SCHEMA.keys().filter_map(|key| last(&key.name));
        Resolved::new(settings.cloned().collect())
    }
}

fn unknown_preset(name: &str) -> ConfigError {
    let known: Vec<&str> = preset_names().collect();
    let hint = format!(
        "presets: {}{}",
        known.join(", "),
        did_you_mean(name, known.iter().copied())
    );
    ConfigError::UnknownPreset {
        name: name.to_owned(),
        hint,
    }
}
