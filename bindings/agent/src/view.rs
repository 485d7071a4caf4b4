//! Results as text and numbers, for other languages.

use std::fmt;

use engine::{Findings, Variation};
use rules::{Game, Move, Position, perft};
use search::Proof;
use serde::Serialize;
use types::Wdl;

use crate::games::{LegalMove, legal_moves, move_texts, status};
use crate::member::Judgment;

/// A game in the form that a board needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameView {
    /// The variant.
    pub variant: &'static str,
    /// The position before the first move.
    pub start: String,
    /// The position.
    pub fen: String,
    /// `white` or `black`, the side to move.
    pub turn: String,
    /// The legal moves; also listed after a draw by rule.
    pub legal_moves: Vec<LegalMove>,
    /// The moves played so far.
    pub moves: Vec<String>,
    /// `ongoing`, `white`, `black` or `draw`.
    pub status: &'static str,
    /// The reason why the game ended; empty while it is ongoing.
    pub reason: &'static str,
}

impl GameView {
    /// View of the current state of a game.
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

/// A position, its status, and the results of all legal moves. `Display` is for people, `serde` for
/// programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The position.
    pub fen: String,
    /// `ongoing`, `white`, `black` or `draw`.
    pub status: &'static str,
    /// The reason why the game ended; empty while it is ongoing.
    pub reason: &'static str,
    /// The legal moves; also listed after a draw by rule.
    pub moves: Vec<ListedMove>,
}

/// A legal move of a [`Listing`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedMove {
    /// Its notation.
    pub notation: String,
    /// Number of its start square.
    pub from: usize,
    /// Number of its end square.
    pub to: usize,
    /// Numbers of the squares whose pieces it captures.
    pub captured: Vec<usize>,
    /// Numbers of the squares it visits.
    pub path: Vec<usize>,
    /// The position after it.
    pub fen_after: String,
}

impl From<&Position> for Listing {
    fn from(position: &Position) -> Listing {
        let outcome = position.outcome();
        let listed = |legal: LegalMove| ListedMove {
            notation: legal.text,
            from: legal.from,
            to: legal.to,
            captured: legal.captured,
            path: legal.path,
            fen_after: position.play(legal.mv).to_fen(),
        };
        Listing {
            fen: position.to_fen(),
            status: status(outcome),
            reason: outcome.map_or("", |outcome| outcome.reason()),
            moves: legal_moves(position).into_iter().map(listed).collect(),
        }
    }
}

impl fmt::Display for Listing {
    /// Writes the position, and its moves on the next line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.fen)?;
        match (self.status, self.reason) {
            ("draw", reason) => write!(f, "draw ({reason})")?,
            (winner @ ("white" | "black"), reason) => write!(f, "{winner} wins ({reason})")?,
            (status, _) => write!(f, "{status}")?,
        }
        let moves = self.moves.iter().map(|mv| mv.notation.as_str());
        let moves: Vec<&str> = moves.collect();
        let separator = if moves.is_empty() { "" } else { ": " };
        writeln!(f, "{separator}{}", moves.join(" "))
    }
}

/// Number of move sequences that start with a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The number of sequences.
    pub nodes: u64,
}

/// [`perft`] after each legal move, in the order of [`legal_moves`]; `depth` includes that move,
/// and is at least 1.
pub fn divide(position: &Position, depth: usize) -> Vec<Branch> {
    let mut legal = position.legal_moves();
    legal.sort_canonical();
    let branch = |&mv: &Move| Branch {
        text: position.move_text_among(mv, &legal),
        nodes: perft(&position.play(mv), depth.saturating_sub(1)),
    };
    legal.iter().map(branch).collect()
}

/// Result of an analysis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The lines, best first.
    pub lines: Vec<Line>,
    /// Total nodes searched.
    pub nodes: u64,
}

/// One line: a move, the expected replies, and their value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The moves.
    pub moves: Vec<String>,
    /// The value of the line for the side to move.
    pub value: Option<Wdl>,
    /// `win`, `draw` or `loss` for the side to move, if proven.
    pub proof: Option<&'static str>,
    /// Plies to the end of a proven win or loss.
    pub plies: Option<u16>,
    /// Depth reached, in plies.
    pub depth: u32,
    /// Simulations through the first move, in tree search.
    pub visits: Option<u32>,
}

impl Analysis {
    /// The result of an analysis of a game's position.
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
            moves: position.move_texts(&found.moves),
            value: found.value,
            proof,
            plies,
            depth: found.depth,
            visits: found.visits,
        }
    }
}

/// A legal move and its probability.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Likely {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Its probability.
    pub probability: f32,
}

/// The policy of an evaluation as text.
pub fn policy(judgment: &Judgment, position: &Position) -> Vec<Likely> {
    let legal = position.legal_moves();
    let likely = |(mv, probability): &(_, f32)| Likely {
        text: position.move_text_among(*mv, &legal),
        probability: *probability,
    };
    judgment.policy.iter().map(likely).collect()
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    #[test]
    fn branches_add_up() {
        let start = Position::start(Variant::English);
        let branches = divide(&start, 5);
        let texts = branches.iter().zip(legal_moves(&start));
        assert!(branches.len() == 7 && texts.into_iter().all(|(a, b)| a.text == b.text));
        assert_eq!(
            branches.iter().map(|branch| branch.nodes).sum::<u64>(),
            perft(&start, 5)
        );
        assert!(divide(&start, 1).iter().all(|branch| branch.nodes == 1));
    }

    #[test]
    fn listings_say_how_a_position_stands() {
        for (fen, expected) in [
            (
                "W:W22:B9,10,17,18",
                "W:W22:B9,10,17,18:H0:F1\nongoing: 22x13x6 22x15x6\n",
            ),
            ("B:W25,30:B21", "B:W25,30:B21:H0:F1\nwhite wins (blocked)\n"),
            (
                "W:WK1:BK32:H80",
                "W:WK1:BK32:H80:F1\ndraw (no-progress): 1-5 1-6\n",
            ),
        ] {
            let position = Position::from_fen(Variant::English, fen).unwrap();
            assert_eq!(Listing::from(&position).to_string(), expected);
        }
        let position = Position::from_fen(Variant::English, "W:W22:B9,10,17,18").unwrap();
        let listed = &Listing::from(&position).moves[0];
        assert_eq!((&listed.path[..], listed.to), (&[22, 13, 6][..], 6));
        assert_eq!(listed.fen_after, "B:W6:B10,18:H0:F2");
    }
}
