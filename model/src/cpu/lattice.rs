//! The memory layout of a board's squares, in which every neighbor is a constant offset away.
//!
//! The squares of two board rows form a *band*: the `w` squares of the even row, a gap, the `w`
//! squares of the odd row, then one ghost more than the gap. Ghosts are always zero; a step off the
//! board ends on one. Without straight taps there is no gap, since only diagonal steps must leave
//! the board.
//!
//! ```text
//!  8x8, 5 taps:  0  1  2  3            9 taps:  0  1  2  3  .
//!                4  5  6  7  .                  5  6  7  8  .  .
//!                9 10 11 12                    11 12 13 14  .
//!               13 14 15 16  .                 16 17 18 19  .  .
//! ```

use std::ops::Range;

/// The layout of one position's squares.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// Squares per board row, and bands of the board.
    pub width: usize,
    /// Ghosts between the two rows of a band: 0 or 1.
    pub gap: usize,
    /// The offset in slots from a square to the input of each tap, in the order of the weights.
    pub taps: Vec<isize>,
    /// `[square]` its slot in a position that starts at slot 0.
    slots: Vec<usize>,
}

impl Lattice {
    /// The layout for a board of 32 or 50 squares and 5 or 9 taps.
    pub fn new(n_squares: usize, n_taps: usize) -> Self {
        let width = if n_squares > 32 { 5 } else { 4 };
        let gap = usize::from(n_taps > 5);
        let mut lattice = Self {
            width,
            gap,
            taps: Vec::new(),
            slots: Vec::new(),
        };
        let (near, far) = ((width + gap) as isize, (width + gap + 1) as isize);
        let band = lattice.band() as isize;
        // The square itself, up-left, up-right, down-left, down-right; left, right, up, down.
        lattice.taps = vec![0, -far, -near, near, far, -1, 1, -band, band];
        lattice.taps.truncate(n_taps);
        lattice.slots = lattice.rows().flatten().collect();
        lattice
    }

    /// The number of slots from one band to the next.
    pub fn band(&self) -> usize {
        2 * (self.width + self.gap) + 1
    }

    /// The number of ghosts before the first square and after the last band: the longest step.
    pub fn margin(&self) -> usize {
        if self.gap == 0 {
            self.width + 1
        } else {
            self.band()
        }
    }

    /// The number of slots from one position to the next; they share the ghosts between them.
    pub fn stride(&self) -> usize {
        self.margin() + self.width * self.band()
    }

    /// The number of slots for `n_positions`.
    pub fn n_slots(&self, n_positions: usize) -> usize {
        n_positions * self.stride() + self.margin()
    }

    /// The first slot of every band of a position that starts at slot 0.
    #[inline(always)]
    pub fn bands(&self) -> impl Iterator<Item = usize> {
        let (first, band) = (self.margin(), self.band());
        (0..self.width).map(move |index| first + index * band)
    }

    /// The slots of every board row of a position that starts at slot 0.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        let (width, gap) = (self.width, self.gap);
        let firsts = self
            .bands()
            .flat_map(move |band| [band, band + width + gap]);
        firsts.map(move |first| first..first + width)
    }

    /// `[square]` its slot in a position that starts at slot 0.
    pub fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// The places of the squares.
    pub(super) fn places(&self) -> Places<'_> {
        Places {
            slots: &self.slots,
            stride: self.stride(),
        }
    }
}

/// The slots of a position that are in use.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    /// The slots.
    pub(super) slots: &'a [usize],
    /// The number of slots from one channel cell to the next.
    pub(super) stride: usize,
}

impl Places<'_> {
    /// One vector per position: `[position][cell]`.
    pub(super) const SINGLE: Self = Self {
        slots: &[0],
        stride: 1,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row and column of a dark square.
    fn coordinates(token: usize, width: usize) -> (isize, isize) {
        let (row, k) = (token / width, token % width);
        (row as isize, (2 * k + usize::from(row % 2 == 0)) as isize)
    }

    #[test]
    fn every_step_ends_on_the_neighbor_or_on_a_ghost() {
        let steps = [
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
        for (n_squares, n_taps) in [(32, 5), (32, 9), (50, 5), (50, 9)] {
            let lattice = Lattice::new(n_squares, n_taps);
            let slots = lattice.slots();
            assert_eq!(slots.len(), n_squares);
            for token in 0..n_squares {
                let (row, column) = coordinates(token, lattice.width);
                for (&tap, (down, right)) in lattice.taps.iter().zip(steps) {
                    let neighbor = (0..n_squares)
                        .find(|&t| coordinates(t, lattice.width) == (row + down, column + right));
                    let slot = slots[token] as isize + tap;
                    assert!((0..lattice.n_slots(1) as isize).contains(&slot));
                    let found = slots.iter().position(|&s| s as isize == slot);
                    assert_eq!(
                        found, neighbor,
                        "{n_squares} {n_taps} {token} {down} {right}"
                    );
                }
            }
        }
    }
}
