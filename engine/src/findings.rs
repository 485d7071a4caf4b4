//! What an analysis has found.

use rules::Move;
use search::{Proof, Wdl};

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
    /// The best variation, which begins with the move to play.
    pub fn best(&self) -> &Variation {
        &self.variations[0]
    }
}

/// What an analyzer reports that looks for the best variation alone.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchInfo {
    /// The move to play and the expected replies; never empty.
    pub principal_variation: Vec<Move>,
    /// The evaluation from the mover's view, if there is one.
    pub value: Option<Wdl>,
    /// The proven result, if there is one.
    pub proof: Option<Proof>,
    /// Probability of each legal move, in the order of
    /// [`Game::legal_moves`](rules::Game::legal_moves); empty if there is no policy.
    pub policy: Vec<f32>,
    /// Depth reached, in plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

impl SearchInfo {
    /// A move without an evaluation.
    pub fn bare(mv: Move) -> SearchInfo {
        SearchInfo {
            principal_variation: vec![mv],
            value: None,
            proof: None,
            policy: Vec::new(),
            depth: 1,
            nodes: 0,
        }
    }
}

impl From<SearchInfo> for Findings {
    fn from(info: SearchInfo) -> Findings {
        let best = Variation {
            moves: info.principal_variation,
            value: info.value,
            proof: info.proof,
            depth: info.depth,
            visits: None,
        };
        Findings {
            variations: vec![best],
            policy: info.policy,
            nodes: info.nodes,
        }
    }
}

/// The best variation alone.
impl From<Findings> for SearchInfo {
    fn from(mut findings: Findings) -> SearchInfo {
        let best = findings.variations.swap_remove(0);
        SearchInfo {
            principal_variation: best.moves,
            value: best.value,
            proof: best.proof,
            policy: findings.policy,
            depth: best.depth,
            nodes: findings.nodes,
        }
    }
}
