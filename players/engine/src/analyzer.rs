//! Analysis of one position, with limits and under external control.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rules::Game;
use types::Seed;

use crate::findings::{Findings, Variation};
use crate::player::{Choice, Player, PlayerError, Turn};
use crate::time::TimeLeft;

/// Limits of an analysis, and how much to look for. Without limits it runs until it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes; each analyzer defines what it counts as one.
    pub nodes: Option<u64>,
    /// Time on the clock.
    pub time: Option<TimeLeft>,
    /// Variations to find, at least one.
    pub lines: usize,
}

/// An expected result so near to 0 or 1 counts as certain.
const CERTAIN: f32 = 1e-4;

/// The largest number of lines that a client can ask for.
pub const MAX_LINES: usize = 10;

impl Default for SearchLimits {
    fn default() -> SearchLimits {
        SearchLimits {
            depth: None,
            nodes: None,
            time: None,
            lines: 1,
        }
    }
}

/// Controls a running analysis: stops it, and starts its clock later.
#[derive(Debug)]
pub struct Control {
    stopped: AtomicBool,
    clock: fn() -> Duration,
    started: OnceLock<Duration>,
}

/// The system's clock.
impl Default for Control {
    fn default() -> Control {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        Control::with_clock(|| ORIGIN.get_or_init(Instant::now).elapsed())
    }
}

impl Control {
    /// A control whose clock stands still until [`start`](Control::start), for platforms where the system
    /// has none. `clock` is the time since any moment.
    pub fn with_clock(clock: fn() -> Duration) -> Control {
        Control {
            stopped: AtomicBool::new(false),
            clock,
            started: OnceLock::new(),
        }
    }

    /// The clock runs from now on.
    pub fn running() -> Control {
        let control = Control::pondering();
        control.start();
        control
    }

    /// The clock stands still until [`start`](Control::start): it is the opponent's turn.
    pub fn pondering() -> Control {
        Control::default()
    }

    /// Starts the clock; only the first call has an effect.
    pub fn start(&self) {
        self.started.get_or_init(self.clock);
    }

    /// Stops the analysis.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Time on the clock.
    pub fn elapsed(&self) -> Duration {
        self.running_for().unwrap_or_default()
    }

    /// Time on the clock, if it runs.
    pub(crate) fn running_for(&self) -> Option<Duration> {
        let started = self.started.get()?;
        Some((self.clock)().saturating_sub(*started))
    }
}

/// One position to analyze.
#[derive(Clone)]
pub struct Task<'a> {
    /// The game, in which the side to move has a legal move.
    pub game: &'a Game,
    /// Seeds random choices.
    pub seed: Seed,
    /// When to stop.
    pub stopper: Stopper,
}

/// Decides when an analysis stops.
#[derive(Clone, Debug)]
pub struct Stopper {
    /// The limits.
    pub limits: SearchLimits,
    /// The control, which may stop it earlier.
    pub control: Arc<Control>,
}

impl Stopper {
    /// Whether to stop after so many nodes. Analyzers ask after every node.
    pub fn is_over(&self, nodes: u64) -> bool {
        let is_late = |time: TimeLeft| {
            let elapsed = self.control.running_for();
            elapsed.is_some_and(|elapsed| elapsed >= time.allotment(Duration::ZERO).usual)
        };
        self.is_stopped(nodes) || self.limits.time.is_some_and(is_late)
    }

    /// Whether to stop after so many nodes, whatever the clock says.
    pub(crate) fn is_stopped(&self, nodes: u64) -> bool {
        self.control.stopped.load(Ordering::Relaxed)
            || self.limits.nodes.is_some_and(|limit| nodes >= limit)
    }

    /// Whether this depth reaches the limit.
    pub fn is_deep(&self, depth: u32) -> bool {
        self.limits.depth.is_some_and(|limit| depth >= limit)
    }
}

/// Analyzes one position until it is stopped.
pub trait Analyzer: Send {
    /// Looks for as many variations as the limits ask for, or as many as this analyzer can find, and reports
    /// intermediate results. It returns soon after [`Stopper::is_over`] becomes true, always with a legal
    /// move.
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError>;
}

impl<T: Analyzer + ?Sized> Analyzer for Box<T> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        (**self).analyze(task, report)
    }
}

/// A player as an analyzer that finds nothing but its choice: it thinks as it plays, whatever the limits.
pub struct Chooser<P>(pub P);

impl<P: Player> Analyzer for Chooser<P> {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        _: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let game = task.game;
        // The task's seed may be that of a whole game.
        let path = [game.plies().into(), game.position().hash()];
        let turn = Turn {
            game,
            seed: task.seed.derive("choice", &path),
            time: None,
        };
        let mut choices = Vec::new();
        self.0.choose(&[turn], &mut choices)?;
        let choice = choices.pop().ok_or_else(|| PlayerError::NoMoves {
            fen: game.position().to_fen(),
        })?;
        let mut findings = Findings::bare(choice.mv);
        findings.variations[0].value = choice.value;
        findings.nodes = choice.nodes;
        Ok(findings)
    }
}

/// The choice of an analyzer with these limits, and with the turn's clock: the best variation, or with a
/// temperature one that is drawn by the logits of their expected results.
pub(crate) fn choose_by_analysis(
    analyzer: &mut impl Analyzer,
    turn: &Turn<'_>,
    limits: SearchLimits,
    temperature: f32,
) -> Result<Choice, PlayerError> {
    let time = turn.time;
    // Where no time is given nobody asks the system's clock: some platforms have none.
    let control = match time {
        Some(_) => Control::running(),
        None => Control::pondering(),
    };
    let task = Task {
        game: turn.game,
        seed: turn.seed,
        stopper: Stopper {
            limits: SearchLimits { time, ..limits },
            control: Arc::new(control),
        },
    };
    let findings = analyzer.analyze(&task, &mut |_| {})?;
    let logits: Vec<f32> = findings.variations.iter().map(logit).collect();
    let chosen = &findings.variations[types::draw(&logits, temperature, turn.seed)];
    Ok(Choice {
        mv: chosen.moves[0],
        value: chosen.value,
        nodes: findings.nodes,
    })
}

/// The logit of a variation's expected result; that of a draw if it has no value.
fn logit(variation: &Variation) -> f32 {
    let expected = variation
        .value
        .map_or(0.5, |value| f32::midpoint(value.value(), 1.0));
    let expected = expected.clamp(CERTAIN, 1.0 - CERTAIN);
    libm::logf(expected / (1.0 - expected))
}

/// Tasks on a clock that tests move on, each thread its own.
#[cfg(test)]
pub(crate) mod simulated {
    use std::cell::Cell;

    use super::*;

    thread_local!(static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) });

    pub(crate) fn now() -> Duration {
        NOW.get()
    }

    pub(crate) fn pass(time: Duration) {
        NOW.set(NOW.get() + time);
    }

    pub(crate) fn task(game: &Game, limits: SearchLimits) -> Task<'_> {
        let control = Control::with_clock(now);
        control.start();
        Task {
            game,
            seed: Seed::new(1),
            stopper: Stopper {
                limits,
                control: Arc::new(control),
            },
        }
    }

    pub(crate) fn timed(game: &Game, time: TimeLeft) -> Task<'_> {
        let limits = SearchLimits {
            time: Some(time),
            ..SearchLimits::default()
        };
        task(game, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_while_pondering() {
        let stopper = Stopper {
            limits: SearchLimits {
                nodes: Some(5),
                time: Some(TimeLeft::Move(Duration::ZERO)),
                ..SearchLimits::default()
            },
            control: Arc::new(Control::pondering()),
        };
        assert!(!stopper.is_over(4) && stopper.is_over(5));
        stopper.control.start();
        assert!(stopper.is_over(0));
    }

    /// Says what it was asked.
    struct Echo(Vec<Seed>);

    impl Player for Echo {
        fn name(&self) -> &'static str {
            "echo"
        }

        fn choose(
            &mut self,
            turns: &[Turn<'_>],
            choices: &mut Vec<Choice>,
        ) -> Result<(), PlayerError> {
            choices.clear();
            for turn in turns {
                self.0.push(turn.seed);
                choices.push(Choice {
                    mv: turn.game.legal_moves()[0],
                    value: Some(types::Wdl::DRAW),
                    nodes: 7,
                });
            }
            Ok(())
        }
    }

    #[test]
    fn a_chooser_finds_its_choice_and_has_a_seed_for_every_position() {
        let mut chooser = Chooser(Echo(Vec::new()));
        let mut game = Game::new(rules::Position::start(rules::Variant::English));
        for seed in [1, 1, 2] {
            let task = Task {
                seed: Seed::new(seed),
                ..simulated::task(&game, SearchLimits::default())
            };
            let found = chooser.analyze(&task, &mut |_| {}).unwrap();
            assert_eq!((found.variations.len(), found.nodes), (1, 7));
            assert_eq!(found.best().value, Some(types::Wdl::DRAW));
        }
        game.play(game.legal_moves()[0]);
        let task = simulated::task(&game, SearchLimits::default());
        chooser.analyze(&task, &mut |_| {}).unwrap();
        let [first, again, other, later] = chooser.0.0[..] else {
            panic!("four were asked")
        };
        assert!(first == again && first != other && first != later);
    }

    #[test]
    fn without_limits_only_a_stop_ends_it() {
        let game = Game::new(rules::Position::start(rules::Variant::English));
        let stopper = simulated::task(&game, SearchLimits::default()).stopper;
        assert!(!stopper.is_over(u64::MAX) && !stopper.is_deep(u32::MAX));
        stopper.control.stop();
        assert!(stopper.is_over(0));
    }
}
