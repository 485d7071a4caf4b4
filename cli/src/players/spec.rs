//! Players as the command line names them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use eval::{Baseline, Entrant};
use model::Model;
use rules::Variant;
use store::{ModelId, RunDir};
use trainer::Compute;

use crate::config::{Config, ConfigArgs, RunFile};
use crate::evaluators::Evaluators;
use crate::output::Usage;
use crate::{players, settings};

/// A player as it was asked for, such as `run:runs/english@42,sims=16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayerSpec {
    /// What was written, without options.
    text: String,
    source: Source,
    /// Simulations a move, where this player has its own number.
    simulations: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Baseline(Baseline),
    /// A model of a run; the champion if no number is given.
    Run(PathBuf, Option<ModelId>),
    /// A model anywhere.
    Model(PathBuf),
}

/// A player that is there: its files have been read.
pub(crate) struct Contender {
    /// The name in results. Says which model was meant by a run.
    pub(crate) name: String,
    /// The game it plays; none for players that play them all.
    pub(crate) variant: Option<Variant>,
    brain: Brain,
    simulations: Option<u32>,
}

enum Brain {
    Baseline(Baseline),
    Network {
        model: Box<Model>,
        config: Box<Config>,
    },
}

impl FromStr for PlayerSpec {
    type Err = Usage;

    fn from_str(text: &str) -> Result<PlayerSpec, Usage> {
        let (text, options) = text.split_once(',').unwrap_or((text, ""));
        let source = match text.split_once(':') {
            Some(("run", place)) => run(place),
            Some(("model", path)) => Source::Model(path.into()),
            _ => Source::Baseline(text.parse().map_err(|_| unknown(text))?),
        };
        let mut simulations = None;
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let number = option
                .strip_prefix("sims=")
                .and_then(|number| number.parse().ok());
            simulations = number.filter(|number| *number > 0);
            if simulations.is_none() {
                return Err(Usage(format!(
                    "player {text} has an option {option:?}: write sims=N, such as {text},sims=64"
                )));
            }
        }
        if simulations.is_some() && matches!(source, Source::Baseline(_)) {
            return Err(Usage(format!(
                "player {text} takes no options: it does not search by simulations"
            )));
        }
        Ok(PlayerSpec {
            text: text.to_owned(),
            source,
            simulations,
        })
    }
}

/// `DIR` or `DIR@42`.
fn run(place: &str) -> Source {
    let numbered = place
        .rsplit_once('@')
        .and_then(|(dir, number)| Some((dir, number.parse().ok()?)));
    match numbered {
        Some((dir, model)) => Source::Run(dir.into(), Some(model)),
        None => Source::Run(place.into(), None),
    }
}

fn unknown(text: &str) -> Usage {
    let path = Path::new(text);
    let hint = if RunDir::is_run(path) {
        format!("did you mean run:{text}?")
    } else if path.exists() {
        format!("did you mean model:{text}?")
    } else {
        "write random, alphabeta:depth=4, run:DIR, run:DIR@42 or model:DIR".to_owned()
    };
    Usage(format!("no player is called {text:?}; {hint}"))
}

impl PlayerSpec {
    /// Reads what the player needs.
    pub(crate) fn load(&self) -> anyhow::Result<Contender> {
        let (name, brain) = match &self.source {
            Source::Baseline(baseline) => (self.text.clone(), Brain::Baseline(*baseline)),
            Source::Run(dir, number) => load_from_run(dir, *number)
                .with_context(|| format!("failed to load player {}", self.text))?,
            Source::Model(path) => {
                let model = load_model(path)?;
                let config = ConfigArgs::default().resolve(model.variant)?.config;
                let (model, config) = (Box::new(model), Box::new(config));
                (self.text.clone(), Brain::Network { model, config })
            }
        };
        let simulations = self.simulations;
        let suffix = simulations.map_or_else(String::new, |n| format!(",sims={n}"));
        let variant = match &brain {
            Brain::Baseline(_) => None,
            Brain::Network { model, .. } => Some(model.variant),
        };
        Ok(Contender {
            name: name + &suffix,
            variant,
            brain,
            simulations,
        })
    }
}

/// A run's model, which searches as the run does.
fn load_from_run(dir: &Path, number: Option<ModelId>) -> anyhow::Result<(String, Brain)> {
    let run = RunDir::open(dir)?;
    let number = match number {
        Some(number) => number,
        None => run.champion()?.context("the run has no champion yet")?,
    };
    let file = RunFile::parse(&dir.join("run.toml").display().to_string(), &run.config()?)?;
    let model = load_model(&run.model(number)?)?;
    let name = format!("run:{}@{}", dir.display(), number.0);
    let (model, config) = (Box::new(model), Box::new(file.resolved.config));
    Ok((name, Brain::Network { model, config }))
}

fn load_model(path: &Path) -> anyhow::Result<Model> {
    Model::load(path).with_context(|| format!("failed to load the model {}", path.display()))
}

impl Contender {
    /// The player as one side of a match. `simulations` counts where it has no number of its own.
    pub(crate) fn entrant(&self, simulations: u32) -> anyhow::Result<Entrant<'static>> {
        match &self.brain {
            Brain::Baseline(baseline) => Ok(Entrant::from(*baseline)),
            Brain::Network { model, config } => {
                let simulations = self.simulations.unwrap_or(simulations);
                let play = settings::play(config, simulations);
                let evaluators =
                    Evaluators::new(model.as_ref().into(), &Compute::Cpu, 1, play.games_at_once)?;
                Ok(players::network(self.name.clone(), evaluators, play))
            }
        }
    }
}

/// The game that all contenders play: the one asked for, or the one that the first network knows.
pub(crate) fn common_variant(
    contenders: &[Contender],
    asked: Option<Variant>,
) -> Result<Variant, Usage> {
    let known = contenders.iter().find_map(|contender| contender.variant);
    let variant = asked.or(known).ok_or_else(|| {
        Usage("these players play every game: say which with --variant".to_owned())
    })?;
    let plays_another =
        |contender: &&Contender| contender.variant.is_some_and(|own| own != variant);
    match contenders.iter().find(plays_another) {
        None => Ok(variant),
        Some(Contender {
            name, variant: own, ..
        }) => {
            let own = own.map_or("another game", Variant::name);
            Err(Usage(format!("{name} plays {own}, not {variant}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> PlayerSpec {
        text.parse().unwrap()
    }

    #[test]
    fn players_are_read() {
        assert_eq!(spec("random").source, Source::Baseline(Baseline::Random));
        let alphabeta = Source::Baseline(Baseline::AlphaBeta { depth: 4 });
        assert_eq!(spec("alphabeta:depth=4").source, alphabeta);
        assert_eq!(
            spec("run:runs/a").source,
            Source::Run("runs/a".into(), None)
        );
        let numbered = Source::Run("runs/a@b".into(), Some(ModelId(42)));
        assert_eq!(spec("run:runs/a@b@42").source, numbered);
        assert_eq!(spec("model:m").source, Source::Model("m".into()));
        assert_eq!(spec("model:m,sims=16").simulations, Some(16));
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, hint) in [
            ("randam", "write random"),
            ("alphabeta", "alphabeta:depth=4"),
            ("alphabeta:depth=0", "alphabeta:depth=4"),
            ("random,sims=4", "takes no options"),
            ("model:m,sims=0", "sims=N"),
            ("model:m,depth=3", "sims=N"),
            (env!("CARGO_MANIFEST_DIR"), "did you mean model:"),
        ] {
            let message = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        }
    }

    #[test]
    fn the_game_must_be_clear() {
        let players = [
            spec("random").load().unwrap(),
            spec("alphabeta:depth=1").load().unwrap(),
        ];
        assert!(common_variant(&players, None).is_err());
        let variant = Variant::ALL[3];
        assert_eq!(common_variant(&players, Some(variant)).unwrap(), variant);
    }
}
