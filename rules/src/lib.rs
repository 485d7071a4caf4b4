//! The five checkers variants: positions, legal moves, results, notation.
