//! Averaged weights. They play better than the latest ones, as Leela Zero, lc0 and KataGo found.

use crate::backend::LearnerState;

/// Adds the weights after a step to an exponential moving average without bias towards the first
/// ones.
///
/// After t updates the average is sum d^(t-i) w_i / sum d^(t-i), as if the average had been running
/// forever: each update moves it by the share (1 - d) / (1 - d^t) of the difference. A larger d
/// remembers longer.
pub(super) fn update(state: &mut LearnerState, decay: f32) {
    state.average_updates += 1;
    let share = share(decay, state.average_updates);
    for (average, weight) in state.average.iter_mut().zip(&state.weights) {
        *average += share * (weight - *average);
    }
}

/// The share (1 - d) / (1 - d^t) by which update number t, counted from 1, moves the average.
pub(crate) fn share(decay: f32, n_updates: u64) -> f32 {
    let decay = f64::from(decay);
    ((1.0 - decay) / (1.0 - libm::pow(decay, n_updates as f64))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_weighs_by_powers_of_the_decay() {
        let mut state = LearnerState::new(vec![100.0]);
        let mut average = |weight| {
            state.weights = vec![weight];
            update(&mut state, 0.5);
            state.average[0]
        };
        assert_eq!(average(1.0), 1.0);
        assert!((average(4.0) - 3.0).abs() < 1e-6); // (0.5 * 1 + 1 * 4) / 1.5
        assert!((average(10.0) - 7.0).abs() < 1e-6); // (0.25 * 1 + 0.5 * 4 + 10) / 1.75
    }
}
