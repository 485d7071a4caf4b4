//! Openings, matches, the gate, ratings and baseline players.
