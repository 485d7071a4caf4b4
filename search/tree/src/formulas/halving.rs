//! Sequential halving: the number of visits of each root move.

/// Visits per move in a phase with `survivors` moves, when sequential halving started with
/// `considered` moves and has `simulations` in total:
/// `max(1, floor(n / (ceil(log2 m) * m_phase)))`.
///
/// A single move gets all simulations.
pub(crate) fn phase_rounds(simulations: u32, considered: u32, survivors: u32) -> u32 {
    let n_phases = considered.next_power_of_two().trailing_zeros();
    if n_phases == 0 {
        return simulations.max(1);
    }
    (simulations / (n_phases * survivors)).max(1)
}

/// The number of moves that survive a phase: half, but at least 2.
pub(crate) fn survivors_after(survivors: u32) -> u32 {
    (survivors / 2).max(2).min(survivors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_by_hand() {
        // 6 moves: 3 phases. 16 / (3 * 6) is 0, 16 / (3 * 3) is 1, 16 / (3 * 2) is 2.
        assert_eq!(
            [6, 3, 2].map(|survivors| phase_rounds(16, 6, survivors)),
            [1, 1, 2]
        );
        // 16 moves: 4 phases. 200 / 64, 200 / 32, 200 / 16, 200 / 8.
        assert_eq!(
            [16, 8, 4, 2].map(|survivors| phase_rounds(200, 16, survivors)),
            [3, 6, 12, 25]
        );
        assert_eq!([phase_rounds(7, 1, 1), phase_rounds(0, 1, 1)], [7, 1]);
    }

    #[test]
    fn half_stay_but_two_at_least() {
        assert_eq!(
            [16, 7, 6, 5, 4, 3, 2, 1].map(survivors_after),
            [8, 3, 3, 2, 2, 2, 2, 1]
        );
    }
}
