//! Defaults of players.

/// Simulations per move of a network without other limits.
pub const USUAL_SIMULATIONS: u32 = 64;
/// Positions per move of alpha-beta search without other limits.
pub const USUAL_NODES: u64 = 100_000;
/// Bytes of the transposition table of alpha-beta search without an option `hash`.
pub const TABLE_MEMORY: usize = 64 << 20;
/// The size of each thread's evaluation cache for a network in bytes. In self-play of english with
/// a trained network, 1 MB has a hit rate of 31 %, 8 MB 35 % and 64 MB only 37 %.
pub const CACHE_MEMORY: usize = 8 << 20;
/// The maximum number of threads for one position.
pub const MAX_THREADS: u32 = 256;
/// The maximum number of megabytes for one position.
pub const MAX_HASH: u32 = 65_536;
