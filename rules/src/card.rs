//! The card of a variant: its special rules with diagrams, and its draw rules, as text.

use std::fmt;

use crate::{Color, Illustration, Move, Position, Variant};

/// The maximum line length.
const WIDTH: usize = 80;

/// The card of a variant, in lines of at most 80 characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Card(pub Variant);

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Card(variant) = *self;
        let (about, rules) = (variant.about(), variant.rules());
        paragraph("", about.summary, f)?;
        writeln!(f)?;
        diagrams(&[Position::start(variant)], f)?;
        let first = name(rules.first_player);
        writeln!(f)?;
        let legend = "Men are b and w, kings B and W, and empty squares have their names.";
        paragraph("  ", &format!("{first} moves first. {legend}"), f)?;
        if rules.simple_area != variant.board().mask() {
            writeln!(f, "  Only captures end on squares with *.")?;
        }
        for point in about.points {
            writeln!(f)?;
            paragraph("* ", point.text, f)?;
            if let Some(example) = point.example {
                write_example(variant, &example, f)?;
            }
        }
        writeln!(f, "\nThe game is drawn")?;
        for rule in rules.draws.in_words() {
            paragraph("* ", &rule, f)?;
        }
        writeln!(f, "\nSources")?;
        for source in about.sources {
            paragraph("* ", source, f)?;
        }
        Ok(())
    }
}

impl Illustration {
    /// The position, the move, and all legal moves in canonical order, separated by spaces; `None`
    /// for texts that are not valid, which tests exclude.
    pub fn read(&self, variant: Variant) -> Option<(Position, Move, String)> {
        let position = Position::from_fen(variant, self.fen).ok()?;
        let mv = position.parse_move(self.mv).ok()?;
        let mut legal = position.legal_moves();
        legal.sort_canonical();
        let texts = legal.iter().map(|mv| position.move_text_among(*mv, &legal));
        Some((position, mv, texts.collect::<Vec<_>>().join(" ")))
    }
}

/// The position before and after the move, side by side.
fn write_example(
    variant: Variant,
    example: &Illustration,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let Some((before, mv, legal)) = example.read(variant) else {
        return Ok(());
    };
    writeln!(f)?;
    diagrams(&[before, before.play(mv)], f)?;
    writeln!(f)?;
    let (mover, mv) = (name(before.turn()), example.mv);
    paragraph("  ", &format!("{mover} plays {mv}. Legal: {legal}"), f)
}

/// The name of a side, capitalized.
fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Boards side by side.
fn diagrams(positions: &[Position], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let boards: Vec<Vec<String>> = positions.iter().map(diagram).collect();
    for row in 0..positions[0].board().size() {
        let rows: Vec<&str> = boards.iter().map(|board| board[row].as_str()).collect();
        writeln!(f, "  {}", rows.join("    "))?;
    }
    Ok(())
}

/// A position, row by row: pieces, and the names of empty squares.
fn diagram(position: &Position) -> Vec<String> {
    let (variant, board) = (position.variant(), position.board());
    let mut cells = vec![vec![String::new(); board.size()]; board.size()];
    for number in 1..=board.n_squares() {
        let (Some(square), Some((row, column))) = (board.square(number), board.place(number))
        else {
            continue;
        };
        cells[row][column] = match position.letter(square) {
            Some(letter) => letter.to_string(),
            None if variant.rules().simple_area.contains(square) => variant.square_name(square),
            None => format!("*{}", variant.square_name(square)),
        };
    }
    let row =
        |cells: Vec<String>| -> String { cells.iter().map(|cell| format!("{cell:>3}")).collect() };
    cells
        .into_iter()
        .map(|cells| format!("|{} |", row(cells)))
        .collect()
}

/// Wraps a text to at most [`WIDTH`] characters per line; the first line starts with `mark`, the
/// others are indented to match.
fn paragraph(mark: &str, text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut line = mark.to_owned();
    for word in text.split(' ') {
        if line.chars().count() + word.chars().count() > WIDTH {
            writeln!(f, "{}", line.trim_end())?;
            line = " ".repeat(mark.len());
        }
        line.push_str(word);
        line.push(' ');
    }
    writeln!(f, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_have_diagrams_and_short_lines() {
        for variant in Variant::ALL {
            let card = Card(variant).to_string();
            let long = card.lines().find(|line| line.chars().count() > WIDTH);
            assert_eq!(long, None, "{variant}");
        }
        let card = Card(Variant::Frisian).to_string();
        let rows = "
  | 26    27     w     b    30    |    | 26    27    28    29     w    |
  |    31    32    33    34    35 |    |    31    32    33    34    35 |
";
        assert!(card.contains(rows), "{card}");
        assert!(card.contains("White plays 28x30. Legal: 28x30\n"));
    }
}
