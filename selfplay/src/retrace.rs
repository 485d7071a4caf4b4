//! Searches recorded games again, move by move, to test whether another device computed nearly the
//! same.

use std::fmt;
use std::sync::atomic::AtomicBool;

use search::Evaluator;
use store::{Record, RecordedSearch};

use crate::{Job, SelfplayError, borrowed, play_games_along};

/// Searches every position of recorded games again, with the original random numbers and settings.
/// The returned games contain the moves that would have been played here, and continue beyond the
/// recorded moves if these do not end the game. `records` are in order of their numbers.
///
/// # Errors
/// The first failure of a worker.
pub fn retrace<E: Evaluator + Send>(
    job: &Job<'_>,
    records: &[Record],
    evaluators: &mut [E],
) -> Result<Vec<Record>, SelfplayError> {
    let numbers: Vec<u32> = records
        .iter()
        .map(|record| record.header.id.number)
        .collect();
    let job = Job {
        numbers: &numbers,
        ..*job
    };
    let mut found = Vec::new();
    let never = AtomicBool::new(false);
    let evaluators = &mut borrowed(evaluators);
    play_games_along(&job, records, evaluators, &never, &mut |record, _| {
        found.push(record);
        Ok(())
    })?;
    Ok(found)
}

/// The agreement of two devices about the same games.
///
/// A device with different rounding finds slightly different values, and occasionally another move
/// where two are nearly equal. A device that computes something else, with other weights or
/// settings, differs more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// The number of positions searched.
    pub searches: u32,
    /// The number of searches in which the other device would have played another move.
    pub other_moves: u32,
    /// The sum over all searches of the distance between the expected results, each from 0 to 1.
    value_distance: f64,
    /// The number of searches with a policy.
    policies: u32,
    /// The sum over these of the total variation distance between the policies.
    policy_distance: f64,
    /// A difference that is impossible between devices, if any.
    contradiction: Option<String>,
}

impl Agreement {
    /// The permitted share of different moves. With the bundled network of english, two f32
    /// implementations on processors differ in no moves; f32 and 8 bits differ in 3.3 %, with
    /// distances of 0.0025 and 0.038; weights that are each wrong by ±3 % differ in 10.1 %, with
    /// 0.0090 and 0.114.
    const OTHER_MOVES: f64 = 0.07;
    const VALUE_DISTANCE: f64 = 0.006;
    const POLICY_DISTANCE: f64 = 0.08;
    /// The tolerance beyond that for few searches, in standard deviations of the number of
    /// different moves.
    const SLACK: f64 = 3.0;

    /// Compares games as `played` with the same games as found by [`retrace`].
    pub fn of(played: &[Record], found: &[Record]) -> Agreement {
        let mut agreement = Agreement::default();
        for (played, found) in played.iter().zip(found) {
            agreement.add(played, found);
        }
        agreement
    }

    /// Returns true if this can be the same computation on another device.
    pub fn is_close(&self) -> bool {
        let expected = Self::OTHER_MOVES * f64::from(self.searches);
        self.contradiction.is_none()
            && f64::from(self.other_moves) <= expected + Self::SLACK * expected.sqrt()
            && self.value_distance() <= Self::VALUE_DISTANCE
            && self.policy_distance() <= Self::POLICY_DISTANCE
    }

    /// The share of searches with another move.
    pub fn other_moves(&self) -> f64 {
        f64::from(self.other_moves) / f64::from(self.searches.max(1))
    }

    /// The mean distance between the expected results, from 0 to 1.
    pub fn value_distance(&self) -> f64 {
        self.value_distance / f64::from(self.searches.max(1))
    }

    /// The mean distance between policies, from 0 to 1.
    pub fn policy_distance(&self) -> f64 {
        self.policy_distance / f64::from(self.policies.max(1))
    }

    fn add(&mut self, played: &Record, found: &Record) {
        let id = played.header.id;
        let mut contradict = |what: String| {
            self.contradiction
                .get_or_insert(format!("game {id} {what}"));
        };
        if played.start != found.start {
            return contradict("starts from another position".to_owned());
        }
        if played.plies.len() != found.plies.len() || played.result != found.result {
            let (here, there) = (found.plies.len(), played.plies.len());
            let (result, other) = (&found.result, &played.result);
            return contradict(format!(
                "ends after {there} plies with {other:?}, and its moves after {here} with {result:?}"
            ));
        }
        for (ply, (played, found)) in played.plies.iter().zip(&found.plies).enumerate() {
            let is_same_kind =
                std::mem::discriminant(&played.search) == std::mem::discriminant(&found.search);
            let is_own = matches!(
                found.search,
                RecordedSearch::Opening | RecordedSearch::Forced { .. }
            );
            if !is_same_kind || is_own && played.mv != found.mv {
                return contradict(format!("has another ply {}", ply + 1));
            }
            if is_own {
                continue;
            }
            self.searches += 1;
            self.other_moves += u32::from(played.mv != found.mv);
            self.value_distance += distance_of_values(&played.search, &found.search);
            if let Some(distance) = distance_of_policies(&played.search, &found.search) {
                self.policies += 1;
                self.policy_distance += distance;
            }
        }
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(contradiction) = &self.contradiction {
            return write!(f, "{contradiction}");
        }
        write!(
            f,
            "other moves in {:.1} % of {} searches, values {:.4} and policies {:.4} apart on average",
            100.0 * self.other_moves(),
            self.searches,
            self.value_distance(),
            self.policy_distance()
        )
    }
}

/// Between the expected results, where a win is 1 and a loss 0.
fn distance_of_values(one: &RecordedSearch, other: &RecordedSearch) -> f64 {
    let expected = |search: &RecordedSearch| {
        let [win, draw, _] = search
            .value()
            .map_or([0.0; 3], |value| value.probabilities());
        f64::from(win + 0.5 * draw)
    };
    (expected(one) - expected(other)).abs()
}

/// Half the sum of the differences (total variation).
fn distance_of_policies(one: &RecordedSearch, other: &RecordedSearch) -> Option<f64> {
    let (RecordedSearch::Full { policy: one, .. }, RecordedSearch::Full { policy: other, .. }) =
        (one, other)
    else {
        return None;
    };
    let (one, other) = (one.probabilities(), other.probabilities());
    if one.len() != other.len() {
        return Some(1.0);
    }
    let differences = one
        .iter()
        .zip(&other)
        .map(|(a, b)| f64::from((a - b).abs()));
    Some(0.5 * differences.sum::<f64>())
}
