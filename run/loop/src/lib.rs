//! The closed loop as a library: configuration, players, and the stages of a run.
//!
//! A [`Run`] is a run directory whose lock this process holds, with what the stages need in memory.
//! Its generations go through four stages, which are functions: [`self_play`], [`train`], [`gate`]
//! and [`rate`]. [`advance`] does the one that comes next and commits it; [`advance_until`] goes on
//! until a generation is finished or a flag is set. What happens on the way is told to an
//! [`RunObserver`]: a progress line, [`StatusFile`], [`MetricsLog`] and tests are observers.
//!
//! A stage that is stopped by its flag, or killed, is repeated from its start with the same outcome,
//! byte for byte. Another schedule, a worker process or a notebook calls the same functions:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use run::config::ConfigSources;
//! use run::{Event, RunObserver, Run, advance};
//!
//! let dir = tempfile::tempdir()?;
//! let sources = ConfigSources { preset: Some("tiny".into()), ..ConfigSources::default() };
//! let variant = rules::Variant::ALL[0];
//! let mut run = Run::create(&dir.path().join("run"), variant, sources.resolve(variant)?)?;
//!
//! // Two self-play stages' worth of seeing what happens, without gate and rating.
//! let mut seen = Vec::new();
//! let mut observer = |run: &Run, event: &Event<'_>| {
//!     if let Event::StageStarted = event {
//!         seen.push(run.state().next);
//!     }
//!     Ok(())
//! };
//! let never = AtomicBool::new(false);
//! advance(&mut run, &never, &mut observer)?;
//! advance(&mut run, &never, &mut observer)?;
//! assert_eq!(seen, [store::Phase::SelfPlay, store::Phase::Train]);
//! assert_eq!(run.state().newest, store::ModelId(1));
//! # fn is_observer(_: &dyn RunObserver) {}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod evaluators;
pub mod integrity;
pub mod origin;

mod consistency;
mod error;
mod metrics;
mod metrics_log;
mod observer;
mod ratings;
mod restore;
mod run;
mod stages;
mod status;
mod takeover;
mod training_budget;
mod words;

pub use self::ratings::{RatingPoint, Ratings};
pub use config;
pub use error::{RequestError, Result, RunError, error_chain};
pub use metrics::{
    ALL_TAGS, EndgameMetrics, GateMetrics, ProgressMetrics, RatingMetrics, SelfplayMetrics,
    StageCost, Tag, TrainMetrics, Validation,
};
pub use metrics_log::MetricsLog;
pub use observer::{Ended, Event, Progress, RunObserver};
pub use run::{Fleet, Run};
pub use stages::{GameTerms, advance, advance_until, gate, measure_rating, rate, self_play, train};
pub use status::{RatingStatus, Status, StatusFile};
pub use training_budget::{Budget, TrainingBudget, set_after, train_for};
pub use words::{StageProgress, show_seconds};
