//! Defaults of players.

/// Simulations a move of a network without other limits.
pub const USUAL_SIMULATIONS: u32 = 64;
/// Positions a move of alpha-beta search without other limits.
pub const USUAL_NODES: u64 = 100_000;
/// Bytes of the transposition table of alpha-beta search without an option `hash`.
pub const TABLE_MEMORY: usize = 64 << 20;
/// Bytes in which each thread remembers evaluations of a network. In trained self-play of english a
/// megabyte holds 31 % of them, eight 35 % and 64 only 37 %.
pub const CACHE_MEMORY: usize = 8 << 20;
/// The most threads that may search one position.
pub const MAX_THREADS: u32 = 256;
/// The most megabytes for one position.
pub const MAX_HASH: u32 = 65_536;
