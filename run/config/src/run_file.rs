//! `run.toml`: the resolved configuration that a run was started with.

use std::hash::Hasher;
use std::ops::RangeInclusive;

use fnv::FnvHasher;
use rules::Variant;
use serde::{Deserialize, Serialize};
use settings::Change;
use store::{FinishedGames, RunDir, RunId, StoreError};
use toml::Value;
use trainer::{StepsAt, TrainConfig};

use super::change::SettingChange;
use super::error::ConfigError;
use super::layer::Layer;
use super::origin::{OriginKind, RunOrigin};
use super::resolve::{Asked, Resolved, Setting, render};
use super::retired::Retired;
use super::schema::{self, SCHEMA};
use super::sections::AUTO;
use super::sources::ConfigSources;

/// Content of `run.toml`.
#[derive(Clone, Debug)]
pub struct RunFile {
    /// The game that is trained.
    pub variant: Variant,
    /// Version of the rules, incremented when their behavior changes.
    pub rules_version: u32,
    /// Version of the program that started the run.
    pub code_version: String,
    /// The run's identity; `None` for runs of earlier versions. A fork has the identity of its
    /// origin.
    pub run_id: Option<RunId>,
    /// Identity of the run whose games it trains on, if that is another run.
    games_run_id: Option<RunId>,
    /// The run's origin; `None` if it started with an untrained network and no games.
    pub origin: Option<RunOrigin>,
    /// Settings that changed since, the oldest change first.
    pub changes: Vec<SettingChange>,
    /// The initial settings.
    started: Vec<Setting>,
    /// All settings with these changes applied.
    pub resolved: Resolved,
    /// Keys that were introduced after the run was started. They are not part of its file and its
    /// hash.
    later: Vec<String>,
    /// Initial settings that no longer exist. They are part of its file and its hash.
    retired: Vec<Setting>,
}

/// The parts of `run.toml` other than settings.
#[derive(Default, Serialize, Deserialize)]
struct History {
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<RunOrigin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    change: Vec<SettingChange>,
}

/// Errors of reading the file of a run.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// Its text is not a configuration of this version.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The disk failed, or there is no file.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RunFile {
    /// Reads the file of a run.
    ///
    /// # Errors
    /// If it cannot be read or used.
    pub fn read(run: &RunDir) -> Result<RunFile, RunFileError> {
        let name = run.config_path().display().to_string();
        Ok(RunFile::parse(&name, &run.config()?)?)
    }

    /// The file of a new run.
    pub fn new(variant: Variant, resolved: Resolved) -> RunFile {
        let mut file = RunFile {
            variant,
            rules_version: variant.rules_version(),
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
            run_id: None,
            games_run_id: None,
            origin: None,
            changes: Vec::new(),
            started: resolved.settings.clone(),
            resolved,
            later: Vec::new(),
            retired: Vec::new(),
        };
        file.run_id = Some(RunId(file.hash()));
        file
    }

    /// The file of a run that starts from the network or the games of the run `from`: its identity
    /// differs from that of a run with the same settings alone.
    pub fn begun_from(mut self, origin: RunOrigin, from: Option<&RunFile>) -> RunFile {
        let text = format!("{:016x} {:?} {}", self.hash(), origin.kind, origin.network);
        self.run_id = Some(RunId(fnv(&text)));
        if let Some(from) = from {
            // The origin may have no identity; then there is none to check.
            self.games_run_id = from.run_id;
            self.run_id = self.run_id.filter(|_| from.run_id.is_some());
        }
        self.origin = Some(origin);
        self
    }

    /// The text of `run.toml`.
    pub fn render(&self) -> String {
        let mut text = String::from(
            "# The settings that this run was started with. Later changes are listed at the end.\n",
        );
        let ids = [("run_id", self.run_id), ("games_run_id", self.games_run_id)];
        let ids = ids
            .into_iter()
            .filter_map(|(key, id)| Some((key, id?.to_string().into())));
        let hash = self
            .run_id
            .map(|_| ("config_hash", self.config_hash().to_string().into()));
        let identity: [(&str, Value); 3] = [
            ("variant", self.variant.name().into()),
            ("rules_version", i64::from(self.rules_version).into()),
            ("code_version", self.code_version.as_str().into()),
        ];
        for (key, value) in identity.into_iter().chain(ids).chain(hash) {
            text.push_str(&format!("{key} = {value}\n"));
        }
        text + &render(&self.settings(|_| true), |_| String::new()) + "\n" + &self.history()
    }

    /// The parts other than settings, as TOML.
    fn history(&self) -> String {
        let history = History {
            origin: self.origin.clone(),
            change: self.changes.clone(),
        };
        toml::to_string(&history).expect("plain values become TOML")
    }

    /// A hash of everything in the file that affects results.
    fn config_hash(&self) -> RunId {
        let id = |id: Option<RunId>| id.map_or(0, |id| id.0);
        let ids = [self.hash(), id(self.run_id), id(self.games_run_id)];
        RunId(fnv(&format!("{ids:?} {}", self.history())))
    }

    /// The file's own settings that are `wanted`, in its order.
    fn settings(&self, wanted: impl Fn(&str) -> bool) -> Vec<Setting> {
        let own = self.started.iter().flat_map(|setting| {
            let retired = Retired::in_front_of(&setting.key)
                .filter_map(|key| self.retired.iter().find(|s| s.key == key.name));
            let own = Some(setting).filter(|setting| !self.later.contains(&setting.key));
            retired.chain(own)
        });
        own.filter(|setting| wanted(&setting.key))
            .cloned()
            .collect()
    }

    /// Returns `true` if the run learns from recorded games of another run.
    pub fn is_retrained(&self) -> bool {
        let origin = self.origin.as_ref();
        origin.is_some_and(|origin| origin.kind == OriginKind::Retrain)
    }

    /// Notices about settings of the run that no longer have an effect.
    pub fn without_effect(&self) -> impl Iterator<Item = String> {
        let obsolete = self.obsolete();
        obsolete.map(|(key, value)| key.notice(value))
    }

    /// Returns `true` if the run asks, or asked at some time, for something by a retired key.
    pub fn asks_for(&self, name: &str) -> bool {
        self.obsolete().any(|(key, _)| key.name == name)
    }

    /// Retired keys with values that differ from the current behavior.
    fn obsolete(&self) -> impl Iterator<Item = (&'static Retired, &Value)> {
        let started = self.retired.iter().map(|s| (s.key.as_str(), &s.value));
        let changes = self.changes.iter().map(|c| (c.key.as_str(), &c.new));
        started.chain(changes).filter_map(|(key, value)| {
            let key = Retired::named(key).filter(|key| !key.is_usual(value))?;
            Some((key, value))
        })
    }

    /// Parses a `run.toml`. Keys introduced after the run was started get their defaults, or the
    /// values that describe the earlier behavior.
    pub fn parse(name: &str, text: &str) -> Result<RunFile, ConfigError> {
        let mut layer = Layer::parse(name, text)?;
        let syntax = |error: toml::de::Error| ConfigError::Syntax {
            name: name.to_owned(),
            message: error.to_string(),
        };
        let history: History = toml::from_str(text).map_err(syntax)?;
        layer.remove("origin");
        layer.remove("change");
        let mut faults = Vec::new();
        let mut take = |key: &str| {
            let found = layer.take(key);
            if found.is_none() {
                faults.push(format!("{name}: `{key}` is missing"));
            }
            found.map(|setting| setting.value)
        };
        let (variant, rules, code) = (take("variant"), take("rules_version"), take("code_version"));
        let variant = variant.and_then(|value| {
            let parsed = value.as_str().unwrap_or("").parse::<Variant>();
            let known = parsed.map_err(|error| faults.push(format!("{name}: {error}")));
            known.ok()
        });
        let mut id = |key: &str| layer.take(key)?.value.as_str()?.parse::<RunId>().ok();
        let ids = [id("run_id"), id("games_run_id"), id("config_hash")];
        let checked = SCHEMA.check(layer, &mut faults);
        let changes = history.change.iter();
        for change in changes.filter(|change| Retired::named(&change.key).is_none()) {
            let accepted = SCHEMA.key(&change.key);
            let accepted = accepted.and_then(|key| schema::accept(key, change.new.clone()));
            faults.extend(accepted.err().map(|fault| format!("{name}: {fault}")));
        }
        let (Some(variant), Some(rules), Some(code)) = (variant, rules, code) else {
            return Err(ConfigError::Faults(faults));
        };
        if !faults.is_empty() {
            return Err(ConfigError::Faults(faults));
        }
        let (started, later) = as_written(variant, &checked.accepted)?;
        let [run_id, games_run_id, config_hash] = ids;
        let file = RunFile {
            variant,
            rules_version: rules
                .as_integer()
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0),
            code_version: code.as_str().unwrap_or("unknown").to_owned(),
            run_id,
            games_run_id,
            origin: history.origin,
            resolved: with_changes(&started, &history.change, u32::MAX)?,
            changes: history.change,
            started,
            later,
            retired: checked.retired,
        };
        file.intact(name, config_hash, text.contains("\nrun_id"))
    }

    /// Returns this file if its hash matches; a file that states an identity must have one. A line
    /// with an unreadable identity is damaged.
    fn intact(
        self,
        name: &str,
        stated: Option<RunId>,
        has_id: bool,
    ) -> Result<RunFile, ConfigError> {
        let found = self.config_hash();
        if (has_id || stated.is_some()) && stated != Some(found) {
            return Err(ConfigError::Damaged {
                name: name.to_owned(),
                found: found.to_string(),
                expected: stated.map_or_else(|| "a hash".to_owned(), |hash| hash.to_string()),
            });
        }
        Ok(self)
    }

    /// The settings of a generation.
    ///
    /// # Errors
    /// If they contradict each other.
    pub fn settings_of(&self, generation: u32) -> Result<Resolved, ConfigError> {
        with_changes(&self.started, &self.changes, generation)
    }

    /// The file of a run that was started with the settings of a generation, as far as results
    /// depend on them. The same settings give the same text, however they came about.
    ///
    /// # Errors
    /// As [`RunFile::settings_of`].
    pub fn of_generation(&self, generation: u32) -> Result<RunFile, ConfigError> {
        let resolved = self.settings_of(generation)?;
        let keys = resolved.settings.iter().map(|setting| &setting.key);
        let is_free = |key: &&String| SCHEMA.change(key) == Change::Anytime;
        Ok(RunFile {
            origin: None,
            changes: Vec::new(),
            later: keys.filter(is_free).cloned().collect(),
            started: resolved.settings.clone(),
            resolved,
            ..self.clone()
        })
    }

    /// The games of these finished generations, with the number per generation from the settings,
    /// and none of earlier generations.
    ///
    /// # Errors
    /// If the settings of a generation contradict each other.
    pub fn finished_games(
        &self,
        generations: RangeInclusive<u32>,
    ) -> Result<FinishedGames, ConfigError> {
        let games = (1..=*generations.end()).map(|generation| {
            if !generations.contains(&generation) {
                return Ok(0);
            }
            let settings = self.settings_of(generation)?;
            Ok(settings.config.selfplay.games_per_generation)
        });
        let games = games.collect::<Result<_, ConfigError>>()?;
        Ok(FinishedGames { games })
    }

    /// Progress of the run when one of these settings last changed, up to a generation; the start
    /// of the run if none changed.
    fn last_change(&self, keys: &[String], generation: u32) -> StepsAt {
        let past = self.changes.iter().filter(|c| c.generation <= generation);
        let of_keys = past.filter(|change| keys.contains(&change.key));
        let mut moments = of_keys.filter_map(|change| change.since);
        moments.next_back().unwrap_or_default()
    }

    /// The step that a number of samples allows in a generation with these settings.
    pub fn steps_allowed(&self, config: &TrainConfig, generation: u32, samples: u64) -> u64 {
        let keys = TrainConfig::SET_STEPS.map(|key| format!("train.{key}"));
        config.steps_allowed(samples, self.last_change(&keys, generation))
    }

    /// Applies requested settings: those that may change take effect at generation `next`, which
    /// must not have started. All others must agree with the run, including the settings of a
    /// preset, which is meant for the start of a run. Returns whether there is a new change.
    pub fn ask(
        &mut self,
        variant: Variant,
        asked: &Resolved,
        next: u32,
    ) -> Result<bool, ConfigError> {
        let mut differences = self.other_game(variant);
        let (before, mut has_changed) = (self.resolved.settings.clone(), false);
        for (now, started) in before.iter().zip(self.started.clone()) {
            let Some(wanted) = asked.setting(&now.key).filter(|s| s.asked != Asked::No) else {
                continue;
            };
            let is_direct = wanted.asked == Asked::Directly;
            match SCHEMA.change(&now.key) {
                Change::Anytime => self.start_with(wanted),
                _ if wanted.value == now.value => {}
                // The run has chosen one when it began.
                _ if now.key == "device" && wanted.value.as_str() == Some(AUTO) => {}
                _ if !is_direct && wanted.value == started.value => {}
                Change::NextGeneration if is_direct => {
                    has_changed = true;
                    self.change(wanted, next)?;
                }
                _ => differences.push(format!(
                    "`{}` is {}, {} asks for {}",
                    now.key, now.value, wanted.origin, wanted.value
                )),
            }
        }
        if !differences.is_empty() {
            return Err(ConfigError::Differs(differences));
        }
        self.resolved = self.settings_of(u32::MAX)?;
        Ok(has_changed)
    }

    /// Changes a setting from a generation on, replacing later planned changes.
    pub fn change(&mut self, wanted: &Setting, generation: u32) -> Result<(), ConfigError> {
        self.changes
            .retain(|change| change.key != wanted.key || change.generation < generation);
        let before = self.settings_of(generation)?;
        let old = before.setting(&wanted.key).map(|setting| &setting.value);
        if let Some(old) = old.filter(|old| **old != wanted.value) {
            self.changes.push(SettingChange {
                generation,
                key: wanted.key.clone(),
                old: old.clone(),
                new: wanted.value.clone(),
                since: None,
            });
            self.changes.sort_by_key(|change| change.generation);
        }
        Ok(())
    }

    /// Sets a setting that does not affect results.
    fn start_with(&mut self, wanted: &Setting) {
        let setting = self.started.iter_mut().find(|s| s.key == wanted.key);
        if let Some(setting) = setting {
            *setting = wanted.clone();
            self.later.retain(|key| *key != wanted.key);
        }
    }

    /// Differences from a run of this game under its present rules.
    fn other_game(&self, variant: Variant) -> Vec<String> {
        let (old, new) = (self.rules_version, variant.rules_version());
        if variant != self.variant {
            vec![format!("the run trains {}, not {variant}", self.variant)]
        } else if new != old {
            vec![format!(
                "its rules are version {old}, this program has version {new}"
            )]
        } else {
            Vec::new()
        }
    }

    /// A number that two runs share if they were started with the same rules and settings: 64-bit
    /// FNV-1a of everything that affects results. It is unaffected by later changes, and a fork has
    /// that of its origin.
    pub fn hash(&self) -> u64 {
        let settings = self.settings(|key| SCHEMA.change(key) != Change::Anytime);
        let text = format!("{} {}\n", self.variant, self.rules_version)
            + &render(&settings, |_| String::new());
        fnv(&text)
    }
}

/// 64-bit FNV-1a.
fn fnv(text: &str) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(text.as_bytes());
    hash.finish()
}

/// All settings as the lines of a file have them, and the keys introduced after it was written.
fn as_written(
    variant: Variant,
    written: &[Setting],
) -> Result<(Vec<Setting>, Vec<String>), ConfigError> {
    let mut settings = ConfigSources::default().resolve(variant)?.settings;
    let mut later = Vec::new();
    for setting in &mut settings {
        if let Some(written) = written.iter().find(|written| written.key == setting.key) {
            *setting = written.clone();
            continue;
        }
        if let Some(value) = SCHEMA.formerly(&setting.key) {
            setting.value = value;
        }
        later.push(setting.key.clone());
    }
    Ok((settings, later))
}

/// The settings of a generation: the initial settings with all changes up to it.
fn with_changes(
    started: &[Setting],
    changes: &[SettingChange],
    generation: u32,
) -> Result<Resolved, ConfigError> {
    let mut settings = started.to_vec();
    for change in changes.iter().filter(|c| c.generation <= generation) {
        if let Some(setting) = settings.iter_mut().find(|s| s.key == change.key) {
            setting.value = change.new.clone();
        }
    }
    Resolved::new(settings)
}

#[cfg(test)]
mod tests;
