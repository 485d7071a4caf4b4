//! Options of agents.

use engine::defaults;
use model::{InstructionSet, Precision};
use serde::Deserialize;

use crate::Error;

/// Maximum size of the table in megabytes; WebAssembly has four thousand in total.
const MAX_HASH: usize = if IS_WASM {
    1024
} else {
    defaults::MAX_HASH as usize
};
/// Maximum number of threads; WebAssembly only has the calling thread.
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
    /// Size of the transposition table of alpha-beta search in megabytes.
    pub hash: usize,
    /// Threads of one alpha-beta search; with more than one, results vary.
    pub threads: usize,
    /// Numeric precision of the network.
    pub precision: Precision,
    /// If `true`, networks only use instructions that all processors have: slower, but the results
    /// are the same everywhere.
    pub portable: bool,
    /// The rating that its strength is limited to, in Elo above random; see
    /// [`Agent::elo_range`](crate::Agent::elo_range) for the range.
    pub elo: Option<f64>,
    /// Seed for the random choices of an agent of limited strength: the same seed gives the same
    /// choice in the same position at the same ply. Other agents make no random choices.
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
    /// Checks the ranges: an oversized table would abort the process. Processors compute in few
    /// precisions.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |text| Err(Error::Limits(text));
        let sizes = [
            ("hash", self.hash, MAX_HASH),
            ("threads", self.threads, MAX_THREADS),
        ];
        for (name, found, most) in sizes {
            if found > most {
                return refuse(format!("{name} is {found}: write {most} or less"));
            }
        }
        let Options {
            hash, precision, ..
        } = self;
        if !Precision::OF_CPU.contains(precision) {
            return refuse(format!("precision is {precision}: write f32 or int8"));
        }
        // WebAssembly would keep the memory.
        if !IS_WASM && !is_free(*hash) {
            return refuse(format!(
                "the system refuses {hash} MB of memory: write a smaller hash, such as 64"
            ));
        }
        Ok(())
    }

    /// Takes `elo=1200` and `seed=7` out of the options of a source, and applies them.
    pub(crate) fn with_suffix(&self, source: &str) -> Result<(String, Options), Error> {
        let (mut options, mut rest) = (*self, Vec::new());
        for part in source.split(',') {
            let refuse = |example| {
                Error::Limits(format!("{source}: {part} is not a number: write {example}"))
            };
            match part.split_once('=') {
                Some(("elo", elo)) => {
                    options.elo = Some(elo.parse().map_err(|_| refuse("elo=1200"))?);
                }
                Some(("seed", seed)) => {
                    options.seed = seed.parse().map_err(|_| refuse("seed=7"))?;
                }
                _ => rest.push(part),
            }
        }
        Ok((rest.join(","), options))
    }
}

/// True if the system gives this many megabytes.
fn is_free(megabytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(megabytes << 20).is_ok()
}
