//! The clocks of matches.

use std::fmt;
use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};
use engine::Player;

/// The kind of time that a clock measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockKind {
    /// The time that passes.
    #[default]
    Wall,
    /// The processor time of the side to move. Other programs on the machine do not lengthen it.
    Cpu,
}

/// Rules for the clocks of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockTerms {
    /// The kind of time.
    pub kind: ClockKind,
    /// Time that a move may take beyond its limit before the game is lost.
    pub margin: Duration,
}

impl fmt::Display for ClockTerms {
    /// The differences from the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == ClockKind::Cpu {
            f.write_str(",clock=cpu")?;
        }
        match self.margin {
            Duration::ZERO => Ok(()),
            margin => write!(f, ",margin={}ms", margin.as_secs_f64() * 1e3),
        }
    }
}

/// The place where a player computes, which decides how its processor time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computes {
    /// In this process.
    Here {
        /// Threads for one move.
        threads: usize,
    },
    /// In a program that it has started on this machine.
    Program,
    /// In a program that was started elsewhere, maybe on another machine.
    Elsewhere,
}

/// A clock that runs while a player chooses.
pub(super) enum Meter {
    Wall(Instant),
    Program(Duration),
    Here(fn() -> Duration, Duration),
}

impl Meter {
    /// The processor time of a player in this process: that of the thread, or of all threads if the
    /// player has several of them. Such a player plays alone.
    pub(super) fn clock(computes: Computes) -> fn() -> Duration {
        match computes {
            Computes::Here { threads } if threads > 1 => || ProcessTime::now().as_duration(),
            _ => || ThreadTime::now().as_duration(),
        }
    }

    /// Starts the clock of a player. Uses wall time if the system does not report the processor
    /// time of the player's program.
    pub(super) fn start(kind: ClockKind, computes: Computes, player: &dyn Player) -> Meter {
        let charged = match (kind, computes) {
            (ClockKind::Wall, _) => None,
            (ClockKind::Cpu, Computes::Here { .. }) => {
                let clock = Meter::clock(computes);
                Some(Meter::Here(clock, clock()))
            }
            (ClockKind::Cpu, _) => player.processor_time().map(Meter::Program),
        };
        charged.unwrap_or_else(|| Meter::Wall(Instant::now()))
    }

    /// The time since the start; zero if the player's program has ended.
    pub(super) fn elapsed(&self, player: &dyn Player) -> Duration {
        match *self {
            Meter::Wall(started) => started.elapsed(),
            Meter::Here(clock, started) => clock().saturating_sub(started),
            Meter::Program(started) => {
                let now = player.processor_time().unwrap_or_default();
                now.saturating_sub(started)
            }
        }
    }
}
