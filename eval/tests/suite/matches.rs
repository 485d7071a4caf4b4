//! Matches: colors, pairs, determinism, duplicates, early stop.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use engine::{Choice, Fault, Player, PlayerError, TimeLeft, Turn};
use eval::{
    Adjudication, Arena, Baseline, ClockKind, ClockTerms, Computes, DrawAgreement, EvalError,
    MatchResult, Opening, PlayerFactory, Resign, Resignations, openings, play_match,
};
use rules::pdn::{PdnGame, PdnReader, PdnResult};
use rules::{Color, DrawReason, Outcome, Variant, WinReason};
use types::{Seed, Wdl};

static NEVER: AtomicBool = AtomicBool::new(false);

fn arena(threads: usize, pairs_at_once: usize) -> Arena<'static> {
    Arena {
        pairs_at_once,
        ..Arena::new(Seed::new(3), threads, &NEVER)
    }
}

fn entrant(name: &str) -> PlayerFactory<'static> {
    name.parse::<Baseline>().expect("a baseline").into()
}

fn play(names: [&str; 2], openings: &[Opening], arena: &Arena<'_>) -> MatchResult {
    let [a, b] = names.map(entrant);
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    play_match([&a, &b], openings, arena, keep_going).expect("a match")
}

/// Plays the first move of the list: the same game every time.
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

/// Returns no move.
struct Silent;

impl Player for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn choose(&mut self, _: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        Ok(())
    }
}

#[test]
fn threads_and_batches_do_not_change_results() {
    for variant in Variant::GAMES {
        let openings = openings::sample(variant, 10, Seed::new(1));
        let one = play(["alphabeta:depth=1", "random"], &openings, &arena(1, 1));
        assert_eq!(one.games.len(), 20);
        for (threads, pairs_at_once) in [(1, 7), (2, 1), (3, 4)] {
            let other = play(
                ["alphabeta:depth=1", "random"],
                &openings,
                &arena(threads, pairs_at_once),
            );
            assert!(one == other, "{variant} {threads} {pairs_at_once}");
        }
    }
}

#[test]
fn early_stops_do_not_depend_on_threads() {
    let openings = openings::sample(Variant::Thai, 30, Seed::new(1));
    let [a, b] = ["alphabeta:depth=2", "random"].map(entrant);
    let stopped = |threads| {
        let mut until_seven = |result: &MatchResult| {
            if result.pairs_played() == 7 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        play_match([&a, &b], &openings, &arena(threads, 4), &mut until_seven).expect("a match")
    };
    let one = stopped(1);
    assert_eq!(one.pairs_played(), 7);
    assert!(one == stopped(3));
}

#[test]
fn every_opening_is_played_with_both_colors() {
    let openings = openings::sample(Variant::English, 4, Seed::new(9));
    let result = play(["alphabeta:depth=3", "random"], &openings, &arena(2, 2));
    for (pair, games) in result.games.chunks(2).enumerate() {
        for (game, swapped) in games.iter().zip([false, true]) {
            assert_eq!((game.pair, game.swapped), (pair, swapped));
            assert_eq!(game.opening, openings[pair]);
            let mut replay = game.opening.game();
            game.moves.iter().for_each(|&mv| replay.play(mv));
            assert_eq!(replay.outcome(), Some(game.outcome));
        }
        assert_ne!(games[0].color(0), games[1].color(0));
        assert_eq!(games[0].color(0), openings[pair].start.turn());
    }
    assert_eq!(result.pairs.0, [0, 0, 0, 0, 4]);
    assert_eq!((result.total().wins, result.moving_first.wins), (8, 4));
    let tallies: Vec<_> = result.tallies().iter().collect();
    assert_eq!(
        (tallies[1].first.as_str(), tallies[1].losses),
        ("random", 4)
    );
}

#[test]
fn repeated_games_are_found_and_do_not_count() {
    let twice: Vec<Opening> = openings::sample(Variant::English, 3, Seed::new(2))
        .into_iter()
        .flat_map(|o| [o.clone(), o])
        .collect();
    let fixed = PlayerFactory::new("first-move", || Ok(Box::new(FirstMove) as Box<dyn Player>));
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    let result = play_match([&fixed, &fixed], &twice, &arena(2, 2), keep_going).expect("a match");
    assert_eq!(
        (
            result.pairs_played(),
            result.duplicates,
            result.pairs.pairs()
        ),
        (6, 6, 3)
    );
    assert_eq!(result.total().games(), 6);
    // The same player on both sides: each pair is one game, counted from both sides.
    assert_eq!(result.pairs.0, [0, 0, 3, 0, 0]);
    // Players with random choices play different games from the same opening.
    assert_eq!(
        play(["random", "random"], &twice, &arena(2, 2)).duplicates,
        0
    );
}

#[test]
fn a_stop_from_outside_ends_the_match() {
    let openings = openings::sample(Variant::English, 50, Seed::new(2));
    let [a, b] = ["random", "random"].map(entrant);
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    let stopped = Arena {
        stop: &AtomicBool::new(true),
        ..arena(2, 2)
    };
    let result = play_match([&a, &b], &openings, &stopped, keep_going).expect("an empty match");
    assert_eq!(result.pairs_played(), 0);
}

#[test]
fn a_player_that_does_not_answer_is_an_error() {
    let openings = openings::sample(Variant::English, 2, Seed::new(2));
    let silent = PlayerFactory::new("silent", || Ok(Box::new(Silent) as Box<dyn Player>));
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    let result = play_match(
        [&entrant("random"), &silent],
        &openings,
        &arena(2, 1),
        keep_going,
    );
    assert!(matches!(
        result,
        Err(EvalError::WrongNumberOfChoices { .. })
    ));
}

/// Returns an illegal move.
struct Cheat;

impl Player for Cheat {
    fn name(&self) -> &str {
        "cheat"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        FirstMove.choose(turns, choices)?;
        choices
            .iter_mut()
            .for_each(|choice| choice.mv.to = choice.mv.from);
        Ok(())
    }
}

#[test]
fn an_illegal_move_of_an_own_player_is_an_error() {
    let openings = openings::sample(Variant::English, 2, Seed::new(2));
    let cheat = PlayerFactory::new("cheat", || Ok(Box::new(Cheat) as Box<dyn Player>));
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    let result = play_match(
        [&cheat, &entrant("random")],
        &openings,
        &arena(1, 1),
        keep_going,
    );
    assert!(matches!(result, Err(EvalError::IllegalMove { player, .. }) if player == "cheat"));
}

/// Plays like [`FirstMove`] and records the maximum number of games it is asked about.
struct Counter<'a> {
    most: &'a AtomicUsize,
}

impl Player for Counter<'_> {
    fn name(&self) -> &str {
        "counter"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        self.most.fetch_max(turns.len(), Ordering::Relaxed);
        FirstMove.choose(turns, choices)
    }
}

#[test]
fn a_query_is_about_all_games_at_once_or_about_one() {
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let openings = openings::sample(Variant::English, 12, Seed::new(2));
    let mut counter = PlayerFactory::new("counter", || {
        Ok(Box::new(Counter { most: &MOST }) as Box<dyn Player>)
    });
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    let mut most = |counter: &PlayerFactory<'_>| {
        MOST.store(0, Ordering::Relaxed);
        let random = entrant("random");
        play_match([counter, &random], &openings, &arena(1, 4), keep_going).expect("a match");
        MOST.load(Ordering::Relaxed)
    };
    // One game of each of the four pairs when they begin.
    assert!((4..=8).contains(&most(&counter)));
    counter.is_single = true;
    assert_eq!(most(&counter), 1);
}

/// Plays like [`FirstMove`], but resigns when it has this many pieces left or fewer.
struct Quitter {
    pieces: u32,
}

fn fault() -> Fault {
    let detail = "no \"spirit\"".to_owned();
    Fault::Crash { detail }
}

impl Player for Quitter {
    fn name(&self) -> &str {
        "quitter"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        for turn in turns {
            let position = turn.game.position();
            if position.pieces(position.turn()).count() <= self.pieces {
                let (name, fault) = ("quitter".to_owned(), fault());
                return Err(PlayerError::Forfeit { name, fault });
            }
            let mut one = Vec::new();
            FirstMove.choose(&[*turn], &mut one)?;
            choices.extend(one);
        }
        Ok(())
    }
}

/// A player that resigns neither affects the other games of its thread nor their order.
#[test]
fn a_forfeit_loses_one_game() {
    let openings = openings::sample(Variant::English, 12, Seed::new(5));
    let quitter = PlayerFactory::new("quitter", || {
        Ok(Box::new(Quitter { pieces: 10 }) as Box<dyn Player>)
    });
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    let random = entrant("random");
    let one =
        play_match([&quitter, &random], &openings, &arena(1, 1), keep_going).expect("a match");
    let many =
        play_match([&quitter, &random], &openings, &arena(2, 5), keep_going).expect("a match");
    assert!(one == many);
    let forfeits: Vec<_> = one
        .games
        .iter()
        .filter(|game| game.fault.is_some())
        .collect();
    assert!(forfeits.len() > 12);
    for game in forfeits {
        assert_eq!(game.fault, Some(fault()));
        assert_eq!(game.outcome.winner(), Some(game.color(1)));
        let text = game.to_pdn(&one.names, "a test");
        assert!(text.contains("[Termination \"forfeit\"]"), "{text}");
        assert!(
            text.contains("[Forfeit \"crashed: no \\\"spirit\\\"\"]"),
            "{text}"
        );
        let read = PdnReader::new(text.as_bytes())
            .next()
            .expect("a game")
            .expect("good PDN");
        assert_eq!(read.result(), PdnResult::Won(game.color(1)));
    }
}

/// Plays like [`FirstMove`] until its clock shows at most `rest`; then it never answers.
struct Dreamer {
    rest: Duration,
}

impl Player for Dreamer {
    fn name(&self) -> &str {
        "dreamer"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        assert_eq!(turns.len(), 1, "time runs for one game at once");
        let left = turns[0].time.map_or(Duration::MAX, TimeLeft::limit);
        std::thread::sleep(if left <= self.rest {
            left
        } else {
            Duration::ZERO
        });
        FirstMove.choose(turns, choices)
    }
}

#[test]
fn overstepping_loses() {
    let openings = openings::sample(Variant::Frisian, 3, Seed::new(5));
    let rest = Duration::from_millis(10);
    let mut dreamer = PlayerFactory::new("dreamer", move || {
        Ok(Box::new(Dreamer { rest }) as Box<dyn Player>)
    });
    let patient = PlayerFactory::new("first-move", || Ok(Box::new(FirstMove) as Box<dyn Player>));
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    // Long enough on any machine.
    dreamer.time = "10m".parse().ok();
    let result =
        play_match([&dreamer, &patient], &openings, &arena(2, 4), keep_going).expect("a match");
    assert!(result.games.iter().all(|game| game.fault.is_none()));
    dreamer.time = "10ms".parse().ok();
    let result =
        play_match([&dreamer, &patient], &openings, &arena(2, 4), keep_going).expect("a match");
    assert_eq!(result.total().losses + result.duplicates, 6);
    for game in &result.games {
        assert_eq!(game.outcome.winner(), Some(game.color(1)));
        let Some(Fault::OutOfTime { used, limit }) = &game.fault else {
            panic!("{:?}", game.fault)
        };
        assert!(used > limit && *limit <= rest);
    }
    // A margin of a minute forgives all of it, and a clock of processor time does not see it.
    let clocks = [
        (ClockKind::Wall, Duration::from_secs(60)),
        (ClockKind::Cpu, Duration::from_millis(5)),
    ];
    for (kind, margin) in clocks {
        dreamer.clock = ClockTerms { kind, margin };
        let result =
            play_match([&dreamer, &patient], &openings, &arena(2, 4), keep_going).expect("a match");
        assert!(
            result.games.iter().all(|game| game.fault.is_none()),
            "{kind:?}"
        );
    }
}

/// Plays like [`FirstMove`], but computes for a while first.
struct Toiler {
    clock: Option<fn() -> Duration>,
}

impl Player for Toiler {
    fn name(&self) -> &str {
        "toiler"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        let clock = self.clock.expect("a clock of its own");
        let started = clock();
        while clock() - started < Duration::from_millis(20) {}
        FirstMove.choose(turns, choices)
    }

    fn use_clock(&mut self, clock: fn() -> Duration) {
        self.clock = Some(clock);
    }
}

#[test]
fn processor_time_is_charged() {
    let openings = openings::sample(Variant::Frisian, 2, Seed::new(5));
    let mut toiler = PlayerFactory::new("toiler", || {
        Ok(Box::new(Toiler { clock: None }) as Box<dyn Player>)
    });
    let patient = PlayerFactory::new("first-move", || Ok(Box::new(FirstMove) as Box<dyn Player>));
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    toiler.clock.kind = ClockKind::Cpu;
    toiler.time = "10ms".parse().ok();
    for threads in [1, 2] {
        toiler.computes = Computes::Here { threads };
        let result =
            play_match([&toiler, &patient], &openings, &arena(2, 4), keep_going).expect("a match");
        assert_eq!(result.total().losses + result.duplicates, 4);
        let faults = result.games.iter().map(|game| game.fault.as_ref());
        for fault in faults {
            assert!(matches!(fault, Some(Fault::OutOfTime { .. })), "{fault:?}");
        }
    }
}

/// Plays like [`FirstMove`] with a constant evaluation.
struct Mood(Wdl);

impl Player for Mood {
    fn name(&self) -> &str {
        "mood"
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        FirstMove.choose(turns, choices)?;
        choices
            .iter_mut()
            .for_each(|choice| choice.value = Some(self.0));
        Ok(())
    }
}

fn moods(values: [Wdl; 2], adjudication: Adjudication) -> MatchResult {
    let openings = openings::sample(Variant::English, 40, Seed::new(2));
    let [a, b] = values.map(|value| {
        PlayerFactory::new("mood", move || Ok(Box::new(Mood(value)) as Box<dyn Player>))
    });
    let arena = Arena {
        adjudication,
        ..arena(2, 4)
    };
    let keep_going = &mut |_: &MatchResult| ControlFlow::Continue(());
    play_match([&a, &b], &openings, &arena, keep_going).expect("a match")
}

#[test]
fn who_resigns_loses_and_audited_games_are_played_on() {
    let resign = |audit| Adjudication {
        resign: Some(Resign {
            at_most: -0.9,
            turns: 3,
            audit,
        }),
        draw: None,
    };
    let values = [Wdl::LOSS, Wdl::WIN];
    let resigned = moods(values, resign(0.0));
    for game in &resigned.games {
        let winner = game.color(1);
        assert_eq!(game.outcome, Outcome::Win(winner, WinReason::Resigned));
        // Two turns of the other side are in between, three if it moves first.
        assert_eq!(
            game.moves.len(),
            5 + usize::from(game.opening.game().position().turn() == winner)
        );
    }
    let untouched = moods(values, Adjudication::OFF);
    let audited = moods(values, resign(1.0));
    let moves = |result: &MatchResult| {
        let games = result.games.iter();
        games.map(|game| game.moves.clone()).collect::<Vec<_>>()
    };
    assert_eq!(moves(&audited), moves(&untouched));
    let points = |game: &eval::MatchGame| game.half_points();
    let not_lost = untouched
        .games
        .iter()
        .filter(|game| points(game) > 0)
        .count() as u64;
    assert!(not_lost > 0, "otherwise the audit has nothing to find");
    let expected = Resignations {
        resigned: 0,
        audited: 80,
        not_lost,
    };
    assert_eq!(
        (
            Resignations::of(&audited.games),
            Resignations::of(&untouched.games)
        ),
        (expected, Resignations::default())
    );
    let text = audited.newest_pair_to_pdn("a test");
    assert!(text.contains("would have resigned after ply "), "{text}");
    let some = Resignations::of(&moods(values, resign(0.5)).games);
    assert!((20..60).contains(&some.audited) && some.audited + some.resigned == 80);
}

#[test]
fn both_sides_agree_to_a_draw() {
    let draw = Some(DrawAgreement {
        within: 0.1,
        plies: 6,
        after_ply: 12,
    });
    let terms = Adjudication { resign: None, draw };
    for game in moods([Wdl::DRAW, Wdl::DRAW], terms).games {
        assert_eq!(game.outcome, Outcome::Draw(DrawReason::Agreed));
        assert_eq!(game.all_moves().count(), 12);
    }
    let one_sided = moods([Wdl::DRAW, Wdl::WIN], terms);
    let agreed = Outcome::Draw(DrawReason::Agreed);
    assert!(one_sided.games.iter().all(|game| game.outcome != agreed));
}

#[test]
fn comments_are_what_the_mover_expects() {
    let result = moods([Wdl::LOSS, Wdl::DRAW], Adjudication::OFF);
    let game = &result.games[0];
    let text = game.to_pdn(&result.names, "a test").replace('\n', " ");
    let words: Vec<&str> = text
        .split(' ')
        .filter(|word| word.starts_with('{'))
        .collect();
    // Black, side 0, has made the first move; White is to move after an opening of three.
    assert_eq!(words.len(), game.moves.len());
    assert_eq!(
        &words[..4],
        ["{+0.000}", "{-1.000}", "{+0.000}", "{-1.000}"]
    );
}

#[test]
fn games_read_back_from_pdn() {
    for variant in Variant::GAMES {
        let openings = openings::sample(variant, 2, Seed::new(6));
        let result = play(["alphabeta:depth=1", "random"], &openings, &arena(1, 2));
        let games = result.games.iter();
        let text: String = games
            .map(|game| game.to_pdn(&result.names, "a test"))
            .collect();
        let read: Vec<PdnGame> = PdnReader::new(text.as_bytes())
            .collect::<Result<_, _>>()
            .expect("our own PDN");
        assert_eq!(read.len(), 4);
        for (game, pdn) in result.games.iter().zip(&read) {
            let (start, moves) = pdn.replay(variant).expect("legal moves");
            assert!(start == game.opening.start && moves.into_iter().eq(game.all_moves()));
            let black = usize::from(game.color(0) != Color::Black);
            assert_eq!(pdn.tag("Black"), Some(result.names[black].as_str()));
            let known = game
                .outcome
                .winner()
                .map_or(PdnResult::Drawn, PdnResult::Won);
            assert_eq!(pdn.result(), known);
        }
    }
}
