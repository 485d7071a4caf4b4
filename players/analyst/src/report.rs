//! A report of analyzed games: one page of HTML that needs no other file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rules::pdn::PdnResult;
use rules::{Color, Position};

use crate::annotate::SourceGame;
use crate::diagram;
use crate::mark::Mark;
use crate::review::{Losses, PlyReview, Review, percent};

/// Games that a report shows at most, and players.
const MAX_GAMES: u64 = 500;
const MAX_PLAYERS: usize = 1000;
/// Diagrams of a game at most: its most expensive moves.
const MAX_DIAGRAMS: usize = 6;

const STYLE: &str = include_str!("report.css");

/// A report that is being written.
pub struct Report<W> {
    out: W,
    games: u64,
}

impl<W: Write> Report<W> {
    /// Begins a report with the losses of each player in all games. `analyst` names the analyst and
    /// its effort.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn begin(
        mut out: W,
        title: &str,
        analyst: &str,
        players: &BTreeMap<String, Losses>,
    ) -> io::Result<Report<W>> {
        writeln!(
            out,
            "{}<p>Analyzed by {}. A loss is a share of a point: the expected score after the best \
             move, less that after the move played, both found by one search.</p>",
            page_head(title, STYLE),
            escaped(analyst),
        )?;
        writeln!(
            out,
            "<table>\n<thead>{}</thead>\n<tbody>",
            columns("Player")
        )?;
        for (name, losses) in players.iter().take(MAX_PLAYERS) {
            row(&mut out, name, losses)?;
        }
        writeln!(out, "</tbody>\n</table>")?;
        if players.len() > MAX_PLAYERS {
            let more = players.len() - MAX_PLAYERS;
            writeln!(out, "<p>Players that are not shown: {more}.</p>")?;
        }
        Ok(Report { out, games: 0 })
    }

    /// Adds a game, which has this number in its file, from 1. A report shows the first 500.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn add(&mut self, number: u64, game: &SourceGame, review: &Review) -> io::Result<()> {
        self.games += 1;
        if self.games > MAX_GAMES {
            return Ok(());
        }
        let out = &mut self.out;
        let [white, black] = [Color::White, Color::Black].map(|color| game.name(color));
        let result = match game.text.result() {
            PdnResult::Won(winner) => format!("{winner} won"),
            PdnResult::Drawn => "drawn".to_owned(),
            PdnResult::Open => "no result".to_owned(),
        };
        writeln!(
            out,
            "<section>\n<h2>{number}. {} – {}</h2>\n<p>{}{}, {result}</p>",
            escaped(white),
            escaped(black),
            game.start.variant(),
            event(game),
        )?;
        let scores = white_scores(game.start.turn(), review);
        out.write_all(diagram::course(&scores, review).as_bytes())?;
        writeln!(out, "<table>\n<thead>{}</thead>\n<tbody>", columns("Side"))?;
        for (name, losses) in [white, black]
            .into_iter()
            .zip(review.losses(game.start.turn()))
        {
            row(out, name, &losses)?;
        }
        writeln!(out, "</tbody>\n</table>")?;
        moves(out, game, review)?;
        worst(out, game, review)?;
        writeln!(out, "</section>")
    }

    /// Ends the report.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn end(mut self) -> io::Result<()> {
        if self.games > MAX_GAMES {
            let more = self.games - MAX_GAMES;
            writeln!(self.out, "<p>Games that are not shown: {more}.</p>")?;
        }
        writeln!(self.out, "</body>\n</html>")
    }
}

/// Event and date, where the game says them.
fn event(game: &SourceGame) -> String {
    let tags = ["Event", "Site", "Date"]
        .into_iter()
        .filter_map(|name| game.text.tag(name));
    let tags = tags.filter(|text| !text.trim_matches(['?', '.']).is_empty());
    tags.map(|text| format!(", {}", escaped(text))).collect()
}

fn columns(first: &str) -> String {
    let names = [
        first,
        "Moves",
        "Average loss",
        "Dubious ?!",
        "Mistakes ?",
        "Blunders ??",
    ];
    let cells = names.map(|column| format!("<th scope=\"col\">{column}</th>"));
    format!("<tr>{}</tr>", cells.concat())
}

fn row(out: &mut impl Write, name: &str, losses: &Losses) -> io::Result<()> {
    let Losses {
        moves,
        dubious,
        mistakes,
        blunders,
        ..
    } = losses;
    let average = losses.average().map_or_else(|| "–".to_owned(), percent);
    writeln!(
        out,
        "<tr><th scope=\"row\">{}</th><td>{moves}</td><td>{average}</td><td>{dubious}</td>\
         <td>{mistakes}</td><td>{blunders}</td></tr>",
        escaped(name),
    )
}

/// [ply] White's expected score after it.
fn white_scores(first: Color, review: &Review) -> Vec<Option<f32>> {
    let is_black = |ply: usize| (ply % 2 == 1) == (first == Color::White);
    let plies = review.plies.iter().enumerate();
    plies
        .map(|(ply, judged)| {
            let score = judged.value?;
            Some(if is_black(ply) { 1.0 - score } else { score })
        })
        .collect()
}

/// The moves with their marks and numbers.
fn moves(out: &mut impl Write, game: &SourceGame, review: &Review) -> io::Result<()> {
    write!(out, "<p class=\"moves\">")?;
    let mut position = game.start;
    for (index, mv) in game.moves.iter().enumerate() {
        if index == 0 || has_first_move(&position) {
            write!(out, "{} ", number_of_move(&position))?;
        }
        let text = position.move_text(*mv);
        match review.plies.get(index).and_then(|judged| judged.mark) {
            Some(mark) => write!(
                out,
                "<b class=\"{}\">{text}{}</b> ",
                mark.class(),
                mark.glyph()
            )?,
            None => write!(out, "{text} ")?,
        }
        position = position.play(*mv);
    }
    writeln!(out, "</p>")
}

/// Diagrams of the most expensive moves, in the order of the game.
fn worst(out: &mut impl Write, game: &SourceGame, review: &Review) -> io::Result<()> {
    let plies = review.plies.iter().enumerate();
    let mut marked: Vec<(usize, &PlyReview, Mark)> = plies
        .filter_map(|(ply, judged)| Some((ply, judged, judged.mark?)))
        .collect();
    let loss = |judged: &PlyReview| judged.loss.unwrap_or(0.0);
    marked.sort_by(|(_, one, _), (_, other, _)| loss(other).total_cmp(&loss(one)));
    marked.truncate(MAX_DIAGRAMS);
    marked.sort_by_key(|(ply, ..)| *ply);
    if marked.is_empty() {
        return Ok(());
    }
    writeln!(out, "<div class=\"worst\">")?;
    for (ply, judged, mark) in marked {
        let position = game.moves[..ply]
            .iter()
            .fold(game.start, |at: Position, mv| at.play(*mv));
        let best = position.parse_move(&judged.best).ok();
        let mut arrows = vec![(game.moves[ply], mark.class())];
        arrows.extend(best.map(|best| (best, "best")));
        write!(out, "<figure>\n{}", diagram::board(&position, &arrows))?;
        writeln!(
            out,
            "<figcaption>{} {}{} loses {}. Better {}.</figcaption>\n</figure>",
            number_of_move(&position),
            escaped(&judged.text),
            mark.glyph(),
            percent(f64::from(loss(judged))),
            escaped(&judged.line.join(" ")),
        )?;
    }
    writeln!(out, "</div>")
}

/// True if the side that begins the game is to move.
fn has_first_move(position: &Position) -> bool {
    position.turn() == position.variant().rules().first_player
}

/// The number of the next move, as `12.` or `12...`.
fn number_of_move(position: &Position) -> String {
    let dots = if has_first_move(position) { "." } else { "..." };
    format!("{}{dots}", position.full_move())
}

/// The beginning of a page of HTML without other files, to its heading.
pub fn page_head(title: &str, style: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// Escapes a text for elements and attributes of HTML.
pub fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            // Not allowed in HTML.
            c if c.is_control() => html.push('\u{fffd}'),
            c => html.push(c),
        }
    }
    html
}
