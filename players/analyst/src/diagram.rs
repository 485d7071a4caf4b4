//! Pictures for reports, as SVG.

use std::fmt::Write as _;

use rules::{Color, Move, Position};

use crate::review::Review;

/// Units of a square, and of the picture of a game.
const SQUARE: usize = 20;
const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 120.0;

/// The position with an arrow for each move, which has a class of the style sheet.
pub(crate) fn board(position: &Position, moves: &[(Move, &str)]) -> String {
    let board = position.board();
    let size = board.size() * SQUARE;
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{}\">\
         <rect class=\"light\" width=\"{size}\" height=\"{size}\"/>",
        position.to_fen(),
    );
    let center = |number| {
        let (row, column) = board.place(number)?;
        Some((column * SQUARE + SQUARE / 2, row * SQUARE + SQUARE / 2))
    };
    for number in 1..=board.n_squares() {
        let (Some((x, y)), Some(square)) = (center(number), board.square(number)) else {
            continue;
        };
        let half = SQUARE / 2;
        let _ = write!(
            svg,
            "<rect class=\"dark\" x=\"{}\" y=\"{}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>",
            x - half,
            y - half,
        );
        for (color, class) in [(Color::White, "white"), (Color::Black, "black")] {
            if position.pieces(color).contains(square) {
                let _ = write!(
                    svg,
                    "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"8\"/>"
                );
            }
            if position.kings(color).contains(square) {
                let _ = write!(
                    svg,
                    "<circle class=\"crown\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"
                );
            }
        }
    }
    for (mv, class) in moves {
        let ends = (center(board.number(mv.from)), center(board.number(mv.to)));
        if let (Some((x1, y1)), Some((x2, y2))) = ends {
            let _ = write!(
                svg,
                "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>\
                 <circle class=\"{class}\" cx=\"{x2}\" cy=\"{y2}\" r=\"3\"/>",
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The course of a game: [ply] White's expected score after it, with the marks of the moves.
pub(crate) fn course(scores: &[Option<f32>], review: &Review) -> String {
    let step = WIDTH / scores.len().max(1) as f32;
    let at = |ply: usize, score: f32| ((ply + 1) as f32 * step, HEIGHT * (1.0 - score));
    let known = scores.iter().enumerate();
    let points = known.filter_map(|(ply, score)| Some(at(ply, (*score)?)));
    let points: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let half = HEIGHT / 2.0;
    let mut svg = format!(
        "<svg class=\"course\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"expected score of White after each move\">\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\
         <line class=\"even\" x1=\"0\" y1=\"{half}\" x2=\"{WIDTH}\" y2=\"{half}\"/>\
         <polyline points=\"{}\"/>",
        points.join(" "),
    );
    for (ply, (score, judged)) in scores.iter().zip(&review.plies).enumerate() {
        if let (Some(score), Some(mark)) = (score, judged.mark) {
            let ((x, y), class) = (at(ply, *score), mark.class());
            let _ = write!(
                svg,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
