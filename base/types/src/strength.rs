//! Limited strength: handicaps of a player, and its measured ratings with them.

use std::fmt;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::Seed;

/// Temperatures of players with minimal search, weakest first. At 16, a move a hundred times as
/// likely as another is played 1.3 times as often.
const TEMPERATURES: [f32; 10] = [16.0, 8.0, 5.6, 4.0, 2.8, 2.0, 1.4, 1.0, 0.7, 0.5];
/// The number of steps from there to the player without a handicap.
const N_STEPS: u32 = 6;
/// The highest rating accepted, on a scale with `random` at 0.
const MOST_ELO: f64 = 20_000.0;
/// The maximum number of nodes of a handicap. Measured ones have at most 10,000, and a search by
/// nodes alone allocates memory for all of them.
const MOST_NODES: f64 = 1e5;
/// The spacing in Elo of the strengths offered to users.
const CHOICE: u32 = 200;

/// Limits that make a player weaker.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Handicap {
    /// Simulations or positions per move, at least one. May be fractional: 2.3 means 3 simulations
    /// on 30 % of the moves, else 2; alpha-beta search rounds.
    pub nodes: f64,
    /// Moves are sampled with the search policy to the power of 1 / temperature; at 0 the best move
    /// is played.
    pub temperature: f32,
}

impl Handicap {
    /// Handicaps from nearly random play up to none, for a player with `least` to `most` nodes per
    /// move.
    pub fn ladder(least: u32, most: u32) -> Vec<Handicap> {
        let [least, most] = [least, most].map(f64::from);
        let [.., lowest] = TEMPERATURES;
        let weak = TEMPERATURES.map(|temperature| Handicap {
            nodes: least,
            temperature,
        });
        let stronger = (1..=N_STEPS).map(|step| {
            let way = f64::from(step) / f64::from(N_STEPS);
            Handicap {
                nodes: (least * libm::pow(most / least, way)).round(),
                temperature: lowest * (1.0 - way) as f32,
            }
        });
        weak.into_iter().chain(stronger).collect()
    }

    /// Interpolates between this handicap (at 0) and another (at 1).
    #[must_use]
    pub fn towards(self, other: Handicap, way: f64) -> Handicap {
        let [from, to] = [self.nodes, other.nodes].map(libm::log);
        let between = 100.0 * libm::exp(from + way * (to - from));
        Handicap {
            nodes: between.round() / 100.0,
            temperature: self.temperature + way as f32 * (other.temperature - self.temperature),
        }
    }

    /// The number of simulations or positions for one move; the seed decides how a fraction is
    /// rounded.
    pub fn nodes_of_move(self, seed: Seed) -> u32 {
        let up: f64 = seed.derive("nodes", &[]).rng().random();
        (self.nodes + up).floor() as u32
    }

    /// The maximum number of simulations or positions for any move.
    pub fn most_nodes(self) -> u32 {
        self.nodes.ceil() as u32
    }
}

impl fmt::Display for Handicap {
    /// Writes the handicap as options of a player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Handicap { nodes, temperature } = self;
        write!(f, "nodes={nodes},temperature={temperature:.3}")
    }
}

/// A handicap and its measured rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatedHandicap {
    /// As in [`Handicap`].
    pub nodes: f64,
    /// As in [`Handicap`].
    pub temperature: f32,
    /// The rating, with `random` at 0.
    pub elo: f64,
    /// The half-width of its 95 % interval.
    pub ci95: f64,
}

impl RatedHandicap {
    /// The handicap without its rating.
    pub fn handicap(self) -> Handicap {
        let RatedHandicap {
            nodes, temperature, ..
        } = self;
        Handicap { nodes, temperature }
    }
}

/// The measured ratings of one player with several handicaps; empty if none were measured.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<RatedHandicap>")]
pub struct Strength(Vec<RatedHandicap>);

/// The error of an invalid list of rated handicaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "strengths must increase up to at most 20000 Elo, each with at least one node, a temperature and an interval"
)]
pub struct UnusableStrength;

impl TryFrom<Vec<RatedHandicap>> for Strength {
    type Error = UnusableStrength;

    fn try_from(measured: Vec<RatedHandicap>) -> Result<Strength, UnusableStrength> {
        let is_usable = |rated: &RatedHandicap| {
            (1.0..=MOST_NODES).contains(&rated.nodes)
                && (0.0..f32::INFINITY).contains(&rated.temperature)
                && rated.elo.abs() <= MOST_ELO
                && (0.0..f64::INFINITY).contains(&rated.ci95)
        };
        match measured.iter().all(is_usable) && measured.is_sorted_by_key(|rated| rated.elo) {
            true => Ok(Strength(measured)),
            false => Err(UnusableStrength),
        }
    }
}

/// The error of requesting a strength outside the measured range.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error(
    "{asked:.0} Elo is out of its range: measured strengths go from {least:.0} to {most:.0}, with `random` at 0"
)]
pub struct OutOfRange {
    /// The requested rating.
    pub asked: f64,
    /// The lowest rating of the player.
    pub least: f64,
    /// The highest rating of the player.
    pub most: f64,
}

impl Strength {
    /// The strength of a player from its measured handicaps, weakest first. Ratings that decrease
    /// are replaced by their mean (isotonic regression); all are rounded.
    pub fn new(measured: impl IntoIterator<Item = RatedHandicap>) -> Strength {
        // Pools adjacent violators until ratings increase.
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        let all: Vec<RatedHandicap> = measured.into_iter().collect();
        for rated in &all {
            let error = rated.ci95.max(1.0);
            let weight = 1.0 / (error * error);
            pools.push((weight, weight * rated.elo, 1));
            while let [.., (w, s, n), (weight, sum, count)] = &mut pools[..]
                && *s / *w >= *sum / *weight
            {
                (*w, *s, *n) = (*w + *weight, *s + *sum, *n + *count);
                pools.pop();
            }
        }
        let means = pools
            .iter()
            .flat_map(|(weight, sum, n)| std::iter::repeat_n((sum / weight).round(), *n));
        let pooled = all.into_iter().zip(means);
        Strength(
            pooled
                .map(|(rated, elo)| RatedHandicap { elo, ..rated })
                .collect(),
        )
    }

    /// True if nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lowest and the highest rating, or `None` if nothing was measured.
    pub fn range(&self) -> Option<(f64, f64)> {
        Some((self.0.first()?.elo, self.0.last()?.elo))
    }

    /// Round ratings above `random` within the range, for menus.
    pub fn choices(&self) -> Vec<u32> {
        let Some((least, most)) = self.range() else {
            return Vec::new();
        };
        let round = (1..).map(|n| CHOICE * n);
        let above = round.skip_while(|elo| f64::from(*elo) < least);
        above.take_while(|elo| f64::from(*elo) <= most).collect()
    }

    /// The handicap for this rating, interpolated between the measured ones.
    ///
    /// # Errors
    /// If the rating is out of the measured range.
    pub fn handicap(&self, elo: f64) -> Result<Handicap, OutOfRange> {
        if let Some(rated) = self.0.iter().find(|rated| rated.elo == elo) {
            return Ok(rated.handicap());
        }
        let (least, most) = self.range().unwrap_or_default();
        let [below, above] = self
            .0
            .array_windows()
            .find(|[below, above]| (below.elo..=above.elo).contains(&elo))
            .ok_or(OutOfRange {
                asked: elo,
                least,
                most,
            })?;
        let way = (elo - below.elo) / (above.elo - below.elo);
        Ok(below.handicap().towards(above.handicap(), way))
    }
}

/// Samples the index of a move with probabilities proportional to `exp(logit / temperature)`; at
/// temperature 0 the first maximum. At least one logit must be above -infinity.
pub fn draw(logits: &[f32], temperature: f32, seed: Seed) -> usize {
    let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let best = logits.iter().position(|logit| *logit == greatest);
    let best = best.unwrap_or_default();
    if temperature <= 0.0 {
        return best;
    }
    let weights = logits
        .iter()
        .map(|logit| libm::exp(f64::from((logit - greatest) / temperature)));
    let sum: f64 = weights.clone().sum();
    let mut rest = sum * seed.derive("temperature", &[]).rng().random::<f64>();
    let drawn = weights.into_iter().position(|weight| {
        rest -= weight;
        rest < 0.0
    });
    // Rounding errors of the sum may leave nothing to draw.
    drawn.unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(nodes: f64, temperature: f32, elo: f64) -> RatedHandicap {
        RatedHandicap {
            nodes,
            temperature,
            elo,
            ci95: 20.0,
        }
    }

    #[test]
    fn handicaps_are_found_between_those_measured() {
        let strength = Strength::new([
            rated(1.0, 2.0, 300.0),
            rated(1.0, 0.5, 600.0),
            rated(64.0, 0.0, 1200.0),
        ]);
        let handicap = |elo| strength.handicap(elo).map(|h| (h.nodes, h.temperature));
        assert_eq!(handicap(300.0), Ok((1.0, 2.0)));
        assert_eq!(handicap(450.0), Ok((1.0, 1.25)));
        assert_eq!(handicap(900.0), Ok((8.0, 0.25)));
        assert_eq!(handicap(1200.0), Ok((64.0, 0.0)));
        assert_eq!(strength.choices(), [400, 600, 800, 1000, 1200]);
        for asked in [299.0, 1201.0, f64::NAN] {
            let message = handicap(asked).unwrap_err().to_string();
            assert!(message.contains("from 300 to 1200"), "{message}");
        }
        assert!(Strength::default().handicap(500.0).is_err());
        assert!(Strength::default().choices().is_empty());
        // A player may lose to `random`; 0 Elo cannot be asked for.
        let from_below = Strength::new([rated(1.0, 9.0, -7.0), rated(2.0, 0.0, 450.0)]);
        assert_eq!(from_below.choices(), [200, 400]);
    }

    #[test]
    fn ratings_that_fall_are_pooled() {
        let elos = [100.0, 400.0, 300.0, 320.0, 500.0];
        let measured = (1..).zip(elos);
        let measured = measured.map(|(nodes, elo)| rated(f64::from(nodes), 0.0, elo));
        let strength = Strength::new(measured);
        let pooled: Vec<f64> = strength.0.iter().map(|rated| rated.elo).collect();
        assert_eq!(pooled, [100.0, 340.0, 340.0, 340.0, 500.0]);
        assert_eq!(strength.handicap(500.0).unwrap().nodes, 5.0);
        let text = serde_json::to_string(&strength).unwrap();
        assert_eq!(serde_json::from_str::<Strength>(&text).unwrap(), strength);
    }

    #[test]
    fn the_only_strength_can_be_asked_for() {
        let strength = Strength::new([rated(3.0, 2.0, 300.0)]);
        assert_eq!(strength.handicap(300.0).unwrap().nodes, 3.0);
        assert!(strength.handicap(301.0).is_err());
    }

    #[test]
    fn unusable_measurements_are_rejected() {
        let rated = |nodes: &str, temperature: &str, elo: &str| {
            format!(r#"{{"nodes":{nodes},"temperature":{temperature},"elo":{elo},"ci95":9}}"#)
        };
        let read = |list: &[String]| {
            serde_json::from_str::<Strength>(&format!("[{}]", list.join(","))).is_ok()
        };
        let usual = rated("1", "0.5", "300");
        assert!(read(&[]) && read(&[usual.clone(), rated("9", "0", "400")]));
        for bad in [
            rated("0.9", "0", "400"),
            rated("1e10", "0", "400"),
            rated("9", "-1", "400"),
            rated("9", "1e300", "400"),
            rated("9", "0", "1e300"),
            rated("9", "0", "200"),
        ] {
            assert!(!read(&[usual.clone(), bad.clone()]), "{bad}");
        }
    }

    #[test]
    fn the_ladder_rises_from_random_to_the_whole() {
        let ladder = Handicap::ladder(1, 64);
        let nodes: Vec<u32> = ladder
            .iter()
            .map(|handicap| handicap.most_nodes())
            .collect();
        assert_eq!(nodes[..10], [1; 10]);
        assert_eq!(nodes[10..], [2, 4, 8, 16, 32, 64]);
        assert!(ladder.is_sorted_by(|a, b| a.temperature > b.temperature));
        assert_eq!(ladder.last().map(|last| last.temperature), Some(0.0));
    }

    #[test]
    fn fractions_of_a_node_are_rounded_up_or_down_by_chance() {
        let [two, three] = [2.0, 3.0].map(|nodes| Handicap {
            nodes,
            temperature: 0.0,
        });
        let between = two.towards(three, 0.5);
        assert_eq!(between.nodes, 2.45);
        let nodes = |handicap: Handicap| {
            let moves = (0..4_000).map(|seed| handicap.nodes_of_move(Seed::new(seed)));
            moves.map(f64::from).sum::<f64>() / 4_000.0
        };
        assert_eq!((nodes(two), nodes(three)), (2.0, 3.0));
        assert!((nodes(between) - 2.45).abs() < 0.03);
        assert_eq!(between.most_nodes(), 3);
    }

    #[test]
    fn moves_are_drawn_by_their_odds() {
        let logits = [f32::NEG_INFINITY, 0.0, 3f32.ln()];
        let shares = |temperature| {
            let mut counts = [0.0; 3];
            for seed in 0..4_000 {
                counts[draw(&logits, temperature, Seed::new(seed))] += 1.0 / 4_000.0;
            }
            counts
        };
        let close = |found: [f64; 3], expected: [f64; 3]| {
            let off = |(a, b): (&f64, &f64)| (a - b).abs();
            assert!(
                found.iter().zip(&expected).map(off).all(|off| off < 0.02),
                "{found:?}"
            );
        };
        close(shares(1.0), [0.0, 0.25, 0.75]);
        close(shares(0.5), [0.0, 0.1, 0.9]);
        close(shares(2.0), [0.0, 1.0 / 2.732, 1.732 / 2.732]);
        close(shares(0.0), [0.0, 0.0, 1.0]);
    }
}
