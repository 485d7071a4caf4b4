//! Options of a player: its effort and numeric precision.

use std::fmt;
use std::path::{Path, PathBuf};

use engine::TimeControl;
use model::Precision;
use rules::did_you_mean;

use crate::RequestError;
use crate::search_options::SearchOptions;
use crate::second_opinion::SecondOpinion;
use engine::defaults::{MAX_HASH, MAX_THREADS, USUAL_SIMULATIONS};

/// The names of the options that a kind of player takes.
pub(crate) type Taken = &'static [&'static str];

/// The entry of [`Taken`] that includes every setting of the tree search.
pub(crate) const SEARCH_SETTINGS: &str = "mode";

/// An option other than a setting of the tree search.
struct OptionRow {
    name: &'static str,
    /// An example, for messages.
    example: &'static str,
    /// The message for a player of a kind that does not take it.
    refusal: &'static str,
}

/// All options other than settings of the tree search.
const OPTIONS: [OptionRow; 12] = [
    OptionRow {
        name: "sims",
        example: "sims=64",
        refusal: "it does not search by simulations: only networks take sims",
    },
    OptionRow {
        name: "nodes",
        example: "nodes=1000",
        refusal: "it takes no node limit: only ab:, material: and hub: players do",
    },
    OptionRow {
        name: "time",
        example: "time=5",
        refusal: "it has no clock",
    },
    OptionRow {
        name: "precision",
        example: "precision=f32 or precision=int8",
        refusal: "it is not a network: only networks take precision",
    },
    OptionRow {
        name: "evaluation",
        example: "evaluation=bundled, evaluation=DIR or evaluation=none",
        refusal: "it is not a network: only networks take evaluation",
    },
    OptionRow {
        name: "endgames",
        example: "endgames=DIR, the directory of the databases",
        refusal: "only networks, ab: and material: players take endgames",
    },
    OptionRow {
        name: "depth",
        example: "depth=12",
        refusal: "it takes no depth: only ab: and material: players do",
    },
    OptionRow {
        name: "threads",
        example: "threads=2",
        refusal: "only networks, ab: and material: players take threads",
    },
    OptionRow {
        name: "hash",
        example: "hash=64",
        refusal: "only networks, ab: and material: players take hash",
    },
    OptionRow {
        name: "elo",
        example: "elo=1200",
        refusal: "it has no measured strength: only networks and ab: players take elo",
    },
    OptionRow {
        name: "book",
        example: "book=FILE, an opening book",
        refusal: "it takes no book: only players that search do",
    },
    OptionRow {
        name: "variety",
        example: "variety=2, a percentage up to 100, with book=FILE",
        refusal: "it takes no book: only players that search do",
    },
];

/// A suggestion of the option with the most similar name, for messages; empty if there is none.
fn hint(name: &str) -> String {
    let names = OPTIONS.iter().map(|option| option.name);
    did_you_mean(name, names.chain(SearchOptions::names()))
}

/// The options of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Simulations per move, of a network.
    pub simulations: Option<u32>,
    /// The search settings of a network.
    pub search: SearchOptions,
    /// Positions per move, of an external engine or of alpha-beta search.
    pub nodes: Option<u64>,
    /// Its time control.
    pub time: Option<TimeControl>,
    /// The precision of a network.
    pub precision: Option<Precision>,
    /// The evaluation that a network's search asks too.
    pub evaluation: Option<SecondOpinion>,
    /// The directory of endgame databases used by the player.
    pub endgames: Option<PathBuf>,
    /// The maximum depth of alpha-beta search in plies.
    pub depth: Option<u32>,
    /// Threads for searching one position, of a network or of alpha-beta search.
    pub threads: Option<u32>,
    /// Megabytes for one position: of alpha-beta's transposition table, or of a network's tree.
    pub hash: Option<u32>,
    /// The rating to which its strength is limited.
    pub elo: Option<u32>,
    /// Its opening book.
    pub book: Option<PathBuf>,
    /// The percentage of a point that its moves from the book may lose.
    pub variety: Option<u32>,
}

/// Threads, memory and precision of one search, as far as the player sets them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnResources {
    /// Threads.
    pub threads: Option<u32>,
    /// Megabytes of memory.
    pub hash: Option<u32>,
    /// The precision of a network.
    pub precision: Option<Precision>,
}

/// The default effort of players without options of their own.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Simulations per move of networks without their own number.
    pub simulations: u32,
    /// The time control of players without their own, instead of simulations.
    pub time: Option<TimeControl>,
}

impl Effort {
    /// The default effort.
    pub const USUAL: Effort = Effort {
        simulations: USUAL_SIMULATIONS,
        time: None,
    };
}

impl fmt::Display for Effort {
    /// Formats the effort as options of a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            Some(time) => write!(f, "time={time}"),
            None => write!(f, "sims={}", self.simulations),
        }
    }
}

impl Options {
    /// True if a text looks like an option, even a misspelled one.
    pub(crate) fn is_option(text: &str) -> bool {
        text.split_once('=')
            .is_some_and(|(name, _)| !hint(name).is_empty())
    }

    /// Parses `sims=64,time=5`. `player` is for messages.
    pub(crate) fn parse(player: &str, taken: Taken, text: &str) -> Result<Options, RequestError> {
        let mut options = Options::default();
        let hint = match player.starts_with("hub") {
            true => "; put a command with commas in quotes: hub:engine 'a,depth=3'",
            false => "",
        };
        let mut read = text.split(',').filter(|option| !option.is_empty());
        read.try_for_each(|option| options.read(taken, option))
            .and_then(|()| options.search.finish())
            .map_err(|problem| RequestError(format!("player {player}: {problem}{hint}")))?;
        if options.elo.is_some() && options != options.beside_elo() {
            return Err(RequestError(format!(
                "player {player}: elo sets its strength: remove the other options"
            )));
        }
        if options.variety.is_some() && options.book.is_none() {
            return Err(RequestError(format!(
                "player {player}: variety chooses among the moves of a book: add book=FILE"
            )));
        }
        Ok(options)
    }

    /// The options that may be given together with `elo`.
    pub(crate) fn beside_elo(&self) -> Options {
        Options {
            elo: self.elo,
            precision: self.precision,
            book: self.book.clone(),
            variety: self.variety,
            ..Options::default()
        }
    }

    /// Threads, memory and precision of one search; `None` if there are other options.
    pub(crate) fn resources(&self) -> Option<OwnResources> {
        let alone = Options {
            threads: self.threads,
            hash: self.hash,
            precision: self.precision,
            ..Options::default()
        };
        (*self == alone).then_some(OwnResources {
            threads: self.threads,
            hash: self.hash,
            precision: self.precision,
        })
    }

    /// Reads one option, as `sims=64`.
    pub(crate) fn read(&mut self, taken: Taken, option: &str) -> Result<(), String> {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        if name == "simulations" {
            return Err("write sims=64".to_owned());
        }
        let Some(row) = OPTIONS.iter().find(|row| row.name == name) else {
            return self.read_setting(taken, name, value);
        };
        if !taken.contains(&name) {
            return Err(row.refusal.to_owned());
        }
        let example = row.example;
        match name {
            "sims" => self.simulations = Some(positive(value, example)?),
            "nodes" => self.nodes = Some(positive(value, example)?),
            "time" => self.time = Some(value.parse().map_err(|error| format!("{error}"))?),
            "precision" => {
                let mut known = Precision::OF_CPU.into_iter();
                let named = known.find(|precision| precision.name() == value);
                self.precision = Some(named.ok_or_else(|| format!("write {example}"))?);
            }
            "evaluation" | "endgames" | "book" if value.is_empty() => {
                return Err(format!("write {example}"));
            }
            "evaluation" => self.evaluation = Some(SecondOpinion::parse(value)),
            "endgames" => self.endgames = Some(value.into()),
            "book" => self.book = Some(value.into()),
            "variety" => self.variety = Some(at_most(value, 100, example)?),
            "depth" => self.depth = Some(positive(value, example)?),
            "threads" => self.threads = Some(at_most(value, MAX_THREADS, example)?),
            "hash" => self.hash = Some(free_megabytes(value, example)?),
            _ => self.elo = Some(positive(value, example)?),
        }
        Ok(())
    }

    fn read_setting(&mut self, taken: Taken, name: &str, value: &str) -> Result<(), String> {
        if !SearchOptions::names().any(|known| known == name) {
            let hint = hint(name);
            let known = OPTIONS.iter().map(|row| row.example);
            let known = known.collect::<Vec<_>>().join("; ");
            return Err(format!(
                "unknown option {name:?}{hint}: write {known}; or a setting of the search such as mode=puct \
                 (crownhead config explain search)"
            ));
        }
        if !taken.contains(&SEARCH_SETTINGS) {
            return Err(format!(
                "it has no {name}: only networks take settings of the search"
            ));
        }
        self.search.add(name, value)
    }

    /// Bytes for one position; `usual` if the player does not set them.
    pub(crate) fn memory(&self, usual: usize) -> usize {
        let asked = self.hash;
        asked.map_or(usual, |megabytes| (megabytes as usize) << 20)
    }

    /// True if they limit the search.
    pub(crate) fn is_limited(&self) -> bool {
        let numbers = [self.simulations, self.depth, self.elo];
        self.nodes.is_some() || numbers.iter().any(Option::is_some)
    }

    /// Threads for searching one position.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or(1) as usize
    }
}

/// Parses a number from one to `most`.
fn at_most(value: &str, most: u32, example: &str) -> Result<u32, String> {
    let number = positive(value, example)?;
    (number <= most)
        .then_some(number)
        .ok_or_else(|| format!("{value} is more than {most}: write {example}"))
}

/// Parses a number of megabytes that the system gives: one that it refuses would end the program
/// when the search begins.
fn free_megabytes(value: &str, example: &str) -> Result<u32, String> {
    let megabytes = at_most(value, MAX_HASH, example)?;
    let reserved = Vec::<u8>::new().try_reserve_exact((megabytes as usize) << 20);
    let refused =
        |_| format!("the system refuses {megabytes} MB of memory: write less, as {example}");
    reserved.map(|()| megabytes).map_err(refused)
}

/// Parses a number above zero within the range of its type.
fn positive<N: TryFrom<u64>>(value: &str, example: &str) -> Result<N, String> {
    let number = value.parse::<u64>().ok().filter(|number| *number > 0);
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| {
            format!("{value:?} is not a number above zero within the range: write {example}")
        })
}

impl fmt::Display for Options {
    /// Formats the options as written after a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_option(f, "sims", self.simulations)?;
        write!(f, "{}", self.search)?;
        write_option(f, "nodes", self.nodes)?;
        write_option(f, "time", self.time)?;
        write_option(f, "precision", self.precision.map(Precision::name))?;
        write_option(f, "evaluation", self.evaluation.as_ref())?;
        write_option(f, "endgames", self.endgames.as_deref().map(Path::display))?;
        write_option(f, "book", self.book.as_deref().map(Path::display))?;
        write_option(f, "depth", self.depth)?;
        write_option(f, "threads", self.threads)?;
        write_option(f, "hash", self.hash)?;
        write_option(f, "elo", self.elo)?;
        write_option(f, "variety", self.variety)
    }
}

fn write_option(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: Option<impl fmt::Display>,
) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, ",{name}={value}"))
}
