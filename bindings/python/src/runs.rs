//! Recorded games of a run as arrays.

use std::path::PathBuf;

use agent::environment::{Actions, observe};
use agent::{GLOBALS, Game, PIECE_PLANES};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use store::{Games, Record, RecordedSearch, StoreError};

use crate::errors::CrownheadError;
use crate::games::variant;

/// The generations that have games in a directory.
#[pyfunction]
pub(crate) fn recorded_generations(directory: PathBuf, variant: &str) -> PyResult<Vec<u32>> {
    let games = Games::new(&directory, self::variant(variant)?);
    games.generations().map_err(unreadable)
}

/// The positions of a generation's games, in the form of `Run.samples`.
#[pyfunction]
pub(crate) fn recorded_samples<'py>(
    py: Python<'py>,
    directory: PathBuf,
    variant: &str,
    generation: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let variant = self::variant(variant)?;
    let games = Games::new(&directory, variant);
    let samples = py.detach(|| {
        let read = games.read(generation).map_err(unreadable)?;
        if let Some(damage) = read.damage.first() {
            return Err(CrownheadError::new_err(format!(
                "{damage}: run crownhead data check for details"
            )));
        }
        let mut samples = Samples::default();
        for record in read.records {
            samples.add(&record);
        }
        samples.policy_starts.push(samples.policy.len() as i64);
        Ok(samples)
    });
    let samples = samples?;
    let n = samples.games.len();
    let arrays = PyDict::new(py);
    let planes = [n, variant.board().n_squares(), PIECE_PLANES];
    arrays.set_item("planes", samples.planes.into_pyarray(py).reshape(planes)?)?;
    arrays.set_item(
        "globals",
        samples.globals.into_pyarray(py).reshape([n, GLOBALS])?,
    )?;
    arrays.set_item("value", samples.values.into_pyarray(py).reshape([n, 3])?)?;
    arrays.set_item("game", samples.games.into_pyarray(py))?;
    arrays.set_item("ply", samples.plies.into_pyarray(py))?;
    arrays.set_item("result", samples.results.into_pyarray(py))?;
    arrays.set_item("finished", samples.finished.into_pyarray(py))?;
    arrays.set_item("played", samples.played.into_pyarray(py))?;
    arrays.set_item("policy_start", samples.policy_starts.into_pyarray(py))?;
    arrays.set_item("policy_action", samples.policy_actions.into_pyarray(py))?;
    arrays.set_item("policy", samples.policy.into_pyarray(py))?;
    Ok(arrays)
}

fn unreadable(error: StoreError) -> PyErr {
    CrownheadError::new_err(error.to_string())
}

/// Positions one after the other, game by game.
#[derive(Default)]
struct Samples {
    /// `[position][square][plane]`
    planes: Vec<f32>,
    /// `[position][global]`
    globals: Vec<f32>,
    /// `[position]` win, draw and loss after the search; NaN without a search.
    values: Vec<f32>,
    /// `[position]` the number of its game.
    games: Vec<u32>,
    plies: Vec<u32>,
    /// `[position]` 1 if the side to move won in the end, -1 if it lost, else 0.
    results: Vec<i8>,
    /// `[position]` 1 if the game has a result.
    finished: Vec<bool>,
    /// `[position]` the action that was played, -1 for a move without an action.
    played: Vec<i32>,
    /// `[position]` start of its policy in the two arrays below, and the end of the last one.
    policy_starts: Vec<i64>,
    policy_actions: Vec<i32>,
    policy: Vec<f32>,
}

impl Samples {
    fn add(&mut self, record: &Record) {
        let mut game = Game::new(record.start);
        let actions = Actions::new(record.header.variant);
        for ply in &record.plies {
            let (position, mut legal) = (*game.position(), game.legal_moves());
            // The order of stored policies.
            legal.sort_canonical();
            let (first_plane, first_global) = (self.planes.len(), self.globals.len());
            self.planes.resize(
                first_plane + position.board().n_squares() * PIECE_PLANES,
                0.0,
            );
            self.globals.resize(first_global + GLOBALS, 0.0);
            observe(
                &position,
                game.repetitions(),
                &mut self.planes[first_plane..],
                &mut self.globals[first_global..],
            );
            let value = ply.search.value().map(|value| value.probabilities());
            self.values.extend(value.unwrap_or([f32::NAN; 3]));
            self.games.push(record.header.id.number);
            self.plies.push(game.plies());
            let result = record.result;
            self.results
                .push(result.map_or(0, |outcome| outcome.half_points(position.turn()) as i8 - 1));
            self.finished.push(result.is_some());
            let number = |action: Option<usize>| action.map_or(-1, |action| action as i32);
            let of_moves: Vec<i32> = actions.of(&position, &legal).map(number).collect();
            let played = legal.iter().position(|mv| *mv == ply.mv);
            self.played
                .push(played.map_or(-1, |played| of_moves[played]));
            self.policy_starts.push(self.policy.len() as i64);
            if let RecordedSearch::Full { policy, .. } = &ply.search {
                self.policy_actions.extend(&of_moves);
                self.policy.extend(policy.probabilities());
            }
            game.play(ply.mv);
        }
    }
}
