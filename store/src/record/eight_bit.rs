//! Probabilities quantized to eight bits.

use rules::{Move, MoveList};

/// Probabilities of win, draw and loss in steps of 1/255.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl8 {
    /// `win + loss` is at most 255; the rest is the draw.
    win: u8,
    loss: u8,
}

impl Wdl8 {
    /// A certain win.
    pub const WIN: Wdl8 = Wdl8 { win: 255, loss: 0 };
    /// A certain draw.
    pub const DRAW: Wdl8 = Wdl8 { win: 0, loss: 0 };
    /// A certain loss.
    pub const LOSS: Wdl8 = Wdl8 { win: 0, loss: 255 };

    /// The nearest value to these probabilities of win, draw and loss, which need not sum to 1.
    ///
    /// # Panics
    /// If the numbers are not a distribution: negative, not finite, or all zero.
    pub fn new(wdl: [f32; 3]) -> Wdl8 {
        let sum = total(&wdl);
        let [win, _, loss] = wdl.map(|p| f64::from(p) / sum * 255.0);
        // Halves are rounded down, so that two of them do not exceed the whole.
        let round = |x: f64| (x - 0.5).ceil() as u8;
        Wdl8 {
            win: round(win),
            loss: round(loss).min(255 - round(win)),
        }
    }

    /// The probabilities of win, draw and loss.
    pub fn probabilities(self) -> [f32; 3] {
        let [win, draw, loss] = [self.win, 255 - self.win - self.loss, self.loss];
        [win, draw, loss].map(|p| f32::from(p) / 255.0)
    }

    /// The same value for the other side.
    pub fn flipped(self) -> Wdl8 {
        Wdl8 {
            win: self.loss,
            loss: self.win,
        }
    }

    pub(super) fn to_bytes(self) -> [u8; 2] {
        [self.win, self.loss]
    }

    pub(super) fn from_bytes([win, loss]: [u8; 2]) -> Option<Wdl8> {
        win.checked_add(loss).map(|_| Wdl8 { win, loss })
    }
}

/// A policy target: a probability for each legal move, in canonical order.
///
/// Stores fourth roots in steps of 1/255, because the soft policy is a target too: small
/// probabilities keep their magnitude down to about 1e-7, large ones have an error of about 1 %.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy8(Box<[u8]>);

impl Policy8 {
    /// A target with a probability for each of the legal `moves`, in any order. The numbers need
    /// not sum to 1.
    ///
    /// # Panics
    /// If the numbers are not a distribution over the moves: wrong length, negative, not finite, or
    /// all zero.
    pub fn new(moves: &[Move], probabilities: &[f32]) -> Policy8 {
        assert_eq!(
            moves.len(),
            probabilities.len(),
            "a probability for each legal move"
        );
        let sum = total(probabilities);
        let mut sorted = MoveList::new();
        moves.iter().for_each(|&mv| sorted.push(mv));
        sorted.sort_canonical();
        let root = |mv: &Move| {
            let place = moves
                .iter()
                .position(|other| other == mv)
                .unwrap_or_default();
            let share = f64::from(probabilities[place]) / sum;
            (share.sqrt().sqrt() * 255.0).round() as u8
        };
        Policy8(sorted.iter().map(root).collect())
    }

    /// The probabilities, which sum to 1.
    pub fn probabilities(&self) -> Vec<f32> {
        probabilities(&self.0)
    }

    /// The number of moves.
    pub fn n_moves(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Policy8> {
        bytes
            .iter()
            .any(|&root| root > 0)
            .then(|| Policy8(bytes.into()))
    }
}

/// The probabilities of the stored fourth roots.
pub(crate) fn probabilities(roots: &[u8]) -> Vec<f32> {
    let powers: Vec<f32> = roots
        .iter()
        .map(|&root| square(square(f32::from(root) / 255.0)))
        .collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// Kullback-Leibler divergence of a policy target from the network's policy, up to 8 nats.
///
/// Stores the square root in eight bits, so that small divergences stay distinct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Surprise(pub(super) u8);

impl Surprise {
    const MAX_NATS: f32 = 8.0;

    /// The nearest surprise that can be stored; a negative divergence is a rounding error and
    /// counts as 0.
    pub fn new(nats: f32) -> Surprise {
        let share = nats.clamp(0.0, Surprise::MAX_NATS) / Surprise::MAX_NATS;
        Surprise((share.sqrt() * 255.0).round() as u8)
    }

    /// The divergence in nats.
    pub fn nats(self) -> f32 {
        square(f32::from(self.0) / 255.0) * Surprise::MAX_NATS
    }
}

fn square(x: f32) -> f32 {
    x * x
}

fn total(probabilities: &[f32]) -> f64 {
    let sum: f64 = probabilities.iter().map(|&p| f64::from(p)).sum();
    let is_distribution = probabilities.iter().all(|&p| p >= 0.0) && sum > 0.0 && sum.is_finite();
    assert!(is_distribution, "{probabilities:?} is not a distribution");
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rules::{Position, Variant};

    #[test]
    fn certain_values_stay_certain() {
        assert_eq!(Wdl8::new([1.0, 0.0, 0.0]), Wdl8::WIN);
        assert_eq!(Wdl8::new([0.0, 2.0, 0.0]), Wdl8::DRAW);
        assert_eq!(Wdl8::LOSS.probabilities(), [0.0, 0.0, 1.0]);
        assert_eq!(Wdl8::new([0.5, 0.0, 0.5]).to_bytes(), [127, 127]);
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let moves = Position::start(Variant::English).legal_moves().to_vec();
        let new = |first: &[f32]| {
            let mut target = vec![0.0; moves.len()];
            target[..first.len()].copy_from_slice(first);
            std::panic::catch_unwind(|| Policy8::new(&moves, &target)).is_ok()
        };
        assert!(new(&[0.0, 3.0]) && new(&[f32::MIN_POSITIVE]));
        assert!(!new(&[]) && !new(&[-0.1, 2.0]) && !new(&[-0.1]));
        assert!(!new(&[f32::INFINITY]) && !new(&[f32::NAN, 1.0]));
        assert_eq!(Policy8::from_bytes(&[0, 0]), None);
        assert_eq!(Policy8::from_bytes(&[0, 1]).unwrap().n_moves(), 2);
    }

    /// Exact to the last bit, because training must be repeatable.
    #[test]
    fn stored_policies_are_read_alike_for_ever() {
        let bits = probabilities(&[250, 191, 90]).into_iter().map(f32::to_bits);
        assert_eq!(
            bits.collect::<Vec<_>>(),
            [1_060_934_932, 1_048_608_794, 1_011_529_640]
        );
    }

    #[test]
    fn a_policy_is_stored_in_canonical_order() {
        let position = Position::start(Variant::English);
        let mut moves = position.legal_moves().to_vec();
        moves.reverse();
        let weights: Vec<f32> = (1..=moves.len()).map(|n| n as f32).collect();
        let policy = Policy8::new(&moves, &weights).probabilities();
        let mut canonical = position.legal_moves();
        canonical.sort_canonical();
        for (mv, p) in canonical.iter().zip(policy) {
            let place = moves.iter().position(|other| other == mv).unwrap();
            let exact = weights[place] / weights.iter().sum::<f32>();
            assert!((p - exact).abs() < 0.01 * exact.sqrt(), "{p} for {exact}");
        }
    }

    proptest! {
        #[test]
        fn values_are_right_to_half_a_step(wdl in prop::array::uniform3(0.0_f32..1.0)) {
            prop_assume!(wdl.iter().sum::<f32>() > 0.01);
            let sum: f32 = wdl.iter().sum();
            let stored = Wdl8::new(wdl);
            for (p, exact) in stored.probabilities().into_iter().zip(wdl) {
                prop_assert!((p - exact / sum).abs() < 1.01 / 255.0);
            }
            prop_assert_eq!(Wdl8::from_bytes(stored.to_bytes()), Some(stored));
            prop_assert_eq!(Wdl8::new(stored.probabilities()), stored);
            prop_assert_eq!(stored.flipped(), Wdl8::new([wdl[2], wdl[1], wdl[0]]));
        }

        #[test]
        fn surprises_come_back(stored: u8) {
            prop_assert_eq!(Surprise::new(Surprise(stored).nats()), Surprise(stored));
        }

        #[test]
        fn policies_stay_close(raw in prop::collection::vec(0.0_f32..1.0, 7), power in 1..20) {
            let moves = Position::start(Variant::English).legal_moves();
            let target: Vec<f32> = raw.iter().map(|p| p.powi(power) + 1e-9).collect();
            let sum: f32 = target.iter().sum();
            let mut sorted = Position::start(Variant::English).legal_moves();
            sorted.sort_canonical();
            let stored = Policy8::new(&sorted, &target).probabilities();
            prop_assert_eq!(moves.len(), 7);
            let divergence: f32 = target
                .iter()
                .zip(&stored)
                .map(|(p, q)| p / sum * (p / sum / q.max(1e-12)).ln())
                .sum();
            prop_assert!(divergence < 2e-4, "{divergence} nats");
            prop_assert!((stored.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}
