//! Reading lines of limited length.

use std::io::BufRead;

use rules::{LineRead, read_line};

/// The maximum length of a line in bytes, enough for a game of several thousand moves.
pub const MAX_LINE: usize = 1 << 16;

/// Passes lines, decoded lossily, to `take` until the stream ends or fails or `take` returns false.
/// A line of more than [`MAX_LINE`] bytes becomes `None`.
pub(super) fn for_each_line(mut input: impl BufRead, mut take: impl FnMut(Option<String>) -> bool) {
    let mut bytes = Vec::new();
    loop {
        let line = match read_line(&mut input, MAX_LINE, &mut bytes) {
            Ok(LineRead::Line) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(LineRead::TooLong) => None,
            Ok(LineRead::End) | Err(_) => return,
        };
        if !take(line) {
            return;
        }
    }
}
