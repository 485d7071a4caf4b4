//! Expected scores, and the marks of moves that cost some.

use search::Proof;
use serde::{Deserialize, Serialize};
use types::Wdl;

/// The logit at which a win is as likely as not, and the scale of the logits. Fitted by maximum
/// likelihood to 1,560 games of the bundled evaluations (`players/roster/examples/marks.rs`), which
/// were played on from 780 positions of english, customary, frisian, thai and russian. By these
/// numbers a loss is what the result lost on average: 0.35 became 0.40, 0.56 became 0.60.
const DRAW_LOGIT: f32 = 0.8;
const LOGIT_SCALE: f32 = 0.7;
/// A value so near to -1 or 1 counts as certain.
const CERTAIN: f32 = 1e-6;

/// A mark of a move that costs expected score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mark {
    /// `?!`
    #[serde(rename = "?!")]
    Dubious,
    /// `?`
    #[serde(rename = "?")]
    Mistake,
    /// `??`
    #[serde(rename = "??")]
    Blunder,
}

impl Mark {
    /// All marks, the mildest first.
    pub const ALL: [Mark; 3] = [Mark::Dubious, Mark::Mistake, Mark::Blunder];

    /// The smallest loss of expected score with this mark. Of the moves of the fit, those with a
    /// mark made the result worse in 36, 64 and 84 % of the games, those without one in 19 %.
    pub const fn least_loss(self) -> f32 {
        match self {
            Mark::Dubious => 0.15,
            Mark::Mistake => 0.25,
            Mark::Blunder => 0.45,
        }
    }

    /// The mark of a loss of expected score, if it has one.
    pub fn of_loss(loss: f32) -> Option<Mark> {
        let mut marks = Mark::ALL.into_iter().rev();
        marks.find(|mark| loss >= mark.least_loss())
    }

    /// The mark as it is written after a move.
    pub const fn glyph(self) -> &'static str {
        match self {
            Mark::Dubious => "?!",
            Mark::Mistake => "?",
            Mark::Blunder => "??",
        }
    }

    /// The class in the style sheet of reports.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Mark::Dubious => "dubious",
            Mark::Mistake => "mistake",
            Mark::Blunder => "blunder",
        }
    }
}

/// The expected score of a value, between strong players: 1 for a win, 1/2 for a draw.
///
/// `P(win) = 1 / (1 + exp((d - s) / k))`, where `s` is the logit of the value; `P(loss)` is the
/// same function of `-s`. A small advantage is nearly a draw, since strong players draw it.
pub(crate) fn score_of(value: Wdl, proof: Option<Proof>) -> f32 {
    match proof {
        Some(Proof::Win(_)) => return 1.0,
        Some(Proof::Draw) => return 0.5,
        Some(Proof::Loss(_)) => return 0.0,
        None => {}
    }
    let logit = 2.0 * libm::atanhf(value.value().clamp(CERTAIN - 1.0, 1.0 - CERTAIN));
    let win = |logit: f32| 1.0 / (1.0 + libm::expf((DRAW_LOGIT - logit) / LOGIT_SCALE));
    (1.0 + win(logit) - win(-logit)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wdl(value: f32) -> Wdl {
        Wdl {
            win: value.max(0.0),
            draw: 1.0 - value.abs(),
            loss: (-value).max(0.0),
        }
    }

    #[test]
    fn scores_by_hand() {
        assert_eq!(score_of(Wdl::DRAW, None), 0.5);
        // At the logit 0.8 the chance of a win is 1/2, that of a loss 1 / (1 + exp(1.6 / 0.7)).
        let score = score_of(wdl(libm::tanhf(0.4)), None);
        let loss = 1.0 / (1.0 + (1.6_f32 / 0.7).exp());
        assert!((score - (1.5 - loss) / 2.0).abs() < 1e-5, "{score}");
        assert!((score + score_of(wdl(-libm::tanhf(0.4)), None) - 1.0).abs() < 1e-6);
        assert_eq!(score_of(Wdl::DRAW, Some(Proof::Win(9))), 1.0);
        assert_eq!(score_of(Wdl::WIN, Some(Proof::Loss(9))), 0.0);
        assert!(score_of(Wdl::WIN, None) > 0.999);
    }

    #[test]
    fn marks_have_thresholds() {
        for mark in Mark::ALL {
            assert_eq!(Mark::of_loss(mark.least_loss()), Some(mark));
            assert!(Mark::of_loss(mark.least_loss() - 1e-4) < Some(mark));
        }
        assert_eq!((Mark::of_loss(0.0), Mark::of_loss(f32::NAN)), (None, None));
        assert_eq!(Mark::of_loss(1.0).map(Mark::glyph), Some("??"));
    }
}
