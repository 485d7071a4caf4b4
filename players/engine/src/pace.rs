//! Time management: the end of a search by the clock.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use rules::Move;
use types::Wdl;

use crate::analyzer::{SearchLimits, Stopper, Task};
use crate::findings::Findings;
use crate::time::{Allotment, TimeLeft};

/// The lateness of a player's first search, if another program interrupts it.
pub(crate) const EXPECTED_LATENESS: Duration = Duration::from_millis(8);
/// The maximum lateness recorded: a longer one, such as from a suspended computer, says nothing
/// about the future.
const MOST_LATENESS: Duration = Duration::from_millis(200);
/// One over the share by which the lateness decays per search.
const FADING: u32 = 32;

/// The share of the usual time that a move gets: the base if nothing is in doubt, plus terms for
/// each change of the best move, for a value that drops by 1, and for a second move that is as good
/// as the best.
const SETTLED: f64 = 0.85;
const CHANGE: f64 = 0.5;
const DROP: f64 = 2.0;
const DOUBT: f64 = 0.8;

/// The time management of one search.
pub(crate) struct Pace<'a> {
    pub(crate) stopper: &'a Stopper,
    /// The lateness of the player's searches: the longest time between two clock checks, in this
    /// search or, decaying, in earlier ones.
    lateness: &'a mut Duration,
    progress: Mutex<Progress>,
}

/// The state of a running search.
#[derive(Default)]
struct Progress {
    /// Each thread's last clock check.
    looks: Vec<(ThreadId, Duration)>,
    /// The longest time between two clock checks of a thread.
    gap: Duration,
    /// The number of nodes when the clock started.
    nodes_before: Option<u64>,
    /// The share of the usual time that the move gets.
    need: f64,
    /// The best move and its value in -1..=1 as of the last report; the value is a moving average
    /// that halves with each report.
    best: Option<(Move, f64)>,
    /// The number of changes of the best move, halved with each report.
    changes: f64,
}

impl Progress {
    fn look(&mut self, elapsed: Duration) {
        let thread = thread::current().id();
        match self.looks.iter_mut().find(|(looker, _)| *looker == thread) {
            Some((_, last)) => {
                let gap = elapsed.saturating_sub(*last);
                self.gap = self.gap.max(gap.min(MOST_LATENESS));
                *last = elapsed;
            }
            None => self.looks.push((thread, elapsed)),
        }
    }
}

impl<'a> Pace<'a> {
    /// Starts the time management of a search by a player with this lateness.
    pub(crate) fn new(task: &'a Task<'_>, lateness: &'a mut Duration) -> Pace<'a> {
        let is_forced = task.game.legal_moves().len() == 1;
        let progress = Progress {
            need: if is_forced { 0.0 } else { 1.0 },
            ..Progress::default()
        };
        Pace {
            stopper: &task.stopper,
            lateness,
            progress: Mutex::new(progress),
        }
    }

    /// True if the search must stop after this many nodes. Every thread calls this as often as it
    /// can stop.
    pub(crate) fn is_over(&self, nodes: u64) -> bool {
        let rest = self.rest();
        if rest.is_some() {
            self.progress().nodes_before.get_or_insert(nodes);
        }
        rest.is_some_and(|rest| rest.is_zero()) || self.stopper.is_stopped(nodes)
    }

    /// The remaining time for the search, if a running clock limits it.
    pub(crate) fn rest(&self) -> Option<Duration> {
        let time = self.stopper.limits.time?;
        let elapsed = self.stopper.control.running_for()?;
        let mut progress = self.progress();
        progress.look(elapsed);
        let Allotment { usual, most } = time.allotment(progress.gap.max(*self.lateness));
        let allotted = match self.is_saving() {
            true => usual.mul_f64(progress.need).min(most),
            // A forced move is searched for the benefit of the next move, so being late would cost
            // more than it gains.
            false if progress.need == 0.0 => usual / 2,
            false => usual,
        };
        Some(allotted.saturating_sub(elapsed))
    }

    /// True if unused time is available for later moves.
    pub(crate) fn is_saving(&self) -> bool {
        let SearchLimits { time, lines, .. } = self.stopper.limits;
        matches!(time, Some(TimeLeft::Game { .. })) && lines == 1
    }

    /// Records the current findings. A move gets more time if the best move keeps changing, if its
    /// value drops, and in proportion to `doubt`, which is 1 if a second move is as good as the
    /// best and 0 if none comes close.
    pub(crate) fn note(&self, findings: &Findings, doubt: f64) {
        let (mv, value) = (findings.best().moves[0], findings.best().value);
        let mut progress = self.progress();
        // Helper threads are new in each search.
        let reporter = thread::current().id();
        progress.looks.retain(|(thread, _)| *thread == reporter);
        let (last, average) = progress
            .best
            .unwrap_or((mv, f64::from(value.map_or(0.0, Wdl::value))));
        let value = value.map_or(average, |value| value.value().into());
        progress.best = Some((mv, (average + value) / 2.0));
        progress.changes = progress.changes / 2.0 + f64::from(u8::from(mv != last));
        if progress.need > 0.0 {
            progress.need = SETTLED
                + CHANGE * progress.changes
                + DROP * (average - value).max(0.0)
                + DOUBT * doubt;
        }
    }

    /// The expected number of nodes in the remaining time, given the number so far.
    pub(crate) fn nodes_to_come(&self, nodes: u64) -> Option<f64> {
        let rest = self.rest()?.as_secs_f64();
        let made = nodes - self.progress().nodes_before.unwrap_or(0).min(nodes);
        let elapsed = self.stopper.control.elapsed().as_secs_f64().max(1e-6);
        (made > 0).then_some(made as f64 / elapsed * rest)
    }

    /// The share of the time for this search that is used.
    pub(crate) fn share_used(&self) -> Option<f64> {
        let rest = self.rest()?.as_secs_f64();
        let elapsed = self.stopper.control.elapsed().as_secs_f64();
        Some(elapsed / (elapsed + rest).max(1e-6))
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the lateness. The time from the last check to the end counts like any other gap.
impl Drop for Pace<'_> {
    fn drop(&mut self) {
        if self.rest().is_some() {
            let gap = self.progress().gap;
            let faded = *self.lateness - *self.lateness / FADING;
            *self.lateness = gap.max(faded);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Barrier};

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rules::{Game, Position, Variant};

    use super::*;
    use crate::analyzer::Control;
    use crate::analyzer::simulated::{now, pass, timed};
    use crate::time::{Clock, TimeControl, TimeLeft};

    /// A core that alternates between our thread and others, with times in microseconds.
    struct Core {
        rng: ChaCha8Rng,
        ours: RangeInclusive<u64>,
        theirs: RangeInclusive<u64>,
        /// The end of the current slice.
        until: Duration,
    }

    /// A dedicated core, where only the search itself takes time between two checks.
    const QUIET: [RangeInclusive<u64>; 2] = [1_000..=1_000, 0..=0];
    /// A core shared with other programs: slices of four milliseconds for each, with at most two
    /// others.
    const BUSY: [RangeInclusive<u64>; 2] = [500..=4_000, 3_500..=8_000];
    /// A core with five competing threads of higher priority.
    const CROWDED: [RangeInclusive<u64>; 2] = [3_000..=4_000, 4_000..=36_000];

    impl Core {
        fn new([ours, theirs]: [RangeInclusive<u64>; 2], seed: u64) -> Core {
            Core {
                rng: ChaCha8Rng::seed_from_u64(seed),
                ours,
                theirs,
                until: now(),
            }
        }

        fn micros(&mut self, range: RangeInclusive<u64>) -> Duration {
            Duration::from_micros(self.rng.random_range(range))
        }

        /// Computes for some time, including waits while others compute.
        fn work(&mut self, mut time: Duration) {
            loop {
                let until = self.until;
                if now() + time < until {
                    return pass(time);
                }
                time -= until.saturating_sub(now());
                let resumed = until.max(now()) + self.micros(self.theirs.clone());
                pass(resumed - now());
                self.until = resumed + self.micros(self.ours.clone());
            }
        }

        /// Runs a search until its time is over; it reports the result of `find` after each number
        /// of clock checks. Returns the time used.
        fn search(
            &mut self,
            time: TimeLeft,
            lateness: &mut Duration,
            find: &mut dyn FnMut(u32) -> Option<(Findings, f64)>,
        ) -> Duration {
            let started = now();
            let game = start();
            let task = timed(&game, time);
            let pace = Pace::new(&task, lateness);
            for look in 0.. {
                if pace.is_over(0) {
                    break;
                }
                let step = self.micros(50..=400);
                self.work(step);
                if let Some((findings, doubt)) = find(look) {
                    pace.note(&findings, doubt);
                }
            }
            self.work(Duration::from_micros(50));
            drop(pace);
            now() - started
        }
    }

    fn start() -> Game {
        Game::new(Position::start(Variant::ALL[0]))
    }

    /// The legal move with this number, and a value in -1..=1.
    fn findings(number: usize, value: f32) -> Findings {
        let mut findings = Findings::bare(start().legal_moves()[number]);
        findings.variations[0].value = Some(Wdl {
            win: 0.5 + value / 2.0,
            draw: 0.0,
            loss: 0.5 - value / 2.0,
        });
        findings
    }

    /// Plays games of 30 to 90 moves per side, in which some moves get more time than others;
    /// returns the share of unused time.
    fn unused(
        control: &str,
        load: [RangeInclusive<u64>; 2],
        mut lateness: Duration,
        games: u64,
    ) -> f64 {
        let (control, game): (TimeControl, _) = (control.parse().unwrap(), start());
        let (mut given, mut used) = (Duration::ZERO, Duration::ZERO);
        for seed in 0..games {
            let mut core = Core::new(load.clone(), seed);
            let mut clock = Clock::new(control);
            let moves = core.rng.random_range(30..=90);
            for number in 0..moves {
                let left = clock.time_left(&game);
                let mut rng = ChaCha8Rng::seed_from_u64(seed << 8 | u64::from(number));
                let (doubt, restless) = (rng.random(), rng.random_bool(0.3));
                let mut find = |look: u32| {
                    let other = usize::from(restless && rng.random_bool(0.5));
                    (look % 8 == 7).then(|| (findings(other, rng.random_range(-0.1..=0.1)), doubt))
                };
                let time = core.search(left, &mut lateness, &mut find);
                assert!(
                    clock.spend(&game, time),
                    "{control} game {seed} move {number}: {time:?} of {left:?}, {lateness:?}"
                );
                used += time;
            }
            given += match control {
                TimeControl::Move(time) => time * moves,
                TimeControl::Game { time, increment } => time + increment * moves,
                TimeControl::Period { moves: n, time } => time * moves.div_ceil(n),
            };
        }
        1.0 - used.as_secs_f64() / given.as_secs_f64()
    }

    #[test]
    fn a_thousand_games_without_a_loss_on_time() {
        for (load, most_unused) in [(QUIET, 0.1), (BUSY, 0.1), (CROWDED, 0.3)] {
            let share = unused("1+0.01", load, EXPECTED_LATENESS, 1_000);
            assert!(share < most_unused, "{share}");
        }
    }

    #[test]
    fn short_limits_are_kept_too_and_most_of_them_is_used() {
        for (control, load, most_unused) in [
            ("0.05", QUIET, 0.1),
            ("0.05", BUSY, 0.4),
            ("0.2", BUSY, 0.12),
            ("0.01", BUSY, 0.9),
            ("0.02", BUSY, 0.7),
            ("0.1", BUSY, 0.25),
            ("20/1", QUIET, 0.2),
            ("20/1", BUSY, 0.2),
            ("1+0", BUSY, 0.2),
        ] {
            let share = unused(control, load, EXPECTED_LATENESS, 100);
            assert!(share < most_unused, "{control}: {share}");
        }
    }

    /// Once it is known how late searches end.
    #[test]
    fn short_limits_are_kept_on_a_crowded_machine() {
        let known = Duration::from_millis(36);
        for (control, most_unused) in [("0.05", 0.8), ("0.1", 0.7), ("0.2", 0.35)] {
            let share = unused(control, CROWDED, known, 100);
            assert!(share < most_unused, "{control}: {share}");
        }
    }

    /// The duration of a search with these findings, in a game of sixty seconds.
    fn taken(time: TimeLeft, find: &dyn Fn(u32) -> (Findings, f64)) -> Duration {
        let mut find = |look: u32| look.is_multiple_of(64).then(|| find(look / 64));
        let mut lateness = Duration::ZERO;
        Core::new(QUIET, 1).search(time, &mut lateness, &mut find)
    }

    #[test]
    fn time_goes_where_it_matters() {
        let second = Duration::from_secs(1);
        let of_game = TimeLeft::Game {
            time: 60 * second,
            increment: Duration::ZERO,
            moves: None,
        };
        let Allotment { usual, most } = of_game.allotment(Duration::ZERO);
        let late = Duration::from_millis(5);
        let clear = taken(of_game, &|_| (findings(0, 0.2), 0.0));
        let rivals = taken(of_game, &|_| (findings(0, 0.2), 1.0));
        let falling = taken(of_game, &|report| {
            (findings(0, 0.9 - report as f32 / 10.0), 0.0)
        });
        let unsettled = taken(of_game, &|report| (findings(report as usize % 2, 0.2), 1.0));
        assert!(clear < usual.mul_f64(0.9), "{clear:?} of {usual:?}");
        assert!(rivals > usual && rivals < most, "{rivals:?}");
        assert!(falling > clear && falling < most, "{falling:?}");
        assert!(
            unsettled > most - late && unsettled < most + late,
            "{unsettled:?}"
        );
        // With a fixed time per move, findings have no influence.
        let of_move = TimeLeft::Move(second);
        let usual = of_move.allotment(Duration::ZERO).usual;
        for number in [0, 1] {
            let time = taken(of_move, &|report| {
                (findings(report as usize % 2 * number, 0.2), 0.5)
            });
            assert!(time >= usual && time < usual + late, "{time:?}");
        }
    }

    #[test]
    fn a_forced_move_needs_no_time_of_a_game_and_half_of_a_move() {
        let game = Game::new(Position::from_fen(Variant::English, "W:W22:B18").unwrap());
        let time = Duration::from_secs(60);
        let of_game = TimeLeft::Game {
            time,
            increment: Duration::ZERO,
            moves: None,
        };
        let rest = |time| {
            let (task, mut lateness) = (timed(&game, time), Duration::ZERO);
            let pace = Pace::new(&task, &mut lateness);
            pace.note(&findings(0, -0.9), 1.0);
            pace.rest().unwrap()
        };
        assert!(rest(of_game).is_zero());
        let of_move = rest(TimeLeft::Move(time));
        assert!(of_move > time / 3 && of_move < time / 2, "{of_move:?}");
    }

    /// After an interruption the reserve grows immediately in the next search, and shrinks again
    /// without further interruptions.
    #[test]
    fn lateness_is_learned_and_forgotten() {
        let ms = Duration::from_millis;
        let (game, mut lateness) = (start(), Duration::ZERO);
        let mut rest = |gap: Duration| {
            let task = timed(&game, TimeLeft::Move(ms(60)));
            let pace = Pace::new(&task, &mut lateness);
            pace.rest();
            pass(gap);
            pace.rest().unwrap() + gap
        };
        assert_eq!(rest(ms(1)), ms(55));
        assert_eq!(rest(ms(8)), ms(44));
        assert!((ms(44)..ms(45)).contains(&rest(ms(1))));
        for _ in 0..100 {
            rest(ms(1));
        }
        assert_eq!(rest(ms(1)), ms(55));
        lateness = EXPECTED_LATENESS;
        let task = timed(&game, TimeLeft::Move(ms(60)));
        assert_eq!(Pace::new(&task, &mut lateness).rest(), Some(ms(44)));
    }

    /// One thread is interrupted while another continues to check the clock.
    #[test]
    fn each_thread_has_its_own_lateness() {
        static CLOCK: AtomicU64 = AtomicU64::new(0);
        let ms = Duration::from_millis;
        let control = Control::with_clock(|| Duration::from_millis(CLOCK.load(Ordering::SeqCst)));
        control.start();
        let (game, mut lateness) = (start(), Duration::ZERO);
        let mut task = timed(&game, TimeLeft::Move(ms(90)));
        task.stopper.control = Arc::new(control);
        let (pace, both) = (Pace::new(&task, &mut lateness), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                pace.is_over(0);
                both.wait();
                both.wait();
                pace.is_over(0);
            });
            both.wait();
            for now in 1..=20 {
                CLOCK.store(now, Ordering::SeqCst);
                assert_eq!(pace.rest(), Some(ms(85 - now)));
            }
            both.wait();
        });
        assert_eq!(pace.rest(), Some(ms(50 - 20)));
    }
}
