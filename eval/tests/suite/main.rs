//! Tests of matches, gates, ladders and tournaments, in one program.

mod alphabeta;
mod anchors;
mod endgames;
mod gate;
mod gate_errors;
mod ladder;
mod matches;
mod reports;
mod tournament;
