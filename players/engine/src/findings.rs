//! What an analysis has found.

use rules::Move;
use search::Proof;
use types::Wdl;

/// What an analysis has found so far, or in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The variations, best first: as many as were asked for, as there are legal moves and as the
    /// analyzer can find. Never empty, and each begins with another move.
    pub variations: Vec<Variation>,
    /// Probability of each legal move, in the order of
    /// [`Game::legal_moves`](rules::Game::legal_moves); empty if there is no policy.
    pub policy: Vec<f32>,
    /// Nodes searched for all variations together.
    pub nodes: u64,
}

/// A move, what is expected to follow, and what that is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// The move and the expected replies of both sides; never empty.
    pub moves: Vec<Move>,
    /// The evaluation from the view of the side that makes the first move, if there is one.
    pub value: Option<Wdl>,
    /// The proven result from the same view, if there is one.
    pub proof: Option<Proof>,
    /// Depth reached, in plies.
    pub depth: u32,
    /// Simulations that went through the first move, in tree search.
    pub visits: Option<u32>,
}

impl Findings {
    /// A move without an evaluation.
    pub fn bare(mv: Move) -> Findings {
        Findings {
            variations: vec![Variation {
                moves: vec![mv],
                value: None,
                proof: None,
                depth: 1,
                visits: None,
            }],
            policy: Vec::new(),
            nodes: 0,
        }
    }

    /// The best variation, which begins with the move to play.
    pub fn best(&self) -> &Variation {
        &self.variations[0]
    }
}
