//! Values that hold regardless of the draw counters.

use rules::{Position, Restart, Rules};

use crate::{Army, Database, GameValue, Material};

/// The result of a game with best play under all rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settled {
    /// The result for the side to move.
    pub value: GameValue,
    /// For a win or a loss: the maximum number of plies to the end of the game if the winner plays
    /// well.
    pub plies: u16,
}

/// The validity of a slice's values under draw counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Validity {
    /// The number of plies without progress after which the game is drawn.
    limit: u32,
    /// The maximum number of plies of a won game to the next move that restarts the counter.
    plies_to_restart: u32,
    /// The maximum number of plies of a won game that starts here; `None` if a counter may turn it
    /// into a draw.
    plies_to_end: Option<u16>,
}

impl Validity {
    /// The validity of a slice whose wins take at most `longest` plies to the next capture or
    /// promotion, computed after all slices that these lead to.
    pub(crate) fn new(
        rules: &Rules,
        database: &Database,
        material: Material,
        longest: u16,
    ) -> Self {
        let limit = rules.draws.limit(material.own, material.enemy);
        let mut after = database
            .validities()
            .filter(|(other, _)| leads_to(material, *other))
            .map(|(_, validity)| validity.plies_to_end);
        let rest = after.try_fold(0, |most: u16, plies| Some(most.max(plies?)));
        let plies_to_end = rest.map(|rest| longest.saturating_add(rest));
        let plies_to_restart = match rules.draws.restart(material.own, material.enemy) {
            Restart::Never => plies_to_end.map_or(u32::MAX, u32::from),
            Restart::Progress | Restart::Balance => u32::from(longest),
        };
        Validity {
            limit,
            plies_to_restart,
            plies_to_end: plies_to_end.filter(|_| plies_to_restart <= limit),
        }
    }
}

impl Database {
    /// The result of the game from here, if it is certain although the database ignores plies
    /// without progress:
    ///
    /// * a draw, because additional ways to draw cannot hurt the side that holds it;
    /// * a win or a loss whose plies without progress, here and in every later material, fit within
    ///   the position's counter.
    ///
    /// Earlier positions are ignored: a position that has already occurred twice may block the path
    /// to a win. Directly after a capture or a man move there is no such position.
    pub fn settled(&self, position: &Position) -> Option<Settled> {
        let value = self.probe(position)?;
        let validity = self.validity(position);
        // A side without pieces has no validity.
        let Some(validity) = validity.filter(|_| value != GameValue::Draw) else {
            return Some(Settled { value, plies: 0 });
        };
        let plies = validity.plies_to_end?;
        let is_in_time = position.no_progress() + validity.plies_to_restart <= validity.limit;
        is_in_time.then_some(Settled { value, plies })
    }
}

/// True if captures and promotions can lead from one material to another, whichever side is to
/// move.
fn leads_to(from: Material, to: Material) -> bool {
    let shrinks = |from: Army, to: Army| to.men <= from.men && to.n_pieces() <= from.n_pieces();
    let within = |to: Material| shrinks(from.own, to.own) && shrinks(from.enemy, to.enemy);
    let is_same = to == from || to == from.swapped();
    !is_same && (within(to) || within(to.swapped()))
}
