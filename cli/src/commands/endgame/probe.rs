//! `crownhead endgame probe`.

use std::io::Write as _;

use endgame::{Database, GameValue};
use rules::{Position, Variant};
use serde::Serialize;

use super::{Place, word};
use crate::output::Output;

/// Look a position up, and what each of its moves leads to
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A value is that of the side to move. It is settled if it holds although the database knows nothing of
counters: draws are, and wins that take no more plies than the counter leaves. Repetitions that have
happened before are not looked at.

Examples:
  crownhead endgame probe english --fen 'W:WK14,K15:BK1'
  crownhead endgame probe english --fen 'B:WK14,K15:BK1' --format json")]
pub(super) struct ProbeArgs {
    /// The game or ruleset
    variant: Variant,
    /// The position
    #[arg(long)]
    fen: String,
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    value: &'static str,
    settled: bool,
    /// The most plies of a settled win or loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u16>,
    moves: Vec<MoveAnswer>,
}

#[derive(Serialize)]
struct MoveAnswer {
    notation: String,
    /// For the side that makes the move.
    value: &'static str,
    fen_after: String,
}

impl ProbeArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let position = crate::commands::position(self.variant, Some(&self.fen))?;
        let database = pipeline::endgames::read(&self.place.dir, self.variant)?;
        let answer = Answer::new(&database, &position)?;
        if output.is_json() {
            return Ok(output.json(&answer)?);
        }
        Ok(answer.write(output)?)
    }
}

fn look_up(database: &Database, position: &Position) -> anyhow::Result<GameValue> {
    database.probe(position).ok_or_else(|| {
        let n_pieces = position.occupied().count();
        let fen = position.to_fen();
        if n_pieces as usize > database.n_pieces() {
            let most = database.n_pieces();
            anyhow::anyhow!(
                "{fen} has {n_pieces} pieces and the database up to {most}: build a larger one"
            )
        } else {
            anyhow::anyhow!(
                "{fen} is not in the database: a man stands where it would be a king, or one side \
                 has nothing left"
            )
        }
    })
}

impl Answer {
    fn new(database: &Database, position: &Position) -> anyhow::Result<Answer> {
        let value = look_up(database, position)?;
        let settled = database.settled(position);
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        let moves = legal.iter().map(|&mv| {
            let next = position.play(mv);
            Ok(MoveAnswer {
                notation: position.move_text_among(mv, &legal),
                value: word(look_up(database, &next)?.before_the_move()),
                fen_after: next.to_fen(),
            })
        });
        Ok(Answer {
            fen: position.to_fen(),
            value: word(value),
            settled: settled.is_some(),
            plies: settled
                .filter(|settled| settled.value != GameValue::Draw)
                .map(|settled| settled.plies),
            moves: moves.collect::<anyhow::Result<_>>()?,
        })
    }

    fn write(&self, output: &mut Output) -> std::io::Result<()> {
        writeln!(output, "{}", self.fen)?;
        let how = match (self.settled, self.plies) {
            (true, Some(plies)) => format!(", in at most {plies} plies"),
            (true, None) => String::new(),
            (false, _) => ", if no counter makes it something else".to_owned(),
        };
        writeln!(output, "{}{how}", self.value)?;
        for value in GameValue::ALL.iter().rev().map(|value| word(*value)) {
            let moves = self.moves.iter().filter(|mv| mv.value == value);
            let notations: Vec<&str> = moves.map(|mv| mv.notation.as_str()).collect();
            if !notations.is_empty() {
                writeln!(output, "{value:<4}: {}", notations.join(" "))?;
            }
        }
        Ok(())
    }
}
