//! The ladder on players of known rating.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use engine::{Choice, Player, PlayerError, Turn};
use eval::anchors::Anchors;
use eval::{Arena, Baseline, Ladder, LadderStep, LocalRunner, PlayerFactory, climb, survey};
use ratings::{RunRatings, Tallies};
use rules::Variant;
use types::Seed;

const VARIANT: Variant = Variant::Ringboard;

fn arena(threads: usize, stop: &AtomicBool) -> Arena<'_> {
    Arena {
        pairs_at_once: 4,
        ..Arena::new(Seed::new(8), threads, stop)
    }
}

/// Levels up to depth 3, quickly measured.
fn few_anchors() -> Anchors {
    measured(3)
}

fn measured(max_depth: u32) -> Anchors {
    let never = AtomicBool::new(false);
    let arena = arena(2, &never);
    let mut anchors = Anchors::new(VARIANT, max_depth, 12, arena.seed.get());
    let to_the_end = &mut |_: &Anchors| ControlFlow::Continue(());
    anchors
        .complete(VARIANT, &arena, to_the_end)
        .expect("matches");
    anchors
}

/// A baseline under another name, as if it were a new player.
fn disguised(baseline: Baseline) -> PlayerFactory<'static> {
    PlayerFactory::new("candidate", move || Ok(baseline.player()))
}

fn rated(baseline: Baseline, anchors: &Anchors, threads: usize) -> (LadderStep, Vec<String>) {
    let ladder = Ladder {
        variant: VARIANT,
        anchors,
        past: &[],
        past_games: &Tallies::default(),
        pairs: 48,
        pairs_per_step: 8,
        guess: None,
    };
    climbed(baseline, &ladder, threads)
}

fn climbed(baseline: Baseline, ladder: &Ladder<'_>, threads: usize) -> (LadderStep, Vec<String>) {
    let mut opponents = Vec::new();
    let mut watch = |step: &LadderStep| opponents.push(step.last.names[1].clone());
    let never = AtomicBool::new(false);
    let player = disguised(baseline);
    let end = climb(
        &LocalRunner,
        &player,
        ladder,
        &arena(threads, &never),
        &mut watch,
    );
    (end.expect("matches").expect("games"), opponents)
}

#[test]
fn a_known_player_gets_its_rating_and_meets_its_equals() {
    let anchors = few_anchors();
    let table = RunRatings::new(&anchors.games, &Tallies::default()).expect("ratings");
    for baseline in Baseline::levels(3, 0) {
        let (step, opponents) = rated(baseline, &anchors, 2);
        // The middle one of all levels, if nothing is known.
        assert_eq!(opponents[0], "diluted:random=9");
        let known = table.player(&baseline.to_string()).expect("a line");
        let error = (step.rating.elo - known.elo).abs();
        let doubt = step.rating.ci95.hypot(known.ci95);
        assert!(
            error < doubt,
            "{baseline}: {:?} is not {known:?}",
            step.rating
        );
        let away = |name: &String| (table.player(name).expect("a line").elo - known.elo).abs();
        assert!(
            opponents.iter().any(|name| away(name) < 200.0),
            "{baseline}: {opponents:?}"
        );
        assert_eq!(step.games.games(), 96);
    }
}

#[test]
fn a_survey_rates_a_known_player_by_all_baselines() {
    let anchors = few_anchors();
    let table = RunRatings::new(&anchors.games, &Tallies::default()).expect("ratings");
    let elo = |baseline: &Baseline| table.player(&baseline.to_string()).expect("a line").elo;
    let levels = Baseline::levels(3, 0);
    for &baseline in &levels[1..] {
        let never = AtomicBool::new(false);
        let arena = arena(2, &never);
        let end = survey(&disguised(baseline), VARIANT, &anchors, 80, &arena);
        let rating = end.expect("matches").expect("games");
        let error = (rating.elo - elo(&baseline)).abs();
        assert!(error < 1.5 * rating.ci95, "{baseline}: {rating:?}");
    }
}

#[test]
fn ratings_do_not_depend_on_threads() {
    let anchors = few_anchors();
    let depth_two = Baseline::AlphaBeta { depth: 2 };
    let (one, opponents_of_one) = rated(depth_two, &anchors, 1);
    let (three, opponents_of_three) = rated(depth_two, &anchors, 3);
    assert_eq!(
        (one.rating, opponents_of_one),
        (three.rating, opponents_of_three)
    );
    assert!(one.games == three.games);
}

#[test]
fn who_is_above_all_baselines_meets_its_past() {
    let anchors = measured(1);
    let past = [PlayerFactory::new("earlier", || {
        Ok(Baseline::AlphaBeta { depth: 3 }.player())
    })];
    let mut past_games = Tallies::default();
    for (first, second, counts) in [
        ("earlier", "alphabeta:depth=1", [38, 1, 1]),
        ("alphabeta:depth=1", "earlier", [1, 1, 38]),
    ] {
        past_games.add_counts(first, second, counts);
    }
    let ladder = Ladder {
        variant: VARIANT,
        anchors: &anchors,
        past: &past,
        past_games: &past_games,
        pairs: 24,
        pairs_per_step: 8,
        guess: Some(3000.0),
    };
    let (step, opponents) = climbed(Baseline::AlphaBeta { depth: 4 }, &ladder, 2);
    assert!(opponents.contains(&"earlier".to_owned()), "{opponents:?}");
    // The first step gives a score against a baseline, even if another opponent would tell more.
    assert_eq!(opponents[0], "alphabeta:depth=1");
    assert!(step.rating.ci95_on_scale < step.rating.ci95);
    assert_eq!(
        step.games.games(),
        48,
        "the past's games are not the player's"
    );
}

static SEEDS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Moves at random, and records the seeds of its turns.
struct Writer(Box<dyn Player>);

impl Player for Writer {
    fn name(&self) -> &str {
        "candidate"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        let seeds = turns.iter().map(|turn| turn.seed.get());
        SEEDS.lock().expect("no panic").extend(seeds);
        self.0.choose(turns, choices)
    }
}

/// Neither in another step nor against another baseline.
#[test]
fn no_two_turns_have_the_same_seed() {
    let anchors = measured(1);
    let writer = PlayerFactory::new("candidate", || {
        Ok(Box::new(Writer(Baseline::Random.player())) as Box<dyn Player>)
    });
    let past_games = Tallies::default();
    let ladder = Ladder {
        variant: VARIANT,
        anchors: &anchors,
        past: &[],
        past_games: &past_games,
        pairs: 4,
        pairs_per_step: 1,
        guess: None,
    };
    let never = AtomicBool::new(false);
    let arena = arena(1, &never);
    let distinct = |games: usize| {
        let seeds = std::mem::take(&mut *SEEDS.lock().unwrap());
        assert!(seeds.len() > games);
        assert_eq!(seeds.iter().collect::<HashSet<_>>().len(), seeds.len());
    };
    let end = climb(&LocalRunner, &writer, &ladder, &arena, &mut |_| {});
    assert!(end.expect("matches").is_some());
    distinct(8);
    let end = survey(&writer, VARIANT, &anchors, 12, &arena);
    assert!(end.expect("matches").is_some());
    distinct(24);
}

#[test]
fn a_stop_at_once_gives_no_rating() {
    let anchors = few_anchors();
    let stopped = AtomicBool::new(true);
    let ladder = Ladder {
        variant: VARIANT,
        anchors: &anchors,
        past: &[],
        past_games: &Tallies::default(),
        pairs: 8,
        pairs_per_step: 4,
        guess: None,
    };
    let end = climb(
        &LocalRunner,
        &disguised(Baseline::Random),
        &ladder,
        &arena(1, &stopped),
        &mut |_| {},
    );
    assert!(end.expect("no error").is_none());
}
