//! Values from White's point of view, so that the page need not know the side to move.

use rules::Color;
use serde::Serialize;

/// Probabilities of the results: White wins, draw, Black wins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WhiteValue {
    white: f32,
    draw: f32,
    black: f32,
}

impl WhiteValue {
    /// Converts win, draw and loss of `mover`.
    pub fn new([win, draw, loss]: [f32; 3], mover: Color) -> WhiteValue {
        let (white, black) = match mover {
            Color::White => (win, loss),
            Color::Black => (loss, win),
        };
        WhiteValue { white, draw, black }
    }

    /// White's expected score.
    pub fn score(self) -> f32 {
        self.white + self.draw / 2.0
    }
}
