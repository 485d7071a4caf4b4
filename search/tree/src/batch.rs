//! Leaves of many games, evaluated together.

use rules::{Move, Position};
use types::Wdl;

use crate::EvaluatorError;

/// Positions to evaluate, with the replies of the [`Evaluator`](crate::Evaluator).
///
/// Flat buffers that keep their capacity, so a batch stops allocating once it has reached its
/// largest size. Replies are NaN until written, so that a missing one is detected.
#[derive(Default)]
pub struct Batch {
    positions: Vec<Position>,
    repetitions: Vec<u32>,
    values: Vec<Wdl>,
    /// [request] index of the first move and of the first logit.
    starts: Vec<usize>,
    /// All moves, one request after the other.
    moves: Vec<Move>,
    /// A logit per entry of `moves`.
    logits: Vec<f32>,
}

/// One position to evaluate.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The position; the game is not over.
    pub position: &'a Position,
    /// Earlier occurrences of this position, in the game and on the search path.
    pub repetitions: u32,
    /// Its legal moves in the order of [`Position::legal_moves`]; never empty.
    pub moves: &'a [Move],
}

/// The destination of the reply to one request.
pub struct Reply<'a> {
    /// The value for the side to move.
    pub value: &'a mut Wdl,
    /// One logit per legal move, up to a constant.
    pub logits: &'a mut [f32],
}

const UNANSWERED: Wdl = Wdl {
    win: f32::NAN,
    draw: f32::NAN,
    loss: f32::NAN,
};

impl Batch {
    /// An empty batch.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Removes all requests and replies.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.repetitions.clear();
        self.values.clear();
        self.starts.clear();
        self.moves.clear();
        self.logits.clear();
    }

    /// Adds a request and returns its index.
    pub fn push(&mut self, position: &Position, repetitions: u32, moves: &[Move]) -> usize {
        self.positions.push(*position);
        self.repetitions.push(repetitions);
        self.values.push(UNANSWERED);
        self.starts.push(self.moves.len());
        self.moves.extend_from_slice(moves);
        self.logits.resize(self.moves.len(), f32::NAN);
        self.positions.len() - 1
    }

    /// Adds the requests of `other`, without its replies.
    pub(crate) fn append(&mut self, other: &Batch) {
        let before = self.moves.len();
        self.positions.extend_from_slice(&other.positions);
        self.repetitions.extend_from_slice(&other.repetitions);
        self.values.resize(self.positions.len(), UNANSWERED);
        self.starts
            .extend(other.starts.iter().map(|start| before + start));
        self.moves.extend_from_slice(&other.moves);
        self.logits.resize(self.moves.len(), f32::NAN);
    }

    /// Copies the replies of `other` to the requests of this batch that start at index `first`.
    pub(crate) fn copy_replies(&mut self, other: &Batch, first: usize) {
        let Some(&start) = other.starts.get(first) else {
            return;
        };
        let values = &other.values[first..][..self.values.len()];
        self.values.copy_from_slice(values);
        let logits = &other.logits[start..][..self.logits.len()];
        self.logits.copy_from_slice(logits);
    }

    /// Number of requests.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True if there are no requests.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// A request.
    pub fn request(&self, index: usize) -> Request<'_> {
        Request {
            position: &self.positions[index],
            repetitions: self.repetitions[index],
            moves: &self.moves[self.move_range(index)],
        }
    }

    /// The value and the logits of a request, to be written.
    pub fn reply_mut(&mut self, index: usize) -> (&mut Wdl, &mut [f32]) {
        let range = self.move_range(index);
        (&mut self.values[index], &mut self.logits[range])
    }

    /// A request with its reply, for evaluators that read one while writing the other.
    pub fn entry_mut(&mut self, index: usize) -> (Request<'_>, Reply<'_>) {
        let range = self.move_range(index);
        let request = Request {
            position: &self.positions[index],
            repetitions: self.repetitions[index],
            moves: &self.moves[range.clone()],
        };
        (
            request,
            Reply {
                value: &mut self.values[index],
                logits: &mut self.logits[range],
            },
        )
    }

    /// The value of a reply for the side to move.
    pub fn wdl(&self, index: usize) -> Wdl {
        self.values[index]
    }

    /// The logits of a reply, one per legal move.
    pub fn logits(&self, index: usize) -> &[f32] {
        &self.logits[self.move_range(index)]
    }

    /// The value and the logits of a reply.
    ///
    /// # Errors
    /// [`EvaluatorError::NotFinite`] if the reply is missing or contains NaN or infinity.
    pub fn reply(&self, index: usize) -> Result<(Wdl, &[f32]), EvaluatorError> {
        let (value, logits) = (self.wdl(index), self.logits(index));
        if value.is_finite() && logits.iter().all(|logit| logit.is_finite()) {
            Ok((value, logits))
        } else {
            Err(EvaluatorError::NotFinite {
                fen: self.positions[index].to_fen(),
            })
        }
    }

    fn move_range(&self, index: usize) -> std::ops::Range<usize> {
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.moves.len());
        self.starts[index]..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Variant;

    #[test]
    fn requests_and_replies_stay_apart() {
        let mut batch = Batch::new();
        let mut positions = Vec::new();
        for variant in Variant::GAMES {
            let start = Position::start(variant);
            let index = batch.push(&start, variant.index() as u32, &start.legal_moves());
            assert_eq!(index, positions.len());
            positions.push(start);
        }
        for index in 0..batch.len() {
            let (value, logits) = batch.reply_mut(index);
            *value = Wdl::DRAW;
            logits.fill(index as f32);
        }
        for (index, position) in positions.iter().enumerate() {
            let request = batch.request(index);
            assert!(request.position == position);
            assert_eq!(request.repetitions, position.variant().index() as u32);
            assert_eq!(request.moves, &position.legal_moves()[..]);
            assert_eq!(batch.logits(index), vec![index as f32; request.moves.len()]);
            assert_eq!(batch.wdl(index), Wdl::DRAW);
        }
    }

    #[test]
    fn a_forgotten_reply_is_not_a_number() {
        let start = Position::start(Variant::English);
        let mut batch = Batch::new();
        batch.push(&start, 0, &start.legal_moves());
        batch.reply_mut(0).1.fill(0.0);
        batch.clear();
        assert!(batch.is_empty());
        batch.push(&start, 0, &start.legal_moves());
        assert!(!batch.wdl(0).is_finite());
        let error = batch.reply(0).unwrap_err().to_string();
        assert!(error.contains(&start.to_fen()), "{error}");
        assert!(batch.logits(0).iter().all(|logit| logit.is_nan()));
    }
}
