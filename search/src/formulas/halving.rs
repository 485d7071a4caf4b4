//! Sequential halving: how many visits each root move gets.

/// How often each of `survivors` moves is visited in a phase of sequential halving that began with
/// `considered` moves and has `simulations` in all: `max(1, floor(n / (ceil(log2 m) * m_phase)))`.
///
/// A single move gets everything.
pub(crate) fn phase_rounds(simulations: u32, considered: u32, survivors: u32) -> u32 {
    let n_phases = considered.next_power_of_two().trailing_zeros();
    if n_phases == 0 {
        return simulations.max(1);
    }
    (simulations / (n_phases * survivors)).max(1)
}

/// How many of the moves of a phase stay for the next one: half of them, but not below 2.
pub(crate) fn survivors_after(survivors: u32) -> u32 {
    (survivors / 2).max(2).min(survivors)
}
