//! Several leaves in flight for one position, and tree reuse from move to move.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant};
use search::{
    Batch, Crew, Evaluator, EvaluatorError, Flight, Search, SearchResult, Stop, search_all,
};

use crate::support::{Hashed, random_game};
use crate::{NOISY_PUCT, PLAY, PUCT, forced_game, game_from};

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn to_the_end(search: &mut Search, threads: usize) -> SearchResult {
    let crew = Crew::new(Hashed).with_helpers((1..threads).map(|_| Hashed));
    let done = crew.and_then(|mut crew| crew.search(search, &|_| false));
    done.expect("finite numbers");
    search.result()
}

fn run(game: &Game, simulations: u32, memory: usize, threads: usize) -> SearchResult {
    let mut search = Search::new(PUCT, memory);
    search.follow(game, simulations, &mut rng());
    to_the_end(&mut search, threads)
}

#[test]
fn every_simulation_comes_back() {
    for variant in Variant::ALL {
        for threads in [1, 2, 5] {
            let game = random_game(variant, 4, 7);
            let result = run(&game, 3000, Search::memory_for(3000), threads);
            assert_eq!(result.stop, Some(Stop::Simulations), "{variant}");
            assert_eq!(result.simulations, 3000);
            assert!(result.visits.iter().sum::<u32>() >= 3000);
            assert!(result.value.unwrap().is_finite());
        }
        let game = random_game(variant, 12, 8);
        let alone = || run(&game, 3000, Search::memory_for(3000), 1);
        assert_eq!(alone(), alone(), "{variant}");
    }
}

/// With noise, paths do not merge. Undone and abandoned simulations are not counted.
#[test]
fn every_simulation_is_one_visit_of_a_move() {
    for (variant, threads) in Variant::ALL
        .into_iter()
        .flat_map(|variant| [(variant, 1), (variant, 3)])
    {
        let game = random_game(variant, 4, 7);
        let mut search = Search::new(NOISY_PUCT, Search::memory_for(4000));
        search.follow(&game, 4000, &mut rng());
        let crew = Crew::new(Hashed).with_helpers((1..threads).map(|_| Hashed));
        let is_over = |simulations| simulations >= 3000;
        crew.unwrap().search(&mut search, &is_over).unwrap();
        let result = search.result();
        let visits: u32 = result.visits.iter().sum();
        assert_eq!(u64::from(visits), result.simulations, "{variant} {threads}");
    }
}

/// Sequential halving is serial, whichever thread evaluates.
#[test]
fn gumbel_search_is_what_it_is_alone() {
    let game = random_game(Variant::Frisian, 12, 7);
    let mut search = Search::new(PLAY, Search::memory_for(300));
    search.follow(&game, 300, &mut rng());
    assert_eq!(
        to_the_end(&mut search, 3),
        crate::search(PLAY, &game, 300, &mut Hashed)
    );
}

/// Records the size of the largest batch.
struct Largest(Arc<AtomicU32>);

impl Evaluator for Largest {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        self.0.fetch_max(batch.len() as u32, Ordering::Relaxed);
        Hashed.evaluate(batch)
    }
}

#[test]
fn batches_grow_with_the_search() {
    let game = random_game(Variant::English, 6, 7);
    let most = |simulations| {
        let most = Arc::new(AtomicU32::new(0));
        let mut search = Search::new(PUCT, Search::memory_for(simulations));
        search.follow(&game, simulations, &mut rng());
        let mut crew = Crew::new(Largest(Arc::clone(&most)));
        crew.search(&mut search, &|_| false).unwrap();
        most.load(Ordering::Relaxed)
    };
    assert_eq!(most(40), 1);
    assert!(most(3000) > 4);
}

#[test]
fn leaves_in_flight_are_visited_once_and_count_when_they_land() {
    let game = random_game(Variant::English, 6, 7);
    let mut search = Search::new(PUCT, Search::memory_for(2000));
    search.follow(&game, 2000, &mut rng());
    let is_over = |simulations| simulations >= 500;
    Crew::new(Hashed).search(&mut search, &is_over).unwrap();
    let made = search.simulations();
    let mut flights = [Flight::default(), Flight::default(), Flight::default()];
    for flight in &mut flights {
        assert!(search.gather(flight));
    }
    let leaves = flights.iter().flat_map(|flight| {
        (0..flight.batch.len()).map(|index| *flight.batch.request(index).position)
    });
    let leaves: Vec<_> = leaves.collect();
    assert!(leaves.len() > 3 && search.simulations() < made + leaves.len() as u64);
    for flight in flights.iter_mut().rev() {
        Hashed.evaluate(&mut flight.batch).unwrap();
        search.land(flight).unwrap();
    }
    assert!(search.simulations() >= made + leaves.len() as u64);
    let result = search.result();
    assert!(u64::from(result.visits.iter().sum::<u32>()) >= result.simulations);
}

#[test]
fn a_full_tree_is_recycled() {
    let game = random_game(Variant::Ringboard, 8, 4);
    let (small, large) = (Search::memory_for(300), Search::memory_for(20_000));
    let (small, large) = (run(&game, 20_000, small, 2), run(&game, 20_000, large, 2));
    assert_eq!(small.stop, large.stop);
    assert_eq!(small.simulations, large.simulations);
    assert_eq!(run(&game, 20_000, 1, 1).stop, Some(Stop::Memory));
}

#[test]
fn the_tree_goes_on_after_a_move_and_a_reply() {
    for variant in Variant::ALL {
        let mut game = random_game(variant, 10, 3);
        let mut search = Search::new(PUCT, Search::memory_for(4000));
        search.follow(&game, 2000, &mut rng());
        let before = to_the_end(&mut search, 1);
        for &mv in &before.principal_variation[..2] {
            game.play(mv);
        }
        if game.legal_moves().len() < 2 || game.outcome().is_some() {
            continue;
        }
        search.follow(&game, 1000, &mut rng());
        let kept: u32 = search.result().visits.iter().sum();
        assert!(kept > 0, "{variant}");
        let after = to_the_end(&mut search, 1);
        assert_eq!(after.simulations, 1000, "{variant}");
        assert!(after.visits.iter().sum::<u32>() >= kept + 1000);
        assert!(after.evaluations <= 1000);
        // The same position again, and one that is not in the tree.
        search.follow(&game, 10, &mut rng());
        assert_eq!(search.result().visits, after.visits);
        search.follow(&random_game(variant, 14, 9), 10, &mut rng());
        assert_eq!(search.result().visits.iter().sum::<u32>(), 0);
    }
}

#[test]
fn a_small_tree_serves_a_long_game() {
    for variant in Variant::ALL {
        let mut game = random_game(variant, 4, 6);
        let mut search = Search::new(PUCT, Search::memory_for(300));
        for _ in 0..60 {
            if game.outcome().is_some() {
                break;
            }
            search.follow(&game, 200, &mut rng());
            let result = to_the_end(&mut search, 1);
            assert_ne!(result.stop, Some(Stop::Memory), "{variant}");
            game.play(game.legal_moves()[result.best]);
        }
    }
}

/// Counts evaluations per position, for positions whose history does not matter.
#[derive(Default)]
struct Counted(HashMap<String, u32>);

impl Evaluator for Counted {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (request, _) = batch.entry_mut(index);
            if request.position.no_progress() == 0 {
                *self.0.entry(request.position.to_fen()).or_default() += 1;
            }
        }
        Hashed.evaluate(batch)
    }
}

#[test]
fn other_orders_of_moves_lead_to_the_same_node() {
    for variant in Variant::ALL {
        let game = random_game(variant, 6, 5);
        let mut search = Search::new(PUCT, Search::memory_for(5000));
        search.follow(&game, 5000, &mut rng());
        let mut crew = Crew::new(Counted::default());
        crew.search(&mut search, &|_| false).unwrap();
        let counts = &crew.evaluator().0;
        // Two of eight leaves evaluated together can be the same position.
        let twice = counts.values().filter(|&&n| n > 1).count();
        assert!(50 * twice < counts.len(), "{variant}: {twice}");
        let result = search.result();
        assert!(result.evaluations < result.simulations, "{variant}");
        assert!(result.visits.iter().sum::<u32>() >= 5000);

        // One leaf at a time: none is evaluated twice.
        let mut search = Search::new(PUCT, Search::memory_for(2000));
        search.begin(&game, 2000, &mut rng());
        let mut counted = Counted::default();
        search_all(&mut [search], &mut counted, &mut Batch::new()).unwrap();
        assert!(counted.0.values().all(|&n| n == 1), "{variant}");
    }
}

/// The kings move back and forth, so the position is the same but its history differs.
#[test]
fn a_position_with_another_past_is_searched_anew() {
    let position = "W:WK32,K30:BK1,K3:H0:F1";
    let mut game = game_from(Variant::English, position);
    for mv in ["32-28", "1-5", "28-32", "5-1"] {
        let mv = game.position().parse_move(mv).unwrap();
        game.play(mv);
    }
    let mut search = Search::new(PUCT, Search::memory_for(2000));
    search.follow(&game, 500, &mut rng());
    to_the_end(&mut search, 1);
    let kept = |search: &mut Search, game: &Game| {
        search.follow(game, 1, &mut rng());
        search.result().visits.iter().sum::<u32>()
    };
    assert!(kept(&mut search, &game) > 0);
    let without_past = Game::new(*game.position());
    assert_eq!(kept(&mut search, &without_past), 0);
}

#[test]
fn failures_end_it() {
    struct Broken;
    impl Evaluator for Broken {
        fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
            Ok(()) // Leaves all replies unanswered.
        }
    }
    let game = random_game(Variant::English, 6, 7);
    let mut search = Search::new(PUCT, Search::memory_for(2000));
    search.follow(&game, 2000, &mut rng());
    let mut crew = Crew::new(Broken).with_helpers([Broken]).unwrap();
    let error = crew.search(&mut search, &|_| false).unwrap_err();
    assert!(error.to_string().contains("not finite"), "{error}");
    search.follow(&game, 2000, &mut rng());
    assert_eq!(to_the_end(&mut search, 2).simulations, 2000);
}

/// A helper that gets no processor time while the test holds the lock.
struct Held(Arc<Mutex<()>>);

impl Evaluator for Held {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let _turn = self.0.lock();
        Hashed.evaluate(batch)
    }
}

/// Neither the search nor its end waits for a helper; its leaves are requested again.
#[test]
fn nobody_waits_for_a_helper() {
    let game = random_game(Variant::English, 6, 7);
    let processor = Arc::new(Mutex::new(()));
    let helpers = || [Held(Arc::clone(&processor))];
    let mut crew = Crew::new(Hashed).with_helpers(helpers()).unwrap();
    let mut search = Search::new(PUCT, Search::memory_for(4000));
    search.follow(&game, 3000, &mut rng());
    let held = processor.lock().unwrap();
    crew.search(&mut search, &|simulations| simulations >= 1000)
        .unwrap();
    assert!((1000..1100).contains(&search.simulations()));
    crew.search(&mut search, &|_| false).unwrap();
    assert_eq!(search.result().stop, Some(Stop::Simulations));
    assert_eq!(search.simulations(), 3000);
    drop(held);
    search.extend(1000);
    crew.search(&mut search, &|_| false).unwrap();
    assert_eq!(search.simulations(), 4000);
}

/// A late stop still needs a value: without one the moves could not be compared.
#[test]
fn who_is_stopped_at_once_has_a_value() {
    let forced = forced_game();
    let free = random_game(Variant::English, 6, 7);
    for (config, game) in [(PUCT, &forced), (PUCT, &free), (PLAY, &free)] {
        for threads in [1, 3] {
            let mut search = Search::new(config, Search::memory_for(3000));
            search.follow(game, 3000, &mut rng());
            let crew = Crew::new(Hashed).with_helpers((1..threads).map(|_| Hashed));
            crew.unwrap().search(&mut search, &|_| true).unwrap();
            let result = search.result();
            assert!(result.value.is_some());
            assert_eq!(result.evaluations, 1);
        }
    }
}

/// A forced move is searched for the positions after it.
#[test]
fn an_only_move_is_searched_where_the_tree_is_kept() {
    let game = forced_game();
    let result = run(&game, 300, Search::memory_for(300), 1);
    assert_eq!(result.stop, Some(Stop::Simulations));
    assert_eq!((result.best, &result.visits[..]), (0, &[300][..]));
    assert!(result.value.is_some() && result.principal_variation.len() > 2);
}

/// A panic in a helper ends the search with an error.
#[test]
fn a_lost_helper_is_noticed() {
    struct Lost;
    impl Evaluator for Lost {
        fn evaluate(&mut self, _: &mut Batch) -> Result<(), EvaluatorError> {
            panic!("as the test wants it");
        }
    }
    let game = random_game(Variant::English, 6, 7);
    let mut search = Search::new(PUCT, Search::memory_for(2000));
    search.follow(&game, u32::MAX, &mut rng());
    let mut crew = Crew::new(Hashed).with_helpers([Lost]).unwrap();
    let error = crew.search(&mut search, &|_| false).unwrap_err();
    assert!(
        error.to_string().contains("stopped unexpectedly"),
        "{error}"
    );
}
