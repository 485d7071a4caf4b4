//! A distillation has the same result wherever it is stopped.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use distill::{Config, PlayConfig};
use lab::distillation::{
    DistillBudget, DistillEvent, DistillSettings, Distillation, TrainingLength, distill,
};
use rules::Variant;
use store::Games;

const BUDGET: DistillBudget = DistillBudget {
    rounds: 1,
    training: TrainingLength::Steps,
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
        },
        relabel: None,
    }
}

/// The steps done of this work, if the event is its progress.
fn done(event: &DistillEvent<'_>, work: &str) -> Option<u64> {
    match event {
        DistillEvent::Progress(progress) if progress.name.ends_with(work) => Some(progress.done),
        _ => None,
    }
}

/// Calls until it is finished, stopping each call at the next event that `is_enough` selects.
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
            distill(dir, &relabelled(), &BUDGET, &stop, observer).unwrap();
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
        assert!(!round.join("training").exists() && !round.join("labels").exists());
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
    check("playing", |event| done(event, "playing").is_some());
    check("relabelling", |event| done(event, "relabelling").is_some());
    check("training", |event| done(event, "training").is_some());
    check("contest", |event| done(event, "previous best").is_some());
}

#[test]
fn other_settings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(true);
    let call = |seed| {
        let mut settings = settings();
        settings.learning.seed = seed;
        distill(folder.path(), &settings, &BUDGET, &never, &mut |_| {})
    };
    assert!(!call(1).unwrap().1, "stopped at once");
    // Older versions also recorded values that are constants now.
    let path = folder.path().join("distillation.json");
    let record = fs::read_to_string(&path).unwrap();
    let older = record.replacen("\"nodes\"", "\"opening_plies\": 12, \"nodes\"", 1);
    assert_ne!(older, record);
    fs::write(&path, older).unwrap();
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
            let is_training = done(event, "training").is_some();
            stop.store(is_training, Ordering::Relaxed);
        };
        distill(folder.path(), &settings, budget, &stop, observer)
    };
    // Training by time has as many steps as the machine manages, whatever the settings say.
    let by_time = DistillBudget {
        training: TrainingLength::PassesWithin(Duration::from_secs(600)),
        ..BUDGET
    };
    assert!(!call(60, &by_time).unwrap().1, "stopped while it trained");
    let error = call(60, &BUDGET).unwrap_err();
    let text = error.to_string();
    assert!(
        error.is_request() && text.contains("steps, not 60"),
        "{text}"
    );
    assert!(text.contains("rounds/000001/training "), "{text}");
}

/// As for labels: training continues with the same games, and begins again with others or if a bit
/// has flipped.
#[test]
fn a_training_is_kept_while_it_fits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rounds/000001/training");
    // The first event, after which the call ends.
    let call = || {
        let stop = AtomicBool::new(false);
        let mut first = None;
        let observer = &mut |event: &DistillEvent<'_>| {
            if let Some(done) = done(event, "training") {
                first.get_or_insert(done);
                stop.store(true, Ordering::Relaxed);
            }
        };
        let request = (folder.path(), &settings());
        let (_, is_finished) = distill(request.0, request.1, &BUDGET, &stop, observer).unwrap();
        assert!(!is_finished);
        first.unwrap()
    };
    let steps = call();
    let made = fs::read(&path).unwrap();
    assert_eq!(call(), 2 * steps, "gone on with");
    let mut flipped = made.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [&b"short"[..], &made[8..], &flipped] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(call(), steps, "begun again");
        assert_eq!(fs::read(&path).unwrap(), made);
    }
    // Two games are not finished.
    let games = Games::new(&folder.path().join("games"), Variant::Thai);
    let mut records = games.read(1).unwrap().records;
    for record in &mut records[1..3] {
        record.plies.pop();
        record.result = None;
    }
    fs::remove_file(folder.path().join("games/000001-000.seg")).unwrap();
    let mut writer = games.writer(1).unwrap();
    for record in &records {
        assert!(writer.append(record).unwrap());
    }
    writer.sync().unwrap();
    drop(writer);
    assert_eq!(call(), steps, "begun again");
    assert_ne!(fs::read(&path).unwrap(), made);
}

#[test]
fn without_a_number_of_steps_positions_are_learned_from_twenty_times() {
    let hour = Duration::from_secs(3600);
    for training in [TrainingLength::Passes, TrainingLength::PassesWithin(hour)] {
        let folder = tempfile::tempdir().unwrap();
        let budget = DistillBudget { training, ..BUDGET };
        let (stop, observer) = (AtomicBool::new(false), &mut |_: &DistillEvent<'_>| {});
        let (distillation, _) =
            distill(folder.path(), &settings(), &budget, &stop, observer).unwrap();
        for round in &distillation.rounds {
            let passes = 20 * round.examples.training as u64 / settings().learning.batch as u64;
            assert_eq!(round.steps, passes.max(60));
        }
    }
}

fn relabelled() -> DistillSettings {
    DistillSettings {
        teacher: Some("bundled".to_owned()),
        relabel: Some(3),
        ..settings()
    }
}

#[test]
fn labels_that_are_made_are_kept_while_they_fit() {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("rounds/000001/labels");
    // The first event, after which the call ends.
    let call = || {
        let stop = AtomicBool::new(false);
        let mut first = None;
        let observer = &mut |event: &DistillEvent<'_>| {
            if let Some(done) = done(event, "relabelling") {
                first.get_or_insert(done as usize);
                stop.store(true, Ordering::Relaxed);
            }
        };
        let request = (folder.path(), &relabelled());
        let (_, is_finished) = distill(request.0, request.1, &BUDGET, &stop, observer).unwrap();
        assert!(!is_finished);
        first.unwrap()
    };
    let part = call();
    let made = fs::read(&labels).unwrap();
    assert_eq!(made.len(), 8 + 2 * part);
    assert_eq!(call(), 2 * part, "gone on with");
    let more = fs::read(&labels).unwrap();
    assert!(more[8..].starts_with(&made[8..]) && more.len() == 8 + 4 * part);
    let with_a_flip = |place: usize| {
        let mut bytes = made.clone();
        bytes[place] ^= 1;
        bytes
    };
    let a_score_less = &made[..made.len() - 2];
    for damaged in [
        &b"short"[..],
        a_score_less,
        &with_a_flip(0),
        &with_a_flip(8),
    ] {
        fs::write(&labels, damaged).unwrap();
        assert_eq!(call(), part, "begun again");
        assert_eq!(fs::read(&labels).unwrap(), made);
    }
}

#[test]
fn without_an_evaluation_nothing_can_be_relabelled() {
    let folder = tempfile::tempdir().unwrap();
    let settings = DistillSettings {
        teacher: None,
        ..relabelled()
    };
    let call = |rounds| {
        let budget = DistillBudget { rounds, ..BUDGET };
        let at_once = AtomicBool::new(true);
        distill(folder.path(), &settings, &budget, &at_once, &mut |_| {})
    };
    let error = call(1).unwrap_err();
    assert!(
        error.is_request() && error.to_string().contains("round 1 cannot relabel"),
        "{error}"
    );
    assert!(!call(2).unwrap().1, "round 2 can");
}
