//! Classical Monte-Carlo tree search: the same tree search with random rollouts as evaluations.

use rand::{Rng, RngExt};
use rules::{MoveList, Outcome, Position};
use search::{Batch, Evaluator, EvaluatorError, Request, SearchConfig};
use types::{Seed, Wdl};

use crate::search_player::{SearchPlayer, SearchPlayerConfig};

/// PUCT with uniform priors. Single rollouts are noisy, so it explores more than with a network.
/// Root noise makes the choice depend on the seed.
const SEARCH: SearchConfig = SearchConfig {
    puct_exploration: 4.0,
    puct_exploration_log: 0.0,
    puct_fpu_reduction: 0.0,
    puct_noise_weight: 0.25,
    ..SearchConfig::KATAGO
};

/// Evaluates a position by one rollout with uniformly random moves, and gives all moves the same
/// prior.
///
/// The rollout is a function of the position, as required of replies. It ignores the history before
/// the position.
#[derive(Default)]
pub struct Rollouts {
    moves: MoveList,
    /// Hashes of the positions of the rollout.
    history: Vec<u64>,
}

impl Evaluator for Rollouts {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            let mut rng = Seed::new(request.position.hash()).rng();
            let outcome = self.play_out(&request, &mut rng);
            *reply.value = match outcome.winner() {
                Some(winner) if winner == request.position.turn() => Wdl::WIN,
                Some(_) => Wdl::LOSS,
                None => Wdl::DRAW,
            };
            reply.logits.fill(0.0);
        }
        Ok(())
    }
}

impl Rollouts {
    fn play_out(&mut self, request: &Request<'_>, rng: &mut impl Rng) -> Outcome {
        let mut position = *request.position;
        let mut mv = request.moves[rng.random_range(0..request.moves.len())];
        self.history.clear();
        loop {
            self.history.push(position.hash());
            position = position.play(mv);
            position.generate(&mut self.moves);
            let repetitions = self.repetitions(&position);
            if let Some(outcome) = position.outcome_with(!self.moves.is_empty(), repetitions) {
                return outcome;
            }
            mv = self.moves[rng.random_range(0..self.moves.len())];
        }
    }

    /// The number of earlier occurrences of a position in the rollout. Only positions since the
    /// last capture or man move can recur.
    fn repetitions(&self, position: &Position) -> u32 {
        let (hash, reversible) = (position.hash(), position.no_progress() as usize);
        let earlier = self.history.iter().rev().take(reversible);
        earlier.filter(|&&earlier| earlier == hash).count() as u32
    }
}

impl SearchPlayer<Rollouts> {
    /// The player `mcts:rollouts=N`: N rollouts per move, at least one. With a clock, as many as
    /// time and memory permit, at most N.
    pub fn mcts(rollouts: u32) -> Self {
        let rollouts = rollouts.max(1);
        let config = SearchPlayerConfig {
            few: SEARCH,
            many: SEARCH,
            simulations: rollouts,
            games_at_once: 1,
        };
        let name = format!("mcts:rollouts={rollouts}");
        SearchPlayer::new(name, Rollouts::default(), config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Choice, Player, Turn};
    use rules::{Game, Variant};

    fn ask(game: &Game, rollouts: u32, seed: u64) -> Choice {
        let (mut choices, time, seed) = (Vec::new(), None, Seed::new(seed));
        SearchPlayer::mcts(rollouts)
            .choose(&[Turn { game, seed, time }], &mut choices)
            .unwrap();
        choices[0]
    }

    #[test]
    fn the_seed_decides() {
        for variant in Variant::ALL {
            let game = Game::new(Position::start(variant));
            let one = ask(&game, 200, 7);
            assert_eq!(one, ask(&game, 200, 7));
            assert_eq!(one.nodes, 200);
            assert!((8..16).any(|seed| ask(&game, 200, seed).value != one.value));
            assert!(game.legal_moves().contains(&one.mv));
        }
    }

    /// White has a move after which Black has no legal move.
    #[test]
    fn a_win_in_one_is_played() {
        let position = Position::from_fen(Variant::English, "W:W29,30:B21").unwrap();
        let game = Game::new(position);
        let winning = |mv: &rules::Move| {
            let mut after = game.clone();
            after.play(*mv);
            after
                .outcome()
                .is_some_and(|outcome| outcome.winner().is_some())
        };
        let wins = game.legal_moves().iter().filter(|mv| winning(mv)).count();
        assert_eq!(wins, 1);
        let choice = ask(&game, 500, 3);
        assert!(winning(&choice.mv), "{choice:?}");
        assert!(choice.value.unwrap().win > 0.9);
    }

    /// The same random moves played through `Game` have the same end.
    #[test]
    fn random_games_end_as_the_rules_say() {
        let mut rollouts = Rollouts::default();
        for variant in Variant::ALL {
            let position = Position::start(variant);
            for seed in 0..20 {
                let moves = position.legal_moves();
                let request = Request {
                    position: &position,
                    repetitions: 0,
                    moves: &moves,
                };
                let mut rng = Seed::new(seed).rng();
                let outcome = rollouts.play_out(&request, &mut rng.clone());
                let mut game = Game::new(position);
                while game.outcome().is_none() {
                    let moves = game.legal_moves();
                    game.play(moves[rng.random_range(0..moves.len())]);
                }
                assert_eq!(game.outcome(), Some(outcome), "{variant}");
            }
        }
    }
}
