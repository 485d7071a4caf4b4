//! Descriptions of inputs, outputs and the score of a move.

use std::cmp::Ordering;

use rules::{Color, Variant};
use serde::Serialize;

use super::ACTION_ENCODING;
use crate::encoding::{
    EXCHANGE_PLIES, GLOBAL_TABLE, Global, KING_WORTH, MAN_WORTH, PlaneSide, Subject, turned,
};
use crate::{GLOBALS, Inputs, ModelConfig, taps};

/// The network's inputs. Sides are called mover and enemy: the board is rotated so that the mover
/// plays up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InputSpec {
    /// Its name.
    pub encoding: &'static str,
    /// Dark squares of the board.
    pub squares: usize,
    /// `[number - 1]` row and column of a square, from 0 at the top left as White sees the board.
    pub row_and_column: Vec<[usize; 2]>,
    /// For each side to move, `W` and `B`, `[number - 1]` the token of a square: its index in
    /// `planes` and in the outputs.
    pub tokens: Tokens,
    /// The input `planes`, `[batch, token, plane]`.
    pub planes: Vec<PlaneSpec>,
    /// The computation of material outcomes, if there are planes for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanges: Option<ExchangeSpec>,
    /// The input `globals`, `[batch, global]`.
    pub globals: [GlobalSpec; GLOBALS],
    /// The location of the counters in the FEN of a golden position.
    pub fen: Fen,
}

/// Tokens of the squares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub struct Tokens {
    /// With White to move.
    pub w: Vec<usize>,
    /// With Black to move.
    pub b: Vec<usize>,
}

/// A plane of the input; 0 unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaneSpec {
    /// The squares on which it has a value: `men`, `kings`, the square of the `king rest` counter,
    /// or the origins or destinations of legal moves that win material, lose it or do neither.
    pub on: &'static str,
    /// The side: `mover` or `enemy`.
    pub of: &'static str,
    /// The value there; `count` is the counter's value.
    pub value: &'static str,
    /// The limit in `value`, if it has one; 0 if the variant has no such counter.
    pub limit: Option<u32>,
}

/// The material outcome of a legal move: the mover's balance after the move, once captures are
/// played out, compared with the balance before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExchangeSpec {
    /// The value of a man.
    pub man: i32,
    /// The value of a king.
    pub king: i32,
    /// The maximum number of captures played out after the move.
    pub plies: u32,
    /// The rule for playing them out.
    pub rule: &'static str,
}

impl ExchangeSpec {
    const RULE: Self = Self {
        man: MAN_WORTH,
        king: KING_WORTH,
        plies: EXCHANGE_PLIES,
        rule: "both sides in turn play the legal capture that is best for their balance in the end; where \
               there is none, or `plies` have been played, the balance is that of the pieces on the \
               board; a side that need not capture may also stop",
    };
}

/// An input for the whole position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GlobalSpec {
    /// The value.
    pub value: &'static str,
    /// The limit in `value`, if it has one.
    pub limit: Option<u32>,
}

/// The notation of counters in a FEN.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fen {
    /// Plies without progress.
    pub no_progress: &'static str,
    /// King rest counters.
    pub king_rest: &'static str,
}

impl InputSpec {
    pub(super) fn new(variant: Variant, inputs: Inputs) -> Self {
        let board = variant.board();
        let tokens = |mover| {
            let squares = (0..board.n_squares()).map(|token| board.token_square(token));
            squares
                .map(|square| board.token(turned(square, mover)))
                .collect()
        };
        let row_and_column = (0..board.n_squares()).map(|token| taps::place(board.width(), token));
        Self {
            encoding: inputs.encoding(),
            squares: board.n_squares(),
            row_and_column: row_and_column.collect(),
            tokens: Tokens {
                w: tokens(Color::White),
                b: tokens(Color::Black),
            },
            planes: inputs
                .planes()
                .iter()
                .map(|&(subject, side)| PlaneSpec::new(variant, subject, side))
                .collect(),
            exchanges: (inputs == Inputs::Exchanges).then_some(ExchangeSpec::RULE),
            globals: GLOBAL_TABLE.map(|global| GlobalSpec::new(variant, global)),
            fen: Fen {
                no_progress: "the number after :H",
                king_rest: "the last field, where the variant has the rule: + and Black's, + and \
                            White's; each is 0, or one digit for the count and two for the square",
            },
        }
    }
}

impl PlaneSpec {
    fn new(variant: Variant, subject: Subject, side: PlaneSide) -> Self {
        let limit = subject.limit(variant);
        Self {
            on: match subject {
                Subject::Men => "men",
                Subject::Kings => "kings",
                Subject::KingRest => "king rest",
                Subject::Origins(Ordering::Less) => "starts of losing moves",
                Subject::Origins(Ordering::Equal) => "starts of even moves",
                Subject::Origins(Ordering::Greater) => "starts of winning moves",
                Subject::Destinations(Ordering::Less) => "ends of losing moves",
                Subject::Destinations(Ordering::Equal) => "ends of even moves",
                Subject::Destinations(Ordering::Greater) => "ends of winning moves",
            },
            of: match side {
                PlaneSide::Mover => "mover",
                PlaneSide::Enemy => "enemy",
            },
            value: limit.map_or("1", |_| "count / limit"),
            limit,
        }
    }
}

impl GlobalSpec {
    fn new(variant: Variant, global: Global) -> Self {
        let limit = variant.rules().draws.no_progress;
        let (value, limit) = match global {
            Global::NoProgress => ("min(no_progress / limit, 1)", Some(limit)),
            Global::Repeated => ("1 if repetitions >= 1, else 0", None),
            Global::RepeatedTwice => ("1 if repetitions >= 2, else 0", None),
            Global::Reserved => ("0", None),
        };
        Self { value, limit }
    }
}

/// An output of the network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutputSpec {
    /// Its name.
    pub name: &'static str,
    /// Its shape without the batch dimension.
    pub shape: Vec<usize>,
    /// Its meaning.
    pub meaning: &'static str,
}

pub(super) fn outputs(config: &ModelConfig) -> [OutputSpec; 4] {
    let (squares, dim) = (config.n_squares, config.policy_dim);
    let output = |name, shape: &[usize], meaning| OutputSpec {
        name,
        shape: shape.to_vec(),
        meaning,
    };
    [
        output("f", &[squares, dim], "each token as the origin of a move"),
        output(
            "t",
            &[squares, dim],
            "each token as the destination of a move",
        ),
        output(
            "k",
            &[squares],
            "each token as the square of a captured piece",
        ),
        output(
            "wdl",
            &[3],
            "probabilities of win, draw and loss for the side to move",
        ),
    ]
}

/// The formula that scores moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Action {
    /// Its name.
    pub encoding: &'static str,
    /// Length of the vectors in `f` and `t`.
    pub d: usize,
    /// The score of a move, with squares as tokens.
    pub logit: &'static str,
    /// The policy.
    pub probability: &'static str,
}

impl Action {
    pub(super) fn new(config: &ModelConfig) -> Self {
        Self {
            encoding: ACTION_ENCODING,
            d: config.policy_dim,
            logit: "dot(f[from], t[to]) / sqrt(d) + sum of k[c] over the captured squares c",
            probability: "softmax of the logits of all legal moves",
        }
    }
}
