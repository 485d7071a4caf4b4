//! The trained networks and evaluations included in the program, as bytes. `README.md` describes
//! their origin.

macro_rules! embed {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!($folder, $name, ".safetensors")))),+]
    };
}

/// Variant and bytes of every network, for tree search.
pub const NETWORKS: &[(&str, &[u8])] =
    embed!["": "english", "customary", "frisian", "thai", "ringboard"];

/// Variant and bytes of every learned evaluation, for alpha-beta search.
pub const EVALUATIONS: &[(&str, &[u8])] = embed![
    "evaluations/": "english", "customary", "frisian", "thai", "ringboard", "international", "russian",
    "brazilian",
];
