//! The squares that a convolution reads.

/// Rows down and columns right from a square to the input of each tap: the square itself, the
/// diagonal neighbors, then the dark squares two columns or two rows away.
const STEPS: [(isize, isize); 9] = [
    (0, 0),
    (-1, -1),
    (-1, 1),
    (1, -1),
    (1, 1),
    (0, -2),
    (0, 2),
    (-2, 0),
    (2, 0),
];

/// The dark squares in a row.
fn width(n_squares: usize) -> usize {
    if n_squares > 32 { 5 } else { 4 }
}

/// The row and the column of a token.
pub(crate) fn place(width: usize, token: usize) -> [usize; 2] {
    let row = token / width;
    [
        row,
        2 * (token % width) + usize::from(row.is_multiple_of(2)),
    ]
}

/// The token `down` rows and `right` columns from `token`, if that is on the board.
fn neighbor(n_squares: usize, token: usize, down: isize, right: isize) -> Option<usize> {
    let width = width(n_squares);
    let [row, column] = place(width, token);
    let on_board = |index: usize, by: isize| {
        index
            .checked_add_signed(by)
            .filter(|&index| index < 2 * width)
    };
    Some(on_board(row, down)? * width + on_board(column, right)? / 2)
}

/// The input squares of each square, one tap after another; `None` off the board.
pub(crate) fn neighbors(
    n_squares: usize,
    n_taps: usize,
) -> impl Iterator<Item = Option<usize>> + Clone {
    let steps = STEPS.into_iter().take(n_taps);
    (0..n_squares).flat_map(move |token| {
        steps
            .clone()
            .map(move |(down, right)| neighbor(n_squares, token, down, right))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_on_the_small_board() {
        // Square 5 is in the second row, third column; the squares of the top row are offset to the
        // right.
        let found = STEPS.map(|(down, right)| neighbor(32, 5, down, right));
        let expected = [
            Some(5),
            Some(0),
            Some(1),
            Some(8),
            Some(9),
            Some(4),
            Some(6),
            None,
            Some(13),
        ];
        assert_eq!(found, expected);
        assert_eq!(neighbor(32, 0, -1, 1), None);
        assert_eq!(neighbor(32, 3, 1, 1), None);
        assert_eq!(neighbor(50, 4, 1, -1), Some(9));
    }

    #[test]
    fn steps_come_in_opposite_pairs() {
        for (n_squares, token) in (0..32).map(|t| (32, t)).chain((0..50).map(|t| (50, t))) {
            for (down, right) in STEPS {
                if let Some(there) = neighbor(n_squares, token, down, right) {
                    assert_eq!(neighbor(n_squares, there, -down, -right), Some(token));
                }
            }
        }
    }
}
