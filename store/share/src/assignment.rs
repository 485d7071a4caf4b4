//! The current assignment, and the names of the objects with finished games.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use store::RunId;
use types::MAX_SIMULATIONS;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::document::{read, write};
use crate::{ObjectError, Share, ShareError};

const ASSIGNMENT: &str = "fleet/assignment.json";
/// Folder of finished chunks.
pub const GAMES: &str = "fleet/games";
/// Folder of claims.
pub const CLAIMS: &str = "fleet/claims";

/// Maximum number of games or pairs in an assignment: the limit for a generation.
const MAX_TOTAL: u32 = 10_000_000;
/// Maximum number of chunks in an assignment.
const MAX_CHUNKS: u32 = 4096;

/// Games per chunk of a generation: many, to keep the communication cheap, but few enough for
/// hundreds of machines to finish at about the same time (`tests/suite/busy.rs`).
pub fn games_of_a_part(total: u32) -> u32 {
    total
        .div_ceil(MAX_CHUNKS)
        .max(total.div_ceil(64).min(16))
        .max(1)
}

/// The current assignment: numbered games, or numbered pairs of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The run that the games are for.
    pub run: RunId,
    /// The generation.
    pub generation: u32,
    /// The kind of games.
    pub work: Work,
    /// The number of games or pairs.
    pub total: u32,
    /// Games or pairs per chunk.
    pub chunk: u32,
    /// Chunks that need not be played.
    pub done: Vec<u32>,
    /// The settings of the generation, as `run.toml` has them.
    pub settings: String,
    /// `true` if the trainer needs no more games, and the machines may stop.
    pub is_over: bool,
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let generation = self.generation;
        match &self.work {
            Work::SelfPlay { network } => {
                write!(f, "Generation {generation}, network {network}")
            }
            Work::Match(_) => write!(f, "Generation {generation}, a match"),
            Work::Meetings(work) => write!(f, "A tournament of {} players", work.players.len()),
        }
    }
}

/// The settings-independent part that determines the games of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Self-play games.
    SelfPlay {
        /// The identity of the network.
        network: String,
    },
    /// Pairs of a match, each from an opening with both colors.
    Match(MatchWork),
    /// Batches of such pairs, of several players.
    Meetings(MeetingsWork),
}

/// A match without adjudication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchWork {
    /// The players.
    pub sides: [MatchSide; 2],
    /// Simulations per move of networks.
    pub simulations: u32,
    /// Seeds the players' random choices.
    pub seed: u64,
    /// \[pair\] the start of its games.
    pub openings: Vec<Start>,
}

/// Pairs of a tournament without adjudication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeetingsWork {
    /// The players.
    pub players: Vec<PortablePlayer>,
    /// Simulations per move of networks without their own number.
    pub simulations: u32,
    /// The numbered items.
    pub batches: Vec<MeetingBatch>,
}

/// A tournament player in a form for all machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortablePlayer {
    /// The name of the player.
    pub name: String,
    /// The kind of player.
    pub side: MatchSide,
    /// Its own options, in the notation of players.
    pub options: String,
    /// The settings of its network's search, as JSON; empty for other players.
    pub settings: String,
}

/// Consecutive pairs of two players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeetingBatch {
    /// Indices of the two players.
    pub sides: [usize; 2],
    /// Seed of their random choices.
    pub seed: u64,
    /// Index of the first pair among all pairs of the two.
    pub first_pair: usize,
    /// \[pair of the batch\] the start of its games.
    pub openings: Vec<Start>,
}

/// A player that every machine can make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchSide {
    /// The network with this identity.
    Network(String),
    /// Alpha-beta search with the evaluation whose bytes have this hash.
    Evaluation(String),
    /// A player that never changes, by its name.
    Baseline(String),
}

impl MatchSide {
    /// The object that has to be shared, if there is one.
    fn object(&self) -> Option<&str> {
        match self {
            MatchSide::Network(name) | MatchSide::Evaluation(name) => Some(name),
            MatchSide::Baseline(_) => None,
        }
    }
}

/// The start of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// A position, as FEN.
    pub fen: String,
    /// The moves that follow, separated by spaces.
    pub moves: String,
}

/// The content of chunks: self-play games, or pairs.
pub trait Content {
    /// A game or a pair.
    type Item: Clone + PartialEq + fmt::Debug;

    /// Packs items into the bytes of a chunk. The same items give the same bytes.
    ///
    /// # Errors
    /// The reason why they cannot be packed.
    fn pack(&self, items: &[Self::Item]) -> Result<Vec<u8>, String>;

    /// Unpacks a chunk: one item for each of `numbers`, in their order.
    ///
    /// # Errors
    /// The reason why the bytes are invalid. Any bytes are allowed.
    fn unpack(&self, numbers: Range<u32>, bytes: &[u8]) -> Result<Vec<Self::Item>, String>;

    /// A short description of an item.
    fn describe(&self, item: &Self::Item) -> String;

    /// Returns `true` if all machines must have identical items.
    fn is_exact(&self) -> bool {
        true
    }

    /// Describes the first item of a chunk that differs from another machine's item by more than
    /// the permitted amount.
    ///
    /// # Errors
    /// The reason why they cannot be compared.
    fn difference(
        &self,
        found: &[Self::Item],
        expected: &[Self::Item],
    ) -> Result<Option<String>, String> {
        Ok(first_difference(self, found, expected))
    }
}

/// Describes the first item that another machine has played differently.
pub(crate) fn first_difference<C: Content + ?Sized>(
    content: &C,
    found: &[C::Item],
    expected: &[C::Item],
) -> Option<String> {
    let mut pairs = found.iter().zip(expected);
    let (found, expected) = pairs.find(|(found, expected)| found != expected)?;
    let (found, expected) = (content.describe(found), content.describe(expected));
    Some(format!(
        "{found}, differs when it is played again: {expected}"
    ))
}

impl Assignment {
    /// An empty assignment, to be completed with `total` and `chunk`.
    pub fn new(run: RunId, generation: u32, settings: String, work: Work) -> Assignment {
        Assignment {
            run,
            generation,
            work,
            total: 0,
            chunk: 1,
            done: Vec::new(),
            settings,
            is_over: false,
        }
    }

    /// Reads the current assignment; `None` before the trainer's first announcement.
    ///
    /// # Errors
    /// If the share does not respond, or the assignment is incomplete or exceeds the limits.
    pub fn read(share: &dyn Share) -> Result<Option<Assignment>, ShareError> {
        let found: Option<Assignment> = read(share, ASSIGNMENT)?;
        let refused = |reason| ShareError::Document {
            name: ASSIGNMENT.to_owned(),
            reason,
        };
        let checked = found.as_ref().map_or(Ok(()), Assignment::check);
        checked.map_err(refused)?;
        Ok(found)
    }

    /// Rejects assignments that would keep a machine busy forever: they may come from any machine.
    fn check(&self) -> Result<(), String> {
        let at_most = |what: &str, found: usize, limit: u32| match found > limit as usize {
            true => Err(format!("{what} is {found}, more than the limit of {limit}")),
            false => Ok(()),
        };
        at_most("total", self.total as usize, MAX_TOTAL)?;
        if self.chunk == 0 {
            return Err("chunk is 0: a chunk has at least one game".to_owned());
        }
        let n_chunks = self.n_chunks();
        at_most("the number of chunks", n_chunks as usize, MAX_CHUNKS)?;
        at_most("the number of chunks done", self.done.len(), n_chunks)?;
        match &self.work {
            Work::SelfPlay { .. } => Ok(()),
            Work::Match(work) => {
                at_most("simulations", work.simulations as usize, MAX_SIMULATIONS)?;
                match work.openings.len() == self.total as usize {
                    true => Ok(()),
                    false => Err(format!(
                        "it has {} openings for {} pairs",
                        work.openings.len(),
                        self.total
                    )),
                }
            }
            Work::Meetings(work) => {
                at_most("simulations", work.simulations as usize, MAX_SIMULATIONS)?;
                let (n, total) = (work.batches.len(), self.total);
                if n != total as usize {
                    return Err(format!("it has {n} batches, not {total}"));
                }
                let n_players = work.players.len();
                let is_known =
                    |batch: &MeetingBatch| batch.sides.iter().all(|&side| side < n_players);
                match work.batches.iter().position(|batch| !is_known(batch)) {
                    None => Ok(()),
                    Some(batch) => Err(format!("batch {batch} has an unknown player")),
                }
            }
        }
    }

    /// Publishes this as the current assignment.
    ///
    /// # Errors
    /// If the share fails.
    pub fn publish(&self, share: &dyn Share) -> Result<(), ShareError> {
        Ok(write(share, ASSIGNMENT, self)?)
    }

    /// Withdraws the current assignment.
    ///
    /// # Errors
    /// If the share fails.
    pub fn withdraw(share: &dyn Share) -> Result<(), ShareError> {
        Ok(share.delete(ASSIGNMENT)?)
    }

    /// Tells all machines that play for a run to leave.
    ///
    /// # Errors
    /// If the share fails.
    pub fn dismiss(share: &dyn Share, run: RunId) -> Result<(), ShareError> {
        let last = Assignment::read(share).ok().flatten();
        let network = String::new();
        let none = || Assignment::new(run, 0, String::new(), Work::SelfPlay { network });
        let over = Assignment {
            is_over: true,
            ..last.unwrap_or_else(none)
        };
        over.publish(share)
    }

    /// Returns `true` if games may differ between devices, where the run allows it.
    pub fn may_differ(&self) -> bool {
        matches!(self.work, Work::SelfPlay { .. })
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> u32 {
        self.total.div_ceil(self.chunk.max(1))
    }

    /// The numbers of a chunk's games or pairs.
    pub fn numbers(&self, chunk: u32) -> Range<u32> {
        let size = self.chunk.max(1);
        let first = chunk.saturating_mul(size).min(self.total);
        first..first.saturating_add(size).min(self.total)
    }

    /// The chunk of a game or pair.
    pub fn chunk_of(&self, number: u32) -> u32 {
        number / self.chunk.max(1)
    }

    /// Marks chunks as done whose items are all `known`.
    pub fn skip(&mut self, known: &BTreeSet<u32>) {
        let is_done = |chunk: &u32| self.numbers(*chunk).all(|number| known.contains(&number));
        self.done = (0..self.n_chunks()).filter(is_done).collect();
    }

    /// The networks that it needs.
    pub fn networks(&self) -> Vec<&str> {
        match &self.work {
            Work::SelfPlay { network } => vec![network],
            Work::Match(work) => work.sides.iter().filter_map(MatchSide::object).collect(),
            Work::Meetings(work) => {
                let sides = work.players.iter().map(|player| &player.side);
                sides.filter_map(MatchSide::object).collect()
            }
        }
    }

    /// The chunks listed as finished by machines.
    ///
    /// # Errors
    /// If the share does not respond.
    pub fn finished(&self, share: &dyn Share) -> Result<Vec<ChunkName>, ObjectError> {
        let names = share.list(&format!("{GAMES}/{}", self.folder()))?;
        let names = names
            .iter()
            .filter_map(|listed| ChunkName::parse(&listed.name));
        Ok(names.filter(|name| name.chunk < self.n_chunks()).collect())
    }

    /// The generation of a folder of chunks or claims; none for a name that no assignment has.
    pub(crate) fn generation_of(folder: &str) -> Option<u32> {
        let (generation, hash) = folder.split_once('-')?;
        let is_hash = hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok();
        let is_number = generation.len() >= 6 && generation.bytes().all(|b| b.is_ascii_digit());
        generation.parse().ok().filter(|_| is_hash && is_number)
    }

    /// `true` if an object is a chunk or a claim of this assignment, or no such object at all.
    pub fn wants(&self, name: &str) -> bool {
        let below = |folder: &str| name.strip_prefix(folder)?.strip_prefix('/');
        let rest = below(GAMES).or_else(|| below(CLAIMS));
        rest.is_none_or(|rest| rest.split('/').next() == Some(&self.folder()))
    }

    /// The folder of claims.
    pub(crate) fn claims(&self) -> String {
        format!("{CLAIMS}/{}", self.folder())
    }

    /// The folder of its chunks and claims.
    fn folder(&self) -> String {
        // Nothing else distinguishes two matches, or the games under settings that change before
        // the first game is saved.
        let terms = serde_json::to_vec(&(&self.work, &self.settings));
        let hash = xxh3_64(&terms.unwrap_or_default());
        format!("{:06}-{hash:016x}", self.generation)
    }

    /// Shares the bytes of a chunk played by `worker`.
    ///
    /// # Errors
    /// If the share fails.
    pub fn deliver(
        &self,
        share: &dyn Share,
        worker: &str,
        chunk: u32,
        bytes: Vec<u8>,
    ) -> Result<ChunkName, ObjectError> {
        let name = ChunkName {
            folder: self.folder(),
            chunk,
            hash: xxh3_128(&bytes),
            worker: worker.to_owned(),
        };
        share.put(&name.to_string(), bytes)?;
        Ok(name)
    }
}

/// Name of an object with the games of a chunk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChunkName {
    /// The generation, and a hash of the terms.
    pub folder: String,
    /// The number of the chunk.
    pub chunk: u32,
    /// XXH3 of the bytes.
    pub hash: u128,
    /// The machine that played it.
    pub worker: String,
}

impl fmt::Display for ChunkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, chunk, hash) = (&self.folder, self.chunk, self.hash);
        let worker = &self.worker;
        write!(f, "{GAMES}/{folder}/{chunk:06}.{hash:032x}.{worker}.seg")
    }
}

impl ChunkName {
    /// The parts of an object's name; `None` if it is not that of a chunk.
    pub fn parse(name: &str) -> Option<ChunkName> {
        let below = name.strip_prefix(GAMES)?.strip_prefix('/')?;
        let (folder, rest) = below.split_once('/')?;
        let mut parts = rest.strip_suffix(".seg")?.splitn(3, '.');
        let parsed = ChunkName {
            folder: folder.to_owned(),
            chunk: parts.next()?.parse().ok()?,
            hash: u128::from_str_radix(parts.next()?, 16).ok()?,
            worker: parts.next()?.to_owned(),
        };
        (parsed.to_string() == name).then_some(parsed)
    }
}
