//! A run with a fleet has the same files, byte for byte, as on one machine.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};

use config::{ConfigSources, Resolved};
use eval::{GateGame, GatePair, GateReport};
use fleet::{FleetError, Machine, WorkEvent, audit, lead, work};
use rules::Variant;
use run::integrity::replay;
use run::{Event, Run, advance, advance_until};
use share::{
    Assignment, ChunkName, Listed, Mismatch, ObjectError, Objects, Share, ShareError, Trust, Work,
    WorkerStatus,
};
use store::{ModelId, Phase, Record, RecordedSearch, Wdl8, pack_games, unpack_games};

static NEVER: AtomicBool = AtomicBool::new(false);
const VARIANT: Variant = Variant::ALL[0];

fn settings(more: &[&str]) -> Resolved {
    let small = [
        "selfplay.games_per_generation=90",
        "selfplay.max_plies=60",
        "endgame.positions=40",
        "gate.max_pairs=10",
        "rating.every_generations=2",
        "rating.pairs=10",
        "rating.pairs_per_step=5",
    ];
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        set: small.iter().chain(more).map(|&s| s.to_owned()).collect(),
        ..ConfigSources::default()
    };
    sources.resolve(VARIANT).unwrap()
}

fn ignore(_: &Run, _: &Event<'_>) -> run::Result<()> {
    Ok(())
}

/// Games, models, gates and ratings, by name.
fn outcome(run: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let models = ["models/000001", "models/000002"];
    for folder in models.into_iter().chain(["games", "gates"]) {
        for entry in fs::read_dir(run.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(run).unwrap().display().to_string();
            files.push((name, fs::read(&path).unwrap()));
        }
    }
    // Times differ.
    let ratings = fs::read(run.join("ratings.json")).unwrap();
    let mut ratings: serde_json::Value = serde_json::from_slice(&ratings).unwrap();
    let points = ratings["points"].as_array_mut().unwrap();
    for point in &mut *points {
        point.as_object_mut().unwrap().remove("seconds");
    }
    assert_eq!(points.len(), 1);
    files.push((
        "ratings.json".to_owned(),
        ratings["points"].to_string().into_bytes(),
    ));
    files.sort();
    files
}

/// A share where the trainer claims nothing before another machine has shared games of the
/// generation, and no machine joins before the network of the handshake is there.
#[derive(Debug)]
struct Patient(Arc<Objects>);

impl Patient {
    fn has_others(&self, generation: &str) -> bool {
        let games = self.0.list(&format!("fleet/games/{generation}")).unwrap();
        games.iter().any(|game| !game.name.contains(".trainer."))
    }
}

impl Share for Patient {
    fn place(&self) -> &str {
        self.0.place()
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.0.get(name)
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError> {
        if name == "fleet/protocol.json" {
            assert!(!self.0.list("fleet/models")?.is_empty());
        }
        self.0.put(name, bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        if let Some(generation) = folder.strip_prefix("fleet/claims/") {
            while !self.has_others(generation) {
                std::thread::yield_now();
            }
        }
        self.0.list(folder)
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        self.0.delete(name)
    }
}

fn machine<'a>(name: &'a str, device: &'a str) -> Machine<'a> {
    Machine {
        name,
        threads: 1,
        device,
        patience: fleet::PATIENCE,
    }
}

/// Plays until the run is over; with `dies`, only until its first chunk.
fn play(share: &dyn Share, name: &str, dies: bool, joined: &Sender<()>) -> WorkerStatus {
    let stop = AtomicBool::new(false);
    let mut on_event = |event: WorkEvent<'_>| match event {
        WorkEvent::Joined(_) => joined.send(()).unwrap(),
        WorkEvent::Shared(_) => stop.store(dies, Ordering::Relaxed),
        _ => {}
    };
    work(share, &machine(name, "cpu"), &stop, &mut on_event).unwrap()
}

/// Writes broken copies of all chunks until the run is over.
fn vandalize(share: &Objects, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let mut objects = share.list("fleet/games").unwrap();
        objects.retain(|object| !object.name.contains("vandal"));
        for object in objects {
            let mut bytes = share.get(&object.name).unwrap().unwrap_or_default();
            bytes.pop();
            share
                .put(&format!("{}.vandal.seg", object.name), bytes)
                .unwrap();
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_fleet_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (alone, together) = (dir.path().join("alone"), dir.path().join("together"));
    let mut run = Run::create(&alone, VARIANT, settings(&[])).unwrap();
    advance_until(&mut run, Some(2), &NEVER, &mut ignore).unwrap();

    let share = Arc::new(Objects::in_memory().unwrap());
    let mut run = Run::create(&together, VARIANT, settings(&[])).unwrap();
    lead(
        &mut run,
        Arc::new(Patient(Arc::clone(&share))),
        Trust::default(),
    )
    .unwrap();
    let over = AtomicBool::new(false);
    let (sender, joined) = mpsc::channel();
    let workers: Vec<WorkerStatus> = std::thread::scope(|scope| {
        let (share, over) = (&share, &over);
        let start = |(name, dies): (&'static str, bool)| {
            let sender = sender.clone();
            scope.spawn(move || play(&**share, name, dies, &sender))
        };
        let players = [("steady", false), ("mortal", true), ("other", false)].map(start);
        (0..3).for_each(|_| joined.recv().unwrap());
        scope.spawn(|| vandalize(share, over));
        advance_until(&mut run, Some(2), &NEVER, &mut ignore).unwrap();
        over.store(true, Ordering::Relaxed);
        run.dismiss_fleet().unwrap();
        players.map(|player| player.join().unwrap()).into()
    });
    let games: u64 = workers.iter().map(|worker| worker.games).sum();
    assert!(games > 0, "{workers:?}");
    assert!(outcome(&alone) == outcome(&together));
}

#[test]
fn a_fleet_plays_while_its_trainer_learns() {
    let dir = tempfile::tempdir().unwrap();
    let (alone, together) = (dir.path().join("alone"), dir.path().join("together"));
    let more = ["fleet.lag=1"];
    let mut run = Run::create(&alone, VARIANT, settings(&more)).unwrap();
    advance_until(&mut run, Some(2), &NEVER, &mut ignore).unwrap();
    let network = |id| run.model(id).unwrap().net_id();
    let games = run.dir().games(VARIANT).read(2).unwrap().records;
    assert_eq!(games[0].header.network, network(ModelId(0)));

    let share = Arc::new(Objects::in_memory().unwrap());
    let mut run = Run::create(&together, VARIANT, settings(&more)).unwrap();
    lead(&mut run, share.clone(), Trust::default()).unwrap();
    let (sender, joined) = mpsc::channel();
    let worker = std::thread::scope(|scope| {
        let worker = scope.spawn(|| play(&*share, "worker", false, &sender));
        joined.recv().unwrap();
        // The training ends when the worker has played games of the next generation.
        let mut waiting = |run: &Run, event: &Event<'_>| {
            let next = format!("fleet/games/{:06}-", run.state().generation + 1);
            let is_of_next = |object: &Listed| object.name.starts_with(&next);
            let has_begun = || share.list("fleet/games").unwrap().iter().any(is_of_next);
            while matches!(event, Event::Trained(_)) && !has_begun() {
                std::thread::yield_now();
            }
            Ok(())
        };
        advance_until(&mut run, Some(1), &NEVER, &mut waiting).unwrap();
        // Settings may change meanwhile, but only for games that have not been played.
        drop(run);
        let changed = settings(&[&more[..], &["search.simulations=3"]].concat());
        let mut run = Run::resume(&together, VARIANT, &changed).unwrap();
        let change = run.file().changes.last().unwrap();
        assert_eq!((change.generation, run.state().generation), (3, 2));
        lead(&mut run, share.clone(), Trust::default()).unwrap();
        advance_until(&mut run, Some(2), &NEVER, &mut ignore).unwrap();
        run.dismiss_fleet().unwrap();
        worker.join().unwrap()
    });
    assert!(worker.games > 0, "{worker:?}");
    assert!(outcome(&alone) == outcome(&together));
}

#[test]
fn a_trainer_that_was_stopped_goes_on_with_a_fleet_or_without() {
    let dir = tempfile::tempdir().unwrap();
    let (alone, together) = (dir.path().join("alone"), dir.path().join("together"));
    let mut run = Run::create(&alone, VARIANT, settings(&[])).unwrap();
    advance_until(&mut run, Some(2), &NEVER, &mut ignore).unwrap();

    let share: Arc<dyn Share> = Arc::new(Objects::in_memory().unwrap());
    let stop = AtomicBool::new(false);
    let mut stopping = |_: &Run, event: &Event<'_>| {
        stop.store(
            matches!(event, Event::Progress { done, .. } if *done > 20),
            Ordering::Relaxed,
        );
        Ok(())
    };
    let mut run = Run::create(&together, VARIANT, settings(&[])).unwrap();
    lead(&mut run, Arc::clone(&share), Trust::default()).unwrap();
    advance(&mut run, &stop, &mut stopping).unwrap();
    drop(run);
    let mut run = Run::resume(&together, VARIANT, &settings(&[])).unwrap();
    lead(&mut run, share, Trust::default()).unwrap();
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    drop(run);
    let mut run = Run::resume(&together, VARIANT, &settings(&[])).unwrap();
    advance_until(&mut run, Some(2), &NEVER, &mut ignore).unwrap();
    assert!(outcome(&alone) == outcome(&together));
}

#[test]
fn an_audit_names_who_shared_other_games() {
    let share = Arc::new(Objects::in_memory().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::create(&dir.path().join("run"), VARIANT, settings(&[])).unwrap();
    lead(&mut run, share.clone(), Trust::default()).unwrap();
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    let assignment = Assignment::read(&*share).unwrap().unwrap();
    let all = assignment.finished(&*share).unwrap();
    let honest = audit(&*share, 1000, 2, &NEVER).unwrap();
    assert_eq!((honest.chunks, honest.mismatches), (all.len(), Vec::new()));
    let bytes = share.get(&all[3].to_string()).unwrap().unwrap();
    let mut games = unpack_games(VARIANT, &bytes).unwrap();
    alter(&mut games);
    let bytes = pack_games(VARIANT, &games).unwrap();
    assignment
        .deliver(&*share, "liar", all[3].chunk, bytes)
        .unwrap();
    let mismatches = audit(&*share, 1000, 2, &NEVER).unwrap().mismatches;
    let [mismatch] = &mismatches[..] else {
        panic!("{mismatches:?}");
    };
    let number = games.last().unwrap().header.id.to_string();
    assert!(
        mismatch.worker == "liar" && mismatch.reason.contains(&number),
        "{mismatch:?}"
    );
}

#[test]
fn a_free_fleet_takes_the_games_of_another_device_and_names_who_shares_others() {
    let dir = tempfile::tempdir().unwrap();
    let free = settings(&["fleet.mode=free", "gate.max_pairs=2"]);
    let share = Arc::new(Objects::in_memory().unwrap());
    let mut run = Run::create(&dir.path().join("run"), VARIANT, free).unwrap();
    // Half of the shared games are searched again, and the other half is accepted.
    lead(
        &mut run,
        Arc::new(Patient(share.clone())),
        Trust::new(0.5, 1),
    )
    .unwrap();
    let stop = AtomicBool::new(false);
    let worker = std::thread::scope(|scope| {
        let (share, stop) = (&share, &stop);
        let worker = scope
            .spawn(move || work(&**share, &machine("device", "flex"), stop, &mut |_| ()).unwrap());
        advance(&mut run, &NEVER, &mut ignore).unwrap();
        stop.store(true, Ordering::Relaxed);
        worker.join().unwrap()
    });
    assert!(
        worker.games > 0 && worker.instructions == "flex",
        "{worker:?}"
    );
    assert_eq!(Mismatch::all(&*share).unwrap(), []);
    let assignment = Assignment::read(&*share).unwrap().unwrap();
    let all = assignment.finished(&*share).unwrap();
    let found = audit(&*share, 1000, 2, &NEVER).unwrap();
    assert_eq!((found.chunks, found.mismatches), (all.len(), Vec::new()));
    let taken = run.dir().games(VARIANT).read(1).unwrap().records;
    let played = |name: &ChunkName| {
        let bytes = share.get(&name.to_string()).unwrap().unwrap();
        unpack_games(VARIANT, &bytes).unwrap()
    };
    let mut of_device = all.iter().filter(|name| name.worker == "device");
    assert!(of_device.any(|name| played(name).iter().all(|game| taken.contains(game))));
    assert_eq!(replay(run.dir().path(), 90).unwrap().faults, []);

    // Games with other moves, with other values, and with earlier endings.
    let name = all.iter().find(|name| name.worker == "device").unwrap();
    let games = played(name);
    let mut shorter = games.clone();
    alter(&mut shorter);
    let mut certain = games.clone();
    for ply in certain.iter_mut().flat_map(|game| &mut game.plies) {
        if let RecordedSearch::Fast { value } | RecordedSearch::Full { value, .. } = &mut ply.search
        {
            *value = Wdl8::new([1.0, 0.0, 0.0]);
        }
    }
    let mut others = games.clone();
    let number = |game: &Record| game.header.id;
    let numbers: Vec<_> = others.iter().map(number).collect();
    others.rotate_left(1);
    others
        .iter_mut()
        .zip(numbers)
        .for_each(|(game, id)| game.header.id = id);
    for (liar, games) in [("short", shorter), ("certain", certain), ("other", others)] {
        let bytes = pack_games(VARIANT, &games).unwrap();
        assignment
            .deliver(&*share, liar, name.chunk, bytes)
            .unwrap();
    }
    let mismatches = audit(&*share, 1000, 2, &NEVER).unwrap().mismatches;
    let mut named: Vec<&str> = mismatches
        .iter()
        .map(|mismatch| &mismatch.worker[..])
        .collect();
    named.sort_unstable();
    assert_eq!(named, ["certain", "other", "short"], "{mismatches:?}");
}

#[test]
fn another_device_does_not_play_for_a_fleet_that_is_exact() {
    let share = Arc::new(Objects::in_memory().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::create(&dir.path().join("run"), VARIANT, settings(&[])).unwrap();
    lead(&mut run, share.clone(), Trust::default()).unwrap();
    let error = work(&*share, &machine("device", "flex"), &NEVER, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("fleet.mode=free"), "{error}");
}

/// Claims a chunk and shares it, as machines do.
fn finish(assignment: &Assignment, share: &Objects, worker: &str, (chunk, bytes): (u32, Vec<u8>)) {
    let name = assignment.deliver(share, worker, chunk, bytes).unwrap();
    let claim = format!("fleet/claims/{}/{chunk:06}.{worker}", name.folder);
    share.put(&claim, Vec::new()).unwrap();
}

/// Removes the last ply of the last game.
fn alter(games: &mut [Record]) {
    let last = games.last_mut().unwrap();
    last.plies.pop();
    last.result = None;
}

/// The assignment of the first generation.
fn first_assignment(run: &Run) -> Assignment {
    Assignment {
        run: run.dir().id().unwrap(),
        generation: 1,
        work: Work::SelfPlay {
            network: run.model(ModelId(0)).unwrap().net_id(),
        },
        total: 90,
        chunk: 2,
        done: Vec::new(),
        settings: run.file().of_generation(1).unwrap().render(),
        is_over: false,
    }
}

/// A trainer died before it saved a game, and is started again with other settings. Games that
/// workers have played before do not count.
#[test]
fn games_under_earlier_settings_are_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::create(&dir.path().join("before"), VARIANT, settings(&[])).unwrap();
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    let before = run.dir().games(VARIANT).read(1).unwrap().records;

    let path = dir.path().join("run");
    let share = Arc::new(Objects::in_memory().unwrap());
    let run = Run::create(&path, VARIANT, settings(&[])).unwrap();
    let assignment = first_assignment(&run);
    drop(run);
    for (chunk, games) in before.chunks(2).enumerate() {
        let bytes = pack_games(VARIANT, games).unwrap();
        finish(&assignment, &share, "early", (chunk as u32, bytes));
    }
    let changed = settings(&["search.simulations=7"]);
    let mut run = Run::resume(&path, VARIANT, &changed).unwrap();
    lead(&mut run, share, Trust::new(0.0, 0)).unwrap();
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    let games = run.dir().games(VARIANT).read(1).unwrap().records;
    assert!(games.iter().all(|game| !before.contains(game)));
    assert_eq!(replay(&path, 5).unwrap().faults, []);
}

#[test]
fn games_of_a_machine_that_is_found_out_are_played_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::create(&dir.path().join("alone"), VARIANT, settings(&[])).unwrap();
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    let games = run.dir().games(VARIANT).read(1).unwrap().records;

    // A machine has shared all games; the last one of each chunk is altered.
    let share = Arc::new(Objects::in_memory().unwrap());
    let mut run = Run::create(&dir.path().join("run"), VARIANT, settings(&[])).unwrap();
    let assignment = first_assignment(&run);
    for (chunk, games) in games.chunks(2).enumerate() {
        let mut games = games.to_vec();
        alter(&mut games);
        let bytes = pack_games(VARIANT, &games).unwrap();
        finish(&assignment, &share, "liar", (chunk as u32, bytes));
    }
    // Another machine confuses two chunks.
    let bytes = pack_games(VARIANT, &games[2..4]).unwrap();
    finish(&assignment, &share, "mistaken", (0, bytes));
    // The first chunk is accepted, a later one is rejected.
    lead(&mut run, share.clone(), Trust::new(0.1, 5)).unwrap();
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    assert_eq!(run.dir().games(VARIANT).read(1).unwrap().records, games);
    let aside: Vec<_> = fs::read_dir(dir.path().join("run/set-aside"))
        .unwrap()
        .collect();
    assert_eq!(aside.len(), 1);
    // The machine receives the first game that differs, and stops playing.
    let error = work(&*share, &machine("liar", "cpu"), &NEVER, &mut |_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("differs when it is played again"),
        "{error}"
    );
}

/// A share where two machines have played a match as soon as it is announced: one correctly, except
/// for the first chunk, the other with all games swapped.
#[derive(Debug)]
struct Quick {
    share: Arc<Objects>,
    pairs: Vec<GatePair>,
}

impl Quick {
    fn play(&self, assignment: &Assignment) {
        let swapped = |pair: &GatePair| {
            let [first, second] = pair.games.clone();
            let games = [second, first].map(|game| GateGame {
                half_points: 2 - game.half_points,
                ..game
            });
            GatePair {
                games,
                ..pair.clone()
            }
        };
        for (chunk, pairs) in self.pairs.chunks(assignment.chunk as usize).enumerate() {
            let lies: Vec<GatePair> = pairs.iter().map(swapped).collect();
            assert_ne!(lies, pairs);
            let deliver = |worker, pairs: &[GatePair]| {
                let bytes = serde_json::to_vec(pairs).unwrap();
                finish(assignment, &self.share, worker, (chunk as u32, bytes));
            };
            deliver("liar", &lies);
            if chunk > 0 {
                deliver("honest", pairs);
            }
        }
    }
}

impl Share for Quick {
    fn place(&self) -> &str {
        self.share.place()
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError> {
        self.share.get(name)
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let assignment = serde_json::from_slice(&bytes);
        if let Ok(
            assignment @ Assignment {
                work: Work::Match(_),
                ..
            },
        ) = &assignment
        {
            self.play(assignment);
        }
        self.share.put(name, bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError> {
        self.share.list(folder)
    }

    fn delete(&self, name: &str) -> Result<(), ObjectError> {
        self.share.delete(name)
    }
}

#[test]
fn a_match_is_played_again_when_a_machine_is_found_out() {
    let dir = tempfile::tempdir().unwrap();
    let long = settings(&["gate.max_pairs=8", "gate.alpha=0.01", "gate.beta=0.01"]);
    let gate = |name: &str| fs::read(dir.path().join(name).join("gates/000001.json")).unwrap();
    let until = |run: &mut Run, stage| {
        while run.state().next != stage {
            advance(run, &NEVER, &mut ignore).unwrap();
        }
    };
    let mut run = Run::create(&dir.path().join("alone"), VARIANT, long.clone()).unwrap();
    until(&mut run, Phase::Rate);
    let report: GateReport = serde_json::from_slice(&gate("alone")).unwrap();
    assert_eq!(report.played.len(), 8);

    let mut run = Run::create(&dir.path().join("together"), VARIANT, long).unwrap();
    until(&mut run, Phase::Gate);
    let share = Quick {
        share: Arc::new(Objects::in_memory().unwrap()),
        pairs: report.played,
    };
    let objects = Arc::clone(&share.share);
    // Nothing is repeated without a cause: the altered first chunk is accepted, the second is
    // disputed.
    lead(&mut run, Arc::new(share), Trust::new(1e-9, 1)).unwrap();
    until(&mut run, Phase::Rate);
    assert!(gate("alone") == gate("together"));
    assert!(dir.path().join("together/set-aside").exists());
    let mismatches = Mismatch::all(&*objects).unwrap();
    assert!(
        mismatches.len() == 1 && mismatches[0].worker == "liar",
        "{mismatches:?}"
    );
}

/// The reason why a machine may not play.
fn refusal(share: &dyn Share) -> ShareError {
    match work(share, &machine("worker", "cpu"), &NEVER, &mut |_| ()) {
        Err(FleetError::Share(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_directory_has_one_trainer_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("place").display().to_string();
    let join = |run: &mut Run| {
        let share = Arc::new(Objects::make(&place, &[]).unwrap());
        lead(run, share, Trust::default()).map_err(|error| error.to_string())
    };
    let create = |name: &str| Run::create(&dir.path().join(name), VARIANT, settings(&[])).unwrap();
    let (mut first, mut second) = (create("first"), create("second"));
    join(&mut first).unwrap();
    let error = join(&mut second).unwrap_err();
    let holder = format!("{place} is led by process {} on ", std::process::id());
    assert!(error.contains(&holder), "{error}");
    assert!(error.contains(": stop it first, or use"), "{error}");
    drop(first);
    join(&mut second).unwrap();
}

#[test]
fn who_does_not_belong_to_the_fleet_is_refused_in_words() {
    let share = Arc::new(Objects::in_memory().unwrap());
    assert!(matches!(refusal(&*share), ShareError::None { .. }));
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::create(&dir.path().join("run"), VARIANT, settings(&[])).unwrap();
    lead(&mut run, share.clone(), Trust::default()).unwrap();

    // A machine without write access.
    let place = dir.path().join("place");
    let directory = Objects::make(&place.display().to_string(), &[]).unwrap();
    for object in share.list("fleet").unwrap() {
        let bytes = share.get(&object.name).unwrap().unwrap();
        directory.put(&object.name, bytes).unwrap();
    }
    fs::write(place.join("fleet/workers"), "in the way").unwrap();
    let error = refusal(&directory).to_string();
    assert!(
        error.contains("failed to write fleet/workers/worker.json"),
        "{error}"
    );

    // Another run cannot lead there.
    let mut other = Run::create(&dir.path().join("other"), VARIANT, settings(&["seed=9"])).unwrap();
    let error = lead(&mut other, share.clone(), Trust::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("use another place for each run"), "{error}");

    // A machine that plays the second game differently.
    let protocol = share.get("fleet/protocol.json").unwrap().unwrap();
    let text = String::from_utf8(protocol.clone()).unwrap();
    let (before, games) = text.split_once("\"games\": [").unwrap();
    let altered = format!(
        "{before}\"games\": [{}",
        games.replacen("\",\n      \"", "\",\n      \"0", 1)
    );
    share
        .put("fleet/protocol.json", altered.into_bytes())
        .unwrap();
    let error = refusal(&*share);
    assert!(
        matches!(error, ShareError::OtherGames { game: 1, .. }),
        "{error}"
    );
    share.put("fleet/protocol.json", protocol).unwrap();

    // The place has been given to another run.
    let assignment = Mutex::new(None);
    let mut keep = |_: &Run, event: &Event<'_>| {
        if let Event::Planned { .. } = event {
            *assignment.lock().unwrap() = Assignment::read(&*share).unwrap();
        }
        Ok(())
    };
    advance(&mut run, &NEVER, &mut keep).unwrap();
    let mut assignment = assignment.into_inner().unwrap().unwrap();
    assignment.run.0 += 1;
    assignment.publish(&*share).unwrap();
    assert!(matches!(refusal(&*share), ShareError::OtherRun { .. }));
}
