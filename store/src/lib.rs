//! Everything on disk: run directories, game records, the replay window, metrics.

mod atomic;
mod error;
mod games;
mod lock;
mod metrics;
mod record;
mod run_dir;
mod segment;
mod window;

pub use error::{Result, StoreError};
pub use games::{Check, GameWriter, Games, Generation, Limits};
pub use metrics::{Metrics, Point, Scalar};
pub use record::{GameId, Header, Ply, Policy8, Record, RecordError, Search, Surprise, Wdl, Wdl8};
pub use run_dir::{LoopState, ModelId, Phase, RunDir, RunWriter, TrainId};
pub use segment::{Damage, Scan, SegmentHeader, scan};
pub use window::{Coverage, ReplayWindow, Sample, WindowConfig};
