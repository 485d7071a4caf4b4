//! Time controls, clocks, and time allotment.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rules::Game;
use types::parse_duration;

/// A forced single capture gets one fifth of a move's time: one minute of five in the rules of the
/// American and the English federation.
const FORCED_CAPTURE_SHARE: u32 = 5;
/// The expected number of remaining moves, if the time control does not state it.
const MOVES_TO_COME: u32 = 24;
/// The reserve for overhead such as pipes and the last simulation: a twentieth of the limit, within
/// these bounds.
const RESERVE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));
/// The maximum multiple of the usual time for a difficult move, if the clock permits.
const MOST_SHARES: u32 = 2;

/// A time control. Exceeding it loses the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeControl {
    /// Time per move; a fifth of it if a single capture is forced.
    Move(Duration),
    /// A number of moves in a time, repeatedly; unused time is kept.
    Period {
        /// Moves per period, at least one.
        moves: u32,
        /// Time per period.
        time: Duration,
    },
    /// Time for the game, and an increment before each move.
    Game {
        /// Time at the start.
        time: Duration,
        /// Added before each move.
        increment: Duration,
    },
}

/// The time that a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLeft {
    /// For this move only.
    Move(Duration),
    /// For this move and later ones.
    Game {
        /// The time left, including the increment of this move.
        time: Duration,
        /// The increment of each later move.
        increment: Duration,
        /// The number of moves that the time is for, including this one; by default the rest of the
        /// game.
        moves: Option<u32>,
    },
}

impl TimeLeft {
    /// The time after which the game is lost.
    pub fn limit(self) -> Duration {
        match self {
            TimeLeft::Move(time) | TimeLeft::Game { time, .. } => time,
        }
    }

    /// The time for this move: an equal share for each remaining move, minus a reserve for a player
    /// whose searches end up to `lateness` late.
    ///
    /// The reserve with time per move is twice the lateness, but at most seven eighths of the
    /// limit. The reserve in a game also covers later moves, and each may be late: sixteen times
    /// the lateness, but at most three quarters of the limit. Each share is reduced by a quarter of
    /// the lateness, which is the average excess, so that late moves do not use up the reserve.
    pub fn allotment(self, lateness: Duration) -> Allotment {
        let limit = self.limit();
        let overhead = (limit / 20).clamp(RESERVE.0, RESERVE.1);
        match self {
            TimeLeft::Move(_) => {
                let reserve = overhead.max(lateness * 2).min(limit * 7 / 8);
                let most = limit - reserve;
                Allotment { usual: most, most }
            }
            TimeLeft::Game {
                increment, moves, ..
            } => {
                let free = limit - overhead.max(lateness * 16).min(limit * 3 / 4);
                let moves = moves.unwrap_or(MOVES_TO_COME).max(1);
                // The increments of the remaining moves are shared too.
                let share = (free / moves + increment * 3 / 4).saturating_sub(lateness / 4);
                let most = if moves == 1 { free } else { free / 2 };
                Allotment {
                    usual: share.min(most),
                    most: (share * MOST_SHARES).min(most),
                }
            }
        }
    }
}

/// The time allotted to a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// For a typical move.
    pub usual: Duration,
    /// For a difficult move.
    pub most: Duration,
}

/// A player's clock in one game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    /// The time left in the game or period, without the increment of the next move.
    left: Duration,
    /// The moves left in the period.
    moves: u32,
    /// Time that a move may take beyond its limit.
    margin: Duration,
}

impl Clock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> Clock {
        let (left, moves) = match control {
            TimeControl::Move(time) => (time, 1),
            TimeControl::Period { moves, time } => (time, moves.max(1)),
            TimeControl::Game { time, .. } => (time, 0),
        };
        Clock {
            control,
            left,
            moves,
            margin: Duration::ZERO,
        }
    }

    /// The same clock with a margin: time that a move may take beyond its limit.
    #[must_use]
    pub fn with_margin(self, margin: Duration) -> Clock {
        Clock { margin, ..self }
    }

    /// The time for the player's next move in the current position.
    pub fn time_left(&self, game: &Game) -> TimeLeft {
        match self.control {
            TimeControl::Move(time) if is_forced_capture(game) => {
                TimeLeft::Move(time / FORCED_CAPTURE_SHARE)
            }
            TimeControl::Move(time) => TimeLeft::Move(time),
            TimeControl::Period { .. } => TimeLeft::Game {
                time: self.left,
                increment: Duration::ZERO,
                moves: Some(self.moves),
            },
            TimeControl::Game { increment, .. } => TimeLeft::Game {
                time: self.left + increment,
                increment,
                moves: None,
            },
        }
    }

    /// Deducts the time of a move; returns false if it exceeds the limit by more than the margin.
    #[must_use]
    pub fn spend(&mut self, game: &Game, used: Duration) -> bool {
        let limit = self.time_left(game).limit();
        if used > limit + self.margin {
            return false;
        }
        let used = used.min(limit);
        match self.control {
            TimeControl::Move(_) => {}
            TimeControl::Period { moves, time } => {
                self.left -= used;
                self.moves -= 1;
                if self.moves == 0 {
                    self.left += time;
                    self.moves = moves.max(1);
                }
            }
            TimeControl::Game { .. } => self.left = limit - used,
        }
        true
    }
}

/// True if a capture is the only legal move. Optional captures are never forced.
fn is_forced_capture(game: &Game) -> bool {
    let mandatory = game.position().variant().rules().capture_is_mandatory;
    mandatory && matches!(game.legal_moves()[..], [mv] if mv.is_capture())
}

/// The error of an invalid time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{text}` is not a time control: write 5 (seconds per move), 40/300 (moves in seconds) or 60+1 \
     (seconds for the game and increment per move); units are ms, s, m, h"
)]
pub struct TimeControlError {
    /// The text.
    pub text: String,
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let control = || {
            if let Some((moves, time)) = text.split_once('/') {
                let moves = moves.parse().ok().filter(|moves| *moves > 0)?;
                return Some(TimeControl::Period {
                    moves,
                    time: duration(time).filter(|time| !time.is_zero())?,
                });
            }
            if let Some((time, increment)) = text.split_once('+') {
                let (time, increment) = (duration(time)?, duration(increment)?);
                let some = !(time + increment).is_zero();
                return some.then_some(TimeControl::Game { time, increment });
            }
            duration(text)
                .filter(|time| !time.is_zero())
                .map(TimeControl::Move)
        };
        control().ok_or_else(|| TimeControlError {
            text: text.to_owned(),
        })
    }
}

/// Parses a duration, or a plain number of seconds.
fn duration(text: &str) -> Option<Duration> {
    let is_plain = text.ends_with(|last: char| last.is_ascii_digit() || last == '.');
    let unit = if is_plain { "s" } else { "" };
    parse_duration(&format!("{text}{unit}"))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Move(time) => write!(f, "{}", time.as_secs_f64()),
            TimeControl::Period { moves, time } => write!(f, "{moves}/{}", time.as_secs_f64()),
            TimeControl::Game { time, increment } => {
                write!(f, "{}+{}", time.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Position, Variant};

    const SECOND: Duration = Duration::from_secs(1);

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    fn start() -> Game {
        Game::new(Position::start(Variant::ALL[0]))
    }

    #[test]
    fn limits_are_read_and_written() {
        assert_eq!(control("5"), TimeControl::Move(5 * SECOND));
        assert_eq!(control("250ms"), TimeControl::Move(SECOND / 4));
        let (moves, time) = (40, 300 * SECOND);
        assert_eq!(control("40/5m"), TimeControl::Period { moves, time });
        let (time, increment) = (60 * SECOND, SECOND / 2);
        assert_eq!(control("60+0.5"), TimeControl::Game { time, increment });
        for text in ["5", "0.25", "40/300", "60+0.5", "0+1"] {
            assert_eq!(control(text).to_string(), text);
        }
        for bad in [
            "", "0", "x", "-1", "5 s", "1e3", "inf", "nan", "0/5", "5/0", "5/", "+", "0+0", "1+x",
            "5days", "99999h", ".", "5é",
        ] {
            let message = bad.parse::<TimeControl>().unwrap_err().to_string();
            assert!(message.contains("60+1"), "{message}");
        }
    }

    #[test]
    fn a_single_capture_has_a_fifth_of_the_time_where_it_is_forced() {
        let clock = Clock::new(control("5"));
        for variant in Variant::GAMES {
            let fen = "W:W22:B18";
            let Ok(position) = Position::from_fen(variant, fen) else {
                panic!("{variant}")
            };
            let game = Game::new(position);
            let legal = game.legal_moves();
            let forced = legal.len() == 1 && legal[0].is_capture();
            let seconds = if forced { 1 } else { 5 };
            assert_eq!(clock.time_left(&game), TimeLeft::Move(seconds * SECOND));
            let mandatory = variant.rules().capture_is_mandatory;
            assert!(mandatory || !forced, "{variant}");
        }
        assert_eq!(clock.time_left(&start()), TimeLeft::Move(5 * SECOND));
    }

    #[test]
    fn unused_time_of_a_period_is_kept() {
        let (mut clock, game) = (Clock::new(control("2/10")), start());
        assert!(clock.spend(&game, 3 * SECOND));
        assert!(clock.spend(&game, 4 * SECOND));
        let (time, increment) = (13 * SECOND, Duration::ZERO);
        let moves = Some(2);
        let left = TimeLeft::Game {
            time,
            increment,
            moves,
        };
        assert_eq!(clock.time_left(&game), left);
        assert!(!clock.spend(&game, 13 * SECOND + Duration::from_nanos(1)));
        assert!(clock.spend(&game, 13 * SECOND));
        assert!(!clock.spend(&game, Duration::from_nanos(1)));
    }

    #[test]
    fn a_margin_forgives_a_little() {
        let game = start();
        let ms = Duration::from_millis;
        let clock = |text| Clock::new(control(text)).with_margin(ms(10));
        assert!(clock("0.1").spend(&game, ms(110)) && !clock("0.1").spend(&game, ms(111)));
        let mut clock = clock("2/0.1");
        assert!(clock.spend(&game, ms(105)));
        assert_eq!(clock.time_left(&game).limit(), Duration::ZERO);
        assert!(clock.spend(&game, ms(10)));
    }

    #[test]
    fn an_increment_comes_before_the_move() {
        let (mut clock, game) = (Clock::new(control("1+2")), start());
        assert_eq!(clock.time_left(&game).limit(), 3 * SECOND);
        assert!(clock.spend(&game, 3 * SECOND));
        assert!(clock.spend(&game, SECOND));
        assert_eq!(clock.time_left(&game).limit(), 3 * SECOND);
        assert!(!clock.spend(&game, 4 * SECOND));
    }

    /// A player that uses exactly its allotted time, plus a tenth of the reserve.
    #[test]
    fn nobody_who_keeps_to_the_allotment_runs_out_of_time() {
        for text in [
            "0.01",
            "1",
            "5m",
            "1/0.02",
            "3/1",
            "40/60",
            "0.05+0.02",
            "60+0",
            "0+1",
        ] {
            let (mut clock, game) = (Clock::new(control(text)), start());
            for ply in 0..500 {
                let left = clock.time_left(&game);
                let allotment = left.allotment(Duration::ZERO).most;
                assert!(allotment < left.limit(), "{text} {ply}");
                let overhead = (left.limit() - allotment).min(RESERVE.1) / 10;
                assert!(clock.spend(&game, allotment + overhead), "{text} {ply}");
            }
        }
    }

    #[test]
    fn most_of_the_time_is_used() {
        let seconds = |left: TimeLeft| left.allotment(Duration::ZERO).usual.as_secs_f64();
        assert_eq!(seconds(TimeLeft::Move(10 * SECOND)), 9.8);
        assert_eq!(seconds(TimeLeft::Move(SECOND / 20)), 0.045);
        assert_eq!(seconds(TimeLeft::Move(SECOND / 5)), 0.19);
        let left = |time, increment, moves| TimeLeft::Game {
            time: time * SECOND,
            increment: increment * SECOND,
            moves,
        };
        assert_eq!(seconds(left(60, 0, Some(1))), 59.8);
        assert_eq!(seconds(left(60, 0, Some(2))), 29.9);
        assert_eq!(seconds(left(4, 4, None)), 1.9);
        let share = seconds(left(60, 4, None));
        assert!((share - (59.8 / 24.0 + 3.0)).abs() < 1e-6, "{share}");
    }

    #[test]
    fn a_player_that_ends_late_keeps_more_but_never_more_than_a_share() {
        let ms = Duration::from_millis;
        let of_move = |limit, late| TimeLeft::Move(ms(limit)).allotment(ms(late)).most;
        assert_eq!(of_move(60, 0), ms(55));
        assert_eq!(of_move(60, 8), ms(44));
        assert_eq!(of_move(60, 30), Duration::from_micros(7_500));
        assert_eq!(of_move(64, 50), ms(8));
        assert_eq!(of_move(8, 50), ms(1));
        assert_eq!(of_move(10_000, 50), ms(9_800));
        let of_game = |time, late| {
            let left = TimeLeft::Game {
                time: ms(time),
                increment: ms(20),
                moves: None,
            };
            left.allotment(ms(late))
        };
        let allotment = |usual, most| Allotment {
            usual: ms(usual),
            most: ms(most),
        };
        assert_eq!(of_game(760, 4), allotment(43, 86));
        assert_eq!(of_game(960, 48), allotment(13, 26));
        assert_eq!(of_game(40, 200), allotment(0, 0));
    }
}
