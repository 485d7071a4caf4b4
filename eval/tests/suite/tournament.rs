//! Tournaments: schedules, threads, stops, newcomers, repeated games.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engine::{Choice, Player, PlayerError, Turn};
use eval::{
    Arena, Baseline, EvalError, PairBatch, PlayedBatch, PlayerFactory, Schedule, Terms, Tournament,
    TournamentSetup, openings, play_tournament,
};
use rules::Variant;
use types::Seed;

static NEVER: AtomicBool = AtomicBool::new(false);

const ALL: [Schedule; 2] = [Schedule::RoundRobin, Schedule::Gauntlet];
const NAMES: [&str; 4] = [
    "random",
    "alphabeta:depth=1",
    "alphabeta:depth=2",
    "alphabeta:depth=3",
];

fn terms() -> Terms {
    Terms {
        variant: Variant::Thai.name().to_owned(),
        rules_version: Variant::Thai.rules().version,
        seed: 7,
        thinking: String::new(),
        openings: String::new(),
        adjudication: String::new(),
    }
}

/// Schedule and pairs of a tournament.
#[derive(Clone, Copy)]
struct Plan {
    schedule: Schedule,
    pairs: usize,
}

impl Plan {
    fn round_robin(pairs: usize) -> Plan {
        Plan {
            schedule: Schedule::RoundRobin,
            pairs,
        }
    }
}

fn players(names: &[&str]) -> Vec<PlayerFactory<'static>> {
    let baseline = |name: &&str| name.parse::<Baseline>().expect("a baseline").into();
    names.iter().map(baseline).collect()
}

fn arena(threads: usize, pairs_at_once: usize) -> Arena<'static> {
    Arena {
        pairs_at_once,
        ..Arena::new(Seed::new(0), threads, &NEVER)
    }
}

/// Continues a tournament until `after_batch` breaks; returns the games in PDN.
fn resume(
    tournament: &mut Tournament,
    players: &[PlayerFactory<'_>],
    plan: Plan,
    arena: &Arena<'_>,
    after_batch: &mut dyn FnMut(&Tournament) -> ControlFlow<()>,
) -> (bool, String) {
    let field = TournamentSetup {
        openings: None,
        variant: Variant::Thai,
        players,
        schedule: plan.schedule,
        pairs: plan.pairs,
        runner: None,
    };
    let mut pdn = String::new();
    let mut see = |tournament: &Tournament, batch: &PlayedBatch| {
        pdn += &batch.to_pdn("a test");
        after_batch(tournament)
    };
    let complete = play_tournament(tournament, &field, arena, &mut see).expect("a tournament");
    (complete, pdn)
}

fn to_the_end(schedule: Schedule, pairs: usize, arena: &Arena<'_>) -> (Tournament, String) {
    complete(terms(), Plan { schedule, pairs }, arena)
}

fn complete(terms: Terms, plan: Plan, arena: &Arena<'_>) -> (Tournament, String) {
    let mut tournament = Tournament::new(terms);
    let names = players(&NAMES);
    let go = &mut |_: &_| ControlFlow::Continue(());
    let (complete, pdn) = resume(&mut tournament, &names, plan, arena, go);
    assert!(complete && tournament.pairs_open() == 0);
    let written = pdn.matches("[Event \"a test\"]").count();
    assert_eq!(written, 2 * tournament.pairs_played());
    (tournament, pdn)
}

fn pairs_by_pairing(tournament: &Tournament) -> HashMap<[usize; 2], usize> {
    let mut pairs = HashMap::new();
    for meeting in &tournament.meetings {
        *pairs.entry(meeting.players).or_default() += meeting.pairs.len();
    }
    pairs
}

#[test]
fn everybody_meets_whom_the_schedule_says() {
    let met = |schedule, pairs| pairs_by_pairing(&to_the_end(schedule, pairs, &arena(2, 3)).0);
    let round_robin = met(Schedule::RoundRobin, 18);
    assert!(round_robin.len() == 6 && round_robin.values().all(|&pairs| pairs == 18));
    let gauntlet = met(Schedule::Gauntlet, 5);
    assert!(gauntlet.len() == 3 && gauntlet.iter().all(|(who, &n)| who[0] == 0 && n == 5));
    for schedule in ALL {
        let played: usize = met(schedule, 3).values().sum();
        assert_eq!(played, schedule.total_pairs(4, 3), "{schedule}");
    }
}

/// A record does not name its schedule: meetings planned by an earlier version's schedules are
/// played first.
#[test]
fn meetings_planned_by_other_schedules_are_played_to_their_end() {
    let planned =
        r#"{"players":[0,3],"planned":4,"pairs":[]},{"players":[1,2],"planned":1,"pairs":[]}"#;
    let terms_text = serde_json::to_string(&terms()).expect("JSON");
    let names = serde_json::to_string(&NAMES).expect("JSON");
    let stored =
        format!(r#"{{"format":1,"terms":{terms_text},"players":{names},"meetings":[{planned}]}}"#);
    let mut tournament: Tournament = serde_json::from_str(&stored).expect("a tournament");
    tournament.check(&terms()).expect("it can be resumed");
    let plan = Plan::round_robin(2);
    let go = &mut |_: &_| ControlFlow::Continue(());
    assert!(resume(&mut tournament, &players(&NAMES), plan, &arena(2, 2), go).0);
    let met = pairs_by_pairing(&tournament);
    assert_eq!((met[&[0, 3]], met[&[1, 2]], met.len()), (4, 2, 6));
    assert_eq!(tournament.pairs_played(), 4 + 5 * 2);
}

/// First moves of games, and recorded batches.
static BEGUN: AtomicUsize = AtomicUsize::new(0);
static RECORDED: AtomicUsize = AtomicUsize::new(0);

/// Plays like [`FirstMove`]; in the fourth pair it waits until two are recorded.
struct Witness;

impl Player for Witness {
    fn name(&self) -> &str {
        "witness"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        let begun = turns.iter().filter(|turn| turn.game.plies() <= 4).count();
        let begun = BEGUN.fetch_add(begun, Ordering::Relaxed) + begun;
        let deadline = Instant::now() + Duration::from_secs(10);
        while begun > 12 && RECORDED.load(Ordering::Relaxed) < 2 {
            assert!(Instant::now() < deadline, "batches are recorded late");
            std::thread::yield_now();
        }
        FirstMove.choose(turns, choices)
    }
}

/// Even if the program ends then, they are not played again.
#[test]
fn batches_are_recorded_while_others_are_played() {
    let witness = |name| PlayerFactory::new(name, || Ok(Box::new(Witness) as Box<dyn Player>));
    let twins = [witness("a"), witness("b")];
    let mut count = |_: &Tournament| {
        RECORDED.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let mut tournament = Tournament::new(terms());
    let plan = Plan::round_robin(8);
    assert!(resume(&mut tournament, &twins, plan, &arena(1, 1), &mut count).0);
    assert_eq!(RECORDED.load(Ordering::Relaxed), 8);
}

#[test]
fn openings_that_are_given_are_played() {
    let given = openings::sample(Variant::Thai, 3, Seed::new(5));
    let players = players(&NAMES[..2]);
    let field = TournamentSetup {
        openings: Some(&given[..]),
        variant: Variant::Thai,
        players: &players,
        schedule: Schedule::RoundRobin,
        pairs: 7,
        runner: None,
    };
    let mut played = Vec::new();
    let mut see = |_: &Tournament, batch: &PlayedBatch| {
        played.extend(batch.games.iter().map(|game| game.opening.clone()));
        ControlFlow::Continue(())
    };
    let mut tournament = Tournament::new(terms());
    let arena = arena(2, 2);
    let complete = play_tournament(&mut tournament, &field, &arena, &mut see);
    assert!(complete.expect("a tournament") && played.len() == 14);
    for (game, opening) in played.iter().enumerate() {
        assert!(given.contains(opening));
        // Both games of a pair start alike, and the openings repeat in their order.
        assert_eq!(*opening, played[game / 2 * 2]);
        assert_eq!(*opening, played[game % 6]);
    }
}

#[test]
fn threads_change_neither_record_nor_games() {
    for schedule in ALL {
        let one = to_the_end(schedule, 6, &arena(1, 16));
        for (threads, pairs_at_once) in [(2, 1), (5, 4)] {
            assert!(
                one == to_the_end(schedule, 6, &arena(threads, pairs_at_once)),
                "{schedule}"
            );
        }
    }
}

#[test]
fn seeds_come_from_the_terms() {
    let plan = Plan::round_robin(2);
    let other = Arena {
        seed: Seed::new(1),
        ..arena(2, 2)
    };
    assert!(complete(terms(), plan, &other) == complete(terms(), plan, &arena(2, 2)));
}

#[test]
fn a_batch_is_played_on_one_thread() {
    let made = &AtomicUsize::new(0);
    let counted = |name| {
        let create = move || {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(FirstMove) as Box<dyn Player>)
        };
        PlayerFactory::new(name, create)
    };
    let batch = PairBatch {
        sides: [0, 1],
        seed: Seed::new(1),
        first_pair: 0,
        openings: openings::sample(Variant::Thai, 4, Seed::new(5)),
    };
    let players = [counted("a"), counted("b")];
    let games = batch.play(&players, &arena(4, 1)).expect("games");
    assert_eq!((games.len(), made.load(Ordering::Relaxed)), (8, 2));
}

static BROKEN_TURNS: AtomicUsize = AtomicUsize::new(0);

/// Fails at every turn, after a delay.
struct Broken;

impl Player for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn choose(&mut self, _: &[Turn<'_>], _: &mut Vec<Choice>) -> Result<(), PlayerError> {
        BROKEN_TURNS.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
        Err(PlayerError::Broken {
            name: "broken".to_owned(),
            reason: "on purpose".into(),
        })
    }
}

#[test]
fn after_a_failure_no_more_batches_begin() {
    let broken = |name| PlayerFactory::new(name, || Ok(Box::new(Broken) as Box<dyn Player>));
    let players = ["a", "b", "c", "d", "e", "f", "g", "h"].map(broken);
    let field = TournamentSetup {
        openings: None,
        variant: Variant::Thai,
        players: &players,
        schedule: Schedule::RoundRobin,
        pairs: 4,
        runner: None,
    };
    let mut tournament = Tournament::new(terms());
    let go = &mut |_: &Tournament, _: &PlayedBatch| ControlFlow::Continue(());
    let failure = play_tournament(&mut tournament, &field, &arena(1, 1), go);
    assert!(failure.is_err() && tournament.pairs_played() == 0);
    assert!(BROKEN_TURNS.load(Ordering::Relaxed) < 20);
}

#[test]
fn stops_change_nothing() {
    let players = players(&NAMES);
    for schedule in ALL {
        let whole = to_the_end(schedule, 6, &arena(2, 2));
        let mut tournament = Tournament::new(terms());
        let mut games = String::new();
        let mut stops = 0;
        loop {
            let mut batches = 0;
            let mut third = |_: &Tournament| {
                batches += 1;
                if batches == 3 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let plan = Plan { schedule, pairs: 6 };
            let (complete, pdn) = resume(&mut tournament, &players, plan, &arena(2, 2), &mut third);
            games += &pdn;
            if complete {
                break;
            }
            stops += 1;
            let saved = serde_json::to_string(&tournament).unwrap();
            tournament = serde_json::from_str(&saved).unwrap();
            tournament.check(&terms()).unwrap();
        }
        assert!(stops > 2 && (tournament, games) == whole, "{schedule}");
    }
}

#[test]
fn a_stop_from_outside_keeps_what_was_played() {
    let stop = AtomicBool::new(false);
    let stopped = Arena {
        stop: &stop,
        ..arena(2, 2)
    };
    let mut tournament = Tournament::new(terms());
    let players = players(&NAMES);
    let mut at_first = |_: &Tournament| {
        stop.store(true, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let plan = Plan::round_robin(6);
    let (complete, _) = resume(&mut tournament, &players, plan, &stopped, &mut at_first);
    assert!(!complete && tournament.pairs_played() >= 2 && tournament.pairs_open() > 0);
    let go = &mut |_: &_| ControlFlow::Continue(());
    assert!(resume(&mut tournament, &players, plan, &arena(2, 2), go).0);
    assert!(tournament == to_the_end(Schedule::RoundRobin, 6, &arena(1, 1)).0);
}

#[test]
fn newcomers_play_and_who_left_keeps_the_games() {
    let go = &mut |_: &_| ControlFlow::Continue(());
    let plan = Plan::round_robin(3);
    let mut tournament = Tournament::new(terms());
    resume(
        &mut tournament,
        &players(&NAMES[..3]),
        plan,
        &arena(2, 2),
        go,
    );
    let before = tournament.clone();
    resume(
        &mut tournament,
        &players(&NAMES[1..]),
        plan,
        &arena(2, 2),
        go,
    );
    assert_eq!(
        tournament.meetings[..before.meetings.len()],
        before.meetings
    );
    assert_eq!(tournament.players, NAMES);
    let met = pairs_by_pairing(&tournament);
    assert!(met.len() == 5 && !met.contains_key(&[0, 3]), "{met:?}");
    // Games do not depend on the other players.
    let (whole, _) = to_the_end(Schedule::RoundRobin, 3, &arena(1, 1));
    for meeting in &tournament.meetings {
        assert!(whole.meetings.contains(meeting));
    }
}

/// Plays the first move of the list: the same game from the same opening.
struct FirstMove;

impl Player for FirstMove {
    fn name(&self) -> &str {
        "first-move"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        choices.extend(turns.iter().map(|turn| Choice {
            mv: turn.game.legal_moves()[0],
            value: None,
            nodes: 0,
        }));
        Ok(())
    }
}

#[test]
fn repeated_games_count_once_also_across_stops() {
    let fixed = |name| PlayerFactory::new(name, || Ok(Box::new(FirstMove) as Box<dyn Player>));
    let twins = [fixed("a"), fixed("b")];
    let go = &mut |_: &_| ControlFlow::Continue(());
    let mut tournament = Tournament::new(terms());
    resume(
        &mut tournament,
        &twins,
        Plan::round_robin(4),
        &arena(1, 2),
        go,
    );
    let (tallies, repeated) = tournament.results();
    assert_eq!((tallies.games(), repeated), (8, 0));
    // As if the first opening's games had been repeated in a later meeting.
    let again = tournament.meetings[0].clone();
    tournament.meetings.push(again);
    let (tallies, repeated) = tournament.results();
    assert_eq!((tallies.games(), repeated), (8, 8));
}

#[test]
fn other_terms_and_nonsense_are_refused() {
    let (tournament, _) = to_the_end(Schedule::RoundRobin, 1, &arena(1, 1));
    tournament.check(&terms()).unwrap();
    let other = Terms { seed: 8, ..terms() };
    let message = tournament.check(&other).unwrap_err().to_string();
    assert!(message.contains("has seed 7, not 8"), "{message}");
    let mut broken = tournament.clone();
    broken.meetings[1].players = [1, 9];
    let error = broken.check(&terms()).unwrap_err();
    assert!(matches!(error, EvalError::BrokenTournament { meeting: 1 }));
    let field = TournamentSetup {
        openings: None,
        variant: Variant::Thai,
        players: &players(&["random", "alphabeta:depth=1", "random"]),
        schedule: Schedule::RoundRobin,
        pairs: 1,
        runner: None,
    };
    let mut fresh = Tournament::new(terms());
    let go = &mut |_: &Tournament, _: &PlayedBatch| ControlFlow::Continue(());
    let error = play_tournament(&mut fresh, &field, &arena(1, 1), go).unwrap_err();
    assert!(matches!(error, EvalError::NamedTwice { player } if player == "random"));
}
