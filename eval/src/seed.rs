//! Seeds of parts from the seed of the whole.

/// A seed for the part that `path` names; different paths give unrelated seeds.
pub(crate) fn derive(seed: u64, path: &[u64]) -> u64 {
    path.iter().fold(split_mix(seed), |seed, &step| {
        split_mix(seed ^ split_mix(step))
    })
}

/// A number for a text; different texts hardly ever share one.
pub(crate) fn of_text(text: &str) -> u64 {
    let bytes: Vec<u64> = text.bytes().map(u64::from).collect();
    derive(bytes.len() as u64, &bytes)
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014).
fn split_mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_paths_different_seeds() {
        let mut seeds: Vec<u64> = (0..20)
            .flat_map(|a| (0..20).map(move |b| derive(7, &[a, b])))
            .chain([derive(7, &[]), derive(8, &[]), derive(7, &[3])])
            .collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 403);
    }
}
