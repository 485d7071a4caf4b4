//! Which values hold whatever the counters say.

use rules::{Position, Rules};

use crate::{Army, Database, GameValue, Material};

/// The result of a game with best play, all rules obeyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settled {
    /// The result, from the view of the side to move.
    pub value: GameValue,
    /// For a win or a loss: the most plies until the game is over, when the winner plays well.
    pub plies: u16,
}

/// What counters leave of a slice's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Validity {
    /// Plies without progress after which the game is drawn here.
    limit: u32,
    /// The most plies of a won game that begins here; none where a counter may make it a draw.
    plies_to_end: Option<u16>,
}

impl Validity {
    /// The validity of a slice whose wins take at most `longest` plies to the next capture or
    /// promotion, after those of all slices where these lead.
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
        let is_in_time = u32::from(longest) <= limit;
        Validity {
            limit,
            plies_to_end: rest
                .filter(|_| is_in_time)
                .map(|rest| longest.saturating_add(rest)),
        }
    }
}

impl Database {
    /// The result of the game from here, if it is certain although plies without progress are left out of the values:
    ///
    /// * a draw, since more ways to draw take nothing from a side that can hold;
    /// * a win or a loss that takes no more plies without progress, here and in all that it may lead
    ///   to, than the position's counter leaves.
    ///
    /// What stood on the board before is not looked at: a position that has been there twice may bar
    /// the way to a win. Directly after a capture or a man move there is no such position.
    pub fn settled(&self, position: &Position) -> Option<Settled> {
        let value = self.probe(position)?;
        let Some((longest, validity)) = self.validity(position) else {
            // A side without pieces.
            return Some(Settled { value, plies: 0 });
        };
        if value == GameValue::Draw {
            return Some(Settled { value, plies: 0 });
        }
        let plies = validity.plies_to_end?;
        let is_in_time = position.no_progress() + u32::from(longest) <= validity.limit;
        is_in_time.then_some(Settled { value, plies })
    }
}

/// Whether captures and promotions may lead from one material to another, whoever is to move.
fn leads_to(from: Material, to: Material) -> bool {
    let shrinks = |from: Army, to: Army| to.men <= from.men && to.n_pieces() <= from.n_pieces();
    let within = |to: Material| shrinks(from.own, to.own) && shrinks(from.enemy, to.enemy);
    let is_same = to == from || to == from.swapped();
    !is_same && (within(to) || within(to.swapped()))
}
