//! The training loop as a library: a run, its stages and its observers.
//!
//! A [`Run`] is a run directory locked by this process, together with the data that the stages need
//! in memory. A generation has four stages, each a function: [`self_play`], [`train`], [`gate`] and
//! [`rate`]. [`advance`] runs the next one and commits it; [`advance_until`] continues until a
//! generation is finished or a flag is set. Everything that happens is reported to a
//! [`RunObserver`]: the progress line, [`StatusFile`], [`MetricsLog`] and tests are observers.
//!
//! A stage that is stopped or killed is repeated from its start, with the same result byte for
//! byte. Other schedulers, worker processes and notebooks can call the same functions:
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
mod pace;
mod ratings;
mod restore;
mod run;
mod stages;
mod status;
mod takeover;
mod training_budget;
mod words;

pub use self::ratings::{RatingPoint, Ratings, model_number};
pub use config;
pub use error::{RequestError, Result, RunError, Within, error_chain};
pub use metrics::{
    CURVE_DOCS, CurveDocs, EndgameMetrics, GateMetrics, ProgressMetrics, RatingMetrics,
    SelfplayMetrics, StageCost, Tag, TrainMetrics, Validation,
};
pub use metrics_log::MetricsLog;
pub use observer::{Ended, Event, Progress, RunObserver};
pub use pace::{Pace, mean_simulations};
pub use run::{Fleet, Run, thread_pool};
pub use stages::{GameTerms, advance, advance_until, gate, measure_rating, rate, self_play, train};
pub use status::{RatingStatus, Status, StatusFile};
pub use training_budget::{Budget, TrainingBudget, set_after, train_for};
pub use words::{StageProgress, show_seconds};
