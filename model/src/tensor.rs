//! The name, shape and role of a tensor.

/// One tensor of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec {
    /// Its name in [`ModelWeights`](crate::ModelWeights).
    pub name: String,
    /// Its shape; matrices are `[inputs, outputs]`, row major.
    pub shape: Vec<usize>,
    /// Standard deviation with which it begins; 0 for one that begins as zero.
    pub deviation: f32,
    /// True if weight decay pulls it towards zero.
    pub decays: bool,
    /// True if it leads from one hidden layer to another: Muon is for such matrices.
    pub is_hidden: bool,
}

impl TensorSpec {
    pub(crate) fn matrix(name: String, shape: [usize; 2], deviation: f32) -> Self {
        Self {
            name,
            shape: shape.to_vec(),
            deviation,
            decays: true,
            is_hidden: false,
        }
    }

    pub(crate) fn bias(name: String, n_outputs: usize) -> Self {
        Self {
            name,
            shape: vec![n_outputs],
            deviation: 0.0,
            decays: false,
            is_hidden: false,
        }
    }

    /// Number of values.
    pub fn n_values(&self) -> usize {
        self.shape.iter().product()
    }
}
