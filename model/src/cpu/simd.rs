//! Vectors of f32 in the three widths used by inference. Besides `int8::dot` and `backprop::pairs`,
//! this is the only unsafe code.
//!
//! A value of an instruction set type (`Avx512`, `Avx2`, `Neon`) is a proof that this processor has
//! the instructions: `detect` is the only way to get one. Its methods are therefore safe to call.
//! They compile to one or two instructions when inlined into [`Simd::run`], so everything that runs
//! inside a [`Kernel`] is marked `#[inline(always)]`.

/// 32 channels of one square: the unit of all activations and packed weights.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Cell(pub [f32; Cell::LEN]);

impl Cell {
    /// Channels in a cell.
    pub const LEN: usize = 32;
    /// A cell of zeros.
    pub const ZERO: Self = Self([0.0; Self::LEN]);

    /// The channels of adjacent cells as one slice.
    #[expect(
        unsafe_code,
        reason = "a cell is laid out as its array, without padding"
    )]
    pub fn flatten(cells: &[Self]) -> &[f32] {
        const { assert!(size_of::<Cell>() == Cell::LEN * size_of::<f32>()) };
        // SAFETY: `repr(C)` puts the array first, the assertion excludes padding, and the slice
        // keeps its memory and lifetime.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast(), cells.len() * Self::LEN) }
    }
}

/// An instruction set available on this processor.
pub trait Simd: Copy {
    /// A register of f32 values.
    type Vector: Copy;
    /// The number of values in a vector: 4, 8 or 16.
    const LANES: usize;
    /// The number of vector registers: 16 or 32.
    const REGISTERS: usize;

    /// Runs `kernel` compiled for this instruction set.
    fn run<K: Kernel>(self, kernel: K);
    /// Sets all lanes to `value`.
    fn splat(self, value: f32) -> Self::Vector;
    /// Loads the lanes starting at `lane`.
    fn load(self, cell: &Cell, lane: usize) -> Self::Vector;
    /// Stores the lanes starting at `lane`.
    fn store(self, cell: &mut Cell, lane: usize, vector: Self::Vector);
    /// a + b
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The maximum of each lane; `b` if `a` is NaN.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a * b + c
    fn multiply_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

/// A factor of kernels that accumulate in f32: one number, or several whose products are summed.
pub trait Factor: Copy {
    /// One factor for each of 32 channels: weights, or the channels of one square.
    type Row;
    /// The 32 channels of one square, [`Self::STEPS`] factors.
    type Channels;
    /// The number of factors for all channels of a cell.
    const STEPS: usize;

    /// The factors of a row.
    fn of_row(row: &Self::Row) -> &[Self; Cell::LEN];
    /// One factor of a square's channels.
    fn of_channels(channels: &Self::Channels, step: usize) -> Self;
}

impl Factor for f32 {
    type Row = Cell;
    type Channels = Cell;
    const STEPS: usize = Cell::LEN;

    #[inline(always)]
    fn of_row(row: &Cell) -> &[f32; Cell::LEN] {
        &row.0
    }

    #[inline(always)]
    fn of_channels(channels: &Cell, step: usize) -> f32 {
        channels.0[step]
    }
}

/// An instruction set that multiplies these factors.
pub trait Multiply<F: Factor>: Simd {
    /// A register of factors, one per lane of [`Simd::Vector`].
    type Factors: Copy;

    /// Sets all lanes to `factor`.
    fn broadcast(self, factor: F) -> Self::Factors;
    /// Loads the lanes starting at `lane`.
    fn row(self, row: &F::Row, lane: usize) -> Self::Factors;
    /// a * b + c
    fn multiply(self, a: Self::Factors, b: Self::Factors, c: Self::Vector) -> Self::Vector;
}

impl<S: Simd> Multiply<f32> for S {
    type Factors = S::Vector;

    #[inline(always)]
    fn broadcast(self, factor: f32) -> S::Vector {
        self.splat(factor)
    }

    #[inline(always)]
    fn row(self, row: &Cell, lane: usize) -> S::Vector {
        self.load(row, lane)
    }

    #[inline(always)]
    fn multiply(self, a: S::Vector, b: S::Vector, c: S::Vector) -> S::Vector {
        self.multiply_add(a, b, c)
    }
}

/// Code written once and compiled for every instruction set.
pub trait Kernel {
    /// Runs the kernel. Implementations are `#[inline(always)]`.
    fn run<S: Simd>(self, simd: S);
}

/// The baseline of every processor: four lanes that the compiler may vectorize.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Portable {
    /// True if a product and a sum are rounded once, together. Without an instruction for it,
    /// `mul_add` would call a slow function.
    pub(super) const FUSES: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
}

impl Simd for Portable {
    type Vector = [f32; 4];
    const LANES: usize = 4;
    const REGISTERS: usize = 16;

    fn run<K: Kernel>(self, kernel: K) {
        kernel.run(self);
    }

    #[inline(always)]
    fn splat(self, value: f32) -> [f32; 4] {
        [value; 4]
    }

    #[inline(always)]
    fn load(self, cell: &Cell, lane: usize) -> [f32; 4] {
        let c = &cell.0[lane..lane + 4];
        [c[0], c[1], c[2], c[3]]
    }

    #[inline(always)]
    fn store(self, cell: &mut Cell, lane: usize, vector: [f32; 4]) {
        cell.0[lane..lane + 4].copy_from_slice(&vector);
    }

    #[inline(always)]
    fn add(self, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
        std::array::from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn max(self, a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
        std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn multiply_add(self, a: [f32; 4], b: [f32; 4], c: [f32; 4]) -> [f32; 4] {
        if Self::FUSES {
            std::array::from_fn(|i| a[i].mul_add(b[i], c[i]))
        } else {
            std::array::from_fn(|i| a[i] * b[i] + c[i])
        }
    }
}

/// Implements [`Simd`] with intrinsics.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! instruction_set {
    (
        $(#[$doc:meta])* $name:ident, $vector:ident, $lanes:literal, $registers:literal,
        $features:literal, $is_detected:ident, [$($detected:tt),+], $splat:ident, $load:ident,
        $store:ident, $add:ident, $max:ident, $multiply_add:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        impl $name {
            /// Returns the proof that this processor has the instructions, if it does.
            pub fn detect() -> Option<Self> {
                let detected = $(std::arch::$is_detected!($detected))&&+;
                detected.then_some(Self(()))
            }
        }

        #[expect(unsafe_code, reason = "intrinsics; `self` proves that the processor has them")]
        impl Simd for $name {
            type Vector = $vector;
            const LANES: usize = $lanes;
            const REGISTERS: usize = $registers;

            fn run<K: Kernel>(self, kernel: K) {
                #[target_feature(enable = $features)]
                fn compiled<K: Kernel>(simd: $name, kernel: K) {
                    kernel.run(simd);
                }
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { compiled(self, kernel) }
            }

            #[inline(always)]
            fn splat(self, value: f32) -> Self::Vector {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $splat(value) }
            }

            #[inline(always)]
            fn load(self, cell: &Cell, lane: usize) -> Self::Vector {
                let lanes = &cell.0[lane..lane + $lanes];
                // SAFETY: the features as above; the slice has a vector's length, and the
                // instruction needs no alignment.
                unsafe { $load(lanes.as_ptr()) }
            }

            #[inline(always)]
            fn store(self, cell: &mut Cell, lane: usize, vector: Self::Vector) {
                let lanes = &mut cell.0[lane..lane + $lanes];
                // SAFETY: the features as above; the slice has a vector's length, and the
                // instruction needs no alignment.
                unsafe { $store(lanes.as_mut_ptr(), vector) }
            }

            #[inline(always)]
            fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $add(a, b) }
            }

            #[inline(always)]
            fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $max(a, b) }
            }

            #[inline(always)]
            fn multiply_add(
                self,
                a: Self::Vector,
                b: Self::Vector,
                c: Self::Vector,
            ) -> Self::Vector {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $multiply_add(a, b, c) }
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub use aarch64::Neon;
#[cfg(all(feature = "train", target_arch = "x86_64"))]
pub use x86::Avx512Bf16;
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InstructionSet;

    /// Computes max(a * b + c, a + b) for two cells with every method of the trait.
    struct Exercise<'a> {
        a: &'a Cell,
        b: &'a Cell,
        out: &'a mut Cell,
    }

    impl Kernel for Exercise<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let (a, b) = (simd.load(self.a, lane), simd.load(self.b, lane));
                let product = simd.multiply_add(a, b, simd.splat(3.0));
                simd.store(self.out, lane, simd.max(product, simd.add(a, b)));
            }
        }
    }

    /// The maximum of each lane.
    struct Greater<'a> {
        a: &'a Cell,
        b: &'a Cell,
        out: &'a mut Cell,
    }

    impl Kernel for Greater<'_> {
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let (a, b) = (simd.load(self.a, lane), simd.load(self.b, lane));
                simd.store(self.out, lane, simd.max(a, b));
            }
        }
    }

    #[test]
    fn flat_cells_keep_their_order() {
        let cells = [
            Cell([1.0; Cell::LEN]),
            Cell(std::array::from_fn(|i| i as f32)),
        ];
        let flat = Cell::flatten(&cells);
        assert_eq!(flat[..Cell::LEN], cells[0].0);
        assert_eq!(flat[Cell::LEN..], cells[1].0);
        assert_eq!(Cell::flatten(&[]), [0.0f32; 0]);
    }

    #[test]
    fn instruction_sets_agree() {
        // Thirds need rounding, small integers do not: only those come out the same without fused
        // multiply-adds.
        for (divisor, is_exact) in [(1.0, true), (3.0, false)] {
            let a = Cell(std::array::from_fn(|i| (i as f32 - 16.0) / divisor));
            let b = Cell(std::array::from_fn(|i| {
                ((i * 7 % 11) as f32 - 5.0) / divisor
            }));
            let expected = |i: usize| a.0[i].mul_add(b.0[i], 3.0).max(a.0[i] + b.0[i]);
            let expected: [f32; Cell::LEN] = std::array::from_fn(expected);
            for set in InstructionSet::available() {
                if is_exact || set.fuses() {
                    let mut cell = Cell::ZERO;
                    let (a, b, out) = (&a, &b, &mut cell);
                    set.run(Exercise { a, b, out });
                    assert_eq!(
                        cell.0.map(f32::to_bits),
                        expected.map(f32::to_bits),
                        "{set:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn zeros_and_nan_choose_the_second_operand() {
        let special = [0.0, -0.0, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let a = Cell(std::array::from_fn(|i| special[i % 6]));
        let b = Cell(std::array::from_fn(|i| special[i / 6]));
        let expected = |i: usize| if a.0[i] > b.0[i] { a.0[i] } else { b.0[i] };
        let expected: [f32; Cell::LEN] = std::array::from_fn(expected);
        for set in InstructionSet::available() {
            let mut cell = Cell::ZERO;
            let (a, b, out) = (&a, &b, &mut cell);
            set.run(Greater { a, b, out });
            assert_eq!(
                cell.0.map(f32::to_bits),
                expected.map(f32::to_bits),
                "{set:?}"
            );
        }
    }
}
