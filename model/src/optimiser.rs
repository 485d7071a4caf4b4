//! How gradients change weights.

settings::choice! {
    /// How gradients change weights.
    pub enum Optimiser {
        /// Muon (Jordan et al. 2024) for the matrices between hidden layers, AdamW for all else.
        Muon = "muon",
        /// AdamW (Loshchilov and Hutter 2019) for everything.
        AdamW = "adamw",
    }
}
