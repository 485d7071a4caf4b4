//! Ratings against an independent maximum-likelihood fit and against BayesElo 0058.
//!
//! `data/ratings.json` holds the results of four synthetic tournaments by pair of players, the
//! independent fit of the same model (`be`) and BayesElo's output with its default prior.

use std::collections::BTreeMap;

use eval::{RatingOptions, RatingTable, Tallies, rate};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    games: Tallies,
    be: Option<Reference>,
    bayeselo_default_prior: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Reference {
    ratings: BTreeMap<String, ReferenceRating>,
    /// Estimate and standard error.
    advantage: (f64, f64),
    drawelo: (f64, f64),
    los: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct ReferenceRating {
    elo: f64,
    ci95: f64,
}

fn cases() -> BTreeMap<String, Case> {
    serde_json::from_str(include_str!("data/ratings.json")).expect("test data parses")
}

fn table(case: &Case, prior: f64) -> RatingTable {
    rate(
        &case.games,
        &RatingOptions {
            prior,
            anchor: None,
        },
    )
    .expect("a fit")
}

fn assert_close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!(
        (ours - theirs).abs() < tolerance,
        "{what}: {ours} is not {theirs}"
    );
}

#[test]
fn plain_maximum_likelihood_agrees() {
    for name in ["t1_small", "t2_drawish"] {
        let case = &cases()[name];
        let (table, reference) = (table(case, 0.0), case.be.as_ref().unwrap());
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
            assert_close(two[0].los_next.unwrap(), reference.los[&pair], 0.005, &pair);
        }
        assert_eq!(table.players.last().unwrap().los_next, None);
        assert_close(table.advantage, reference.advantage.0, 0.1, "advantage");
        assert_close(table.draw_elo, reference.drawelo.0, 0.1, "draw Elo");
    }
}

/// BayesElo prints ratings times s = 4x/(1+x)², x = 10^(-D/400), rounded.
#[test]
fn the_default_prior_agrees_with_bayeselo() {
    for (name, tolerance) in [("t1_small", 1.5), ("t2_drawish", 1.0), ("t5_perfect", 12.0)] {
        let case = &cases()[name];
        let table = table(case, 2.0);
        let x = 10f64.powf(-table.draw_elo / 400.0);
        let scale = 4.0 * x / (1.0 + x).powi(2);
        let printed = &case.bayeselo_default_prior;
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
        let table = table(&cases()["t5_perfect"], prior);
        assert!(!table.components[0].bounded);
        assert_eq!(table.players[0].name, "net-03");
        assert!(
            table
                .players
                .iter()
                .all(|p| p.elo.is_finite() && p.ci95.is_finite())
        );
        assert!(table.players[0].ci95 > table.players[1].ci95);
    }
}

#[test]
fn groups_that_never_met_get_separate_tables() {
    let table = table(&cases()["t6_disconnected"], 0.0);
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
    let case = &cases()["t1_small"];
    let free = table(case, 2.0);
    let options = RatingOptions {
        prior: 2.0,
        anchor: Some("net-00".into()),
    };
    let anchored = rate(&case.games, &options).unwrap();
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
    for prior in [0.0, 2.0] {
        let options = RatingOptions {
            prior,
            anchor: Some("b".into()),
        };
        let decisive = rate(&tallies(30, 0, 10), &options).unwrap();
        assert_close(decisive.players[0].elo, 190.8, 15.0, "three of four");
        let drawn = rate(&tallies(0, 40, 0), &options).unwrap();
        assert_close(drawn.players[0].elo, 0.0, 1e-6, "only draws");
        assert!(drawn.players[0].ci95.is_finite() && drawn.draw_elo.is_finite());
    }
}
