//! Time limits of games, the clock that keeps them, and how long to think about a move.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rules::Game;

/// Where a single capture is forced, one fifth of a move's time: five minutes and one in the rules
/// of the American and the English federation.
const FORCED_CAPTURE_SHARE: u32 = 5;
/// Moves that a player expects to make with the time it has, where nothing says how many.
const MOVES_TO_COME: u32 = 30;
/// What is kept of a limit for all that a move takes besides thinking (pipes, other processes, the
/// last simulation): a twentieth, but no less than the first of these and no more than the second.
const RESERVE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(200));
/// The longest time that a limit may name: a year.
const MAX_SECONDS: f64 = 365.0 * 24.0 * 3600.0;

/// How much time a player has. Using more loses the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeControl {
    /// So much for each move, and a fifth of it where a single capture must be played.
    Move(Duration),
    /// So many moves in so much time. After them both are given again; unused time is kept.
    Period {
        /// Moves of one period, at least one.
        moves: u32,
        /// Time of one period.
        time: Duration,
    },
    /// So much for the game, and an increment before each move.
    Game {
        /// Time at the start.
        time: Duration,
        /// Added before each move.
        increment: Duration,
    },
}

/// What a mover may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLeft {
    /// For this move alone.
    Move(Duration),
    /// For this move and others.
    Game {
        /// Time left, with the increment of this move.
        time: Duration,
        /// What each later move adds.
        increment: Duration,
        /// Moves that the time is for, this one included; all the rest of the game if nothing is
        /// said.
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

    /// How long to think about this move: an equal share of the time for each move to come, and
    /// never so long that the limit comes near.
    pub fn allotment(self) -> Duration {
        let limit = self.limit();
        let reserve = (limit / 20).clamp(RESERVE.0, RESERVE.1).min(limit / 2);
        let most = limit - reserve;
        match self {
            TimeLeft::Move(_) => most,
            TimeLeft::Game {
                increment, moves, ..
            } => {
                let moves = moves.unwrap_or(MOVES_TO_COME).max(1);
                // The increments of the moves to come are time to share too.
                let share = most / moves + increment * 3 / 4;
                share.min(if moves == 1 { most } else { most / 2 })
            }
        }
    }
}

/// A player's clock in one game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    control: TimeControl,
    /// Time of the game or period that is left, without the increment of the next move.
    left: Duration,
    /// Moves of the period that are left.
    moves: u32,
}

impl Clock {
    /// A clock that has not run yet.
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
        }
    }

    /// What the player may use for its next move, in the position where it is to move.
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

    /// Takes the time of a move off; false if that was more than there was.
    #[must_use]
    pub fn spend(&mut self, game: &Game, used: Duration) -> bool {
        let limit = self.time_left(game).limit();
        if used > limit {
            return false;
        }
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

/// Whether the rules leave one move, a capture. Where captures may be declined there is no such
/// thing.
fn is_forced_capture(game: &Game) -> bool {
    let mandatory = game.position().variant().rules().capture_is_mandatory;
    mandatory && matches!(game.legal_moves()[..], [mv] if mv.is_capture())
}

/// A text is no time limit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{text}` is not a time limit: write 5 (seconds a move), 40/300 (moves in seconds, again and \
     again) or 60+1 (seconds for the game and before each move); units are ms, s, m, h"
)]
pub struct TimeControlError {
    /// What was written.
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

/// Reads `5`, `0.5`, `500ms`, `5s`, `5m` or `1h`.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let seconds = digits.parse::<f64>().ok().filter(|_| plain)? * unit;
    (seconds <= MAX_SECONDS).then(|| Duration::from_secs_f64(seconds))
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
    fn an_increment_comes_before_the_move() {
        let (mut clock, game) = (Clock::new(control("1+2")), start());
        assert_eq!(clock.time_left(&game).limit(), 3 * SECOND);
        assert!(clock.spend(&game, 3 * SECOND));
        assert!(clock.spend(&game, SECOND));
        assert_eq!(clock.time_left(&game).limit(), 3 * SECOND);
        assert!(!clock.spend(&game, 4 * SECOND));
    }

    /// A player that thinks as long as it is told, and needs a tenth of the reserve besides.
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
                let allotment = left.allotment();
                assert!(allotment < left.limit(), "{text} {ply}");
                let overhead = (left.limit() - allotment).min(RESERVE.1) / 10;
                assert!(clock.spend(&game, allotment + overhead), "{text} {ply}");
            }
        }
    }

    #[test]
    fn most_of_the_time_is_used() {
        let seconds = |left: TimeLeft| left.allotment().as_secs_f64();
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
        assert!((share - (59.8 / 30.0 + 3.0)).abs() < 1e-6, "{share}");
    }
}
