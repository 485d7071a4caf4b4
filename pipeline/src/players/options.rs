//! What follows the comma: how hard a player thinks, and in which numbers.

use std::fmt;
use std::path::PathBuf;

use engine::hub::Version;
use engine::{TimeControl, dxp};
use model::Precision;
use rules::did_you_mean;

use super::search_options::SearchOptions;
use super::spec::Source;
use crate::RequestError;

/// Threads and megabytes that a player may ask for.
const MAX_THREADS: u32 = 256;
const MAX_HASH: u32 = 65_536;

/// The options but for those that are settings of the search.
const NAMES: [&str; 9] = [
    "sims",
    "nodes",
    "time",
    "precision",
    "endgames",
    "depth",
    "threads",
    "hash",
    "elo",
];

/// The option that a name is close to, for messages; nothing where it is none.
fn hint(name: &str) -> String {
    did_you_mean(name, NAMES.into_iter().chain(SearchOptions::names()))
}

/// Options of one player, where it has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Simulations a move, of a network.
    pub simulations: Option<u32>,
    /// How a network searches.
    pub search: SearchOptions,
    /// Positions a move, of an external engine or of alpha-beta search.
    pub nodes: Option<u64>,
    /// Its time in each game.
    pub time: Option<TimeControl>,
    /// The numbers in which a network is computed.
    pub precision: Option<Precision>,
    /// The directory of endgame databases that a player of ours knows.
    pub endgames: Option<PathBuf>,
    /// Plies that alpha-beta search looks ahead at most.
    pub depth: Option<u32>,
    /// Threads that search one position, of a network or of alpha-beta search.
    pub threads: Option<u32>,
    /// Megabytes for one position: of alpha-beta's transposition table, or of a network's tree.
    pub hash: Option<u32>,
    /// The rating that it is held back to.
    pub elo: Option<u32>,
}

/// How hard players think that have no options of their own.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Simulations a move of networks without a number of their own.
    pub simulations: u32,
    /// Time limit of players without one of their own, instead of simulations.
    pub time: Option<TimeControl>,
}

impl Effort {
    /// When nothing is said.
    pub const USUAL: Effort = Effort {
        simulations: 64,
        time: None,
    };
}

impl fmt::Display for Effort {
    /// As the options of one player are written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            Some(time) => write!(f, "time={time}"),
            None => write!(f, "sims={}", self.simulations),
        }
    }
}

impl Options {
    /// Whether a text is meant as an option, be it misspelt.
    pub(super) fn is_option(text: &str) -> bool {
        text.split_once('=')
            .is_some_and(|(name, _)| !hint(name).is_empty())
    }

    /// Reads `sims=64,time=5`. `player` is for messages.
    pub(super) fn parse(
        player: &str,
        source: &Source,
        text: &str,
    ) -> Result<Options, RequestError> {
        let mut options = Options::default();
        let hint = match source {
            Source::Hub(..) => "; put a command with commas in quotes: hub:engine 'a,depth=3'",
            _ => "",
        };
        let mut read = text.split(',').filter(|option| !option.is_empty());
        read.try_for_each(|option| options.read(source, option))
            .and_then(|()| options.search.finish())
            .map_err(|problem| RequestError(format!("player {player}: {problem}{hint}")))?;
        let alone = Options {
            elo: options.elo,
            precision: options.precision,
            ..Options::default()
        };
        if options.elo.is_some() && options != alone {
            return Err(RequestError(format!(
                "player {player}: elo says how hard it thinks: leave the other options out"
            )));
        }
        Ok(options)
    }

    fn read(&mut self, source: &Source, option: &str) -> Result<(), String> {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name {
            "simulations" => return Err("write sims=64".to_owned()),
            "sims" if !matches!(source, Source::Network(_)) => {
                return Err("it does not search by simulations: only networks take sims".to_owned());
            }
            "sims" => self.simulations = Some(positive(value, "sims=64")?),
            "nodes" if matches!(source, Source::Hub(Version::One, _)) => {
                return Err("version 1 of Hub has no number of nodes: write time=5".to_owned());
            }
            "nodes" if !matches!(source, Source::Hub(..) | Source::AlphaBeta(_)) => {
                return Err(
                    "it is not told a number of nodes: only hub:COMMAND and ab:DIR are".to_owned(),
                );
            }
            "nodes" => self.nodes = Some(positive(value, "nodes=1000")?),
            "time" => {
                let time = value.parse().map_err(|error| format!("{error}"))?;
                if matches!(source, Source::Dxp(_)) {
                    minutes_of(time)?;
                }
                self.time = Some(time);
            }
            "precision" if !matches!(source, Source::Network(_)) => {
                return Err("it is no network: only networks have a precision".to_owned());
            }
            "precision" => {
                let named = Precision::OF_CPU
                    .into_iter()
                    .find(|precision| precision.name() == value);
                self.precision = Some(named.ok_or("write precision=f32 or precision=int8")?);
            }
            "endgames" if !matches!(source, Source::Network(_) | Source::AlphaBeta(_)) => {
                return Err("only networks and ab:DIR take endgames".to_owned());
            }
            "endgames" if value.is_empty() => {
                return Err("write endgames=DIR, the directory of the databases".to_owned());
            }
            "endgames" => self.endgames = Some(value.into()),
            "depth" if !matches!(source, Source::AlphaBeta(_)) => {
                return Err("it takes no depth: only ab:DIR does".to_owned());
            }
            "threads" | "hash" if !matches!(source, Source::Network(_) | Source::AlphaBeta(_)) => {
                return Err(format!("only networks and ab:DIR take {name}"));
            }
            "elo" if !matches!(source, Source::Network(_) | Source::AlphaBeta(_)) => {
                return Err(
                    "it has no measured strength: only networks and ab:DIR take elo".to_owned(),
                );
            }
            "elo" => self.elo = Some(positive(value, "elo=1200")?),
            "depth" => self.depth = Some(positive(value, "depth=12")?),
            "threads" => self.threads = Some(at_most(value, MAX_THREADS, "threads=2")?),
            "hash" => self.hash = Some(at_most(value, MAX_HASH, "hash=64")?),
            _ if !SearchOptions::names().any(|known| known == name) => {
                let hint = hint(name);
                return Err(format!(
                    "unknown option {option:?}{hint}: write sims=N, nodes=N, time=LIMIT, precision=NAME, \
                     endgames=DIR, depth=N, threads=N, hash=MB, elo=N, or a setting of the search such as \
                     mode=puct (crownhead config explain search)"
                ));
            }
            _ if !matches!(source, Source::Network(_)) => {
                return Err(format!(
                    "it has no {name}: only networks take settings of the search"
                ));
            }
            _ => self.search.add(name, value)?,
        }
        Ok(())
    }
}

/// The minutes for a game, which is all that DXP can tell of a time limit.
pub(super) fn minutes_of(time: TimeControl) -> Result<u32, String> {
    let minutes = match time {
        TimeControl::Game { time, increment } if increment.is_zero() => {
            let seconds = time.as_secs_f64();
            let minutes = (seconds / 60.0) as u32;
            (f64::from(minutes) * 60.0 == seconds).then_some(minutes)
        }
        _ => None,
    };
    let minutes = minutes.filter(|minutes| (1..=dxp::MAX_NUMBER).contains(minutes));
    minutes.ok_or_else(|| {
        format!(
            "DXP cannot tell the limit {time}: write time=300+0, whole minutes for a game, at most {}",
            dxp::MAX_NUMBER
        )
    })
}

/// A number from one to `most`.
fn at_most(value: &str, most: u32, example: &str) -> Result<u32, String> {
    let number = positive(value, example)?;
    (number <= most)
        .then_some(number)
        .ok_or_else(|| format!("{value} is more than {most}: write {example}"))
}

/// A number above zero that fits its use.
fn positive<N: TryFrom<u64>>(value: &str, example: &str) -> Result<N, String> {
    let number = value.parse::<u64>().ok().filter(|number| *number > 0);
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| {
            format!("{value:?} is not a number above zero in its range: write {example}")
        })
}

impl fmt::Display for Options {
    /// As they are written behind a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(simulations) = self.simulations {
            write!(f, ",sims={simulations}")?;
        }
        write!(f, "{}", self.search)?;
        if let Some(nodes) = self.nodes {
            write!(f, ",nodes={nodes}")?;
        }
        if let Some(time) = self.time {
            write!(f, ",time={time}")?;
        }
        if let Some(precision) = self.precision {
            write!(f, ",precision={}", precision.name())?;
        }
        if let Some(dir) = &self.endgames {
            write!(f, ",endgames={}", dir.display())?;
        }
        let numbers = [
            ("depth", self.depth),
            ("threads", self.threads),
            ("hash", self.hash),
            ("elo", self.elo),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(f, ",{name}={number}")?;
            }
        }
        Ok(())
    }
}
