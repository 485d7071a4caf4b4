//! Merging layers into one checked configuration.

use std::path::{Path, PathBuf};

use rules::Variant;
use toml::{Table, Value};

use super::embedded::{self, BASE, preset_names};
use super::error::{ConfigError, nearest};
use super::layer::{Entry, Layer, Origin};
use super::schema::SCHEMA;
use super::sections::Config;

/// The options that choose a configuration.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ConfigArgs {
    /// Settings to start from (`crownhead config presets` lists them)
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// A TOML file with settings; it may extend a preset or another file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// One setting, such as search.simulations=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to use, 0 for one per core
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u64>,
}

/// One key of a resolved configuration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// The full name, such as `search.simulations`.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: Value,
    /// Where the value comes from.
    pub(crate) origin: Origin,
    /// Whether somebody asked for it; the base and the variant's file only propose.
    pub(crate) is_asked: bool,
}

/// A complete configuration and the origin of every value.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The values, typed.
    pub(crate) config: Config,
    /// The same values by key, in the order of `configs/base.toml`.
    pub(crate) settings: Vec<Setting>,
}

impl ConfigArgs {
    /// Merges all layers: base, variant, preset, file, `--set`, flags; later ones win.
    pub(crate) fn resolve(&self, variant: Variant) -> Result<Resolved, ConfigError> {
        let mut merge = Merge::default();
        merge.named(BASE)?;
        if embedded::text(variant.name()).is_some() {
            merge.named(variant.name())?;
        }
        merge.is_asked = true;
        if let Some(preset) = &self.preset {
            merge.preset(preset)?;
        }
        if let Some(path) = &self.config {
            merge.file(path)?;
        }
        for assignment in &self.set {
            merge.assignment(assignment);
        }
        merge.flag("seed", self.seed);
        merge.flag("threads", self.threads);
        merge.finish()
    }
}

impl Resolved {
    /// Builds the typed configuration of `settings`, which hold every key once, and checks what
    /// involves several keys.
    pub(crate) fn new(settings: Vec<Setting>) -> Result<Resolved, ConfigError> {
        let config: Config = nest(&settings)
            .try_into()
            .map_err(|error: toml::de::Error| {
                ConfigError::Faults(vec![error.to_string().trim_end().replace('\n', " ")])
            })?;
        let faults = config.faults();
        if faults.is_empty() {
            Ok(Resolved { config, settings })
        } else {
            Err(ConfigError::Faults(faults))
        }
    }

    /// The values, nested in their sections.
    pub(crate) fn table(&self) -> Table {
        nest(&self.settings)
    }

    /// The setting of that name.
    pub(crate) fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }
}

/// Settings nested in their sections.
fn nest(settings: &[Setting]) -> Table {
    let mut root = Table::new();
    for Setting { key, value, .. } in settings {
        let (table, key) = match key.split_once('.') {
            None => (&mut root, key.as_str()),
            Some((section, key)) => {
                let table = root.entry(section).or_insert_with(|| Table::new().into());
                (table.as_table_mut().expect("sections are tables"), key)
            }
        };
        table.insert(key.to_owned(), value.clone());
    }
    root
}

/// Layers merged so far.
#[derive(Default)]
struct Merge {
    /// What has been merged, by name or path: each layer counts once.
    done: Vec<String>,
    /// Layers whose `extends` is being followed.
    pending: Vec<String>,
    entries: Vec<(Entry, bool)>,
    is_asked: bool,
    faults: Vec<String>,
}

impl Merge {
    /// A layer of `configs/`, which exists.
    fn named(&mut self, name: &str) -> Result<(), ConfigError> {
        let text = embedded::text(name).ok_or_else(|| unknown_preset(name))?;
        self.layer(name.to_owned(), &format!("configs/{name}.toml"), text, None)
    }

    /// What `--preset` names.
    fn preset(&mut self, name: &str) -> Result<(), ConfigError> {
        if preset_names().any(|preset| preset == name) {
            self.named(name)
        } else {
            Err(unknown_preset(name))
        }
    }

    /// A file of the user's.
    fn file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let identity = path
            .canonicalize()
            .map_err(unreadable)?
            .display()
            .to_string();
        let folder = path.parent().unwrap_or(Path::new(""));
        self.layer(identity, &path.display().to_string(), &text, Some(folder))
    }

    /// Merges what the layer extends, then the layer. `extends` names a preset, or, in a file, a
    /// path ending in `.toml` beside it.
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
        let entries = layer.check(&SCHEMA, &mut self.faults);
        self.entries
            .extend(entries.into_iter().map(|entry| (entry, self.is_asked)));
        Ok(())
    }

    /// One `--set key=value`.
    fn assignment(&mut self, assignment: &str) {
        let Some((key, text)) = assignment.split_once('=') else {
            let fault = format!("--set {assignment}: write --set KEY=VALUE");
            return self.faults.push(fault);
        };
        let (key, text) = (key.trim(), text.trim());
        match SCHEMA.key(key).and_then(|known| known.read(text)) {
            Ok(value) => self.option(key, value, "--set"),
            Err(fault) => self.faults.push(format!("--set {assignment}: {fault}")),
        }
    }

    /// A dedicated flag for `key`.
    fn flag(&mut self, key: &str, number: Option<u64>) {
        let Some(number) = number else { return };
        let name = format!("--{key}");
        match SCHEMA
            .key(key)
            .and_then(|known| known.read(&number.to_string()))
        {
            Ok(value) => self.option(key, value, &name),
            Err(fault) => self.faults.push(format!("{name} {number}: {fault}")),
        }
    }

    fn option(&mut self, key: &str, value: Value, name: &str) {
        let entry = Entry {
            key: key.to_owned(),
            value,
            origin: Origin::option(name),
        };
        self.entries.push((entry, true));
    }

    /// The last value of every key.
    fn finish(self) -> Result<Resolved, ConfigError> {
        if !self.faults.is_empty() {
            return Err(ConfigError::Faults(self.faults));
        }
        let last = |name: &str| {
            self.entries
                .iter()
                .rev()
                .find(|(entry, _)| entry.key == name)
        };
        let settings = SCHEMA
            .keys()
            .filter_map(|key| last(&key.name))
            .map(|(entry, is_asked)| {
                let Entry { key, value, origin } = entry.clone();
                Setting {
                    key,
                    value,
                    origin,
                    is_asked: *is_asked,
                }
            });
        Resolved::new(settings.collect())
    }
}

fn unknown_preset(name: &str) -> ConfigError {
    let known: Vec<&str> = preset_names().collect();
    let hint = format!(
        "presets: {}{}",
        known.join(", "),
        nearest(name, known.iter().copied())
    );
    ConfigError::UnknownPreset {
        name: name.to_owned(),
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant() -> Variant {
        Variant::ALL[0]
    }

    fn with_set(set: &[&str]) -> ConfigArgs {
        ConfigArgs {
            set: set.iter().map(|text| (*text).to_owned()).collect(),
            ..Default::default()
        }
    }

    /// A folder with files of the given names and texts.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn with_file(folder: &tempfile::TempDir, name: &str) -> ConfigArgs {
        ConfigArgs {
            config: Some(folder.path().join(name)),
            ..Default::default()
        }
    }

    #[test]
    fn every_variant_and_preset_resolves() {
        for variant in Variant::ALL {
            ConfigArgs::default().resolve(variant).unwrap();
        }
        for preset in preset_names() {
            let args = ConfigArgs {
                preset: Some(preset.to_owned()),
                ..Default::default()
            };
            args.resolve(variant())
                .unwrap_or_else(|error| panic!("{preset}: {error}"));
        }
    }

    #[test]
    fn later_layers_win_and_origins_tell_which() {
        let folder = folder(&[
            (
                "mine.toml",
                "extends = \"more.toml\"\n[search]\nsimulations = 7\n",
            ),
            (
                "more.toml",
                "extends = \"small\"\nseed = 3\n[search]\nsimulations = 6\nmode = \"puct\"\n",
            ),
        ]);
        let mut args = with_file(&folder, "mine.toml");
        args.set = vec!["seed=4".to_owned(), "train.batch_size=64".to_owned()];
        args.seed = Some(5);
        let resolved = args.resolve(variant()).unwrap();
        let origin = |key: &str| {
            let setting = resolved.setting(key).unwrap();
            let folder = folder.path().display().to_string();
            (
                setting.origin.to_string().replace(&folder, "."),
                setting.is_asked,
            )
        };
        assert_eq!(resolved.config.search.simulations, 7);
        assert_eq!(
            origin("search.simulations"),
            ("./mine.toml:3".to_owned(), true)
        );
        assert_eq!(origin("search.mode"), ("./more.toml:5".to_owned(), true));
        assert_eq!(
            (resolved.config.seed, origin("seed")),
            (5, ("--seed".to_owned(), true))
        );
        assert_eq!(origin("train.batch_size"), ("--set".to_owned(), true));
        assert!(origin("model.preset").0.starts_with("configs/small.toml:"));
        assert!(!origin("gate.max_pairs").1);
    }

    #[test]
    fn all_faults_come_in_one_message() {
        let folder = folder(&[(
            "bad.toml",
            "[search]\nsimulatons = 9\nmode = \"pucd\"\n[trian]\na = 1\n",
        )]);
        let mut args = with_file(&folder, "bad.toml");
        args.set = vec!["train.batch_size=-1".to_owned(), "seed".to_owned()];
        let message = args.resolve(variant()).unwrap_err().to_string();
        let message = message.replace(&folder.path().display().to_string(), ".");
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines[0], "the configuration cannot be used:");
        assert_eq!(
            lines[1],
            "  ./bad.toml:4: unknown section `trian` (did you mean `train`?)"
        );
        assert_eq!(
            lines[2],
            "  ./bad.toml:2: unknown key `search.simulatons` (did you mean `search.simulations`?)"
        );
        let mode = "  ./bad.toml:3: `search.mode` is \"pucd\", not one of gumbel, puct (did you mean `puct`?)";
        assert_eq!(lines[3], mode);
        assert!(
            lines[4]
                .starts_with("  --set train.batch_size=-1: `train.batch_size` is -1, not 1 to ")
        );
        assert_eq!(lines[5], "  --set seed: write --set KEY=VALUE");
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn circles_and_missing_layers_are_named() {
        let folder = folder(&[
            ("a.toml", "extends = \"b.toml\"\n"),
            ("b.toml", "extends = \"a.toml\"\n"),
            ("c.toml", "extends = \"smal\"\n"),
            ("d.toml", "extends = \"none.toml\"\n"),
        ]);
        let fault = |name: &str| {
            with_file(&folder, name)
                .resolve(variant())
                .unwrap_err()
                .to_string()
        };
        assert!(fault("a.toml").starts_with("`extends` goes in a circle: "));
        assert!(fault("c.toml").ends_with("(did you mean `small`?)"));
        assert!(
            fault("d.toml").starts_with("cannot read ") && fault("d.toml").contains("none.toml")
        );
    }

    #[test]
    fn a_variant_is_no_preset() {
        let args = ConfigArgs {
            preset: Some(variant().name().to_owned()),
            ..Default::default()
        };
        assert!(matches!(
            args.resolve(variant()),
            Err(ConfigError::UnknownPreset { .. })
        ));
    }

    #[test]
    fn set_reads_values_by_the_type_of_their_key() {
        let args = with_set(&[
            "search.mode=puct",
            "train.learning_rate=1e-3",
            "search.simulations=1_000",
        ]);
        let config = args.resolve(variant()).unwrap().config;
        assert_eq!(
            config.search.mode,
            crate::config::sections::SearchMode::Puct
        );
        assert_eq!(config.search.simulations, 1000);
    }
}
