//! The line of play that a simulation follows, from the root to the end of a random game.

use rand::{Rng, RngExt};
use rules::{Game, Move, MoveList, Outcome, Position};

/// The position reached, with the past that repetition needs.
pub(super) struct Line {
    root: Position,
    position: Position,
    /// Hashes of the game before the root, then of the positions since, without the current one.
    hashes: Vec<u64>,
    /// How many of them come before the root.
    n_before: usize,
    moves: MoveList,
}

impl Line {
    pub(super) fn new(game: &Game) -> Line {
        let hashes = game.earlier_hashes().to_vec();
        Line {
            root: *game.position(),
            position: *game.position(),
            n_before: hashes.len(),
            hashes,
            moves: game.legal_moves(),
        }
    }

    /// Goes back to the root.
    pub(super) fn restart(&mut self) {
        self.position = self.root;
        self.hashes.truncate(self.n_before);
    }

    /// The current position.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// Plays a move; the result if it ends the game.
    pub(super) fn play(&mut self, mv: Move) -> Option<Outcome> {
        self.hashes.push(self.position.hash());
        self.position = self.position.play(mv);
        self.position.generate(&mut self.moves);
        let has_moves = !self.moves.is_empty();
        self.position.outcome_with(has_moves, self.repetitions())
    }

    /// The legal moves after the last [`play`](Line::play).
    pub(super) fn legal_moves(&self) -> &[Move] {
        &self.moves
    }

    /// Random moves from a position where the game goes on, until it ends.
    pub(super) fn play_out(&mut self, rng: &mut impl Rng) -> Outcome {
        loop {
            let mv = self.moves[rng.random_range(0..self.moves.len())];
            if let Some(outcome) = self.play(mv) {
                return outcome;
            }
        }
    }

    /// How often the current position stood on the board before. Only positions since the last
    /// capture or man move can come back.
    fn repetitions(&self) -> u32 {
        let (hash, reversible) = (self.position.hash(), self.position.no_progress() as usize);
        let earlier = self.hashes.iter().rev().take(reversible);
        earlier.filter(|&&earlier| earlier == hash).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rules::Variant;

    /// The same random moves through `Game` have the same end.
    #[test]
    fn random_games_end_as_the_rules_say() {
        for variant in Variant::ALL {
            let mut rng = ChaCha8Rng::seed_from_u64(variant.index() as u64);
            let mut game = Game::new(Position::start(variant));
            for _ in 0..20 {
                if game.outcome().is_some() {
                    break;
                }
                let mut line = Line::new(&game);
                for _ in 0..3 {
                    line.restart();
                    line.moves = game.legal_moves();
                    let (mut replay, mut same) = (game.clone(), rng.clone());
                    let outcome = line.play_out(&mut rng);
                    while replay.outcome().is_none() {
                        let moves = replay.legal_moves();
                        replay.play(moves[same.random_range(0..moves.len())]);
                    }
                    assert_eq!(replay.outcome(), Some(outcome), "{variant}");
                }
                game.play(game.legal_moves()[0]);
            }
        }
    }
}
