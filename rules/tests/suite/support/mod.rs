//! Helpers shared by several tests: random games and positions, and a slow reference move
//! generator.

pub(crate) mod reference;

use rand::RngExt;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;
use rules::pdn::PdnPly;
use rules::{Bitboard, Color, Game, Move, Position, Setup, Variant};

/// A line of moves without annotations.
pub(crate) fn plies(moves: &[Move]) -> Vec<PdnPly> {
    moves.iter().map(|mv| (*mv).into()).collect()
}

/// Plays random moves until the game ends or `limit` plies are made; `see` gets each position.
pub(crate) fn random_game(
    start: Position,
    limit: u32,
    rng: &mut ChaCha8Rng,
    mut see: impl FnMut(&Game),
) -> (Game, Vec<Move>) {
    let mut game = Game::new(start);
    let mut moves = Vec::new();
    see(&game);
    while game.outcome().is_none() && game.plies() < limit {
        let mv = *game
            .legal_moves()
            .iter()
            .choose(rng)
            .expect("an ongoing game has moves");
        game.play(mv);
        moves.push(mv);
        see(&game);
    }
    (game, moves)
}

/// A position with randomly placed pieces, which may be unreachable.
pub(crate) fn scattered(variant: Variant, rng: &mut ChaCha8Rng) -> Position {
    let board = variant.board();
    let most = board.max_pieces() as usize;
    let mut squares: Vec<_> = board.mask().iter().collect();
    let (mut men, mut kings) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
    let king_share = rng.random_range(0.0..1.0);
    for color in Color::ALL {
        for _ in 0..rng.random_range(0..=most) {
            let square = squares.swap_remove(rng.random_range(0..squares.len()));
            let is_king = rng.random_bool(king_share) || board.last_row(color).contains(square);
            let set = if is_king { &mut kings } else { &mut men };
            set[color.index()] |= square.bit();
        }
    }
    let limit = variant.rules().king_rest_limit;
    let king_rests = Color::ALL.map(|color| {
        let square = kings[color.index()].iter().choose(rng)?;
        (limit > 0).then(|| (square, rng.random_range(1..=limit)))
    });
    let turn = if rng.random() {
        Color::White
    } else {
        Color::Black
    };
    let setup = Setup {
        men,
        kings,
        king_rests,
        ..Setup::empty(turn)
    };
    Position::new(variant, &setup).expect("a scattered position is legal")
}
