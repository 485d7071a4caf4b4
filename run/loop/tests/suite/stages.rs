//! The stages of a run, stopping them, and the events that observers receive.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rules::Variant;
use run::config::{ConfigSources, Resolved};
use run::integrity::{check, repair};
use run::{
    Budget, Ended, EndgameMetrics, Event, GateMetrics, MetricsLog, ProgressMetrics, RatingMetrics,
    Run, RunError, RunObserver, SelfplayMetrics, StageCost, StatusFile, Tag, TrainMetrics,
    TrainingBudget, Validation, advance, advance_until, measure_rating, train_for,
};
use store::{ModelId, Phase, RunDir};

static NEVER: AtomicBool = AtomicBool::new(false);

fn variant() -> Variant {
    Variant::ALL[0]
}

/// Seconds of work, with a gate and a rating in every generation.
fn settings() -> Resolved {
    settings_with(&[])
}

fn settings_with(more: &[&str]) -> Resolved {
    let small = [
        "threads=2",
        "selfplay.games_per_generation=8",
        "selfplay.max_plies=60",
        "gate.max_pairs=6",
        "rating.every_generations=1",
        "rating.pairs=4",
        "rating.pairs_per_step=2",
        "endgame.positions=40",
    ];
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        set: small.iter().chain(more).map(ToString::to_string).collect(),
        ..ConfigSources::default()
    };
    sources.resolve(variant()).unwrap()
}

fn open(path: &Path) -> Run {
    Run::resume_or_create(path, variant(), settings()).unwrap()
}

fn ignore(_: &Run, _: &Event<'_>) -> run::Result<()> {
    Ok(())
}

/// Everything in a run directory that has to be the same: files by name, except those that contain
/// times.
fn contents(run: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["models/000001", "models/000002", "gates"] {
        for entry in fs::read_dir(run.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            files.push((
                path.strip_prefix(run).unwrap().display().to_string(),
                fs::read(path).unwrap(),
            ));
        }
    }
    files.sort();
    files
}

/// The initial network is challenged in every generation, a later champion less often.
#[test]
fn champions_are_challenged_when_it_is_due() {
    let dir = tempfile::tempdir().unwrap();
    let easily_passed = [
        "gate.every_generations=4",
        "gate.max_pairs=2",
        "gate.nelo0=-100",
        "gate.nelo1=-1",
        // Searches of a network that knows nothing teach little.
        "train.value_root_fraction=0",
    ];
    let settings = settings_with(&easily_passed);
    let mut run = Run::create(&dir.path().join("run"), variant(), settings).unwrap();
    advance_until(&mut run, Some(4), &NEVER, &mut ignore).unwrap();
    let mut has_learned = false;
    let tested = (1..=4).map(|model| {
        let report = run.dir().gate::<eval::GateReport>(ModelId(model)).unwrap();
        let is_due = !has_learned || model == 4;
        assert_eq!(report.is_some(), is_due, "model {model}");
        has_learned |= report.is_some_and(|report| report.verdict == eval::Verdict::Better);
        is_due
    });
    assert!(!tested.fold(true, |all, is_tested| all & is_tested));
}

#[test]
fn observers_hear_of_everything_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = open(&dir.path().join("run"));
    let mut heard: Vec<String> = Vec::new();
    let mut observer = |run: &Run, event: &Event<'_>| {
        let name = match event {
            Event::StageStarted => format!("{:?} started", run.state().next),
            Event::Planned { .. } => "planned".to_owned(),
            Event::Progress { .. } => "progress".to_owned(),
            Event::StepSkipped { .. } => "skipped".to_owned(),
            Event::Learned { .. } => "learned".to_owned(),
            Event::Played(_) => "played".to_owned(),
            Event::Validated(_) => "validated".to_owned(),
            Event::Trained(_) => "trained".to_owned(),
            Event::Measured(_) => "measured".to_owned(),
            Event::Gated(_) => "gated".to_owned(),
            Event::Rated(_) => "rated".to_owned(),
            Event::StageEnded {
                stage,
                ended,
                generation,
                ..
            } => {
                format!("{stage:?} {ended:?} {generation}")
            }
        };
        if heard.last() != Some(&name) {
            heard.push(name);
        }
        Ok(())
    };
    advance_until(&mut run, Some(1), &NEVER, &mut observer).unwrap();
    let expected = [
        "SelfPlay started",
        "planned",
        "progress",
        "played",
        "SelfPlay Complete 1",
        "Train started",
        "validated",
        "planned",
        "progress",
        "trained",
        "measured",
        "Train Complete 1",
        "Gate started",
        "planned",
        "progress",
        "gated",
        "Gate Complete 1",
        "Rate started",
        "planned",
        "progress",
        "rated",
        "Rate Complete 1",
    ];
    assert_eq!(heard, expected);
    assert_eq!(
        (run.state().generation, run.state().next),
        (2, Phase::SelfPlay)
    );
}

/// Stops every stage of the second generation once, at its first progress event, or at its start if
/// the threads may finish before that arrives; the run is then opened again, or kept in memory.
fn stopped_in_every_stage(path: &Path, is_opened_again: bool) {
    let mut run = open(path);
    advance_until(&mut run, Some(1), &NEVER, &mut ignore).unwrap();
    let mut stopped = BTreeSet::new();
    while run.state().generation == 2 {
        let stage = run.state().next;
        let is_first = stopped.insert(format!("{stage:?}"));
        let stop = AtomicBool::new(false);
        let mut observer = |_: &Run, event: &Event<'_>| {
            let is_meant = match stage {
                Phase::SelfPlay => matches!(event, Event::StageStarted),
                _ => matches!(event, Event::Progress { .. }),
            };
            stop.fetch_or(is_first && is_meant, Ordering::Relaxed);
            Ok(())
        };
        let ended = advance(&mut run, &stop, &mut observer).unwrap();
        if is_first && stage != Phase::Gate {
            assert_eq!(ended, Ended::Stopped, "{stage:?}");
            assert_eq!(run.state().next, stage);
        }
        if is_opened_again {
            drop(run);
            run = open(path);
        }
    }
    assert_eq!(stopped.len(), 4);
}

#[test]
fn a_stop_in_any_stage_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, again, kept] = ["whole", "again", "kept"].map(|name| dir.path().join(name));
    advance_until(&mut open(&whole), Some(2), &NEVER, &mut ignore).unwrap();
    stopped_in_every_stage(&again, true);
    stopped_in_every_stage(&kept, false);
    for other in [&again, &kept] {
        assert_eq!(contents(&whole), contents(other));
        let elo = |path: &Path| {
            let ratings: run::Ratings = store::RunDir::open(path)
                .unwrap()
                .ratings()
                .unwrap()
                .unwrap();
            ratings
                .points
                .iter()
                .map(|point| point.elo)
                .collect::<Vec<_>>()
        };
        assert_eq!(elo(&whole), elo(other));
    }
}

#[test]
fn an_observer_that_fails_ends_the_stage_which_is_then_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut run = open(&path);
    let mut observer = |_: &Run, event: &Event<'_>| match event {
        Event::Progress { .. } => Err(RunError::Missing("no room".to_owned())),
        _ => Ok(()),
    };
    let error = advance(&mut run, &NEVER, &mut observer).unwrap_err();
    assert!(error.to_string().ends_with("no room"), "{error}");
    drop(run);
    let mut run = open(&path);
    assert_eq!(run.state().next, Phase::SelfPlay);
    assert_eq!(
        advance(&mut run, &NEVER, &mut ignore).unwrap(),
        Ended::Complete
    );
    assert_eq!(run.state().games, 8);
}

#[test]
fn every_curve_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings_with(&["window.held_out=0.3"]);
    let mut run = Run::resume_or_create(&dir.path().join("run"), variant(), settings).unwrap();
    let (mut metrics, mut status) = (MetricsLog::open(&run), StatusFile::open(&run));
    let mut observers: [&mut dyn RunObserver; 2] = [&mut metrics, &mut status];
    // Held-out games are measured four generations later, and in a generation of short games all
    // may be drawn, so that the first player has no score.
    advance_until(&mut run, Some(6), &NEVER, &mut observers).unwrap();
    status.close(&run);

    let lines = run.dir().metrics().unwrap();
    let written: BTreeSet<&str> = lines
        .iter()
        .flat_map(|line| &line.values)
        .filter(|(_, value)| value.is_some())
        .map(|(tag, _)| tag.as_str())
        .collect();
    let declared = [
        SelfplayMetrics::TAGS,
        Validation::TAGS,
        TrainMetrics::TAGS,
        GateMetrics::TAGS,
        RatingMetrics::TAGS,
        EndgameMetrics::TAGS,
        ProgressMetrics::TAGS,
        &[StageCost::seconds_of(Phase::Gate), StageCost::MEMORY_MIB],
    ];
    let declared = declared.concat().into_iter().map(Tag::name);
    let heads = ["loss/policy", "loss/value", "loss/total"];
    let missing: Vec<&str> = declared
        .filter(|tag| *tag != TrainMetrics::LOSSES.name())
        .chain(heads)
        .filter(|tag| !written.contains(tag))
        .collect();
    assert_eq!(missing, [""; 0]);

    let document = status.status();
    assert_eq!(
        (document.running, document.newest, document.games),
        (false, 6, 48)
    );
    assert_eq!(document.selfplay.as_ref().unwrap().duplicate_rate, 0.0);
    assert!(document.rating.is_some() && document.training.is_some());
}

#[test]
fn settings_of_a_run_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    drop(open(&path));
    let other = |set: &str| {
        let sources = ConfigSources {
            set: vec![set.to_owned()],
            ..ConfigSources::default()
        };
        Run::resume(&path, variant(), &sources.resolve(variant()).unwrap())
    };
    assert_eq!(other("threads=1").unwrap().threads(), 1);
    let error = other("seed=2").err().unwrap();
    assert!(error.is_request(), "{error}");
    assert!(
        error.to_string().contains("`seed` is 1, --set asks for 2"),
        "{error}"
    );
}

/// A window of few games, so that most leave it soon; the minimum size of the run is above two
/// megabytes.
#[test]
fn a_budget_for_the_disk_changes_nothing_that_is_learned() {
    let dir = tempfile::tempdir().unwrap();
    let train = |name: &str, budget: &str, stops: &[u32]| {
        let small = [
            "threads=2",
            "selfplay.games_per_generation=4",
            "selfplay.max_plies=40",
            "window.min_samples=100",
            "window.max_samples=100",
            "gate.max_pairs=2",
            "gate.simulations=2",
            "endgame.pieces=0",
            budget,
        ];
        let sources = ConfigSources {
            preset: Some("tiny".to_owned()),
            set: small.map(str::to_owned).to_vec(),
            ..ConfigSources::default()
        };
        let (path, settings) = (dir.path().join(name), sources.resolve(variant()).unwrap());
        for &last in stops {
            let mut run = Run::resume_or_create(&path, variant(), settings.clone()).unwrap();
            advance_until(&mut run, Some(last), &NEVER, &mut ignore).unwrap();
        }
        assert_eq!(check(&path).unwrap(), []);
        RunDir::open(&path).unwrap()
    };
    let last = 9;
    let all = train("all", "disk.budget=0", &[last]);
    let few = train("few", "disk.budget=2", &[4, 7, last]);
    let model = |run: &RunDir| {
        let path = run.model(ModelId(last)).unwrap();
        fs::read(path.join("model.safetensors")).unwrap()
    };
    assert_eq!(model(&few), model(&all));
    let state = few.state().unwrap().unwrap();
    let generations = few.games(variant()).generations().unwrap();
    assert!(state.games_from > 3, "{state:?}");
    assert_eq!(generations, Vec::from_iter(state.games_from..=last));
    let models = few.models().unwrap();
    assert!(models.len() < all.models().unwrap().len(), "{models:?}");
    assert!(models.contains(&state.champion) && models.contains(&ModelId(0)));

    // A rebuilt state still knows that the same games were deleted on purpose.
    let state_path = few.state_path();
    fs::write(&state_path, "{").unwrap();
    repair(few.path(), false).unwrap();
    assert_eq!(check(few.path()).unwrap(), []);
    let repaired = few.state().unwrap().unwrap();
    assert_eq!(
        (repaired.games_from, repaired.newest),
        (state.games_from, state.newest)
    );
}

#[test]
fn a_budget_that_is_spent_ends_with_a_longer_rating() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = open(&folder.path().join("run"));
    let (mut ratings, mut stages) = (Vec::new(), BTreeSet::new());
    let mut observer = |run: &Run, event: &Event<'_>| {
        stages.extend(event.stage(run).map(|stage| stage.name));
        if let Event::Planned {
            stage: Phase::Rate,
            total,
            ..
        } = event
        {
            ratings.push(*total);
        }
        Ok(())
    };
    let training_budget = TrainingBudget::new(Budget::Generations(1));
    train_for(&mut run, &training_budget, &mut observer).unwrap();
    training_budget.interrupt();
    train_for(&mut run, &training_budget, &mut observer).unwrap();
    assert_eq!((run.state().generation, &ratings[..]), (2, &[4, 6][..]));
    let expected = [
        "1: gate",
        "1: rating",
        "1: self-play",
        "1: training",
        "2: rating",
    ];
    assert_eq!(
        stages,
        expected.map(|stage| format!("generation {stage}")).into()
    );
}

#[test]
fn a_champion_that_has_learned_nothing_is_not_rated() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = open(&folder.path().join("run"));
    let mut ratings = 0;
    let mut observer = |_: &Run, event: &Event<'_>| {
        ratings += usize::from(matches!(event, Event::Rated(_)));
        Ok(())
    };
    let training_budget = TrainingBudget::new(Budget::Generations(0));
    train_for(&mut run, &training_budget, &mut observer).unwrap();
    let point = measure_rating(&run, 1, &AtomicBool::new(false), &mut observer).unwrap();
    assert_eq!((ratings, point.is_none()), (0, true));
}
