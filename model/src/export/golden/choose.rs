//! Selection of golden positions: few, but covering everything an encoder must get right.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};
use rules::{Color, Game, Move, Position, Setup, Variant};

/// The number of positions selected.
const N_POSITIONS: usize = 20;
/// The number of random games to choose from; each gives at most one position.
const N_GAMES: usize = 100;
/// The maximum length of a game in plies.
const MAX_PLIES: u32 = 250;
/// The probability with which a side takes back its last move if it can, which causes repetitions.
const RETURN_RATE: f64 = 0.5;

/// A property that an encoder or a move scorer may get wrong.
type Feature = fn(&Game, &[Move]) -> bool;

const FEATURES: &[Feature] = &[
    |game, _| game.position().turn() == Color::White,
    |game, _| game.position().turn() == Color::Black,
    |game, _| !game.position().kings(game.position().turn()).is_empty(),
    |game, _| !game.position().kings(!game.position().turn()).is_empty(),
    |_, moves| moves.iter().any(|mv| mv.captured.count() == 1),
    |_, moves| moves.iter().any(|mv| mv.captured.count() > 1),
    |_, moves| moves.len() == 1,
    |game, _| game.repetitions() > 0,
    |game, _| game.position().no_progress() > 0,
    |game, _| game.position().king_rest(game.position().turn()).is_some(),
    |game, _| game.position().king_rest(!game.position().turn()).is_some(),
    |_, moves| has_twins(moves),
];

/// True if two moves have the same origin and destination, so that only k distinguishes them.
fn has_twins(moves: &[Move]) -> bool {
    let ends = |mv: &Move| (mv.from, mv.to);
    moves.iter().enumerate().any(|(index, mv)| {
        let later = &moves[index + 1..];
        later.iter().any(|other| ends(other) == ends(mv))
    })
}

/// Games that end in the selected positions: the start, then those with the features shown least
/// often so far.
pub(super) fn games(variant: Variant, rng: &mut impl Rng) -> Vec<Game> {
    let start = Game::new(Position::start(variant));
    let mut shown = [0; FEATURES.len()];
    count(&mut shown, &features(&start));
    let mut candidates: Vec<_> = (0..N_GAMES)
        .map(|index| match index % 2 {
            0 => random_game(Position::start(variant), rng),
            _ => random_game(random_ending(variant, rng), rng),
        })
        .collect();
    let mut chosen = vec![start];
    while chosen.len() < N_POSITIONS {
        let Some((game, ply)) = most_needed(&candidates, &shown) else {
            break;
        };
        let (position, features) = candidates.swap_remove(game).swap_remove(ply);
        count(&mut shown, &features);
        chosen.push(position);
    }
    chosen
}

/// A position of a game and the features that it shows.
type Candidate = (Game, Vec<bool>);

fn features(game: &Game) -> Vec<bool> {
    let moves = game.legal_moves();
    FEATURES
        .iter()
        .map(|feature| feature(game, &moves))
        .collect()
}

fn count(shown: &mut [u32], features: &[bool]) {
    for (shown, &has) in shown.iter_mut().zip(features) {
        *shown += u32::from(has);
    }
}

/// The game and ply of the position whose features were shown least often: the worth of a feature
/// halves each time it is shown. The first one wins ties.
fn most_needed(games: &[Vec<Candidate>], shown: &[u32]) -> Option<(usize, usize)> {
    let worth = |features: &[bool]| -> u64 {
        let weights = shown.iter().map(|shown| (1 << 32) >> shown);
        weights
            .zip(features)
            .filter(|(_, has)| **has)
            .map(|(weight, _)| weight)
            .sum()
    };
    let places = games.iter().enumerate().flat_map(|(game, positions)| {
        let plies = positions.iter().enumerate();
        plies.map(move |(ply, (_, features))| (worth(features), (game, ply)))
    });
    places
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, place)| place)
}

/// Two kings each on random squares: games from there repeat positions sooner.
fn random_ending(variant: Variant, rng: &mut impl Rng) -> Position {
    let mut squares: Vec<_> = variant.board().mask().iter().collect();
    squares.shuffle(rng);
    let kings = |first: usize| squares[first].bit() | squares[first + 1].bit();
    let turn = if rng.random_bool(0.5) {
        Color::White
    } else {
        Color::Black
    };
    let setup = Setup {
        kings: [kings(0), kings(2)],
        ..Setup::empty(turn)
    };
    Position::new(variant, &setup).unwrap_or_else(|_| Position::start(variant))
}

/// All positions of a random game after its start.
fn random_game(start: Position, rng: &mut impl Rng) -> Vec<Candidate> {
    let mut game = Game::new(start);
    let (mut positions, mut played): (_, Vec<Move>) = (Vec::new(), Vec::new());
    while game.outcome().is_none() && game.plies() < MAX_PLIES {
        if game.plies() > 0 {
            positions.push((game.clone(), features(&game)));
        }
        let moves = game.legal_moves();
        let own = played.len().checked_sub(2).map(|index| played[index]);
        let returns = |mv: &&Move| own.is_some_and(|own| (mv.from, mv.to) == (own.to, own.from));
        let back = moves
            .iter()
            .find(returns)
            .filter(|_| rng.random_bool(RETURN_RATE));
        let Some(&mv) = back.or_else(|| moves.choose(rng)) else {
            break;
        };
        game.play(mv);
        played.push(mv);
    }
    positions
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rules::Goal;

    use super::*;

    #[test]
    fn everything_that_can_occur_is_shown() {
        for variant in Variant::ALL {
            let games = games(variant, &mut ChaCha8Rng::seed_from_u64(1));
            let again = self::games(variant, &mut ChaCha8Rng::seed_from_u64(1));
            let fens = |games: &[Game]| -> Vec<_> {
                games.iter().map(|game| game.position().to_fen()).collect()
            };
            assert_eq!(fens(&games), fens(&again), "{variant}");
            assert_eq!(games.len(), N_POSITIONS);
            let mut shown = [0; FEATURES.len()];
            for game in &games {
                count(&mut shown, &features(game));
            }
            // The remaining features are king rest, which few variants have, and twins, which are
            // rare.
            let n_features = if variant.rules().king_rest_limit > 0 {
                11
            } else {
                9
            };
            // Where the first king wins, no king moves, so nothing repeats.
            let is_missing = |feature: usize| {
                variant.rules().goal == Goal::FirstKing && [2, 3, 7, 8].contains(&feature)
            };
            let shown_or_missing = (0..n_features).all(|i| shown[i] > 0 || is_missing(i));
            assert!(shown_or_missing, "{variant} {shown:?}");
        }
    }
}
