//! Numbering of sets of squares by the combinatorial number system.

use rules::Bitboard;

use crate::MAX_PIECES;

/// The number of squares of the largest board.
const MAX_SQUARES: usize = 50;

/// [k][n] the number of ways to choose `k` of `n` squares.
static BINOMIALS: [[u32; MAX_SQUARES + 1]; MAX_PIECES + 1] = binomials();

const fn binomials() -> [[u32; MAX_SQUARES + 1]; MAX_PIECES + 1] {
    let mut table = [[0; MAX_SQUARES + 1]; MAX_PIECES + 1];
    table[0] = [1; MAX_SQUARES + 1];
    let mut k = 1;
    while k <= MAX_PIECES {
        let mut n = 1;
        while n <= MAX_SQUARES {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            n += 1;
        }
        k += 1;
    }
    table
}

/// The number of ways to choose `k` of `n` squares.
pub(crate) fn choose(n: usize, k: usize) -> usize {
    BINOMIALS[k][n] as usize
}

/// The number of a set among the sets of its size within `area`: the sum of `choose(c_i, i + 1)`,
/// where `c_0 < c_1 < ...` are the indices of its squares in `area`.
#[inline]
pub(crate) fn rank(set: Bitboard, area: Bitboard) -> usize {
    let mut rest = set.0;
    let mut number = 0;
    let mut k = 1;
    while rest != 0 {
        let below = (rest & rest.wrapping_neg()) - 1;
        let place = (area.0 & below).count_ones() as usize;
        number += choose(place, k);
        rest &= rest - 1;
        k += 1;
    }
    number
}

/// The set of `k` squares within `area` with this number; inverse of [`rank`].
pub(crate) fn unrank(number: usize, k: usize, area: Bitboard) -> Bitboard {
    let mut rest = number as u32;
    let mut set = Bitboard::EMPTY;
    for k in (1..=k).rev() {
        let place = BINOMIALS[k].partition_point(|&smaller| smaller <= rest) - 1;
        rest -= BINOMIALS[k][place];
        set |= nth(area, place);
    }
    set
}

/// The set of one square: the `n`-th of `area`, counted from 0.
fn nth(area: Bitboard, n: usize) -> Bitboard {
    let mut bits = area.0;
    for _ in 0..n {
        bits &= bits.wrapping_sub(1);
    }
    Bitboard(bits & bits.wrapping_neg())
}

#[cfg(test)]
mod tests {
    use rules::Board;

    use super::*;

    #[test]
    fn every_number_has_its_set() {
        let area = Board::Ten.range(6, 40);
        for k in 0..=3 {
            let mut seen = std::collections::HashSet::new();
            for number in 0..choose(area.count() as usize, k) {
                let set = unrank(number, k, area);
                assert_eq!(set & !area, Bitboard::EMPTY);
                assert_eq!(set.count() as usize, k);
                assert_eq!(rank(set, area), number);
                assert!(seen.insert(set));
            }
        }
    }
}
