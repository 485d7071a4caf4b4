//! The statistics compared with other programs and simulated worlds, in one program.

mod ratings_golden;
mod run_ratings_golden;
mod scale;
mod sprt_golden;
