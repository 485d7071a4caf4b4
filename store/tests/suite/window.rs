//! The replay window: its content, its samples, and that a killed run draws the same ones.

use std::collections::HashSet;

use crate::support::{MAX_PLIES, id, record};
use endgame::{Database, Distances, GameValue};
use rules::{Color, Game, Outcome, Variant};
use store::{
    EndgameSamples, FinishedGames, Games, Record, RecordedSearch, ReplayWindow, Sample,
    WindowConfig,
};

fn config() -> WindowConfig {
    WindowConfig {
        min_samples: 300,
        max_samples: 1_000_000,
        growth_power: 0.65,
        growth_slope: 0.4,
        policy_surprise: 0.5,
        value_surprise: 0.1,
        held_out: 0.0,
    }
}

fn n_full(record: &Record) -> usize {
    record
        .plies
        .iter()
        .filter(|ply| matches!(ply.search, RecordedSearch::Full { .. }))
        .count()
}

fn games(variant: Variant, generation: u32, count: u32) -> Vec<Record> {
    (0..count)
        .map(|number| record(variant, id(generation, number), 3, MAX_PLIES))
        .collect()
}

#[test]
fn the_window_holds_the_newest_games_that_fill_it() {
    let records = games(Variant::English, 1, 60);
    let mut window = ReplayWindow::new(config());
    for (n_pushed, record) in (1..).zip(&records) {
        window.push(record);
        let counts: Vec<usize> = records[..n_pushed].iter().map(n_full).collect();
        let n_seen: usize = counts.iter().sum();
        assert_eq!(window.n_seen(), n_seen as u64);
        let capacity = config().capacity(n_seen as u64) as usize;
        let mut expected = 0;
        for count in counts.iter().rev() {
            if expected >= capacity {
                break;
            }
            expected += count;
        }
        assert_eq!(window.len(), expected);
    }
    assert!(window.len() < window.n_seen() as usize);
}

#[test]
fn the_oldest_game_goes_when_the_others_just_fill_the_window() {
    let records = games(Variant::English, 1, 2);
    let capacity = n_full(&records[1]) as u64;
    for (max_samples, n_games) in [(capacity, 1), (capacity + 1, 2)] {
        let mut window = ReplayWindow::new(WindowConfig {
            min_samples: max_samples,
            max_samples,
            ..config()
        });
        records.iter().for_each(|record| window.push(record));
        let expected: usize = records.iter().rev().take(n_games).map(n_full).sum();
        assert_eq!(window.len(), expected);
    }
}

#[test]
fn the_window_knows_how_old_its_samples_are() {
    let mut window = ReplayWindow::new(WindowConfig {
        min_samples: 1_000_000,
        max_samples: 1_000_000,
        ..config()
    });
    assert_eq!((window.first_generation(), window.mean_age(3)), (None, 0.0));
    let mut ages = Vec::new();
    for generation in [2, 3, 5] {
        for record in games(Variant::English, generation, 2) {
            window.push(&record);
            ages.extend(vec![f64::from(9 - generation); n_full(&record)]);
        }
    }
    assert!(!window.is_empty());
    assert_eq!(window.first_generation(), Some(2));
    let mean = ages.iter().sum::<f64>() / ages.len() as f64;
    assert!((window.mean_age(9) - mean).abs() < 1e-12);
}

#[test]
fn a_loaded_window_draws_what_the_live_one_does() {
    let dir = tempfile::tempdir().unwrap();
    let store = Games::new(dir.path(), Variant::Frisian);
    let config = WindowConfig {
        held_out: 0.3,
        ..config()
    };
    let mut live = ReplayWindow::new(config.clone());
    for generation in 1..=4 {
        let records = games(Variant::Frisian, generation, 6);
        let mut writer = store.writer(generation).unwrap();
        // Threads finish games in any order.
        for record in records.iter().rev() {
            writer.append(record).unwrap();
        }
        for record in store.read(generation).unwrap().records {
            live.push(&record);
        }
    }
    // An interrupted stage has left games of the next generation.
    store
        .writer(5)
        .unwrap()
        .append(&games(Variant::Frisian, 5, 1)[0])
        .unwrap();
    let all: usize = (1..=4)
        .flat_map(|generation| games(Variant::Frisian, generation, 6))
        .map(|record| n_full(&record))
        .sum();
    assert!(live.n_seen() < all as u64, "games must be held out");
    let (loaded, damage) = ReplayWindow::load(config, &store, 4, live.n_seen()).unwrap();
    assert_eq!(damage, []);
    assert_eq!((loaded.len(), loaded.n_seen()), (live.len(), live.n_seen()));
    assert!(
        live.len() < live.n_seen() as usize,
        "the window must have let games go"
    );
    for step in 0..20 {
        assert_eq!(loaded.batch(9, step, 64), live.batch(9, step, 64));
    }
    assert_ne!(live.batch(9, 0, 64), live.batch(9, 1, 64));
    assert_ne!(live.batch(9, 0, 64), live.batch(8, 0, 64));
}

#[test]
fn samples_say_what_the_game_said() {
    for variant in Variant::ALL {
        for number in 0..4 {
            let max_plies = if number == 0 { 40 } else { 2000 };
            check_samples(&record(variant, id(1, number), 11, max_plies));
        }
    }
}

/// Draws every sample of a game and finds the ply that it comes from.
fn check_samples(record: &Record) {
    let mut window = ReplayWindow::new(config());
    window.push(record);
    let samples = window.batch(0, 0, 20 * record.plies.len());
    let mut seen = HashSet::new();
    for sample in samples {
        let mut game = Game::new(record.start);
        let (ply, made) = record
            .plies
            .iter()
            .enumerate()
            .find(|(_, ply)| {
                let is_here = *game.position() == sample.position
                    && game.repetitions() == u32::from(sample.repetitions)
                    && matches!(ply.search, RecordedSearch::Full { .. });
                if !is_here {
                    game.play(ply.mv);
                }
                is_here
            })
            .unwrap();
        seen.insert(ply);
        let RecordedSearch::Full { value, policy, .. } = &made.search else {
            unreachable!()
        };
        assert_eq!(sample.policy, policy.probabilities());
        assert_eq!(sample.root, value.probabilities());
        let mut moves = game.legal_moves();
        moves.sort_canonical();
        assert_eq!(sample.moves, moves.to_vec());
        if let Some(result) = record.result {
            assert_eq!(sample.outcome, score(result, sample.position.turn()));
        }
    }
    assert_eq!(
        seen.len(),
        n_full(record),
        "every full search is drawn at some time"
    );
}

fn score(outcome: Outcome, color: Color) -> [f32; 3] {
    match outcome.winner() {
        Some(winner) if winner == color => [1.0, 0.0, 0.0],
        Some(_) => [0.0, 0.0, 1.0],
        None => [0.0, 1.0, 0.0],
    }
}

#[test]
fn an_empty_window_gives_nothing() {
    let window = ReplayWindow::new(config());
    assert!(window.is_empty() && window.batch(1, 1, 8).is_empty());
}

/// The sizes stated in the documentation.
#[test]
fn positions_are_small_on_disk_and_in_memory() {
    for variant in Variant::GAMES {
        let records = games(variant, 1, 50);
        let mut window = ReplayWindow::new(WindowConfig {
            min_samples: 1_000_000,
            ..config()
        });
        let dir = tempfile::tempdir().unwrap();
        let store = Games::new(dir.path(), variant);
        let mut writer = store.writer(1).unwrap();
        for record in &records {
            window.push(record);
            writer.append(record).unwrap();
        }
        let check = store.check(&FinishedGames::default()).unwrap();
        assert_eq!(check.games, 50);
        let on_disk = check.bytes as f64 / check.positions as f64;
        let in_memory = window.size_bytes() as f64 / window.len() as f64;
        println!("{variant}: {on_disk:.1} bytes a position, {in_memory:.1} bytes a sample");
        assert!(on_disk < 14.0, "{variant}: {on_disk} bytes a position");
        assert!(in_memory < 62.0, "{variant}: {in_memory} bytes a sample");
        assert!(in_memory > 50.0, "{variant}: {in_memory} bytes a sample");
    }
}

#[test]
fn lessons_are_exact() {
    let database = Database::build(Variant::English, 3, |_| ()).unwrap();
    let held_back = database.sample(300, 1);
    let endgame_samples = EndgameSamples::new(&database, 0.5, &held_back);
    let draw = |step| -> Vec<Sample> { endgame_samples.draw(7, step, 2000).cloned().collect() };
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
    let mut distances = Distances::new(&database, 20_000_000);
    let mut n_of = [0; 3];
    assert_eq!(draw(0).len(), 1000);
    for sample in draw(0) {
        let value = database.settled(&sample.position).unwrap().value;
        n_of[value as usize] += 1;
        let mut certain = [0.0; 3];
        certain[GameValue::Win as usize - value as usize] = 1.0;
        assert_eq!([sample.outcome, sample.root], [certain; 2]);
        let twins = [sample.position, sample.position.turned()];
        assert!(!held_back.iter().any(|held| twins.contains(&held.position)));
        if value == GameValue::Loss {
            assert!(sample.policy.is_empty());
            continue;
        }
        let plies = distances.plies(&sample.position);
        assert_eq!(sample.policy.len(), sample.moves.len());
        for (mv, share) in sample.moves.iter().zip(sample.policy) {
            let next = sample.position.play(*mv);
            let keeps = database.probe(&next).unwrap().before_the_move() == value;
            let is_soonest = distances.plies(&next).map(|plies| plies + 1) == plies;
            assert_eq!(
                share > 0.0,
                keeps && is_soonest,
                "{}",
                sample.position.to_fen()
            );
        }
    }
    assert!(n_of.iter().all(|&n| n > 300), "{n_of:?}");
    let none = EndgameSamples::default();
    assert_eq!(none.draw(7, 3, 2000).count(), 0);
}
