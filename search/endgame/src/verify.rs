//! A proof of the database that shares no code with its construction.
//!
//! Positions are set up square by square for both colors and played by `rules`; the database is
//! used only for lookups. It is correct if
//!
//! 1. each value follows from the values of the successors: the best of the moves, or the result if
//!    the game is over; and
//! 2. each win and loss is proven after finitely many plies, since rule 1 alone would let a cycle
//!    of wins and losses support itself. They are proven in rounds: a win needs one move to a
//!    proven loss, a loss has only moves to proven wins. Values of other materials count as proven,
//!    since captures and promotions are irreversible.
//!
//! For draws rule 1 suffices: a side that deviates from the drawing moves gets less.
//!
//! In positions without men only a capture resets the counter of plies without progress, so
//!
//! 3. wins and losses of such a material are proven in as many rounds as the limit has plies, and a
//!    draw may have the moves of a win or a loss if these are not proven a round earlier.

use std::collections::HashSet;

use rayon::prelude::*;
use rules::{Bitboard, Color, Move, Outcome, Position, Restart, Setup, Square, Variant};

use crate::{Army, Database, EndgameError, GameValue, Material};

const OTHERWISE: &str = "its moves say otherwise";

impl Database {
    /// Verifies every position of the database with both colors to move, and returns their number.
    ///
    /// This takes several times as long as building, and at most about 100 bytes of memory per
    /// position of the largest material.
    ///
    /// # Errors
    ///
    /// The first position, in traversal order, whose value does not follow.
    pub fn verify(&self) -> Result<usize, EndgameError> {
        let materials = Material::all(self.n_pieces())?;
        materials
            .into_iter()
            .map(|material| self.verify_material(material))
            .sum()
    }

    /// Verifies all positions in which White has `own` and Black has `enemy`, with either side to
    /// move.
    fn verify_material(&self, material: Material) -> Result<usize, EndgameError> {
        let parts = partial_setups(self.variant(), material);
        let check = |setup: &Setup| self.check_part(setup, material.enemy);
        let checks = parts.par_iter().map(check).collect::<Result<Vec<_>, _>>()?;
        let mut all = Checked::default();
        for part in checks {
            all.n_positions += part.n_positions;
            all.decided.extend(part.decided);
            all.late.extend(part.late);
        }
        let Material { own, enemy } = material;
        let draws = &self.variant().rules().draws;
        let limit = match own.men + enemy.men {
            0 => draws.limit(own, enemy),
            _ if draws.restart(own, enemy) == Restart::Progress => u32::MAX,
            _ => draws.limit(own, enemy),
        };
        self.prove(all.decided, &all.late, limit)?;
        Ok(all.n_positions)
    }

    /// Checks rule 1 for all positions with these pieces, any black kings and any king rest
    /// counters.
    fn check_part(&self, setup: &Setup, black: Army) -> Result<Checked, EndgameError> {
        let mut checked = Checked::default();
        let men = setup.men[0] | setup.men[1];
        let free = self.variant().board().mask() & !men & !setup.kings[1];
        for kings in subsets(free, black.kings) {
            let kings = [kings, setup.kings[1]];
            let setup = Setup { kings, ..*setup };
            for king_rests in king_rests(self.variant(), &setup) {
                for turn in Color::ALL {
                    let setup = Setup {
                        turn,
                        king_rests,
                        ..setup
                    };
                    self.check_value(position(self.variant(), &setup), &mut checked)?;
                }
            }
        }
        Ok(checked)
    }

    fn check_value(&self, position: Position, checked: &mut Checked) -> Result<(), EndgameError> {
        let moves = position.legal_moves();
        let follows = match position.outcome_with(!moves.is_empty(), 0) {
            Some(Outcome::Win(winner, _)) if winner == position.turn() => Some(GameValue::Win),
            Some(Outcome::Win(..)) => Some(GameValue::Loss),
            Some(Outcome::Draw(_)) => Some(GameValue::Draw),
            None => self.best_value(&position, &moves),
        };
        checked.n_positions += 1;
        match (self.probe(&position), follows) {
            (Some(value), Some(follows)) if value == follows => {
                if value != GameValue::Draw && !moves.is_empty() {
                    checked.decided.push(position);
                }
            }
            (Some(GameValue::Draw), Some(_)) => checked.late.push(position),
            _ => return Err(self.contradiction(&position, OTHERWISE)),
        }
        Ok(())
    }

    /// The value of the best move; `None` if a move leads out of the database.
    fn best_value(&self, position: &Position, moves: &[Move]) -> Option<GameValue> {
        moves.iter().try_fold(GameValue::Loss, |best, mv| {
            let value = self.probe(&position.play(*mv))?;
            Some(best.max(value.before_the_move()))
        })
    }

    /// Checks rules 2 and 3 for wins and losses with moves, whose values satisfy rule 1, and for
    /// draws whose values do not.
    fn prove(
        &self,
        mut unproven: Vec<Position>,
        late: &[Position],
        limit: u32,
    ) -> Result<(), EndgameError> {
        let mut open: Open = unproven.iter().map(Position::hash).collect();
        let mut plies = 1;
        while plies < limit && !unproven.is_empty() {
            let (proven, still): (Vec<_>, Vec<_>) = unproven
                .into_par_iter()
                .partition(|position| self.is_proven(position, &open));
            if let (true, Some(stuck)) = (proven.is_empty(), still.first()) {
                return Err(self.contradiction(stuck, "no line of play leads to that result"));
            }
            for position in proven {
                open.remove(&position.hash());
            }
            unproven = still;
            plies += 1;
        }
        // The positions still open should be wins that take exactly the maximum number of plies.
        let in_time = |position: &&Position| self.proven_value(position, &open).is_some();
        if let Some(position) = late.iter().find(in_time) {
            return Err(self.contradiction(position, OTHERWISE));
        }
        let mut unproven = unproven.iter();
        match unproven.find(|position| !self.is_proven(position, &open)) {
            Some(position) => Err(self.contradiction(position, "it takes too long")),
            None => Ok(()),
        }
    }

    /// True if the value follows from positions that are not `open`.
    fn is_proven(&self, position: &Position, open: &Open) -> bool {
        self.proven_value(position, open) == self.probe(position)
    }

    /// The win or loss that follows from positions that are not `open`. There must be a move.
    fn proven_value(&self, position: &Position, open: &Open) -> Option<GameValue> {
        let mut is_lost = true;
        for mv in &position.legal_moves() {
            let next = position.play(*mv);
            let value = self.probe(&next).filter(|_| !open.contains(&next.hash()));
            if value == Some(GameValue::Loss) {
                return Some(GameValue::Win);
            }
            is_lost &= value == Some(GameValue::Win);
        }
        is_lost.then_some(GameValue::Loss)
    }

    fn contradiction(&self, position: &Position, fault: &'static str) -> EndgameError {
        EndgameError::Contradiction {
            variant: self.variant(),
            fen: position.to_fen(),
            stored: self.probe(position),
            fault,
        }
    }
}

#[derive(Default)]
struct Checked {
    n_positions: usize,
    /// Won and lost positions in which there is a move.
    decided: Vec<Position>,
    /// Draws with the moves of a win or a loss.
    late: Vec<Position>,
}

/// A set of position hashes.
type Open = HashSet<u64>;

fn position(variant: Variant, setup: &Setup) -> Position {
    Position::new(variant, setup).expect("the squares are distinct")
}

/// All setups of a material without the black kings.
fn partial_setups(variant: Variant, material: Material) -> Vec<Setup> {
    let rules = variant.rules();
    let board = rules.board.mask();
    let [black_area, white_area] = Color::ALL.map(|color| board & !rules.crown_area(color));
    let mut setups = Vec::new();
    for white in subsets(white_area, material.own.men) {
        for black in subsets(black_area & !white, material.enemy.men) {
            for kings in subsets(board & !white & !black, material.own.kings) {
                setups.push(Setup {
                    men: [black, white],
                    kings: [Bitboard::EMPTY, kings],
                    ..Setup::empty(Color::White)
                });
            }
        }
    }
    setups
}

/// All possible states of the king rest counters, for both sides.
fn king_rests(variant: Variant, setup: &Setup) -> Vec<[Option<(Square, u8)>; 2]> {
    let limit = variant.rules().king_rest_limit;
    let [black, white] = [0, 1].map(|side| {
        let mut rests = vec![None];
        if !setup.men[side].is_empty() {
            for king in setup.kings[side] {
                rests.extend((1..=limit).map(|count| Some((king, count))));
            }
        }
        rests
    });
    let pairs = |black| white.iter().map(move |white| [black, *white]);
    black.into_iter().flat_map(pairs).collect()
}

/// All subsets of an area with `count` squares.
fn subsets(area: Bitboard, count: usize) -> Vec<Bitboard> {
    if count == 0 {
        return vec![Bitboard::EMPTY];
    }
    let mut sets = Vec::new();
    let mut above = area;
    for lowest in area {
        above &= !lowest.bit();
        sets.extend(
            subsets(above, count - 1)
                .into_iter()
                .map(|set| set | lowest.bit()),
        );
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Values;

    const KINGS: Army = Army { men: 0, kings: 1 };
    const ONE_KING_EACH: Material = Material {
        own: KINGS,
        enemy: KINGS,
    };

    /// The two-piece database with modified values for one king each.
    fn forged(forge: impl Fn(&Position, GameValue) -> GameValue + Sync) -> Database {
        let truth = Database::build(Variant::English, 2, |_| ()).unwrap();
        let mut database = Database::empty(Variant::English, 2);
        for slice in truth.slices() {
            let value = |at| {
                let value = slice.values.get(at);
                match slice.material() {
                    ONE_KING_EACH => forge(&slice.position(Variant::English, at), value),
                    _ => value,
                }
            };
            let values = Values::collect(slice.n_positions(), value);
            database.insert(slice.with_values(values));
        }
        database
    }

    fn fault(database: &Database) -> &'static str {
        match database.verify_material(ONE_KING_EACH) {
            Err(EndgameError::Contradiction { fault, .. }) => fault,
            _ => "none",
        }
    }

    #[test]
    fn the_truth_passes() {
        let truth = forged(|_, value| value);
        // Both colors to move: twice the positions of the database.
        assert_eq!(truth.verify_material(ONE_KING_EACH).unwrap(), 2 * 32 * 31);
        assert_eq!(truth.verify().unwrap(), 2 * truth.n_positions());
    }

    #[test]
    fn one_wrong_value_is_found() {
        for (from, to) in [(0, 1), (1, 2), (1, 0), (2, 1)] {
            let [from, to] = [from, to].map(|at| GameValue::ALL[at]);
            let truth = forged(|_, value| value);
            let material = truth
                .slices()
                .iter()
                .find(|s| s.material() == ONE_KING_EACH);
            let slice = material.unwrap();
            let at = (0..slice.n_positions()).find(|&at| slice.values.get(at) == from);
            let chosen = slice.position(Variant::English, at.unwrap());
            let database = forged(|position, value| if *position == chosen { to } else { value });
            assert_eq!(fault(&database), "its moves say otherwise");
        }
    }

    /// Each move changes the parity of the kings' rows. If all draws were stored as wins on even
    /// rows and losses on odd ones, every value would follow from its successors although neither
    /// side ever wins.
    #[test]
    fn wins_that_only_hold_each_other_up_are_found() {
        let row = |square: rules::Square| rules::Board::Eight.token(square) / 4;
        let database = forged(|position, value| match value {
            GameValue::Draw if position.occupied().iter().map(row).sum::<usize>() % 2 == 0 => {
                GameValue::Win
            }
            GameValue::Draw => GameValue::Loss,
            decided => decided,
        });
        assert_eq!(fault(&database), "no line of play leads to that result");
    }

    /// Two kings against one are limited to 14 plies (4.8) and may need 19; a king with a man has
    /// to rest (4.6).
    #[test]
    fn counters_of_frisian_are_obeyed() {
        let database = Database::build(Variant::Frisian, 3, |_| ()).unwrap();
        let army = |men, kings| Army { men, kings };
        let enemy = army(0, 1);
        for (own, n_positions) in [
            (army(0, 2), 50 * 49 * 48),
            (army(1, 1), 45 * 49 * 48 * 4 * 2),
        ] {
            let checked = database.verify_material(Material { own, enemy });
            assert_eq!(checked.unwrap(), n_positions);
        }
        // Without men, the other ruleset has the same index but other limits.
        let plain = Database::build(Variant::FrisianPlain, 3, |_| ()).unwrap();
        for (truth, other, fault) in [
            (&database, &plain, "it takes too long"),
            (&plain, &database, OTHERWISE),
        ] {
            let material = Material {
                own: army(0, 2),
                enemy,
            };
            let mut forged = Database::empty(truth.variant(), 3);
            for (slice, false_slice) in truth.slices().iter().zip(other.slices()) {
                let is_forged = [material, material.swapped()].contains(&slice.material());
                forged.insert(if is_forged { false_slice } else { slice }.clone());
            }
            match forged.verify_material(material) {
                Err(EndgameError::Contradiction { fault: found, .. }) => assert_eq!(found, fault),
                other => panic!("{other:?}"),
            }
        }
    }
}
