//! Everything on disk: run directories, game records, the replay window, metrics.
//!
//! | what | where | promise |
//! |---|---|---|
//! | a run's files | [`RunDir`], [`RunWriter`] | they appear complete; one process writes; a killed
//! stage is repeated |
//! | one game | [`Record`] | decoding replays it: the result is a legal game with its true outcome
//! |
//! | a tournament | [`TournamentDir`] | restores exactly the results and games of the last commit |
//! | a comparison | [`CompareDir`] | restores the results of the last commit |
//! | many games | [`Games`], [`GameWriter`] | synced games are not lost, damage is detected, no
//! game counts twice |
//! | samples | [`ReplayWindow`] | batches depend on seed, step and the games, not on earlier kills
//! |
//! | endgame databases | [`Endgames`] | one file per variant, replaced as a whole |
//! | opening books | [`read_book`], [`write_book`] | a file of any name, replaced as a whole |
//! | curves | [`MetricWriter`] | `metrics.jsonl`: a resumed run writes no point twice |
//!
//! ```
//! use rules::{Game, Position, Variant};
//! use store::{GameId, Games, Header, Ply, Record, RecordedSearch, Wdl8};
//!
//! let variant = Variant::Frisian;
//! let start = Position::start(variant);
//! let mut game = Game::new(start);
//! let mut plies = Vec::new();
//! while game.outcome().is_none() && plies.len() < 20 {
//!     let mv = game.legal_moves()[0];
//!     plies.push(Ply { mv, search: RecordedSearch::Fast { value: Wdl8::new([0.3, 0.5, 0.2]) } });
//!     game.play(mv);
//! }
//! let header = Header {
//!     variant,
//!     rules_version: variant.rules_version(),
//!     seed: 1,
//!     id: GameId { generation: 1, number: 0 },
//!     network: "000000".to_owned(),
//!     config_hash: 0,
//! };
//! let record = Record { header, start, plies, result: game.outcome() };
//!
//! let dir = tempfile::tempdir()?;
//! let games = Games::new(dir.path(), variant);
//! let mut writer = games.writer(1)?;
//! assert!(writer.append(&record)?);
//! writer.sync()?;
//! assert_eq!(games.read(1)?.records, [record]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atomic;
mod bind;
mod books;
mod chunk;
mod compare_dir;
pub mod disk;
mod distill_dir;
mod endgames;
mod error;
mod games;
mod hold;
mod ids;
mod lock;
mod log;
mod metrics;
mod record;
mod run_dir;
mod segment;
mod set_aside;
mod tournament;
mod window;

pub use atomic::{AtomicFile, read_bounded};
pub use books::{is_book, read_book, write_book};
pub use chunk::{pack_games, unpack_games};
pub use compare_dir::CompareDir;
pub use distill_dir::{DistillDir, EVALUATION_FILE, EvaluationFiles};
pub use endgames::{Endgames, EndgamesLock};
pub use error::{Misfit, Result, StoreError};
pub use games::{Check, FinishedGames, GameWriter, Games, Generation, MissingGames, SegmentLimits};
pub use hold::Hold;
pub use ids::{ModelId, RunId, TrainId};
pub use log::{LogExcerpt, RunLog};
pub use metrics::{MetricLine, MetricWriter};
pub use record::{
    GameId, Header, Ply, Policy8, Record, RecordError, RecordedSearch, Surprise, Wdl8,
};
pub use run_dir::{GateLog, LoopState, Phase, RunDir, RunWriter};
pub use segment::{Damage, Scan, SegmentHeader, scan};
pub use set_aside::{Moved, SetAside};
pub use tournament::TournamentDir;
pub use window::{EndgameSamples, ReplayWindow, Sample, SamplePlace, WindowConfig};
