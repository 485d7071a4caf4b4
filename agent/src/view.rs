//! Results as text and numbers, for languages that get no Rust values.

use engine::{Findings, Variation};
use rules::{Game, Position};
use search::{Proof, Wdl};
use serde::Serialize;

use crate::agent::Judgement;
use crate::games::{LegalMove, legal_moves, move_texts, status, texts};

/// A game as a board shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameView {
    /// The game that is played.
    pub variant: &'static str,
    /// The position before the first move.
    pub start: String,
    /// The position.
    pub fen: String,
    /// `white` or `black`, the side to move.
    pub turn: String,
    /// The legal moves, also where a draw rule has ended the game.
    pub legal_moves: Vec<LegalMove>,
    /// The moves played so far.
    pub moves: Vec<String>,
    /// `ongoing`, `white`, `black` or `draw`.
    pub status: &'static str,
    /// Why the game ended; empty while it goes on.
    pub reason: &'static str,
}

impl GameView {
    /// How a game stands.
    pub fn new(game: &Game) -> GameView {
        let outcome = game.outcome();
        GameView {
            variant: game.position().variant().name(),
            start: game.start().to_fen(),
            fen: game.position().to_fen(),
            turn: game.position().turn().to_string(),
            legal_moves: legal_moves(game.position()),
            moves: move_texts(game),
            status: status(outcome),
            reason: outcome.map_or("", |outcome| outcome.reason()),
        }
    }
}

/// Probabilities of win, draw and loss, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Value {
    /// Of a win.
    pub win: f32,
    /// Of a draw.
    pub draw: f32,
    /// Of a loss.
    pub loss: f32,
}

impl From<Wdl> for Value {
    fn from(Wdl { win, draw, loss }: Wdl) -> Value {
        Value { win, draw, loss }
    }
}

/// What an analysis has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The lines, best first.
    pub lines: Vec<Line>,
    /// Nodes searched for all of them.
    pub nodes: u64,
}

/// One line: a move, the replies that are expected, and what that is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The moves.
    pub moves: Vec<String>,
    /// What the line is worth to the side to move.
    pub value: Option<Value>,
    /// `win`, `draw` or `loss` of the side to move, if that is proven.
    pub proof: Option<&'static str>,
    /// Plies to the end, of a proven win or loss.
    pub plies: Option<u16>,
    /// Depth reached, in plies.
    pub depth: u32,
    /// Simulations through the first move, in tree search.
    pub visits: Option<u32>,
}

impl Analysis {
    /// Findings about the position of a game.
    pub fn new(findings: &Findings, position: &Position) -> Analysis {
        let lines = findings.variations.iter();
        Analysis {
            lines: lines.map(|found| Line::new(found, position)).collect(),
            nodes: findings.nodes,
        }
    }
}

impl Line {
    fn new(found: &Variation, position: &Position) -> Line {
        let (proof, plies) = match found.proof {
            None => (None, None),
            Some(Proof::Win(plies)) => (Some("win"), Some(plies)),
            Some(Proof::Draw) => (Some("draw"), None),
            Some(Proof::Loss(plies)) => (Some("loss"), Some(plies)),
        };
        Line {
            moves: texts(position, &found.moves),
            value: found.value.map(Value::from),
            proof,
            plies,
            depth: found.depth,
            visits: found.visits,
        }
    }
}

/// A legal move and how likely it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Likely {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Its probability.
    pub probability: f32,
}

/// The policy of a judgement in words.
pub fn policy(judgement: &Judgement, position: &Position) -> Vec<Likely> {
    let legal = position.legal_moves();
    let likely = |(mv, probability): &(_, f32)| Likely {
        text: position.move_text_among(*mv, &legal),
        probability: *probability,
    };
    judgement.policy.iter().map(likely).collect()
}
