//! Tree search over the rules, guided by an evaluator.
