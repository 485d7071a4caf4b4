//! Retraining: a run whose network, of any shape, learns from the recorded games of another run.
//!
//! The games are in place before the run starts, so its self-play stages only read them; everything
//! else works as usual. Each generation is measured on games that its network was not trained on.

use std::path::Path;

use store::{ModelId, RunDir};

use super::Source;
use crate::config::{Asked, ConfigError, ConfigSources, OriginKind, Resolved, RunFile, Setting};
use crate::{RequestError, Result, Run};
use roster::{ModelSource, is_same_place};

/// The number of games per generation follows from the recorded generations.
const GAMES: &str = "selfplay.games_per_generation";

/// Gates and ratings wait for the last recorded generation, unless the user sets them.
const AT_THE_END: [&str; 2] = ["gate.every_generations", "rating.every_generations"];

/// Creates a run in `to` that learns from the games of another run up to a generation, or resumes
/// it: `from` is `DIR@N`, or `DIR` for all games. It has that run's settings except those in `set`,
/// where the `model` settings choose the network, and the same number of games per generation,
/// whatever a preset says. After the recorded games the run plays its own.
///
/// # Errors
/// If there is another run in `to`, required games are missing, another number of games per
/// generation is requested, or the disk fails.
pub fn retrain(from: &str, to: &Path, set: &ConfigSources) -> Result<Run> {
    let source = Source::open(from)?;
    let variant = source.file.variant;
    if RunDir::is_run(to) {
        let file = RunFile::read(&RunDir::open(to)?)?;
        let origin = file.origin.as_ref();
        if origin.is_none_or(|o| o.kind != OriginKind::Retrain || !source.is_within(&o.from)) {
            let difference = format!("{} does not learn from the games of {from}", to.display());
            return Err(ConfigError::Differs(vec![difference]).into());
        }
        return Run::resume(to, variant, &set.resolve(variant)?);
    }
    let last = source.generation.0;
    source.expect_games(last)?;
    let usual = source.file.settings_of(last)?.settings;
    let asked = super::asked(set, variant)?;
    let is_asked = |key: &str| asked.iter().any(|setting| setting.key == key);
    let postponed: Vec<Setting> = usual
        .iter()
        .filter(|setting| AT_THE_END.contains(&setting.key.as_str()) && !is_asked(&setting.key))
        .cloned()
        .collect();
    let mut settings = usual.clone();
    for setting in &mut settings {
        if let Some(asked) = asked.iter().find(|asked| asked.key == setting.key) {
            if setting.key == GAMES {
                expect_recorded(setting, asked)?;
                continue;
            }
            *setting = asked.clone();
        } else if postponed.contains(setting) {
            setting.value = i64::from(last).into();
        }
    }
    let origin = source.origin(OriginKind::Retrain);
    let file = RunFile::new(variant, Resolved::new(settings)?);
    let mut file = file.begun_from(origin, Some(&source.file));
    for setting in &postponed {
        file.change(setting, last + 1)?;
    }
    Run::begin(to, file)
}

/// Rejects a requested generation size that differs from the recorded one. A preset is only a
/// default.
fn expect_recorded(recorded: &Setting, asked: &Setting) -> Result<()> {
    if asked.asked == Asked::Directly && asked.value != recorded.value {
        return Err(RequestError(format!(
            "{GAMES}={} was requested, but the recorded generations have {}: leave it out",
            asked.value, recorded.value
        ))
        .into());
    }
    Ok(())
}

/// The last generation whose games were recorded by the origin of the run.
pub fn recorded_generations(run: &Run) -> Option<u32> {
    let origin = run.file().origin.as_ref();
    let origin = origin.filter(|origin| origin.kind == OriginKind::Retrain)?;
    match ModelSource::of_path(&origin.from) {
        ModelSource::Run(_, Some(ModelId(last))) => Some(last),
        _ => None,
    }
}

impl Source {
    /// Requires the games of all generations up to `last`, and at least one generation: missing
    /// games would be played again.
    fn expect_games(&self, last: u32) -> Result<()> {
        if last == 0 {
            return Err(RequestError(format!(
                "{} has no games at generation 0: train it first, or name a later generation",
                self.dir.path().display()
            ))
            .into());
        }
        let recorded = self.dir.games(self.file.variant).generations()?;
        match (1..=last).find(|generation| !recorded.contains(generation)) {
            None => Ok(()),
            Some(missing) => Err(RequestError(format!(
                "{} no longer has the games of generation {missing}, and retraining needs \
                 all generations: keep all games of a run that is to be retrained \
                 (disk.budget=0)",
                self.dir.path().display()
            ))
            .into()),
        }
    }

    /// Returns `true` if an origin names this run.
    fn is_within(&self, origin: &str) -> bool {
        matches!(ModelSource::of_path(origin), ModelSource::Run(dir, _) if is_same_place(&dir, self.dir.path()))
    }
}
