//! Looks up a position and all its moves.

use std::fmt;

use endgame::{Database, GameValue};
use rules::Position;
use serde::Serialize;

use crate::RunError;
use run::Result;

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
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        let moves = legal.iter().map(|&mv| {
            let next = position.play(mv);
            Ok(ProbedMove {
                notation: position.move_text_among(mv, &legal),
                value: word(look_up(database, &next)?.before_the_move()),
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
            moves: moves.collect::<Result<_>>()?,
        })
    }
}

impl fmt::Display for Probed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.fen)?;
        let how = match (self.settled, self.plies) {
            (true, Some(plies)) => format!(", in at most {plies} plies"),
            (true, None) => String::new(),
            (false, _) => ", unless a move counter changes it".to_owned(),
        };
        writeln!(f, "{}{how}", self.value)?;
        for value in GameValue::ALL.iter().rev().map(|value| word(*value)) {
            let moves = self.moves.iter().filter(|mv| mv.value == value);
            let notations: Vec<&str> = moves.map(|mv| mv.notation.as_str()).collect();
            if !notations.is_empty() {
                writeln!(f, "{value:<4}: {}", notations.join(" "))?;
            }
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
