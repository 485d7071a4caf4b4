//! `results.json`: the terms of a comparison, what has been done, and what it means.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use ratings::{Counts, EloInterval, Pentanomial, RatingOptions, Tallies};
use serde::{Deserialize, Serialize};

use super::verdict::{ArmVerdict, Crossing, joint};
use crate::{RequestError, Result};

/// A comparison. `serde` is for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// What is compared, and how.
    pub terms: CompareTerms,
    /// What became of each arm, in the order of the terms.
    pub arms: Vec<ArmResult>,
    /// The matches between runs.
    pub meetings: Vec<ArmMatch>,
    /// What they say of each two arms, the measure that decides first; nothing until all are played.
    pub pairs: Vec<PairResult>,
    /// The measure that decides; nothing until all are played.
    pub headline: Option<Measure>,
    /// What was found, in words; nothing until all are played.
    pub verdict: Option<String>,
}

/// The terms of a comparison, which stay but for a budget that may become longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareTerms {
    /// The game.
    pub variant: String,
    /// The arms; results are relative to the first.
    pub arms: Vec<ArmTerms>,
    /// Each arm is trained once with each of them.
    pub seeds: Vec<u64>,
    /// Threads.
    pub threads: usize,
    /// Training time of each run in seconds: its processor time by the threads.
    pub budget_s: f64,
    /// The matches.
    pub matches: MatchTerms,
}

/// An arm and what distinguishes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmTerms {
    /// Its name.
    pub name: String,
    /// Settings that somebody asked for, as TOML.
    pub settings: BTreeMap<String, String>,
}

/// How runs meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchTerms {
    /// Pairs of games between two arms at equal simulations, over all seeds.
    pub pairs: u32,
    /// Simulations a move.
    pub simulations: u32,
    /// Pairs between two arms at equal time.
    pub timed_pairs: u32,
    /// Seconds a move.
    pub move_s: f64,
}

/// What became of an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// Elo above the first arm by the measure that decides, all arms rated together; nothing until all
    /// are played.
    pub elo: Option<f64>,
    /// Half-width of its 95 % interval, which says how other seeds may come out where there are several.
    pub ci95: Option<f64>,
    /// A run for each seed.
    pub runs: Vec<RunResult>,
}

/// What became of an arm with one seed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// The seed.
    pub seed: u64,
    /// Processor time that self-play, training and gates have used up, in seconds.
    pub processor_s: f64,
    /// Finished generations.
    pub generations: u32,
    /// Games.
    pub games: u64,
    /// Optimiser steps.
    pub steps: u64,
    /// The newest model.
    pub newest: u32,
    /// The champion.
    pub champion: u32,
}

/// Which models of the runs meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    /// Those that won the last gate they had to win.
    Champions,
    /// Those that were trained last.
    Newest,
}

/// What is equal for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Simulations a move.
    Simulations,
    /// Time a move.
    Time,
}

/// A way of measuring which of two runs is stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Which models meet.
    pub who: Who,
    /// What is equal.
    pub limit: Limit,
}

/// A match between the runs of two arms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmMatch {
    /// What it measures.
    pub measure: Measure,
    /// The two arms by their numbers, the one whose results these are first.
    pub arms: [usize; 2],
    /// The seeds of their runs.
    pub seeds: [u64; 2],
    /// The first arm's games in which it made the first move.
    pub moving_first: Counts,
    /// Its other games.
    pub moving_second: Counts,
    /// Pairs that gave it 0, ½, 1, 1½ and 2 points.
    pub pentanomial: Pentanomial,
}

/// What all meetings of two arms say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairResult {
    /// What was measured.
    pub measure: Measure,
    /// The two arms; the results are those of the second, which is the newer idea.
    pub arms: [String; 2],
    /// Pairs of games.
    pub pairs: u64,
    /// Share of the points of the second, 0 to 1.
    pub score: f64,
    /// Its advantage in Elo. The interval says how other seeds may come out where there are several.
    pub elo: EloInterval,
    /// The same with an interval of these games alone, as if the runs could come out in no other way.
    pub elo_of_games: EloInterval,
    /// What that means, in words.
    pub verdict: String,
}

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 4] = [
        Measure::new(Who::Champions, Limit::Simulations),
        Measure::new(Who::Champions, Limit::Time),
        Measure::new(Who::Newest, Limit::Simulations),
        Measure::new(Who::Newest, Limit::Time),
    ];

    const fn new(who: Who, limit: Limit) -> Measure {
        Measure { who, limit }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match self.who {
            Who::Champions => "champions",
            Who::Newest => "newest models",
        };
        let limit = match self.limit {
            Limit::Simulations => "simulations",
            Limit::Time => "time",
        };
        write!(f, "{who} at equal {limit}")
    }
}

impl RunResult {
    /// Whether it has had its processor time.
    pub(super) fn is_trained(&self, terms: &CompareTerms) -> bool {
        self.processor_s >= terms.processor_s()
    }
}

impl CompareTerms {
    /// Processor time of each run, in seconds.
    pub(super) fn processor_s(&self) -> f64 {
        self.budget_s * self.threads as f64
    }
}

impl Comparison {
    /// Nothing done yet.
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

    /// Goes on under these terms, which must be its own but for a budget that may be longer: then its runs go
    /// on learning and meet anew.
    pub(super) fn go_on(&mut self, terms: CompareTerms, path: &Path) -> Result<()> {
        let mut differences = Vec::new();
        let mut require = |name: &str, old: String, new: String| {
            if old != new {
                differences.push(format!("{name} {old}, not {new}"));
            }
        };
        let (old, new) = (&self.terms, &terms);
        require("variant", old.variant.clone(), new.variant.clone());
        require(
            "seeds",
            format!("{:?}", old.seeds),
            format!("{:?}", new.seeds),
        );
        require("threads", old.threads.to_string(), new.threads.to_string());
        let budget = |terms: &CompareTerms| format!("{} s", terms.budget_s);
        if new.budget_s < old.budget_s {
            require("budget", budget(old), budget(new));
        }
        let matches = |terms: &CompareTerms| {
            let MatchTerms {
                pairs,
                simulations,
                timed_pairs,
                move_s,
            } = terms.matches;
            format!(
                "{pairs} pairs at {simulations} simulations, {timed_pairs} at {move_s} s a move"
            )
        };
        require("matches", matches(old), matches(new));
        let arms = |terms: &CompareTerms| {
            let arms = terms
                .arms
                .iter()
                .map(|arm| format!("{} {:?}", arm.name, arm.settings));
            arms.collect::<Vec<_>>().join(", ")
        };
        require("arms", arms(old), arms(new));
        if !differences.is_empty() {
            let (path, differences) = (path.display(), differences.join("; "));
            let message = format!(
                "{path} holds a comparison on other terms: {differences}. Give the same ones, of which the \
                 budget may be longer, or another directory"
            );
            return Err(RequestError(message).into());
        }
        if terms.budget_s > self.terms.budget_s {
            self.terms = terms;
            self.meetings.clear();
            self.pairs.clear();
            (self.headline, self.verdict) = (None, None);
            for arm in &mut self.arms {
                (arm.elo, arm.ci95) = (None, None);
            }
        }
        Ok(())
    }

    /// Draws the conclusions, from all meetings.
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
            let Counts {
                wins,
                draws,
                losses,
            } = meeting.moving_first;
            games.add_counts(&a, &b, [wins, draws, losses]);
            let Counts {
                wins,
                draws,
                losses,
            } = meeting.moving_second;
            games.add_counts(&b, &a, [losses, draws, wins]);
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

    /// Each two arms.
    pub(super) fn couples(&self) -> Vec<[usize; 2]> {
        let arms = 0..self.arms.len();
        arms.clone()
            .flat_map(|a| arms.clone().skip(a + 1).map(move |b| [a, b]))
            .collect()
    }

    fn run_name(&self, meeting: &ArmMatch, side: usize) -> String {
        let arm = &self.arms[meeting.arms[side]].name;
        format!("{arm}-{}", meeting.seeds[side])
    }

    /// What all meetings of two arms say; nothing where there is none.
    fn judge(&self, measure: Measure, arms: [usize; 2]) -> Option<PairResult> {
        let mut of_both: Vec<&ArmMatch> = self.meetings.iter().collect();
        of_both.retain(|meeting| meeting.measure == measure && meeting.arms == arms);
        // Seen from the second arm.
        let cell = |a: &u64, b: &u64| {
            let meeting = of_both.iter().find(|meeting| meeting.seeds == [*a, *b]);
            meeting.map(|meeting| meeting.pentanomial.reversed())
        };
        let seeds = &self.terms.seeds;
        let rows: Option<Vec<Vec<Pentanomial>>> = seeds
            .iter()
            .map(|a| seeds.iter().map(|b| cell(a, b)).collect())
            .collect();
        let ArmVerdict {
            pairs,
            score,
            elo,
            elo_of_games,
        } = Crossing(rows?).judge()?;
        let names = arms.map(|arm| self.arms[arm].name.clone());
        let verdict = sentence(&names, &elo, &elo_of_games, seeds.len());
        Some(PairResult {
            measure,
            arms: names,
            pairs,
            score,
            elo,
            elo_of_games,
            verdict,
        })
    }

    /// The result in words, by the measure that decides.
    fn describe(&self, headline: Measure) -> String {
        let deciding: Vec<&PairResult> = self
            .pairs
            .iter()
            .filter(|pair| pair.measure == headline)
            .collect();
        if let [only] = deciding[..] {
            return format!("By {headline}: {}", only.verdict);
        }
        let mut order: Vec<&ArmResult> = self.arms.iter().collect();
        order.sort_by(|a, b| b.elo.unwrap_or(0.0).total_cmp(&a.elo.unwrap_or(0.0)));
        let lines = deciding.iter().map(|pair| pair.verdict.as_str());
        let names: Vec<&str> = order.iter().map(|arm| arm.name.as_str()).collect();
        let lines: Vec<&str> = lines.collect();
        format!("By {headline}: {}. {}", names.join(", "), lines.join(" "))
    }
}

/// What an interval over seeds means for two arms, and that of the games alone.
fn sentence(
    [a, b]: &[String; 2],
    elo: &EloInterval,
    of_games: &EloInterval,
    seeds: usize,
) -> String {
    let reach = match seeds {
        1 => "with this seed; others may come out otherwise",
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
        "It is open which of {a} and {b} is stronger: {b} has {} Elo {reach}.",
        in_brackets(elo)
    );
    match decides(of_games) {
        true => format!(
            "{open} These runs differ, {} by their games alone: more seeds would tell whether the settings \
             do.",
            in_brackets(of_games)
        ),
        false => open,
    }
}

/// An Elo difference with its interval, also where that has no ends.
pub(super) fn in_brackets(interval: &EloInterval) -> String {
    let end = |elo: Option<f64>| elo.map_or_else(|| "open".to_owned(), |elo| format!("{elo:+.0}"));
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
            "It is open which of a and b is stronger: b has +34 [-40, open] Elo over seeds. These runs \
             differ, +34 [+5, +63] by their games alone: more seeds would tell whether the settings do."
        );
        let worse = interval(-34.0, -63.0, Some(-5.0));
        assert_eq!(
            say(&worse, &worse, 1),
            "b is weaker than a: -34 [-63, -5] Elo with this seed; others may come out otherwise."
        );
    }
}
