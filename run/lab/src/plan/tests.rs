use std::sync::atomic::AtomicBool;

use super::*;
use run::config::ConfigSources;
use run::{Event, Run, advance_until};

fn choice(preset: &str, simulations: u32, pace: Pace) -> Choice {
    Choice {
        preset: preset.to_owned(),
        inputs: Inputs::Exchanges,
        simulations,
        fast_simulations: simulations / 4,
        games_per_generation: 1000,
        samples_per_position: 2.0,
        options: match preset {
            "nano" => String::new(),
            other => format!(" --preset {other}"),
        },
        pace,
    }
}

const PACE: Pace = Pace {
    positions_per_s: 27_000.0,
    samples_per_s: 30_000.0,
};

fn request(variant: Variant, hours: f64, machines: u32) -> PlanRequest {
    PlanRequest {
        variant,
        hours,
        machines,
        positions_per_game: 80.0,
    }
}

/// Predicts each run's last rating from the runs that are not left out with it: the number inside
/// the interval, and the total.
fn left_out(
    evidence: &Evidence,
    is_left_out: impl Fn(&RecordedRun, &RecordedRun) -> bool,
) -> (usize, usize) {
    let (mut inside, mut all) = (0, 0);
    for run in &evidence.runs {
        let others = evidence
            .runs
            .iter()
            .filter(|other| !is_left_out(run, other));
        let rest = Evidence {
            runs: others.cloned().collect(),
            contests: evidence.contests.clone(),
        };
        let growth = rest.growth().unwrap();
        let point = run.points.last().unwrap();
        let new = Choice {
            inputs: run.inputs,
            ..choice(&run.preset, run.simulations, PACE)
        };
        let expected =
            growth.expect(&[(1.0, growth.standing(&run.variant, &new, point.games as f64))]);
        let off = (point.elo - expected.elo).abs();
        let is_inside = off <= expected.ci95.hypot(point.ci95);
        println!(
            "{:60} {:>7} games: {:.0} ±{:.0}, expected {:.0} ±{:.0}{}",
            run.name,
            point.games,
            point.elo,
            point.ci95,
            expected.elo,
            expected.ci95,
            if is_inside { "" } else { ", outside" }
        );
        all += 1;
        inside += usize::from(is_inside);
    }
    (inside, all)
}

#[test]
fn intervals_hold_runs_that_were_not_seen() {
    let evidence = Evidence::recorded().unwrap();
    let (inside, all) = left_out(&evidence, |run, other| run.name == other.name);
    assert!(
        all >= 14 && inside as f64 >= 0.9 * all as f64,
        "{inside} of {all}"
    );
    // Also without any run of its game, although users never see such a rating.
    let (inside, all) = left_out(&evidence, |run, other| run.variant == other.variant);
    assert!(inside as f64 >= 0.8 * all as f64, "{inside} of {all}");
}

#[test]
fn generations_are_as_many_as_a_run_made_in_its_time() {
    let mut evidence = Evidence::recorded().unwrap();
    let timed = evidence
        .runs
        .iter()
        .position(|run| run.measured.is_some())
        .unwrap();
    let run = evidence.runs.remove(timed);
    let measured = run.measured.unwrap();
    let variant = run.variant.parse().unwrap();
    let choice = choice(&run.preset, run.simulations, measured.pace);
    let outlook = outlook(&evidence, &request(variant, measured.hours, 1), &choice);
    let (found, expected) = (outlook.games as f64, measured.games as f64);
    assert!((found / expected - 1.0).abs() < 0.25, "{found} {expected}");
}

#[test]
fn machines_help_where_playing_takes_time() {
    let evidence = Evidence::recorded().unwrap();
    let outlook = |machines, pace| {
        outlook(
            &evidence,
            &request(Variant::GAMES[0], 10.0, machines),
            &choice("nano", 32, pace),
        )
    };
    let [one, eight, many] = [1, 8, 64].map(|machines| outlook(machines, PACE));
    assert!(one.generations < eight.generations && eight.generations < many.generations);
    // Training time is not shared.
    let most = one.generations as f64 / one.learning_share;
    assert!(f64::from(many.generations) < most && many.learning_share > 0.9);
    let slow = Pace {
        positions_per_s: 2_700.0,
        ..PACE
    };
    let [one, eight] = [1, 8].map(|machines| outlook(machines, slow).generations);
    assert!(f64::from(eight) > 5.0 * f64::from(one), "{one} {eight}");
}

#[test]
fn what_nobody_has_tried_is_said() {
    let evidence = Evidence::recorded().unwrap();
    let choices = [
        choice("nano", 32, PACE),
        choice("nano", 64, PACE),
        choice("medium", 32, PACE),
    ];
    let english = "english".parse().unwrap();
    let day = plan(&evidence, &request(english, 24.0, 1), &choices);
    assert_eq!(day.commands, ["crownhead train english --for 24h"]);
    assert_eq!(
        (day.outlooks[0].course.len(), day.outlooks[2].course.len()),
        (3, 0)
    );
    let [early, .., last] = &day.outlooks[0].course[..] else {
        panic!("{day}");
    };
    assert!(early.rating.elo < last.rating.elo && early.rating.ci95 < last.rating.ci95);
    let text = day.to_string();
    for said in [
        "no recorded run is that long",
        "no other settings",
        "whether medium would be stronger",
    ] {
        assert!(text.to_lowercase().contains(said), "{said}: {text}");
    }
    let short = plan(&evidence, &request(english, 0.5, 1), &choices).to_string();
    assert!(!short.contains("no recorded run is that long"), "{short}");

    let international = "international".parse().unwrap();
    let fleet = plan(&evidence, &request(international, 1.5, 50), &choices);
    assert!(
        fleet
            .outlooks
            .iter()
            .all(|outlook| outlook.course.is_empty())
    );
    assert_eq!(
        fleet.commands,
        [
            "crownhead train international --fleet /shared/international --for 1.5h",
            "crownhead worker --join /shared/international"
        ]
    );
    let text = fleet.to_string();
    for said in [
        "no run of international has been recorded",
        "1000 games per generation are few",
        "49 wait",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn better_settings_are_proposed_once_runs_show_them() {
    let mut evidence = Evidence::recorded().unwrap();
    let usual = evidence.runs[0].clone();
    for number in 0..4 {
        let raised = |point: &RecordedPoint| RecordedPoint {
            elo: point.elo + 600.0,
            ..*point
        };
        evidence.runs.push(RecordedRun {
            name: format!("small {number}"),
            preset: "small".to_owned(),
            points: usual.points.iter().map(raised).collect(),
            ..usual.clone()
        });
    }
    let choices = [choice("nano", 32, PACE), choice("small", 32, PACE)];
    let found = plan(
        &evidence,
        &request("english".parse().unwrap(), 1.0, 1),
        &choices,
    );
    assert_eq!(
        found.commands,
        ["crownhead train english --preset small --for 1h"],
        "{found}"
    );
}

#[test]
fn a_run_of_ones_own_is_evidence_once_it_has_ratings() {
    let dir = tempfile::tempdir().unwrap();
    let sources = ConfigSources {
        preset: Some("tiny".into()),
        ..ConfigSources::default()
    };
    let variant = Variant::GAMES[0];
    let path = dir.path().join("run");
    let mut run = Run::create(&path, variant, sources.resolve(variant).unwrap()).unwrap();
    let mut evidence = Evidence::default();
    let read = |evidence: &mut Evidence| evidence.add(&store::RunDir::open(&path).unwrap());
    let refused = read(&mut evidence).unwrap_err().to_string();
    assert!(
        refused.contains("no ratings on the scale of this version"),
        "{refused}"
    );
    let ignore = &mut |_: &Run, _: &Event<'_>| Ok(());
    advance_until(&mut run, Some(1), &AtomicBool::new(false), ignore).unwrap();
    for _ in 0..2 {
        read(&mut evidence).unwrap();
    }
    let [run] = &evidence.runs[..] else {
        panic!("the same run counts once");
    };
    assert_eq!((run.games(), run.simulations, run.points.len()), (8, 4, 1));
    assert!(evidence.growth().is_some());
}

#[test]
fn what_is_no_run_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let mut evidence = Evidence::recorded().unwrap();
    evidence.add_all(folder.path());
    evidence.add_all(&folder.path().join("nothing"));
    assert_eq!(evidence, Evidence::recorded().unwrap());
}
