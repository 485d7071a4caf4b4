//! Input features of the networks.
//!
//! Each side has its own view of the board, rotated so that the side plays up, with pieces classed
//! as own or enemy. In one view each piece sets one input, `kind * n_squares + square`. The kinds
//! are own man, own king, enemy man, enemy king; squares count from 0 at the top left of the
//! rotated board. Both views share the weights of the first layer.

use rules::{Bitboard, Board, Color, Position, Square};

/// The pieces of a position by color and kind: everything that a network sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pieces {
    /// \[2 color + is king\]
    sets: [Bitboard; 4],
}

impl Pieces {
    /// The pieces of a position.
    #[inline]
    pub fn of(position: &Position) -> Pieces {
        let [black, white] = Color::ALL.map(|color| position.pieces(color));
        let kings = position.all_kings();
        Pieces {
            sets: [black & !kings, black & kings, white & !kings, white & kings],
        }
    }

    /// The number of pieces.
    #[inline]
    pub fn count(&self) -> usize {
        self.sets.iter().map(|set| set.count() as usize).sum()
    }

    /// The pieces of `self` that are not in `other`.
    #[inline]
    pub(crate) fn without(&self, other: &Pieces) -> Pieces {
        let mut sets = self.sets;
        for (set, other) in sets.iter_mut().zip(other.sets) {
            *set &= !other;
        }
        Pieces { sets }
    }

    /// Calls `take` with each piece's inputs in Black's and in White's view.
    #[inline(always)]
    pub fn for_each(&self, board: Board, mut take: impl FnMut([usize; 2])) {
        for (index, set) in self.sets.into_iter().enumerate() {
            let color = if index < 2 {
                Color::Black
            } else {
                Color::White
            };
            for square in set {
                take(inputs(board, color, index % 2 == 1, square));
            }
        }
    }

    /// The inputs of one view.
    pub fn inputs(&self, board: Board, view: Color) -> Vec<usize> {
        let mut inputs = Vec::with_capacity(self.count());
        self.for_each(board, |both| inputs.push(both[view.index()]));
        inputs
    }
}

/// The inputs of a piece in Black's and in White's view.
#[inline(always)]
fn inputs(board: Board, color: Color, is_king: bool, square: Square) -> [usize; 2] {
    let n_squares = board.n_squares();
    let token = board.token(square);
    let input = |view: Color| {
        let kind = 2 * usize::from(color != view) + usize::from(is_king);
        let token = match view {
            Color::White => token,
            Color::Black => n_squares - 1 - token,
        };
        kind * n_squares + token
    };
    [input(Color::Black), input(Color::White)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Variant;

    #[test]
    fn each_side_sees_its_own_men_below() {
        let position = Position::from_fen(Variant::English, "B:W32,K1:B5").unwrap();
        let (pieces, board) = (Pieces::of(&position), Board::Eight);
        // White has a man on square 32 and a king on 1, Black a man on 5; squares count from 0
        // here.
        assert_eq!(pieces.inputs(board, Color::White), [64 + 4, 31, 32]);
        assert_eq!(pieces.inputs(board, Color::Black), [27, 64, 96 + 31]);
    }

    #[test]
    fn the_turned_position_looks_the_same_to_the_other_side() {
        for variant in Variant::ALL {
            let position = Position::start(variant);
            let views = |position: &Position| {
                Color::ALL.map(|color| {
                    let mut inputs = Pieces::of(position).inputs(variant.board(), color);
                    inputs.sort_unstable();
                    inputs
                })
            };
            let [black, white] = views(&position);
            assert_eq!(views(&position.turned()), [white, black], "{variant}");
        }
    }
}
