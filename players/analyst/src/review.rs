//! The judgments of a game, as they are stored and shown.

use rules::{Color, Move, Position};
use serde::{Deserialize, Serialize};

use crate::judge::Judgment;
use crate::mark::Mark;

/// Plies of a line that are kept.
const MAX_LINE: usize = 12;

/// The judgments of the moves of a game, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// A judgment for each ply.
    pub plies: Vec<PlyReview>,
}

/// The judgment of a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlyReview {
    /// The move played.
    #[serde(rename = "move")]
    pub text: String,
    /// The expected score after it, from 0 to 1, for the side that made it.
    pub value: Option<f32>,
    /// The best move.
    pub best: String,
    /// The expected score that the move cost; nothing for an only move.
    pub loss: Option<f32>,
    /// The mark that it deserves.
    pub mark: Option<Mark>,
    /// The best line.
    pub line: Vec<String>,
}

/// The losses of one side, or of a player in several games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Moves with a choice.
    pub moves: u64,
    /// The expected score that they cost, in sum.
    pub lost: f64,
    /// Dubious moves.
    pub dubious: u64,
    /// Mistakes.
    pub mistakes: u64,
    /// Blunders.
    pub blunders: u64,
}

impl PlyReview {
    /// The judgment of a move in a position.
    pub fn new(position: &Position, mv: Move, judgment: &Judgment) -> PlyReview {
        let line = &judgment.best.moves;
        let line = position.move_texts(&line[..line.len().min(MAX_LINE)]);
        PlyReview {
            text: position.move_text(mv),
            value: judgment.score(),
            best: line[0].clone(),
            loss: judgment.loss(),
            mark: judgment.mark(),
            line,
        }
    }

    /// The expected score before the move, for the side that made it.
    fn before(&self) -> Option<f32> {
        Some(self.value? + self.loss.unwrap_or(0.0))
    }
}

impl Review {
    /// The judgments of a game. An only move is worth what the next position is worth, or the
    /// result of the game: `last` is the score of the side that made the last move.
    pub fn new(mut plies: Vec<PlyReview>, last: Option<f32>) -> Review {
        let mut after = last;
        for ply in plies.iter_mut().rev() {
            ply.value = ply.value.or(after);
            after = ply.before().map(|score| 1.0 - score);
        }
        Review { plies }
    }

    /// The losses of White and of Black, in a game in which `first` made the first move.
    pub fn losses(&self, first: Color) -> [Losses; 2] {
        let mut sides = [Losses::default(); 2];
        let mut side = usize::from(first == Color::Black);
        for ply in &self.plies {
            sides[side].add(ply);
            side = 1 - side;
        }
        sides
    }
}

impl Losses {
    fn add(&mut self, ply: &PlyReview) {
        let Some(loss) = ply.loss else {
            return;
        };
        let marked = |mark: Mark| u64::from(ply.mark == Some(mark));
        self.join(&Losses {
            moves: 1,
            lost: loss.into(),
            dubious: marked(Mark::Dubious),
            mistakes: marked(Mark::Mistake),
            blunders: marked(Mark::Blunder),
        });
    }

    /// Adds the losses of another game.
    pub fn join(&mut self, other: &Losses) {
        self.moves += other.moves;
        self.lost += other.lost;
        self.dubious += other.dubious;
        self.mistakes += other.mistakes;
        self.blunders += other.blunders;
    }

    /// The average loss of a move, if there is one.
    pub fn average(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.lost / self.moves as f64)
    }
}

/// A share in percent, as `12 %`; with a decimal below 10.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent < 9.95 {
        true => format!("{percent:.1} %"),
        false => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(value: Option<f32>, loss: Option<f32>) -> PlyReview {
        PlyReview {
            text: "1-2".to_owned(),
            value,
            best: "1-2".to_owned(),
            loss,
            mark: loss.and_then(Mark::of_loss),
            line: Vec::new(),
        }
    }

    #[test]
    fn an_only_move_is_worth_what_follows() {
        let plies = vec![ply(None, None), ply(Some(0.3), Some(0.2)), ply(None, None)];
        let review = Review::new(plies, Some(1.0));
        let values: Vec<_> = review.plies.iter().map(|ply| ply.value).collect();
        assert_eq!(values, [Some(0.5), Some(0.3), Some(1.0)]);
        let open = Review::new(vec![ply(Some(0.4), Some(0.0)), ply(None, None)], None);
        assert_eq!(open.plies[1].value, None);
    }

    #[test]
    fn losses_are_of_moves_with_a_choice() {
        let plies = [Some(0.5), Some(0.0), None, Some(0.2)].map(|loss| ply(Some(0.5), loss));
        let review = Review::new(plies.into(), None);
        let [white, black] = review.losses(Color::Black);
        assert_eq!((black.moves, black.blunders), (1, 1));
        assert_eq!((white.moves, white.dubious), (2, 1));
        assert!((white.average().unwrap() - 0.1).abs() < 1e-6);
        let mut both = white;
        both.join(&black);
        assert_eq!((both.moves, both.blunders, both.dubious), (3, 1, 1));
        assert_eq!(Losses::default().average(), None);
    }

    #[test]
    fn percentages_have_two_digits() {
        assert_eq!(
            [0.012, 0.09949, 0.0995, 0.45].map(percent),
            ["1.2 %", "9.9 %", "10 %", "45 %"]
        );
    }
}
