use super::*;
use crate::analyzer::simulated;
use crate::time::{Allotment, TimeLeft};
use rules::{Game, Position, Variant};
use std::time::Duration;

use search::Uniform;
use types::{Seed, Wdl};

fn config(games_at_once: usize) -> SearchPlayerConfig {
    SearchPlayerConfig {
        few: SearchConfig::PAPER.without_noise(),
        many: SearchConfig::KATAGO,
        simulations: 16,
        games_at_once,
    }
}

fn turn(game: &Game, seed: u64) -> Turn<'_> {
    Turn {
        game,
        seed: Seed::new(seed),
        time: None,
    }
}

fn choices(games: &[Game], games_at_once: usize) -> Vec<Choice> {
    let turns: Vec<Turn<'_>> = games.iter().map(|game| turn(game, 1)).collect();
    let mut choices = Vec::new();
    let mut player = SearchPlayer::new("net", Uniform, config(games_at_once));
    player.choose(&turns, &mut choices).unwrap();
    choices
}

/// Games of all variants, some with a forced move.
fn games() -> Vec<Game> {
    let mut games: Vec<Game> = Variant::ALL.map(|v| Game::new(Position::start(v))).into();
    let forced = Position::from_fen(Variant::English, "W:W22:B18").unwrap();
    games.insert(2, Game::new(forced));
    games
}

#[test]
fn answers_do_not_depend_on_who_is_asked_together() {
    let games = games();
    let together = choices(&games, 100);
    assert_eq!(choices(&games, 1), together);
    assert_eq!(choices(&games, 3), together);
    for (game, choice) in games.iter().zip(&together) {
        assert!(game.legal_moves().contains(&choice.mv));
    }
}

#[test]
fn what_would_overfill_a_tree_is_searched_in_one_that_is_recycled() {
    let games = games();
    let config = SearchPlayerConfig {
        simulations: 2000,
        ..config(4)
    };
    let player = SearchPlayer::new("net", Uniform, config);
    let mut player = player.with_tree_memory(Search::memory_for(200));
    let mut choose = |games: &[Game]| {
        let turns: Vec<Turn<'_>> = games.iter().map(|game| turn(game, 1)).collect();
        let mut choices = Vec::new();
        player.choose(&turns, &mut choices).unwrap();
        choices
    };
    let found = choose(&games);
    for (game, choice) in games.iter().zip(&found) {
        assert!(game.legal_moves().contains(&choice.mv));
        assert!(
            choice.nodes >= 2000 || game.legal_moves().len() == 1,
            "{choice:?}"
        );
    }
    // Independent of earlier searches.
    for (game, choice) in games.iter().zip(&found) {
        for _ in 0..2 {
            assert_eq!(
                choose(std::slice::from_ref(game)),
                std::slice::from_ref(choice)
            );
        }
    }
}

#[test]
fn a_temperature_draws_moves_by_the_seed_of_the_turn() {
    let games = games();
    let choose = |temperature, seed: u64, games_at_once| {
        let config = config(games_at_once);
        let handicap = Handicap {
            nodes: config.simulations.into(),
            temperature,
        };
        let player = SearchPlayer::new("net", Uniform, config);
        let mut player = player.with_handicap(Some(handicap));
        let turns: Vec<Turn<'_>> = (seed..)
            .zip(&games)
            .map(|(s, game)| turn(game, s))
            .collect();
        let mut choices = Vec::new();
        player.choose(&turns, &mut choices).unwrap();
        choices
    };
    let drawn: Vec<Vec<Choice>> = (0..9).map(|seed| choose(1.0, seed, 100)).collect();
    assert!(drawn.iter().any(|choices| choices != &drawn[0]));
    for (seed, together) in (0..).zip(&drawn) {
        assert_eq!(&choose(1.0, seed, 2), together);
        for (game, choice) in games.iter().zip(together) {
            assert!(game.legal_moves().contains(&choice.mv));
        }
    }
    assert_eq!(choose(0.0, 1, 100), choose(0.0, 7, 100));
}

#[test]
fn a_clock_ends_the_search() {
    let games = games();
    let time = TimeLeft::Move(Duration::from_millis(10));
    let turns: Vec<Turn<'_>> = games
        .iter()
        .map(|game| Turn {
            time: Some(time),
            ..turn(game, 1)
        })
        .collect();
    let (mut choices, unlimited) = (Vec::new(), u32::MAX);
    let config = SearchPlayerConfig {
        simulations: unlimited,
        ..config(4)
    };
    SearchPlayer::new("net", Uniform, config)
        .choose(&turns, &mut choices)
        .unwrap();
    for (game, choice) in games.iter().zip(&choices) {
        assert!(game.legal_moves().contains(&choice.mv));
    }
}

/// Considers all positions drawn, prefers the first move by this much, and takes a millisecond
/// each.
struct Opinion(f32);

impl Evaluator for Opinion {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (value, logits) = batch.reply_mut(index);
            *value = Wdl::DRAW;
            logits.fill(0.0);
            logits[0] = self.0;
            simulated::pass(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// The findings with this time on the clock, and the time used.
fn timed(opinion: f32, time: TimeLeft) -> (Findings, Duration) {
    let game = Game::new(Position::start(Variant::English));
    let before = simulated::now();
    let task = simulated::timed(&game, time);
    let mut player = SearchPlayer::new("net", Opinion(opinion), config(1));
    let found = player.analyze(&task, &mut |_| {}).unwrap();
    (found, simulated::now() - before)
}

#[test]
fn a_clear_move_is_played_early_and_the_same() {
    let of_game = TimeLeft::Game {
        time: Duration::from_secs(90),
        increment: Duration::ZERO,
        moves: None,
    };
    let (clear, early) = timed(3.0, of_game);
    let (_, late) = timed(0.0, of_game);
    let Allotment { usual, most } = of_game.allotment(Duration::ZERO);
    assert!(
        early < usual * 2 / 3 && late > usual,
        "{early:?} {late:?} {usual:?}"
    );
    // The rest of its time would not change it.
    let (full, time) = timed(3.0, TimeLeft::Move(most));
    assert!(time > usual && full.best().moves[0] == clear.best().moves[0]);
}

fn analyse(config: SearchPlayerConfig, game: &Game, nodes: u64, lines: usize) -> Findings {
    let limits = SearchLimits {
        nodes: Some(nodes),
        lines,
        ..SearchLimits::default()
    };
    let mut player = SearchPlayer::new("net", Uniform, config);
    let task = simulated::task(game, limits);
    player.analyze(&task, &mut |_| {}).unwrap()
}

/// Without a clock the whole budget is used.
#[test]
fn schedules_add_up_to_the_limit() {
    let next = |nodes, depth, made| {
        let limits = SearchLimits {
            nodes,
            depth,
            ..SearchLimits::default()
        };
        let game = Game::new(Position::start(Variant::English));
        let task = simulated::task(&game, limits);
        let mut lateness = Duration::ZERO;
        next_schedule(&Pace::new(&task, &mut lateness), made)
    };
    assert_eq!(next(Some(100_000), None, 0), 100_000);
    assert_eq!(next(None, None, 0), FIRST_SCHEDULE);
    assert_eq!(next(None, None, 500), 500);
    assert_eq!(next(None, None, 50_000), LONGEST_SCHEDULE);
    assert_eq!(next(Some(700), Some(9), 500), 200);
}

#[test]
fn many_simulations_have_settings_of_their_own() {
    let game = Game::new(Position::start(Variant::English));
    let policy = |config, nodes| analyse(config, &game, nodes, 1).policy;
    let both = config(1);
    let only = |search| SearchPlayerConfig {
        few: search,
        many: search,
        ..both
    };
    for nodes in [100, 101] {
        let [few, many] = [both.few, both.many].map(|search| policy(only(search), nodes));
        assert_ne!(few, many);
        let expected = if nodes == 100 { few } else { many };
        assert_eq!(policy(both, nodes), expected);
    }
}

#[test]
fn a_forced_move_is_not_searched() {
    let forced = choices(&games(), 4)[2];
    assert_eq!((forced.nodes, forced.value), (0, None));
    assert!(choices(&games(), 4)[0].nodes > 1);
}

#[test]
fn failures_are_handed_on() {
    struct Broken;
    impl Evaluator for Broken {
        fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
            Ok(()) // Leaves all replies unanswered.
        }
    }
    let ask = |game: &Game| {
        SearchPlayer::new("broken", Broken, config(1)).choose(&[turn(game, 0)], &mut Vec::new())
    };
    let start = Game::new(Position::start(Variant::English));
    assert!(matches!(ask(&start), Err(PlayerError::Evaluator(_))));
    let lost = Position::from_fen(Variant::English, "W:W:B18").unwrap();
    assert!(matches!(
        ask(&Game::new(lost)),
        Err(PlayerError::NoMoves { .. })
    ));
}

#[test]
fn several_lines_are_the_most_visited_moves() {
    for game in games() {
        let n_moves = game.legal_moves().len();
        for nodes in [60, 400] {
            let alone = analyse(config(1), &game, nodes, 1);
            for lines in [2, n_moves, n_moves + 5] {
                let found = analyse(config(1), &game, nodes, lines);
                let variations = &found.variations;
                assert_eq!(variations.len(), lines.min(n_moves));
                assert_eq!(found.best().moves, alone.best().moves);
                assert_eq!(found.best().visits, alone.best().visits);
                assert_eq!((found.nodes, &found.policy), (alone.nodes, &alone.policy));
                let order = |variation: &Variation| {
                    let is_lost = matches!(variation.proof, Some(search::Proof::Loss(_)));
                    (is_lost, std::cmp::Reverse(variation.visits))
                };
                assert!(variations[1..].is_sorted_by_key(order));
                for (index, variation) in variations.iter().enumerate() {
                    assert!(game.legal_moves().contains(&variation.moves[0]));
                    assert_eq!(variation.depth as usize, variation.moves.len());
                    let earlier = &variations[..index];
                    assert!(
                        earlier
                            .iter()
                            .all(|other| other.moves[0] != variation.moves[0])
                    );
                }
            }
        }
    }
}
