//! Compares the search with its definition: the minimax value of the full tree.

use crate::support::{PLAIN, analyse, random_game, search};
use alphabeta::{Evaluation, Limits, MaterialBalance, Parameters, WIN};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Outcome, Position, Variant};

/// The positions of the game that can repeat, then the positions of the line.
struct Tree<'a> {
    before: &'a [u64],
    line: Vec<Position>,
}

impl Tree<'_> {
    /// True if the last position is drawn by repetition: at the second occurrence within the line,
    /// otherwise at the third.
    fn is_repeated(&self) -> bool {
        let Some((last, earlier)) = self.line.split_last() else {
            return false;
        };
        let hash = last.hash();
        let in_line = earlier
            .iter()
            .skip(1)
            .filter(|position| position.hash() == hash);
        let root = earlier.first().filter(|root| root.hash() == hash);
        let in_game = self.before.iter().filter(|&&before| before == hash);
        in_line.count() > 0 || root.iter().count() + in_game.count() >= 2
    }

    fn value(&mut self, depth: u32) -> i32 {
        let ply = self.line.len() as i32 - 1;
        let position = self.line[self.line.len() - 1];
        let moves = position.legal_moves();
        let repetitions = if ply > 0 && self.is_repeated() { 2 } else { 0 };
        match position.outcome_with(!moves.is_empty(), repetitions) {
            Some(Outcome::Win(winner, _)) if winner == position.turn() => return WIN - ply,
            Some(Outcome::Win(..)) => return ply - WIN,
            Some(Outcome::Draw(_)) if ply > 0 => return 0,
            _ => {}
        }
        let can_capture = moves.iter().any(|mv| mv.is_capture());
        let is_mandatory = position.variant().rules().capture_is_mandatory;
        let mut best = -WIN - 1;
        if depth == 0 && !(can_capture && is_mandatory) {
            best = MaterialBalance.evaluate(&position, &(), &mut ());
        }
        for &mv in moves.iter().filter(|mv| depth > 0 || mv.is_capture()) {
            self.line.push(position.play(mv));
            best = best.max(-self.value(depth.saturating_sub(1)));
            self.line.pop();
        }
        best
    }
}

fn minimax(game: &Game, depth: u32) -> i32 {
    let mut tree = Tree {
        before: game.earlier_hashes(),
        line: vec![*game.position()],
    };
    tree.value(depth)
}

#[test]
fn without_pruning_it_is_minimax() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for variant in Variant::ALL {
        let mut search = search(PLAIN);
        for _ in 0..40 {
            let game = random_game(variant, 120, rng);
            for depth in 1..=4 {
                search.forget(u64::MAX);
                let limits = Limits {
                    depth,
                    ..Limits::NONE
                };
                let found = analyse(&mut search, &game, &limits).lines[0].score;
                let fen = game.position().to_fen();
                assert_eq!(
                    found,
                    minimax(&game, depth),
                    "{variant} {fen} depth {depth}"
                );
            }
        }
    }
}

/// Aspiration windows, table scores and move ordering change only the amount of work.
#[test]
fn windows_and_table_do_not_change_it() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let parameters = Parameters {
        aspiration: 10,
        ..PLAIN
    };
    for variant in Variant::ALL {
        let mut search = search(parameters);
        for _ in 0..20 {
            let game = random_game(variant, 120, rng);
            let limits = Limits {
                depth: 4,
                ..Limits::NONE
            };
            let found = analyse(&mut search, &game, &limits).lines[0].score;
            assert_eq!(found, minimax(&game, 4), "{variant} {}", game.position());
        }
    }
}

/// Together the lines give the exact values of all moves.
#[test]
fn several_lines_are_the_values_of_the_moves() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    for variant in Variant::ALL {
        let mut search = search(PLAIN);
        for _ in 0..10 {
            let game = random_game(variant, 60, rng);
            let limits = Limits {
                depth: 3,
                lines: usize::MAX,
                ..Limits::NONE
            };
            search.forget(u64::MAX);
            let analysis = analyse(&mut search, &game, &limits);
            assert_eq!(analysis.lines.len(), game.legal_moves().len());
            assert!(analysis.lines.is_sorted_by_key(|line| -line.score));
            search.forget(u64::MAX);
            let alone = analyse(&mut search, &game, &Limits { lines: 1, ..limits });
            assert_eq!(alone.lines[0].score, analysis.lines[0].score);
            for line in &analysis.lines {
                let mut tree = Tree {
                    before: game.earlier_hashes(),
                    line: vec![*game.position(), game.position().play(line.moves[0])],
                };
                assert_eq!(line.score, -tree.value(2), "{variant} {}", game.position());
                search.forget(u64::MAX);
                let mv = line.moves[0];
                let compared = Limits {
                    lines: 1,
                    compared: Some(mv),
                    ..limits
                };
                let found = analyse(&mut search, &game, &compared).lines;
                let of_move = found.iter().find(|other| other.moves[0] == mv);
                assert_eq!(of_move.map(|other| other.score), Some(line.score));
                assert_eq!(found[0].score, analysis.lines[0].score);
                assert!(found.len() <= 2);
            }
        }
    }
}
