//! Cost of a stage: time and memory.

use std::time::Duration;

use store::Phase;

use super::{Curve, CurveDocs, Tag};

/// The curves of the cost of stages.
#[derive(Clone, Copy, Debug)]
pub struct StageCost;

impl StageCost {
    /// Memory of the process at the end of a stage, in MiB.
    pub const MEMORY_MIB: Tag = Tag("process/memory_mib");

    /// The documentation of these curves.
    pub const DOCS: CurveDocs = (
        "The cost of a stage.",
        &[
            (
                StageCost::seconds_of(Phase::SelfPlay),
                "Seconds of self-play.",
            ),
            (StageCost::seconds_of(Phase::Train), "Seconds of training."),
            (StageCost::seconds_of(Phase::Gate), "Seconds of the gate."),
            (StageCost::seconds_of(Phase::Rate), "Seconds of the rating."),
            (
                StageCost::MEMORY_MIB,
                "Memory of the process at the end of a stage, in MiB.",
            ),
        ],
    );

    /// Tag of a stage's duration in seconds.
    #[must_use]
    pub const fn seconds_of(stage: Phase) -> Tag {
        Tag(match stage {
            Phase::SelfPlay => "time/selfplay_s",
            Phase::Train => "time/train_s",
            Phase::Gate => "time/gate_s",
            Phase::Rate => "time/rate_s",
        })
    }

    /// The stage whose duration a curve holds.
    pub(crate) fn stage_of(tag: &str) -> Option<Phase> {
        let stages = Phase::ALL.into_iter();
        let mut timed = stages.filter(|stage| StageCost::seconds_of(*stage).name() == tag);
        timed.next()
    }

    /// The cost of a stage that ends now: its time, and the memory that the process uses, if the
    /// system reports it.
    pub(crate) fn curves(stage: Phase, elapsed: Duration) -> Vec<Curve> {
        let seconds = StageCost::seconds_of(stage).name();
        let memory = memory_stats::memory_stats();
        let memory_mib = memory.map(|memory| memory.physical_mem as f64 / f64::from(1 << 20));
        vec![
            (seconds.into(), Some(elapsed.as_secs_f64())),
            (StageCost::MEMORY_MIB.name().into(), memory_mib),
        ]
    }
}
