//! Ratings of runs compared with an independent program, in another language, that solves the same
//! model differently.

use ratings::{RunRatings, Tallies};

const BASELINES: [&str; 4] = [
    "random",
    "alphabeta:depth=1",
    "alphabeta:depth=2",
    "alphabeta:depth=3",
];

/// Wins, draws and losses of the player that moves first.
type Games = [(&'static str, &'static str, [u64; 3])];

/// Inconsistent steps between baselines.
const AMONG_BASELINES: &Games = &[
    (BASELINES[1], BASELINES[0], [180, 30, 40]),
    (BASELINES[0], BASELINES[1], [30, 40, 180]),
    (BASELINES[2], BASELINES[1], [150, 60, 40]),
    (BASELINES[1], BASELINES[2], [50, 70, 130]),
    (BASELINES[3], BASELINES[2], [120, 90, 40]),
    (BASELINES[2], BASELINES[3], [60, 80, 110]),
    (BASELINES[3], BASELINES[1], [190, 40, 20]),
    (BASELINES[1], BASELINES[3], [10, 30, 210]),
    (BASELINES[2], BASELINES[0], [230, 15, 5]),
    (BASELINES[0], BASELINES[2], [10, 10, 230]),
];
const OF_THE_RUN: &Games = &[
    ("low", BASELINES[1], [22, 8, 10]),
    (BASELINES[1], "low", [12, 9, 19]),
    ("low", BASELINES[2], [9, 12, 19]),
    (BASELINES[2], "low", [20, 11, 9]),
    ("mid", BASELINES[2], [17, 14, 9]),
    (BASELINES[2], "mid", [10, 10, 20]),
    ("mid", BASELINES[3], [12, 12, 16]),
    (BASELINES[3], "mid", [18, 12, 10]),
    ("mid", "low", [21, 10, 9]),
    ("low", "mid", [8, 13, 19]),
    ("top", BASELINES[3], [24, 12, 4]),
    (BASELINES[3], "top", [5, 16, 19]),
    ("top", "mid", [18, 16, 6]),
    ("mid", "top", [9, 13, 18]),
];

fn tallies(games: &Games) -> Tallies {
    let mut tallies = Tallies::default();
    for (first, second, counts) in games {
        tallies.add_counts(first, second, *counts);
    }
    tallies
}

fn ratings() -> RunRatings {
    RunRatings::new(&tallies(AMONG_BASELINES), &tallies(OF_THE_RUN)).expect("a fit")
}

#[track_caller]
fn assert_close(ours: f64, theirs: f64) {
    let distance = (ours - theirs).abs();
    assert!(distance < 1e-5 * theirs.abs().max(1.0), "{ours} {theirs}");
}

#[test]
fn ratings_and_their_intervals() {
    let ratings = ratings();
    for (name, figures) in [
        ("random", [0.0, 0.0, 0.0]),
        (BASELINES[1], [261.569_549, 126.817_487, 0.0]),
        (BASELINES[2], [452.218_752, 129.020_888, 0.0]),
        (BASELINES[3], [566.649_246, 159.970_140, 0.0]),
        ("low", [376.327_672, 143.221_942, 82.991_024]),
        ("mid", [525.704_955, 149.107_485, 75.379_244]),
        ("top", [669.050_620, 174.714_178, 101.404_390]),
    ] {
        let found = ratings.player(name).expect("a rating");
        let found = [found.elo, found.ci95, found.ci95_on_scale];
        for (ours, theirs) in found.into_iter().zip(figures) {
            assert_close(ours, theirs);
        }
    }
    assert_eq!(ratings.player("nobody"), None);
    let fit = ratings.fit;
    assert_eq!(fit.degrees_of_freedom, 6);
    assert_close(fit.chi_square, 32.640_714);
    assert_close(fit.overdispersion_elo, 44.048_668);
    assert_eq!(
        fit.to_string(),
        "chi-square 33 on 6 degrees of freedom; scores between two players differ\n\
         from their ratings by \
         44 Elo beyond chance, which the intervals include"
    );
}

#[test]
fn performances() {
    let ratings = ratings();
    for (name, figures) in [
        ("low", [352.091_766, 121.050_587, 89.601_175]),
        ("mid", [522.762_931, 128.029_586, 87.800_101]),
        ("top", [723.190_259, 168.490_279, 124.784_796]),
    ] {
        let found = ratings.performance(name).expect("a performance");
        let found = [found.elo, found.ci95, found.ci95_on_scale];
        for (ours, theirs) in found.into_iter().zip(figures) {
            assert_close(ours, theirs);
        }
    }
}

#[test]
fn what_more_games_would_tell() {
    let ratings = ratings();
    for (player, opponent, pairs, gain) in [
        ("top", BASELINES[3], 10, 69.813_971),
        ("top", "mid", 10, 38.183_656),
        ("top", "low", 10, 212.325_223),
        ("mid", "top", 4, 2.533_846),
        ("new", "top", 10, 241_947.758),
        ("new", BASELINES[2], 10, 243_980.981),
    ] {
        // The player's games count, not the guess.
        assert_close(ratings.gain(player, 500.0, opponent, pairs), gain);
    }
    assert_eq!(ratings.gain("new", 500.0, "top", 0), 0.0);
}

#[test]
fn the_score_against_the_nearest_baseline() {
    let ratings = ratings();
    let direct = |name| ratings.direct(name).expect("games");
    let low = direct("low");
    assert_eq!((low.baseline.as_str(), low.games), (BASELINES[2], 80));
    assert_close(low.elo, 452.218_752);
    assert_close(low.score, (18.0 + 11.5) / 80.0);
    assert_close(low.expected, 1.0 / (1.0 + 10f64.powf(75.891_08 / 400.0)));
    assert_eq!(low.to_string(), "37 % against alphabeta:depth=2");
    let mid = direct("mid");
    assert_eq!((mid.baseline.as_str(), mid.games), (BASELINES[3], 80));
    assert_close(mid.score, (22.0 + 12.0) / 80.0);
}
