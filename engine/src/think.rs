//! Thinking about one position for as long as somebody else decides.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rules::{Game, Move};
use search::{Proof, Wdl};

use crate::player::{Choice, PlayerError, Turn};
use crate::time::TimeLeft;

/// When thinking ends by itself. Nothing set: never before it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Positions to look at. What counts as one, each thinker says.
    pub nodes: Option<u64>,
    /// Time on the clock.
    pub time: Option<TimeLeft>,
}

/// What the one who asked can do to a thinker at work: stop it, and start its clock later.
#[derive(Debug, Default)]
pub struct Control {
    stopped: AtomicBool,
    started: OnceLock<Instant>,
}

impl Control {
    /// The clock runs from now.
    pub fn running() -> Control {
        let control = Control::pondering();
        control.start();
        control
    }

    /// The clock stands until [`start`](Control::start): it is the opponent's turn.
    pub fn pondering() -> Control {
        Control::default()
    }

    /// Starts the clock, once.
    pub fn start(&self) {
        self.started.get_or_init(Instant::now);
    }

    /// Asks for an answer now.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Time on the clock.
    pub fn elapsed(&self) -> Duration {
        self.started.get().map_or(Duration::ZERO, Instant::elapsed)
    }
}

/// One position to think about.
#[derive(Clone)]
pub struct Task<'a> {
    /// The game; there is a legal move, which the mover is asked for.
    pub game: &'a Game,
    /// Seeds whatever is left to chance.
    pub seed: u64,
    /// When to answer.
    pub watch: Watch,
}

/// Says when it is time to answer.
#[derive(Clone, Debug)]
pub struct Watch {
    /// What ends thinking by itself.
    pub limits: Limits,
    /// What ends it sooner.
    pub control: Arc<Control>,
}

impl Watch {
    /// Whether it is time to answer after so many nodes. Thinkers ask after every node.
    pub fn is_over(&self, nodes: u64) -> bool {
        self.control.stopped.load(Ordering::Relaxed)
            || self.limits.nodes.is_some_and(|limit| nodes >= limit)
            || self.rest().is_some_and(|rest| rest.is_zero())
    }

    /// How much longer to think, where the clock limits it and runs.
    pub fn rest(&self) -> Option<Duration> {
        let time = self.limits.time?;
        self.control.started.get()?;
        Some(time.allotment().saturating_sub(self.control.elapsed()))
    }

    /// Whether a depth is all that was asked for.
    pub fn is_deep(&self, depth: u32) -> bool {
        self.limits.depth.is_some_and(|limit| depth >= limit)
    }
}

/// What a thinker knows so far, or in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move to play and the replies that are expected; never empty.
    pub principal_variation: Vec<Move>,
    /// What the mover expects of the game, if the thinker has an opinion.
    pub value: Option<Wdl>,
    /// What is certain about it.
    pub proof: Option<Proof>,
    /// How likely each legal move is the one to play, in the order of
    /// [`Game::legal_moves`](rules::Game::legal_moves); empty if the thinker does not say.
    pub policy: Vec<f32>,
    /// Plies looked ahead.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
}

impl Thought {
    /// A move about which nothing more is known.
    pub fn bare(mv: Move) -> Thought {
        Thought {
            principal_variation: vec![mv],
            value: None,
            proof: None,
            policy: Vec::new(),
            depth: 1,
            nodes: 0,
        }
    }
}

/// Somebody who thinks until it is told to answer.
pub trait Thinker: Send {
    /// Thinks, and hands on what it knows from time to time. It answers soon after
    /// [`Watch::is_over`] becomes true, always with a legal move.
    fn think(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, PlayerError>;
}

impl<T: Thinker + ?Sized> Thinker for Box<T> {
    fn think(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, PlayerError> {
        (**self).think(task, report)
    }
}

/// What a player chooses who thinks about so many nodes, or as many as the clock allows.
pub(crate) fn choose_by_thinking(
    thinker: &mut impl Thinker,
    turn: &Turn<'_>,
    nodes: u32,
) -> Result<Choice, PlayerError> {
    let task = Task {
        game: turn.game,
        seed: turn.seed,
        watch: Watch {
            limits: Limits {
                depth: None,
                nodes: Some(nodes.into()),
                time: turn.time,
            },
            control: Arc::new(Control::running()),
        },
    };
    let thought = thinker.think(&task, &mut |_| {})?;
    Ok(Choice {
        mv: thought.principal_variation[0],
        value: thought.value,
        nodes: thought.nodes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_while_pondering() {
        let watch = Watch {
            limits: Limits {
                nodes: Some(5),
                time: Some(TimeLeft::Move(Duration::ZERO)),
                ..Limits::default()
            },
            control: Arc::new(Control::pondering()),
        };
        assert!(!watch.is_over(4) && watch.is_over(5));
        assert_eq!(watch.rest(), None);
        watch.control.start();
        assert!(watch.is_over(0));
    }

    #[test]
    fn without_limits_only_a_stop_ends_it() {
        let watch = Watch {
            limits: Limits::default(),
            control: Arc::new(Control::running()),
        };
        assert!(!watch.is_over(u64::MAX) && !watch.is_deep(u32::MAX));
        watch.control.stop();
        assert!(watch.is_over(0));
    }
}
