//! Scores in men, for the side to move.
//!
//! A value `v` in -1..=1 becomes the score `2 artanh(v)`: a lead of one man has the value 0.46,
//! three men 0.91. Scores beyond ±90 are proven results: `±(100 - plies / 100)`.

use search::Proof;
use types::Wdl;

/// Scores beyond this are proven results.
const DECIDED: f32 = 90.0;
/// The largest value without a proof.
const MAX_UNCERTAIN: f32 = 0.999_999;

/// The score of a value or a proof, for the side to move.
pub fn score_of(value: Wdl, proof: Option<Proof>) -> f32 {
    let distance = |plies: u16| 100.0 - f32::from(plies.min(999)) / 100.0;
    match proof {
        Some(Proof::Win(plies)) => distance(plies),
        Some(Proof::Loss(plies)) => -distance(plies),
        Some(Proof::Draw) => 0.0,
        None => 2.0 * libm::atanhf(value.value().clamp(-MAX_UNCERTAIN, MAX_UNCERTAIN)),
    }
}

/// The value of a score. A score does not determine the draw probability, which is made as large as
/// possible.
pub fn value_of_score(score: f32) -> Option<Wdl> {
    let value = match score {
        _ if !score.is_finite() => return None,
        _ if score > DECIDED => 1.0,
        _ if score < -DECIDED => -1.0,
        _ => libm::tanhf(score / 2.0),
    };
    let (win, loss) = (value.max(0.0), (-value).max(0.0));
    Some(Wdl {
        win,
        draw: 1.0 - win - loss,
        loss,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wdl(win: f32, loss: f32) -> Wdl {
        let draw = 1.0 - win - loss;
        Wdl { win, draw, loss }
    }

    #[test]
    fn scores_and_values() {
        assert_eq!(score_of(Wdl::DRAW, None), 0.0);
        assert!((score_of(wdl(0.462_117, 0.0), None) - 1.0).abs() < 1e-4);
        assert!((score_of(wdl(0.1, 0.562_117), None) + 1.0).abs() < 1e-4);
        for value in [Wdl::WIN, Wdl::LOSS] {
            assert!(score_of(value, None).abs() < DECIDED);
        }
        // pydraughts reads 99.5 as a win in 25 moves.
        assert_eq!(score_of(Wdl::WIN, Some(Proof::Win(50))), 99.5);
        assert_eq!(score_of(Wdl::LOSS, Some(Proof::Loss(u16::MAX))), -90.01);
        assert_eq!(score_of(Wdl::DRAW, Some(Proof::Draw)), 0.0);
    }

    #[test]
    fn values_come_back() {
        for value in [wdl(0.3, 0.0), wdl(0.0, 0.9), Wdl::DRAW] {
            let back = value_of_score(score_of(value, None)).unwrap();
            assert!((back.value() - value.value()).abs() < 1e-5);
        }
        assert_eq!(value_of_score(99.5), Some(Wdl::WIN));
        assert_eq!(value_of_score(-90.5), Some(Wdl::LOSS));
        assert_eq!(value_of_score(f32::NAN), None);
    }
}
