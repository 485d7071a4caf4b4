//! A machine-readable description of a network for other programs.

use rules::{Color, Position};
use serde::Serialize;

use crate::features::Pieces;
use crate::file::Description;
use crate::network::Network;
use crate::shape::{BUCKETS, KINDS};

/// The computation of the score, in words.
const COMPUTATION: &str = "\
Each side has its view: the board turned so that it plays up; inputs are numbered as in `inputs`. \
sums(view) = first.bias + the rows of first.weight of the view's inputs. \
a = clamp(sums(mover), 0, 255) followed by clamp(sums(opponent), 0, 255). \
b = the bucket of the number of pieces. \
h = clamp((hidden.weight[b] a + hidden.bias[b]) >> 8, 0, 255), arithmetic shift. \
l = clamp((last.weight[b] h + last.bias[b]) >> 8, 0, 255). \
score = (output.weight[b] l + output.bias[b]) * 100 / (255 * 256), rounded towards 0. \
100 is one unit of the logit of the mover's expected result. \
Judge only positions in which the mover need not capture.";

/// The contents of `manifest.json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Manifest {
    format: &'static str,
    network: Description,
    inputs: Vec<Input>,
    /// \[bucket\] the maximum number of pieces on the board.
    bucket_pieces: [usize; BUCKETS],
    computation: &'static str,
    /// The version of the program that wrote the file.
    code_version: &'static str,
    /// The training data and the resulting losses.
    pub training: serde_json::Value,
    golden_positions: Vec<GoldenPosition>,
}

/// One kind of input.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Input {
    kind: &'static str,
    /// The input of the top left square of the rotated board; the others follow row by row.
    first: usize,
    squares: usize,
}

/// A position with all intermediate results, for checking another implementation.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct GoldenPosition {
    fen: String,
    /// `W` or `B`
    turn: char,
    mover_inputs: Vec<usize>,
    opponent_inputs: Vec<usize>,
    bucket: usize,
    score: i32,
}

impl Manifest {
    /// Creates the manifest of a network, with these positions as examples.
    pub fn new(network: &Network, training: serde_json::Value, examples: &[Position]) -> Manifest {
        let shape = network.shape();
        let kinds = ["own man", "own king", "enemy man", "enemy king"];
        let most = |bucket| {
            (1..=shape.n_pieces)
                .filter(|n| shape.bucket(*n) == bucket)
                .max()
        };
        Manifest {
            format: "crownhead evaluation",
            network: Description::of(network.variant()),
            inputs: (0..KINDS)
                .map(|kind| Input {
                    kind: kinds[kind],
                    first: kind * shape.n_squares,
                    squares: shape.n_squares,
                })
                .collect(),
            bucket_pieces: std::array::from_fn(|bucket| most(bucket).unwrap_or_default()),
            computation: COMPUTATION,
            code_version: env!("CARGO_PKG_VERSION"),
            training,
            golden_positions: examples
                .iter()
                .map(|position| golden(network, position))
                .collect(),
        }
    }

    /// The text of `manifest.json`.
    ///
    /// # Errors
    /// Never fails for a valid manifest.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}

fn golden(network: &Network, position: &Position) -> GoldenPosition {
    let (pieces, board) = (Pieces::of(position), position.board());
    let inputs = |view| {
        let mut inputs = pieces.inputs(board, view);
        inputs.sort_unstable();
        inputs
    };
    GoldenPosition {
        fen: position.to_fen(),
        turn: match position.turn() {
            Color::White => 'W',
            Color::Black => 'B',
        },
        mover_inputs: inputs(position.turn()),
        opponent_inputs: inputs(!position.turn()),
        bucket: network.shape().bucket(pieces.count()),
        score: network.score(position),
    }
}
