//! The ladder on players whose rating is known.

use std::sync::atomic::AtomicBool;

use eval::anchors::{self, Anchors};
use eval::{Adjudication, Arena, Baseline, Entrant, Ladder, LadderStep, climb, run_ratings};
use rules::Variant;

const VARIANT: Variant = Variant::Ringboard;

fn arena(threads: usize, stop: &AtomicBool) -> Arena<'_> {
    Arena {
        seed: 8,
        threads,
        pairs_at_once: 4,
        first_pair: 0,
        adjudication: Adjudication::OFF,
        stop,
    }
}

/// Levels up to depth 3, quickly measured.
fn few_anchors() -> Anchors {
    let never = AtomicBool::new(false);
    anchors::measure(VARIANT, 3, 12, &arena(2, &never), &mut |_| {}).expect("matches")
}

/// A baseline under another name, as if it were a new player.
fn disguised(baseline: Baseline) -> Entrant<'static> {
    Entrant::new("candidate", move || Ok(baseline.player()))
}

fn rated(baseline: Baseline, anchors: &Anchors, threads: usize) -> (LadderStep, Vec<String>) {
    let ladder = Ladder {
        variant: VARIANT,
        anchors,
        pairs: 48,
        pairs_per_step: 8,
        guess: None,
    };
    let mut opponents = Vec::new();
    let mut watch = |step: &LadderStep| opponents.push(step.last.names[1].clone());
    let never = AtomicBool::new(false);
    let end = climb(
        &disguised(baseline),
        &ladder,
        &arena(threads, &never),
        &mut watch,
    );
    (end.expect("matches").expect("games"), opponents)
}

#[test]
fn a_known_player_gets_its_rating_and_meets_its_equals() {
    let anchors = few_anchors();
    let table = run_ratings(&anchors, &Default::default()).expect("ratings");
    for baseline in Baseline::levels(3) {
        let (step, opponents) = rated(baseline, &anchors, 2);
        let known = table.player(&baseline.to_string()).expect("a line").elo;
        let error = (step.rating.elo - known).abs();
        let doubt = step
            .rating
            .ci95
            .hypot(table.player(&baseline.to_string()).expect("a line").ci95);
        assert!(
            error < doubt,
            "{baseline}: {:?} is not {known:.0}",
            step.rating
        );
        assert!(
            opponents.contains(&baseline.to_string()),
            "{baseline}: {opponents:?}"
        );
        assert_eq!(step.rating.games, 96);
    }
}

#[test]
fn ratings_do_not_depend_on_threads() {
    let anchors = few_anchors();
    let depth_two = Baseline::AlphaBeta { depth: 2 };
    let (one, opponents_of_one) = rated(depth_two, &anchors, 1);
    let (three, opponents_of_three) = rated(depth_two, &anchors, 3);
    assert_eq!(
        (one.rating, opponents_of_one),
        (three.rating, opponents_of_three)
    );
    assert!(one.games == three.games);
}

#[test]
fn a_stop_at_once_gives_no_rating() {
    let anchors = few_anchors();
    let stopped = AtomicBool::new(true);
    let ladder = Ladder {
        variant: VARIANT,
        anchors: &anchors,
        pairs: 8,
        pairs_per_step: 4,
        guess: None,
    };
    let end = climb(
        &disguised(Baseline::Random),
        &ladder,
        &arena(1, &stopped),
        &mut |_| {},
    );
    assert!(end.expect("no error").is_none());
}
