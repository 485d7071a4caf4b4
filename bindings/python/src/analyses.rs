//! Analyses: lines with their values.

use agent::{Wdl, view};
use pyo3::prelude::*;

/// Probabilities of win, draw and loss for the side to move.
pub(crate) type Triple = (f32, f32, f32);

pub(crate) fn triple(Wdl { win, draw, loss }: Wdl) -> Triple {
    (win, draw, loss)
}

/// Result of an analysis: lines, best first.
#[pyclass(module = "crownhead", frozen, get_all)]
pub(crate) struct Analysis {
    /// The lines, best first.
    lines: Vec<Py<Line>>,
    /// Total nodes searched.
    nodes: u64,
}

/// A move, the expected replies, and their value.
#[pyclass(module = "crownhead", frozen, get_all)]
pub(crate) struct Line {
    /// The moves.
    moves: Vec<String>,
    /// Probabilities of win, draw and loss for the side to move, or `None`.
    value: Option<Triple>,
    /// `win`, `draw` or `loss` for the side to move, if proven.
    proof: Option<String>,
    /// Plies to the end of a proven win or loss.
    plies: Option<u16>,
    /// Depth reached, in plies.
    depth: u32,
    /// Simulations through the first move, in tree search.
    visits: Option<u32>,
}

type LineParts<'a> = (
    &'a [String],
    Option<Triple>,
    Option<&'a str>,
    Option<u16>,
    u32,
    Option<u32>,
);

impl Analysis {
    pub(crate) fn new(py: Python<'_>, found: view::Analysis) -> PyResult<Analysis> {
        let line = |line: view::Line| {
            let (value, proof) = (line.value.map(triple), line.proof.map(str::to_owned));
            let (plies, depth, visits) = (line.plies, line.depth, line.visits);
            Py::new(
                py,
                Line::made(line.moves, value, proof, plies, depth, visits),
            )
        };
        Ok(Analysis {
            lines: found.lines.into_iter().map(line).collect::<PyResult<_>>()?,
            nodes: found.nodes,
        })
    }
}

#[pymethods]
impl Analysis {
    #[new]
    fn made(lines: Vec<Py<Line>>, nodes: u64) -> Analysis {
        Analysis { lines, nodes }
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (Vec<Py<Line>>, u64) {
        let lines = self.lines.iter().map(|line| line.clone_ref(py));
        (lines.collect(), self.nodes)
    }

    fn __repr__(&self) -> String {
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| line.get().moves.join(" "))
            .collect();
        format!("<Analysis of {} nodes: {}>", self.nodes, lines.join(" | "))
    }
}

#[pymethods]
impl Line {
    #[new]
    fn made(
        moves: Vec<String>,
        value: Option<Triple>,
        proof: Option<String>,
        plies: Option<u16>,
        depth: u32,
        visits: Option<u32>,
    ) -> Line {
        Line {
            moves,
            value,
            proof,
            plies,
            depth,
            visits,
        }
    }

    fn __getnewargs__(&self) -> LineParts<'_> {
        let (proof, plies) = (self.proof.as_deref(), self.plies);
        (
            &self.moves,
            self.value,
            proof,
            plies,
            self.depth,
            self.visits,
        )
    }

    fn __repr__(&self) -> String {
        let value = self
            .value
            .map_or("no value".to_owned(), |(win, draw, loss)| {
                format!("win {win:.3}, draw {draw:.3}, loss {loss:.3}")
            });
        let (moves, depth) = (self.moves.join(" "), self.depth);
        format!("<Line {moves} (depth {depth}): {value}>")
    }
}
