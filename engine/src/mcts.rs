//! The classical tree search without knowledge: UCT with random games.
//!
//! Kocsis & Szepesvári, "Bandit based Monte-Carlo planning", 2006. A node's move is the one with
//! the largest UCB1; a new position is judged by one game of random moves under the variant's
//! exact rules, repetition included. The most visited move is played.

mod line;
mod tree;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::player::{Choice, Player, PlayerError, Turn};
use crate::think::{Task, Thinker, Thought, choose_by_thinking};
use line::Line;
use tree::{ROOT, Tree};

/// Random games between two reports.
const REPORT_EVERY: u64 = 10_000;

/// The player `mcts:rollouts=N`.
pub struct Mcts {
    name: String,
    rollouts: u32,
    tree: Tree,
}

impl Mcts {
    /// A player that plays so many random games for a move, at least one. With time on the clock
    /// they are as many as there is time for, and at most so many.
    pub fn new(rollouts: u32) -> Mcts {
        let rollouts = rollouts.max(1);
        Mcts {
            name: format!("mcts:rollouts={rollouts}"),
            rollouts,
            tree: Tree::default(),
        }
    }

    fn thought(&self) -> Thought {
        let principal_variation = self.tree.principal_variation();
        Thought {
            depth: principal_variation.len() as u32,
            principal_variation,
            value: self.tree.value(self.tree.best_child(ROOT)),
            proof: None,
            policy: Vec::new(),
            nodes: self.tree.simulations(),
        }
    }
}

impl Player for Mcts {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, turns: &[Turn<'_>], choices: &mut Vec<Choice>) -> Result<(), PlayerError> {
        choices.clear();
        for turn in turns {
            choices.push(choose_by_thinking(self, turn, self.rollouts)?);
        }
        Ok(())
    }
}

/// A node is a random game, depth the length of the principal variation. A forced move needs neither.
impl Thinker for Mcts {
    fn think(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, PlayerError> {
        let legal = task.game.legal_moves();
        match legal[..] {
            [] => {
                return Err(PlayerError::NoMoves {
                    fen: task.game.position().to_fen(),
                });
            }
            [mv] => return Ok(Thought::bare(mv)),
            _ => {}
        }
        self.tree.restart(&legal);
        let mut rng = ChaCha8Rng::seed_from_u64(task.seed);
        let mut line = Line::new(task.game);
        for rollouts in 1.. {
            self.tree.simulate(&mut line, &mut rng);
            if task.watch.is_over(rollouts) {
                break;
            }
            if rollouts.is_multiple_of(REPORT_EVERY) {
                let thought = self.thought();
                if task.watch.is_deep(thought.depth) {
                    break;
                }
                report(&thought);
            }
        }
        Ok(self.thought())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Position, Variant};

    fn ask(game: &Game, rollouts: u32, seed: u64) -> Choice {
        let (mut choices, time) = (Vec::new(), None);
        Mcts::new(rollouts)
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
            assert_ne!(one.value, ask(&game, 200, 8).value);
            assert!(game.legal_moves().contains(&one.mv));
        }
    }

    /// White has one move that leaves Black without an answer.
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

    #[test]
    fn a_forced_move_needs_no_game() {
        let position = Position::from_fen(Variant::English, "W:W22:B18").unwrap();
        assert_eq!(ask(&Game::new(position), 500, 3).nodes, 0);
    }
}
