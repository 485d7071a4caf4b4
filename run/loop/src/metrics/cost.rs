//! Cost of a stage: time and memory.

use std::time::Duration;

use store::Phase;

use super::{Curve, CurveDocs, Tag};

/// Cost of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageCost {
    /// The stage.
    pub stage: Phase,
    /// Wall time.
    pub elapsed: Duration,
    /// Memory of the process at the end of the stage in MiB, if the system reports it.
    pub memory_mib: Option<f64>,
}

impl StageCost {
    /// Memory of the process at the end of a stage, in MiB.
    pub const MEMORY_MIB: Tag = Tag("process/memory_mib");

    /// Tags of the curves of all stages.
    pub const TAGS: &[Tag] = &[
        StageCost::seconds_of(Phase::SelfPlay),
        StageCost::seconds_of(Phase::Train),
        StageCost::seconds_of(Phase::Gate),
        StageCost::seconds_of(Phase::Rate),
        StageCost::MEMORY_MIB,
    ];

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

    pub(crate) fn curves(&self) -> Vec<Curve> {
        let seconds = StageCost::seconds_of(self.stage).name();
        vec![
            (seconds.into(), Some(self.elapsed.as_secs_f64())),
            (StageCost::MEMORY_MIB.name().into(), self.memory_mib),
        ]
    }
}
