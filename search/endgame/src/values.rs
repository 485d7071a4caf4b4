//! The values of a slice, in two bits each.

use rayon::prelude::*;

use crate::GameValue;

/// Values per byte.
const PER_BYTE: usize = 4;
/// The unused bit pattern.
const NO_VALUE: u8 = 3;

/// One value per position, packed four to a byte, the first in the lowest bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Values(Box<[u8]>);

impl Values {
    /// The number of bytes for this many values.
    pub(crate) const fn n_bytes(len: usize) -> usize {
        len.div_ceil(PER_BYTE)
    }

    /// The values of positions `0..len`.
    pub(crate) fn collect(len: usize, value: impl Fn(usize) -> GameValue + Sync) -> Values {
        let byte = |at: usize| {
            let first = at * PER_BYTE;
            (first..len.min(first + PER_BYTE)).fold(0, |byte, index| {
                byte | (value(index) as u8) << (2 * (index - first))
            })
        };
        let bytes: Vec<u8> = (0..Values::n_bytes(len))
            .into_par_iter()
            .map(byte)
            .collect();
        Values(bytes.into())
    }

    /// Wraps packed values from outside, if they are valid for this many positions.
    pub(crate) fn from_bytes(bytes: Vec<u8>, len: usize) -> Option<Values> {
        let values = Values(bytes.into());
        let is_sound = values.0.len() == Values::n_bytes(len)
            && (0..len).all(|index| values.bits(index) != NO_VALUE);
        is_sound.then_some(values)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The value of a position of the slice.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> GameValue {
        GameValue::ALL[usize::from(self.bits(index)).min(2)]
    }

    #[inline]
    fn bits(&self, index: usize) -> u8 {
        self.0[index / PER_BYTE] >> (2 * (index % PER_BYTE)) & 3
    }

    /// The numbers of losses, draws and wins among the first `len` values.
    pub(crate) fn count(&self, len: usize) -> [usize; 3] {
        let mut counts = [0; 3];
        for index in 0..len {
            counts[usize::from(self.bits(index)).min(2)] += 1;
        }
        counts
    }
}
