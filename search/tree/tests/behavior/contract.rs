//! Guarantees of every search, for all variants and modes.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant};
use search::{Batch, Evaluator, EvaluatorError, Search, SearchResult, Stop, Uniform, search_all};
use types::Wdl;

use crate::support::{Hashed, random_game};
use crate::{EXPLORE, NOISY_PUCT, PLAY, PUCT, forced_game, game_from, search};

/// Checks every request before it is answered.
struct Checked;

impl Evaluator for Checked {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let request = batch.request(index);
            assert_eq!(request.moves, &request.position.legal_moves()[..]);
            assert!(request.moves.len() > 1, "a forced move needs no evaluation");
            assert!(request.repetitions < 2);
            assert_eq!(request.position.outcome(), None);
        }
        Hashed.evaluate(batch)
    }
}

fn is_distribution(weights: &[f32]) -> bool {
    weights.iter().all(|weight| (0.0..=1.0).contains(weight))
        && (weights.iter().sum::<f32>() - 1.0).abs() < 1e-4
}

fn assert_consistent(game: &Game, budget: u32, result: &SearchResult) {
    let moves = game.legal_moves();
    let lengths = [&result.policy, &result.q, &result.prior].map(Vec::len);
    assert_eq!(lengths, [moves.len(); 3]);
    assert!(
        is_distribution(&result.policy) && is_distribution(&result.prior),
        "{result:?}"
    );
    assert!(
        result.q.iter().all(|q| (-1e-5..=1.00001).contains(q)),
        "{result:?}"
    );
    assert!(result.policy[result.best] > 0.0, "{result:?}");
    assert!(u64::from(result.visits.iter().sum::<u32>()) >= result.simulations);
    assert!(result.evaluations <= result.simulations + 1);
    match result.stop {
        Some(Stop::Simulations) => assert_eq!(result.simulations, u64::from(budget)),
        Some(Stop::Proven) => {
            assert!(result.proof.is_some() && result.simulations <= u64::from(budget));
            assert_eq!(result.value, result.proof.map(|proof| proof.wdl()));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(result.principal_variation[0], moves[result.best]);
    let mut line = game.clone();
    for &mv in &result.principal_variation {
        assert!(line.legal_moves().contains(&mv));
        line.play(mv);
    }
}

#[test]
fn results_are_consistent() {
    for variant in Variant::ALL {
        for seed in 0..24 {
            let game = random_game(variant, 5 * seed, u64::from(seed));
            for (config, budget) in [(PLAY, 16), (EXPLORE, 50), (PUCT, 40), (NOISY_PUCT, 33)] {
                let result = search(config, &game, budget, &mut Checked);
                assert_consistent(&game, budget, &result);
            }
        }
    }
}

#[test]
fn extended_searches_are_consistent() {
    for variant in Variant::ALL {
        let game = random_game(variant, 12, 5);
        for config in [PLAY, EXPLORE, PUCT] {
            let mut searches = [Search::new(config, Search::memory_for(200))];
            searches[0].begin(&game, 16, &mut ChaCha8Rng::seed_from_u64(1));
            let mut budget = 16;
            for more in [0, 3, 16, 50] {
                // Not before the search has ended.
                searches[0].extend(1000);
                search_all(&mut searches, &mut Checked, &mut Batch::new()).unwrap();
                let before = searches[0].result();
                assert_consistent(&game, budget, &before);
                searches[0].extend(more);
                budget += more;
                search_all(&mut searches, &mut Checked, &mut Batch::new()).unwrap();
                let after = searches[0].result();
                assert_consistent(&game, budget, &after);
                assert_eq!(after.simulations, searches[0].simulations());
                let grown = |(before, after): (&u32, &u32)| after >= before;
                assert!(before.visits.iter().zip(&after.visits).all(grown));
                searches[0].begin(&game, budget, &mut ChaCha8Rng::seed_from_u64(1));
            }
        }
    }
}

/// Searches of all variants, each with its own seed.
fn begun_searches(n: u64) -> Vec<Search> {
    let begin = |i: u64| {
        let variant = Variant::ALL[i as usize % Variant::ALL.len()];
        let config = [EXPLORE, NOISY_PUCT][i as usize % 2];
        let mut search = Search::new(config, Search::memory_for(40));
        let game = random_game(variant, 3 * i as u32, i);
        search.begin(&game, 20 + i as u32, &mut ChaCha8Rng::seed_from_u64(i));
        search
    };
    (0..n).map(begin).collect()
}

#[test]
fn results_do_not_depend_on_the_other_games_of_a_batch() {
    let mut batch = Batch::new();
    let mut results_in_groups_of = |size: usize| -> Vec<SearchResult> {
        let mut searches = begun_searches(20);
        for group in searches.chunks_mut(size) {
            search_all(group, &mut Hashed, &mut batch).unwrap();
        }
        searches.iter().map(Search::result).collect()
    };
    let alone = results_in_groups_of(1);
    assert_eq!(alone, results_in_groups_of(7));
    assert_eq!(alone, results_in_groups_of(20));
}

#[test]
fn a_used_search_gives_what_a_new_one_gives() {
    let mut used = Search::new(EXPLORE, Search::memory_for(200));
    let games = [
        random_game(Variant::Frisian, 20, 1),
        random_game(Variant::English, 9, 2),
    ];
    for (game, budget) in games.iter().zip([200, 30]) {
        used.begin(game, budget, &mut ChaCha8Rng::seed_from_u64(1));
        search_all(
            std::slice::from_mut(&mut used),
            &mut Hashed,
            &mut Batch::new(),
        )
        .unwrap();
    }
    let mut fresh = Search::new(EXPLORE, Search::memory_for(200));
    fresh.begin(&games[1], 30, &mut ChaCha8Rng::seed_from_u64(1));
    search_all(
        std::slice::from_mut(&mut fresh),
        &mut Hashed,
        &mut Batch::new(),
    )
    .unwrap();
    assert_eq!(used.result(), fresh.result());
}

#[test]
fn a_forced_root_needs_no_search() {
    let game = forced_game();
    let result = search(EXPLORE, &game, 100, &mut Checked);
    assert_eq!(result.stop, Some(Stop::Forced));
    assert_eq!((result.best, &result.policy[..]), (0, &[1.0][..]));
    assert_eq!(
        (result.value, result.raw_value, result.evaluations),
        (None, None, 0)
    );
    assert_eq!(&result.principal_variation[..], &game.legal_moves()[..]);
}

#[test]
fn without_simulations_the_prior_decides() {
    let game = random_game(Variant::Thai, 10, 3);
    for config in [PLAY, PUCT] {
        let result = search(config, &game, 0, &mut Hashed);
        let highest = result.prior.iter().copied().fold(0.0, f32::max);
        assert_eq!(result.prior[result.best], highest);
        for (weight, prior) in result.policy.iter().zip(&result.prior) {
            assert!((weight - prior).abs() < 1e-6);
        }
        assert_eq!((result.simulations, result.evaluations), (0, 1));
    }
}

#[test]
fn full_memory_ends_the_search_early() {
    let game = random_game(Variant::Ringboard, 8, 4);
    let mut search = Search::new(PLAY, Search::memory_for(10));
    search.begin(&game, 10_000, &mut ChaCha8Rng::seed_from_u64(1));
    search_all(
        std::slice::from_mut(&mut search),
        &mut Hashed,
        &mut Batch::new(),
    )
    .unwrap();
    let result = search.result();
    assert_eq!(result.stop, Some(Stop::Memory));
    assert!((10..1000).contains(&result.simulations));
    assert!(is_distribution(&result.policy));
}

#[test]
fn the_memory_for_so_many_simulations_is_enough() {
    for variant in Variant::ALL {
        for seed in 0..12 {
            let game = random_game(variant, 10 * seed, u64::from(seed));
            let evaluators: [&mut dyn Evaluator; 2] = [&mut Hashed, &mut Uniform];
            for evaluator in evaluators {
                let result = search(PLAY, &game, 500, evaluator);
                assert_ne!(
                    result.stop,
                    Some(Stop::Memory),
                    "{}",
                    game.position().to_fen()
                );
            }
        }
    }
}

/// Omits the last reply, or writes NaN into it.
struct Broken(bool);

impl Evaluator for Broken {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let (value, logits) = batch.reply_mut(0);
        logits.fill(0.0);
        if self.0 {
            *value = Wdl {
                win: f32::NAN,
                draw: 0.0,
                loss: 0.0,
            };
        }
        Ok(())
    }
}

#[test]
fn damaged_replies_fail_loudly_and_can_be_asked_for_again() {
    let game = game_from(Variant::English, "W:WK1,K3:BK32:H0:F1");
    for writes_nan in [false, true] {
        let mut searches = [Search::new(PLAY, 1 << 16)];
        searches[0].begin(&game, 5, &mut ChaCha8Rng::seed_from_u64(1));
        let mut batch = Batch::new();
        let error = search_all(&mut searches, &mut Broken(writes_nan), &mut batch).unwrap_err();
        assert!(error.to_string().contains("W:WK1,K3:BK32:H0:F1"), "{error}");
        batch.clear();
        assert_eq!(searches[0].step(&mut batch), Some(0));
        search_all(&mut searches, &mut Uniform, &mut batch).unwrap();
        assert_eq!(searches[0].result().simulations, 5);
    }
}

#[test]
fn results_are_there_at_any_time() {
    let game = random_game(Variant::Customary, 12, 5);
    let mut search = Search::new(EXPLORE, 1 << 18);
    search.begin(&game, 20, &mut ChaCha8Rng::seed_from_u64(1));
    let mut batch = Batch::new();
    while let Some(request) = search.step(&mut batch) {
        let result = search.result();
        assert_eq!(result.stop, None);
        assert!(is_distribution(&result.policy));
        Hashed.evaluate(&mut batch).unwrap();
        search.absorb(&batch, request).unwrap();
        batch.clear();
    }
    assert_consistent(&game, 20, &search.result());
}
