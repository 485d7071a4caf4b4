//! The value of a king in men.

use ratings::{Case, Estimate, Logistic};
use serde::Serialize;

use super::trace::{Material, Trace};
use crate::{N_PHASES, phases};

/// The names of the phases.
pub(super) const PHASE_NAMES: [&str; N_PHASES] = ["over 3/4", "1/2 to 3/4", "1/3 to 1/2", "to 1/3"];
/// Games in which one side has more kings that a value needs: fewer are a few openings.
const FEWEST: u64 = 20;

/// The value of a king in a phase of the game.
///
/// For the side to move, `E(score) = 1 / (1 + exp(-(t + m·M + k·K)))` with `M` men and `K` kings
/// more than the other side; the value is `k / m`. The cases are the first position of each
/// material of a game at which the side to move cannot capture; repeated games count once. Tomašev
/// et al. (2020) estimate piece values in the same way, from the results of self-play and
/// differences of pieces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KingValue {
    /// The fewest and the most pieces.
    pub pieces: [usize; 2],
    /// Positions.
    pub positions: u64,
    /// Games in which one side has more kings.
    pub games: u64,
    /// `m`, the value of a man as a logit; `None` if the positions do not determine the fit.
    pub man: Option<Estimate>,
    /// The value of a king in men; `None` if the value of a man may be 0, or for too few games.
    pub king: Option<Estimate>,
}

/// The values of all phases.
pub(super) fn king_values(traces: &[&Trace]) -> Vec<KingValue> {
    let Some(first) = traces.first() else {
        return Vec::new();
    };
    let phases = phases(first.start.variant());
    phases.map(|pieces| king_value(traces, pieces)).to_vec()
}

fn king_value(traces: &[&Trace], pieces: [usize; 2]) -> KingValue {
    let (mut cases, mut games) = (Vec::new(), 0);
    for (game, trace) in traces.iter().enumerate() {
        let Some(result) = trace.result else {
            continue;
        };
        let first = cases.len();
        let material = trace.material.iter();
        let fits = |one: &&Material| (pieces[0]..=pieces[1]).contains(&one.count());
        cases.extend(material.filter(fits).map(|material| Case {
            features: features(material),
            score: f64::from(result.half_points(material.turn)) / 2.0,
            game,
        }));
        games += u64::from(cases[first..].iter().any(|case| case.features[2] != 0.0));
    }
    let fit = Logistic::fit(&cases);
    let man = fit.as_ref().map(|fit| fit.weight(1));
    let is_known = games >= FEWEST && man.is_some_and(|man| man.ci95[0] > 0.0);
    KingValue {
        pieces,
        positions: cases.len() as u64,
        games,
        man,
        king: fit.filter(|_| is_known).and_then(|fit| fit.ratio(2, 1)),
    }
}

/// The features of the fit: the move, men and kings.
fn features(material: &Material) -> [f64; 3] {
    let [ours, theirs] = material.pieces.map(|n| n as f64);
    let [our_kings, their_kings] = material.kings.map(|n| n as f64);
    let kings = our_kings - their_kings;
    [1.0, ours - theirs - kings, kings]
}
