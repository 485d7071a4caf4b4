//! Sources of models, as named on the command line.

mod bundled;

pub use bundled::variants as bundled_variants;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use engine::SearchPlayerConfig;
use model::{Model, Precision};
use rules::Variant;
use search::SearchConfig;
use store::{ModelId, RunDir};

use config::RunFile;

use crate::error::{Result, Within as _};
use crate::{RequestError, RosterError, SecondOpinion};

/// A source of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// `run:DIR@42`, a model of a run; `run:DIR`, its champion.
    Run(PathBuf, Option<ModelId>),
    /// `model:PATH`, a model anywhere.
    Path(PathBuf),
    /// `bundled:VARIANT`, one included in the binary; `bundled`, all of them.
    Bundled(Option<Variant>),
}

/// A loaded model with its settings.
pub struct LoadedModel {
    /// The name, including the model of a run.
    pub name: String,
    /// The network, its variant and its origin.
    pub model: Model,
    /// The search of its run, or the default.
    pub search: SearchConfig,
    /// The numeric precision of its inference.
    pub precision: Precision,
    /// The evaluation that its search asks too, unless the player's options name another.
    pub evaluation: SecondOpinion,
    /// The run and the number of the model, if it belongs to a run.
    pub run: Option<(RunDir, ModelId)>,
}

impl fmt::Display for ModelSource {
    /// Formats the source as in a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelSource::Run(dir, None) => write!(f, "run:{}", dir.display()),
            ModelSource::Run(dir, Some(number)) => write!(f, "run:{}@{}", dir.display(), number.0),
            ModelSource::Path(path) => write!(f, "model:{}", path.display()),
            ModelSource::Bundled(None) => write!(f, "bundled"),
            ModelSource::Bundled(Some(variant)) => write!(f, "bundled:{variant}"),
        }
    }
}

impl FromStr for ModelSource {
    type Err = RequestError;

    fn from_str(text: &str) -> std::result::Result<ModelSource, RequestError> {
        ModelSource::parse(text)
            .or_else(|| ModelSource::at(text))
            .ok_or_else(|| {
                RequestError(format!(
                    "{text:?} is not a model: write run:DIR, run:DIR@42, model:DIR or bundled:VARIANT"
                ))
            })
    }
}

impl ModelSource {
    /// Parses a source; `None` for other texts.
    pub fn parse(text: &str) -> Option<ModelSource> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("run", place) => {
                let numbered = place
                    .rsplit_once('@')
                    .and_then(|(dir, number)| Some((dir, number.parse().ok()?)));
                Some(match numbered {
                    Some((dir, number)) => ModelSource::Run(dir.into(), Some(number)),
                    None => ModelSource::Run(place.into(), None),
                })
            }
            ("model", path) => Some(ModelSource::Path(path.into())),
            ("bundled", "") => Some(ModelSource::Bundled(None)),
            ("bundled", variant) => Some(ModelSource::Bundled(Some(variant.parse().ok()?))),
            _ => None,
        }
    }

    /// Parses a source if nothing else is possible: `run:` and `model:` may be omitted.
    pub fn of_path(text: &str) -> ModelSource {
        ModelSource::parse(text).unwrap_or_else(|| {
            ModelSource::at(text).unwrap_or_else(|| ModelSource::Path(text.into()))
        })
    }

    /// The run or model in a path, if any.
    fn at(text: &str) -> Option<ModelSource> {
        ModelSource::run_at(text).or_else(|| ModelSource::model_at(Path::new(text)))
    }

    /// The run in `DIR` or `DIR@N`, if any.
    pub(crate) fn run_at(text: &str) -> Option<ModelSource> {
        let run = ModelSource::parse(&format!("run:{text}"));
        run.filter(|run| matches!(run, ModelSource::Run(dir, _) if RunDir::is_run(dir)))
    }

    /// The model in a folder or file, if any.
    pub(crate) fn model_at(path: &Path) -> Option<ModelSource> {
        let is_model = path.is_file() || path.join("model.safetensors").is_file();
        is_model.then(|| ModelSource::Path(path.to_owned()))
    }

    /// True if this specific source is one of the sources that `asked` may mean.
    pub fn is_meant_by(&self, asked: &ModelSource) -> bool {
        match (self, asked) {
            (ModelSource::Run(found, _), ModelSource::Run(dir, None)) => is_same_place(found, dir),
            (ModelSource::Run(found, number), ModelSource::Run(dir, asked)) => {
                number == asked && is_same_place(found, dir)
            }
            (ModelSource::Bundled(_), ModelSource::Bundled(None)) => true,
            _ => self == asked,
        }
    }

    /// The same model without its run, so that it uses the default search instead of the run's.
    pub fn alone(&self) -> Result<ModelSource> {
        Ok(match self {
            ModelSource::Run(dir, number) => {
                let run = RunDir::open(dir)?;
                ModelSource::Path(run.model(numbered(&run, dir, *number)?)?)
            }
            source => source.clone(),
        })
    }

    /// The same model even if its run later gets another champion.
    pub fn pinned(self) -> Result<ModelSource> {
        Ok(match self {
            ModelSource::Run(dir, number) => {
                let number = numbered(&RunDir::open(&dir)?, &dir, number)?;
                ModelSource::Run(dir, Some(number))
            }
            source => source,
        })
    }

    /// Reads the model; of several, the one for a game.
    pub fn load_for(&self, variant: Variant) -> Result<LoadedModel> {
        match self {
            ModelSource::Bundled(None) => ModelSource::Bundled(Some(variant)).load(),
            source => source.load(),
        }
    }

    /// Reads the model, or one per game.
    pub fn load_all(&self) -> Result<Vec<LoadedModel>> {
        match self {
            ModelSource::Bundled(None) => bundled::variants().map(bundled::load).collect(),
            source => Ok(vec![source.load()?]),
        }
    }

    /// Reads the model.
    pub fn load(&self) -> Result<LoadedModel> {
        match self {
            ModelSource::Run(dir, number) => load_from_run(dir, *number)
                .within(|| format!("failed to load a model of run:{}", dir.display())),
            ModelSource::Path(path) => {
                let model = load(path)?;
                Ok(LoadedModel::alone(
                    format!("model:{}", path.display()),
                    model,
                ))
            }
            ModelSource::Bundled(Some(variant)) => bundled::load(*variant),
            ModelSource::Bundled(None) => {
                let names: Vec<String> = bundled::variants()
                    .map(|variant| format!("bundled:{variant}"))
                    .collect();
                Err(RequestError(format!(
                    "bundled is several models: write {}",
                    names.join(", ")
                ))
                .into())
            }
        }
    }
}

impl LoadedModel {
    /// The search of a player that plays the best move found.
    pub fn search(&self, simulations: u32) -> SearchPlayerConfig {
        SearchPlayerConfig::new(self.search.without_noise(), simulations)
    }

    /// A model without a run, with the default search.
    pub(crate) fn alone(name: String, model: Model) -> LoadedModel {
        LoadedModel {
            name,
            model,
            search: SearchConfig::usual(),
            precision: Precision::Int8,
            evaluation: SecondOpinion::None,
            run: None,
        }
    }
}

fn load_from_run(dir: &Path, number: Option<ModelId>) -> Result<LoadedModel> {
    let run = RunDir::open(dir)?;
    let number = numbered(&run, dir, number)?;
    let file = RunFile::read(&run)?;
    Ok(LoadedModel {
        name: format!("run:{}@{}", dir.display(), number.0),
        model: load(&run.model(number)?)?,
        search: file.resolved.config.search,
        precision: file.resolved.config.model.precision,
        evaluation: SecondOpinion::None,
        run: Some((run, number)),
    })
}

/// This model of a run, or its champion.
fn numbered(run: &RunDir, dir: &Path, number: Option<ModelId>) -> Result<ModelId> {
    match number {
        Some(number) => Ok(number),
        None => run.champion()?.ok_or_else(|| {
            RosterError::Missing(format!("the run in {} has no champion yet", dir.display()))
        }),
    }
}

/// True if two paths lead to the same directory.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other || real(one).is_some_and(|place| Some(place) == real(other))
}

fn load(path: &Path) -> Result<Model> {
    // A folder with only the weights is a model too: they contain their description.
    let weights = path.join("model.safetensors");
    let is_weights_alone = !path.join("model.json").exists() && weights.is_file();
    let path = if is_weights_alone { &weights } else { path };
    Model::load(path).within(|| format!("failed to load the model {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let source = |text: &str| ModelSource::parse(text);
        let champion = ModelSource::Run("runs/a".into(), None);
        assert_eq!(source("run:runs/a"), Some(champion));
        let numbered = ModelSource::Run("runs/a@b".into(), Some(ModelId(42)));
        assert_eq!(source("run:runs/a@b@42"), Some(numbered));
        assert_eq!(source("model:m"), Some(ModelSource::Path("m".into())));
        assert_eq!(source("bundled"), Some(ModelSource::Bundled(None)));
        let thai = Variant::GAMES[3];
        assert_eq!(
            source("bundled:thai"),
            Some(ModelSource::Bundled(Some(thai)))
        );
        assert_eq!(source("bundled:chess"), None);
        assert_eq!(source("random"), None);
        assert_eq!(source("hub:model:m"), None);
        assert_eq!(ModelSource::of_path("m@4"), ModelSource::Path("m@4".into()));
        let bundled = ModelSource::of_path("bundled:thai");
        assert!(bundled.is_meant_by(&ModelSource::Bundled(None)));
    }
}
