//! Ratings against an independent maximum-likelihood fit and against BayesElo 0058.
//!
//! The PGN files are four synthetic tournaments. `data/ratings.json` holds for each the independent
//! fits of the same two models (`be`, `davidson`) and BayesElo's output with its default prior.

use std::collections::BTreeMap;

use eval::{DrawModel, RatingFit, RatingOptions, RatingTable, Tallies, rate, read_results};
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
        serde_json::from_str(include_str!("data/ratings.json")).expect("test data parses");
    cases.remove(name).expect("a case of this name")
}

fn games(name: &str) -> Tallies {
    let text = match name {
        "t1_small" => include_str!("data/t1_small.pgn"),
        "t2_drawish" => include_str!("data/t2_drawish.pgn"),
        "t5_perfect" => include_str!("data/t5_perfect.pgn"),
        _ => include_str!("data/t6_disconnected.pgn"),
    };
    let mut tallies = Tallies::default();
    let reading = read_results(text.as_bytes(), None, &mut tallies).expect("PGN");
    assert_eq!(reading.games, tallies.games());
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
