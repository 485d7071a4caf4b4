//! Expectations, always from White's side, so that the page need not know who was to move.

use rules::Color;
use serde::Serialize;

/// Probabilities of the results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Value {
    white: f32,
    draw: f32,
    black: f32,
}

impl Value {
    /// From win, draw and loss of `mover`.
    pub(crate) fn new([win, draw, loss]: [f32; 3], mover: Color) -> Value {
        let (white, black) = match mover {
            Color::White => (win, loss),
            Color::Black => (loss, win),
        };
        Value { white, draw, black }
    }
}
