//! What is known for certain of a position.

use endgame::{Database, Distances, GameValue};
use rules::{Color, Position};
use serde::Serialize;

/// The result of a game with best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Truth {
    /// `white`, `black` or `draw`.
    result: &'static str,
    /// Plies until the winner has won, where they are known.
    plies: Option<u16>,
    /// Whether the plies are the most that it takes, and not what it takes.
    is_bound: bool,
    /// Whether the result holds although a database leaves the counters of draw rules out.
    is_settled: bool,
}

impl Truth {
    /// What a database knows of a position.
    pub(crate) fn of(
        database: &Database,
        distances: &mut Distances<'_>,
        position: &Position,
    ) -> Option<Truth> {
        let settled = database.settled(position);
        let winner = match database.probe(position)? {
            GameValue::Draw => return Some(Truth::draw(settled.is_some())),
            GameValue::Win => position.turn(),
            GameValue::Loss => !position.turn(),
        };
        let within = settled.map(|settled| settled.plies);
        Some(Truth::win(winner, distances.plies(position), within))
    }

    /// A draw.
    fn draw(is_settled: bool) -> Truth {
        Truth {
            result: "draw",
            plies: None,
            is_bound: false,
            is_settled,
        }
    }

    /// A win in so many plies with best play of both sides, or else within so many, if that is known.
    fn win(winner: Color, exactly: Option<u16>, within: Option<u16>) -> Truth {
        Truth {
            result: match winner {
                Color::White => "white",
                Color::Black => "black",
            },
            plies: exactly.or(within),
            is_bound: exactly.is_none(),
            is_settled: within.is_some(),
        }
    }

    /// The same, seen from the position before.
    pub(crate) fn one_ply_before(self) -> Truth {
        Truth {
            plies: self.plies.map(|plies| plies + 1),
            ..self
        }
    }
}
