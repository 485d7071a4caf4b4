//! Players: search, evaluator and clock behind one trait.
