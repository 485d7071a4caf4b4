//! `results.json`: the terms of a comparison, its results, and the verdict.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::path::Path;

use ratings::{Counts, EloInterval, Pentanomial, RatingOptions, Tallies};
use serde::{Deserialize, Serialize};
use types::tidy;

use super::verdict::{Crossing, joint};
use crate::{RequestError, Result};

/// A comparison. `serde` is for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The configurations and terms.
    pub terms: CompareTerms,
    /// The results of each arm, in the order of the terms.
    pub arms: Vec<ArmResult>,
    /// The matches between runs.
    pub meetings: Vec<ArmMatch>,
    /// The results for each two arms, the deciding measure first; empty until all matches are
    /// played.
    pub pairs: Vec<PairResult>,
    /// The deciding measure; `None` until all matches are played.
    pub headline: Option<Measure>,
    /// The verdict as text; `None` until all matches are played.
    pub verdict: Option<String>,
}

/// The terms of a comparison, which are fixed, except that the budget may become longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareTerms {
    /// The game.
    pub variant: String,
    /// The arms; results are relative to the first.
    pub arms: Vec<ArmTerms>,
    /// The generation of a run that every training continues; `None` for new runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Each arm is trained once with each seed.
    pub seeds: Vec<u64>,
    /// Threads.
    pub threads: usize,
    /// Training time of each run in seconds: processor time divided by threads.
    pub budget_s: f64,
    /// Terms of the matches.
    pub matches: MatchTerms,
}

/// An arm and its distinguishing settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmTerms {
    /// Its name.
    pub name: String,
    /// Requested settings, as TOML.
    pub settings: BTreeMap<String, String>,
}

/// Terms of the matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchTerms {
    /// Pairs of games between two arms at equal simulations, over all seeds.
    pub pairs: u32,
    /// Simulations per move.
    pub simulations: u32,
    /// Pairs between two arms at equal time.
    pub timed_pairs: u32,
    /// Seconds per move.
    pub move_s: f64,
}

/// The results of an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// Elo above the first arm by the deciding measure, all arms rated together; `None` until all
    /// matches are played.
    pub elo: Option<f64>,
    /// Half-width of its 95 % interval, which covers the outcome of other seeds if there are
    /// several seeds.
    pub ci95: Option<f64>,
    /// One run per seed.
    pub runs: Vec<RunResult>,
}

/// The result of an arm with one seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// The seed.
    pub seed: u64,
    /// Processor time of self-play, training and gates, in seconds.
    pub processor_s: f64,
    /// Finished generations.
    pub generations: u32,
    /// Games.
    pub games: u64,
    /// Optimizer steps.
    pub steps: u64,
    /// The newest model.
    pub newest: u32,
    /// The champion.
    pub champion: u32,
}

/// The models of the runs that play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchedModels {
    /// The models that won the last required gate.
    Champions,
    /// The models that were trained last.
    Newest,
}

/// The limit that is equal for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Simulations per move.
    Simulations,
    /// Time per move.
    Time,
}

/// A way to measure which of two runs is stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The models that play.
    pub who: MatchedModels,
    /// The limit.
    pub limit: Limit,
}

/// A match between the runs of two arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmMatch {
    /// The measure.
    pub measure: Measure,
    /// The indices of the two arms; the results are for the first one.
    pub arms: [usize; 2],
    /// The seeds of their runs.
    pub seeds: [u64; 2],
    /// The first arm's games in which it moved first.
    pub moving_first: Counts,
    /// Its other games.
    pub moving_second: Counts,
    /// Number of pairs in which it scored 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
}

/// The combined result of all matches of two arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairResult {
    /// The measure.
    pub measure: Measure,
    /// The two arms; the results are for the second, which is the newer idea.
    pub arms: [String; 2],
    /// Pairs of games.
    pub pairs: u64,
    /// Score of the second arm, 0 to 1.
    pub score: f64,
    /// Its advantage in Elo. The interval covers the outcome of other seeds if there are several.
    pub elo: EloInterval,
    /// The same advantage with an interval for these games alone, as if retraining gave the same
    /// networks.
    pub elo_of_games: EloInterval,
    /// The verdict as text.
    pub verdict: String,
}

impl Measure {
    /// All measures.
    pub const ALL: [Measure; 4] = [
        Measure::new(MatchedModels::Champions, Limit::Simulations),
        Measure::new(MatchedModels::Champions, Limit::Time),
        Measure::new(MatchedModels::Newest, Limit::Simulations),
        Measure::new(MatchedModels::Newest, Limit::Time),
    ];

    const fn new(who: MatchedModels, limit: Limit) -> Measure {
        Measure { who, limit }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match self.who {
            MatchedModels::Champions => "champions",
            MatchedModels::Newest => "newest models",
        };
        let limit = match self.limit {
            Limit::Simulations => "simulations",
            Limit::Time => "time",
        };
        write!(f, "{who} at equal {limit}")
    }
}

impl RunResult {
    /// Returns `true` if the run has used its processor time.
    pub(super) fn is_trained(&self, terms: &CompareTerms) -> bool {
        self.processor_s >= terms.processor_s()
    }
}

impl CompareTerms {
    /// Processor time of each run, in seconds.
    pub(super) fn processor_s(&self) -> f64 {
        self.budget_s * self.threads as f64
    }

    /// The terms by name, to tell how others differ.
    fn in_words(&self) -> [(&'static str, String); 7] {
        let from = self.from.as_deref().unwrap_or("nothing");
        let terms = &self.matches;
        let matches = format!(
            "{} pairs at {} simulations, {} at {} s a move",
            terms.pairs, terms.simulations, terms.timed_pairs, terms.move_s
        );
        let arms = self.arms.iter();
        let arms: Vec<_> = arms
            .map(|arm| format!("{} {:?}", arm.name, arm.settings))
            .collect();
        [
            ("variant", self.variant.clone()),
            ("start from", from.to_owned()),
            ("seeds", format!("{:?}", self.seeds)),
            ("threads", self.threads.to_string()),
            ("budget", format!("{} s", self.budget_s)),
            ("matches", matches),
            ("arms", arms.join(", ")),
        ]
    }
}

impl Comparison {
    /// An empty comparison.
    pub(super) fn new(terms: CompareTerms) -> Comparison {
        let run = |seed: &u64| RunResult {
            seed: *seed,
            ..RunResult::default()
        };
        let arm = |arm: &ArmTerms| ArmResult {
            name: arm.name.clone(),
            elo: None,
            ci95: None,
            runs: terms.seeds.iter().map(run).collect(),
        };
        Comparison {
            arms: terms.arms.iter().map(arm).collect(),
            terms,
            meetings: Vec::new(),
            pairs: Vec::new(),
            headline: None,
            verdict: None,
        }
    }

    /// Continues with these terms, which must be the same, except that the budget may be longer:
    /// then the runs are trained further and play again.
    pub(super) fn resume(&mut self, terms: CompareTerms, path: &Path) -> Result<()> {
        let is_longer = terms.budget_s > self.terms.budget_s;
        let both = self.terms.in_words().into_iter().zip(terms.in_words());
        let differences = both
            .filter(|((name, old), (_, new))| old != new && !(is_longer && *name == "budget"))
            .map(|((name, old), (_, new))| format!("{name} {old}, not {new}"));
        let differences: Vec<String> = differences.collect();
        if !differences.is_empty() {
            let (path, differences) = (path.display(), differences.join("; "));
            let message = format!(
                "{path} holds a comparison with other terms: {differences}. Use the same terms, \
                 where the budget may be longer, or another directory"
            );
            return Err(RequestError(message).into());
        }
        if is_longer {
            let known = mem::replace(self, Comparison::new(terms));
            for (arm, known) in self.arms.iter_mut().zip(known.arms) {
                arm.runs = known.runs;
            }
        }
        Ok(())
    }

    /// Computes the results from all matches.
    pub(super) fn conclude(&mut self, headline: Measure) -> Result<()> {
        let mut measures = Measure::ALL;
        measures.sort_by_key(|measure| *measure != headline);
        self.pairs.clear();
        for measure in measures {
            for [a, b] in self.couples() {
                self.pairs.extend(self.judge(measure, [a, b]));
            }
        }
        let of_headline = self.meetings.iter().filter(|m| m.measure == headline);
        let mut games = Tallies::default();
        for meeting in of_headline {
            let [a, b] = [0, 1].map(|side| self.run_name(meeting, side));
            games.add_counts(&a, &b, meeting.moving_first.to_array());
            games.add_counts(&b, &a, meeting.moving_second.reversed());
        }
        let table = ratings::rate(&games, &RatingOptions::usual(None))?;
        let ratings: Vec<Vec<(f64, f64)>> = (0..self.arms.len())
            .map(|arm| {
                let seeds = self.terms.seeds.iter();
                let names = seeds.map(|seed| format!("{}-{seed}", self.arms[arm].name));
                let lines = names.filter_map(|name| table.players.iter().find(|p| p.name == name));
                lines.map(|line| (line.elo, line.ci95)).collect()
            })
            .collect();
        for (arm, (elo, ci95)) in self.arms.iter_mut().zip(joint(&ratings)) {
            (arm.elo, arm.ci95) = (Some(elo), Some(ci95));
        }
        self.verdict = Some(self.describe(headline));
        self.headline = Some(headline);
        Ok(())
    }

    /// All pairs of arms.
    pub(super) fn couples(&self) -> Vec<[usize; 2]> {
        let arms = 0..self.arms.len();
        arms.clone()
            .flat_map(|a| arms.clone().skip(a + 1).map(move |b| [a, b]))
            .collect()
    }

    /// The match of two runs by a measure, if it has been played.
    pub(super) fn meeting(
        &self,
        measure: Measure,
        arms: [usize; 2],
        seeds: [u64; 2],
    ) -> Option<&ArmMatch> {
        let mut meetings = self.meetings.iter();
        meetings.find(|m| m.measure == measure && m.arms == arms && m.seeds == seeds)
    }

    fn run_name(&self, meeting: &ArmMatch, side: usize) -> String {
        let arm = &self.arms[meeting.arms[side]].name;
        format!("{arm}-{}", meeting.seeds[side])
    }

    /// The combined result of all matches of two arms; `None` without matches.
    fn judge(&self, measure: Measure, arms: [usize; 2]) -> Option<PairResult> {
        let seeds = &self.terms.seeds;
        // From the second arm's point of view.
        let cell = |a: u64, b: u64| {
            let meeting = self.meeting(measure, arms, [a, b])?;
            Some(meeting.pentanomial.reversed())
        };
        let row = |a: &u64| seeds.iter().map(|b| cell(*a, *b)).collect();
        let rows: Option<Vec<Vec<Pentanomial>>> = seeds.iter().map(row).collect();
        let found = Crossing(rows?).judge()?;
        let names = arms.map(|arm| self.arms[arm].name.clone());
        Some(PairResult {
            measure,
            verdict: sentence(&names, &found.elo, &found.elo_of_games, seeds.len()),
            arms: names,
            pairs: found.pairs,
            score: found.score,
            elo: found.elo,
            elo_of_games: found.elo_of_games,
        })
    }

    /// The verdict by the deciding measure.
    fn describe(&self, headline: Measure) -> String {
        let deciding = self.pairs.iter().filter(|pair| pair.measure == headline);
        let lines: Vec<&str> = deciding.map(|pair| pair.verdict.as_str()).collect();
        if let [only] = lines[..] {
            return format!("By {headline}: {only}");
        }
        let mut order: Vec<&ArmResult> = self.arms.iter().collect();
        order.sort_by(|a, b| b.elo.unwrap_or(0.0).total_cmp(&a.elo.unwrap_or(0.0)));
        let names: Vec<&str> = order.iter().map(|arm| arm.name.as_str()).collect();
        format!("By {headline}: {}. {}", names.join(", "), lines.join(" "))
    }
}

/// Sentence about two arms, from the interval over seeds and the interval of the games alone.
fn sentence(
    [a, b]: &[String; 2],
    elo: &EloInterval,
    of_games: &EloInterval,
    seeds: usize,
) -> String {
    let reach = match seeds {
        1 => "with this seed; other seeds may give other results",
        _ => "over seeds",
    };
    let decides = |elo: &EloInterval| {
        elo.low.is_some_and(|low| low > 0.0) || elo.high.is_some_and(|high| high < 0.0)
    };
    if decides(elo) {
        let is = match elo.low {
            Some(low) if low > 0.0 => "stronger",
            _ => "weaker",
        };
        return format!("{b} is {is} than {a}: {elo} Elo {reach}.");
    }
    let open = format!(
        "No verdict on {a} and {b}: {b} has {} Elo {reach}.",
        in_brackets(elo)
    );
    match decides(of_games) {
        true => format!(
            "{open} These runs differ, {} by their games alone: more seeds would show whether the \
             settings do.",
            in_brackets(of_games)
        ),
        false => open,
    }
}

/// An Elo difference with its interval, which may be unbounded.
pub(super) fn in_brackets(interval: &EloInterval) -> String {
    let end = |elo: Option<f64>| {
        elo.map_or_else(|| "open".to_owned(), |elo| format!("{:+.0}", tidy(elo, 0)))
    };
    let EloInterval { elo, low, high } = interval;
    format!("{} [{}, {}]", end(*elo), end(*low), end(*high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_say_what_is_proven_and_what_is_not() {
        let interval = |elo: f64, low: f64, high: Option<f64>| EloInterval {
            elo: Some(elo),
            low: Some(low),
            high,
        };
        let say = |elo: &EloInterval, of_games: &EloInterval, seeds| {
            sentence(&["a".to_owned(), "b".to_owned()], elo, of_games, seeds)
        };
        let better = interval(34.0, 5.0, Some(63.0));
        assert_eq!(
            say(&better, &better, 2),
            "b is stronger than a: +34 [+5, +63] Elo over seeds."
        );
        let open = interval(34.0, -40.0, None);
        assert_eq!(
            say(&open, &better, 2),
            "No verdict on a and b: b has +34 [-40, open] Elo over seeds. These runs \
             differ, +34 [+5, +63] by their games alone: more seeds would show whether the settings do."
        );
        let worse = interval(-34.0, -63.0, Some(-5.0));
        assert_eq!(
            say(&worse, &worse, 1),
            "b is weaker than a: -34 [-63, -5] Elo with this seed; other seeds may give other results."
        );
    }
}
