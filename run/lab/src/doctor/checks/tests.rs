//! Each check, with and without its fault.

use super::super::values::Estimate;
use super::*;

/// The records of thirty generations of a healthy run.
fn healthy() -> History {
    let mut run = History {
        gates: vec![Verdict::Better; 12],
        ratings: (0..12).map(|n| 1000.0 + 80.0 * f64::from(n)).collect(),
        generations: 30,
        champion: 29,
        gradient_clip: Some(1.0),
        games_per_generation: 1000,
        values: Some(ValueScores {
            games: 3000,
            bias: estimate(-0.004, 0.003),
            gain: estimate(0.02, 0.002),
        }),
        ..History::default()
    };
    let curves = [
        (SelfplayMetrics::DRAW_RATE, 0.3),
        (SelfplayMetrics::FIRST_PLAYER_SCORE, 0.49),
        (SelfplayMetrics::SEARCH_GAIN, 0.35),
        (SelfplayMetrics::DUPLICATE_RATE, 0.0),
        (SelfplayMetrics::TRUNCATED, 0.0),
        (Validation::POLICY_ENTROPY, 1.2),
        (Validation::HELD_OUT_VALUE, 0.70),
        (Validation::LEARNED_VALUE, 0.69),
        (Validation::HELD_OUT_POLICY, 1.25),
        (Validation::LEARNED_POLICY, 1.22),
        (TrainMetrics::STEPS, 450.0),
        (TrainMetrics::SKIPPED, 0.0),
        (TrainMetrics::WINDOW_AGE, 4.0),
        (TrainMetrics::GRADIENT_NORM, 3.5),
        (EndgameMetrics::SEARCH_BLUNDERS, 0.02),
        (StageCost::seconds_of(Phase::SelfPlay), 10.0),
        (StageCost::seconds_of(Phase::Train), 10.0),
        (StageCost::seconds_of(Phase::Gate), 2.0),
        (StageCost::seconds_of(Phase::Rate), 1.0),
    ];
    for (tag, value) in curves {
        run.curves.insert(tag.name().to_owned(), vec![value; 30]);
    }
    run
}

fn estimate(mean: f64, error: f64) -> Estimate {
    Estimate { mean, error }
}

#[test]
fn a_healthy_run_has_no_symptoms() {
    assert_eq!(healthy().symptoms(), []);
    assert_eq!(History::default().symptoms(), []);
}

#[test]
fn every_check_sees_its_fault() {
    let mut untested: Vec<&str> = ALL.iter().map(|(name, ..)| *name).collect();
    let mut check = |name: &str, spoil: &dyn Fn(&mut History)| {
        let mut run = healthy();
        spoil(&mut run);
        let found: Vec<&str> = run.symptoms().iter().map(|found| found.check).collect();
        assert_eq!(found, [name]);
        untested.retain(|untested| *untested != name);
    };
    let curves = [
        ("skipped steps", TrainMetrics::SKIPPED, 3.0),
        ("draws", SelfplayMetrics::DRAW_RATE, 0.97),
        ("one-sided games", SelfplayMetrics::FIRST_PLAYER_SCORE, 0.1),
        ("entropy", Validation::POLICY_ENTROPY, 0.05),
        ("search", SelfplayMetrics::SEARCH_GAIN, 0.01),
        ("overfitting", Validation::HELD_OUT_VALUE, 0.8),
        ("overfitting", Validation::HELD_OUT_POLICY, 1.5),
        ("duplicates", SelfplayMetrics::DUPLICATE_RATE, 0.3),
        ("truncated games", SelfplayMetrics::TRUNCATED, 100.0),
        ("steps", TrainMetrics::STEPS, 10.0),
        ("stale samples", TrainMetrics::WINDOW_AGE, 40.0),
        ("clipped steps", TrainMetrics::GRADIENT_NORM, 20.0),
        ("overhead", StageCost::seconds_of(Phase::Rate), 15.0),
        ("endings", EndgameMetrics::SEARCH_BLUNDERS, 0.08),
    ];
    for (name, tag, value) in curves {
        check(name, &|run| {
            run.curves.insert(tag.name().to_owned(), vec![value; 30]);
        });
    }
    check("no champion", &|run| run.champion = 0);
    check("slow generations", &|run| run.seconds = 30.0 * 2000.0);
    check("gates", &|run| run.gates = vec![Verdict::Inconclusive; 12]);
    check("standstill", &|run| run.ratings = vec![2000.0; 12]);
    let values = |bias, gain| {
        let games = 3000;
        Some(ValueScores { games, bias, gain })
    };
    check("biased values", &|run| {
        run.values = values(estimate(-0.05, 0.01), estimate(0.02, 0.002));
    });
    check("searched values", &|run| {
        run.values = values(estimate(0.0, 0.003), estimate(-0.01, 0.002));
    });
    assert!(untested.is_empty(), "no test of {untested:?}");
}

#[test]
fn one_odd_generation_is_no_symptom() {
    let mut run = healthy();
    let draws = run
        .curves
        .get_mut(SelfplayMetrics::DRAW_RATE.name())
        .unwrap();
    *draws.last_mut().unwrap() = 1.0;
    assert_eq!(run.symptoms(), []);
}

#[test]
fn few_held_out_games_prove_no_overfitting() {
    let held_out = Validation::HELD_OUT_VALUE.name();
    let found = |points: &dyn Fn(usize) -> f64, n| {
        let mut run = healthy();
        for tag in [Validation::HELD_OUT_VALUE, Validation::LEARNED_VALUE] {
            run.curves.get_mut(tag.name()).unwrap().truncate(n);
        }
        for (index, point) in run.curves.get_mut(held_out).unwrap().iter_mut().enumerate() {
            *point = points(index);
        }
        run.symptoms().first().map(|symptom| symptom.seen.clone())
    };
    // The learned games have 0.69. The newest five generations are far above.
    let noisy = |n: usize| if n / 5 % 2 == 1 { 0.89 } else { 0.69 };
    assert_eq!(found(&noisy, 30), None);
    let sure = |n: usize| if n / 5 % 2 == 1 { 0.81 } else { 0.79 };
    assert_eq!(found(&sure, 15), None);
    assert!(found(&sure, 30).unwrap().contains("0.110 ±0.009 nats"));
}

#[test]
fn a_run_that_finishes_nothing_is_slow() {
    let seen = |seconds, generations| {
        let run = History {
            seconds,
            generations,
            ..History::default()
        };
        run.symptoms().first().map(|symptom| symptom.seen.clone())
    };
    assert_eq!(seen(29.0, 0), None);
    let unfinished = seen(41.0, 0).unwrap();
    assert_eq!(unfinished, "no generation was finished in 41s");
    assert_eq!(seen(3599.0, 2), None);
    assert_eq!(seen(7200.0, 2).unwrap(), "a generation takes 1h00m");
}
