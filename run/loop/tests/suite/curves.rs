//! Curves and status of a run whose process was killed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rules::Variant;
use run::config::ConfigSources;
use run::{
    CURVE_DOCS, Event, MetricsLog, Run, RunError, RunObserver, Status, StatusFile, TrainMetrics,
    advance, measure_rating,
};
use store::RunDir;

static NEVER: AtomicBool = AtomicBool::new(false);

fn open(path: &Path) -> Run {
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        ..ConfigSources::default()
    };
    let variant = Variant::ALL[0];
    Run::resume_or_create(path, variant, sources.resolve(variant).unwrap()).unwrap()
}

/// Works until the number of events is used up, which ends the process like a kill.
fn work(path: &Path, mut n_events: usize) -> bool {
    let mut run = open(path);
    let (mut metrics, mut status) = (MetricsLog::open(&run), StatusFile::open(&run));
    let mut killed = move |_: &Run, event: &Event<'_>| -> Result<(), RunError> {
        let counts = !matches!(event, Event::Progress { .. } | Event::Planned { .. });
        n_events = n_events.saturating_sub(usize::from(counts));
        match n_events {
            0 => Err(RunError::Missing("killed".to_owned())),
            _ => Ok(()),
        }
    };
    let mut observers: [&mut dyn RunObserver; 3] = [&mut status, &mut metrics, &mut killed];
    while run.state().generation <= 2 {
        if advance(&mut run, &NEVER, &mut observers).is_err() {
            return false;
        }
    }
    // As the command does, also if there was nothing left to train.
    if measure_rating(&run, 2, &NEVER, &mut observers).is_err() {
        return false;
    }
    status.close(&run);
    true
}

#[test]
fn a_run_killed_everywhere_has_every_point_once() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, cut] = ["whole", "cut"].map(|name| dir.path().join(name));
    assert!(work(&whole, usize::MAX));
    for n_events in 2.. {
        if work(&cut, n_events) {
            break;
        }
        let status = RunDir::open(&cut).unwrap().status::<Status>().unwrap();
        assert!(status.is_none_or(|status| status.interrupted && !status.running));
    }
    assert!(work(&cut, usize::MAX));
    let points = |path: &Path| {
        let mut seen = BTreeSet::new();
        for line in RunDir::open(path).unwrap().metrics().unwrap() {
            for (tag, value) in &line.values {
                let is_speed = ["time/", "process/", "progress/seconds"]
                    .iter()
                    .any(|group| tag.starts_with(group))
                    || tag.ends_with("_per_s")
                    || tag.ends_with("network_share")
                    || tag.ends_with("batch_fill");
                if !is_speed {
                    let point = (
                        tag.clone(),
                        line.generation,
                        line.step,
                        format!("{value:?}"),
                    );
                    assert!(seen.insert(point.clone()), "{point:?} is there twice");
                }
            }
        }
        seen
    };
    assert_eq!(points(&cut), points(&whole));
}

#[test]
fn losses_have_a_point_every_hundred_steps() {
    let dir = tempfile::tempdir().unwrap();
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        set: vec!["train.samples_per_position=80".to_owned()],
        ..ConfigSources::default()
    };
    let variant = Variant::ALL[0];
    let train = |stop_at: u64| {
        let settings = sources.resolve(variant).unwrap();
        let mut run = Run::resume_or_create(dir.path(), variant, settings).unwrap();
        let (mut metrics, mut stopped) = (MetricsLog::open(&run), false);
        let mut stop = |_: &Run, event: &Event<'_>| match event {
            Event::Learned { step, .. } if *step == stop_at => {
                stopped = true;
                Err(RunError::Missing("killed".to_owned()))
            }
            _ => Ok(()),
        };
        let mut observers: [&mut dyn RunObserver; 2] = [&mut metrics, &mut stop];
        while run.state().newest.0 == 0 && advance(&mut run, &NEVER, &mut observers).is_ok() {}
        (stopped, run.state().step)
    };
    assert!(train(200).0);
    let (_, last) = train(u64::MAX);
    let lines = RunDir::open(dir.path()).unwrap().metrics().unwrap();
    let steps = lines
        .iter()
        .filter(|line| line.values.contains_key("loss/total"));
    let steps: Vec<u64> = steps.map(|line| line.step).collect();
    // The mean over the whole stage comes last.
    let (whole, parts) = steps.split_last().unwrap();
    let expected: Vec<u64> = (1..=(last - 1) / 100).map(|point| 100 * point).collect();
    assert!(expected.len() >= 2, "{last} steps");
    assert_eq!((*whole, parts), (last, &expected[..]));
}

/// Failures of purely informative files must not stop training.
#[test]
fn curves_and_status_that_cannot_be_written_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    for name in ["metrics.jsonl", "status.json"] {
        fs::create_dir(dir.path().join(name)).unwrap();
    }
    fs::remove_dir_all(dir.path().join("tensorboard")).unwrap();
    fs::write(dir.path().join("tensorboard"), "a file").unwrap();
    assert!(work(dir.path(), usize::MAX));
}

/// Names like `"train/steps"` in a script of the page, in groups that have curves.
fn curves_in<'a>(script: &'a str, groups: &BTreeSet<&str>) -> Vec<&'a str> {
    let quoted = script.split('"').skip(1).step_by(2);
    let named = quoted.filter(|text| {
        let name = text.split_once('/');
        name.is_some_and(|(group, name)| groups.contains(group) && !name.contains(['/', ' ', '.']))
    });
    named.collect()
}

#[test]
fn the_page_names_curves_that_are_written() {
    let tags: BTreeSet<&str> = CURVE_DOCS
        .iter()
        .flat_map(|(_, docs)| *docs)
        .map(|(tag, _)| tag.name())
        .collect();
    let groups: BTreeSet<&str> = tags
        .iter()
        .filter_map(|tag| tag.split('/').next())
        .collect();
    let losses = format!("{}/", TrainMetrics::LOSSES);
    let scripts = page::ASSETS
        .iter()
        .filter(|asset| asset.name.ends_with(".js"));
    let named: Vec<&str> = scripts
        .flat_map(|asset| curves_in(asset.text, &groups))
        .collect();
    assert!(named.len() > 30, "{named:?}");
    for name in named {
        assert!(tags.contains(name) || name.starts_with(&losses), "{name}");
    }
}
