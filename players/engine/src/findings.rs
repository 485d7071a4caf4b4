//! Results of an analysis.

use rules::Move;
use search::Proof;
use types::Wdl;

use crate::player::Choice;

/// The current or final result of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The variations, best first: as many as requested, limited by the legal moves and by the
    /// analyzer. Never empty, each with a different first move.
    pub variations: Vec<Variation>,
    /// The probability of each legal move, in the order of
    /// [`Game::legal_moves`](rules::Game::legal_moves); empty without a policy.
    pub policy: Vec<f32>,
    /// Nodes searched, for all variations together.
    pub nodes: u64,
}

/// A principal variation and its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// The move and the expected replies of both sides; never empty.
    pub moves: Vec<Move>,
    /// The evaluation for the side that makes the first move, if any.
    pub value: Option<Wdl>,
    /// The proven result for the same side, if any.
    pub proof: Option<Proof>,
    /// The depth reached, in plies.
    pub depth: u32,
    /// Simulations through the first move, in tree search.
    pub visits: Option<u32>,
}

impl Findings {
    /// The result of choosing a move without an evaluation.
    pub fn bare(mv: Move) -> Findings {
        Choice::bare(mv).into()
    }

    /// The best variation, which starts with the move to play.
    pub fn best(&self) -> &Variation {
        &self.variations[0]
    }
}

/// The choice as the only variation, one move long.
impl From<Choice> for Findings {
    fn from(choice: Choice) -> Findings {
        Findings {
            variations: vec![Variation {
                moves: vec![choice.mv],
                value: choice.value,
                proof: None,
                depth: 1,
                visits: None,
            }],
            policy: Vec::new(),
            nodes: choice.nodes,
        }
    }
}
