//! Compares proofs with an exhaustive solver that shares only the rules with the search.

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Color, Game, Position, Variant};
use search::{Batch, Proof, Prover, Search, Stop, Uniform, search_all};

use crate::support::random_game;
use crate::{EXPLORE, PLAY, PUCT, game_from, search};

/// The number of plies in which the side to move can force a win, if at most `plies`.
fn win_within(position: &Position, plies: u32) -> Option<u32> {
    let lose = |next: Position| loss_within(&next, plies.checked_sub(1)?);
    let moves = position.legal_moves();
    if let Some(outcome) = position.outcome() {
        return (outcome.winner() == Some(position.turn())).then_some(0);
    }
    if plies == 0 {
        return None;
    }
    moves
        .iter()
        .filter_map(|&mv| lose(position.play(mv)))
        .min()
        .map(|plies| plies + 1)
}

/// The number of plies after which the side to move loses against best play, if at most `plies`.
fn loss_within(position: &Position, plies: u32) -> Option<u32> {
    let moves = position.legal_moves();
    if let Some(outcome) = position.outcome() {
        return (outcome.winner() == Some(!position.turn())).then_some(0);
    }
    if plies == 0 {
        return None;
    }
    let mut longest = 0;
    for &mv in &moves {
        longest = longest.max(win_within(&position.play(mv), plies - 1)?);
    }
    Some(longest + 1)
}

/// Positions with few pieces from random games.
fn endings(variant: Variant) -> impl Iterator<Item = Game> {
    let n_pieces = |position: &Position| {
        let [black, white] = Color::ALL.map(|color| position.pieces(color).count());
        black + white
    };
    let games = (0..60).map(move |seed| random_game(variant, 60 + seed % 60, u64::from(seed)));
    games.filter(move |game| n_pieces(game.position()) <= 6 && game.position().no_progress() < 30)
}

/// The maximum depth that the solver can search in reasonable time.
const DEEPEST: u16 = 5;

#[test]
fn short_wins_are_proven_and_proofs_are_true() {
    let (mut n_wins, mut n_losses, mut n_draws) = (0, 0, 0);
    for variant in Variant::ALL {
        for game in endings(variant) {
            for config in [PLAY, EXPLORE, PUCT] {
                let result = search(config, &game, 1000, &mut Uniform);
                let next = game.position().play(game.legal_moves()[result.best]);
                match result.proof {
                    Some(Proof::Win(plies)) if plies <= DEEPEST => {
                        n_wins += 1;
                        assert!(
                            loss_within(&next, u32::from(plies) - 1).is_some(),
                            "{result:?}"
                        );
                    }
                    Some(Proof::Loss(plies)) if plies <= DEEPEST => {
                        n_losses += 1;
                        assert!(loss_within(game.position(), u32::from(plies)).is_some());
                    }
                    Some(Proof::Draw) => {
                        n_draws += 1;
                        assert_eq!(win_within(game.position(), 3), None);
                        assert_eq!(loss_within(game.position(), 4), None);
                    }
                    Some(_) => {}
                    None => {
                        let fen = game.position().to_fen();
                        assert_eq!(win_within(game.position(), 3), None, "{fen} {config:?}");
                        assert_eq!(loss_within(game.position(), 2), None, "{fen} {config:?}");
                    }
                }
            }
        }
    }
    assert!(
        n_wins > 100 && n_losses > 50 && n_draws > 0,
        "{n_wins} {n_losses} {n_draws}"
    );
}

/// Two kings against one, and combinations that sacrifice a man or two first.
#[test]
fn wins_that_take_a_plan_are_found_without_any_knowledge() {
    let wins = [
        (Variant::English, "W:WK11,K17:BK13", "17-14", 3),
        (Variant::English, "W:WK15,K5:BK25", "15-18", 5),
        (Variant::English, "W:WK28,K14:BK23", "28-24", 7),
        (Variant::Customary, "W:WK11,K26:BK21", "26-22", 3),
        (Variant::Customary, "W:WK20,K27:BK12", "27-31", 7),
        (Variant::Customary, "W:W24,18,6,K13:B17,25,7", "13x29", 5),
        (Variant::Frisian, "W:W41,31,17,K32:B13,19,25", "32x35", 3),
        (Variant::Frisian, "W:W7,37,46,K22:B40,39,16", "22x35", 5),
        (Variant::Thai, "W:WK6,K10:BK28", "6-13", 3),
        (Variant::Thai, "W:W28,14,12,K15:B24,5,8", "28x19", 5),
        (Variant::Ringboard, "W:WK17,K43:BK41", "43-38", 3),
        (Variant::Ringboard, "W:WK30,K27:BK43", "30-34", 7),
    ];
    for (variant, fen, best, plies) in wins {
        let game = game_from(variant, fen);
        for config in [PLAY, PUCT] {
            let result = search(config, &game, 1000, &mut Uniform);
            let found = game.position().move_text(game.legal_moves()[result.best]);
            let expected = (best, Some(Proof::Win(plies)), Some(Stop::Proven));
            assert_eq!(
                (&found[..], result.proof, result.stop),
                expected,
                "{variant} {fen}"
            );
            assert_eq!(result.policy[result.best], 1.0);
        }
    }
}

/// Claims a result for every position after a capture or a man move.
#[derive(Debug)]
struct Claims(Proof);

impl Prover for Claims {
    fn prove(&self, position: &Position) -> Option<Proof> {
        (position.no_progress() == 0).then_some(self.0)
    }
}

#[test]
fn what_a_prover_knows_is_proven() {
    let game = game_from(Variant::English, "W:W18,K32:B10,K1:H4");
    let with = |proof: Option<Proof>, config| {
        let prover = proof.map(|proof| Arc::new(Claims(proof)) as Arc<dyn Prover>);
        let mut searches = [Search::new(config, Search::memory_for(200)).with_prover(prover)];
        searches[0].begin(&game, 200, &mut ChaCha8Rng::seed_from_u64(1));
        search_all(&mut searches, &mut Uniform, &mut Batch::new()).unwrap();
        searches[0].result()
    };
    let men = game.position().men(Color::White);
    let is_man_move = |at: usize| men.contains(game.legal_moves()[at].from);
    for config in [PLAY, PUCT] {
        // After a man move the opponent has lost, so the move wins in one ply more.
        let won = with(Some(Proof::Loss(20)), config);
        assert_eq!(
            (won.proof, won.stop),
            (Some(Proof::Win(21)), Some(Stop::Proven))
        );
        assert!(is_man_move(won.best));
        let spoiled = with(Some(Proof::Win(20)), config);
        assert!(!is_man_move(spoiled.best), "{spoiled:?}");
        assert_eq!(with(None, config).proof, None);
    }
}
