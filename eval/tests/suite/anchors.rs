//! The shipped results of the baselines, and how they are produced.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use eval::anchors::{self, Anchors, AnchorsFile, ScaleLine, ScaleReport};
use eval::{AlphaBeta, Arena, Baseline};
use ratings::{RunRatings, Tallies};
use rules::Variant;
use types::Seed;

const SHIPPED: &str = include_str!("../../data/anchors.json");

fn arena(stop: &AtomicBool, threads: usize) -> Arena<'_> {
    Arena {
        pairs_at_once: 1,
        ..Arena::new(Seed::new(0), threads, stop)
    }
}

/// After a change of the rules without a new measurement, runs would have no ratings.
#[test]
fn every_ruleset_has_a_scale_that_rises_with_the_depth() {
    for variant in Variant::ALL {
        let anchors = anchors::shipped(variant).unwrap_or_else(|| panic!("{variant}"));
        let ratings = RunRatings::new(&anchors.games, &Tallies::default()).expect("ratings");
        let elo = |name: &str| {
            let player = ratings.player(name);
            player.unwrap_or_else(|| panic!("{variant}: {name}")).elo
        };
        assert_eq!(elo(ratings::ZERO), 0.0, "{variant}");
        let material = anchors
            .levels()
            .into_iter()
            .take_while(|level| !matches!(level, Baseline::Learned { .. }));
        assert!(
            material.map(|level| elo(&level.to_string())).is_sorted(),
            "{variant}"
        );
        let learned =
            (1..=anchors.learned_depth).map(|depth| elo(&format!("learned:depth={depth}")));
        assert!(learned.clone().is_sorted(), "{variant}");
        if AlphaBeta::has_learned(variant) {
            let best = elo(&format!("alphabeta:depth={}", anchors.max_depth));
            assert!(
                learned.max_by(f64::total_cmp) > Some(best + 400.0),
                "{variant}"
            );
        }
        assert_eq!(anchors.games.games(), anchors.n_games() as u64, "{variant}");
    }
}

#[test]
fn results_of_other_rules_or_of_a_part_are_no_scale() {
    let file = AnchorsFile::parse(SHIPPED).expect("the shipped file");
    let shipped = anchors::shipped(Variant::Thai).expect("a scale");
    assert_eq!(file.complete(Variant::Thai).as_ref(), Some(&shipped));
    let changed = |change: fn(&mut Anchors)| {
        let mut file = file.clone();
        change(file.0.get_mut("thai").expect("results"));
        file.complete(Variant::Thai)
    };
    assert_eq!(changed(|anchors| anchors.rules_version += 1), None);
    assert_eq!(changed(|anchors| anchors.max_depth += 1), None);
    assert_eq!(changed(|anchors| anchors.games = Tallies::default()), None);
}

#[test]
fn a_measurement_goes_on_under_its_own_settings_alone() {
    let new = |depth, pairs, seed| Anchors::new(Variant::Thai, depth, pairs, seed);
    let one = new(4, 10, 7);
    assert!(one.continues(&Anchors {
        learned_depth: 3,
        ..new(4, 10, 7)
    }));
    for other in [new(5, 10, 7), new(4, 11, 7), new(4, 10, 8)] {
        assert!(!one.continues(&other) && !other.continues(&one));
    }
    let newer = Anchors {
        rules_version: one.rules_version + 1,
        ..one.clone()
    };
    assert!(!newer.continues(&one));
}

#[test]
fn a_scale_as_a_table() {
    let line = |name: &str, elo, ci95| ScaleLine {
        name: name.to_owned(),
        elo,
        ci95,
    };
    let anchors = anchors::shipped(Variant::Thai).expect("a scale");
    let report = ScaleReport {
        players: vec![
            line("alphabeta:depth=2", 1234.4, 20.6),
            line("random", 0.0, 0.0),
        ],
        ..anchors.ratings().expect("ratings")
    };
    let text = report.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "baseline             Elo above random    ±95 %",
            "alphabeta:depth=2                1234       21",
            "random                              0        0",
            "",
        ]
    );
    assert!(lines[4].starts_with(&format!("{} games: ", anchors.games.games())));
}

#[test]
fn the_file_is_written_as_it_was_read() {
    let file = AnchorsFile::parse(SHIPPED).expect("the shipped file");
    assert_eq!(file.to_string(), SHIPPED);
    assert_eq!(AnchorsFile::default().to_string(), "{\n}\n");
}

/// The same results in one go, in parts, and on several threads.
#[test]
fn a_measurement_that_was_stopped_goes_on() {
    for variant in [Variant::GAMES[3], Variant::GAMES[0]] {
        let stop = AtomicBool::new(false);
        let new = || Anchors::new(variant, 2, 3, 5);
        let mut whole = new();
        let none = &mut |_: &Anchors| ControlFlow::Continue(());
        whole
            .complete(variant, &arena(&stop, 2), none)
            .expect("matches");
        assert!(whole.is_complete() && whole.continues(&new()));
        assert_eq!(whole.games.games(), 2 * (12 * 6 + 3 * 3));

        let mut parts = new();
        let mut n_calls = 0;
        while !parts.is_complete() {
            let stop_now = &mut |_: &Anchors| ControlFlow::Break(());
            let other_seed = Arena {
                seed: Seed::new(99),
                ..arena(&stop, 1)
            };
            parts
                .complete(variant, &other_seed, stop_now)
                .expect("matches");
            n_calls += 1;
        }
        assert_eq!(n_calls, 15, "each call plays one match");
        let file = |anchors: Anchors| {
            AnchorsFile([(variant.name().to_owned(), anchors)].into()).to_string()
        };
        let text = file(whole);
        assert_eq!(file(parts), text);
        if variant == Variant::GAMES[0] {
            assert_eq!(text, include_str!("../data/anchors-small.json"), "{text}");
        }
    }
}
