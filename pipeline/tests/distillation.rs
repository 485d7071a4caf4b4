//! A distillation that is stopped wherever it may be comes to the same.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use distill::{Config, PlayConfig};
use pipeline::distillation::{DistillBudget, DistillEvent, DistillSettings, Distillation, distill};

const BUDGET: DistillBudget = DistillBudget {
    rounds: 1,
    training_time: None,
    threads: 2,
};

fn settings() -> DistillSettings {
    DistillSettings {
        variant: "thai".to_owned(),
        run: None,
        teacher: None,
        learning: Config {
            steps: 60,
            batch: 256,
            ..Config::DEFAULT
        },
        play: PlayConfig {
            games: 130,
            nodes: 20,
            ..PlayConfig::DEFAULT
        },
    }
}

/// Calls until it is finished, each call stopped at the next event for which `is_enough` says so.
fn in_parts(
    dir: &Path,
    is_enough: impl Fn(&DistillEvent<'_>) -> bool + Sync,
) -> (Distillation, u32) {
    for call in 1.. {
        let stop = AtomicBool::new(false);
        let observer = &mut |event: &DistillEvent<'_>| {
            if call < 4 && is_enough(event) {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let (distillation, is_finished) =
            distill(dir, &settings(), &BUDGET, (&stop, observer)).unwrap();
        if is_finished {
            return (distillation, call);
        }
    }
    unreachable!("the last call is not stopped")
}

#[test]
fn stops_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let evaluation = |name: &str| {
        let round = folder.path().join(name).join("rounds/000001");
        assert!(!round.join("training.safetensors").exists());
        fs::read(round.join("evaluation.safetensors")).unwrap()
    };
    let (whole, calls) = in_parts(&folder.path().join("whole"), |_| false);
    assert_eq!((calls, whole.rounds.len()), (1, 1));
    let check = |name: &str, is_enough: fn(&DistillEvent<'_>) -> bool| {
        let (parts, calls) = in_parts(&folder.path().join(name), is_enough);
        assert!(calls > 1, "{name}");
        assert_eq!(parts, whole, "{name}");
        assert_eq!(evaluation(name), evaluation("whole"), "{name}");
    };
    check("playing", |event| {
        matches!(event, DistillEvent::Playing { .. })
    });
    check("training", |event| {
        matches!(event, DistillEvent::Training { .. })
    });
    check("contest", |event| {
        matches!(event, DistillEvent::Contest { .. })
    });
}

#[test]
fn other_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(true);
    let call = |seed| {
        let mut settings = settings();
        settings.learning.seed = seed;
        distill(folder.path(), &settings, &BUDGET, (&never, &mut |_| {}))
    };
    assert!(!call(1).unwrap().1, "stopped at once");
    let error = call(2).unwrap_err();
    assert!(
        error.is_request() && error.to_string().contains("other settings"),
        "{error}"
    );
}

#[test]
fn a_training_of_other_steps_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let call = |steps, budget: &DistillBudget| {
        let mut settings = settings();
        settings.learning.steps = steps;
        let stop = AtomicBool::new(false);
        let observer = &mut |event: &DistillEvent<'_>| {
            let is_training = matches!(event, DistillEvent::Training { .. });
            stop.store(is_training, Ordering::Relaxed);
        };
        distill(folder.path(), &settings, budget, (&stop, observer))
    };
    // A training by time has as many steps as the machine makes, whatever the settings say.
    let by_time = DistillBudget {
        training_time: Some(Duration::from_secs(600)),
        ..BUDGET
    };
    assert!(!call(60, &by_time).unwrap().1, "stopped while it trained");
    let error = call(60, &BUDGET).unwrap_err();
    let text = error.to_string();
    assert!(
        error.is_request() && text.contains("steps, not 60"),
        "{text}"
    );
    assert!(text.contains("training.safetensors"), "{text}");
}

#[test]
fn with_any_time_positions_are_learnt_from_twenty_times_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let hour = DistillBudget {
        training_time: Some(Duration::from_secs(3600)),
        ..BUDGET
    };
    let (stop, observer) = (AtomicBool::new(false), &mut |_: &DistillEvent<'_>| {});
    let (distillation, _) = distill(folder.path(), &settings(), &hour, (&stop, observer)).unwrap();
    for round in &distillation.rounds {
        let most = 20 * round.examples.training as u64 / settings().learning.batch as u64;
        assert_eq!(round.steps, most.max(60));
    }
}
