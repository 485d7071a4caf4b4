//! The state that request handlers share.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Semaphore;

use crate::books::Books;
use crate::memory::Memory;
use crate::player_pool::PlayerPool;
use crate::ponder::Ponders;
use crate::runs::{Judge, RunLine, Runs};

/// The state that all handlers share.
pub(crate) struct AppState {
    pub(crate) players: PlayerPool,
    pub(crate) ponders: Arc<Ponders>,
    pub(crate) runs: Runs,
    pub(crate) judge: Judge,
    pub(crate) lines: Memory<RunLine>,
    pub(crate) puzzles: Option<Value>,
    pub(crate) books: Books,
    pub(crate) max_searches: usize,
    pub(crate) searches: Arc<Semaphore>,
    pub(crate) viewers: Arc<Semaphore>,
    /// For collections of games, which take much memory: one at a time.
    pub(crate) collections: Semaphore,
}
