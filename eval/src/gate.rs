//! The gate: tests whether the candidate is stronger than the champion.
//!
//! A sequential test on pairs of games stops as soon as the evidence suffices, at the latest when
//! the pairs run out ([`GateRule`]). Bounds are in normalized Elo, so that the length of the test
//! does not depend on the share of draws. Gate games are biased in favor of the candidates that
//! pass: never use them for ratings.

mod played;

use std::ops::ControlFlow;

use ratings::{Counts, EloInterval, GateErrors, GateRule, Pentanomial, SprtBounds, Verdict};
use serde::{Deserialize, Serialize};
use types::tidy;

use crate::error::EvalError;
use crate::matches::{
    Arena, MatchEvent, MatchPairs, MatchResult, MatchRunner, PlayerFactory, continue_match,
};
use crate::openings::Opening;

pub use played::{GateGame, GatePair};

/// The outcome of a gate, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// The new network.
    pub candidate: String,
    /// The network to beat.
    pub opponent: String,
    /// Pairs of games played.
    pub pairs: u64,
    /// The maximum number of pairs.
    pub max_pairs: u64,
    /// The candidate's pairs by points (0, ½, 1, 1½, 2), without duplicates: the evidence.
    pub pentanomial: Pentanomial,
    /// The candidate's games, both colors together, without duplicates.
    pub games: Counts,
    /// Repeated games, which do not count.
    pub duplicates: u64,
    /// The candidate's advantage.
    pub elo: EloInterval,
    /// Log-likelihood ratio reached.
    pub llr: f64,
    /// At the end, H0 was accepted at or below the first, H1 at or above the second.
    pub llr_limits: (f64, f64),
    /// The hypotheses tested.
    pub bounds: SprtBounds,
    /// The errors that hold under the maximum number of pairs. Absent in older reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<GateErrors>,
    /// The decision. Inconclusive if the match was stopped before the evidence sufficed; in gates
    /// of older versions also if the maximum number of pairs was reached.
    pub verdict: Verdict,
    /// The decision and its reason as a sentence.
    pub sentence: String,
    /// All counted games, and the duplicates among them. Absent in older reports.
    #[serde(default)]
    pub played: Vec<GatePair>,
}

/// The openings and the test of a gate.
#[derive(Clone, Copy, Debug)]
pub struct GateTest<'a> {
    /// One for each possible pair.
    pub openings: &'a [Opening],
    /// The test.
    pub bounds: &'a SprtBounds,
}

/// Plays the candidate (side 0) against the champion with `runner`, at most one pair per opening,
/// until the test decides or `watch` breaks.
///
/// Pairs `kept` from an interrupted run of the same gate are not played again: the report is the
/// same, bit for bit, as if they were. Pairs that do not fit the openings are ignored.
pub fn gate(
    runner: &dyn MatchRunner,
    sides: [&PlayerFactory<'_>; 2],
    test: &GateTest<'_>,
    arena: &Arena<'_>,
    kept: &[GatePair],
    watch: &mut dyn FnMut(MatchEvent<'_>) -> ControlFlow<()>,
) -> Result<GateReport, EvalError> {
    let GateTest { openings, bounds } = *test;
    let rule = GateRule::new(bounds, openings.len() as u64);
    let restored = |pair: &GatePair| Some((pair.pair, pair.restore(openings.get(pair.pair)?)?));
    let pairs = MatchPairs {
        openings,
        known: kept.iter().filter_map(restored).collect(),
    };
    let mut decide = |event: MatchEvent<'_>| {
        watch(event)?;
        let MatchEvent::Counted(result) = event else {
            return ControlFlow::Continue(());
        };
        match rule.verdict(&result.pairs, result.pairs_played()) {
            Verdict::Inconclusive => ControlFlow::Continue(()),
            Verdict::Better | Verdict::NotBetter => ControlFlow::Break(()),
        }
    };
    let result = continue_match(runner, sides, pairs, arena, &mut decide)?;
    Ok(GateReport::new(&result, &rule))
}

impl GateReport {
    /// The report on a match that ended by the rule or was stopped.
    pub fn new(result: &MatchResult, rule: &GateRule) -> Self {
        let pairs = result.pairs_played();
        let [candidate, opponent] = result.names.clone();
        let mut report = Self {
            candidate,
            opponent,
            pairs,
            max_pairs: rule.max_pairs,
            pentanomial: result.pairs,
            games: result.total(),
            duplicates: result.duplicates,
            elo: result.elo(),
            llr: rule.bounds.llr(&result.pairs),
            llr_limits: rule.limits(pairs),
            bounds: rule.bounds,
            errors: Some(rule.errors),
            verdict: rule.verdict(&result.pairs, pairs),
            sentence: String::new(),
            played: result
                .games
                .as_chunks()
                .0
                .iter()
                .map(GatePair::new)
                .collect(),
        };
        report.sentence = report.describe();
        report
    }

    fn describe(&self) -> String {
        let (candidate, opponent) = (&self.candidate, &self.opponent);
        let (lower, upper) = self.llr_limits;
        let what = match self.verdict {
            Verdict::Better => format!("{candidate} is better than {opponent}"),
            Verdict::NotBetter => format!("{candidate} is not better than {opponent}"),
            Verdict::Inconclusive => format!("{candidate} against {opponent} is inconclusive"),
        };
        let why = match self.verdict {
            Verdict::Better => format!("is at or above {upper:+.2}"),
            Verdict::NotBetter => format!("is at or below {lower:+.2}"),
            Verdict::Inconclusive => format!("is between {lower:+.2} and {upper:+.2}"),
        };
        let errors = self
            .errors
            .map_or_else(String::new, |GateErrors { alpha, beta }| {
                let [promoted, refused] = [alpha, beta].map(|share| tidy(100.0 * share, 0));
                format!(
                    ", promoted in {promoted:.0} % of such gates, and rejected in {refused:.0} %"
                )
            });
        format!(
            "{what}: LLR {:+.2} {why} after {} of at most {} pairs ({}; Elo {}); \
             H0 is {:+.0}, H1 {:+.0} normalized Elo{errors}",
            tidy(self.llr, 2),
            self.pairs,
            self.max_pairs,
            self.games,
            self.elo,
            tidy(self.bounds.nelo0, 0),
            tidy(self.bounds.nelo1, 0),
        )
    }
}
