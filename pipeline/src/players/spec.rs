//! Players as the command line names them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use engine::dxp;
use engine::hub::Version;
use eval::{Baseline, PlayerFactory};
use rules::Variant;
use store::{ModelId, RunDir};

use super::contender::Contender;
use super::options::{Effort, Options};
use crate::evaluations::EvaluationSource;
use crate::export::PageSource;
use crate::models::ModelSource;
use crate::{RequestError, Result};

/// The most random games a move; it would take hours.
const MAX_ROLLOUTS: u32 = 100_000_000;

/// A player as it was asked for, such as `run:runs/english@42,sims=16`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// What was written, without options.
    pub(super) text: String,
    pub(super) source: Source,
    pub(super) options: Options,
}

/// What kind of player it is, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Baseline(Baseline),
    /// Tree search with so many random games a move.
    Mcts(u32),
    /// A program that speaks this version of the Hub protocol, with its arguments.
    Hub(Version, String),
    /// A program that follows by DXP, with its `HOST:PORT`.
    Dxp(String),
    Network(ModelSource),
    /// Alpha-beta search with a learned evaluation.
    AlphaBeta(EvaluationSource),
}

impl PlayerSpec {
    /// A model of a run, without options.
    pub(crate) fn model_of(run: &Path, model: ModelId) -> PlayerSpec {
        PlayerSpec {
            text: format!("run:{}@{}", run.display(), model.0),
            source: Source::Network(ModelSource::Run(run.to_owned(), Some(model))),
            options: Options::default(),
        }
    }
}

impl From<&PageSource> for PlayerSpec {
    /// The player without options.
    fn from(source: &PageSource) -> PlayerSpec {
        PlayerSpec {
            text: "agent".to_owned(),
            source: match source.clone() {
                PageSource::Network(source) => Source::Network(source),
                PageSource::Evaluation(source) => Source::AlphaBeta(source),
            },
            options: Options::default(),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<PlayerSpec, RequestError> {
        let (text, options) = split_options(text);
        let source = match text.split_once(':') {
            Some(("hub", command)) if !command.trim().is_empty() => {
                Source::Hub(Version::Two, command.to_owned())
            }
            Some(("hub1", command)) if !command.trim().is_empty() => {
                Source::Hub(Version::One, command.to_owned())
            }
            Some(("dxp", address)) if !address.is_empty() => Source::Dxp(with_port(address)),
            Some(("ab", source)) if !source.is_empty() => {
                Source::AlphaBeta(EvaluationSource::parse(source))
            }
            Some(("mcts", rollouts)) => Source::Mcts(rollouts_of(rollouts).ok_or_else(|| {
                RequestError(format!(
                    "player {text}: write mcts:rollouts=1000 (1 to {MAX_ROLLOUTS})"
                ))
            })?),
            Some(("alphabeta" | "diluted" | "learned", _)) => {
                let level = text.parse::<Baseline>();
                Source::Baseline(level.map_err(|error| RequestError(error.to_string()))?)
            }
            _ => match ModelSource::parse(text) {
                Some(source) => Source::Network(source),
                None => Source::Baseline(text.parse().map_err(|_| unknown(text))?),
            },
        };
        let options = Options::parse(text, &source, options)?;
        Ok(PlayerSpec {
            text: text.to_owned(),
            source,
            options,
        })
    }
}

impl PlayerSpec {
    /// The directory of the run that the player comes from, if it does.
    pub fn run_dir(&self) -> Option<&Path> {
        match &self.source {
            Source::Network(ModelSource::Run(dir, _)) => Some(dir),
            _ => None,
        }
    }

    /// Whether it is a network, which searches by simulations.
    pub fn is_network(&self) -> bool {
        matches!(self.source, Source::Network(_))
    }

    /// The same player, who searches one position on so many threads; who was told how many, or is held back to a
    /// strength, stays as he is.
    #[must_use]
    pub fn on_threads(mut self, threads: u32) -> PlayerSpec {
        if self.is_learned() && self.options.elo.is_none() {
            self.options.threads.get_or_insert(threads);
        }
        self
    }

    /// Whether its judgement was learned: a network, or alpha-beta search with a learned evaluation.
    pub fn is_learned(&self) -> bool {
        self.is_network() || matches!(self.source, Source::AlphaBeta(_))
    }
}

impl fmt::Display for PlayerSpec {
    /// As it was asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, self.options)
    }
}

/// The player without its options, and these. A command may have commas of its own; what it ends
/// with counts as an option if it looks like one and does not stand in quotes.
fn split_options(text: &str) -> (&str, &str) {
    if !["hub:", "hub1:"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
    {
        return text.split_once(',').unwrap_or((text, ""));
    }
    let mut end = text.len();
    while let Some((before, option)) = text[..end].rsplit_once(',') {
        let is_quoted = shlex::split(before).is_none();
        if is_quoted || !Options::is_option(option) {
            break;
        }
        end = before.len();
    }
    (&text[..end], text[end..].trim_start_matches(','))
}

/// The address with the protocol's port, if it has none.
fn with_port(address: &str) -> String {
    let has_port = address
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    match has_port {
        true => address.to_owned(),
        false => format!("{address}:{}", dxp::PORT),
    }
}

fn rollouts_of(text: &str) -> Option<u32> {
    let number = text.strip_prefix("rollouts=")?.parse().ok()?;
    (1..=MAX_ROLLOUTS).contains(&number).then_some(number)
}

fn unknown(text: &str) -> RequestError {
    let path = Path::new(text);
    let hint = if RunDir::is_run(path) {
        format!("did you mean run:{text}?")
    } else if path.exists() {
        format!("did you mean model:{text}?")
    } else {
        "write random, alphabeta:depth=4, mcts:rollouts=1000, run:DIR, run:DIR@42, model:DIR, \
         bundled, ab:DIR, ab:bundled, hub:COMMAND, hub1:COMMAND or dxp:HOST:PORT"
            .to_owned()
    };
    RequestError(format!("no player is called {text:?}; {hint}"))
}

/// Loads players who meet, and their game, which is the one asked for or the only one of the first who is not free
/// to choose.
///
/// # Errors
/// When a player cannot be read, or they have no game in common.
pub fn load_contenders<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    asked: Option<Variant>,
) -> Result<(Variant, Vec<Contender>)> {
    let loaded = players.into_iter().map(PlayerSpec::load);
    let contenders: Vec<Contender> = loaded.collect::<Result<_>>()?;
    Ok((common_variant(&contenders, asked)?, contenders))
}

/// As [`load_contenders`], each as one side of a match.
///
/// # Errors
/// As [`load_contenders`].
pub fn load_players<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    asked: Option<Variant>,
    effort: &Effort,
) -> Result<(Variant, Vec<PlayerFactory<'static>>)> {
    let (variant, contenders) = load_contenders(players, asked)?;
    let sides = contenders.iter();
    let sides = sides.map(|contender| contender.player_factory(variant, effort));
    Ok((variant, sides.collect::<Result<_>>()?))
}

fn common_variant(
    contenders: &[Contender],
    asked: Option<Variant>,
) -> Result<Variant, RequestError> {
    let known = contenders
        .iter()
        .find_map(|contender| match contender.games[..] {
            [only] => Some(only),
            _ => None,
        });
    let variant = asked.or(known).ok_or_else(|| {
        RequestError("these players play several games: say which with --variant".to_owned())
    })?;
    let other = contenders
        .iter()
        .find(|contender| !contender.games.contains(&variant));
    match other {
        None => Ok(variant),
        Some(other) => Err(other.does_not_play(variant)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> PlayerSpec {
        text.parse().unwrap()
    }

    #[test]
    fn who_was_told_nothing_else_searches_on_threads() {
        let on_four = |text| spec(text).on_threads(4).to_string();
        assert_eq!(on_four("model:m"), "model:m,threads=4");
        for other in ["random", "ab:bundled,threads=2", "ab:bundled,elo=1200"] {
            assert_eq!(on_four(other), other);
        }
    }

    #[test]
    fn players_are_read() {
        assert_eq!(spec("random").source, Source::Baseline(Baseline::Random));
        let alphabeta = Source::Baseline(Baseline::AlphaBeta { depth: 4 });
        assert_eq!(spec("alphabeta:depth=4").source, alphabeta);
        let model = ModelSource::Path("m".into());
        assert_eq!(spec("model:m").source, Source::Network(model));
        let bundled = Source::AlphaBeta(EvaluationSource::Bundled);
        assert_eq!(spec("ab:bundled").source, bundled);
        assert_eq!(spec("ab:e,depth=9,hash=64").options.hash, Some(64));
        assert_eq!(spec("mcts:rollouts=50").source, Source::Mcts(50));
        assert_eq!(spec("model:m,sims=16").options.simulations, Some(16));
        let tuned = "model:m,sims=8,mode=gumbel,c_scale=0.3";
        assert_eq!(spec(tuned).to_string(), tuned);
        let hub = spec("hub:scan 'a,b=c',nodes=500,time=40/5m");
        let command = |text| Source::Hub(Version::Two, String::from(text));
        assert_eq!(hub.source, command("scan 'a,b=c'"));
        assert_eq!(hub.options.nodes, Some(500));
        assert_eq!(hub.options.time, "40/300".parse().ok());
        let address = |text| Source::Dxp(String::from(text));
        assert_eq!(spec("dxp:scan.local").source, address("scan.local:27531"));
        assert_eq!(spec("dxp:[::1]:99").source, address("[::1]:99"));
        let quoted = "x 'a,time=5' \"b,nodes=3\"";
        let hub = spec(&format!("hub:{quoted},nodes=7"));
        assert_eq!(hub.source, command(quoted));
        assert_eq!(hub.options.nodes, Some(7));
        assert_eq!(spec("hub:x,time").source, command("x,time"));
        assert_eq!(spec("hub:x a,b=c").source, command("x a,b=c"));
        let old = spec("hub1:scan2 hub,time=5");
        let source = Source::Hub(Version::One, "scan2 hub".to_owned());
        assert_eq!((old.source, old.options.time), (source, "5".parse().ok()));
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, hint) in [
            ("randam", "write random"),
            ("alphabeta", "alphabeta:depth=4"),
            ("alphabeta:depth=0", "(1 to 30)"),
            ("alphabeta:dept=3", "alphabeta:depth=4"),
            ("mcts", "write random"),
            ("mcts:rollouts=0", "mcts:rollouts=1000"),
            ("mcts:1000", "mcts:rollouts=1000"),
            ("hub:", "hub:COMMAND"),
            ("random,sims=4", "does not search by simulations"),
            ("model:m,sims=0", "sims=64"),
            ("model:m,deep=3", "unknown option"),
            ("model:m,depth=3", "only ab:DIR does"),
            ("ab:e,hash=0", "hash=64"),
            (
                "mcts:rollouts=9,hash=8",
                "only networks and ab:DIR take hash",
            ),
            ("ab:e,threads=999", "more than 256"),
            ("ab:e,sims=9", "does not search by simulations"),
            ("model:m,mode=fast", "one of gumbel, puct"),
            ("model:m,c_scal=1", "did you mean `c_scale`?"),
            ("random,elo=900", "no measured strength"),
            ("model:m,elo=900,sims=8", "leave the other options out"),
            ("model:m,simulations=9", "write sims=64"),
            (
                "model:m,mode=puct,c_scale=1",
                "c_scale changes nothing with mode=puct",
            ),
            (
                "random,mode=puct",
                "only networks take settings of the search",
            ),
            ("model:m,nodes=3", "is not told a number of nodes"),
            ("hub:scan,nodes=x", "nodes=1000"),
            ("hub1:scan,nodes=9", "has no number of nodes"),
            ("hub1:", "hub1:COMMAND"),
            (
                "hub:scan level,depth=3",
                "put a command with commas in quotes",
            ),
            ("hub:scan --cpu 0.5,tim=1ms", "did you mean `time`?"),
            ("dxp:x,nodes=3", "is not told a number of nodes"),
            ("dxp:x,time=5", "write time=300+0"),
            ("dxp:x,time=90+0", "write time=300+0"),
            ("dxp:x,time=300+1", "write time=300+0"),
            ("hub:scan,time=soon", "`soon` is not a time control"),
            (env!("CARGO_MANIFEST_DIR"), "did you mean model:"),
        ] {
            let message = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        }
    }

    #[test]
    fn the_game_must_be_clear() {
        let players = [spec("random"), spec("alphabeta:depth=1")];
        let effort = Effort {
            simulations: 1,
            time: None,
        };
        let load = |asked| load_players(&players, asked, &effort);
        assert!(load(None).is_err());
        let (variant, sides) = load(Some(Variant::ALL[3])).unwrap();
        let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
        assert_eq!(variant, Variant::ALL[3]);
        assert_eq!(names, ["random", "alphabeta:depth=1"]);
    }
}
