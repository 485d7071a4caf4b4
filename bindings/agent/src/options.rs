//! Options of agents.

use engine::defaults;
use model::{InstructionSet, Precision};
use serde::Deserialize;

use crate::Error;

/// Megabytes that may be asked for; WebAssembly has four thousand.
const MAX_HASH: usize = if IS_WASM {
    1024
} else {
    defaults::MAX_HASH as usize
};
/// Threads that may be asked for; WebAssembly has none but the one that asks.
const MAX_THREADS: usize = if IS_WASM {
    1
} else {
    defaults::MAX_THREADS as usize
};
const IS_WASM: bool = cfg!(target_family = "wasm");

/// Resources, precision and strength of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Megabytes of the transposition table of alpha-beta search.
    pub hash: usize,
    /// Threads of one alpha-beta search; with more than one, answers vary.
    pub threads: usize,
    /// The numbers in which a network is computed.
    pub precision: Precision,
    /// `true` computes networks with instructions of all processors: slower, the same answers everywhere.
    pub portable: bool,
    /// The playing strength that it is limited to, in Elo above random; its range is
    /// [`Agent::elo_range`](crate::Agent::elo_range).
    pub elo: Option<f64>,
    /// Decides what an agent that is held back leaves to chance: the same seed gives the same choice in the same
    /// position at the same ply. Others leave nothing to chance.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash: 64,
            threads: 1,
            precision: Precision::Int8.by(InstructionSet::best()),
            portable: false,
            elo: None,
            seed: 0,
        }
    }
}

impl Options {
    /// Checks their ranges: too large a table would end the process.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |name, found, most| {
            Err(Error::Limits(format!(
                "{name} is {found}: write {most} or less"
            )))
        };
        match *self {
            Options { hash, .. } if hash > MAX_HASH => refuse("hash", hash, MAX_HASH),
            Options { threads, .. } if threads > MAX_THREADS => {
                refuse("threads", threads, MAX_THREADS)
            }
            _ => Ok(()),
        }
    }
}

impl Options {
    /// A source without what follows it, such as `,elo=1200,seed=7`, and the options with that.
    pub(crate) fn with_suffix<'a>(&self, source: &'a str) -> Result<(&'a str, Options), Error> {
        let (mut options, mut rest) = (*self, source);
        while let Some((before, (name, value))) = rest
            .rsplit_once(',')
            .and_then(|(before, option)| Some((before, option.split_once('=')?)))
        {
            let refuse = |example| {
                Error::Limits(format!(
                    "{source}: {name}={value} is no number: write {example}"
                ))
            };
            match name {
                "elo" => options.elo = Some(value.parse().map_err(|_| refuse("elo=1200"))?),
                "seed" => options.seed = value.parse().map_err(|_| refuse("seed=7"))?,
                _ => break,
            }
            rest = before;
        }
        Ok((rest, options))
    }
}
