//! The trend of a run in one word.

use super::History;
use super::checks::{self, STANDSTILL, rise};

/// The trend of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// Too little data.
    Unclear,
    /// Its ratings rise.
    Learning,
    /// Its ratings do not rise.
    Flat,
    /// Its games or policies have become uniform, so nothing can be learned from them.
    Collapsed,
    /// Too few games, or too old ones, for the amount of training.
    Starved,
}

impl Trend {
    /// The trend in one word.
    pub const fn word(self) -> &'static str {
        match self {
            Trend::Unclear => "unclear",
            Trend::Learning => "learning",
            Trend::Flat => "flat",
            Trend::Collapsed => "collapsed",
            Trend::Starved => "starved",
        }
    }
}

/// The trend of a run and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// The trend.
    pub trend: Trend,
    /// The observation, with figures.
    pub reason: String,
}

impl History {
    /// The trend of the run: signs of a collapse come first, because ratings show it later; rising
    /// ratings count more than everything else.
    #[must_use]
    pub fn course(&self) -> Course {
        let (_, usual) = STANDSTILL;
        let gain = self.gain();
        let rises = gain.filter(|gain| gain.mean >= usual && gain.mean > gain.interval);
        let learning = rises.map(|gain| Course::new(Trend::Learning, rise(gain.mean)));
        self.sign_of(Trend::Collapsed)
            .or(learning)
            .or_else(|| self.sign_of(Trend::Starved))
            .or_else(|| self.sign_of(Trend::Flat))
            .unwrap_or_else(|| match gain {
                None => {
                    let n = self.ratings.len();
                    let s = if n == 1 { "" } else { "s" };
                    Course::new(Trend::Unclear, format!("{n} rating{s} so far"))
                }
                Some(gain) => Course::new(
                    Trend::Unclear,
                    format!("{}, ±{:.0}", rise(gain.mean), gain.interval),
                ),
            })
    }

    /// The most serious sign of a trend.
    fn sign_of(&self, trend: Trend) -> Option<Course> {
        let mut signs = checks::ALL.iter().filter(|(.., sign)| *sign == Some(trend));
        let (seen, _) = signs.find_map(|(_, find, _)| find(self))?;
        Some(Course::new(trend, seen))
    }
}

impl Course {
    fn new(trend: Trend, reason: String) -> Course {
        Course { trend, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::{SelfplayMetrics, Tag, TrainMetrics};

    fn run(ratings: impl IntoIterator<Item = f64>, interval: f64) -> History {
        let ratings: Vec<f64> = ratings.into_iter().collect();
        History {
            rating_intervals: vec![interval; ratings.len()],
            ratings,
            generations: 30,
            champion: 29,
            ..History::default()
        }
    }

    #[test]
    fn ratings_decide_unless_the_games_are_of_one_kind() {
        let rising = || run((0..12).map(|n| 80.0 * f64::from(n)), 60.0);
        assert_eq!(rising().course().trend, Trend::Learning);
        assert_eq!(
            rising().course().reason,
            "the last third of the ratings is +320 Elo above the third before"
        );
        let with = |mut run: History, tag: Tag, value| {
            run.curves.insert(tag.name().to_owned(), vec![value; 9]);
            run.course()
        };
        let drawn = with(rising(), SelfplayMetrics::DRAW_RATE, 0.97);
        assert_eq!(drawn.trend, Trend::Collapsed);
        assert!(drawn.reason.starts_with("97 % of the games"), "{drawn:?}");
        assert_eq!(
            with(rising(), TrainMetrics::STEPS, 9.0).trend,
            Trend::Learning
        );
        let flat = || run([900.0; 12], 60.0);
        assert_eq!(with(flat(), TrainMetrics::STEPS, 9.0).trend, Trend::Starved);
        assert_eq!(flat().course().trend, Trend::Flat);
    }

    #[test]
    fn what_may_be_chance_is_unclear() {
        let course = |ratings: &[f64], interval| run(ratings.to_vec(), interval).course();
        assert_eq!(course(&[0.0, 100.0], 50.0).reason, "2 ratings so far");
        assert_eq!(course(&[0.0], 50.0).reason, "1 rating so far");
        assert_eq!(course(&[0.0, 100.0, 160.0], 20.0).trend, Trend::Learning);
        let unclear = course(&[0.0, 100.0, 160.0], 50.0);
        assert_eq!(unclear.trend, Trend::Unclear);
        assert!(unclear.reason.ends_with("before, ±71"), "{unclear:?}");
        assert_eq!(History::default().course().trend, Trend::Unclear);
    }
}
