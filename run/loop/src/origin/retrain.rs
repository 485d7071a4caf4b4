//! A run whose network, of any shape, learns from the recorded games of another.
//!
//! The games are there before the run begins, so its self-play stages find nothing to play and take them
//! in; everything else is as always. Each generation is measured on games that it has not learnt from.

use std::path::Path;

use store::{ModelId, RunDir};

use super::Source;
use crate::config::{Asked, ConfigError, ConfigSources, OriginKind, Resolved, RunFile, Setting};
use crate::{RequestError, Result, Run};
use roster::{ModelSource, is_same_place};

/// The recorded generations have as many games as they have.
const GAMES: &str = "selfplay.games_per_generation";

/// Gates and ratings wait for the last generation of recorded games, unless somebody asks for them.
const AT_THE_END: [&str; 2] = ["gate.every_generations", "rating.every_generations"];

/// Begins a run in `to` that learns from the games of another up to a generation, or goes on with it:
/// `from` is `DIR@N`, or `DIR` for all games. It has that run's settings but for those that are asked for
/// in `set`, of which those of `model` say what the network is like, and as many games a generation, whatever a
/// preset says. When the recorded games are used up it plays its own, if it goes on.
///
/// # Errors
/// When there is another run in `to`, when games that it would learn from are not there any more, when another number of
/// games a generation is asked for, or the disk refuses.
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
            setting.value = i64::from(last.max(1)).into();
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

/// Makes sure that nobody has asked for other generations than the recorded ones. A preset only proposes.
fn expect_recorded(recorded: &Setting, asked: &Setting) -> Result<()> {
    if asked.asked == Asked::Directly && asked.value != recorded.value {
        return Err(RequestError(format!(
            "{GAMES}={} was asked for, and the recorded generations have {}: leave it out",
            asked.value, recorded.value
        ))
        .into());
    }
    Ok(())
}

/// The last generation whose games were recorded by the run that a run learns from.
pub fn recorded_generations(run: &Run) -> Option<u32> {
    let origin = run.file().origin.as_ref();
    let origin = origin.filter(|origin| origin.kind == OriginKind::Retrain)?;
    match ModelSource::of_path(&origin.from) {
        ModelSource::Run(_, Some(ModelId(last))) => Some(last),
        _ => None,
    }
}

impl Source {
    /// Makes sure that the games of all generations up to `last` are there: those that are not would be played anew.
    fn expect_games(&self, last: u32) -> Result<()> {
        let recorded = self.dir.games(self.file.variant).generations()?;
        match (1..=last).find(|generation| !recorded.contains(generation)) {
            None => Ok(()),
            Some(missing) => Err(RequestError(format!(
                "{} has no games of generation {missing} any more, and a network learns from those of all generations in \
                 their order: keep them in a run that is to be retrained (disk.budget=0)",
                self.dir.path().display()
            ))
            .into()),
        }
    }

    /// Whether an origin names this run.
    fn is_within(&self, origin: &str) -> bool {
        matches!(ModelSource::of_path(origin), ModelSource::Run(dir, _) if is_same_place(&dir, self.dir.path()))
    }
}
