//! Whole comparisons of tiny runs.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lab::compare::{
    Arm, CompareEvent, CompareSetup, Comparison, Limit, MatchTerms, MatchedModels, compare,
};
use rules::Variant;
use run::config::{ConfigSources, RunFile};
use run::{Run, advance};
use store::RunDir;

/// Seconds of work: the smallest runs, each with half a second of processor time.
fn setup(arms: &[&str]) -> CompareSetup {
    let arm = |text: &&str| text.parse::<Arm>().unwrap().above(Some("tiny"), &[]);
    CompareSetup {
        variant: Variant::ALL[0],
        arms: arms.iter().map(arm).collect(),
        from: None,
        seeds: vec![1, 2],
        threads: 2,
        budget: Duration::from_millis(250),
        matches: MatchTerms {
            pairs: 4,
            simulations: 2,
            timed_pairs: 4,
            move_s: 0.001,
        },
    }
}

fn run(path: &Path, setup: &CompareSetup) -> Comparison {
    let never = AtomicBool::new(false);
    let (comparison, is_complete) = compare(path, setup, &never, &mut |_| {}).unwrap();
    assert!(is_complete);
    comparison
}

#[test]
fn two_arms_are_trained_alike_and_meet() {
    let dir = tempfile::tempdir().unwrap();
    let setup = setup(&["usual=", "visits=search.simulations=8"]);
    let comparison = run(dir.path(), &setup);
    for arm in &comparison.arms {
        for run in &arm.runs {
            assert!(run.processor_s >= 0.5, "{run:?}");
            assert!(
                run.games > 0 && run.newest - run.generations <= 1,
                "{run:?}"
            );
        }
        assert!(arm.elo.unwrap().is_finite() && arm.ci95.unwrap() > 0.0);
    }
    assert_eq!(comparison.arms[0].elo, Some(0.0));
    // Two runs of each arm, four measures.
    assert_eq!(comparison.meetings.len(), 16);
    assert_eq!(comparison.pairs.len(), 4);
    let headline = comparison.headline.unwrap();
    assert_eq!(
        (headline.who, headline.limit),
        (MatchedModels::Champions, Limit::Simulations)
    );
    assert_eq!(comparison.pairs[0].measure, headline);
    assert!(comparison.verdict.as_ref().unwrap().contains("over seeds"));
    let table = comparison.to_string();
    assert!(
        table.contains("| visits | `search.simulations=8` |"),
        "{table}"
    );
    assert!(dir.path().join("curves.svg").exists() && dir.path().join("results.json").exists());

    // Nothing is repeated.
    let never = AtomicBool::new(false);
    let mut silence = |_: &CompareEvent| panic!("all is done");
    let again = compare(dir.path(), &setup, &never, &mut silence).unwrap();
    assert_eq!(again, (comparison, true));
    let mut other = setup.clone();
    other.arms[1].sources.set = vec!["search.simulations=9".to_owned()];
    let error = compare(dir.path(), &other, &never, &mut silence).unwrap_err();
    assert!(
        error.is_request() && error.to_string().contains("other terms: arms"),
        "{error}"
    );
}

#[test]
fn a_longer_budget_goes_on_and_a_shorter_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut setup = setup(&["usual=", "visits=search.simulations=8"]);
    setup.seeds = vec![3];
    let before = run(dir.path(), &setup);
    setup.budget *= 2;
    let after = run(dir.path(), &setup);
    for (before, after) in before.arms.iter().zip(&after.arms) {
        let (before, after) = (&before.runs[0], &after.runs[0]);
        assert!(
            after.processor_s >= 1.0 && after.games > before.games,
            "{before:?} {after:?}"
        );
    }
    assert_eq!(after.meetings.len(), before.meetings.len());
    assert!(after.verdict.is_some());
    setup.budget /= 4;
    let never = AtomicBool::new(false);
    let error = compare(dir.path(), &setup, &never, &mut |_| {}).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("budget 0.5 s, not 0.125 s"), "{error}");
}

#[test]
fn arms_may_continue_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let (origin, place) = (dir.path().join("origin"), dir.path().join("late"));
    let tiny = ConfigSources {
        preset: Some("tiny".to_owned()),
        ..ConfigSources::default()
    };
    let variant = Variant::ALL[0];
    let mut old = Run::create(&origin, variant, tiny.resolve(variant).unwrap()).unwrap();
    while old.state().generation <= 2 {
        advance(&mut old, &AtomicBool::new(false), &mut []).unwrap();
    }
    drop(old);
    let mut setup = setup(&["usual=", "slow=train.learning_rate=0.0001"]);
    setup.from = Some(origin.display().to_string());
    let error = compare(&place, &setup, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("write RUN@N"), "{error}");
    setup.from = Some(format!("{}@2", origin.display()));
    let other = CompareSetup {
        variant: Variant::ALL[1],
        ..setup.clone()
    };
    let error = compare(&place, &other, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("is a run of english, not of"),
        "{error}"
    );
    let comparison = run(&place, &setup);
    assert_eq!(comparison.terms.from, setup.from);
    for (arm, seed) in [("usual", 1), ("usual", 2), ("slow", 1), ("slow", 2)] {
        let path = place.join(format!("runs/{arm}-{seed}"));
        let file = RunFile::read(&RunDir::open(&path).unwrap()).unwrap();
        let origin = file.origin.as_ref().unwrap().to_string();
        assert!(origin.contains("origin@2"), "{origin}");
        assert_eq!(file.settings_of(2).unwrap().config.seed, 1);
        let later = file.settings_of(3).unwrap().config;
        assert_eq!(later.seed, seed);
        assert_eq!(later.train.learning_rate < 0.001, arm == "slow");
    }
    // The same command has nothing left to do.
    assert_eq!(run(&place, &setup), comparison);
}

#[test]
fn a_comparison_that_was_stopped_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut setup = setup(&["a=", "b=model.channels=64", "c=model.blocks=1"]);
    setup.seeds = vec![5];
    // Stopped at every eighth event, in training and in matches.
    let mut stops = 0;
    let comparison = loop {
        let (stop, mut events) = (AtomicBool::new(false), 0);
        let (comparison, is_complete) = compare(dir.path(), &setup, &stop, &mut |event| {
            events += match event {
                CompareEvent::Progress(stage) if stage.name.contains(" against ") => 40,
                _ => 1,
            };
            stop.store(events >= 150, Ordering::Relaxed);
        })
        .unwrap();
        if is_complete {
            break comparison;
        }
        stops += 1;
        assert!(stops < 500, "it does not get on");
    };
    assert!(stops > 3, "{stops}");
    // Three pairs of arms in four measures; networks of several shapes play at equal time.
    assert_eq!(comparison.meetings.len(), 12);
    assert_eq!(comparison.headline.unwrap().limit, Limit::Time);
    let verdict = comparison.verdict.unwrap();
    assert!(
        verdict.contains("b against") || verdict.matches("with this seed").count() == 3,
        "{verdict}"
    );
}

#[test]
fn arms_need_names_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(false);
    let twice = setup(&["a=", "a=search.simulations=8"]);
    let error = compare(dir.path(), &twice, &never, &mut |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("two arms are called a"),
        "{error}"
    );
    let unknown = setup(&["a=", "b=search.simulatons=8"]);
    let error = compare(dir.path(), &unknown, &never, &mut |_| {}).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("did you mean `search.simulations`"),
        "{error}"
    );
}
