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
    /// [request]
    entries: Vec<Entry>,
    /// All moves, one request after the other.
    moves: Vec<Move>,
    /// A logit per entry of `moves`.
    logits: Vec<f32>,
}

struct Entry {
    position: Position,
    repetitions: u32,
    /// The index of the first move and of the first logit.
    start: usize,
    value: Wdl,
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
        self.entries.clear();
        self.moves.clear();
        self.logits.clear();
    }

    /// Adds a request and returns its index.
    pub fn push(&mut self, position: &Position, repetitions: u32, moves: &[Move]) -> usize {
        self.entries.push(Entry {
            position: *position,
            repetitions,
            start: self.moves.len(),
            value: UNANSWERED,
        });
        self.moves.extend_from_slice(moves);
        self.logits.resize(self.moves.len(), f32::NAN);
        self.entries.len() - 1
    }

    /// Adds the requests of `other`, without its replies.
    pub(crate) fn append(&mut self, other: &Batch) {
        let before = self.moves.len();
        self.entries.extend(other.entries.iter().map(|entry| Entry {
            start: before + entry.start,
            value: UNANSWERED,
            ..*entry
        }));
        self.moves.extend_from_slice(&other.moves);
        self.logits.resize(self.moves.len(), f32::NAN);
    }

    /// Copies the replies of `other` to the requests of this batch that start at index `first`.
    pub(crate) fn copy_replies(&mut self, other: &Batch, first: usize) {
        let answered = &other.entries[first..][..self.entries.len()];
        for (entry, answered) in self.entries.iter_mut().zip(answered) {
            entry.value = answered.value;
        }
        if let Some(first) = answered.first() {
            let logits = &other.logits[first.start..][..self.logits.len()];
            self.logits.copy_from_slice(logits);
        }
    }

    /// Number of requests.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are no requests.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A request.
    pub fn request(&self, index: usize) -> Request<'_> {
        let entry = &self.entries[index];
        Request {
            position: &entry.position,
            repetitions: entry.repetitions,
            moves: &self.moves[self.move_range(index)],
        }
    }

    /// The value and the logits of a request, to be written.
    pub fn reply_mut(&mut self, index: usize) -> (&mut Wdl, &mut [f32]) {
        let range = self.move_range(index);
        (&mut self.entries[index].value, &mut self.logits[range])
    }

    /// A request with its reply, for evaluators that read one while writing the other.
    pub fn entry_mut(&mut self, index: usize) -> (Request<'_>, Reply<'_>) {
        let range = self.move_range(index);
        let entry = &mut self.entries[index];
        let request = Request {
            position: &entry.position,
            repetitions: entry.repetitions,
            moves: &self.moves[range.clone()],
        };
        let reply = Reply {
            value: &mut entry.value,
            logits: &mut self.logits[range],
        };
        (request, reply)
    }

    /// The value of a reply for the side to move.
    pub fn wdl(&self, index: usize) -> Wdl {
        self.entries[index].value
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
                fen: self.entries[index].position.to_fen(),
            })
        }
    }

    fn move_range(&self, index: usize) -> std::ops::Range<usize> {
        let next = self.entries.get(index + 1);
        let end = next.map_or(self.moves.len(), |next| next.start);
        self.entries[index].start..end
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
