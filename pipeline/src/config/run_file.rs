//! `run.toml`: the resolved configuration that a run was started with.

use std::fmt::Write as _;
use std::hash::Hasher;

use fnv::FnvHasher;
use rules::Variant;
use toml::Value;

use super::ConfigError;
use super::layer::Layer;
use super::resolve::{ConfigSources, Resolved, Setting};
use super::schema::SCHEMA;

/// What stands in `run.toml`.
#[derive(Clone, Debug)]
pub struct RunFile {
    /// The game that is trained.
    pub variant: Variant,
    /// Version of its rules, raised when their behaviour changes.
    pub rules_version: u32,
    /// Version of this program that started the run.
    pub code_version: String,
    /// All settings.
    pub resolved: Resolved,
}

impl RunFile {
    /// The file of a new run.
    pub fn new(variant: Variant, resolved: Resolved) -> RunFile {
        RunFile {
            variant,
            rules_version: variant.rules_version(),
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
            resolved,
        }
    }

    /// The text of `run.toml`.
    pub fn render(&self) -> String {
        let free = SCHEMA.keys().filter(|key| key.may_change);
        let free: Vec<String> = free.map(|key| format!("`{}`", key.name)).collect();
        let mut text = format!(
            "# What this run was started with. Only {} may change later.\n",
            free.join(", ")
        );
        for (key, value) in self.identity() {
            text.push_str(&format!("{key} = {value}\n"));
        }
        text + &render(&self.resolved.settings, |_| String::new())
    }

    /// Reads `run.toml`. Keys that came into being after the run was started have their defaults.
    pub fn parse(name: &str, text: &str) -> Result<RunFile, ConfigError> {
        let mut layer = Layer::parse(name, text)?;
        let mut faults = Vec::new();
        let mut take = |key: &str| {
            let index = layer.entries.iter().position(|entry| entry.key == key);
            if index.is_none() {
                faults.push(format!("{name}: `{key}` is missing"));
            }
            index.map(|index| layer.entries.remove(index).value)
        };
        let (variant, rules, code) = (take("variant"), take("rules_version"), take("code_version"));
        let variant =
            variant.and_then(
                |value| match value.as_str().unwrap_or("").parse::<Variant>() {
                    Ok(variant) => Some(variant),
                    Err(error) => {
                        faults.push(format!("{name}: {error}"));
                        None
                    }
                },
            );
        let entries = layer.check(&SCHEMA, &mut faults);
        let (Some(variant), Some(rules), Some(code)) = (variant, rules, code) else {
            return Err(ConfigError::Faults(faults));
        };
        if !faults.is_empty() {
            return Err(ConfigError::Faults(faults));
        }
        let mut settings = ConfigSources::default().resolve(variant)?.settings;
        for entry in entries {
            if let Some(setting) = settings.iter_mut().find(|setting| setting.key == entry.key) {
                (setting.value, setting.origin) = (entry.value, entry.origin);
            }
        }
        Ok(RunFile {
            variant,
            rules_version: rules
                .as_integer()
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0),
            code_version: code.as_str().unwrap_or("unknown").to_owned(),
            resolved: Resolved::new(settings)?,
        })
    }

    /// The configuration to resume with: this run's, with what may change taken from `asked`.
    /// Everything else that was asked for must agree with the run.
    pub fn resume(&self, variant: Variant, asked: &Resolved) -> Result<Resolved, ConfigError> {
        let mut differences = Vec::new();
        if variant != self.variant {
            differences.push(format!("the run trains {}, not {variant}", self.variant));
        } else if variant.rules_version() != self.rules_version {
            let (old, new) = (self.rules_version, variant.rules_version());
            differences.push(format!(
                "its rules are version {old}, this program has version {new}"
            ));
        }
        let mut settings = self.resolved.settings.clone();
        for setting in &mut settings {
            let Some(wanted) = asked.setting(&setting.key).filter(|wanted| wanted.is_asked) else {
                continue;
            };
            if SCHEMA.may_change(&setting.key) {
                *setting = wanted.clone();
            } else if wanted.value != setting.value {
                let Setting {
                    key, value, origin, ..
                } = wanted;
                differences.push(format!(
                    "`{key}` is {}, {origin} asks for {value}",
                    setting.value
                ));
            }
        }
        if differences.is_empty() {
            Resolved::new(settings)
        } else {
            Err(ConfigError::Differs(differences))
        }
    }

    /// A number that two runs share if they play by the same rules and settings: 64-bit FNV-1a of
    /// all that may not change.
    pub fn hash(&self) -> u64 {
        let fixed = |setting: &&Setting| !SCHEMA.may_change(&setting.key);
        let settings: Vec<Setting> = self
            .resolved
            .settings
            .iter()
            .filter(fixed)
            .cloned()
            .collect();
        let text = format!("{} {}\n", self.variant, self.rules_version)
            + &render(&settings, |_| String::new());
        let mut hash = FnvHasher::default();
        hash.write(text.as_bytes());
        hash.finish()
    }

    fn identity(&self) -> [(&'static str, Value); 3] {
        [
            ("variant", self.variant.name().into()),
            ("rules_version", i64::from(self.rules_version).into()),
            ("code_version", self.code_version.as_str().into()),
        ]
    }
}

/// Settings as TOML, a section a paragraph, each value followed by its note if it has one.
pub fn render(settings: &[Setting], note: impl Fn(&Setting) -> String) -> String {
    let mut text = String::new();
    let mut current = "";
    for setting in settings {
        let (section, key) = setting.key.split_once('.').unwrap_or(("", &setting.key));
        if section != current {
            let _ = writeln!(text, "\n[{section}]");
            current = section;
        }
        let line = format!("{key} = {}", setting.value);
        let note = note(setting);
        let _ = if note.is_empty() {
            writeln!(text, "{line}")
        } else {
            writeln!(text, "{line:<39} {note}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(set: &[&str]) -> Resolved {
        let set = set.iter().map(|text| (*text).to_owned()).collect();
        ConfigSources {
            set,
            ..Default::default()
        }
        .resolve(Variant::ALL[0])
        .unwrap()
    }

    fn run(set: &[&str]) -> RunFile {
        RunFile::new(Variant::ALL[0], asked(set))
    }

    #[test]
    fn the_file_reads_back() {
        let run = run(&["search.simulations=17", "train.learning_rate=0.25"]);
        let read = RunFile::parse("run.toml", &run.render()).unwrap();
        assert_eq!(read.render(), run.render());
        assert_eq!(read.hash(), run.hash());
        assert_eq!(read.variant, run.variant);
    }

    #[test]
    fn a_run_goes_on_with_its_own_settings() {
        let run = run(&["search.simulations=17"]);
        let variant = run.variant;
        let settings = run
            .resume(variant, &asked(&["threads=3", "search.simulations=17"]))
            .unwrap();
        assert_eq!(
            (settings.config.search.simulations, settings.config.threads),
            (17, 3)
        );
        let settings = run.resume(variant, &asked(&[])).unwrap();
        assert_eq!(settings.config.search.simulations, 17);
    }

    #[test]
    fn differences_are_named() {
        let run = run(&["search.simulations=17"]);
        let error = run
            .resume(run.variant, &asked(&["search.simulations=18"]))
            .unwrap_err();
        let expected = "the run was started with other settings: `search.simulations` is 17, \
                        --set asks for 18; leave these options out, or start another run with --run DIR";
        assert_eq!(error.to_string(), expected);
        let error = run
            .resume(Variant::ALL[1], &asked(&[]))
            .unwrap_err()
            .to_string();
        assert!(error.contains("the run trains"), "{error}");
    }

    #[test]
    fn threads_do_not_change_the_hash() {
        assert_eq!(run(&["threads=2"]).hash(), run(&["threads=1"]).hash());
        assert_ne!(run(&["seed=2"]).hash(), run(&["seed=1"]).hash());
    }

    #[test]
    fn a_damaged_file_is_explained() {
        let text = run(&[])
            .render()
            .replace("simulations", "simulatons")
            .replace("variant", "variants");
        let error = RunFile::parse("run.toml", &text).unwrap_err().to_string();
        assert!(error.contains("run.toml: `variant` is missing"), "{error}");
        assert!(
            error.contains("did you mean `search.simulations`"),
            "{error}"
        );
    }
}
