//! Ratings against an independent maximum-likelihood fit and against BayesElo 0058.
//!
//! The PGN files are four synthetic tournaments. `data/ratings.json` holds for each the independent
//! fits of the same two models (`be`, `davidson`) and BayesElo's output with its default prior.

use std::collections::BTreeMap;

use ratings::{DrawModel, RatingFit, RatingOptions, RatingReport, RatingTable, Tallies, rate};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    be: Option<Reference>,
    davidson: Option<Reference>,
    bayeselo_default_prior: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Reference {
    ratings: BTreeMap<String, ReferenceRating>,
    /// Estimate and standard error.
    advantage: (f64, f64),
    drawelo: Option<(f64, f64)>,
    ln_nu: Option<(f64, f64)>,
    los: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct ReferenceRating {
    elo: f64,
    ci95: f64,
}

fn case(name: &str) -> Case {
    let mut cases: BTreeMap<String, Case> =
        serde_json::from_str(include_str!("../data/ratings.json")).expect("test data parses");
    cases.remove(name).expect("a case of this name")
}

fn games(name: &str) -> Tallies {
    let text = match name {
        "t1_small" => include_str!("../data/t1_small.pgn"),
        "t2_drawish" => include_str!("../data/t2_drawish.pgn"),
        "t5_perfect" => include_str!("../data/t5_perfect.pgn"),
        _ => include_str!("../data/t6_disconnected.pgn"),
    };
    let mut tallies = Tallies::default();
    for game in text.split("[Event ").skip(1) {
        let tag = |name: &str| game.split_once(&format!("[{name} \""))?.1.split('"').next();
        let counts = match tag("Result").expect("a result") {
            "1-0" => [1, 0, 0],
            "0-1" => [0, 0, 1],
            _ => [0, 1, 0],
        };
        let [white, black] = ["White", "Black"].map(|side| tag(side).expect("a name"));
        tallies.add_counts(white, black, counts);
    }
    tallies
}

fn options(prior: f64) -> RatingOptions {
    RatingOptions {
        prior,
        anchor: None,
        draw_model: DrawModel::BayesElo,
    }
}

fn table(name: &str, prior: f64) -> RatingTable {
    rate(&games(name), &options(prior)).expect("a fit")
}

fn assert_close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!(
        (ours - theirs).abs() < tolerance,
        "{what}: {ours} is not {theirs}"
    );
}

fn assert_agrees(table: &RatingTable, reference: &Reference) {
    assert_eq!(table.players.len(), reference.ratings.len());
    assert!(table.components.len() == 1 && table.components[0].bounded);
    for player in &table.players {
        let known = &reference.ratings[&player.name];
        assert_close(player.elo, known.elo, 0.1, &player.name);
        // The reference took its Hessian by finite differences.
        assert_close(player.ci95, known.ci95, 0.02 * known.ci95, &player.name);
    }
    for two in table.players.windows(2) {
        let pair = format!("{}>{}", two[0].name, two[1].name);
        let los_next = two[0].los_next.expect("a next player");
        assert_close(los_next, reference.los[&pair], 0.005, &pair);
    }
    let last = table.players.last().expect("players");
    assert_eq!(last.los_next, None);
    assert_close(table.advantage, reference.advantage.0, 0.1, "advantage");
}

#[test]
fn plain_maximum_likelihood_agrees() {
    for name in ["t1_small", "t2_drawish"] {
        let (table, reference) = (table(name, 0.0), case(name).be.unwrap());
        assert_agrees(&table, &reference);
        assert_close(table.draw_elo, reference.drawelo.unwrap().0, 0.1, "draws");
    }
}

#[test]
fn the_model_of_davidson_agrees() {
    for name in ["t1_small", "t2_drawish"] {
        let options = RatingOptions {
            draw_model: DrawModel::Davidson,
            ..options(0.0)
        };
        let table = rate(&games(name), &options).unwrap();
        let reference = case(name).davidson.unwrap();
        assert_agrees(&table, &reference);
        let ln_nu = (10f64.powf(table.draw_elo / 400.0) - 1.0).ln();
        assert_close(ln_nu, reference.ln_nu.unwrap().0, 1e-3, "draws");
    }
}

#[test]
fn superiority_of_any_two_is_that_of_the_joint_covariance() {
    let fit = RatingFit::new(&games("t2_drawish"), &options(0.0)).unwrap();
    let (players, reference) = (&fit.table.players, case("t2_drawish").be.unwrap());
    for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
        let known = match a == b {
            true => 0.5,
            false => reference.los[&format!("{}>{}", players[a].name, players[b].name)],
        };
        assert_close(fit.superiority(a, b), known, 0.005, "superiority");
    }
}

/// BayesElo prints ratings times s = 4x/(1+x)², x = 10^(-D/400), rounded.
#[test]
fn the_default_prior_agrees_with_bayeselo() {
    for (name, tolerance) in [("t1_small", 1.5), ("t2_drawish", 1.0), ("t5_perfect", 12.0)] {
        let table = table(name, 2.0);
        let x = 10f64.powf(-table.draw_elo / 400.0);
        let scale = 4.0 * x / (1.0 + x).powi(2);
        let printed = &case(name).bayeselo_default_prior;
        let mean = printed.values().sum::<f64>() / printed.len() as f64;
        for player in &table.players {
            assert_close(
                player.elo * scale,
                printed[&player.name] - mean,
                tolerance,
                &player.name,
            );
        }
    }
}

#[test]
fn a_perfect_score_is_finite_and_flagged() {
    for prior in [0.0, 2.0] {
        let table = table("t5_perfect", prior);
        assert!(!table.components[0].bounded);
        assert_eq!(table.players[0].name, "net-03");
        assert!(
            table
                .players
                .iter()
                .all(|p| p.elo.is_finite() && p.ci95.is_finite())
        );
        assert!(table.players[0].ci95 > table.players[1].ci95);
        assert!(table.players[0].los_next > Some(0.99));
    }
}

#[test]
fn groups_that_never_met_get_separate_tables() {
    let table = table("t6_disconnected", 0.0);
    assert_eq!(table.components.len(), 2);
    for component in &table.components {
        let elos: Vec<f64> = component
            .players
            .iter()
            .map(|name| table.player(name).unwrap().elo)
            .collect();
        assert!(elos.iter().sum::<f64>().abs() < 1e-6 && elos.is_sorted_by(|a, b| a >= b));
    }
}

#[test]
fn an_anchor_shifts_ratings_and_leaves_differences() {
    let free = table("t1_small", 2.0);
    let options = RatingOptions {
        anchor: Some("net-00".into()),
        ..options(2.0)
    };
    let anchored = rate(&games("t1_small"), &options).unwrap();
    let zero = anchored.player("net-00").unwrap();
    assert!(zero.elo == 0.0 && zero.ci95 < 1e-6);
    let shift = free.player("net-00").unwrap().elo;
    for player in &free.players {
        assert_close(
            anchored.player(&player.name).unwrap().elo,
            player.elo - shift,
            1e-6,
            "shift",
        );
    }
}

#[test]
fn games_without_draws_and_games_of_only_draws() {
    let tallies = |wins, draws, losses| -> Tallies {
        serde_json::from_value(serde_json::json!([
            {"first": "a", "second": "b", "wins": wins, "draws": draws, "losses": losses},
            {"first": "b", "second": "a", "wins": losses, "draws": draws, "losses": wins},
        ]))
        .unwrap()
    };
    let models = [DrawModel::BayesElo, DrawModel::Davidson];
    for (prior, draw_model) in [0.0, 2.0].into_iter().flat_map(|p| models.map(|m| (p, m))) {
        let options = RatingOptions {
            prior,
            anchor: Some("b".into()),
            draw_model,
        };
        let decisive = rate(&tallies(30, 0, 10), &options).unwrap();
        assert_close(decisive.players[0].elo, 190.8, 15.0, "three of four");
        let drawn = rate(&tallies(0, 40, 0), &options).unwrap();
        assert_close(drawn.players[0].elo, 0.0, 1e-6, "only draws");
        assert!(drawn.players[0].ci95.is_finite() && drawn.draw_elo.is_finite());
    }
}

/// Wins, draws and losses of the player that moves first.
const A_RUN: [(&str, &str, [u64; 3]); 14] = [
    ("low", "d1", [22, 8, 10]),
    ("d1", "low", [12, 9, 19]),
    ("low", "d2", [9, 12, 19]),
    ("d2", "low", [20, 11, 9]),
    ("mid", "d2", [17, 14, 9]),
    ("d2", "mid", [10, 10, 20]),
    ("mid", "d3", [12, 12, 16]),
    ("d3", "mid", [18, 12, 10]),
    ("mid", "low", [21, 10, 9]),
    ("low", "mid", [8, 13, 19]),
    ("top", "d3", [24, 12, 4]),
    ("d3", "top", [5, 16, 19]),
    ("top", "mid", [18, 16, 6]),
    ("mid", "top", [9, 13, 18]),
];
/// A player that took no point.
const A_LOSER: [(&str, &str, [u64; 3]); 4] = [
    ("a", "b", [9, 1, 2]),
    ("b", "a", [3, 2, 7]),
    ("a", "c", [6, 0, 0]),
    ("c", "b", [0, 0, 5]),
];

fn pool(games: &[(&str, &str, [u64; 3])]) -> Tallies {
    let mut tallies = Tallies::default();
    for (first, second, counts) in games {
        tallies.add_counts(first, second, *counts);
    }
    tallies
}

/// A table by a program that maximizes the same likelihood with 40 digits and numerical
/// derivatives.
struct Exact {
    prior: f64,
    draw_model: DrawModel,
    advantage: f64,
    draw_elo: f64,
    players: &'static [&'static str],
    elo: &'static [f64],
    ci95: &'static [f64],
    /// Probability of being above the next player, for all but the last.
    los_next: &'static [f64],
}

#[track_caller]
fn assert_exact(ours: f64, theirs: f64) {
    let distance = (ours - theirs).abs();
    assert!(distance < 1e-6 * theirs.abs().max(1e-4), "{ours} {theirs}");
}

impl Exact {
    fn compare(&self, games: &[(&str, &str, [u64; 3])]) {
        let options = RatingOptions {
            draw_model: self.draw_model,
            ..options(self.prior)
        };
        let table = rate(&pool(games), &options).expect("a fit");
        assert_exact(table.advantage, self.advantage);
        assert_exact(table.draw_elo, self.draw_elo);
        let names: Vec<&str> = table.players.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, self.players);
        for (rank, player) in table.players.iter().enumerate() {
            assert_exact(player.elo, self.elo[rank]);
            assert_exact(player.ci95, self.ci95[rank]);
            let los_next = self.los_next.get(rank);
            assert_eq!(player.los_next.is_some(), los_next.is_some());
            assert_exact(player.los_next.unwrap_or(0.5), *los_next.unwrap_or(&0.5));
        }
    }
}

#[test]
fn figures_of_an_exact_program_by_bayes_elo() {
    let without_prior = Exact {
        prior: 0.0,
        draw_model: DrawModel::BayesElo,
        advantage: 13.353_564_704,
        draw_elo: 117.121_509_683,
        players: &["top", "d3", "mid", "d2", "low", "d1"],
        elo: &[
            188.476_603_184,
            66.544_826_222_3,
            48.463_003_674_5,
            -14.656_130_013_2,
            -93.904_398_814_5,
            -194.923_904_253,
        ],
        ci95: &[
            53.784_427_390,
            52.639_525_259,
            33.384_358_857,
            46.953_522_881,
            41.493_821_826,
            73.911_696_939,
        ],
        los_next: &[
            0.999_982_485_832,
            0.730_718_702_078,
            0.983_122_466_646,
            0.996_022_273_459,
            0.996_199_739_958,
        ],
    };
    without_prior.compare(&A_RUN);
    let with_prior = Exact {
        prior: 2.0,
        advantage: 13.251_162_496_8,
        draw_elo: 120.104_200_892,
        players: &["top", "d3", "mid", "d2", "low", "d1"],
        elo: &[
            187.519_512_37,
            66.376_652_238_3,
            48.166_424_599_2,
            -14.903_255_421_4,
            -93.892_889_938_2,
            -193.266_443_848,
        ],
        ci95: &[
            53.481_651_538,
            52.350_484_284,
            33.196_688_781,
            46.691_205_262,
            41.275_113_528,
            73.204_921_521,
        ],
        los_next: &[
            0.999_982_547_396,
            0.733_213_560_05,
            0.983_474_641_21,
            0.996_085_470_462,
            0.996_060_770_971,
        ],
        ..without_prior
    };
    with_prior.compare(&A_RUN);
    let of_a_loser = Exact {
        prior: 2.0,
        draw_model: DrawModel::BayesElo,
        advantage: 38.325_608_519_4,
        draw_elo: 91.371_379_252_6,
        players: &["a", "b", "c"],
        elo: &[242.875_966_439, 77.724_682_700_8, -320.600_649_139],
        ci95: &[136.240_698_536, 120.130_432_957, 217.362_863_205],
        los_next: &[0.990_974_982_652, 0.992_060_081_95],
    };
    of_a_loser.compare(&A_LOSER);
}

#[test]
fn figures_of_an_exact_program_by_davidson() {
    let by_davidson = Exact {
        prior: 2.0,
        draw_model: DrawModel::Davidson,
        advantage: 17.709_266_490_7,
        draw_elo: 116.991_841_093,
        players: &["top", "d3", "mid", "d2", "low", "d1"],
        elo: &[
            256.014_269_615,
            84.872_556_017_6,
            60.243_649_545_8,
            -23.656_353_860_8,
            -127.305_181_678,
            -250.168_939_64,
        ],
        ci95: &[
            74.070_579_961,
            70.394_730_757,
            44.635_296_238,
            62.218_621_750,
            55.667_410_984,
            96.253_796_420,
        ],
        los_next: &[
            0.999_985_967_525,
            0.734_418_700_656,
            0.983_122_273_957,
            0.995_472_389_445,
            0.994_306_230_106,
        ],
    };
    by_davidson.compare(&A_RUN);
}

/// Without draws their odds are 0 and do not affect the intervals.
#[test]
fn figures_of_an_exact_program_without_draws() {
    let games = [
        ("a", "b", [9, 0, 2]),
        ("b", "a", [3, 0, 7]),
        ("a", "c", [6, 0, 1]),
        ("c", "b", [2, 0, 5]),
    ];
    let table = rate(&pool(&games), &options(0.0)).expect("a fit");
    assert!(table.components[0].bounded && table.draw_elo.abs() < 1e-6);
    assert_exact(table.advantage, 30.391_542_570_7);
    for (player, (elo, ci95)) in table.players.iter().zip([
        (178.464_824_783, 120.260_822_321),
        (-10.889_603_929_9, 108.380_895_734),
        (-167.575_220_853, 159.274_053_714),
    ]) {
        assert_exact(player.elo, elo);
        assert_exact(player.ci95, ci95);
    }
}

#[test]
fn wins_bound_ratings_and_so_do_draws() {
    for (games, bounded) in [
        ([("a", "b", [1, 0, 0]), ("b", "a", [1, 0, 0])], true),
        ([("a", "b", [0, 1, 0]), ("b", "a", [0, 0, 0])], true),
        ([("a", "b", [0, 0, 1]), ("b", "a", [0, 0, 1])], true),
        ([("a", "b", [1, 0, 0]), ("b", "a", [0, 0, 1])], false),
        ([("a", "b", [0, 0, 1]), ("b", "a", [1, 0, 0])], false),
    ] {
        let table = rate(&pool(&games), &options(2.0)).expect("a fit");
        assert_eq!(table.components[0].bounded, bounded, "{games:?}");
    }
}

#[test]
fn results_are_stored_as_a_list() {
    let tallies = pool(&A_LOSER);
    let text = serde_json::to_string(&tallies).expect("JSON");
    assert!(
        text.starts_with(r#"[{"first":"a","second":"b","wins":9,"draws":1,"losses":2},"#),
        "{text}"
    );
    let read: Tallies = serde_json::from_str(&text).expect("tallies");
    assert_eq!(read, tallies);
}

/// Without a prior its rating depends on a guard, and its superiority on the usual prior.
#[test]
fn superiority_over_who_took_no_point_is_that_with_a_prior() {
    let free = RatingFit::new(&pool(&A_LOSER), &options(0.0)).expect("a fit");
    assert!(!free.table.components[0].bounded);
    assert_eq!(free.table.players[2].name, "c");
    assert_exact(free.superiority(1, 2), 0.992_060_081_95);
    assert_exact(free.superiority(2, 1), 1.0 - 0.992_060_081_95);
    assert_eq!(free.superiority(2, 3), 0.5);
    for (prior, held_by) in [(0.0, "a guard of 10000 Elo"), (2.0, "the prior")] {
        let text = RatingReport::new(&pool(&A_LOSER), &options(prior)).expect("a fit");
        let told = format!("Only {held_by} keeps the numbers finite.");
        assert!(text.to_string().contains(&told), "{text}");
    }
}
