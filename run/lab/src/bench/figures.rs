//! Results of the benchmarks.

use std::fmt;

use model::Precision;
use serde::Serialize;

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The part of the work.
    pub part: &'static str,
    /// The measured quantity.
    pub what: String,
    /// The value.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (part, what, value) = (self.part, &self.what, self.value);
        // Three significant digits, even for a device with ten evaluations per second.
        let decimals = (2.0 - value.abs().log10().floor()).clamp(2.0, 9.0) as usize;
        write!(f, "{part:10} {what:38} {value:>12.decimals$} {}", self.unit)
    }
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Move generation.
    Rules,
    /// Tree search without a network.
    Search,
    /// The network.
    Inference,
    /// Search of one position.
    Engine,
    /// Games.
    Selfplay,
    /// Optimizer steps.
    Training,
}

impl Part {
    /// All parts, in the order in which they are measured.
    pub const ALL: [Part; 6] = [
        Part::Rules,
        Part::Search,
        Part::Inference,
        Part::Engine,
        Part::Selfplay,
        Part::Training,
    ];
}

/// All figures as JSON, with the conditions they depend on.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport<'a> {
    /// The game.
    pub variant: &'static str,
    /// The preset of the initial network.
    pub preset: &'a str,
    /// Threads of the multithreaded measurements.
    pub threads: usize,
    /// Numeric precision of inference.
    pub precision: Precision,
    /// Instruction set of the processor.
    pub instructions: &'static str,
    /// The figures.
    pub figures: &'a [Figure],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_keep_three_digits() {
        let shown = |value| {
            let figure = Figure {
                part: "inference",
                what: "evaluations".to_owned(),
                value,
                unit: "k/s",
            };
            figure
                .to_string()
                .split_whitespace()
                .nth(2)
                .map(str::to_owned)
        };
        assert_eq!(shown(0.004_128).as_deref(), Some("0.00413"));
        assert_eq!(shown(123.456).as_deref(), Some("123.46"));
        assert_eq!(shown(0.0).as_deref(), Some("0.000000000"));
    }
}
