//! What a game teaches about its positions: outcomes, averages of later values, weights.

use rules::{Color, Outcome};

use super::WindowConfig;
use crate::record::{Record, Search, Wdl, Wdl8};

/// How the game ended, for Black. For one that was cut off, the last value that was known; none where
/// there was none.
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

/// A value of Black's as the side to move sees it, or the other way round.
pub(super) fn seen_by(color: Color, value: Wdl8) -> Wdl8 {
    match color {
        Color::Black => value,
        Color::White => value.flipped(),
    }
}

/// For each ply the average of the values from there on, for the side to move:
///
/// A(t) = (1 - d) V(t) + d A(t + 1) with d = 1 - 1 / horizon, and the game's end after the last ply.
///
/// The weights fall off so that a value is looked at `horizon - 1` plies ahead on average. A ply whose
/// value is not known passes on the average.
pub(super) fn averages(record: &Record, end: Wdl8, horizon: f32) -> Vec<Wdl8> {
    let decay = 1.0 - 1.0 / horizon;
    let mut average = end.probabilities();
    let mut averages = vec![end; record.plies.len()];
    for ply in (0..record.plies.len()).rev() {
        if let Some(value) = value_for_black(record, ply) {
            average = mix(value.probabilities(), average, decay);
        }
        averages[ply] = seen_by(mover(record, ply), Wdl8::new(average));
    }
    averages
}

/// For each ply how much more often than others its sample is drawn: KataGo's surprise weighting
///
/// w(i) = 1 - p - v + n (p P(i) / sum P + v V(i) / sum V),
///
/// where P and V are the divergences of policy target from prior and of searched value from the network's,
/// p and v the shares of the configuration, and the n plies those with a full search. The others weigh 1.
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
            // Where nothing surprised at all, nothing is moved from one sample to another.
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

/// How far search has moved policy and value, in nats.
fn surprises(search: &Search) -> Option<[f32; 2]> {
    match search {
        Search::Full {
            value,
            raw_value,
            surprise,
            ..
        } => {
            let divergence = divergence(value.probabilities(), raw_value.probabilities());
            Some([surprise.nats(), divergence])
        }
        _ => None,
    }
}

/// The Kullback-Leibler divergence of p from q, where zeros of q stand for half a step of what is stored.
fn divergence(p: Wdl, q: Wdl) -> f32 {
    let term = |(p, q): (f32, f32)| {
        if p > 0.0 {
            p * (p / q.max(0.5 / 255.0)).ln()
        } else {
            0.0
        }
    };
    p.into_iter().zip(q).map(term).sum::<f32>().max(0.0)
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

fn mix(value: Wdl, average: Wdl, decay: f32) -> Wdl {
    std::array::from_fn(|i| (1.0 - decay) * value[i] + decay * average[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameId, Header, Ply, Policy8, Surprise};
    use crate::window::Coverage;
    use rules::{Game, Position, Variant};

    /// A short english game that is cut off, with these searches.
    fn record(searches: Vec<Search>) -> Record {
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
        let header = Header {
            variant,
            rules_version: variant.rules_version(),
            seed: 0,
            id: GameId {
                generation: 1,
                number: 0,
            },
            network: String::new(),
            config_hash: 0,
        };
        Record {
            header,
            start,
            plies,
            result: None,
        }
    }

    fn full(value: Wdl, raw_value: Wdl, nats: f32) -> Search {
        let moves = Position::start(Variant::English).legal_moves();
        Search::Full {
            value: Wdl8::new(value),
            raw_value: Wdl8::new(raw_value),
            surprise: Surprise::new(nats),
            policy: Policy8::new(&moves, &[1.0; 7]),
        }
    }

    #[test]
    fn a_game_that_was_cut_off_ends_with_its_last_value() {
        let white_wins = Search::Fast { value: Wdl8::WIN };
        let record = record(vec![Search::Opening, white_wins, Search::Opening]);
        assert_eq!(end_for_black(&record), Some(Wdl8::LOSS));
    }

    #[test]
    fn averages_look_ahead_and_change_sides() {
        let [win, draw] = [Wdl8::WIN, Wdl8::DRAW].map(|value| Search::Fast { value });
        let record = record(vec![draw, Search::Opening, win]);
        // For Black, who made the first move: V = 0, unknown, 1, and the end 1; a half each way.
        let seen = averages(&record, Wdl8::WIN, 2.0);
        assert_eq!(seen[2], Wdl8::WIN);
        assert_eq!(seen[1], Wdl8::LOSS, "White's view of Black's average");
        assert!((seen[0].probabilities()[0] - 0.5).abs() < 0.003);
        let now = averages(&record, Wdl8::WIN, 1.0);
        assert_eq!(now[0], Wdl8::DRAW, "horizon 1 is the value itself");
    }

    #[test]
    fn surprising_positions_weigh_more_and_the_sum_stays() {
        let even = [0.2, 0.6, 0.2];
        let record = record(vec![
            full(even, even, 0.5),
            Search::Fast { value: Wdl8::DRAW },
            full(even, even, 1.5),
        ]);
        let config = WindowConfig {
            min_samples: 1,
            max_samples: 1,
            growth_power: 1.0,
            growth_slope: 0.0,
            horizons: Vec::new(),
            policy_surprise: 0.5,
            value_surprise: 0.1,
            forced: Coverage::Skip,
            fast: Coverage::Skip,
        };
        // 1 - 0.5 + 2 * 0.5 * (1/4 and 3/4); the values were no surprise.
        let expected = [0.75, 1.0, 1.25];
        for (weight, expected) in weights(&record, &config).into_iter().zip(expected) {
            assert!((weight - expected).abs() < 0.01, "{weight} for {expected}");
        }
        assert!(divergence([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).is_finite());
    }
}
