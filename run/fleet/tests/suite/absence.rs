//! A share that disappears.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use config::ConfigSources;
use fleet::{FleetError, Machine, WorkEvent, lead, work};
use rules::Variant;
use run::Run;
use share::{Objects, Trust};

#[test]
fn a_machine_gives_up_a_share_that_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        ..ConfigSources::default()
    };
    let variant = Variant::ALL[0];
    let settings = sources.resolve(variant).unwrap();
    let mut run = Run::create(&dir.path().join("run"), variant, settings).unwrap();
    let place = dir.path().join("place");
    let share = Arc::new(Objects::make(place.to_str().unwrap(), &[]).unwrap());
    lead(&mut run, share.clone(), Trust::default()).unwrap();
    let machine = Machine {
        name: "worker",
        threads: 1,
        device: "cpu",
        patience: Duration::from_secs(1),
    };
    let begun = Instant::now();
    let stop = AtomicBool::new(false);
    let worked = work(&*share, &machine, &stop, &mut |event| {
        if let WorkEvent::Joined(_) = event {
            fs::remove_dir_all(&place).unwrap();
        }
    });
    let error = worked.unwrap_err();
    assert!(matches!(error, FleetError::Gone { .. }), "{error}");
    assert!(
        error.to_string().contains("there is no fleet in"),
        "{error}"
    );
    assert!(begun.elapsed() < Duration::from_secs(60));
}
