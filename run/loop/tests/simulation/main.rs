//! A whole tiny training run on a failing disk: killed and resumed processes, power failures that
//! lose unsynced data, short writes, defective and full disks, flipped bits, two processes at once.
//! Each seed is another history. It has to end with the files of an undisturbed run, or with a
//! fault that [`check`] names, [`repair`] repairs, and after which the run resumes.
//!
//! `CROWNHEAD_SEEDS=7 cargo test --release -p crownhead-run --test simulation -- --nocapture`
//! replays the history of seed 7 and prints it; `CROWNHEAD_SEEDS=0..100000` tries many.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]
#![expect(clippy::print_stdout, reason = "histories are told to whoever asks")]

mod device;
mod disk;
mod documents;
mod outcome;
mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use run::config::{ConfigSources, Resolved};
use run::integrity::{check, repair};
use run::{Event, MetricsLog, Run, RunError, RunObserver, StatusFile, advance_until};
use store::StoreError;
use store::disk::StandIn;

use disk::{Fault, Plan, SimulatedDisk};
use outcome::{Outcome, Point, difference, false_points, outcome, points};

const VARIANT: Variant = Variant::ALL[0];
/// Generations of the run.
const GENERATIONS: u32 = 3;

/// Every stage in every generation, as small as possible.
fn settings() -> Resolved {
    let small = [
        "threads=1",
        "model.blocks=1",
        "model.policy_dim=1",
        "model.value_channels=1",
        "model.value_hidden=1",
        "search.simulations=2",
        "selfplay.games_per_generation=3",
        "selfplay.concurrent_games=2",
        "selfplay.fast_simulations=1",
        "selfplay.max_plies=12",
        "train.batch_size=8",
        "gate.max_pairs=2",
        "gate.simulations=1",
        "rating.pairs=1",
        "rating.simulations=1",
        "endgame.positions=4",
    ];
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        set: small.map(str::to_owned).to_vec(),
        ..ConfigSources::default()
    };
    sources.resolve(VARIANT).unwrap()
}

/// The outcome of an undisturbed run.
struct Reference {
    outcome: Outcome,
    points: Vec<Point>,
    n_operations: u64,
}

/// The history of one run.
struct History {
    run: PathBuf,
    disk: Arc<SimulatedDisk>,
    rng: ChaCha8Rng,
    is_told: bool,
    settings: Resolved,
}

impl History {
    fn new(folder: &Path, seed: u64, is_told: bool) -> (History, StandIn) {
        let root = folder.join(format!("{seed}"));
        fs::create_dir(&root).unwrap();
        let disk = Arc::new(SimulatedDisk::new(&root, seed));
        let stand_in = StandIn::new(&root, Arc::clone(&disk) as _);
        let history = History {
            run: root.join("run"),
            disk,
            rng: ChaCha8Rng::seed_from_u64(seed),
            is_told,
            settings: settings(),
        };
        (history, stand_in)
    }

    fn tell(&self, what: impl FnOnce() -> String) {
        if self.is_told {
            println!("{}", what());
        }
    }

    /// A process that trains the run to its end unless a fault stops it.
    fn train(&self, has_rival: bool) -> Result<(), RunError> {
        let mut run = Run::resume_or_create(&self.run, VARIANT, self.settings.clone())?;
        if has_rival {
            let rival = Run::resume(&self.run, VARIANT, &self.settings);
            let refused = matches!(rival, Err(RunError::Store(StoreError::Locked { .. })));
            assert!(
                refused || self.disk.is_dead(),
                "two processes work on one run"
            );
        }
        let (mut metrics, mut status) = (MetricsLog::open(&run), StatusFile::open(&run));
        let mut alive = |_: &Run, _: &Event<'_>| match self.disk.is_dead() {
            true => {
                Err(StoreError::io("go on in", &self.run)(std::io::ErrorKind::Other.into()).into())
            }
            false => Ok(()),
        };
        let mut observers: [&mut dyn RunObserver; 3] = [&mut alive, &mut status, &mut metrics];
        let outcome = advance_until(&mut run, Some(GENERATIONS), &self.disk.stop, &mut observers);
        status.close(&run);
        outcome
    }

    /// Several processes that end early, then one that does not.
    fn play(&mut self, reference: &Reference) -> &'static str {
        let mut left = reference.n_operations;
        for _ in 0..self.rng.random_range(1..4) {
            let at = self.rng.random_range(1..=left);
            self.suffer(at);
            left = left.saturating_sub(at).max(20);
        }
        let has_rotted = self.rng.random_ratio(1, 4);
        let faults = match has_rotted {
            true => self.rot(),
            false => Vec::new(),
        };
        if !faults.is_empty() {
            return self.mend(&faults);
        }
        self.disk.begin(None);
        // The rival waits for a fifth of a second.
        let has_rival = self.rng.random_ratio(1, 50);
        self.train(has_rival).unwrap();
        self.expect(reference, has_rotted);
        "with the files of an undisturbed run"
    }

    /// A process that meets a fault.
    fn suffer(&mut self, at: u64) {
        let fault = match self.rng.random_range(0..10) {
            0..2 => Fault::Kill,
            2..6 => Fault::PowerLoss,
            6..8 => Fault::Defect,
            8 => Fault::Full,
            _ => Fault::Stop,
        };
        let has_short_writes = self.rng.random_bool(0.25);
        let plan = Plan {
            fault,
            at,
            has_short_writes,
        };
        self.disk.begin(Some(plan));
        let outcome = self.train(false);
        self.tell(|| {
            format!(
                "{plan:?}: {:?}",
                outcome.as_ref().map_err(ToString::to_string)
            )
        });
        if let Err(error) = outcome {
            let was_met = self.disk.n_operations() >= at && fault != Fault::Stop;
            assert!(was_met, "nothing was wrong, and {error}");
        }
        if fault == Fault::PowerLoss {
            self.disk.lose_power();
            self.tell(|| "the power is lost".to_owned());
        }
    }

    /// Flips a bit of a file; returns what [`check`] reports.
    fn rot(&mut self) -> Vec<String> {
        self.disk.settle();
        let mut all = Outcome::new();
        bytes_of(&self.run, &mut all);
        let Some(n) = all.len().checked_sub(1) else {
            return Vec::new();
        };
        let (path, mut bytes) = all.into_iter().nth(self.rng.random_range(0..=n)).unwrap();
        if bytes.is_empty() {
            return Vec::new();
        }
        let bit = self.rng.random_range(0..8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, bytes).unwrap();
        self.disk.begin(None);
        let faults = match check(&self.run) {
            // The run had not started, so it starts again.
            Err(RunError::Store(StoreError::NotARun { .. })) => Vec::new(),
            faults => faults.unwrap(),
        };
        let faults = faults
            .into_iter()
            .map(|fault| format!("{}: {}", fault.path.display(), fault.what));
        let faults: Vec<String> = faults.collect();
        self.tell(|| format!("bit {bit} of {path} flips: {faults:#?}"));
        faults
    }

    /// Checks that a damaged run is rejected or resumes, and that it resumes after a repair.
    fn mend(&mut self, faults: &[String]) -> &'static str {
        self.disk.begin(None);
        if self.rng.random() {
            match self.train(false) {
                Ok(()) => return "going on in spite of a fault that has a name",
                Err(error) => assert!(error.to_string().contains("crownhead repair"), "{error}"),
            }
        }
        let mended = repair(&self.run, false);
        self.tell(|| format!("mended: {mended:#?}"));
        assert!(
            !mended.unwrap().is_empty(),
            "nothing was mended of {faults:#?}"
        );
        self.train(false).unwrap();
        let left = check(&self.run).unwrap();
        let is_lost = |what: &str| what.starts_with("games of generation");
        assert!(left.iter().all(|fault| is_lost(&fault.what)), "{left:#?}");
        "mended"
    }

    /// Expects the files of an undisturbed run. A flipped bit in a curve is not detectable.
    fn expect(&self, reference: &Reference, has_rotted: bool) {
        let differs = difference(&outcome(&self.run, VARIANT), &reference.outcome);
        assert!(
            differs.is_empty(),
            "other files than of an undisturbed run: {differs:#?}"
        );
        assert_eq!(check(&self.run).unwrap(), []);
        if has_rotted {
            return;
        }
        assert_eq!(false_points(&self.run, &reference.points), []);
    }
}

fn bytes_of(dir: &Path, found: &mut Outcome) {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes_of(&path, found);
        } else {
            found.insert(path.display().to_string(), fs::read(path).unwrap());
        }
    }
}

fn reference(folder: &Path) -> Reference {
    let (history, _stand_in) = History::new(folder, u64::MAX, false);
    history.disk.begin(None);
    history.train(false).unwrap();
    Reference {
        outcome: outcome(&history.run, VARIANT),
        points: points(&history.run),
        n_operations: history.disk.n_operations(),
    }
}

#[test]
fn every_history_of_a_training_ends_well() {
    let folder = tempfile::tempdir().unwrap();
    let reference = reference(folder.path());
    seeds::live_through(0..500, |seed, is_told| {
        let (mut history, _stand_in) = History::new(folder.path(), seed, is_told);
        let ending = history.play(&reference);
        fs::remove_dir_all(history.run.parent().unwrap()).unwrap();
        ending
    });
}
