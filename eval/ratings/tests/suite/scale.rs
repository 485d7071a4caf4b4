//! Coverage of rating intervals in simulated worlds with overdispersion.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use ratings::{RunRatings, Tallies};

const LEVELS: usize = 9;

/// A world in which scores between two players differ from their strengths.
struct World {
    /// [player] Elo; the baselines come first
    strengths: Vec<f64>,
    /// [player, player with a smaller number] the deviation added to their difference in strength
    deviations: Vec<Vec<f64>>,
    rng: ChaCha8Rng,
}

impl World {
    fn new(strengths: Vec<f64>, deviation: f64, seed: u64) -> World {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let n = strengths.len();
        let deviations = (0..n)
            .map(|b| (0..b).map(|_| deviation * normal(&mut rng)).collect())
            .collect();
        World {
            strengths,
            deviations,
            rng,
        }
    }

    /// Plays pairs of games; the stronger two players are, the more they draw.
    fn play(&mut self, games: &mut Tallies, [a, b]: [usize; 2], pairs: usize) {
        let deviation = match a > b {
            true => self.deviations[a][b],
            false => -self.deviations[b][a],
        };
        let difference = self.strengths[a] - self.strengths[b] + deviation;
        let expected = 1.0 / (1.0 + 10f64.powf(-difference / 400.0));
        let strength = (self.strengths[a] + self.strengths[b]) / 2.0;
        let drawn = (0.2 + strength / 5000.0) * 4.0 * expected * (1.0 - expected);
        let win = expected - drawn / 2.0;
        for game in 0..2 * pairs {
            let lot: f64 = self.rng.random();
            let counts = match lot {
                lot if lot < win => [1, 0, 0],
                lot if lot < win + drawn => [0, 1, 0],
                _ => [0, 0, 1],
            };
            let swapped = [counts[2], counts[1], counts[0]];
            match game % 2 {
                0 => games.add_counts(&name(a), &name(b), counts),
                _ => games.add_counts(&name(b), &name(a), swapped),
            }
        }
    }

    fn anchors(&mut self) -> Tallies {
        let mut anchors = Tallies::default();
        for stronger in 1..LEVELS {
            for weaker in stronger.saturating_sub(2)..stronger {
                let pairs = 40 << (LEVELS - 1 - stronger).min(4);
                self.play(&mut anchors, [weaker, stronger], pairs);
            }
        }
        anchors
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let [a, b]: [f64; 2] = [1.0 - rng.random::<f64>(), rng.random()];
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

fn name(player: usize) -> String {
    match player {
        0 => "random".to_owned(),
        level if level < LEVELS => format!("alphabeta:depth={level}"),
        champion => format!("model {}", champion - LEVELS),
    }
}

/// Coverage of the intervals `ci95` and `ci95_on_scale`, and mean half-widths, for champions who
/// climb past the baselines, rated as in a run.
fn coverage(deviation: f64, n_worlds: u64) -> ([f64; 2], [f64; 2]) {
    let (mut inside, mut widths, mut n) = ([0.0; 2], [0.0; 2], 0.0);
    for seed in 0..n_worlds {
        let baselines = (0..LEVELS).map(|level| 230.0 * level as f64 + 300.0 * level.min(1) as f64);
        let champions = (0..8).map(|champion| 1200.0 + 150.0 * f64::from(champion));
        let truth: Vec<f64> = baselines.chain(champions).collect();
        let mut world = World::new(truth, deviation, seed);
        let anchors = world.anchors();
        let scale = RunRatings::new(&anchors, &Tallies::default()).expect("a fit");
        // "On the scale" is correct if the baselines are where the scale puts them.
        let moved: Vec<f64> = (0..LEVELS)
            .map(|b| scale.player(&name(b)).expect("rated").elo)
            .collect();
        for which in 0..2 {
            if which == 1 {
                world.strengths[..LEVELS].copy_from_slice(&moved);
            }
            let mut games = Tallies::default();
            for champion in LEVELS..world.strengths.len() {
                let own = world.strengths[champion];
                let mut opponents: Vec<usize> = (1..champion).collect();
                let away = |player: &usize| (world.strengths[*player] - own).abs();
                opponents.sort_by(|a, b| away(a).total_cmp(&away(b)));
                for opponent in opponents.into_iter().take(4) {
                    world.play(&mut games, [champion, opponent], 10);
                }
            }
            let ratings = RunRatings::new(&anchors, &games).expect("a fit");
            for champion in LEVELS..world.strengths.len() {
                let rating = ratings.player(&name(champion)).expect("rated");
                let half_width = [rating.ci95, rating.ci95_on_scale][which];
                let error = (rating.elo - world.strengths[champion]).abs();
                inside[which] += f64::from(u8::from(error < half_width));
                widths[which] += half_width;
            }
        }
        n += (world.strengths.len() - LEVELS) as f64;
    }
    (inside.map(|count| count / n), widths.map(|sum| sum / n))
}

#[test]
fn intervals_hold_the_truth_where_steps_do_not_add_up() {
    for deviation in [0.0, 30.0, 60.0, 100.0] {
        let (inside, widths) = coverage(deviation, 100);
        println!("deviation {deviation}: inside {inside:?}, mean half-widths {widths:?}");
        assert!(
            inside.iter().all(|share| (0.92..0.985).contains(share)),
            "{inside:?}"
        );
    }
}
