//! The exponential function for arguments that are rarely above 0, with bit-identical results on
//! every machine.

/// Below this, adding the result to 1 has no effect.
const LOWEST: f32 = -87.0;

/// `exp(x)` for `x` up to 80, with a relative error below 2e-7; 0 below -87, and NaN for NaN. Cody
/// and Waite's reduction to `2^n exp(r)`, and the polynomial of Cephes' `expf` (Moshier) for `r`:
/// faster than a function that handles overflow and rounds correctly.
#[inline]
pub fn exp(x: f32) -> f32 {
    /// Adding and subtracting this rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let n = x * std::f32::consts::LOG2_E + ROUND - ROUND;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let mut sum = 1.987_569_1e-4;
    for coefficient in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        0.166_666_65,
        0.5,
    ] {
        sum = sum * r + coefficient;
    }
    let power = f32::from_bits(((n as i32 + 127) << 23) as u32);
    let value = (sum * r * r + r + 1.0) * power;
    if x < LOWEST { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_near_the_truth() {
        for step in 0..870_000 {
            let x = -(step as f32) * 1e-4;
            let truth = f64::from(x).exp();
            assert!((f64::from(exp(x)) - truth).abs() < 2e-7 * truth, "{x}");
        }
        assert_eq!(
            (exp(0.0), exp(-87.5), exp(f32::NEG_INFINITY)),
            (1.0, 0.0, 0.0)
        );
        assert!(exp(f32::NAN).is_nan() && exp(LOWEST) > 0.0);
    }
}
