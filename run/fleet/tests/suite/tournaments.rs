//! A tournament on many machines has the same results, byte for byte, as on one.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use config::ConfigSources;
use eval::{
    Arena, Schedule, Terms, Tournament, TournamentRunner, TournamentSetup, play_tournament,
};
use fleet::{FleetTournament, Machine, SharedTournament, WorkEvent, work};
use roster::{Effort, LoadedPlayer, PlayerSpec, load_all};
use rules::Variant;
use run::Run;
use share::{Assignment, Mismatch, Objects, Share as _, Trust, Work};
use types::Seed;

static NEVER: AtomicBool = AtomicBool::new(false);
const VARIANT: Variant = Variant::ALL[0];
const EFFORT: Effort = Effort {
    simulations: 4,
    time: None,
};

fn terms(seed: u64) -> Terms {
    Terms {
        variant: VARIANT.name().to_owned(),
        rules_version: VARIANT.rules_version(),
        seed,
        thinking: EFFORT.to_string(),
        openings: String::new(),
        adjudication: String::new(),
    }
}

fn load(players: &[&str]) -> Vec<LoadedPlayer> {
    let specs: Vec<PlayerSpec> = players.iter().map(|text| text.parse().unwrap()).collect();
    load_all(&specs, Some(VARIANT)).unwrap().1
}

/// One player of each kind, the network with the settings of its run and one option.
fn players(dir: &Path) -> Vec<LoadedPlayer> {
    let run = dir.join("run");
    if !run.exists() {
        let sources = ConfigSources {
            preset: Some("tiny".to_owned()),
            set: vec!["search.c_visit=20.0".to_owned()],
            ..ConfigSources::default()
        };
        Run::create(&run, VARIANT, sources.resolve(VARIANT).unwrap()).unwrap();
    }
    let network = format!("run:{}@0,draw_score=-0.25", run.display());
    load(&["random", &network, "ab:bundled,nodes=60", "mcts:rollouts=8"])
}

/// Plays the tournament on this many of its own threads; returns the stored data and all games.
fn play(
    players: &[LoadedPlayer],
    runner: Option<&dyn TournamentRunner>,
    threads: usize,
) -> (String, String) {
    let players = players.iter();
    let players: Vec<_> = players
        .map(|player| player.factory(VARIANT, &EFFORT).unwrap())
        .collect();
    let field = TournamentSetup {
        variant: VARIANT,
        players: &players,
        schedule: Schedule::RoundRobin,
        openings: None,
        pairs: 3,
        runner,
    };
    let arena = Arena {
        pairs_at_once: 2,
        ..Arena::new(Seed::new(0), threads, &NEVER)
    };
    let (mut tournament, mut games) = (Tournament::new(terms(1)), String::new());
    let is_complete = play_tournament(&mut tournament, &field, &arena, &mut |_, batch| {
        games += &batch.to_pdn("a test");
        ControlFlow::Continue(())
    });
    assert!(is_complete.unwrap());
    (serde_json::to_string(&tournament).unwrap(), games)
}

fn lead(
    share: &Arc<Objects>,
    players: &[LoadedPlayer],
    seed: u64,
) -> fleet::Result<FleetTournament> {
    let (share, terms) = (Arc::clone(share), terms(seed));
    let shared = SharedTournament {
        variant: VARIANT,
        terms: &terms,
        players,
        effort: &EFFORT,
        threads: 1,
    };
    FleetTournament::lead(share, Trust::new(0.0, 1), &shared)
}

#[test]
fn the_games_are_those_of_one_machine() {
    let dir = tempfile::tempdir().unwrap();
    let players = players(dir.path());
    let alone = play(&players, None, 2);
    assert!(alone.1.contains("{+") && alone.1.matches("[Event ").count() == 36);

    let share = Arc::new(Objects::in_memory().unwrap());
    let runner = lead(&share, &players, 1).unwrap();
    let shared = std::thread::scope(|scope| {
        // One of them dies with its first chunk.
        let machines = [("steady", false), ("mortal", true)].map(|(name, dies)| {
            let share = &share;
            scope.spawn(move || {
                let stop = AtomicBool::new(false);
                let mut on_event = |event: WorkEvent<'_>| {
                    stop.fetch_or(
                        dies && matches!(event, WorkEvent::Shared(_)),
                        Ordering::Relaxed,
                    );
                };
                let machine = Machine {
                    name,
                    threads: 1,
                    device: "cpu",
                    patience: fleet::PATIENCE,
                };
                work(&**share, &machine, &stop, &mut on_event).unwrap()
            })
        });
        // The leader plays nothing itself.
        assert!(play(&players, Some(&runner), 0) == alone);
        // The leader stops before it has recorded the last round.
        let assignment = Assignment::read(&*share).unwrap().unwrap();
        Assignment::dismiss(&*share, assignment.run).unwrap();
        machines.map(|machine| machine.join().unwrap().games)
    });
    assert!(shared.iter().sum::<u64>() >= 36, "{shared:?}");

    // When it resumes, only a game with two versions has to be repeated.
    let assignment = Assignment::read(&*share).unwrap().unwrap();
    let Work::Meetings(meetings) = &assignment.work else {
        panic!("{assignment:?}");
    };
    // Changes the network's evaluations in the last bit.
    let has_network = |chunk: &u32| meetings.batches[*chunk as usize].sides.contains(&1);
    let names = assignment.finished(&*share).unwrap();
    let name = names.iter().find(|name| has_network(&name.chunk)).unwrap();
    let bytes = share.get(&name.to_string()).unwrap().unwrap();
    let mut batches: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let values = batches[0][0]["values"][0].as_array_mut().unwrap();
    let value = values.iter_mut().find(|value| value.is_array()).unwrap();
    value[0] = (value[0].as_u64().unwrap() ^ 1).into();
    let altered = serde_json::to_vec(&batches).unwrap();
    for (who, bytes) in [("liar", altered), ("vandal", bytes[1..].to_vec())] {
        assignment.deliver(&*share, who, name.chunk, bytes).unwrap();
    }
    let runner = lead(&share, &players, 1).unwrap();
    assert!(play(&players, Some(&runner), 1) == alone);
    let mismatches = Mismatch::all(&*share).unwrap();
    let [mismatch] = &mismatches[..] else {
        panic!("{mismatches:?}");
    };
    assert_eq!(mismatch.worker, "liar");

    runner.dismiss().unwrap();
    for folder in ["fleet/games", "fleet/claims"] {
        assert_eq!(share.list(folder).unwrap(), [], "{folder}");
    }
}

#[test]
fn who_would_play_otherwise_elsewhere_is_refused_in_words() {
    let share = Arc::new(Objects::in_memory().unwrap());
    for (player, why) in [
        ("bundled,time=5", "with a clock"),
        ("ab:bundled,threads=2", "with several threads"),
        ("hub:engine", "a program of this machine"),
    ] {
        let error = lead(&share, &load(&[player, "random"]), 1).err().unwrap();
        let error = error.to_string();
        assert!(error.contains(player) && error.contains(why), "{error}");
    }
    let players = load(&["random", "alphabeta:depth=1"]);
    lead(&share, &players, 1).unwrap();
    let error = lead(&share, &players, 2).err().unwrap().to_string();
    assert!(error.contains("use another place for each run"), "{error}");
}
