//! The name, shape and role of a tensor.

/// A tensor of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec {
    /// Its name in [`ModelWeights`](crate::ModelWeights).
    pub name: String,
    /// Its shape; matrices are `[inputs, outputs]`, row major.
    pub shape: Vec<usize>,
    /// The standard deviation of its initial values; 0 if initialized with zero.
    pub deviation: f32,
    /// True if weight decay applies.
    pub decays: bool,
    /// True if it connects two hidden layers: Muon optimizes such matrices.
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

    /// The number of values.
    pub fn n_values(&self) -> usize {
        self.shape.iter().product()
    }
}
