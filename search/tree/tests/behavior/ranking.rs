//! Ranked root moves.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Variant};
use search::{Batch, Proof, RankedMove, Search, SearchConfig, SearchResult, search_all};

use crate::support::{Hashed, random_game};
use crate::{EXPLORE, PLAY, PUCT, game_from};

fn searched(config: SearchConfig, game: &Game, simulations: u32) -> Search {
    let mut searches = [Search::new(config, Search::memory_for(simulations))];
    searches[0].begin(game, simulations, &mut ChaCha8Rng::seed_from_u64(1));
    search_all(&mut searches, &mut Hashed, &mut Batch::new()).expect("finite numbers");
    let [search] = searches;
    search
}

/// Checks that a ranked move agrees with the result about that move.
fn assert_agrees(game: &Game, ranked: &RankedMove, result: &SearchResult) {
    let legal = game.legal_moves();
    let index = legal.iter().position(|mv| *mv == ranked.moves[0]);
    let index = index.expect("a legal move");
    assert_eq!(ranked.visits, result.visits[index]);
    assert_eq!(
        ranked.value.is_some(),
        ranked.visits > 0 || ranked.proof.is_some()
    );
    if let Some(value) = ranked.value {
        let q = (value.value() + 1.0) / 2.0;
        assert!((q - result.q[index]).abs() < 1e-3, "{ranked:?} {result:?}");
    }
    let mut line = game.clone();
    for &mv in &ranked.moves {
        assert!(line.legal_moves().contains(&mv));
        line.play(mv);
    }
}

#[test]
fn every_legal_move_has_its_place() {
    for variant in Variant::ALL {
        for seed in 0..12 {
            let game = random_game(variant, 8 * seed, u64::from(seed));
            for (config, simulations) in [(PLAY, 16), (EXPLORE, 50), (PUCT, 80)] {
                let search = searched(config, &game, simulations);
                let (result, ranked) = (search.result(), search.ranked_moves(usize::MAX));
                assert_eq!(ranked[0].moves, result.principal_variation);
                let mut firsts: Vec<_> = ranked.iter().map(|ranked| ranked.moves[0]).collect();
                let mut legal = game.legal_moves().to_vec();
                firsts.sort_by_key(|mv| (mv.from.index(), mv.to.index(), mv.captured.0));
                legal.sort_by_key(|mv| (mv.from.index(), mv.to.index(), mv.captured.0));
                assert_eq!(firsts, legal, "{variant}");
                for ranked in &ranked {
                    assert_agrees(&game, ranked, &result);
                }
                let is_lost = |ranked: &RankedMove| matches!(ranked.proof, Some(Proof::Loss(_)));
                let open = ranked.iter().skip(1).filter(|ranked| !is_lost(ranked));
                assert!(open.is_sorted_by_key(|ranked| std::cmp::Reverse(ranked.visits)));
                assert!(ranked.is_sorted_by_key(is_lost));
                assert_eq!(search.ranked_moves(2), ranked[..ranked.len().min(2)]);
            }
        }
    }
}

#[test]
fn a_proven_win_comes_first() {
    let game = game_from(Variant::English, "W:WK11,K17:BK13");
    let ranked = searched(PUCT, &game, 1000).ranked_moves(usize::MAX);
    assert_eq!(ranked[0].proof, Some(Proof::Win(3)));
    assert_eq!(game.position().move_text(ranked[0].moves[0]), "17-14");
}
