//! Analysis of one position, with limits and under external control.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rules::{Game, Move};
use types::Seed;

use crate::findings::{Findings, Variation};
use crate::player::{Choice, Player, PlayerError, Turn};
use crate::time::TimeLeft;

/// Limits of an analysis, and the number of variations. Without limits it runs until it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// The maximum depth in plies.
    pub depth: Option<u32>,
    /// The maximum number of nodes; each analyzer defines its unit.
    pub nodes: Option<u64>,
    /// The time on the clock.
    pub time: Option<TimeLeft>,
    /// The number of variations, at least one.
    pub lines: usize,
    /// A legal move whose variation is found too, as deep as the best ones, by analyzers that can.
    pub compared: Option<Move>,
    /// True if a move is to be played: a player with an opening book may take it from there.
    pub from_book: bool,
}

/// An expected result this close to 0 or 1 counts as certain.
const CERTAIN: f32 = 1e-4;

/// The maximum number of lines that a client can request.
pub const MAX_LINES: usize = 10;

impl Default for SearchLimits {
    fn default() -> SearchLimits {
        SearchLimits {
            depth: None,
            nodes: None,
            time: None,
            lines: 1,
            compared: None,
            from_book: false,
        }
    }
}

/// Control of a running analysis: stops it, and can start its clock later.
#[derive(Debug)]
pub struct Control {
    stopped: AtomicBool,
    clock: fn() -> Duration,
    started: OnceLock<Duration>,
}

impl Control {
    /// A control whose clock is stopped until [`start`](Control::start), for platforms without a
    /// system clock. `clock` returns the time since any fixed moment.
    pub fn with_clock(clock: fn() -> Duration) -> Control {
        Control {
            stopped: AtomicBool::new(false),
            clock,
            started: OnceLock::new(),
        }
    }

    /// A control whose clock, the system's, runs from now on.
    pub fn running() -> Control {
        let control = Control::pondering();
        control.start();
        control
    }

    /// A control whose clock, the system's, is stopped until [`start`](Control::start), during the
    /// opponent's turn.
    pub fn pondering() -> Control {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        Control::with_clock(|| ORIGIN.get_or_init(Instant::now).elapsed())
    }

    /// Starts the clock; only the first call has an effect.
    pub fn start(&self) {
        self.started.get_or_init(self.clock);
    }

    /// Stops the analysis.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// True once the analysis is stopped.
    pub(crate) fn stop_flag(&self) -> &AtomicBool {
        &self.stopped
    }

    /// The time elapsed on the clock.
    pub fn elapsed(&self) -> Duration {
        self.running_for().unwrap_or_default()
    }

    /// The time elapsed on the clock, if it is running.
    pub(crate) fn running_for(&self) -> Option<Duration> {
        let started = self.started.get()?;
        Some((self.clock)().saturating_sub(*started))
    }
}

/// A position to analyze.
#[derive(Clone)]
pub struct Task<'a> {
    /// The game; the side to move has a legal move.
    pub game: &'a Game,
    /// The seed of random choices.
    pub seed: Seed,
    /// The stopping rule.
    pub stopper: Stopper,
}

/// The stopping rule of an analysis.
#[derive(Clone, Debug)]
pub struct Stopper {
    /// The limits.
    pub limits: SearchLimits,
    /// The control, which may stop the analysis earlier.
    pub control: Arc<Control>,
}

impl Stopper {
    /// Stops at these limits only.
    pub fn within(limits: SearchLimits) -> Stopper {
        Stopper {
            limits,
            control: Arc::new(Control::running()),
        }
    }

    /// Stops after this many nodes.
    pub fn after(nodes: u64) -> Stopper {
        Stopper::within(SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        })
    }

    /// True if the analysis must stop after this many nodes. Analyzers call this after every node.
    pub fn is_over(&self, nodes: u64) -> bool {
        let is_late = |time: TimeLeft| {
            let elapsed = self.control.running_for();
            elapsed.is_some_and(|elapsed| elapsed >= time.allotment(Duration::ZERO).usual)
        };
        self.is_stopped(nodes) || self.limits.time.is_some_and(is_late)
    }

    /// True if the analysis must stop after this many nodes, regardless of the clock.
    pub(crate) fn is_stopped(&self, nodes: u64) -> bool {
        self.control.stopped.load(Ordering::Relaxed)
            || self.limits.nodes.is_some_and(|limit| nodes >= limit)
    }

    /// True if this depth reaches the limit.
    pub fn is_deep(&self, depth: u32) -> bool {
        self.limits.depth.is_some_and(|limit| depth >= limit)
    }
}

/// Analyzes one position until it is stopped.
pub trait Analyzer: Send {
    /// Searches for as many variations as requested, or as many as this analyzer supports, and
    /// reports intermediate results. It returns soon after [`Stopper::is_over`] becomes true,
    /// always with a legal move.
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError>;

    /// Sets an option, such as `threads`.
    ///
    /// # Errors
    /// If the analyzer has no such option, or not with this value. Nothing has changed then.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        Err(format!(
            "this player has no option {name} to set to {value:?}"
        ))
    }

    /// Clears the results of earlier analyses, so that the next one, of at most `nodes` nodes,
    /// depends only on its task.
    fn forget(&mut self, nodes: u64) {
        let _ = nodes;
    }
}

/// A player as an analyzer that returns only its choice. It thinks as in a match, regardless of the
/// limits.
pub struct Chooser(pub Box<dyn Player>);

impl Analyzer for Chooser {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        _: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let game = task.game;
        // The task's seed may be the seed of a whole game.
        let path = [game.plies().into(), game.position().hash()];
        let turn = Turn {
            game,
            seed: task.seed.derive("choice", &path),
            time: None,
        };
        let mut choices = Vec::new();
        self.0.choose(&[turn], &mut choices)?;
        let choice = choices.pop().ok_or_else(|| PlayerError::no_moves(game))?;
        Ok(choice.into())
    }
}

/// The choice of an analyzer within these limits and the turn's time, which `clock` measures;
/// `None` is the system's clock. With a `temperature` of 0 it is the best variation; above 0, one
/// is sampled by the logits of the expected results.
pub(crate) fn choose_by_analysis(
    analyzer: &mut impl Analyzer,
    turn: &Turn<'_>,
    limits: SearchLimits,
    temperature: f32,
    clock: Option<fn() -> Duration>,
) -> Result<Choice, PlayerError> {
    let time = turn.time;
    let control = clock.map_or_else(Control::pondering, Control::with_clock);
    // Without a time limit the clock is not read, because some platforms have none.
    if time.is_some() {
        control.start();
    }
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

/// The logit of a variation's expected result; without a value, the logit of a draw.
fn logit(variation: &Variation) -> f32 {
    let expected = variation
        .value
        .map_or(0.5, |value| f32::midpoint(value.value(), 1.0));
    let expected = expected.clamp(CERTAIN, 1.0 - CERTAIN);
    libm::logf(expected / (1.0 - expected))
}

/// Tasks with a clock controlled by tests, separate for each thread.
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
    use std::cell::Cell;
    use std::sync::Mutex;

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

    #[test]
    fn a_clock_that_jumps_back_ends_no_search() {
        thread_local!(static NOW: Cell<u64> = const { Cell::new(100) });
        let control = Control::with_clock(|| Duration::from_secs(NOW.get()));
        control.start();
        let stopper = Stopper {
            limits: SearchLimits {
                time: Some(TimeLeft::Move(Duration::from_secs(10))),
                ..SearchLimits::default()
            },
            control: Arc::new(control),
        };
        for (now, is_over) in [
            (105, false),
            (3, false),
            (0, false),
            (109, false),
            (110, true),
        ] {
            NOW.set(now);
            let used = Duration::from_secs(now.saturating_sub(100));
            assert_eq!(stopper.control.elapsed(), used);
            assert_eq!(stopper.is_over(1), is_over, "{now}");
        }
    }

    /// Records its requests.
    struct Echo(Arc<Mutex<Vec<Seed>>>);

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
                self.0.lock().unwrap().push(turn.seed);
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
        let seeds = Arc::new(Mutex::new(Vec::new()));
        let mut chooser = Chooser(Box::new(Echo(Arc::clone(&seeds))));
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
        let [first, again, other, later] = seeds.lock().unwrap()[..] else {
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
