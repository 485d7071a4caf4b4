//! Optimizers.

settings::choice! {
    /// The optimizer, which turns gradients into updates of the weights.
    pub enum Optimizer {
        /// Muon (Jordan et al. 2024) for the matrices between hidden layers, AdamW for everything
        /// else.
        Muon = "muon",
        /// AdamW (Loshchilov and Hutter 2019) for everything.
        AdamW = "adamw",
    }
}
