//! Looks up a position and all its moves.

use std::fmt;

use endgame::{Database, Distances, GameValue};
use rules::Position;
use serde::Serialize;

use crate::RunError;
use run::Result;

/// Positions to search for the distances of a position and its moves: some seconds.
const BUDGET: usize = 4_000_000;

/// Database result of a position. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Probed {
    /// The position.
    pub fen: String,
    /// Its value for the side to move: `win`, `draw` or `loss`.
    pub value: &'static str,
    /// `true` if the value holds although the database ignores counters.
    pub settled: bool,
    /// Maximum plies of a settled win or loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u16>,
    /// Plies until the end of a won game with best play of both sides, without counters. `None` for
    /// draws, and if the search would take too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u16>,
    /// Results of all moves.
    pub moves: Vec<ProbedMove>,
}

/// Database result of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbedMove {
    /// The move.
    pub notation: String,
    /// Value for the side that makes the move.
    pub value: &'static str,
    /// Plies until the end, the move included, as in [`Probed::distance`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u16>,
    /// The position after it.
    pub fen_after: String,
}

impl Probed {
    /// Looks up a position and its moves.
    ///
    /// # Errors
    /// If one of them is not in the database.
    pub fn new(database: &Database, position: &Position) -> Result<Probed> {
        let value = look_up(database, position)?;
        let settled = database.settled(position);
        let mut distances = Distances::new(database, BUDGET);
        let distance = distances.plies(position);
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        let moves = legal.iter().map(|&mv| {
            let next = position.play(mv);
            Ok(ProbedMove {
                notation: position.move_text_among(mv, &legal),
                value: word(look_up(database, &next)?.before_the_move()),
                distance: distances.plies(&next).map(|plies| plies + 1),
                fen_after: next.to_fen(),
            })
        });
        Ok(Probed {
            fen: position.to_fen(),
            value: word(value),
            settled: settled.is_some(),
            plies: settled
                .filter(|settled| settled.value != GameValue::Draw)
                .map(|settled| settled.plies),
            distance,
            moves: moves.collect::<Result<_>>()?,
        })
    }

    /// The moves, the best one first.
    fn ranked(&self) -> Vec<&ProbedMove> {
        let mut moves: Vec<&ProbedMove> = self.moves.iter().collect();
        moves.sort_by_key(|mv| {
            let distance = i32::from(mv.distance.unwrap_or(u16::MAX));
            match mv.value {
                "win" => (0, distance),
                "draw" => (1, 0),
                _ => (2, -distance),
            }
        });
        moves
    }
}

impl fmt::Display for Probed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.fen)?;
        let distance = match (self.distance, self.plies) {
            (Some(plies), _) => format!(" in {plies} plies"),
            (None, Some(plies)) => format!(" in at most {plies} plies"),
            (None, None) => String::new(),
        };
        let condition = match self.settled {
            true => "",
            false => ", unless a move counter changes it",
        };
        writeln!(f, "{}{distance}{condition}", self.value)?;
        if !self.moves.is_empty() {
            writeln!(f, "\n  {:<12} result  plies", "move")?;
        }
        for mv in self.ranked() {
            let plies = mv
                .distance
                .map_or("-".to_owned(), |plies| plies.to_string());
            writeln!(f, "  {:<12} {:<6} {plies:>6}", mv.notation, mv.value)?;
        }
        Ok(())
    }
}

fn look_up(database: &Database, position: &Position) -> Result<GameValue> {
    database.probe(position).ok_or_else(|| {
        let n_pieces = position.occupied().count();
        let fen = position.to_fen();
        let most = database.n_pieces();
        RunError::Missing(if n_pieces as usize > most {
            format!(
                "{fen} has {n_pieces} pieces and the database at most {most}: build a larger \
                one"
            )
        } else {
            format!(
                "{fen} is not in the database: a man is on its promotion row, or one side has no \
                 pieces"
            )
        })
    })
}

/// Name of a value in the output.
fn word(value: GameValue) -> &'static str {
    match value {
        GameValue::Win => "win",
        GameValue::Draw => "draw",
        GameValue::Loss => "loss",
    }
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    #[test]
    fn every_move_has_its_distance() {
        let variant = Variant::ALL[0];
        let database = Database::build(variant, 3, |_| ()).unwrap();
        let probed = |fen| {
            let position = Position::from_fen(variant, fen).unwrap();
            Probed::new(&database, &position).unwrap()
        };
        let won = probed("W:WK14,K15:BK1");
        let wins = won.moves.iter().filter(|mv| mv.value == "win");
        let shortest = wins.filter_map(|mv| mv.distance).min();
        assert!(shortest.is_some() && shortest == won.distance);
        assert!(won.distance <= won.plies);
        let text = won.to_string();
        let plies = shortest.unwrap();
        assert!(
            text.contains(&format!("\nwin in {plies} plies\n")),
            "{text}"
        );
        let first = text.lines().nth(4).unwrap();
        assert!(first.ends_with(&format!("win    {plies:>6}")), "{text}");
        let draw = probed("W:WK23:BK32");
        assert!(draw.distance.is_none() && draw.to_string().contains("\ndraw\n"));
    }
}
