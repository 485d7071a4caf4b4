//! The options that choose a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rules::Variant;

use super::embedded::{self, BASE};
use super::error::ConfigError;
use super::merge::Merge;
use super::resolve::Resolved;
use super::schema::{SCHEMA, from_toml};

/// The layers above the base and the variant's own settings, lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSources {
    /// Name of a file in `configs/`.
    pub preset: Option<String>,
    /// A TOML file with settings; it may extend a preset or another file.
    pub config: Option<PathBuf>,
    /// Single settings, such as `search.simulations=64`.
    pub set: Vec<String>,
    /// Seed of all random numbers.
    pub seed: Option<u64>,
    /// Threads to use, 0 for one per core.
    pub threads: Option<u64>,
}

impl ConfigSources {
    /// Merges all layers: base, variant, preset, file, `--set`, flags; later ones win.
    ///
    /// # Errors
    /// All faults of all layers in one message.
    pub fn resolve(&self, variant: Variant) -> Result<Resolved, ConfigError> {
        let mut merge = Merge::default();
        merge.named(BASE)?;
        if embedded::text(variant.name()).is_some() {
            merge.named(variant.name())?;
        }
        merge.is_asked = true;
        if let Some(preset) = &self.preset {
            merge.preset(preset)?;
            merge.ask_for_all_of_presets()?;
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

/// The defaults that games change: by key, the games and their values.
pub fn game_defaults() -> BTreeMap<String, Vec<(Variant, settings::Value)>> {
    let mut changed = BTreeMap::<_, Vec<_>>::new();
    for variant in Variant::ALL {
        let resolved = ConfigSources::default().resolve(variant);
        for setting in resolved.expect("the embedded files are valid").settings {
            let value = from_toml(&setting.value);
            if SCHEMA
                .key(&setting.key)
                .is_ok_and(|key| key.default != value)
            {
                changed
                    .entry(setting.key)
                    .or_default()
                    .push((variant, value));
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::embedded::preset_names;
    use super::super::resolve::Asked;
    use super::*;

    fn variant() -> Variant {
        Variant::ALL[0]
    }

    fn with_set(set: &[&str]) -> ConfigSources {
        ConfigSources {
            set: set.iter().map(|text| (*text).to_owned()).collect(),
            ..Default::default()
        }
    }

    /// Creates a folder with files of the given names and texts.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn with_file(folder: &tempfile::TempDir, name: &str) -> ConfigSources {
        ConfigSources {
            config: Some(folder.path().join(name)),
            ..Default::default()
        }
    }

    #[test]
    fn every_variant_and_preset_resolves() {
        for variant in Variant::ALL {
            ConfigSources::default().resolve(variant).unwrap();
        }
        for preset in preset_names() {
            let args = ConfigSources {
                preset: Some(preset.to_owned()),
                ..Default::default()
            };
            args.resolve(variant())
                .unwrap_or_else(|error| panic!("{preset}: {error}"));
        }
    }

    #[test]
    fn games_change_defaults() {
        let changed = game_defaults();
        let plies: Vec<_> = changed["selfplay.max_plies"]
            .iter()
            .map(|(game, _)| game.name())
            .collect();
        assert_eq!(plies, ["customary", "ringboard", "customary-finish"]);
        assert!(!changed.contains_key("seed"));
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
                setting.asked,
            )
        };
        assert_eq!(resolved.config.search.simulations, 7);
        assert_eq!(
            origin("search.simulations"),
            ("./mine.toml:3".to_owned(), Asked::Directly)
        );
        assert_eq!(
            origin("search.mode"),
            ("./more.toml:5".to_owned(), Asked::Directly)
        );
        assert_eq!(
            (resolved.config.seed, origin("seed")),
            (5, ("--seed".to_owned(), Asked::Directly))
        );
        assert_eq!(
            origin("train.batch_size"),
            ("--set".to_owned(), Asked::Directly)
        );
        let (place, asked) = origin("model.preset");
        assert!(place.starts_with("configs/small.toml:") && asked == Asked::ByPreset);
        assert_eq!(origin("gate.max_pairs").1, Asked::No);
        assert_eq!(resolved.origins()["train.batch_size"], "--set");
        let shown = resolved.to_string();
        let line = shown.lines().find(|line| line.starts_with("batch_size"));
        let expected = format!("{:<39} # --set", "batch_size = 64");
        assert_eq!(line, Some(expected.as_str()));
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
    fn files_are_limited() {
        let resolve = |text: &str| {
            let folder = folder(&[("mine.toml", text)]);
            let resolved = with_file(&folder, "mine.toml").resolve(variant());
            resolved.map(|_| ()).map_err(|error| error.to_string())
        };
        let padded = |n: usize| format!("seed = 3\n#{}\n", "x".repeat(n - 11));
        assert_eq!(resolve(&padded(65_536)), Ok(()));
        let error = resolve(&padded(65_537)).unwrap_err();
        assert!(error.contains("larger than 65536 bytes"), "{error}");

        let unknown = |n: usize| (0..n).map(|k| format!("k{k} = 1\n")).collect::<String>();
        let error = resolve(&unknown(1000)).unwrap_err();
        assert!(
            error.ends_with("\n  further faults were not checked"),
            "{error}"
        );
        assert!(error.contains("mine.toml:1: unknown key `k0`"), "{error}");
        assert_eq!(error.lines().count(), 22);
        for text in [unknown(1001), unknown(1000) + "[s]\n"] {
            let error = resolve(&text).unwrap_err();
            assert!(
                error.ends_with("mine.toml has more than 1000 keys, the limit: leave some out")
            );
        }

        let set = |n: usize| with_set(&vec!["sed=1"; n]).resolve(variant());
        let n_faults = |n: usize| set(n).unwrap_err().to_string().lines().count() - 1;
        assert_eq!((n_faults(19), n_faults(20), n_faults(5000)), (19, 21, 21));
    }

    #[test]
    fn layers_are_limited() {
        let name = |k: usize| format!("{k}.toml");
        let resolve = |n: usize| {
            let text = |k: usize| match k + 1 < n {
                true => format!("extends = \"{}\"\n", name(k + 1)),
                false => "seed = 3\n".to_owned(),
            };
            let files: Vec<_> = (0..n).map(|k| (name(k), text(k))).collect();
            let files: Vec<_> = files.iter().map(|(a, b)| (&a[..], &b[..])).collect();
            with_file(&folder(&files), "0.toml").resolve(variant())
        };
        assert_eq!(resolve(16).unwrap().config.seed, 3);
        let error = resolve(17).unwrap_err().to_string();
        assert!(error.starts_with("more than 16 files"), "{error}");
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
        let args = ConfigSources {
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
        assert_eq!(config.search.mode, search::Mode::Puct);
        assert_eq!(config.search.simulations, 1000);
    }
}
