//! The arms of a comparison.

use std::path::Path;
use std::str::FromStr;

use rules::Variant;

use super::CompareSetup;
use super::record::ArmTerms;
use crate::{RequestError, Result};
use run::config::{Asked, ConfigSources};

/// Settings that belong to the whole comparison.
const NOT_OF_ARMS: [&str; 2] = ["seed", "threads"];

/// A named configuration: `FILE.toml`, or `NAME=KEY=VALUE,KEY=VALUE`, where `NAME=` alone has the
/// default settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Its name in results and directories.
    pub name: String,
    /// Its settings, without seed and threads.
    pub sources: ConfigSources,
}

impl FromStr for Arm {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Arm, RequestError> {
        let path = Path::new(text);
        let is_file = path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && (path.exists() || !text.contains('='));
        let (name, set) = match text.split_once('=') {
            _ if is_file => {
                let stem = path.file_stem().and_then(|stem| stem.to_str());
                (stem.unwrap_or_default(), Vec::new())
            }
            Some((name, settings)) => {
                let settings = settings.split(',').filter(|setting| !setting.is_empty());
                (name, settings.map(str::to_owned).collect())
            }
            None => {
                let message =
                    format!("{text:?} is not an arm: write FILE.toml or NAME=KEY=VALUE,KEY=VALUE");
                return Err(RequestError(message));
            }
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            let message = format!(
                "{text:?}: the name of an arm is also the name of a directory: use letters, \
                    digits, - and _"
            );
            return Err(RequestError(message));
        }
        Ok(Arm {
            name: name.to_owned(),
            sources: ConfigSources {
                config: is_file.then(|| path.to_owned()),
                set,
                ..ConfigSources::default()
            },
        })
    }
}

impl Arm {
    /// The arm on top of the settings that all arms start from: its own settings come last and win.
    #[must_use]
    pub fn above(mut self, preset: Option<&str>, set: &[String]) -> Arm {
        self.sources.preset = preset.map(str::to_owned);
        self.sources.set.splice(..0, set.iter().cloned());
        self
    }

    /// The settings of the arm's run with a seed.
    pub(super) fn sources(&self, setup: &CompareSetup, seed: u64) -> ConfigSources {
        ConfigSources {
            seed: Some(seed),
            threads: Some(setup.threads as u64),
            ..self.sources.clone()
        }
    }

    /// The arm as recorded in the results.
    pub(super) fn terms(&self, variant: Variant) -> Result<ArmTerms> {
        let mut settings = self.sources.resolve(variant)?.settings;
        settings.retain(|setting| setting.asked != Asked::No);
        if let Some(setting) = settings
            .iter()
            .find(|s| NOT_OF_ARMS.contains(&s.key.as_str()))
        {
            let message = format!(
                "arm {}: {} is the same for all arms: use the option of the command instead",
                self.name, setting.key
            );
            return Err(RequestError(message).into());
        }
        let settings = settings.into_iter().map(|s| (s.key, s.value.to_string()));
        Ok(ArmTerms {
            name: self.name.clone(),
            settings: settings.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_read() {
        let arm: Arm = "wide=model.channels=64,train.ema_decay=0.9"
            .parse()
            .unwrap();
        let expected = ["model.channels=64", "train.ema_decay=0.9"];
        assert_eq!(
            (arm.name.as_str(), &arm.sources.set[..]),
            ("wide", &expected.map(str::to_owned)[..])
        );
        assert_eq!("usual=".parse::<Arm>().unwrap().sources.set, [""; 0]);
        let shared = ["model.channels=8".to_owned()];
        let above = arm.above(Some("small"), &shared);
        assert_eq!(above.sources.preset.as_deref(), Some("small"));
        assert_eq!(
            above.sources.set,
            [&shared.map(|set| set)[..], &expected.map(str::to_owned)].concat()
        );
        for text in ["wide", "a/b=", "=x=1", "..=", "a b.toml"] {
            assert!(text.parse::<Arm>().is_err(), "{text}");
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("small.toml");
        std::fs::write(&path, "extends = \"small\"\n[search]\nsimulations = 8\n").unwrap();
        let arm: Arm = path.to_str().unwrap().parse().unwrap();
        assert_eq!(
            (arm.name.as_str(), arm.sources.config.as_deref()),
            ("small", Some(&*path))
        );
        let terms = arm.terms(Variant::ALL[0]).unwrap();
        assert_eq!(terms.settings["search.simulations"], "8");
        let seeded: Arm = "a=seed=3".parse().unwrap();
        let error = seeded.terms(Variant::ALL[0]).unwrap_err().to_string();
        assert!(error.contains("seed is the same for all arms"), "{error}");
    }
}
