//! Workers that turn a model into game records.
