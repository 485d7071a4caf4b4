//! Muon's directions on a device, for all matrices of a shape together: a step is a few products
//! instead of a few for each matrix, and a GPU takes as long to start a small product as to compute
//! it.

use burn::tensor::Tensor;

use crate::cpu::muon::{QUINTIC, ROUNDS, SHORTEST};

/// An approximation of the nearest orthogonal matrix to each of `matrices`, as in
/// [`muon`](crate::cpu::muon).
pub(super) fn orthogonal(matrices: Tensor<3>) -> Tensor<3> {
    let [_, n_rows, n_columns] = matrices.dims();
    // The Gram matrix of the shorter side is smaller.
    let turn = |x: Tensor<3>| match n_rows > n_columns {
        true => x.swap_dims(1, 2),
        false => x,
    };
    let matrices = turn(matrices);
    let squares = matrices.clone().square().sum_dim(2).sum_dim(1);
    let mut x = matrices / squares.sqrt().clamp_min(SHORTEST);
    let [a, b, c] = QUINTIC;
    for _ in 0..ROUNDS {
        let gram = x.clone().matmul(x.clone().swap_dims(1, 2));
        let sum = gram.clone() * b + gram.clone().matmul(gram) * c;
        x = x.clone() * a + sum.matmul(x);
    }
    turn(x)
}

#[cfg(test)]
mod tests {
    use burn::optim::momentum::MomentumConfig;
    use burn::optim::{MuonConfig, Optimizer as _};
    use burn::tensor::{Device, TensorData};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn directions_are_those_of_burn() {
        let device = Device::flex();
        let none = MomentumConfig::new().with_momentum(0.0).with_dampening(0.0);
        let burn = MuonConfig::new().with_momentum(none).build();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for shape in [[3, 24, 16], [3, 16, 24]] {
            let n_values: usize = shape.iter().product();
            let values: Vec<f32> = (0..n_values).map(|_| rng.random_range(-1.0..1.0)).collect();
            let matrices = Tensor::from_data(TensorData::new(values, shape), &device);
            let found = orthogonal(matrices.clone());
            for index in 0..3 {
                let one = |tensor: &Tensor<3>| tensor.clone().narrow(0, index, 1).squeeze_dim(0);
                let zero = Tensor::<2>::zeros([shape[1], shape[2]], &device);
                let (stepped, _) = burn.step(1.0, zero, one(&matrices), None);
                // burn scales the steps of tall matrices.
                let scale = (shape[1] as f32 / shape[2] as f32).max(1.0).sqrt();
                let difference: Tensor<2> = stepped / scale + one(&found);
                let difference = difference.abs().max().into_scalar::<f32>();
                assert!(difference < 1e-4, "{shape:?}: {difference}");
            }
        }
    }
}
