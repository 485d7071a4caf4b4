//! Simulated gates: checks that the stated errors hold, and which rule keeps the strongest
//! champion.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use ratings::{GateRule, Pentanomial, SprtBounds, Verdict};
use types::Seed;

/// The default configuration.
const USUAL: SprtBounds = SprtBounds {
    nelo0: 0.0,
    nelo1: 40.0,
    alpha: 0.25,
    beta: 0.25,
};
const MAX_PAIRS: u64 = 100;
/// Normalized Elo per standard deviation of a game: 800 / ln 10.
const NELO_PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// Plays gates between players with this share of draws, where the candidate is `nelo` stronger.
/// The colors of a pair are independent. Returns the share of promotions and the mean number of
/// pairs.
fn gates(rule: &GateRule, nelo: f64, drawn: f64, n_gates: u64) -> (f64, f64) {
    // A game's standard deviation is √(1 - drawn) / 2 between equals.
    let advantage = nelo / NELO_PER_SIGMA * (1.0 - drawn).sqrt() / 2.0;
    let win = (1.0 - drawn) / 2.0 + advantage;
    let mut rng = Seed::new(7).rng();
    let (mut promoted, mut pairs) = (0, 0);
    for _ in 0..n_gates {
        let mut results = Pentanomial::default();
        let state = loop {
            let half_points = |rng: &mut ChaCha8Rng| match rng.random::<f64>() {
                lot if lot < win => 2,
                lot if lot < win + drawn => 1,
                _ => 0,
            };
            results.add(half_points(&mut rng) + half_points(&mut rng));
            match rule.verdict(&results, results.pairs()) {
                Verdict::Inconclusive => {}
                decided => break decided,
            }
        };
        promoted += u32::from(state == Verdict::Better);
        pairs += results.pairs();
    }
    let n = n_gates as f64;
    (f64::from(promoted) / n, pairs as f64 / n)
}

#[test]
fn stated_errors_hold_on_pairs_of_games() {
    const GATES: u64 = 600;
    let rule = GateRule::new(&USUAL, MAX_PAIRS);
    for drawn in [0.2, 0.5, 0.8] {
        let (alpha, under_h0) = gates(&rule, USUAL.nelo0, drawn, GATES);
        let (power, under_h1) = gates(&rule, USUAL.nelo1, drawn, GATES);
        println!(
            "{drawn} drawn: promoted {alpha:.3} of equals, {power:.3} of those +40, after {under_h0:.0} \
             and {under_h1:.0} pairs"
        );
        // Three standard errors.
        for error in [alpha, 1.0 - power] {
            assert!((0.19..0.303).contains(&error), "{drawn} drawn: {error}");
        }
        // 4,000,000 random walks of an independent program take 46.05 pairs.
        for pairs in [under_h0, under_h1] {
            assert!((pairs / 46.05 - 1.0).abs() < 0.15, "{pairs}");
        }
    }
    // With almost only draws, a hundred pairs contain a handful of decisive ones.
    let (alpha, _) = gates(&rule, USUAL.nelo0, 0.97, GATES);
    let (power, pairs) = gates(&rule, USUAL.nelo1, 0.97, GATES);
    println!(
        "0.97 drawn: promoted {alpha:.3} of equals, {power:.3} of those +40, {pairs:.0} pairs"
    );
    assert!(alpha < 0.31 && power > 0.6, "{alpha} {power}");
}

/// A gate rule, as the training loop sees it.
enum Rule {
    /// The limits of a sequential test without an end, and no promotion at the last pair.
    Open(SprtBounds),
    Gate(Box<GateRule>),
    /// More than half of the points in this many pairs.
    Half(u64),
}

impl Rule {
    /// Plays a gate of a candidate with this t-value of a pair; returns whether it was promoted,
    /// and the number of pairs. The likelihood ratio is that of normal scores.
    fn play(&self, t_value: f64, rng: &mut ChaCha8Rng) -> (bool, u64) {
        let t = |nelo: f64| nelo / NELO_PER_SIGMA * std::f64::consts::SQRT_2;
        let mut sum = 0.0;
        for pairs in 1.. {
            sum += t_value + normal(rng);
            let ratio = |bounds: &SprtBounds| {
                let (t0, t1) = (t(bounds.nelo0), t(bounds.nelo1));
                (t1 - t0) * (sum - pairs as f64 * (t0 + t1) / 2.0)
            };
            let (llr, (lower, upper)) = match self {
                Self::Open(bounds) => (ratio(bounds), bounds.limits()),
                Self::Gate(rule) => (ratio(&rule.bounds), rule.limits(pairs)),
                Self::Half(n) if pairs == *n => return (sum > 0.0, pairs),
                Self::Half(_) => continue,
            };
            if llr <= lower || llr >= upper || pairs == MAX_PAIRS {
                return (llr >= upper, pairs);
            }
        }
        unreachable!("pairs are counted without an end")
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let [a, b]: [f64; 2] = [1.0 - rng.random::<f64>(), rng.random()];
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// A champion behind a network whose strength drifts, in Elo per generation, with random deviations
/// of single models. Half of the games are drawn. Returns the mean number of pairs, and the
/// champion's mean distance below the network's strength from generation 20 to 150.
fn follow(rule: &Rule, drift: f64, deviation: f64) -> (f64, f64) {
    const WORLDS: u64 = 60;
    const GENERATIONS: u64 = 150;
    /// Normalized Elo of an Elo at 50 % draws, times √2 / 347.4: the t-value of a pair.
    const T_PER_ELO: f64 = std::f64::consts::SQRT_2 * std::f64::consts::SQRT_2 / NELO_PER_SIGMA;
    let mut rng = Seed::new(3).rng();
    let (mut pairs, mut below) = (0, 0.0);
    for _ in 0..WORLDS {
        let (mut network, mut champion) = (0.0, 0.0);
        for generation in 0..GENERATIONS {
            network += drift;
            let candidate: f64 = network + deviation * normal(&mut rng);
            let (promoted, played) = rule.play((candidate - champion) * T_PER_ELO, &mut rng);
            pairs += played;
            if promoted {
                champion = candidate;
            }
            if generation >= 20 {
                below += network - champion;
            }
        }
    }
    let gates = (WORLDS * GENERATIONS) as f64;
    (
        pairs as f64 / gates,
        below / (WORLDS * (GENERATIONS - 20)) as f64,
    )
}

#[test]
fn the_usual_rule_keeps_a_stronger_champion_with_fewer_pairs() {
    let with = |nelo0, error| SprtBounds {
        nelo0,
        alpha: error,
        beta: error,
        ..USUAL
    };
    let gate = |nelo0, error| Rule::Gate(Box::new(GateRule::new(&with(nelo0, error), MAX_PAIRS)));
    let rules = [
        (
            "before: 0, 40, errors 0.05, open",
            Rule::Open(with(0.0, 0.05)),
        ),
        ("usual: 0, 40, errors 0.25", gate(0.0, 0.25)),
        ("-20, 40, errors 0.17", gate(-20.0, 0.17)),
        ("-40, 40, errors 0.1", gate(-40.0, 0.1)),
        ("above half of 20 pairs", Rule::Half(20)),
        ("above half of 40 pairs", Rule::Half(40)),
        ("above half of 100 pairs", Rule::Half(100)),
    ];
    let worlds = [
        (4.0, 15.0),
        (1.0, 10.0),
        (0.3, 10.0),
        (0.0, 10.0),
        (-2.0, 10.0),
    ];
    let mut outcomes = Vec::new();
    for (name, rule) in &rules {
        let mut rng = Seed::new(5).rng();
        let t_per_nelo = std::f64::consts::SQRT_2 / NELO_PER_SIGMA;
        let [equal, better] = [0.0, 40.0].map(|nelo| {
            let promoted = (0..4000).filter(|_| rule.play(nelo * t_per_nelo, &mut rng).0);
            promoted.count() as f64 / 4000.0
        });
        let row = worlds.map(|(drift, deviation)| follow(rule, drift, deviation));
        println!("{name:34} promoted {equal:.2} {better:.2}; pairs, champion below: {row:.1?}");
        outcomes.push((equal, better, row));
    }
    let (before, usual) = (&outcomes[0], &outcomes[1]);
    assert!(usual.0 < 0.27 && usual.1 > 0.73, "{usual:?}");
    assert!(before.1 < 0.3, "{before:?}");
    for (old, new) in before.2.iter().zip(&usual.2).take(3) {
        assert!(new.0 < 0.5 * old.0 && new.1 < old.1, "{old:?} {new:?}");
    }
}
