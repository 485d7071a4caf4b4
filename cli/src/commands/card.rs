//! `crownhead rules`: what is special about a game.

use std::io::{self, Write as _};

use page::CardView;
use rules::{Color, Illustration, Position, Variant};

use crate::output::Output;

/// The longest line.
const WIDTH: usize = 80;

/// Explain a game: what is special about it, with examples, and when it is drawn
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead rules
  crownhead rules frisian
  crownhead rules thai --format json")]
pub(crate) struct RulesArgs {
    /// The game or ruleset; all are listed without it
    variant: Option<Variant>,
}

impl RulesArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match (self.variant, output.is_json()) {
            (Some(variant), true) => output.json(&CardView::new(variant)),
            (Some(variant), false) => Ok(write_card(variant, output)?),
            (None, true) => output.json(&Variant::ALL.map(CardView::new)),
            (None, false) => Ok(list(output)?),
        }
    }
}

/// All games, one a line.
fn list(output: &mut Output) -> io::Result<()> {
    for variant in Variant::ALL {
        writeln!(output, "{variant:<17} {}", variant.about().summary)?;
    }
    Ok(())
}

fn write_card(variant: Variant, output: &mut Output) -> io::Result<()> {
    let (about, rules) = (variant.about(), variant.rules());
    paragraph("", about.summary, output)?;
    writeln!(output)?;
    diagrams(&[Position::start(variant)], output)?;
    let first = name(rules.first_player);
    writeln!(output)?;
    let legend = "Men are b and w, kings B and W, and empty squares have their names.";
    paragraph("  ", &format!("{first} moves first. {legend}"), output)?;
    if rules.simple_area != variant.board().mask() {
        writeln!(output, "  Only captures end on squares with *.")?;
    }
    for point in about.points {
        writeln!(output)?;
        paragraph("* ", point.text, output)?;
        if let Some(example) = point.example {
            write_example(variant, &example, output)?;
        }
    }
    writeln!(output, "\nThe game is drawn")?;
    for rule in rules.draws.rules {
        paragraph("* ", &rule.to_string(), output)?;
    }
    writeln!(output, "\nSources")?;
    for source in about.sources {
        paragraph("* ", source, output)?;
    }
    Ok(())
}

/// The position before and after the move, side by side.
fn write_example(variant: Variant, example: &Illustration, output: &mut Output) -> io::Result<()> {
    // Tests have played all examples.
    let Ok(before) = Position::from_fen(variant, example.fen) else {
        return Ok(());
    };
    let Ok(mv) = before.parse_move(example.mv) else {
        return Ok(());
    };
    writeln!(output)?;
    diagrams(&[before, before.play(mv)], output)?;
    writeln!(output)?;
    let Illustration { mv, legal, .. } = example;
    let mover = name(before.turn());
    paragraph("  ", &format!("{mover} plays {mv}. Legal: {legal}"), output)
}

/// A side at the beginning of a sentence.
fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Boards beside each other.
fn diagrams(positions: &[Position], output: &mut Output) -> io::Result<()> {
    let boards: Vec<Vec<String>> = positions.iter().map(diagram).collect();
    for row in 0..positions[0].board().size() {
        let rows: Vec<&str> = boards.iter().map(|board| board[row].as_str()).collect();
        writeln!(output, "  {}", rows.join("    "))?;
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
        let mut owners = Color::ALL.into_iter();
        let owner = owners.find(|&color| position.pieces(color).contains(square));
        cells[row][column] = match owner.map(Color::letter) {
            Some(letter) if position.all_kings().contains(square) => letter.to_string(),
            Some(letter) => letter.to_ascii_lowercase().to_string(),
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

/// A text in lines of at most [`WIDTH`] characters; the first begins with `mark`, the others as far in.
fn paragraph(mark: &str, text: &str, output: &mut Output) -> io::Result<()> {
    let mut line = mark.to_owned();
    for word in text.split(' ') {
        if line.chars().count() + word.chars().count() > WIDTH {
            writeln!(output, "{}", line.trim_end())?;
            line = " ".repeat(mark.len());
        }
        line.push_str(word);
        line.push(' ');
    }
    writeln!(output, "{}", line.trim_end())
}
