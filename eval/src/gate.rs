//! The gate: is the candidate really stronger than the champion?
//!
//! A sequential test on pairs of games stops as soon as the evidence suffices. Bounds are in
//! normalised Elo, so that the length of the test does not depend on how many games are drawn.
//! The games choose the candidate, therefore they overrate it: never use them for ratings.

mod played;

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::elo::EloInterval;
use crate::error::EvalError;
use crate::matches::{Arena, Counts, Entrant, MatchEvent, MatchResult, continue_match};
use crate::openings::Opening;
use crate::pentanomial::Pentanomial;
use crate::sprt::{SprtBounds, SprtState};

pub use played::{GateGame, GatePair};

/// What the gate found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// H1 was accepted: the candidate is stronger.
    Better,
    /// H0 was accepted: the candidate is not stronger.
    NotBetter,
    /// The games ran out, or the match was broken off, before the evidence sufficed.
    Inconclusive,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::NotBetter => "not better",
            Self::Inconclusive => "inconclusive",
        })
    }
}

/// The outcome of a gate, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// The new network.
    pub candidate: String,
    /// Whom it has to beat.
    pub opponent: String,
    /// Pairs of games played.
    pub pairs: u64,
    /// Pairs that may be played at most.
    pub max_pairs: u64,
    /// The candidate's pairs by points (0, ½, 1, 1½, 2), without duplicates: the evidence.
    pub pentanomial: Pentanomial,
    /// The candidate's games, both colours together, without duplicates.
    pub games: Counts,
    /// Games that occurred before in the match and do not count.
    pub duplicates: u64,
    /// The candidate's advantage.
    pub elo: EloInterval,
    /// Log-likelihood ratio reached.
    pub llr: f64,
    /// Below or at the first, H0 is accepted; above or at the second, H1.
    pub llr_limits: (f64, f64),
    /// The hypotheses tested.
    pub bounds: SprtBounds,
    /// The decision.
    pub verdict: Verdict,
    /// The decision and its reason, in words.
    pub sentence: String,
    /// All games that were counted, and the duplicates among them. Older reports have none.
    #[serde(default)]
    pub played: Vec<GatePair>,
}

/// What a gate plays, and what decides it.
#[derive(Clone, Copy, Debug)]
pub struct GateTest<'a> {
    /// One for each pair that may be played.
    pub openings: &'a [Opening],
    /// The test.
    pub bounds: &'a SprtBounds,
}

/// What happens in a gate.
#[derive(Clone, Copy, Debug)]
pub enum GateEvent<'a> {
    /// A pair was played: the time to keep it. Pairs finish in any order.
    Finished(&'a GatePair),
    /// A pair was counted; the match so far.
    Counted(&'a MatchResult),
}

/// Plays candidate (side 0) against champion, a pair for each opening at most, until the test decides
/// or `watch` breaks off.
///
/// Pairs that were `kept` from the same gate, broken off before, are not played again: the report is
/// the same, to the last bit, as if they were. Those that do not fit the openings are ignored.
pub fn gate(
    sides: [&Entrant<'_>; 2],
    test: &GateTest<'_>,
    arena: &Arena<'_>,
    kept: &[GatePair],
    watch: &mut dyn FnMut(GateEvent<'_>) -> ControlFlow<()>,
) -> Result<(GateReport, MatchResult), EvalError> {
    let GateTest { openings, bounds } = *test;
    let restored = |pair: &GatePair| Some((pair.pair, pair.restore(openings.get(pair.pair)?)?));
    let known = kept.iter().filter_map(restored).collect();
    let mut decide = |event: MatchEvent<'_>| match event {
        MatchEvent::Finished(games) => watch(GateEvent::Finished(&GatePair::new(games))),
        MatchEvent::Counted(result) => {
            watch(GateEvent::Counted(result))?;
            match bounds.state(&result.pairs) {
                SprtState::Continue => ControlFlow::Continue(()),
                SprtState::AcceptH0 | SprtState::AcceptH1 => ControlFlow::Break(()),
            }
        }
    };
    let result = continue_match(sides, openings, arena, known, &mut decide)?;
    let report = GateReport::new(&result, bounds, openings.len() as u64);
    Ok((report, result))
}

impl GateReport {
    /// The report on a match that ended by the test, the cap, or from outside.
    pub fn new(result: &MatchResult, bounds: &SprtBounds, max_pairs: u64) -> Self {
        let verdict = match bounds.state(&result.pairs) {
            SprtState::AcceptH1 => Verdict::Better,
            SprtState::AcceptH0 => Verdict::NotBetter,
            SprtState::Continue => Verdict::Inconclusive,
        };
        let [candidate, opponent] = result.names.clone();
        let mut report = Self {
            candidate,
            opponent,
            pairs: result.pairs_played(),
            max_pairs,
            pentanomial: result.pairs,
            games: result.total(),
            duplicates: result.duplicates,
            elo: result.elo(),
            llr: bounds.llr(&result.pairs),
            llr_limits: bounds.limits(),
            bounds: *bounds,
            verdict,
            sentence: String::new(),
            played: result
                .games
                .as_chunks()
                .0
                .iter()
                .map(GatePair::new)
                .collect(),
        };
        report.sentence = report.in_words();
        report
    }

    fn in_words(&self) -> String {
        let Self {
            candidate,
            opponent,
            llr,
            verdict,
            bounds,
            ..
        } = self;
        let (lower, upper) = self.llr_limits;
        let what = match verdict {
            Verdict::Better => format!("{candidate} is better than {opponent}"),
            Verdict::NotBetter => format!("{candidate} is not better than {opponent}"),
            Verdict::Inconclusive => {
                format!("it stays open whether {candidate} is better than {opponent}")
            }
        };
        let why = match verdict {
            Verdict::Better => format!("reached {upper:+.2}"),
            Verdict::NotBetter => format!("reached {lower:+.2}"),
            Verdict::Inconclusive => format!("is between {lower:+.2} and {upper:+.2}"),
        };
        let Counts {
            wins,
            draws,
            losses,
        } = self.games;
        format!(
            "{what}: LLR {llr:+.2} {why} after {} of at most {} pairs ({wins} won, {draws} drawn, \
             {losses} lost; Elo {}); tested was {:+.0} against {:+.0} normalised Elo",
            self.pairs, self.max_pairs, self.elo, bounds.nelo1, bounds.nelo0,
        )
    }
}
