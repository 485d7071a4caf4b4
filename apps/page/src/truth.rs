//! Exact results of positions from endgame databases.

use endgame::{Database, Distances, GameValue};
use rules::{Color, Position};
use serde::Serialize;

/// The result of a game with best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Truth {
    /// `white`, `black` or `draw`.
    result: &'static str,
    /// Plies until the winner has won, if known.
    plies: Option<u16>,
    /// `true` if `plies` is an upper bound, not the exact number.
    is_bound: bool,
    /// `true` if the result holds although the database ignores the counters of draw rules.
    is_settled: bool,
}

impl Truth {
    /// The database result of a position.
    pub(crate) fn of(
        database: &Database,
        distances: &mut Distances<'_>,
        position: &Position,
    ) -> Option<Truth> {
        let settled = database.settled(position);
        let winner = match database.probe(position)? {
            GameValue::Draw => None,
            GameValue::Win => Some(position.turn()),
            GameValue::Loss => Some(!position.turn()),
        };
        let exactly = winner.and_then(|_| distances.plies(position));
        let within = winner.and(settled).map(|settled| settled.plies);
        Some(Truth {
            result: winner.map_or("draw", Color::name),
            plies: exactly.or(within),
            is_bound: winner.is_some() && exactly.is_none(),
            is_settled: settled.is_some(),
        })
    }

    /// The same result, seen from the position before.
    pub(crate) fn one_ply_before(self) -> Truth {
        Truth {
            plies: self.plies.map(|plies| plies + 1),
            ..self
        }
    }
}
