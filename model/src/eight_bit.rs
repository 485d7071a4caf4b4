//! Matrices in 8 bits with a scale per output.

/// Weights of a row-major matrix `[inputs, outputs]`, rounded to -127..=127.
#[derive(Debug)]
pub(crate) struct EightBit {
    /// `[input][output]`
    pub(crate) values: Vec<i8>,
    /// `[output]` the f32 value of one step; 0 if all weights are 0.
    pub(crate) scales: Vec<f32>,
}

impl EightBit {
    /// Rounds each weight to the nearest step. The largest of each output becomes 127 or -127.
    pub(crate) fn round(weights: &[f32], n_outputs: usize) -> Self {
        let mut scales = vec![0.0f32; n_outputs];
        for row in weights.chunks_exact(n_outputs) {
            for (scale, weight) in scales.iter_mut().zip(row) {
                *scale = scale.max(weight.abs() / 127.0);
            }
        }
        let round = |(weight, scale): (&f32, &f32)| -> i8 {
            (weight / scale.max(f32::MIN_POSITIVE)).round() as i8
        };
        let rows = weights.chunks_exact(n_outputs);
        Self {
            values: rows
                .flat_map(|row| row.iter().zip(&scales).map(round))
                .collect(),
            scales,
        }
    }

    /// The weights in f32, `[input][output]`.
    pub(crate) fn to_f32(&self) -> Vec<f32> {
        let rows = self.values.chunks_exact(self.scales.len());
        let value = |(&value, &scale): (&i8, &f32)| f32::from(value) * scale;
        rows.flat_map(|row| row.iter().zip(&self.scales).map(value))
            .collect()
    }
}
