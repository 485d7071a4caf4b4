//! Peak FMA throughput of a core.

use super::instructions::InstructionSet;
use super::simd::{Cell, Kernel, Simd};

/// The number of independent chains: enough to hide the latency of any processor, few enough for
/// its registers.
const CHAINS: usize = 12;

/// Performs about `n_flops` floating point operations, counting an addition and a multiplication as
/// two, and returns the exact number. The time is the yardstick for all other kernels.
pub fn peak_flops(instructions: InstructionSet, n_flops: usize) -> usize {
    let mut n_done = 0;
    let mut cell = Cell::ZERO;
    instructions.run(Peak {
        n_flops,
        n_done: &mut n_done,
        cell: &mut cell,
    });
    std::hint::black_box(cell);
    n_done
}

struct Peak<'a> {
    n_flops: usize,
    n_done: &'a mut usize,
    cell: &'a mut Cell,
}

impl Kernel for Peak<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (factor, term) = (simd.splat(1.000_001), simd.splat(1e-9));
        let mut chains = [simd.load(self.cell, 0); CHAINS];
        let n_rounds = self.n_flops.div_ceil(2 * CHAINS * S::LANES);
        for _ in 0..n_rounds {
            for chain in &mut chains {
                *chain = simd.multiply_add(*chain, factor, term);
            }
        }
        for chain in chains {
            let sum = simd.add(simd.load(self.cell, 0), chain);
            simd.store(self.cell, 0, sum);
        }
        *self.n_done = n_rounds * 2 * CHAINS * S::LANES;
    }
}
