//! Vectorized environments for reinforcement learning: observations, legal actions, steps.

use model::Inputs;
use model::encoding::{self, GLOBALS, PIECE_PLANES};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Move, MoveList, Outcome, Position, Variant};
use types::Seed;

use crate::Error;

/// Maximum number of captures with the same start and end that have their own actions.
const SAME_ENDS: usize = 4;

/// Action numbering, the same for every position of a variant.
///
/// Squares are tokens: places on the board as the mover sees it, row by row from the top, from 0.
/// The action of a move is `(rank * squares + from) * squares + to`. The rank is 0, except for
/// captures that share start and end: these are ranked by the squares they capture on. Captures
/// beyond the fourth have no action; they are very rare, and least so in ringboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actions {
    n_squares: usize,
}

impl Actions {
    /// The actions of a variant.
    pub const fn new(variant: Variant) -> Actions {
        Actions {
            n_squares: variant.board().n_squares(),
        }
    }

    /// Number of actions.
    pub const fn count(self) -> usize {
        SAME_ENDS * self.n_squares * self.n_squares
    }

    /// The action of each legal move, in the order of `legal`; `None` for moves without an action.
    pub fn of<'a>(
        self,
        position: &'a Position,
        legal: &'a [Move],
    ) -> impl Iterator<Item = Option<usize>> + 'a {
        legal.iter().map(move |mv| {
            let tokens = encoding::move_tokens(position, *mv);
            let rank = match mv.is_capture() {
                true => rank(position, *mv, legal),
                false => 0,
            };
            let action = (rank * self.n_squares + tokens.from) * self.n_squares + tokens.to;
            (rank < SAME_ENDS).then_some(action)
        })
    }
}

/// Rank of this capture among those with the same start and end, as the mover sees the board.
fn rank(position: &Position, mv: Move, legal: &[Move]) -> usize {
    let mine = encoding::move_tokens(position, mv);
    let is_before = |other: &&Move| {
        let has_same_ends = (other.from, other.to) == (mv.from, mv.to);
        let others = encoding::move_tokens(position, **other);
        has_same_ends && others.captured().lt(mine.captured())
    };
    legal.iter().filter(is_before).count()
}

/// Result of a step, for the side that moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepOutcome {
    /// 1 for a win, -1 for a loss, else 0.
    pub reward: f32,
    /// `true` if the game ended; a new one has replaced it.
    pub is_done: bool,
}

/// Games of one variant, stepped together. A finished game is replaced by a new one.
pub struct Environment {
    variant: Variant,
    games: Vec<Game>,
    /// [game] its legal moves.
    legal: Vec<MoveList>,
}

/// Writes the observation of a board as the side to move sees it; the position occurred
/// `repetitions` times before. `planes` is `[square, PIECE_PLANES]`, `globals` is `[GLOBALS]`.
///
/// # Panics
/// If a buffer has another size.
pub fn observe(position: &Position, repetitions: u32, planes: &mut [f32], globals: &mut [f32]) {
    encoding::encode(Inputs::Pieces, position, repetitions, planes, globals);
}

impl Environment {
    /// `n_games` games at the start position.
    pub fn new(variant: Variant, n_games: usize) -> Environment {
        let start = Position::start(variant);
        Environment {
            variant,
            games: vec![Game::new(start); n_games],
            legal: vec![start.legal_moves(); n_games],
        }
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The games.
    pub fn games(&self) -> &[Game] {
        &self.games
    }

    /// Resets all games to the start position.
    pub fn reset(&mut self) {
        *self = Environment::new(self.variant, self.games.len());
    }

    /// Sets one game, for observing or playing from it; a finished game accepts no actions.
    pub fn set(&mut self, index: usize, game: Game) {
        self.legal[index] = game.legal_moves();
        self.games[index] = game;
    }

    /// Writes the observations: `planes` is `[game, square, PIECE_PLANES]`, `globals` is `[game,
    /// GLOBALS]`.
    ///
    /// # Panics
    /// If a buffer has another size.
    pub fn observe(&self, planes: &mut [f32], globals: &mut [f32]) {
        let n_planes = self.variant.board().n_squares() * PIECE_PLANES;
        assert_eq!(planes.len(), self.games.len() * n_planes);
        assert_eq!(globals.len(), self.games.len() * GLOBALS);
        let buffers = planes
            .chunks_exact_mut(n_planes)
            .zip(globals.chunks_exact_mut(GLOBALS));
        for (game, (planes, globals)) in self.games.iter().zip(buffers) {
            observe(game.position(), game.repetitions(), planes, globals);
        }
    }

    /// Writes the mask of legal actions: `mask` is `[game, action]`, 1 for legal actions.
    ///
    /// # Panics
    /// If the buffer has another size.
    pub fn mask(&self, mask: &mut [i8]) {
        let actions = Actions::new(self.variant);
        assert_eq!(mask.len(), self.games.len() * actions.count());
        mask.fill(0);
        let rows = mask.chunks_exact_mut(actions.count());
        for ((game, legal), row) in self.games.iter().zip(&self.legal).zip(rows) {
            for action in actions.of(game.position(), legal).flatten() {
                row[action] = 1;
            }
        }
    }

    /// Plays one action in each game and writes the outcomes to `steps`.
    ///
    /// # Errors
    /// If an action is not legal; then nothing is played in any game.
    ///
    /// # Panics
    /// If the numbers of actions, steps and games differ.
    pub fn step(&mut self, chosen: &[i64], steps: &mut [StepOutcome]) -> Result<(), Error> {
        assert_eq!(
            (chosen.len(), steps.len()),
            (self.games.len(), self.games.len())
        );
        let mut moves = Vec::with_capacity(chosen.len());
        for (index, action) in chosen.iter().enumerate() {
            moves.push(self.find(index, *action)?);
        }
        for (index, mv) in moves.into_iter().enumerate() {
            steps[index] = self.play(index, mv);
        }
        Ok(())
    }

    /// Chooses a random legal action in each game: the `n`th draw of a seed.
    ///
    /// # Panics
    /// If the numbers of actions and games differ.
    pub fn random_actions(&self, seed: u64, n: u64, chosen: &mut [i64]) {
        assert_eq!(chosen.len(), self.games.len());
        let mut rng = Seed::new(seed).derive("actions", &[n]).rng();
        let actions = Actions::new(self.variant);
        for ((game, legal), chosen) in self.games.iter().zip(&self.legal).zip(chosen) {
            *chosen = loop {
                let at = rng.random_range(0..legal.len());
                if let Some(action) = actions.of(game.position(), legal).nth(at).flatten() {
                    break action as i64;
                }
            };
        }
    }

    /// The legal move of an action in a game.
    ///
    /// # Errors
    /// If the action is not legal.
    pub fn find(&self, index: usize, action: i64) -> Result<Move, Error> {
        let (game, legal) = (&self.games[index], &self.legal[index]);
        let wanted = usize::try_from(action).ok();
        let mut actions = Actions::new(self.variant).of(game.position(), legal);
        let found = actions.position(|action| action.is_some() && action == wanted);
        found.map(|at| legal[at]).ok_or_else(|| Error::Action {
            game: index,
            action,
            fen: game.position().to_fen(),
        })
    }

    fn play(&mut self, index: usize, mv: Move) -> StepOutcome {
        let (game, legal) = (&mut self.games[index], &mut self.legal[index]);
        let mover = game.position().turn();
        game.play(mv);
        game.position().generate(legal);
        let outcome = game.outcome_with(!legal.is_empty());
        let Some(outcome) = outcome else {
            return StepOutcome::default();
        };
        let start = Position::start(self.variant);
        *game = Game::new(start);
        *legal = start.legal_moves();
        StepOutcome {
            reward: outcome.half_points(mover) as f32 - 1.0,
            is_done: true,
        }
    }
}

/// Plays random games without end, each to its end: results and numbers of plies.
pub fn random_games(variant: Variant, seed: u64) -> impl Iterator<Item = (Outcome, u32)> + Send {
    let mut rng: ChaCha8Rng = Seed::new(seed).rng();
    let (start, mut legal) = (Position::start(variant), MoveList::new());
    std::iter::repeat_with(move || {
        let mut game = Game::new(start);
        loop {
            game.position().generate(&mut legal);
            let outcome = game.outcome_with(!legal.is_empty());
            if let Some(outcome) = outcome {
                return (outcome, game.plies());
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_move_of_random_games_has_an_action_of_its_own() {
        let mut rng = Seed::new(3).rng();
        for variant in Variant::ALL {
            let (actions, mut environment) = (Actions::new(variant), Environment::new(variant, 8));
            let mut mask = vec![0; 8 * actions.count()];
            let (mut steps, mut n_done) = ([StepOutcome::default(); 8], 0);
            for _ in 0..300 {
                environment.mask(&mut mask);
                let mut chosen = [0; 8];
                for (index, row) in mask.chunks_exact(actions.count()).enumerate() {
                    let legal = &environment.legal[index];
                    let position = environment.games[index].position();
                    let own: HashSet<usize> = actions.of(position, legal).flatten().collect();
                    assert_eq!(own.len(), legal.len(), "{position}");
                    assert_eq!(row.iter().filter(|legal| **legal == 1).count(), own.len());
                    let at = rng.random_range(0..legal.len());
                    let action = actions.of(position, legal).nth(at).flatten().unwrap();
                    assert_eq!(environment.find(index, action as i64).unwrap(), legal[at]);
                    chosen[index] = action as i64;
                }
                environment.step(&chosen, &mut steps).unwrap();
                n_done += steps.iter().filter(|step| step.is_done).count();
            }
            assert!(n_done > 0, "{variant}");
        }
    }

    #[test]
    fn both_sides_see_the_same_actions() {
        for variant in Variant::ALL {
            let start = Position::start(variant);
            let actions = |position: &Position| {
                let legal = position.legal_moves();
                let mut actions: Vec<_> = Actions::new(variant).of(position, &legal).collect();
                actions.sort_unstable();
                actions
            };
            assert_eq!(actions(&start), actions(&start.turned()));
        }
    }

    #[test]
    fn an_illegal_action_changes_nothing() {
        let mut environment = Environment::new(Variant::ALL[0], 2);
        let mut mask = vec![0; 2 * Actions::new(Variant::ALL[0]).count()];
        environment.mask(&mut mask);
        let legal = mask.iter().position(|legal| *legal == 1).unwrap() as i64;
        for bad in [-1, 1_000_000, legal + 1] {
            let error = environment.step(&[legal, bad], &mut [StepOutcome::default(); 2]);
            assert!(error.unwrap_err().to_string().contains("game 1"));
            assert_eq!(environment.games()[0].plies(), 0);
        }
    }

    #[test]
    fn random_games_depend_on_the_seed_alone() {
        for variant in Variant::GAMES {
            assert!(
                random_games(variant, 1)
                    .take(5)
                    .eq(random_games(variant, 1).take(5))
            );
        }
        let [some, others] = [1, 2].map(|seed| random_games(Variant::ALL[0], seed).take(50));
        assert!(some.ne(others));
    }
}
