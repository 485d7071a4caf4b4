//! What another program must know to use a network, in a form that programs read.

use rules::{Color, Position, Variant};
use serde::Serialize;

use crate::features::Pieces;
use crate::file::Description;
use crate::network::Network;
use crate::shape::{BUCKETS, KINDS};

/// How the score is computed, in words.
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

/// The content of `manifest.json`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Manifest {
    format: &'static str,
    network: Description,
    inputs: Vec<Input>,
    /// \[bucket\] the most pieces on the board.
    bucket_pieces: [usize; BUCKETS],
    computation: &'static str,
    /// Version of the program that wrote it.
    code_version: &'static str,
    /// What it learnt from, and how well.
    pub training: serde_json::Value,
    golden_positions: Vec<GoldenPosition>,
}

/// One kind of input.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Input {
    kind: &'static str,
    /// The input of the square at the top left of the turned board; the others follow row by row.
    first: usize,
    squares: usize,
}

/// A position with everything that another program must find.
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
    /// The manifest of a network, with these positions as examples.
    pub fn new(network: &Network, training: serde_json::Value, examples: &[Position]) -> Manifest {
        let shape = network.shape();
        let kinds = ["own man", "own king", "enemy man", "enemy king"];
        let most = |bucket| {
            (1..=shape.n_pieces)
                .filter(|n| shape.bucket(*n) == bucket)
                .max()
        };
        let variant: Variant = network.variant();
        Manifest {
            format: "crownhead evaluation",
            network: Description::of(variant),
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
    /// None that a manifest could bring about.
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
