//! A tournament's directory on a failing disk: exactly the committed state comes back.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use store::TournamentDir;
use store::disk::StandIn;

use crate::disk::{Fault, Plan, SimulatedDisk};
use crate::seeds::live_through;

/// Number of commits of a tournament.
const LAST: u32 = 20;

/// The games of the first `n` commits.
fn games(n: u32) -> String {
    (1..=n).map(|number| format!("game {number}\n")).collect()
}

/// Commits until something fails; `promised` is the last commit that succeeded, `tried` the last
/// attempt.
fn commit(path: &Path, mut promised: u32, mut tried: u32) -> (u32, u32) {
    let Ok((mut dir, found)) = TournamentDir::open::<u32>(path) else {
        return (promised, tried);
    };
    let (found, all) = (found.unwrap_or(0), promised..=tried);
    assert!(all.contains(&found), "{found} is none of {all:?}");
    assert_eq!(fs::read_to_string(dir.games_path()).unwrap(), games(found));
    if found == LAST {
        return (LAST, LAST);
    }
    for next in found + 1..=LAST {
        tried = tried.max(next);
        if dir.commit(&format!("game {next}\n"), &next).is_err() {
            break;
        }
        (promised, tried) = (next, next);
    }
    (promised, tried)
}

fn live(folder: &Path, seed: u64) -> &'static str {
    let root = folder.join(seed.to_string());
    fs::create_dir(&root).unwrap();
    let disk = Arc::new(SimulatedDisk::new(&root, seed));
    let _stand_in = StandIn::new(&root, Arc::clone(&disk) as _);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut promised, mut tried) = (0, 0);
    while promised < LAST {
        let faults = [Fault::Kill, Fault::PowerLoss, Fault::Defect, Fault::Full];
        let plan = Plan {
            fault: faults[rng.random_range(0..faults.len())],
            at: rng.random_range(1..40),
            has_short_writes: rng.random(),
        };
        disk.begin(Some(plan));
        (promised, tried) = commit(&root.join("tournament"), promised, tried);
        if plan.fault == Fault::PowerLoss {
            disk.lose_power();
        }
    }
    fs::remove_dir_all(root).unwrap();
    "complete"
}

#[test]
fn every_history_of_a_tournament_ends_well() {
    let folder = tempfile::tempdir().unwrap();
    live_through(0..100, |seed, _| live(folder.path(), seed));
}
