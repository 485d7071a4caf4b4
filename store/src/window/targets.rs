//! Training targets of a game: outcomes, sample weights.

use rules::{Color, Outcome};
use types::kl_divergence;

use super::WindowConfig;
use crate::record::{Record, RecordedSearch, Wdl8};

/// The result of the game, from Black's point of view. For a truncated game the last known value;
/// `None` if there is none.
pub(super) fn end_for_black(record: &Record) -> Option<Wdl8> {
    match record.result.map(Outcome::winner) {
        Some(Some(Color::Black)) => Some(Wdl8::WIN),
        Some(Some(Color::White)) => Some(Wdl8::LOSS),
        Some(None) => Some(Wdl8::DRAW),
        None => (0..record.plies.len())
            .rev()
            .find_map(|ply| value_for_black(record, ply)),
    }
}

/// Converts a value between Black's point of view and that of the side to move.
pub(super) fn seen_by(color: Color, value: Wdl8) -> Wdl8 {
    match color {
        Color::Black => value,
        Color::White => value.flipped(),
    }
}

/// The weight of each ply's sample: KataGo's surprise weighting
///
/// w(i) = 1 - p - v + n (p P(i) / sum P + v V(i) / sum V),
///
/// where P and V are the divergences of the policy target from the prior and of the searched value
/// from the network's, p and v the configured fractions, and n counts the plies with a full search.
/// Others weigh 1.
pub(super) fn weights(record: &Record, config: &WindowConfig) -> Vec<f32> {
    let surprises: Vec<Option<[f32; 2]>> = record
        .plies
        .iter()
        .map(|ply| surprises(&ply.search))
        .collect();
    let full = || surprises.iter().flatten();
    let n_full = full().count() as f32;
    let shares = [config.policy_surprise, config.value_surprise];
    let sums = [0, 1].map(|kind| full().map(|surprise| surprise[kind]).sum::<f32>());
    let weight = |surprise: &[f32; 2]| {
        let mut weight = 1.0;
        for kind in [0, 1] {
            // Without any surprise the weights stay equal.
            if sums[kind] > 0.0 {
                weight += shares[kind] * (n_full * surprise[kind] / sums[kind] - 1.0);
            }
        }
        weight
    };
    surprises
        .iter()
        .map(|surprise| surprise.as_ref().map_or(1.0, weight))
        .collect()
}

/// Policy surprise and value surprise, in nats.
fn surprises(search: &RecordedSearch) -> Option<[f32; 2]> {
    match search {
        RecordedSearch::Full {
            value,
            raw_value,
            surprise,
            ..
        } => {
            // Zeros count as half a quantization step.
            let floor = 0.5 / 255.0;
            let (value, raw_value) = (value.probabilities(), raw_value.probabilities());
            Some([surprise.nats(), kl_divergence(&value, &raw_value, floor)])
        }
        _ => None,
    }
}

fn value_for_black(record: &Record, ply: usize) -> Option<Wdl8> {
    record.plies[ply]
        .search
        .value()
        .map(|value| seen_by(mover(record, ply), value))
}

/// The sides take turns.
fn mover(record: &Record, ply: usize) -> Color {
    let first = record.start.turn();
    if ply.is_multiple_of(2) { first } else { !first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Header, Ply, Policy8, Surprise};
    use rules::{Game, Position, Variant};

    /// A short, truncated english game with these searches.
    fn record(searches: Vec<RecordedSearch>) -> Record {
        let start = Position::start(Variant::English);
        let mut game = Game::new(start);
        let plies = searches
            .into_iter()
            .map(|search| {
                let mv = game.legal_moves()[0];
                game.play(mv);
                Ply { mv, search }
            })
            .collect();
        let variant = Variant::English;
        let header = Header::new(variant, 0, 1, "");
        Record {
            header,
            start,
            plies,
            result: None,
        }
    }

    fn full(value: [f32; 3], raw_value: [f32; 3], nats: f32) -> RecordedSearch {
        let moves = Position::start(Variant::English).legal_moves();
        RecordedSearch::Full {
            value: Wdl8::new(value),
            raw_value: Wdl8::new(raw_value),
            surprise: Surprise::new(nats),
            policy: Policy8::new(&moves, &[1.0; 7]),
        }
    }

    #[test]
    fn a_game_that_was_cut_off_ends_with_its_last_value() {
        let white_wins = RecordedSearch::Fast { value: Wdl8::WIN };
        let record = record(vec![
            RecordedSearch::Opening,
            white_wins,
            RecordedSearch::Opening,
        ]);
        assert_eq!(end_for_black(&record), Some(Wdl8::LOSS));
    }

    #[test]
    fn the_surprise_of_what_seemed_impossible_is_finite() {
        let [policy, value] = surprises(&full([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.5)).unwrap();
        assert!((policy - 0.5).abs() < 0.01);
        assert!((value - (2.0 * 255.0_f32).ln()).abs() < 0.01, "{value}");
    }

    #[test]
    fn surprising_positions_weigh_more_and_the_sum_stays() {
        let even = [0.2, 0.6, 0.2];
        let record = record(vec![
            full(even, even, 0.5),
            RecordedSearch::Fast { value: Wdl8::DRAW },
            full(even, even, 1.5),
        ]);
        let config = WindowConfig {
            min_samples: 1,
            max_samples: 1,
            growth_power: 1.0,
            growth_slope: 0.0,
            policy_surprise: 0.5,
            value_surprise: 0.1,
            held_out: 0.0,
        };
        // 1 - 0.5 + 2 * 0.5 * (1/4 and 3/4); the values were no surprise.
        let expected = [0.75, 1.0, 1.25];
        for (weight, expected) in weights(&record, &config).into_iter().zip(expected) {
            assert!((weight - expected).abs() < 0.01, "{weight} for {expected}");
        }
    }
}
